"""Rows of a table that somebody kept which tell of no item: sums at its end, headings within."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice

import msgspec

from localrec.foundation.text import clean_name
from localrec.sources.catalogues.records import Cell, RecordTable
from localrec.sources.list_cells import is_missing

_SUM = re.compile(
    r"(?:grand |overall )?"
    r"(?:totale?s?|sum|average|count|summe|gesamt|insgesamt|moyenne|durchschnitt)"
    r"(?: (?:films?|books?|movies?|read|watched|rating|score))?\s*(?:[:=]?\s*[\d.,]*)",
    re.IGNORECASE,
)
_MONTHS = (
    "january february march april may june july august september october november december"
).split()
_HEADING = re.compile(
    rf"\W*(?:(?:read|watched|seen|played|books|films|movies|games|in|of|year)\W+)*"
    rf"(?:(?:{'|'.join(_MONTHS)})\W*)?(?:(?:19|20)\d\d)\W*|(?:{'|'.join(_MONTHS)})\W*",
    re.IGNORECASE,
)
_LAST = 3  # rows among which sums stand


def without_sections(table: RecordTable) -> RecordTable:
    """The table without sums and headings, which would tell wrongly what its columns hold."""
    apart = sums_of(table) | headings_of(table)
    rows = [(row, cells) for row, cells in table.rows if row not in apart]
    return msgspec.structs.replace(table, rows=rows) if apart and rows else table


def sums_of(table: RecordTable) -> set[int]:
    """The numbers of the rows at the end of a table that sum up the others."""
    told: set[int] = set()
    for row, cells in reversed(table.rows[-_LAST:]):
        filled = [clean_name(cell) for cell in cells if not is_missing(cell)]
        if not filled or len(filled) == len(cells) or not _SUM.fullmatch(filled[0]):
            break
        told.add(row)
    return told


def headings_of(table: RecordTable) -> set[int]:
    """The numbers of the rows that say nothing but the year or month of the rows below them."""
    if len(table.columns) < 2:
        return set()
    alone = {
        place: cell for place, (_, cells) in enumerate(table.rows) if (cell := _only_cell(cells))
    }
    told = [place for place, cell in alone.items() if _HEADING.fullmatch(cell)]
    # Where hardly any row has more, a bare year is as good a name as any: "1984".
    if len(told) > len(table.rows) - len(alone):
        return set()
    # Such rows part the whole table where its first row is one.
    are_all = told[:1] == [0] and len(told) > 1
    ends = [*told, len(table.rows), len(table.rows)]
    return {
        table.rows[place][0]
        for at, place in enumerate(told)
        # A year may stand above its first month.
        if (below := table.rows[place + 1 : ends[at + 1 + (ends[at + 1] == place + 1)]])
        and (are_all or not alone[place].isdigit() or _tell_year(below, alone[place]))
    }


def _tell_year(rows: Sequence[tuple[int, Sequence[Cell]]], year: str) -> bool:
    """Whether rows tell a day of the year above them, which may as well name a book: "1984"."""
    return any(year in str(cell) for _, cells in rows for cell in cells)


def _only_cell(cells: Sequence[Cell]) -> str:
    """The one cell of a row that says something; "" where several do, or none does."""
    told = list(islice((cell for cell in cells if not is_missing(cell)), 2))
    return clean_name(told[0]) if len(told) == 1 else ""
