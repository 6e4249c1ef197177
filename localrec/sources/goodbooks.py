"""goodbooks-10k: six million ratings of ten thousand books, with tags and lists of wishes.

What the tags say of a book becomes genres where the domain knows them; most of the others speak of
a reader's shelves. A list of wishes lies beside the ratings. The first version numbers its books by
`id`, and `book_id` is in its list of books their number at Goodreads.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

import msgspec

from localrec.data.domains import Domain
from localrec.data.rows import AttributeLink, BulkHistory, ItemRow, Scalar
from localrec.foundation.bounded_files import FileLimits
from localrec.foundation.errors import InputError
from localrec.foundation.sql import sql_literal
from localrec.foundation.text import clean_name, identity_of
from localrec.sources.book_cells import RowCells
from localrec.sources.book_titles import split_authors, split_title
from localrec.sources.bulk_tables import BulkReader, BulkTable, refuse_user
from localrec.sources.delimited_tables import DelimitedTable
from localrec.sources.import_log import ImportLog
from localrec.sources.protocols import Field, FilePreview
from localrec.sources.sql_cells import key_number, missing, number, rating_fault
from localrec.sources.sql_tables import FlatFile, delimited_table

_RATINGS, _BOOKS, _WISHES = "ratings.csv", "books.csv", "to_read.csv"
_TAGGED, _TAGS = "book_tags.csv", "tags.csv"
_GOODREADS = "goodreads_book_id"
_MOST_GENRES = 8
_TAGS_LOOKED_AT = 40  # of a book, the most given first


class GoodbooksSource:
    """Reads the unpacked folder, or the folder of the file that is named."""

    kind = "goodbooks"
    domain = "books"
    personal = False
    fields: tuple[Field, ...] = (
        Field("ratings.csv: user_id", "the person's key"),
        Field("ratings.csv: book_id", "the book's key"),
        Field("ratings.csv: rating", "the rating, in stars as it stands"),
        Field("to_read.csv", "wanted"),
        Field("books.csv: book_id, id", "the book's key, which is `id` in the first version"),
        Field("books.csv: title", "the name; `(Dune, #1)` becomes `series` and `series_number`"),
        Field("books.csv: authors", "links to the authors; the first is property `creator`"),
        Field("books.csv: original_publication_year", "property `year`, and a link to the decade"),
        Field("books.csv: language_code, isbn, goodreads_book_id", "properties"),
        Field("books.csv: average_rating, ratings_count", "properties of those names"),
        Field("book_tags.csv, tags.csv", "links to genres, of the tags that the domain knows"),
        Field("isbn13, work ids, counts of stars, addresses of covers", "left out"),
    )

    def __init__(self, limits: FileLimits | None = None) -> None:
        self._limits = limits or FileLimits()

    def recognises(self, preview: FilePreview) -> bool:
        """Whether ratings and books lie in it without people, or it is such a list of ratings."""
        if sorted(preview.header) == ["book_id", "rating", "user_id"]:
            return True
        names = {member.rpartition("/")[2] for member in preview.members}
        return {_RATINGS, _BOOKS} <= names and "users.csv" not in names

    def read(self, path: Path, domain: Domain, user: str | None = None) -> BulkHistory:
        """Read books and tags, and check every rating and wish.

        Raises:
            InputError: no folder of goodbooks-10k, or a file of it is damaged.
            UsageError: a user was named.
        """
        refuse_user(self.kind, user)
        folder = _find_folder(path)
        import_log = ImportLog(self.kind, path, domain.name)
        items = _read_books(folder, self._limits, domain, import_log)
        ratings = _ratings_table(folder / _RATINGS, self._limits)
        told = ratings.history(import_log, items, more_kept=len(items))
        import_log.tell("No row has a time: the order in which things were done is not known.")
        if not (folder / _WISHES).is_file():
            return msgspec.structs.replace(told, report=import_log.report(told.report.kept))
        wishes = _wishes_table(folder / _WISHES, self._limits)
        checked = wishes.check(import_log)
        return msgspec.structs.replace(
            told,
            select=f"{told.select} UNION ALL {checked.select}",
            files=(*told.files, *map(str, checked.files)),
            scratch=(*told.scratch, checked.scratch),
            report=import_log.report(told.report.kept + checked.good),
        )


def _find_folder(path: Path) -> Path:
    folder = path if path.is_dir() else path.parent
    if path.suffix.casefold() == ".zip":
        raise InputError(f"{path} is packed.", "Unpack it and name the folder.")
    if not (folder / _RATINGS).is_file() or (path.is_file() and path.name != _RATINGS):
        raise InputError(
            f"{path} is no folder of goodbooks-10k.", f"It should hold {_RATINGS} and {_BOOKS}."
        )
    return folder


def _open(path: Path, columns: tuple[str, ...], limits: FileLimits) -> FlatFile:
    flat = delimited_table(path, ",", limits)
    if lacking := [name for name in columns if name not in flat.cells]:
        raise InputError(
            f"{path} lacks the column {lacking[0]}; it has {', '.join(flat.cells)}.",
            "Take the file as goodbooks-10k hands it out.",
        )
    return flat


def _ratings_table(path: Path, limits: FileLimits) -> BulkTable:
    flat = _open(path, ("user_id", "book_id", "rating"), limits)
    user, book, rating = (flat.cells[name] for name in ("user_id", "book_id", "rating"))
    return BulkTable(
        read=flat.read,
        columns={
            "user_key": key_number(user),
            "item_key": key_number(book),
            "rating": number(rating),
        },
        files=(path,),
        first_row=flat.first_row,
        numbers=flat.numbers,
        faults=(
            *flat.faults,
            missing("user_id", "user_key", user),
            missing("book_id", "item_key", book),
            rating_fault("rating", rating, 0.5, 5),
        ),
        blank=flat.blank,
    )


def _wishes_table(path: Path, limits: FileLimits) -> BulkTable:
    flat = _open(path, ("user_id", "book_id"), limits)
    user, book = flat.cells["user_id"], flat.cells["book_id"]
    return BulkTable(
        read=flat.read,
        columns={
            "user_key": key_number(user),
            "item_key": key_number(book),
            "event": "'wanted'",
        },
        files=(path,),
        first_row=flat.first_row,
        numbers=flat.numbers,
        faults=(
            *flat.faults,
            missing("to_read.csv: user_id", "user_key", user),
            missing("to_read.csv: book_id", "item_key", book),
        ),
        blank=flat.blank,
    )


def _read_books(
    folder: Path, limits: FileLimits, domain: Domain, import_log: ImportLog
) -> tuple[ItemRow, ...]:
    file = folder / _BOOKS
    if not file.is_file():
        return ()
    genres = _read_genres(folder, limits, domain)
    table = DelimitedTable(file, limits)
    if "book_id" not in table.header or "title" not in table.header:
        raise InputError(
            f"{file} has no book_id and title; it has {', '.join(table.header[:20])}.",
            "Take the file as goodbooks-10k hands it out.",
        )
    is_first = "id" in table.header and _GOODREADS not in table.header
    books: dict[str, ItemRow] = {}
    for row, told in table.rows():
        cells = {**told, "book_id": told["id"], _GOODREADS: told["book_id"]} if is_first else told
        key = clean_name(cells["book_id"])
        title = split_title(cells.get("title", ""))
        if not key or not title.name:
            import_log.drop(row, f"{_BOOKS}: title", "is empty there")
        elif key in books:
            import_log.merge(row, f"{_BOOKS}: book_id", f"({key}) is there twice")
        else:
            tagged = genres.get(cells.get(_GOODREADS, "").strip(), ())
            books[key] = _make_item(RowCells(row, cells, import_log), key, tagged, domain)
    for row, problem in table.ragged:
        import_log.drop(row, _BOOKS, problem)
    return tuple(books.values())


def _make_item(cells: RowCells, key: str, genres: tuple[str, ...], domain: Domain) -> ItemRow:
    title = split_title(cells.raw("title"))
    authors = split_authors(cells.raw("authors"))
    year = cells.whole("original_publication_year", -3000, 2100)
    by = f" by {authors[0]}" if authors else ""
    properties: dict[str, Scalar] = {
        "title": title.name,
        "creator": authors[0] if authors else None,
        "year": year,
        "series": title.series,
        "series_number": title.number,
        "goodreads": cells.whole(_GOODREADS, 1, 999_999_999),
        "isbn": clean_name(cells.raw("isbn")) or None,
        "language": clean_name(cells.raw("language_code")) or None,
        "average_rating": _decimal(cells.raw("average_rating")),
        "ratings_count": cells.whole("ratings_count", 0, 999_999_999),
        "description": f"{title.name}{by} ({year})." if year else f"{title.name}{by}.",
        "description_source": "generated",
    }
    links = [AttributeLink(kind=kind, name=name) for kind, name in _links(authors, genres, domain)]
    decade = domain.kind_of("container")
    if decade and year is not None and year >= 1000:
        links.append(AttributeLink(kind=decade, name=f"{year // 10 * 10}s"))
    return ItemRow(
        key=key,
        name=title.name,
        properties={name: value for name, value in properties.items() if value is not None},
        links=tuple(links),
    )


def _links(
    authors: tuple[str, ...], genres: tuple[str, ...], domain: Domain
) -> list[tuple[str, str]]:
    author, genre = domain.kind_of("creator"), domain.kind_of("component")
    told = [(author, name) for name in authors] + [(genre, name) for name in genres]
    return [(kind, name) for kind, name in told if kind is not None]


def _decimal(cell: str) -> float | None:
    try:
        value = float(cell)
    except ValueError:
        return None
    return value if 0 <= value <= 5 else None


def _read_genres(folder: Path, limits: FileLimits, domain: Domain) -> Mapping[str, tuple[str, ...]]:
    """Id at Goodreads -> the genres that its tags name, the most given first."""
    genre = domain.kind_of("component")
    files = (folder / _TAGGED, folder / _TAGS)
    if genre is None or not all(file.is_file() for file in files):
        return {}
    given = _open(files[0], (_GOODREADS, "tag_id", "count"), limits)
    named = _open(files[1], ("tag_id", "tag_name"), limits)
    book, tag, count = (given.cells[name] for name in (_GOODREADS, "tag_id", "count"))
    concepts = {identity_of(name): concept for name, concept in domain.concept_names(genre).items()}
    with BulkReader(files) as reader:
        tags = {
            tag_id: concepts[identity_of(name)]
            for tag_id, name in reader.rows(
                f"SELECT {named.cells['tag_id']}, {named.cells['tag_name']} FROM {named.read}"
            )
            if name and identity_of(name.replace("-", " ")) in concepts
        }
        rows = reader.rows(
            f"SELECT book, tag FROM (SELECT {book} AS book, {tag} AS tag, "
            f"row_number() OVER (PARTITION BY {book} ORDER BY TRY_CAST({count} AS BIGINT) DESC) "
            f"AS place FROM {given.read} WHERE {tag} IN (SELECT unnest({_texts(tags)}))) "
            f"WHERE place <= {_TAGS_LOOKED_AT} ORDER BY book, place"
        )
    found: dict[str, dict[str, None]] = defaultdict(dict)
    for key, tag_id in rows:
        if len(found[key]) < _MOST_GENRES:
            found[key][tags[tag_id]] = None
    return {key: tuple(names) for key, names in found.items()}


def _texts(values: Mapping[str, str]) -> str:
    return f"[{', '.join(map(sql_literal, values))}]::VARCHAR[]"
