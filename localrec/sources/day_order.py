"""Days that a country or a spreadsheet wrote its own way: which of their numbers is the month.

A spreadsheet that opens an export and saves it again writes 2023-01-26 as 1/26/2023, 26/01/2023 or
26.01.23. One cell cannot say what it means, the whole column mostly can.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from localrec.sources.import_log import ImportLog

_DAY = re.compile(
    r"(?P<first>\d{1,2})(?P<sign>[./-])\s?(?P<second>\d{1,2})(?P=sign)\s?(?P<year>\d{4}|\d{2})\.?"
    r"(?P<rest>(?:,?\s+|T)\d{1,2}:.*)?",
    re.ASCII,
)
_NINETEEN_HUNDREDS = 70  # the first year of two digits that belongs to them


class DayOrder:
    """How the days of a column are written.

    Args:
        cells: All cells of the column.
        falls: Whether later days are known to come first, which tells where no number is above 12.

    Attributes:
        month_first: Whether the month stands before the day.
        is_sure: Whether the cells say so; else it was taken for granted.
    """

    def __init__(self, cells: Iterable[str], *, falls: bool = False) -> None:
        found = [match for cell in cells if (match := _DAY.fullmatch(cell.strip()))]
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
        found = _DAY.fullmatch(cell.strip())
        if found is None:
            return cell
        first, second, year = (int(found[name]) for name in ("first", "second", "year"))
        month, day = (first, second) if self.month_first else (second, first)
        if not (1 <= month <= 12 and 1 <= day <= 31):
            return cell
        rest = (found["rest"] or "").lstrip(", T")
        hour = re.match(r"\d:", rest)  # 9:05, where ISO 8601 has 09:05
        clock = f" {'0' * bool(hour)}{rest}" if rest else ""
        if year < 100:
            year += 2000 if year < _NINETEEN_HUNDREDS else 1900
        return f"{year:04d}-{month:02d}-{day:02d}{clock}"


def with_iso_days(
    rows: Iterable[tuple[int, Mapping[str, str]]], columns: Sequence[str], import_log: ImportLog
) -> list[tuple[int, dict[str, str]]]:
    """Rows whose days in some columns are written as ISO 8601 has them.

    Args:
        rows: Row numbers and cells by column.
        columns: Those that hold days; those that the file lacks are passed over.
        import_log: Hears of days that can be read two ways.
    """
    told = [(row, dict(cells)) for row, cells in rows]
    for column in columns:
        order = DayOrder(cells.get(column, "") for _, cells in told)
        if not order.example:
            continue
        if not order.is_sure:
            import_log.tell(
                f"Days such as {order.example} in column {column} do not say which number is the "
                "month; the first was taken for it."
            )
        for _, cells in told:
            if column in cells:
                cells[column] = order.as_iso(cells[column])
    return told


def _falls(days: Sequence[tuple[int, ...]]) -> int:
    """How often a day is no later than the one above it."""
    return sum(below <= above for above, below in pairwise(days))
