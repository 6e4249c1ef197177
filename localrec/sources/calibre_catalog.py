"""A catalogue that Calibre wrote as CSV: one row a book, with the fields that somebody ticked."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from pathlib import Path

from localrec.foundation.bounded_files import FileLimits
from localrec.foundation.errors import InputError
from localrec.foundation.text import clean_name
from localrec.sources.book_cells import RowCells, plain_text
from localrec.sources.book_library import BookRecord
from localrec.sources.book_titles import BookTitle, split_title
from localrec.sources.day_order import with_iso_days
from localrec.sources.delimited_tables import DelimitedTable
from localrec.sources.import_log import ImportLog
from localrec.sources.table_notes import watched_rows

_NEEDED = {"author_sort", "authors", "title"}
_UNDEFINED = "0101-01-01"  # how Calibre writes "no date"
_IDENTIFIER = re.compile(r"(?P<sort>\w+):(?P<value>[^,\s]+)")


def is_catalog(header: Collection[str]) -> bool:
    """Whether a header, in lower case, is that of such a catalogue."""
    return {*header} >= _NEEDED


def catalog_books(path: Path, limits: FileLimits, import_log: ImportLog) -> Iterator[BookRecord]:
    """Every book with a title.

    Raises:
        InputError: no catalogue of Calibre, or a damaged one.
    """
    table = DelimitedTable(path, limits)
    if not is_catalog(table.header):
        raise InputError(
            f"{path} is not a catalogue of Calibre: it has {', '.join(table.header[:20])}.",
            "Name the file metadata.db in the folder of the library.",
        )
    own = [name for name in table.header if name.startswith("#")]
    if own:
        import_log.tell(
            f"Own columns were left out: {', '.join(own)}. The file metadata.db of the library "
            "tells what they hold."
        )
    for row, told in with_iso_days(watched_rows(table, import_log), ("timestamp",), import_log):
        cells = RowCells(row, _as_library(told), import_log)
        title = split_title(cells.raw("title"))
        if title.name:
            yield _record(cells, title)
        else:
            import_log.drop(row, "title", "has no title")


def _as_library(told: dict[str, str]) -> dict[str, str]:
    """The cells as the library itself has them: bare years, and identifiers by their sorts."""
    published = told.get("pubdate", "")
    found = {
        one["sort"].casefold(): one["value"]
        for one in _IDENTIFIER.finditer(told.get("identifiers", ""))
    }
    return {
        **told,
        "pubdate": "" if published.startswith(_UNDEFINED) else published[:4],
        "isbn": told.get("isbn") or found.get("isbn", ""),
        "goodreads": found.get("goodreads", ""),
    }


def _record(cells: RowCells, title: BookTitle) -> BookRecord:
    if series := clean_name(cells.raw("series")):
        number = cells.raw("series_index").removesuffix(".0")
        title = BookTitle(title.name, series, number or None)
    authors = (clean_name(name) for name in cells.raw("authors").split(" & "))
    return BookRecord(
        row=cells.row,
        title=title,
        authors=tuple(filter(None, authors)),
        labels=cells.names("tags"),
        shelf="",
        rating=cells.stars("rating"),
        read_at=None,
        added_at=cells.day("timestamp"),
        times=0,
        note=None,
        year=cells.whole("pubdate", 102, 2100),
        description=plain_text(cells.raw("comments")),
        facts={
            "isbn13": cells.isbn13("isbn"),
            "goodreads": cells.whole("goodreads", 1, 999_999_999),
            "publisher": clean_name(cells.raw("publisher")) or None,
            "language": clean_name(cells.raw("languages")) or None,
        },
    )
