"""Days that a country or a spreadsheet wrote its own way: which of their numbers is the month.

A spreadsheet that opens an export and saves it again writes 2023-01-26 as 1/26/2023, 26/01/2023 or
26.01.23. One cell cannot say what it means, the whole column mostly can.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, date, datetime
from itertools import pairwise

from localrec.sources.export_cells import parse_moment
from localrec.sources.import_log import ImportLog
from localrec.sources.personal_export import moment_problem

_REST = r"\.?(?P<rest>(?:,?\s+|T)\d{1,2}:.*)?"
_DAY = re.compile(
    r"(?P<first>\d{1,2})(?P<sign>[./-])\s?(?P<second>\d{1,2})(?P=sign)\s?(?P<year>\d{4}|\d{2})"
    + _REST,
    re.ASCII,
)
_MONTH_AND_DAY = (
    r"(?:(?P<sign>[./-])\s?(?P<month>\d{1,2})(?P=sign)\s?(?P<day>\d{1,2})"
    r"|[年년]\s?(?P<month_of_east>\d{1,2})[月월]\s?(?P<day_of_east>\d{1,2})[日일])"
)
_YEAR_FIRST = re.compile(
    rf"(?!\d{{4}}-\d\d-\d\d)(?P<year>\d{{4}}){_MONTH_AND_DAY}{_REST}",  # ISO 8601 stays
    re.ASCII,
)
_SHORT_YEAR_FIRST = re.compile(
    rf"(?!\d{{4}}-\d\d-\d\d)(?P<year>\d{{4}}|\d{{2}}){_MONTH_AND_DAY}{_REST}", re.ASCII
)
_CLOCK = re.compile(
    r"(?P<hour>\d{1,2})(?P<minutes>:\d\d(?::\d\d(?:\.\d+)?)?)(?:\s?(?P<half>[AaPp])\.?[Mm]\.?)?"
    r"(?P<zone>.*)",
    re.ASCII,
)
_WORDED = re.compile(  # a day with the month in letters, perhaps with a time behind
    r"(?:(?P<month>[A-Z][a-z]{2,8})\.? (?P<day>\d{1,2}),"
    r"|(?P<day_before>\d{1,2})\.? (?P<month_behind>[A-Z][a-z]{2,8})\.?,?) (?P<year>\d{4})" + _REST,
    re.ASCII,
)
_MONTHS = (
    "january february march april may june july august september october november december"
).split()
_NUMBER_OF = {
    name: number for number, one in enumerate(_MONTHS, 1) for name in (one, one[:3], one[:4])
}
_OF_MAIL = re.compile(r"[A-Z][a-z]{2} [A-Z][a-z]{2} \d\d \d\d:\d\d:\d\d [+-]\d{4} \d{4}", re.ASCII)
_EARLIEST = datetime(1970, 1, 2)  # before which nothing of an export was done
_NARROW = "\u202f"  # the blank in front of AM and PM, as browsers write it
_NINETEEN_HUNDREDS = 70  # the first year of two digits that belongs to them


class DayOrder:
    """The order of day and month in a column.

    Args:
        cells: All cells of the column.
        falls: Whether later days are known to come first, which decides where no number is above
            12.

    Attributes:
        month_first: Whether the month stands before the day.
        is_sure: Whether the cells decide it; else it is an assumption.
    """

    def __init__(self, cells: Iterable[str], *, falls: bool = False) -> None:
        told = [cell.strip().replace(_NARROW, " ") for cell in cells]
        found = [match for one in told if (match := _DAY.fullmatch(one))]
        # Years of four digits in front tell that two digits in front are a year as well.
        self._is_year_first = any(map(_YEAR_FIRST.fullmatch, told)) and not any(
            len(one["year"]) == 4 for one in found
        )
        found = [] if self._is_year_first else found
        days = [(int(one["first"]), int(one["second"]), int(one["year"])) for one in found]
        first, second = (sum(day[place] > 12 for day in days) for place in (0, 1))
        self.example = found[0].string.strip() if found else ""
        self.is_sure = True
        if first != second:
            self.month_first = second > first
        elif any(one["sign"] != "/" for one in found):
            self.month_first = False
        elif falls:
            self.month_first = _falls([(year, month, day) for month, day, year in days]) >= _falls(
                [(year, month, day) for day, month, year in days]
            )
        else:
            self.month_first = True
            self.is_sure = all(one == other for one, other, _ in days)

    def as_iso(self, cell: str) -> str:
        """The cell with its day as ISO 8601 has it; what is no day stays as it stands."""
        told = cell.strip().replace(_NARROW, " ")
        form = _SHORT_YEAR_FIRST if self._is_year_first else _YEAR_FIRST
        if turned := form.fullmatch(told):
            return _iso_of_year_first(turned) or cell
        found = _DAY.fullmatch(told)
        if found is None:
            return _iso_of_words(told) or cell
        first, second = int(found["first"]), int(found["second"])
        month, day = (first, second) if self.month_first else (second, first)
        if not (1 <= month <= 12 and 1 <= day <= 31):
            return cell
        return f"{_whole_year(found['year']):04d}-{month:02d}-{day:02d}{_clock(found['rest'])}"


def with_iso_days(
    rows: Iterable[tuple[int, Mapping[str, str]]], columns: Sequence[str], import_log: ImportLog
) -> list[tuple[int, dict[str, str]]]:
    """Rows whose days in some columns are written as ISO 8601 has them.

    Args:
        rows: Row numbers and cells by column.
        columns: Those that hold days; those that the file lacks are passed over.
        import_log: Log that notes days which can be read two ways.
    """
    told = [(row, dict(cells)) for row, cells in rows]
    for column in columns:
        order = DayOrder(cells.get(column, "") for _, cells in told)
        if order.example and not order.is_sure:
            import_log.tell(
                f"Days such as {order.example} in column {column} do not say which number is the "
                "month; the first was taken for it."
            )
        for _, cells in told:
            if column in cells:
                cells[column] = _turned(cells[column], order)
    return told


def _turned(cell: str, order: DayOrder) -> str:
    """A cell with its day as ISO 8601 has it; a day that cannot be is told in the file's words."""
    told = order.as_iso(cell)
    at = parse_moment(told)
    return cell if at is None or moment_problem(at, _EARLIEST) else told


def _falls(days: Sequence[tuple[int, ...]]) -> int:
    """Count the days that are no later than the one above them."""
    return sum(below <= above for above, below in pairwise(days))


def _iso_of_year_first(found: re.Match[str]) -> str:
    """A day that begins with its year, as ISO 8601 has it; "" where there is no such day."""
    month = int(found["month"] or found["month_of_east"])
    day = int(found["day"] or found["day_of_east"])
    return _day_of(found["year"], month, day, found["rest"])


def _iso_of_words(cell: str) -> str:
    """A day with the name of its month, as ISO 8601 has it; "" for anything else."""
    if _OF_MAIL.fullmatch(cell):
        try:
            at = datetime.strptime(cell, "%a %b %d %H:%M:%S %z %Y").astimezone(UTC)
        except (ValueError, OverflowError):
            return ""
        return at.replace(tzinfo=None).isoformat(" ")
    found = _WORDED.fullmatch(cell)
    month = _NUMBER_OF.get((found["month"] or found["month_behind"]).casefold()) if found else None
    if found is None or month is None:
        return ""
    day = int(found["day"] or found["day_before"])
    return _day_of(found["year"], month, day, found["rest"])


def _day_of(year: str, month: int, day: int, rest: str | None) -> str:
    """A day with the time behind it, as ISO 8601 has it; "" where there is no such day."""
    try:
        told = date(_whole_year(year), month, day)
    except ValueError:
        return ""
    return told.isoformat() + _clock(rest)


def _clock(rest: str | None) -> str:
    """The time behind a day, as ISO 8601 has it: " 09:05" for ", 9:05 AM"; "" for none."""
    told = (rest or "").lstrip(", T")
    found = _CLOCK.fullmatch(told)
    if found is None:
        return f" {told}" if told else ""
    hour = int(found["hour"])
    if found["half"] and 1 <= hour <= 12:
        hour = hour % 12 + 12 * (found["half"] in "pP")
    return f" {hour:02d}{found['minutes']}{found['zone']}"


def _whole_year(told: str) -> int:
    """A year; one of two digits with its century."""
    year = int(told)
    if len(told) > 2:
        return year
    return year + (2000 if year < _NINETEEN_HUNDREDS else 1900)
