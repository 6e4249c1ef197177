"""The runner of studies and benches: what it lists, and where findings end up."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

STUDIES = Path(__file__).resolve().parents[1] / "scripts" / "studies"
RUN = STUDIES / "run.py"
LOAD_ALL = """
import importlib, sys
sys.path.insert(0, sys.argv[1])
import run
for name in dict(run.studies()):
    print(run.parser_of(name, importlib.import_module(name)).prog)
"""


class Counted(msgspec.Struct):
    """Figures of a half."""

    half: str
    count: int


@pytest.fixture
def findings(monkeypatch):
    monkeypatch.syspath_prepend(STUDIES)
    import findings

    return findings


def run(*arguments):
    return subprocess.run(
        [sys.executable, *map(str, arguments)], capture_output=True, text=True, check=False
    )


def test_every_study_and_bench_loads_and_has_options():
    names = [line.split()[0] for line in run(RUN).stdout.splitlines()]
    assert {"gold_questions", "ranking_runs", "ask", "tui"} <= {*names}
    loaded = run("-c", LOAD_ALL, STUDIES)
    assert loaded.returncode == 0, loaded.stderr
    assert loaded.stdout.splitlines() == [f"run.py {name}" for name in names]


def test_a_name_that_no_study_has_lists_those_there_are():
    done = run(RUN, "tea_leaves")
    assert done.returncode == 2
    assert "gold_questions" in done.stdout


def test_findings_replace_their_block_and_keep_figures_and_pictures(findings, tmp_path):
    page = tmp_path / "results" / "agent.md"
    page.parent.mkdir()
    page.write_text("Before.\n<!-- tea:begin -->\nold\n<!-- tea:end -->\nBehind.\n", "utf-8")
    figures = Counted("dev", 3)
    found = findings.Findings(
        text="new", page="agent", block="tea", figures=figures, pictures={"tea.svg": "<svg/>"}
    )
    found.write(tmp_path)
    told = page.read_text("utf-8")
    assert told == "Before.\n<!-- tea:begin -->\nnew\n<!-- tea:end -->\nBehind.\n"
    kept = json.loads((tmp_path / "figures" / "tea.json").read_text("utf-8"))
    assert kept == {"half": "dev", "count": 3}
    assert (tmp_path / "figures" / "tea.svg").read_text("utf-8") == "<svg/>"


def test_a_block_of_halves_shows_each_that_was_measured_the_test_half_first(findings, tmp_path):
    for half, count in (("dev", 1), ("test", 2)):
        findings.Findings(
            text=half,
            page="questions",
            block="tea",
            figures=Counted(half, count),
            kept_as=f"tea-{half}",
            whole_block=lambda folder: findings.halves_in(
                folder, "tea", Counted, lambda one: f"{one.half} {one.count}"
            ),
        ).write(tmp_path)
    told = (tmp_path / "results" / "questions.md").read_text("utf-8")
    assert "\ntest 2\n\ndev 1\n" in told


def test_a_timing_is_the_median_and_the_95th_percentile_in_milliseconds(findings):
    timing = findings.Timing.of([0.001] * 10 + [0.003] * 9 + [0.1])
    assert timing.median == pytest.approx(2.0)
    assert 3.0 < timing.p95 < 100.0
    assert findings.Timing(1.0, 2.5).cells() == ["1.00", "2.50"]


def test_a_draft_is_what_followed_the_same_tokens_last_and_new_tokens_have_none(monkeypatch):
    pytest.importorskip("llama_cpp")
    monkeypatch.syspath_prepend(STUDIES.parent / "bench")
    from inference_sessions import NgramDrafts

    drafts = NgramDrafts([1, 2, 3, 4, 1, 2, 9, 8, 5])
    assert drafts.next_tokens(2) == []
    for token in (1, 2):
        drafts.add(token)
    assert drafts.next_tokens(3) == [9, 8, 5]
    drafts.add(3)
    assert drafts.next_tokens(2) == [4, 1]
