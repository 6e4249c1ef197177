"""Layouts of libraries and backups, beside those of single lists: databases and nested JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from calibre_library import Book, write_library
from export_faults import Row
from export_layouts import LAYOUTS, Layout, write_tabs

_THING = (
    *("Book Id", "Title", "Primary Author", "Date", "Review", "Rating", "Date Read"),
    *("Entry Date", "Tags", "Collections", "ISBN"),
)
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


ALL_LAYOUTS: tuple[Layout, ...] = (
    *LAYOUTS,
    _trakt("ratings", "ratings-movies.json", "rated_at", rating="rating"),
    _trakt("history", "history-movies.json", "watched_at", event="seen", counts_days=True),
    _trakt("watchlist", "lists-watchlist.json", "listed_at", event="wanted"),
    Layout(
        name="LibraryThing, tabs",
        write=write_tabs,
        columns=_THING,
        title="Title",
        rating="Rating",
        date="Date Read",
        year="Date",
        scale=(0.5, 5, 0.5),
        more=lambda number: {"Primary Author": _author(number), "Collections": "Your library"},
        last_counts=True,
        file="librarything.tsv",
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
