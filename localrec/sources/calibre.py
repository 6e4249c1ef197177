"""A library of Calibre: its `metadata.db`, the folder that it lies in, or a catalogue as CSV.

Owning a book is no verdict: a book that is neither rated nor said to be read, wanted or given up is
there without an event. Columns of one's own are understood by their names and types.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import msgspec

from localrec.data.domains import Domain
from localrec.data.rows import HistoryRows
from localrec.foundation.bounded_files import FileLimits
from localrec.foundation.errors import InputError
from localrec.foundation.text import clean_name
from localrec.sources.book_cells import RowCells, plain_text
from localrec.sources.book_library import BookRecord, library_of
from localrec.sources.book_titles import BookTitle, split_title
from localrec.sources.calibre_catalog import catalog_books, is_catalog
from localrec.sources.detection import preview_file
from localrec.sources.import_log import ImportLog
from localrec.sources.personal_export import export_owner
from localrec.sources.protocols import Field, FilePreview
from localrec.sources.sqlite_tables import Cell, SqliteTables

_FILE = "metadata.db"
_UNDEFINED = "0101-01-01"  # how Calibre writes "no date"
_FINISHED = frozenset({"read", "finished", "done", "completed", "yes"})
_READING = frozenset({"reading", "currently reading", "in progress", "started"})
_NOT_YET = frozenset({"unread", "not started", "not read", "new", "no", "none"})
_WISHES = re.compile(r"\b(?:to[ -_]?read|tbr|want|wish(?:list)?)\b")
_GIVEN_UP = re.compile(r"\b(?:dnf|abandoned|dropped|did not finish|gave up|unfinished)\b")
_LIKED = re.compile(r"\bfavou?rites?\b")
_READ = re.compile(r"\b(?:read|finished|completed)\b")
_UNREAD = re.compile(r"\b(?:not|un|never) ?(?:yet )?read\b")
_MINE = re.compile(r"\b(?:my ?(?:ratings?|stars?|scores?)?|mine|own|personal)\b")
_RATING = re.compile(r"(?:(?:overall|book|stars?|scores?|ratings?)(?: |$))+")
_SHELF = re.compile(r"\b(?:status|read|reading|progress|shelf|state)\b")
_LABELS = re.compile(r"\b(?:genres?|moods?|shelves|themes?|subjects?|tropes?)\b")
_COUNT = re.compile(r"\b(?:times|count|reads)\b")
_NOTE = re.compile(r"\b(?:review|notes?|thoughts?)\b")
_Values = dict[int, list[str]]  # book -> what a table says of it


class CalibreSource:
    """Reads one person's library.

    Args:
        limits: Limits beyond which a file is refused.
    """

    kind = "calibre"
    domain = "books"
    personal = True
    fields: tuple[Field, ...] = (
        Field("books: title", "the item's name; `(Dune, #1)` becomes `series` and `series_number`"),
        Field("authors", "links to the authors; the first is property `creator`"),
        Field("series, books: series_index", "properties `series` and `series_number`"),
        Field("books: pubdate", "property `year`, and a link to the decade"),
        Field("books: timestamp", "when it was added; counts where nothing says when it was read"),
        Field("tags", "personal links to genres, by the rules of Goodreads' shelves"),
        Field("ratings", "the rating, 0 to 10 in Calibre; 0 means none"),
        Field("comments", "searchable text `description`"),
        Field("identifiers: isbn, goodreads", "properties `isbn13` and `goodreads`"),
        Field("publishers, languages", "properties `publisher` and `language`"),
        Field(
            "own column of ratings",
            "the rating, instead of Calibre's, where it is called mine or just rating; of others "
            "(the average at Goodreads, the suspense) the receipt tells",
        ),
        Field(
            "own column of yes and no",
            "by its name: read is seen, and so is a no to not read; to read, wishlist is wanted; "
            "dnf, abandoned is given up; favourite is liked",
        ),
        Field("own column of dates named after reading", "when it was read"),
        Field("own column named status, shelf or read", "read, reading, to read, abandoned ..."),
        Field("own column of genres, moods, themes", "personal links to genres"),
        Field("own column of numbers named times or count", "how often it was read"),
        Field("own column named review or notes", "the person's note, as text"),
        Field(
            "CSV catalogue: title, authors, author_sort",
            "the same, without own columns",
        ),
        Field("other own columns, formats, covers, sort keys", "left out"),
    )

    def __init__(self, limits: FileLimits | None = None) -> None:
        self._limits = limits or FileLimits()

    def recognises(self, preview: FilePreview) -> bool:
        """Whether it has Calibre's tables or is a folder with `metadata.db`, or a catalogue."""
        if preview.members:
            return _FILE in preview.members
        if is_catalog(preview.header):
            return True
        head = preview.head
        is_database = head.startswith("SQLite format 3")
        return is_database and (preview.name == _FILE or "books_authors_link" in head)

    def read(self, path: Path, domain: Domain, user: str | None) -> HistoryRows:
        """Read every book.

        Raises:
            UsageError: `user` is missing.
            InputError: no library of Calibre, a damaged one, or one without a book.
        """
        owner = export_owner(user, "Calibre")
        file = path / _FILE if path.is_dir() else path
        import_log = ImportLog(self.kind, path, domain.name)
        if not path.is_dir() and is_catalog(preview_file(path).header):
            books = catalog_books(path, self._limits, import_log)
            return library_of(books, path, domain, owner, import_log)
        with SqliteTables(file, self._limits, "a library of Calibre") as tables:
            if not {"books", "authors", "books_authors_link"} <= tables.names:
                raise InputError(
                    f"{file} is not a library of Calibre: it has no table of books and authors.",
                    "Name the file metadata.db in the folder of the library.",
                )
            books = _Library(tables, import_log).books()
            return library_of(books, path, domain, owner, import_log)


class _OwnColumn(msgspec.Struct, frozen=True):
    """A column that the person made: its name in words, its type, and what it says."""

    name: str
    sort: str
    values: _Values


class _Library:
    """The tables of one library, read into books."""

    def __init__(self, tables: SqliteTables, import_log: ImportLog) -> None:
        self._tables = tables
        self._import_log = import_log
        self._authors = self._linked("authors", "author")
        self._series = self._linked("series", "series")
        self._tags = self._linked("tags", "tag")
        self._ratings = self._linked("ratings", "rating", "rating")
        self._publishers = self._linked("publishers", "publisher")
        self._languages = self._linked("languages", "lang_code", "lang_code")
        self._comments = self._plain("comments", "text")
        self._ids: dict[str, _Values] = defaultdict(lambda: defaultdict(list))
        for book, sort, value in tables.rows("identifiers", ("book", "type", "val")):
            self._ids[str(sort).casefold()][_number(book)].append(str(value))
        # A column that is called mine comes last and counts.
        self._own = sorted(self._own_columns(), key=lambda one: bool(_MINE.search(one.name)))

    def books(self) -> Iterator[BookRecord]:
        """Every book with a title."""
        columns = ("id", "title", "timestamp", "pubdate", "series_index")
        for row, (number, title, added, published, place) in enumerate(
            self._tables.rows("books", columns), 1
        ):
            told = split_title(str(title))
            if not told.name:
                self._import_log.drop(row, "title", "has no title")
                continue
            book = _number(number)
            yield self._record(row, book, self._in_series(book, told, place), added, published)

    def _record(
        self, row: int, book: int, title: BookTitle, added: Cell, published: Cell
    ) -> BookRecord:
        rating = self._first(self._ratings, book)
        cells: dict[str, str] = {
            "rating": _stars(rating),
            "timestamp": _date(added),
            "pubdate": _date(published)[:4],
            "isbn": self._first(self._ids["isbn"], book),
            "goodreads": self._first(self._ids["goodreads"], book),
        }
        shelf, labels = self._read_own(book, cells)
        one = RowCells(row, cells, self._import_log)
        times = one.whole("times", 0, 9_999) or 0
        return BookRecord(
            row=row,
            title=title,
            authors=tuple(filter(None, (_author(name) for name in self._authors[book]))),
            labels=tuple(filter(None, map(clean_name, (*self._tags[book], *labels)))),
            shelf=shelf,
            rating=one.stars("rating"),
            read_at=one.day("read at"),
            added_at=one.day("timestamp"),
            times=times,
            note=one.note("note"),
            year=one.whole("pubdate", 102, 2100),
            description=plain_text(self._first(self._comments, book)),
            facts={
                "isbn13": one.isbn13("isbn"),
                "goodreads": one.whole("goodreads", 1, 999_999_999),
                "publisher": clean_name(self._first(self._publishers, book)) or None,
                "language": clean_name(self._first(self._languages, book)) or None,
            },
        )

    def _read_own(self, book: int, cells: dict[str, str]) -> tuple[str, list[str]]:
        """Read the library's own columns: cells by their meaning, the shelf, and labels."""
        shelf, labels = "", []
        for column in self._own:
            values = column.values.get(book, [])
            told = values[0] if values else ""
            if not told:
                continue
            if column.sort == "rating":
                cells["rating"] = _stars(told)
            elif column.sort == "datetime" and _READ.search(column.name):
                cells["read at"] = _date(told)
            elif column.sort == "bool":
                shelf, label = _flag(column.name, told, shelf)
                labels += label
            elif column.sort in ("int", "float") and _COUNT.search(column.name):
                cells["times"] = told
            elif column.sort == "comments" and _NOTE.search(column.name):
                cells["note"] = told
            elif column.sort in ("text", "enumeration") and _SHELF.search(column.name):
                shelf = _shelf(told) or shelf
                labels += [one for one in values if not _shelf(one) and not _is_not_yet(one)]
            elif column.sort in ("text", "enumeration") and _LABELS.search(column.name):
                labels += values
        return shelf, labels

    def _in_series(self, book: int, title: BookTitle, place: Cell) -> BookTitle:
        """The title with the series that the library keeps for it."""
        series = clean_name(self._first(self._series, book))
        if not series:
            return title
        number = f"{place:g}" if isinstance(place, int | float) else clean_name(place)
        return BookTitle(title.name, series, number or None)

    def _own_columns(self) -> Iterator[_OwnColumn]:
        columns = ("id", "label", "name", "datatype", "mark_for_delete")
        for number, label, name, sort, is_gone in self._tables.rows("custom_columns", columns):
            table = f"custom_column_{_number(number)}"
            link = f"books_{table}_link"
            if is_gone not in (0, "", "0") or table not in self._tables.names:
                continue
            values = (
                self._joined(table, "value", link, "value")
                if link in self._tables.names
                else self._plain(table, "value")
            )
            words = _plain(f"{label} {name}")
            if sort == "rating" and not (
                _MINE.search(words) or _RATING.fullmatch(_plain(str(name)))
            ):
                self._import_log.tell(
                    f"The own column {clean_name(name)!r} was left out: its name does not say that "
                    "it is your rating of the book."
                )
                continue
            yield _OwnColumn(words, str(sort), values)

    def _linked(self, table: str, link: str, column: str = "name") -> _Values:
        return self._joined(table, column, f"books_{table}_link", link)

    def _joined(self, table: str, column: str, links: str, link: str) -> _Values:
        names = {row[0]: row[1] for row in self._tables.rows(table, ("id", column))}
        found: _Values = defaultdict(list)
        for book, number in self._tables.rows(links, ("book", link)):
            if number in names:
                found[_number(book)].append(str(names[number]))
        return found

    def _plain(self, table: str, column: str) -> _Values:
        found: _Values = defaultdict(list)
        for book, told in self._tables.rows(table, ("book", column)):
            found[_number(book)].append(str(told))
        return found

    @staticmethod
    def _first(values: _Values, book: int) -> str:
        return next(iter(values.get(book, ())), "")


def _flag(name: str, told: str, shelf: str) -> tuple[str, list[str]]:
    """The shelf and the labels that a column of yes and no says."""
    is_set = told in ("1", "true", "True")
    if _LIKED.search(name):
        return shelf, ["favorites"] if is_set else []
    if _GIVEN_UP.search(name):
        return ("dnf" if is_set else shelf), []
    if _WISHES.search(name):
        return ("to-read" if is_set else shelf), []
    if _UNREAD.search(name):
        return (shelf if is_set else "read"), []
    if _READ.search(name):
        return ("read" if is_set else shelf), []
    return shelf, []


def _shelf(told: str) -> str:
    """A status in the words of Goodreads' shelves; "" for a book that was not begun."""
    if _is_not_yet(told):
        return ""
    plain = _plain(told)
    if _GIVEN_UP.search(plain):
        return "dnf"
    if _WISHES.search(plain):
        return "to-read"
    if plain in _READING:
        return "currently-reading"
    return "read" if plain in _FINISHED else ""


def _is_not_yet(told: str) -> bool:
    """Whether a status says that the book was not begun."""
    return _plain(told) in _NOT_YET


def _plain(told: str) -> str:
    return re.sub(r"[_\W]+", " ", told).strip().casefold()


def _stars(told: str) -> str:
    """A rating of 0 to 10 as stars; what is none stays, for the receipt."""
    try:
        value = float(told) / 2
    except ValueError:
        return told
    return f"{value:g}" if 0 <= value <= 5 else told


def _date(told: Cell) -> str:
    written = str(told)
    return "" if written.startswith(_UNDEFINED) else written


def _author(told: str) -> str:
    return clean_name(told.replace("|", ","))  # Calibre keeps a comma in a name so


def _number(told: Cell) -> int:
    return told if isinstance(told, int) else -1
