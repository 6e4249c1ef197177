"""A library exported from LibraryThing: the table with tabs, or the JSON.

Collections say what was done (To read, Wishlist, Currently reading, Read but unowned); tags and own
collections are labels. A book of which neither says anything is there without an event.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from localrec.data.domains import Domain
from localrec.data.rows import HistoryRows
from localrec.foundation.bounded_files import FileLimits, open_bytes, read_json
from localrec.foundation.errors import InputError
from localrec.foundation.text import clean_name
from localrec.sources.book_cells import RowCells
from localrec.sources.book_library import BookRecord, library_of
from localrec.sources.book_titles import BookTitle, split_title
from localrec.sources.column_names import restore_names
from localrec.sources.day_order import with_iso_days
from localrec.sources.delimited_tables import DelimitedTable
from localrec.sources.import_log import ImportLog
from localrec.sources.personal_export import export_owner
from localrec.sources.protocols import Field, FilePreview
from localrec.sources.table_notes import watched_rows

_NEEDED = {"Title", "Primary Author", "Collections"}
_SHELVES = {
    "to read": "to-read",
    "wishlist": "to-read",
    "currently reading": "currently-reading",
    "read but unowned": "read",
    "read": "read",
}
_DAYS = ("Date Read", "Entry Date")
_NO_LABELS = frozenset({"your library", "all collections", *_SHELVES})
_SERIES = re.compile(r"(?P<name>.*?)\s*\((?P<number>\d+(?:\.\d+)?)\)")
_YEAR = re.compile(r"(?<!\d)[12]\d{3}(?!\d)", re.ASCII)
_ISBN = re.compile(r"[\dXx-]{9,17}")
# Field of the JSON -> the table's column.
_NAMES = {
    "books_id": "Book Id",
    "title": "Title",
    "primaryauthor": "Primary Author",
    "date": "Date",
    "review": "Review",
    "rating": "Rating",
    "comment": "Comment",
    "summary": "Summary",
    "pages": "Page Count",
    "dateread": "Date Read",
    "entrydate": "Entry Date",
    "originalisbn": "ISBN",
    "workcode": "Work id",
}


class LibraryThingSource:
    """Reads one person's library.

    Args:
        limits: Limits beyond which a file is refused.
    """

    kind = "librarything"
    domain = "books"
    personal = True
    fields: tuple[Field, ...] = (
        Field("Title, title", "the item's name; `(Dune, #1)` becomes `series` and `series_number`"),
        Field("series (JSON)", "properties `series` and `series_number`; `Dune (1)`"),
        Field("Primary Author, primaryauthor", "link to the author, property `creator`"),
        Field("Date, date", "property `year`, and a link to the decade"),
        Field("Rating, rating", "the rating in stars; 0 means none"),
        Field("Date Read, dateread; Entry Date, entrydate", "when (the first that is filled)"),
        Field(
            "Collections, collections",
            "unrated: To read and Wishlist are wanted, Currently reading and Read but unowned are "
            "seen; own collections are labels; Your library says nothing",
        ),
        Field("Tags, tags, genre", "personal links to genres, by the rules of Goodreads' shelves"),
        Field("Review, review", "the person's note, as text"),
        Field("ISBN, ISBNs, originalisbn, isbn", "property `isbn13`"),
        Field("Page Count, pages", "property `pages`"),
        Field("Book Id, books_id; Work id, workcode", "property `librarything`, of the work"),
        Field(
            "Private Comment, Lending, From Where, Dewey, LC Classification, Summary, size and "
            "weight, other authors, sources",
            "left out",
        ),
    )

    def __init__(self, limits: FileLimits | None = None) -> None:
        self._limits = limits or FileLimits()

    def recognises(self, preview: FilePreview) -> bool:
        """Whether the header has LibraryThing's columns, or the JSON its fields."""
        if {name.casefold() for name in _NEEDED} <= set(preview.header):
            return True
        head = preview.head
        is_json = head.lstrip("\ufeff \t\r\n").startswith(("{", "["))
        return is_json and '"books_id"' in head and '"title"' in head

    def read(self, path: Path, domain: Domain, user: str | None) -> HistoryRows:
        """Read every book; two rows of one book become one.

        Raises:
            UsageError: `user` is missing.
            InputError: no library of LibraryThing, a damaged one, or one without a book.
        """
        owner = export_owner(user, "LibraryThing")
        import_log = ImportLog(self.kind, path, domain.name)
        books = _books(self._rows(path, import_log), import_log)
        return library_of(books, path, domain, owner, import_log)

    def _rows(self, path: Path, import_log: ImportLog) -> Iterator[tuple[int, Mapping[str, Any]]]:
        with open_bytes(path, self._limits) as stream:
            is_json = stream.read(256).lstrip(b"\xef\xbb\xbf \t\r\n").startswith((b"{", b"["))
        if is_json:
            told = read_json(path, self._limits, Any)
            entries = told if isinstance(told, list) else list(told.values())
            if not any(isinstance(one, dict) and "books_id" in one for one in entries):
                raise InputError(
                    f"{path} is no library of LibraryThing: no entry has a `books_id`.",
                    "Export it again from LibraryThing, as JSON or with tabs.",
                )
            for row, entry in enumerate(entries, 1):
                yield row, _as_columns(entry) if isinstance(entry, dict) else {}
            return
        yield from self._table_rows(path, import_log)

    def _table_rows(
        self, path: Path, import_log: ImportLog
    ) -> Iterator[tuple[int, Mapping[str, Any]]]:
        table = DelimitedTable(path, self._limits)
        if table.delimiter == "\t":  # LibraryThing quotes nothing; a spreadsheet may have
            table = DelimitedTable(path, self._limits, delimiter="\t", quoted=False)
        restore_names(table, self.fields)
        if missing := sorted(_NEEDED - set(table.header)):
            raise InputError(
                f"{path} is no library of LibraryThing: it lacks the column {missing[0]!r} and has "
                f"{', '.join(table.header[:20])}.",
                "Export it again from LibraryThing, as JSON or with tabs.",
            )
        rows = _without_brackets(watched_rows(table, import_log))
        for row, cells in with_iso_days(rows, _DAYS, import_log):
            yield row, {**cells, "labels": cells.get("Tags", "").split(",")}


def _without_brackets(
    rows: Iterable[tuple[int, dict[str, str]]],
) -> Iterator[tuple[int, dict[str, str]]]:
    """The rows with their days bare: the table writes them as [2007-05-08]."""
    for row, cells in rows:
        yield row, {**cells, **{day: cells.get(day, "").strip(" []") for day in _DAYS}}


def _as_columns(entry: Mapping[str, Any]) -> dict[str, Any]:
    """An entry of the JSON under the names of the table's columns."""
    told: dict[str, Any] = {ours: _text(entry.get(name)) for name, ours in _NAMES.items()}
    if not told["Primary Author"]:
        told["Primary Author"] = next(
            (_text(one.get("lf")) for one in _list(entry.get("authors")) if isinstance(one, dict)),
            "",
        )
    told["Page Count"] = told["Page Count"].split(" ")[0]
    told["ISBNs"] = ", ".join(map(_text, _list(entry.get("isbn"))))
    told["Collections"] = ",".join(map(_text, _list(entry.get("collections"))))
    told["labels"] = [*map(_text, _list(entry.get("tags"))), *map(_text, _list(entry.get("genre")))]
    told["series"] = next(map(_text, _list(entry.get("series"))), "")
    return told


def _books(
    rows: Iterator[tuple[int, Mapping[str, Any]]], import_log: ImportLog
) -> Iterator[BookRecord]:
    for row, cells in rows:
        title = _title(cells)
        if title.name:
            yield _record(row, cells, title, import_log)
        else:
            import_log.drop(row, "Title", "has no title")


def _title(cells: Mapping[str, Any]) -> BookTitle:
    title = split_title(str(cells.get("Title", "")))
    found = _SERIES.fullmatch(clean_name(cells.get("series", "")))
    if found and title.series is None:
        return BookTitle(title.name, clean_name(found["name"]) or None, found["number"])
    return title


def _record(
    row: int, told: Mapping[str, Any], title: BookTitle, import_log: ImportLog
) -> BookRecord:
    cells = {name: cell for name, cell in told.items() if isinstance(cell, str)}
    found = _ISBN.findall(f"{cells.get('ISBN', '')} {cells.get('ISBNs', '')}")
    cells["isbn"] = found[0] if found else ""
    cells["Review"] = cells.get("Review", "").replace("[Return]", " ")
    one = RowCells(row, cells, import_log)
    collections = one.names("Collections")
    shelves = [_SHELVES[name.casefold()] for name in collections if name.casefold() in _SHELVES]
    read_at = one.day("Date Read")
    own = [name for name in collections if name.casefold() not in _NO_LABELS]
    labels = map(clean_name, (*told.get("labels", ()), *own))
    return BookRecord(
        row=row,
        title=title,
        authors=_authors(cells.get("Primary Author", "")),
        labels=tuple(dict.fromkeys(filter(None, labels))),
        shelf="read" if read_at else next(iter(shelves), ""),
        rating=one.stars("Rating"),
        read_at=read_at,
        added_at=one.day("Entry Date"),
        times=0,
        note=one.note("Review"),
        year=_year(one),
        facts={
            "isbn13": one.isbn13("isbn"),
            "pages": one.whole("Page Count", 0, 99_999) or None,
            "librarything": one.whole("Work id", 1, 999_999_999),
        },
    )


def _year(cells: RowCells) -> int | None:
    """The first year of "1965", "c1965" or "1965-1970"."""
    found = _YEAR.search(cells.raw("Date"))
    return int(found.group()) if found else cells.whole("Date", -3000, 2100)


def _authors(written: str) -> tuple[str, ...]:
    """The author in reading order: "Herbert, Frank" is Frank Herbert."""
    last, comma, first = written.partition(",")
    name = clean_name(f"{first} {last}" if comma else written)
    return (name,) if name else ()


def _text(value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    return f"{value:g}" if isinstance(value, float) else str(value)


def _list(value: object) -> list[Any]:
    """The elements of a list, or the values of an object with numbered keys."""
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else []
