"""A library exported from The StoryGraph (Manage account, Export): one CSV, one row a book.

What the statuses mean, `books.Book.event` says. The export has neither years nor pages. Left out:
content warnings, which are given to spare readers something and not to describe a taste.
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

_DRIVEN_BY = {"character": "character-driven", "plot": "plot-driven"}


class StoryGraphSource:
    """Reads the CSV that The StoryGraph exports."""

    kind = "storygraph"
    domain = "books"
    personal = True
    fields: tuple[Field, ...] = (
        Field("Title", "the item's name; the key is Title by its first author"),
        Field("Authors", "links to the authors; the first is property `creator`"),
        Field("ISBN/UID", "property `isbn13`; other identifiers are left out"),
        Field(
            "Read Status",
            "unrated: read and currently-reading are seen, to-read is wanted, did-not-finish is "
            "given up, half a dislike, others are for later",
        ),
        Field("Star Rating", "the rating in stars, in quarters; 0.25 becomes 0.5"),
        Field(
            "Last Date Read, Dates Read, Date Added",
            "when it happened (the first that is filled; the last day of the ranges)",
        ),
        Field("Read Count", "how often it was read"),
        Field("Moods, Pace, Character- or Plot-Driven?", "personal links to genres"),
        Field("Tags", "personal links to genres, by the rules of Goodreads' shelves"),
        Field("Review", "the person's note, as text"),
        Field("Content Warnings, Content Warning Description", "left out"),
        Field(
            "Contributors, Format, Strong Character Development?, Loveable Characters?, "
            "Diverse Characters?, Flawed Characters?, Owned?",
            "left out",
        ),
    )

    def __init__(self, limits: FileLimits | None = None) -> None:
        self._limits = limits or FileLimits()

    def recognises(self, preview: FilePreview) -> bool:
        """Whether the header is one of The StoryGraph."""
        return {"isbn/uid", "read status", "star rating"} <= set(preview.header)

    def read(self, path: Path, domain: Domain, user: str | None) -> HistoryRows:
        """Read every book; two rows of one book become one.

        Raises:
            UsageError: nobody said whose export it is.
            InputError: damaged, another layout, or no row that can be kept.
        """
        return read_library(path, domain, user, _LAYOUT, self._limits)


def _read_book(cells: RowCells, title: BookTitle) -> BookRecord:
    return BookRecord(
        row=cells.row,
        title=title,
        authors=split_authors(cells.raw("Authors")),
        labels=(*cells.names("Moods"), *_manner_of(cells), *cells.names("Tags")),
        shelf=cells.raw("Read Status"),
        rating=cells.stars("Star Rating"),
        read_at=cells.day("Last Date Read") or cells.last_day("Dates Read"),
        added_at=cells.day("Date Added"),
        times=cells.whole("Read Count", 0, 9_999) or 0,
        note=cells.note("Review"),
        facts={"isbn13": cells.isbn13("ISBN/UID", holds_others=True)},
    )


def _manner_of(cells: RowCells) -> tuple[str, ...]:
    """The pace ("fast" is fast-paced) and what drives the story; "a mix" drives neither."""
    pace = cells.names("Pace")
    driven_by = _DRIVEN_BY.get(cells.raw("Character- or Plot-Driven?").casefold())
    return (*(f"{one}-paced" for one in pace), *([driven_by] if driven_by else ()))


_LAYOUT = LibraryLayout(
    StoryGraphSource.kind,
    "StoryGraph",
    ("Title", "Authors", "Read Status", "Star Rating"),
    StoryGraphSource.fields,
    _read_book,
)
