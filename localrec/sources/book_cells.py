"""The cells of one row of a book export: read, and repaired where they cannot be so.

A cell that means nothing (a rating of 11, the 30th of February, an ISBN with a wrong check digit)
costs the row that cell, never the row: each method gives None for it and tells the receipt.
"""

from __future__ import annotations

import html
import re
from collections.abc import Mapping
from datetime import datetime

from localrec.foundation.text import MAX_TEXT, clean_name, clean_text
from localrec.sources.bulk_tables import latest_moment
from localrec.sources.import_log import ImportLog

_LEAST_STARS, _MOST_STARS = 0.5, 5.0
_FIRST_YEAR = 1900  # nobody alive read anything before
_DECIMAL = re.compile(r"\d{1,3}(?:[.,]\d{1,6})?", re.ASCII)
_WHOLE = re.compile(r"(?P<digits>-?\d{1,9})(?:\.0+)?", re.ASCII)  # a spreadsheet writes 412.0
_DAY = re.compile(
    r"(?P<year>\d{4})(?:[/-](?P<month>\d{1,2})(?:[/-](?P<day>\d{1,2}))?)?(?:[ T].*)?", re.ASCII
)
_ISBN = re.compile(r"\d{9}[\dX]|\d{13}", re.ASCII)
_BLOCK_TAG = re.compile(r"</?(?:br|p|div|li|ul|ol|hr|blockquote|h[1-6])\b[^<>]*>", re.IGNORECASE)
_INLINE_TAG = re.compile(
    r"</?(?:a|b|i|u|s|em|strong|del|strike|span|img|code|sub|sup|spoiler)\b[^<>]*>", re.IGNORECASE
)


class RowCells:
    """One row: its number, its cells by column name, and the receipt that hears of repairs.

    A column that the file lacks reads as an empty cell, since older exports have fewer of them.
    """

    def __init__(self, row: int, cells: Mapping[str, str], import_log: ImportLog) -> None:
        self.row = row
        self._cells = cells
        self._import_log = import_log

    def raw(self, column: str) -> str:
        """The cell as it stands, without the space around it."""
        return self._cells.get(column, "").strip()

    def names(self, column: str) -> tuple[str, ...]:
        """The cell cut at its commas, each name cleaned, each once."""
        names = (clean_name(name) for name in self.raw(column).split(","))
        return tuple(dict.fromkeys(name for name in names if name))

    def note(self, column: str) -> str | None:
        """A person's own words as plain text; None where there are none."""
        told = self.raw(column)
        note = plain_text(told, max(MAX_TEXT, 2 * len(told)))
        if len(note) > MAX_TEXT:
            self._repair(column, f"has {len(note):,} letters, cut to {MAX_TEXT:,}")
        return note[:MAX_TEXT].rstrip() or None

    def stars(self, column: str) -> float | None:
        """A rating in stars, 0.5 to 5; None where none was given (0 means that too)."""
        told = self.raw(column)
        if not told:
            return None
        stars = float(told.replace(",", ".")) if _DECIMAL.fullmatch(told) else None
        if stars is None or stars > _MOST_STARS:
            self._repair(column, f"{clean_name(told)!r} is no rating from 0 to 5; left out")
            return None
        if 0 < stars < _LEAST_STARS:
            self._repair(column, f"{told!r} is less than half a star; taken as 0.5")
            return _LEAST_STARS
        return stars or None

    def whole(self, column: str, least: int, most: int) -> int | None:
        """A whole number from `least` to `most`."""
        told = self.raw(column)
        if not told:
            return None
        found = _WHOLE.fullmatch(told)
        number = int(found["digits"]) if found else None
        if number is None or not least <= number <= most:
            problem = f"{clean_name(told)!r} is no number from {least} to {most}; left out"
            self._repair(column, problem)
            return None
        return number

    def day(self, column: str) -> datetime | None:
        """A date as its midnight; a month or year alone as its first day."""
        return self._day(column, self.raw(column))

    def last_day(self, column: str) -> datetime | None:
        """The latest date of a list of ranges, such as "2022/01/02-2022/01/09, 2023/05"."""
        days = re.findall(r"\d{4}(?:/\d{1,2}){0,2}", self.raw(column))
        return max((day for text in days if (day := self._day(column, text))), default=None)

    def isbn13(self, column: str, *, holds_others: bool = False) -> str | None:
        """The ISBN of thirteen digits, also from one of ten.

        Goodreads writes `="0441172717"`, so that a spreadsheet keeps the zero in front.

        Args:
            column: Name of the column.
            holds_others: Other identifiers may stand there as well; they are passed over.
        """
        told = re.sub(r'[="\s-]', "", self.raw(column)).upper()
        if not told or (holds_others and not _ISBN.fullmatch(told)):
            return None
        isbn = to_isbn13(told)
        if isbn is None:
            self._repair(column, f"{clean_name(told)!r} is no ISBN; left out")
        return isbn

    def _day(self, column: str, told: str) -> datetime | None:
        if not told:
            return None
        day = _to_day(told)
        if day is None:
            self._repair(column, f"{clean_name(told)!r} is no date; left out")
            return None
        if day > latest_moment():
            self._repair(column, f"{clean_name(told)!r} lies in the future; left out")
            return None
        return day

    def _repair(self, column: str, problem: str) -> None:
        self._import_log.repair(self.row, column, problem)


def plain_text(markup: str, limit: int = MAX_TEXT) -> str:
    """The text of a review without its tags and entities; what is no tag ("I <3 it") stays."""
    text = _INLINE_TAG.sub("", _BLOCK_TAG.sub(" ", markup))
    return clean_text(html.unescape(text), limit)


def to_isbn13(isbn: str) -> str | None:
    """The thirteen digits of an ISBN of either length, None where its check digit is wrong.

    Nine digits are an ISBN of ten whose leading zero a spreadsheet took.
    """
    digits = isbn.zfill(10) if len(isbn) == 9 else isbn
    if not _ISBN.fullmatch(digits):
        return None
    if len(digits) == 13:
        is_book = digits.startswith(("978", "979")) and digits[-1] == _check_digit(digits[:12])
        return digits if is_book else None
    # Weighted by 10 down to 1, an ISBN of ten sums up to a multiple of 11; X counts ten.
    values = (10 if letter == "X" else int(letter) for letter in digits)
    if sum(weight * value for weight, value in zip(range(10, 0, -1), values, strict=True)) % 11:
        return None
    return f"978{digits[:9]}{_check_digit(f'978{digits[:9]}')}"


def _check_digit(digits: str) -> str:
    """The last digit of an ISBN of thirteen: weights 1 and 3 by turns, up to a multiple of 10."""
    weighted = sum(int(digit) * (3 if place % 2 else 1) for place, digit in enumerate(digits))
    return str(-weighted % 10)


def _to_day(told: str) -> datetime | None:
    found = _DAY.fullmatch(told)
    if found is None or int(found["year"]) < _FIRST_YEAR:
        return None
    try:
        return datetime(int(found["year"]), int(found["month"] or 1), int(found["day"] or 1))
    except ValueError:  # the 30th of February
        return None
