"""The receipt that a source writes: which rows it names, and in which order they weigh."""

from __future__ import annotations

from pathlib import Path

import pytest

from localrec.sources import import_log
from localrec.sources.import_log import ImportLog


@pytest.fixture
def log() -> ImportLog:
    """An empty receipt."""
    return ImportLog("catalogue", Path("wines.csv"), "wines")


def test_a_drop_is_named_behind_more_merges_than_are_named(log, monkeypatch):
    monkeypatch.setattr(import_log, "_NAMED", 3)
    for row in range(2, 12):
        log.merge(row, None, "says the same as row 1")
    log.drop(12, "name", "has no name")
    report = log.report(kept=1)
    assert (report.merged, report.dropped) == (10, 1)
    assert [one.row for one in report.problems] == [2, 3, 4, 12]


def test_rows_that_were_lost_weigh_more_than_mended_and_merged_ones(log):
    log.merge(2, None, "says the same as row 1")
    log.repair(3, "price", "'x' is no number")
    log.drop(9, "name", "has no name")
    log.drop(4, "name", "has no name")
    lines = [one.as_line() for one in log.report(kept=1).gravest_problems()]
    assert lines == [
        "row 4, name: dropped: has no name",
        "row 9, name: dropped: has no name",
        "row 3, price: repaired: 'x' is no number",
        "row 2: merged: says the same as row 1",
    ]
