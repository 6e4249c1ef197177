"""The check of kept ratios: a loss counts when it comes twice."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).resolve().parent.parent / "scripts"


@pytest.fixture
def peers(monkeypatch):
    for folder in ("studies", "bench"):
        monkeypatch.syspath_prepend(str(SCRIPTS / folder))
    import peers

    yield peers
    for name in ("peers", "people", "curation", "findings"):
        sys.modules.pop(name, None)


def history(peers, *ratios):
    return [peers.PastRun("2026-11-24", {"help": ratio}) for ratio in ratios]


@pytest.mark.parametrize(
    ("ratios", "is_lost"),
    [((1.0, 1.05, 1.09), False), ((1.0, 1.3, 1.0), False), ((1.0, 1.0, 1.3), False),
     ((1.0, 1.2, 1.11), True), ((2.0, 1.0, 1.0, 1.5, 1.4), True), ((1.2, 1.3), False)],
)  # fmt: skip
def test_a_line_is_lost_when_its_last_two_runs_were_a_tenth_above_its_best(peers, ratios, is_lost):
    assert bool(peers.losses(history(peers, *ratios))) == is_lost


def test_a_run_without_the_line_does_not_count(peers):
    runs = [*history(peers, 1.0, 1.2), peers.PastRun("2026-11-25", {}), *history(peers, 1.2)]
    assert "at best 1.00" in peers.losses(runs)["help"]
