"""Amazon's ratings alone, which are handed out without a header: who, what, stars, and when.

Releases differ in whether the person or the product comes first. The two look different: a product
has a number that begins with B, or is a book's ISBN, a person one that begins with A.
"""

from __future__ import annotations

import re
from pathlib import Path

from localrec.foundation.bounded_files import JSON_LINES, open_bytes
from localrec.sources.bulk_tables import BulkTable
from localrec.sources.json_lines import STREAMED
from localrec.sources.protocols import PREVIEW_BYTES
from localrec.sources.sql_cells import (
    clean_name_of,
    empty,
    missing,
    moment_faults,
    moment_since_1970,
    number,
    rating_fault,
)
from localrec.sources.sql_tables import split_lines

_LINE = re.compile(r"(\w{10,24}),(\w{10,24}),[1-5](?:\.0)?,\d{9,10}", re.ASCII)
_PRODUCT = re.compile(r"B[0-9A-Z]{9}|\d{9}[0-9X]")
_PERSON = re.compile(r"A[0-9A-Z]{9,}")
_MOST = 0.6  # of the lines must be so


def columns_of(head: str) -> tuple[str, ...] | None:
    """The names of the columns, told from the first lines; None for another file."""
    lines = head.removeprefix("\ufeff").splitlines()[: -1 if len(head) >= PREVIEW_BYTES else None]
    pairs = [found.groups() for line in lines if (found := _LINE.fullmatch(line.strip()))]
    least = max(1, _MOST * len(lines))
    for person, product in ((0, 1), (1, 0)):
        fitting = sum(
            bool(_PERSON.fullmatch(pair[person]) and _PRODUCT.fullmatch(pair[product]))
            for pair in pairs
        )
        if fitting >= least:
            names = ("user", "item") if person == 0 else ("item", "user")
            return (*names, "rating", "timestamp")
    return None


def ratings_table(path: Path, excluded: str) -> BulkTable | None:
    """The ratings of a file; None where it holds something else.

    Args:
        path: The file, plain or as .gz.
        excluded: SQL that is true for a row outside of the window of time.

    Raises:
        InputError: missing, or not text.
    """
    with open_bytes(path, STREAMED, JSON_LINES) as stream:
        columns = columns_of(stream.read(PREVIEW_BYTES).decode("utf-8", "replace"))
    if columns is None:
        return None
    flat = split_lines(path, columns, ",", has_header=False, limits=STREAMED)
    user, item, rating, at = (flat.cells[name] for name in ("user", "item", "rating", "timestamp"))
    return BulkTable(
        read=flat.read,
        columns={
            "user_key": clean_name_of(user),
            "item_key": clean_name_of(item),
            "rating": number(rating),
            "at": moment_since_1970(at),
        },
        files=(path,),
        first_row=flat.first_row,
        faults=(
            *flat.faults,
            empty("user", "user_key"),
            empty("item", "item_key"),
            rating_fault("rating", rating, 1, 5),
            missing("timestamp", '"at"', at, "date"),
            *moment_faults("timestamp", at),
        ),
        blank=f"({flat.blank}) OR ({excluded})",
    )
