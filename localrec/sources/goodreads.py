"""A library exported from Goodreads (My Books, Import and export): one CSV, one row a book.

What the shelves mean, `books.Book.event` says. Left out: Additional Authors, since translators,
illustrators and narrators stand among them unmarked, and "is by" must hold.
"""

from __future__ import annotations

from pathlib import Path

from localrec.data.domains import Domain
from localrec.data.rows import HistoryRows
from localrec.foundation.bounded_files import FileLimits
from localrec.sources.book_cells import RowCells
from localrec.sources.book_library import BookRecord, LibraryLayout, read_library
from localrec.sources.book_titles import BookTitle, split_authors
from localrec.sources.protocols import Field, FilePreview


class GoodreadsSource:
    """Reads the CSV that Goodreads exports, of today or with the columns of earlier years."""

    kind = "goodreads"
    domain = "books"
    personal = True
    fields: tuple[Field, ...] = (
        Field("Title", "the item's name; `(Dune, #1)` becomes `series` and `series_number`"),
        Field("Author", "link to the author, property `creator`; the key is Title by Author"),
        Field("ISBN13, ISBN", "property `isbn13`; one with a wrong check digit is left out"),
        Field("Book Id", "property `goodreads`"),
        Field("My Rating", "the rating in stars; 0 means none"),
        Field("Number of Pages", "property `pages`"),
        Field(
            "Original Publication Year, Year Published",
            "property `year` (the first that is filled), and a link to the decade",
        ),
        Field("Date Read, Date Added", "when it happened (the first that is filled)"),
        Field(
            "Exclusive Shelf",
            "unrated: read and currently-reading are seen, to-read is wanted, did-not-finish and "
            "abandoned are given up, half a dislike, own shelves are for later (seen if they "
            "were read)",
        ),
        Field(
            "Bookshelves",
            "personal links to genres; favorites without a rating is liked; shelves about the "
            "copy or a year (owned, kindle, 2021) are left out",
        ),
        Field("My Review", "the person's note, as text"),
        Field("Read Count", "how often it was read"),
        Field("Private Notes", "left out, being private and no help"),
        Field(
            "Author l-f, Additional Authors, Average Rating, Publisher, Binding, "
            "Bookshelves with positions, Spoiler, Owned Copies",
            "left out, as are all columns of older exports (Recommended For, Condition, BCID)",
        ),
    )

    def __init__(self, limits: FileLimits | None = None) -> None:
        self._limits = limits or FileLimits()

    def recognises(self, preview: FilePreview) -> bool:
        """Whether the header is one of Goodreads."""
        return {"title", "author", "my rating", "exclusive shelf"} <= set(preview.header)

    def read(self, path: Path, domain: Domain, user: str | None) -> HistoryRows:
        """Read every book; two rows of one book become one.

        Raises:
            UsageError: nobody said whose export it is.
            InputError: damaged, another layout, or no row that can be kept.
        """
        return read_library(path, domain, user, _LAYOUT, self._limits)


def _read_book(cells: RowCells, title: BookTitle) -> BookRecord:
    original = cells.whole("Original Publication Year", -3000, 2100)
    return BookRecord(
        row=cells.row,
        title=title,
        authors=split_authors(cells.raw("Author"))[:1],
        labels=cells.names("Bookshelves"),
        shelf=cells.raw("Exclusive Shelf"),
        rating=cells.stars("My Rating"),
        read_at=cells.day("Date Read"),
        added_at=cells.day("Date Added"),
        times=cells.whole("Read Count", 0, 9_999) or 0,
        note=cells.note("My Review"),
        year=cells.whole("Year Published", -3000, 2100) if original is None else original,
        facts={
            "isbn13": cells.isbn13("ISBN13") or cells.isbn13("ISBN"),
            "pages": cells.whole("Number of Pages", 0, 99_999) or None,
            "goodreads": cells.whole("Book Id", 1, 999_999_999),
        },
    )


_LAYOUT = LibraryLayout(
    GoodreadsSource.kind,
    "Goodreads",
    ("Title", "Author", "My Rating", "Exclusive Shelf"),
    GoodreadsSource.fields,
    _read_book,
)
