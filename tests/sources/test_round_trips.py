"""Made exports of every layout with planted faults: what is kept and what is told, row for row."""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import pytest

STUDIES = Path(__file__).resolve().parents[2] / "scripts" / "studies"
sys.path.append(str(STUDIES))

from export_faults import faulty_rows  # noqa: E402
from export_layouts import write_table  # noqa: E402
from export_round_trips import TRIPS, agreement, is_perfect, round_trip  # noqa: E402
from library_layouts import ALL_LAYOUTS  # noqa: E402
from plain_reader import in_one_line, texts_in  # noqa: E402

ALL_TRIPS = [(layout, trip) for layouts, trip in TRIPS for layout in layouts]
TABLES = [layout for layout in ALL_LAYOUTS if layout.write is write_table and layout.has_header]


@pytest.mark.parametrize(("layout", "trip"), ALL_TRIPS, ids=lambda one: getattr(one, "name", ""))
def test_every_planted_row_is_kept_or_told_as_it_should_be(layout, trip) -> None:
    made = trip(layout, 1_000)
    assert is_perfect(made), made
    assert made.faults >= 20


@pytest.mark.parametrize("layout", TABLES, ids=lambda layout: layout.name)
def test_what_was_planted_stands_in_the_file_for_any_other_reader(layout, tmp_path) -> None:
    planted = list(faulty_rows(layout, 200))
    path = layout.write(tmp_path, layout, planted)
    with path.open(encoding=layout.encoding, newline="") as stream:
        header, *rows = csv.reader(stream, delimiter=layout.delimiter)
    assert tuple(header) == layout.columns
    place = header.index(layout.title)
    wanted = [row for row in planted if row.shape == "whole"]
    found = [cells[place] for cells in rows if len(cells) == len(header)]
    assert found == [row.cells[layout.title] for row in wanted]


@pytest.mark.parametrize(("layout", "trip"), ALL_TRIPS, ids=lambda one: getattr(one, "name", ""))
def test_the_standard_library_finds_every_planted_name_in_every_layout(layout, trip, tmp_path):
    if trip is round_trip:
        parts = [(layout, list(faulty_rows(layout, 200)))]
        path = layout.write(tmp_path, *parts[0])
    else:
        lists = [layout.interactions, *filter(None, [layout.things])]
        parts = [(one, list(faulty_rows(one, 200))) for one in lists]
        path = layout.write(tmp_path, parts[0][1], parts[1][1] if len(parts) > 1 else [])
    names = [
        row.cells[part.title]
        for part, rows in parts
        for row in rows
        if row.shape == "whole" and row.cells.get(part.title) is not None
    ]
    assert len(names) > 180
    assert not {in_one_line(str(name)) for name in names} - texts_in(path)


def test_agreement_falls_with_what_is_lost_and_with_what_is_too_much() -> None:
    from collections import Counter

    found = agreement(Counter("aab"), Counter("ab"))
    assert (found.precision, found.recall) == (2 / 3, 1.0)
    assert agreement(Counter("a"), Counter("ab")).recall == 0.5
