"""When something was done, in any notation of a table that somebody kept."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

from localrec.sources.day_order import DayOrder
from localrec.sources.export_cells import parse_moment

_ROUGH = ("%b %Y", "%B %Y", "%Y-%m", "%m/%Y", "%Y")  # a month or a year alone
_ROUGH_CELL = re.compile(r"(?:[A-Z][a-z]{2,8}\.? |\d{1,2}/)?(?:19|20)\d\d(?:\.0)?|\d{4}-\d\d")
_SHEET_DAY = re.compile(r"[2-6]\d{4}(?:[.,]\d+)?", re.ASCII)  # of a spreadsheet: days since 1900
_SECONDS = re.compile(r"\d{9,10}(?P<thousandths>\d{3})?(?:\.\d+)?", re.ASCII)


class InteractionMoments:
    """The cells of a column of moments.

    Args:
        cells: All of them: together they tell how days are written.
        form: The format that a mapping gives, as for strptime.

    Attributes:
        rough: The number of cells with a month or a year alone; its first day stands for it.
    """

    def __init__(self, cells: Iterable[str], form: str | None = None) -> None:
        self._order = DayOrder(cells)
        self._forms = (form,) if form else ()
        self.rough = 0

    def read(self, told: str) -> datetime | None:
        """The moment in UTC that a cell tells; None for anything else."""
        at = parse_moment(told, *self._forms) or parse_moment(self._order.as_iso(told))
        if at is not None:
            return at
        if _SHEET_DAY.fullmatch(told):
            return datetime(1899, 12, 30) + timedelta(days=float(told.replace(",", ".")))
        if seconds := _SECONDS.fullmatch(told):
            since = float(told) / (1000 if seconds["thousandths"] else 1)
            return datetime.fromtimestamp(since, UTC).replace(tzinfo=None)
        at = rough_moment(told)
        self.rough += at is not None
        return at


def rough_moment(told: str) -> datetime | None:
    """The first day of a month or year that stands alone: "Jan 2020", "2019"."""
    if not _ROUGH_CELL.fullmatch(told):
        return None
    return parse_moment(told.removesuffix(".0").replace(".", ""), *_ROUGH)
