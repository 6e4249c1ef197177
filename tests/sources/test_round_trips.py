"""Made exports of every layout with planted faults: what is kept and what is told, row for row."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

STUDIES = Path(__file__).resolve().parents[2] / "scripts" / "studies"
sys.path.append(str(STUDIES))

from export_faults import FAULTS  # noqa: E402
from export_round_trips import agreement, is_perfect, round_trip  # noqa: E402
from library_layouts import ALL_LAYOUTS  # noqa: E402


@pytest.mark.parametrize("layout", ALL_LAYOUTS, ids=lambda layout: layout.name)
def test_every_planted_row_is_kept_or_told_as_it_should_be(layout) -> None:
    trip = round_trip(layout, 1_000)
    assert is_perfect(trip), trip


def test_there_are_twenty_kinds_of_faults_and_every_layout_has_most_of_them() -> None:
    assert len(FAULTS) >= 20
    assert all(round_trip(layout, 200).faults >= 15 for layout in ALL_LAYOUTS)


def test_agreement_falls_with_what_is_lost_and_with_what_is_too_much() -> None:
    from collections import Counter

    found = agreement(Counter("aab"), Counter("ab"))
    assert (found.precision, found.recall) == (2 / 3, 1.0)
    assert agreement(Counter("a"), Counter("ab")).recall == 0.5
