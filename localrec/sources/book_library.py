"""Books as people's exports tell of them: events, genres, and one library without doubles.

Both exports end up in the same records here, so that a book has one key whichever of them it came
from. Left out is whatever is said of the copy on the shelf (owned, borrowed, Kindle): it says
nothing about the book. What a person's shelves and tags say becomes personal links and never gets
into an item's own texts, so that it can be forgotten with the person.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from functools import lru_cache
from pathlib import Path

import msgspec

from localrec.data.domains import Domain
from localrec.data.rows import AttributeLink, Event, HistoryRows, InteractionRow, ItemRow, Scalar
from localrec.foundation.bounded_files import FileLimits
from localrec.foundation.errors import InputError
from localrec.foundation.text import clean_key, identity_of
from localrec.sources.book_cells import RowCells
from localrec.sources.book_titles import BookTitle, book_key, split_title
from localrec.sources.column_names import restore_names
from localrec.sources.day_order import with_iso_days
from localrec.sources.delimited_tables import DelimitedTable
from localrec.sources.import_log import ImportLog
from localrec.sources.personal_export import export_owner
from localrec.sources.protocols import Field
from localrec.sources.table_notes import watched_rows

_MOST_LABELS = 100

_PLANNED = frozenset({"to-read", "want-to-read", "tbr", "wishlist", "wish-list"})
_TAKEN_UP = frozenset({"read", "currently-reading"})
_ABANDONED = frozenset({"did-not-finish", "dnf", "abandoned", "dropped", "gave-up", "unfinished"})
_FAVOURITES = frozenset({"favorites", "favourites", "favorite", "favourite", "all-time-favorites"})
_ABOUT_THE_COPY = frozenset(
    "own owned i-own books-i-own owned-books my-books to-buy bought borrowed loaned library "
    "library-book library-books kindle ebook ebooks e-book e-books nook kobo audio audible "
    "audiobook audiobooks audio-book audio-books paperback hardcover book-club bookclub reread "
    "re-read default on-hold paused maybe giveaways netgalley arc arcs".split()
)
_ABOUT_A_YEAR = re.compile(r"(?:[a-z]+-)*(?:19|20)\d\d(?:-[a-z0-9]+)*")  # read-in-2021, 2021-05


class BookRecord(msgspec.Struct, frozen=True, kw_only=True):
    """One row of an export: a book, and what its owner did with it.

    Args:
        title: The title as `split_title` gives it; its name is never empty.
        authors: Authors, the first of them the book's `creator`.
        labels: The owner's shelves or tags for it, as written.
        shelf: The owner's shelf for it: read, to-read, or a name of their own.
        rating: Stars, 0.5 to 5.
        read_at: Time when it was finished; `added_at` counts where that is not known.
        times: The number of times that it was read, 0 where the export counts none.
        description: The file's text about the book; "" for none.
        facts: Further properties, such as `pages` and `isbn13`; empty ones are left out.
    """

    row: int
    title: BookTitle
    authors: tuple[str, ...]
    labels: tuple[str, ...]
    shelf: str
    rating: float | None
    read_at: datetime | None
    added_at: datetime | None
    times: int
    note: str | None
    year: int | None = None
    description: str = ""
    facts: dict[str, Scalar] = {}

    @property
    def creator(self) -> str | None:
        """The first author."""
        return self.authors[0] if self.authors else None

    @property
    def event(self) -> Event | None:
        """Return the owner's event; a rating outweighs the shelf, and owning it says nothing.

        A book being read was chosen but not judged yet, like one that was read and not rated. A
        book given up was judged, even without a rating: begun on purpose, and not worth
        finishing. Any other shelf, unread, says "not now" (on-hold, maybe).
        """
        if self.rating is not None:
            return Event.RATED
        shelf = _slug_of(self.shelf)
        shelves = {shelf, *map(_slug_of, self.labels)}
        if shelves & _ABANDONED:  # some keep such a book on the shelf "read" and tag it "dnf"
            return Event.ABANDONED
        if shelf in _PLANNED:
            return Event.WANTED
        if shelf in _TAKEN_UP or self.read_at is not None or self.times:
            return Event.LIKED if shelves & _FAVOURITES else Event.SEEN
        if self.shelf.strip():
            return Event.LATER
        return Event.LIKED if shelves & _FAVOURITES else None

    @property
    def standing(self) -> tuple[bool, bool, datetime]:
        """Return the weight of the row beside others of the same book: verdict, read, latest."""
        has_verdict = self.event in (Event.RATED, Event.LIKED, Event.ABANDONED)
        when = self.read_at or self.added_at or datetime.min
        is_planned = self.event in (Event.WANTED, Event.LATER, None)
        return has_verdict, not is_planned, when


class LibraryLayout(msgspec.Struct, frozen=True):
    """The form of one export: its kind, its service, its columns, its rows."""

    kind: str
    service: str
    required: tuple[str, ...]
    fields: tuple[Field, ...]
    read_book: Callable[[RowCells, BookTitle], BookRecord]


_DAYS = ("Date Read", "Date Added", "Last Date Read")
# A column that only one format has -> what a file with it is, and the kind to name instead.
_TELLTALES = {
    "Bookshelves": ("a Goodreads export", "goodreads"),
    "Read Status": ("a StoryGraph export", "storygraph"),
    "Letterboxd URI": ("a Letterboxd export", "letterboxd"),
    "movieId": ("a MovieLens table", "movielens"),
    "strDrink": ("a table of drinks", "cocktails"),
}


def read_library(
    path: Path, domain: Domain, user: str | None, layout: LibraryLayout, limits: FileLimits
) -> HistoryRows:
    """Read one person's export.

    Raises:
        UsageError: nobody said whose export it is.
        InputError: a damaged file, one of another layout, or one of which no row can be kept.
    """
    owner = export_owner(user, layout.service)
    table = restore_names(DelimitedTable(path, limits), layout.fields)
    _check_columns(table, layout)
    import_log = ImportLog(layout.kind, path, domain.name)
    return library_of(_read_books(table, layout, import_log), path, domain, owner, import_log)


def library_of(
    records: Iterable[BookRecord], path: Path, domain: Domain, owner: str, import_log: ImportLog
) -> HistoryRows:
    """Items and interactions of one person's books, each book once.

    Args:
        records: In the order of the export.
        path: Their file, for the message.
        domain: The domain of the books.
        owner: The person's key.
        import_log: The receipt.

    Raises:
        InputError: no book can be kept.
    """
    books = _without_doubles(records, import_log)
    if not books:
        raise InputError(
            f"{path} holds no book that can be kept: {import_log.first_drop()}.",
            "Each row needs a title.",
        )
    shelving = _Shelving(domain, import_log)
    return HistoryRows(
        items=tuple(shelving.make_item(key, book) for key, book in books.items()),
        interactions=tuple(
            _make_interaction(key, book, book.event, owner)
            for key, book in books.items()
            if book.event is not None
        ),
        report=import_log.report(kept=len(books)),
    )


def _check_columns(table: DelimitedTable, layout: LibraryLayout) -> None:
    missing = [name for name in layout.required if name not in table.header]
    if not missing:
        return
    for column, (what, kind) in _TELLTALES.items():
        if column in table.header and kind != layout.kind:
            raise InputError(
                f"{table.path} looks like {what}, not like one of {layout.service}.",
                f"Import it with `localrec import {kind}`.",
            )
    raise InputError(
        f"{table.path} lacks the column{'s'[: len(missing) > 1]} {', '.join(missing)}; "
        f"it has {', '.join(table.header[:40])}.",
        f"Export the library from {layout.service} again.",
    )


def _read_books(
    table: DelimitedTable, layout: LibraryLayout, import_log: ImportLog
) -> Iterator[BookRecord]:
    rows = watched_rows(table, import_log, layout.fields)
    for row, cells in with_iso_days(rows, _DAYS, import_log):
        one = RowCells(row, cells, import_log)
        title = split_title(one.raw("Title"))
        if title.name:
            yield layout.read_book(one, title)
        else:
            import_log.drop(row, "Title", "has no title")


def _without_doubles(books: Iterable[BookRecord], import_log: ImportLog) -> dict[str, BookRecord]:
    """Each book once, by its key; of two rows the one with the higher standing counts.

    Editions of a book stand apart in an export, often one rated and one only wished for. Volumes of
    one title stay as many as they are: another number in the series is another book.
    """
    kept: dict[str, BookRecord] = {}
    for book in books:
        key = book_key(book.title.name, book.creator)
        other = kept.setdefault(key, book)
        if _is_other_volume(book, other):
            key = clean_key(f"{key} {book.title.number}")
            other = kept.setdefault(key, book)
        if other is book:
            continue
        stays, goes = (other, book) if other.standing > book.standing else (book, other)
        kept[key] = stays
        import_log.merge(goes.row, "Title", f"is the book of row {stays.row}, which counts")
    return kept


def _make_interaction(key: str, book: BookRecord, event: Event, owner: str) -> InteractionRow:
    return InteractionRow(
        user=owner,
        item=key,
        event=event,
        rating=book.rating,
        at=book.read_at or book.added_at,
        times=max(1, book.times),
        note=book.note,
    )


class _Shelving:
    """Makes items of books: properties and links, by the roles of one domain."""

    def __init__(self, domain: Domain, import_log: ImportLog) -> None:
        self._import_log = import_log
        self._genre = domain.kind_of("component")
        self._author = domain.kind_of("creator")
        self._decade = domain.kind_of("container")
        spellings = domain.concept_names(self._genre).items() if self._genre else ()
        self._concepts = {identity_of(spelling): name for spelling, name in spellings}

    def make_item(self, key: str, book: BookRecord) -> ItemRow:
        properties: dict[str, Scalar] = {
            "title": book.title.name,
            "creator": book.creator,
            "year": book.year,
            "series": book.title.series,
            "series_number": book.title.number,
            **book.facts,
            "description": book.description or _describe(book.title, book.creator, book.year),
            "description_source": "source" if book.description else "generated",
        }
        return ItemRow(
            key=key,
            name=book.title.name,
            properties={name: value for name, value in properties.items() if value is not None},
            links=tuple(self._read_links(book)),
        )

    def _read_links(self, book: BookRecord) -> Iterator[AttributeLink]:
        if self._author:
            for author in book.authors:
                yield AttributeLink(kind=self._author, name=author)
        if self._decade and book.year is not None and book.year >= 1000:
            yield AttributeLink(kind=self._decade, name=f"{book.year // 10 * 10}s")
        if self._genre:
            for genre in self._genres_of(book):
                yield AttributeLink(kind=self._genre, name=genre, personal=True)

    def _genres_of(self, book: BookRecord) -> Iterable[str]:
        """List the genres in the labels of a book, in the taxonomy's words where it has them."""
        labels = book.labels
        if len(labels) > _MOST_LABELS:
            told = f"{len(labels)} labels; the first {_MOST_LABELS} were taken"
            self._import_log.repair(book.row, None, told)
            labels = labels[:_MOST_LABELS]
        said = [label.replace("-", " ") for label in labels if _is_about_the_book(label, book)]
        return dict.fromkeys(self._concepts.get(identity_of(label), label) for label in said)


def _is_other_volume(one: BookRecord, other: BookRecord) -> bool:
    numbers = one.title.number, other.title.number
    return None not in numbers and numbers[0] != numbers[1]


def _is_about_the_book(label: str, book: BookRecord) -> bool:
    slug = _slug_of(label)
    says_what_was_done = _PLANNED | _TAKEN_UP | _ABANDONED | _FAVOURITES | _ABOUT_THE_COPY
    return not (
        slug in says_what_was_done
        or _ABOUT_A_YEAR.fullmatch(slug)
        or label.casefold() == book.shelf.casefold()
    )


@lru_cache(maxsize=1 << 12)  # a library names a few shelves thousands of times
def _slug_of(shelf: str) -> str:
    return clean_key(shelf)


def _describe(title: BookTitle, author: str | None, year: int | None) -> str:
    by = f" by {author}" if author else ""
    dated = f" ({year} BC)".replace("-", "") if year and year < 0 else f" ({year})" if year else ""
    place = f", number {title.number} of {title.series}" if title.series else ""
    return f"{title.name}{by}{dated}{place}."
