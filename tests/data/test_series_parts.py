"""Headers that number the parts of a series, and those that only sound so."""

from __future__ import annotations

import pytest

from localrec.data.series_parts import is_part_number, numbers_parts


@pytest.mark.parametrize(
    "header", ["Volume", "Vol.", "issue_number", "seasonNumber", "Staffel", "Band Nr.", "Edition"]
)
def test_a_header_numbers_volumes_in_many_words(header: str) -> None:
    assert numbers_parts(header)


@pytest.mark.parametrize(
    "header", ["Alcohol by volume", "Seasons", "number of issues", "episode title", "number", ""]
)
def test_how_many_there_are_and_what_one_is_called_numbers_none(header: str) -> None:
    assert not numbers_parts(header)


@pytest.mark.parametrize(
    ("cell", "expected"), [("3", True), ("Vol. 3", True), ("S01", True), ("Kindle", False)]
)
def test_a_part_has_a_number(cell: str, expected: bool) -> None:
    assert is_part_number(cell) is expected
