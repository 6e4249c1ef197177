"""Book-Crossing: a million ratings of books by their ISBN, as first published or as CSV.

The first layout has `;`, quotes around every cell, a backslash before a quote inside, and Latin-1.
A 0 is no rating: the book was taken in hand and not judged.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from localrec.data.domains import Domain
from localrec.data.rows import AttributeLink, BulkHistory, ItemRow, Scalar
from localrec.foundation.bounded_files import FileLimits, detect_encoding, open_text
from localrec.foundation.errors import InputError
from localrec.foundation.text import clean_name
from localrec.sources.book_cells import to_isbn13
from localrec.sources.book_titles import split_title
from localrec.sources.bulk_tables import BulkTable, refuse_user
from localrec.sources.import_log import ImportLog
from localrec.sources.protocols import Field, FilePreview
from localrec.sources.sql_cells import (
    clean_name_of,
    empty,
    key_number,
    missing,
    number,
    rating_fault,
    stars,
)
from localrec.sources.sql_tables import split_lines

_COLUMNS = ("User-ID", "ISBN", "Book-Rating")
_BOOK_COLUMNS = ("ISBN", "Book-Title", "Book-Author", "Year-Of-Publication", "Publisher")
# A quote inside has a backslash before it or nothing in the first layout; later it is doubled.
_CUT = {
    ";": re.compile(r'"((?:[^"\\]|\\.|"(?!;|$))*)"(?=;|$)|([^;]*)'),
    ",": re.compile(r'"((?:[^"\\]|\\.|"")*)"(?=,|$)|([^,]*)', re.DOTALL),
}
_LONGEST_LINE = 20_000
_MOST_LINES = 20  # of a row with line breaks in its cells


class _Layout(msgspec.Struct, frozen=True):
    """The names of the two files, and what parts cells."""

    ratings: str
    books: str
    delimiter: str


_LAYOUTS = (
    _Layout("BX-Book-Ratings.csv", "BX-Books.csv", ";"),
    _Layout("BX-Book-Ratings.csv", "BX_Books.csv", ";"),
    _Layout("Ratings.csv", "Books.csv", ","),
)


class BookCrossingSource:
    """Reads the unpacked folder, or the folder of the file that is named."""

    kind = "bookcrossing"
    domain = "books"
    personal = False
    fields: tuple[Field, ...] = (
        Field("User-ID", "the person's key"),
        Field("ISBN", "the book's key, and property `isbn13` where its check digit is right"),
        Field("Book-Rating", "the rating, 1 to 10, in stars; 0 means taken in hand, not rated"),
        Field("Book-Title", "the name; `(Dune, #1)` becomes `series` and `series_number`"),
        Field("Book-Author", "link to the author, property `creator`"),
        Field("Year-Of-Publication", "property `year`, and a link to the decade; 0 means none"),
        Field("Publisher", "property `publisher`"),
        Field("BX-Users.csv (Location, Age), Image-URL-S, -M, -L", "left out"),
    )

    def __init__(self, limits: FileLimits | None = None) -> None:
        self._limits = limits or FileLimits()

    def recognises(self, preview: FilePreview) -> bool:
        """Whether the files of Book-Crossing lie in it, or it is its list of ratings."""
        if preview.header == tuple(map(str.casefold, _COLUMNS)):
            return True
        names = {member.rpartition("/")[2] for member in preview.members}
        is_first = "bx-book-ratings.csv" in names
        return is_first or {"ratings.csv", "books.csv", "users.csv"} <= names

    def read(self, path: Path, domain: Domain, user: str | None = None) -> BulkHistory:
        """Read the books, and check every rating.

        Raises:
            InputError: no folder of Book-Crossing, or a file of it is damaged.
            UsageError: a user was named.
        """
        refuse_user(self.kind, user)
        ratings, books = _find_files(path)
        import_log = ImportLog(self.kind, path, domain.name)
        items = tuple(_read_books(books, self._limits, domain, import_log)) if books else ()
        table = _ratings_table(ratings, self._limits)
        told = table.history(import_log, items, more_kept=len(items))
        import_log.tell("No row has a time: the order in which things were done is not known.")
        import_log.tell("A Book-Rating of 0 is taken as not rated.")
        return msgspec.structs.replace(told, report=import_log.report(told.report.kept))


def _find_files(path: Path) -> tuple[Path, Path | None]:
    """The ratings, and the books where they lie beside them."""
    if path.suffix.casefold() == ".zip":
        raise InputError(f"{path} is packed.", "Unpack it and name the folder.")
    if path.is_file():
        beside = [path.parent / layout.books for layout in _LAYOUTS]
        return path, next((one for one in beside if one.is_file()), None)
    for layout in _LAYOUTS:
        ratings, books = path / layout.ratings, path / layout.books
        if ratings.is_file():
            return ratings, books if books.is_file() else None
    raise InputError(
        f"{path} is no folder of Book-Crossing.",
        f"It should hold {_LAYOUTS[0].ratings} and {_LAYOUTS[0].books}.",
    )


def _ratings_table(path: Path, limits: FileLimits) -> BulkTable:
    with open_text(path, limits, detect_encoding(path, limits)) as stream:
        header = stream.readline(1 << 16)
    delimiter = ";" if header.count(";") >= 2 else ","
    found = tuple(cell.strip().strip('"\ufeff') for cell in header.split(delimiter))
    if found != _COLUMNS:
        raise InputError(
            f"{path}, row 1: the columns are {', '.join(map(clean_name, found[:9]))}, not "
            f"{', '.join(_COLUMNS)}.",
            "Take the file as Book-Crossing hands it out.",
        )
    flat = split_lines(path, _COLUMNS, delimiter, limits=limits)
    user, isbn, rating = (f"trim({flat.cells[name]}, '\" ')" for name in _COLUMNS)
    judged = f"CASE WHEN {number(rating)} = 0 THEN '' ELSE {rating} END"
    return BulkTable(
        read=flat.read,
        columns={
            "user_key": key_number(user),
            "item_key": clean_name_of(isbn),
            "rating": stars(judged, 1, 10),
        },
        files=(path,),
        first_row=flat.first_row,
        faults=(
            *flat.faults,
            missing("User-ID", "user_key", user),
            empty("ISBN", "item_key"),
            rating_fault("Book-Rating", judged, 1, 10),
        ),
        blank=flat.blank,
    )


def _read_books(
    path: Path, limits: FileLimits, domain: Domain, import_log: ImportLog
) -> Iterator[ItemRow]:
    author, decade = domain.kind_of("creator"), domain.kind_of("container")
    seen: set[str] = set()
    for row, cells in _book_cells(path, limits, import_log):
        key, title = clean_name(cells[0]), split_title(html.unescape(cells[1]))
        if not key or not title.name:
            column = "Book-Title" if key else "ISBN"
            import_log.drop(row, f"{path.name}: {column}", "is empty there")
        elif key in seen:
            import_log.merge(row, f"{path.name}: ISBN", f"({key}) is there twice")
        else:
            seen.add(key)
            year = _year(row, cells[3].strip(), import_log)
            yield _make_item(key, cells, year, author, decade)


def _book_cells(
    path: Path, limits: FileLimits, import_log: ImportLog
) -> Iterator[tuple[int, list[str]]]:
    """Number and cells of each row of books that has as many as the header."""
    with open_text(path, limits, detect_encoding(path, limits)) as stream:
        first = stream.readline(_LONGEST_LINE)
        delimiter = ";" if first.count(";") >= first.count(",") else ","
        header = _cells(first, delimiter)
        if tuple(header[: len(_BOOK_COLUMNS)]) != _BOOK_COLUMNS:
            told = ", ".join(map(clean_name, header[:9]))
            raise InputError(f"{path} has the columns {told}.", "Take it as handed out.")
        lines = stream if delimiter == ";" else _whole_rows(stream)
        for row, line in enumerate(lines, 2):
            cells = _cells(line[:_LONGEST_LINE], delimiter)
            surplus = any(cell.strip() for cell in cells[len(header) :])
            if not any(cell.strip() for cell in cells):
                continue
            if len(cells) < len(_BOOK_COLUMNS) or surplus:
                told = f"has {len(cells)} cells where {len(header)} belong"
                import_log.drop(row, path.name, told)
            else:
                yield row, cells


def _whole_rows(lines: Iterable[str]) -> Iterator[str]:
    """The rows of a CSV file, in which a line break may stand within quotes.

    A quote that is not closed within some lines costs its own line alone.
    """
    begun: list[str] = []
    for line in lines:
        begun.append(line)
        if "".join(begun).replace('\\"', "").count('"') % 2 == 0:
            yield "".join(begun)
            begun.clear()
        elif len(begun) == _MOST_LINES:
            yield from begun
            begun.clear()
    yield from begun


def _year(row: int, told: str, import_log: ImportLog) -> int:
    """The year in a cell; 0 for none, which is told where the cell says something else."""
    if re.fullmatch(r"[12]\d{3}", told, re.ASCII):
        return int(told)
    if told.strip("0"):
        column = "Year-Of-Publication"
        import_log.repair(row, column, f"{clean_name(told)!r} is no year; left out")
    return 0


def _make_item(
    key: str, cells: list[str], year: int, author: str | None, decade: str | None
) -> ItemRow:
    title = split_title(html.unescape(cells[1]))
    creator = clean_name(html.unescape(cells[2]))
    by = f" by {creator}" if creator else ""
    properties: dict[str, Scalar] = {
        "title": title.name,
        "creator": creator,
        "year": year or None,
        "series": title.series,
        "series_number": title.number,
        "isbn13": to_isbn13(re.sub(r"[^0-9X]", "", key.upper())),
        "publisher": clean_name(html.unescape(cells[4])),
        "description": f"{title.name}{by} ({year})." if year else f"{title.name}{by}.",
        "description_source": "generated",
    }
    links = [AttributeLink(kind=author, name=creator)] if author and creator else []
    if decade and year:
        links.append(AttributeLink(kind=decade, name=f"{year // 10 * 10}s"))
    return ItemRow(
        key=key,
        name=title.name,
        properties={name: value for name, value in properties.items() if value},
        links=tuple(links),
    )


def _cells(line: str, delimiter: str) -> list[str]:
    """The cells of a line in quotes, or without; a backslash stands before a quote inside."""
    cells: list[str] = []
    place, text = 0, line.rstrip("\r\n").removeprefix("\ufeff")
    while place <= len(text):
        found = _CUT[delimiter].match(text, place)
        assert found is not None  # the second way fits anywhere
        told = found[1] if found[1] is not None else found[2]
        cells.append(re.sub(r'\\(.)|""', lambda one: one[1] or '"', told))
        place = found.end() + 1
    return cells
