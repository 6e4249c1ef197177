"""Cells of personal exports beyond books: scores on any scale, moments in any notation, years.

Each method gives None for a cell that means nothing, and tells the receipt.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import msgspec

from localrec.foundation.text import clean_name
from localrec.sources.book_cells import RowCells
from localrec.sources.import_log import ImportLog
from localrec.sources.personal_export import moment_problem

FIRST_WORK = 1800  # a year: photographs and plays older than film are listed beside films
_EARLIEST = datetime(1970, 1, 2)  # an empty date often comes as the first second of 1970
_ANNOUNCED_YEARS = 15
_NUMBER = re.compile(r"-?\d{1,6}(?:[.,]\d{1,6})?", re.ASCII)
_YEAR = re.compile(r"\d{4}(?:\.0)?", re.ASCII)
_COUNT = re.compile(r"\d{9,}", re.ASCII)


class ExportCells(RowCells):
    """One row of an export."""

    def score(
        self, column: str, low: float, high: float, nothing: float | None = None
    ) -> float | None:
        """A score from `low` to `high` as stars, 0.5 to 5; the top of the scale is five stars.

        Args:
            column: Name of the column.
            low: The lowest score that can be given, 0 or 1.
            high: The highest one.
            nothing: A number that means "not rated".
        """
        told = self.raw(column)
        value = float(told.replace(",", ".")) if _NUMBER.fullmatch(told) else None
        if not told or (value is not None and value == nothing):
            return None
        if value is None or not low <= value <= high:
            self._repair(
                column, f"{clean_name(told)!r} is no rating from {low} to {high}; left out"
            )
            return None
        return max(0.5, value * 5 / high)

    def moment(self, column: str, *formats: str, earliest: datetime = _EARLIEST) -> datetime | None:
        """Read the moment of an event, in UTC.

        Args:
            column: Name of the column.
            formats: Notations as for strptime, tried after ISO 8601.
            earliest: The earliest possible moment.
        """
        return self.at(column, self.raw(column), *formats, earliest=earliest)

    def at(
        self, column: str, told: str, *formats: str, earliest: datetime = _EARLIEST
    ) -> datetime | None:
        """Read the moment of an event, where the cell of `column` was rewritten as `told` first."""
        if not told:
            return None
        at = parse_moment(told, *formats)
        problem = "is no date" if at is None else moment_problem(at, earliest)
        if problem is None:
            return at
        self._repair(column, f"{clean_name(told)!r} {problem}; the date was left out")
        return None

    def decimal(self, column: str, low: float, high: float) -> float | None:
        """A number from `low` to `high`, with a decimal point or comma."""
        told = self.raw(column)
        if not told:
            return None
        value = float(told.replace(",", ".")) if _NUMBER.fullmatch(told) else None
        if value is None or not low <= value <= high:
            self._repair(
                column, f"{clean_name(told)!r} is no number from {low} to {high}; left out"
            )
            return None
        return value

    def year(self, column: str, first: int = FIRST_WORK) -> int | None:
        """The year in which something came out, from `first` to some years ahead."""
        told = self.raw(column)
        if not told:
            return None
        latest = datetime.now(UTC).year + _ANNOUNCED_YEARS
        if _YEAR.fullmatch(told) and first <= int(told[:4]) <= latest:
            return int(told[:4])
        self._repair(column, f"{clean_name(told)!r} is no year from {first} on; left out")
        return None

    def is_set(self, column: str) -> bool:
        """Whether a flag is raised."""
        return self.raw(column).casefold() in ("1", "true", "yes")


def parse_moment(told: str, *formats: str) -> datetime | None:
    """A moment in UTC without a zone, of ISO 8601 or one of `formats`; None for anything else."""
    at = None
    # ISO 8601 would take a count of thousandths of seconds apart as a day of the year 1617.
    for form in (*([] if _COUNT.fullmatch(told) else [None]), *formats):
        try:
            at = datetime.strptime(told, form) if form else datetime.fromisoformat(told)
            break
        except ValueError:
            continue
    if at is None or at.tzinfo is None:
        return at
    try:
        return at.astimezone(UTC).replace(tzinfo=None)
    except OverflowError:  # the first day of the first year, east of Greenwich
        return None


def cells_of(row: int, entry: Mapping[str, Any], import_log: ImportLog) -> ExportCells:
    """The cells of an object of JSON: numbers and texts as texts, null as an empty cell."""
    told = {str(name): _as_cell(value) for name, value in entry.items()}
    return ExportCells(row, told, import_log)


def _as_cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    return msgspec.json.encode(value).decode()
