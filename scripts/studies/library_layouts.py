"""Layouts of libraries and backups: shelves, databases and JSON with objects inside."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from calibre_library import Book, write_library
from export_faults import Fault, Planting, Row
from export_layouts import LAYOUTS, Layout, write_plain, write_table

_THING = (
    *("Book Id", "Title", "Primary Author", "Date", "Review", "Rating", "Date Read"),
    *("Entry Date", "Tags", "Collections", "ISBN"),
)
_SHELVED = (
    *("Book Id", "Title", "Author", "Author l-f", "Additional Authors", "ISBN", "ISBN13"),
    *("My Rating", "Average Rating", "Publisher", "Binding", "Number of Pages"),
    *("Year Published", "Original Publication Year", "Date Read", "Date Added", "Bookshelves"),
    *("Bookshelves with positions", "Exclusive Shelf", "My Review", "Spoiler", "Private Notes"),
    *("Read Count", "Owned Copies"),
)
_ADDED = datetime(2018, 5, 20)
_OF_JSON = {
    "Title": "title",
    "Primary Author": "primaryauthor",
    "Date": "date",
    "Rating": "rating",
    "Date Read": "dateread",
}


def _write_trakt(folder: Path, layout: Layout, rows: Sequence[Row]) -> Path:
    """A list of entries, each with its film inside."""
    entries: list[dict[str, Any]] = []
    for row in rows:
        told = dict(row.cells)
        film: dict[str, Any] = {name: told.pop(name) for name in ("title", "year") if name in told}
        film["ids"] = {"trakt": told.pop("trakt"), "slug": "x", "imdb": None}
        is_film = "person" not in told
        entries.append({**told, "type": "movie", "movie" if is_film else "person": film})
    path = folder / layout.file
    path.write_text(json.dumps(entries), encoding="utf-8")
    return path


def _write_things(folder: Path, layout: Layout, rows: Sequence[Row]) -> Path:
    """LibraryThing's JSON: entries under their numbers."""
    entries = {}
    for number, row in enumerate(rows, 1):
        told = {ours: row.cells.get(name, "") for name, ours in _OF_JSON.items()}
        entries[str(number)] = {
            "books_id": str(number),
            **told,
            "collections": ["Your library"],
            "tags": ["sf"],
            "isbn": [],
        }
    path = folder / layout.file
    path.write_text(json.dumps(entries), encoding="utf-8")
    return path


def _write_calibre(folder: Path, layout: Layout, rows: Sequence[Row]) -> Path:
    """A database with columns of one's own for what was read, and when."""
    books = [
        Book(
            title=row.cells["title"],
            authors=(row.cells["author"],),
            tags=("sf",),
            rating=row.cells["rating"],
            published=row.cells["pubdate"],
            added="0101-01-01 00:00:00+00:00",
            own={"read": 1, "finished": row.cells["finished"]},
        )
        for row in rows
    ]
    own = {"read": ("Read", "bool"), "finished": ("Finished", "datetime")}
    return write_library(folder / layout.file, books, own)


def _second(at: datetime) -> str:
    return at.strftime("%Y-%m-%dT%H:%M:%S.000Z")


def _trakt(name: str, file: str, date: str, **told: Any) -> Layout:
    return Layout(
        name=f"Trakt {name}",
        write=_write_trakt,
        columns=(),
        title="title",
        date=date,
        year="year",
        day=_second,
        is_day=False,
        more=lambda number: {"trakt": number + 1},
        apart={"person": "x"},
        file=file,
        **told,
    )


def _author(number: int) -> str:
    return f"Writer {number:04}"


def _isbns(number: int) -> tuple[str, str]:
    """The ISBN of ten and of thirteen digits of a made-up book."""
    core = f"{number + 1:09}"
    weighted = sum(
        weight * int(digit) for weight, digit in zip(range(10, 1, -1), core, strict=True)
    )
    check = -weighted % 11
    long = f"978{core}"
    longer = sum(int(digit) * (3 if place % 2 else 1) for place, digit in enumerate(long))
    return f"{core}{'X' if check == 10 else check}", f"{long}{-longer % 10}"


def _shelved(number: int) -> dict[str, Any]:
    """The other cells of a book at Goodreads; an ISBN is written so that no zero is lost."""
    short, long = _isbns(number)
    return {
        "Book Id": str(number + 1),
        "Author": _author(number),
        "Author l-f": f"{number:04}, Writer",
        "ISBN": f'="{short}"',
        "ISBN13": f'="{long}"',
        "Average Rating": "3.98",
        "Number of Pages": "412",
        "Year Published": "2004",
        "Bookshelves": "sci-fi, owned",
        "Bookshelves with positions": "sci-fi (#1), owned (#2)",
        "Exclusive Shelf": "read",
        "My Review": 'I <3 it.<br/>Twice, "really".',
        "Read Count": "1",
        "Owned Copies": "0",
    }


def _on_shelf(shelf: str, event: str) -> Fault:
    """A book that was neither rated nor dated, on a shelf that says what became of it."""

    def put(row: Row, layout: Planting) -> list[Row]:
        row.cells |= {layout.rating: "0", layout.date: "", "Exclusive Shelf": shelf}
        row.cells["Read Count"] = "0"
        assert row.expected is not None
        row.expected = (row.expected[0], event, None, layout.undated, 1)
        return [row]

    return put


def _wrong_isbn(row: Row, layout: Planting) -> list[Row]:
    row.cells |= {"ISBN": "", "ISBN13": '="9780441172718"'}
    row.told = ("repaired",)
    return [row]


def _no_isbn(row: Row, layout: Planting) -> list[Row]:
    row.cells |= {"ISBN": '=""', "ISBN13": '=""'}
    return [row]


def _series_behind_the_title(row: Row, layout: Planting) -> list[Row]:
    row.cells[layout.title] += " (Long Saga, #3)"
    return [row]


def _goodreads(name: str, form: str, **told: Any) -> Layout:
    def write_day(at: datetime) -> str:
        return at.strftime(form)

    return Layout(
        name=name,
        write=write_table,
        columns=_SHELVED,
        title="Title",
        rating="My Rating",
        date="Date Read",
        year="Original Publication Year",
        scale=(1, 5, 1),
        day=write_day,
        more=lambda number: {**_shelved(number), "Date Added": write_day(_ADDED)},
        undated=_ADDED,
        last_counts=True,
        file="goodreads_library_export.csv",
        own_faults={
            "put on the shelf to-read": _on_shelf("to-read", "wanted"),
            "given up": _on_shelf("did-not-finish", "abandoned"),
            "put on a shelf of one's own": _on_shelf("on-hold", "later"),
            "being read": _on_shelf("currently-reading", "seen"),
            "wrong ISBN": _wrong_isbn,
            "no ISBN": _no_isbn,
            "series behind the title": _series_behind_the_title,
        },
        **told,
    )


def _bracketed(at: datetime) -> str:
    """A day as LibraryThing's table has it."""
    return at.strftime("[%Y-%m-%d]")


ALL_LAYOUTS: tuple[Layout, ...] = (
    *LAYOUTS,
    _goodreads("Goodreads", "%Y/%m/%d"),
    _goodreads(
        "Goodreads, saved by a spreadsheet", "%d.%m.%Y", delimiter=";", encoding="utf-8-sig"
    ),
    _trakt("ratings", "ratings-movies.json", "rated_at", rating="rating"),
    _trakt("history", "history-movies.json", "watched_at", event="seen", counts_days=True),
    _trakt("watchlist", "lists-watchlist.json", "listed_at", event="wanted"),
    Layout(
        name="LibraryThing, tabs",
        write=write_plain,
        columns=_THING,
        title="Title",
        rating="Rating",
        date="Date Read",
        year="Date",
        scale=(0.5, 5, 0.5),
        day=_bracketed,
        more=lambda number: {"Primary Author": _author(number), "Collections": "Your library"},
        last_counts=True,
        file="librarything.tsv",
        delimiter="\t",
        encoding="utf-16",
    ),
    Layout(
        name="LibraryThing, JSON",
        write=_write_things,
        columns=(),
        title="Title",
        rating="Rating",
        date="Date Read",
        year="Date",
        scale=(0.5, 5, 0.5),
        more=lambda number: {"Primary Author": _author(number)},
        last_counts=True,
        file="librarything.json",
    ),
    Layout(
        name="Calibre",
        write=_write_calibre,
        columns=(),
        title="title",
        rating="rating",
        date="finished",
        year="pubdate",
        scale=(1, 10, 1),
        more=lambda number: {"author": _author(number)},
        last_counts=True,
        file="metadata.db",
    ),
)
