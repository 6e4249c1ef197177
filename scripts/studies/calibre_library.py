"""A made-up library of Calibre, with the tables that Calibre keeps and columns of one's own."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

_TABLES = """
CREATE TABLE books (id INTEGER PRIMARY KEY, title TEXT, sort TEXT, timestamp TIMESTAMP,
  pubdate TIMESTAMP, series_index REAL NOT NULL DEFAULT 1.0, path TEXT);
CREATE TABLE authors (id INTEGER PRIMARY KEY, name TEXT, sort TEXT);
CREATE TABLE series (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE tags (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE publishers (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE languages (id INTEGER PRIMARY KEY, lang_code TEXT);
CREATE TABLE ratings (id INTEGER PRIMARY KEY, rating INTEGER);
CREATE TABLE books_authors_link (id INTEGER PRIMARY KEY, book INTEGER, author INTEGER);
CREATE TABLE books_series_link (id INTEGER PRIMARY KEY, book INTEGER, series INTEGER);
CREATE TABLE books_tags_link (id INTEGER PRIMARY KEY, book INTEGER, tag INTEGER);
CREATE TABLE books_publishers_link (id INTEGER PRIMARY KEY, book INTEGER, publisher INTEGER);
CREATE TABLE books_languages_link (id INTEGER PRIMARY KEY, book INTEGER, lang_code INTEGER);
CREATE TABLE books_ratings_link (id INTEGER PRIMARY KEY, book INTEGER, rating INTEGER);
CREATE TABLE comments (id INTEGER PRIMARY KEY, book INTEGER, text TEXT);
CREATE TABLE identifiers (id INTEGER PRIMARY KEY, book INTEGER, type TEXT, val TEXT);
CREATE TABLE custom_columns (id INTEGER PRIMARY KEY, label TEXT, name TEXT, datatype TEXT,
  mark_for_delete BOOL DEFAULT 0, editable BOOL DEFAULT 1, display TEXT DEFAULT '{}',
  is_multiple BOOL DEFAULT 0, normalized BOOL DEFAULT 0);
CREATE VIEW meta AS SELECT id, title FROM books;
"""


class Book(msgspec.Struct, frozen=True):
    """One book, as Calibre keeps it; `own` holds the cells of own columns by their label."""

    title: Any
    authors: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    rating: Any = None
    comments: str = ""
    series: str = ""
    series_index: float = 1.0
    added: Any = "2021-03-14 10:00:00+00:00"
    published: Any = "1965-08-01 00:00:00+00:00"
    ids: dict[str, str] = {}
    own: dict[str, Any] = {}


def write_library(
    path: Path, books: Sequence[Book], own: Mapping[str, tuple[str, str]] | None = None
) -> Path:
    """Write a library.

    Args:
        path: The file.
        books: In order; their ids count from 1.
        own: Label of an own column -> its name and type.
    """
    connection = sqlite3.connect(path)
    connection.executescript(_TABLES)
    columns = list((own or {}).items())
    for number, (label, (name, sort)) in enumerate(columns, 1):
        connection.execute(
            "INSERT INTO custom_columns (id, label, name, datatype) VALUES (?, ?, ?, ?)",
            (number, label, name, sort),
        )
        table = f"custom_column_{number}"
        if sort in ("text", "enumeration", "rating"):
            connection.execute(f"CREATE TABLE {table} (id INTEGER PRIMARY KEY, value)")
            link = f"books_{table}_link"
            connection.execute(f"CREATE TABLE {link} (id INTEGER PRIMARY KEY, book, value)")
        else:
            connection.execute(f"CREATE TABLE {table} (id INTEGER PRIMARY KEY, book, value)")
    for number, book in enumerate(books, 1):
        connection.execute(
            "INSERT INTO books (id, title, timestamp, pubdate, series_index) "
            "VALUES (?, ?, ?, ?, ?)",
            (number, book.title, book.added, book.published, book.series_index),
        )
        _link(connection, number, "authors", "name", "author", book.authors)
        _link(connection, number, "tags", "name", "tag", book.tags)
        _link(connection, number, "series", "name", "series", [book.series] if book.series else [])
        rated = [] if book.rating is None else [book.rating]
        _link(connection, number, "ratings", "rating", "rating", rated)
        if book.comments:
            connection.execute(
                "INSERT INTO comments (book, text) VALUES (?, ?)", (number, book.comments)
            )
        for sort, value in book.ids.items():
            connection.execute(
                "INSERT INTO identifiers (book, type, val) VALUES (?, ?, ?)", (number, sort, value)
            )
        for place, (label, (_, sort)) in enumerate(columns, 1):
            if label in book.own:
                _own(connection, number, place, sort, book.own[label])
    connection.commit()
    connection.close()
    return path


def _link(
    connection: sqlite3.Connection,
    book: int,
    table: str,
    column: str,
    link: str,
    values: Sequence[Any],
) -> None:
    for value in values:
        written = connection.execute(f"INSERT INTO {table} ({column}) VALUES (?)", (value,))
        connection.execute(
            f"INSERT INTO books_{table}_link (book, {link}) VALUES (?, ?)",
            (book, written.lastrowid),
        )


def _own(connection: sqlite3.Connection, book: int, place: int, sort: str, value: Any) -> None:
    table = f"custom_column_{place}"
    if sort not in ("text", "enumeration", "rating"):
        connection.execute(f"INSERT INTO {table} (book, value) VALUES (?, ?)", (book, value))
        return
    number = connection.execute(f"INSERT INTO {table} (value) VALUES (?)", (value,)).lastrowid
    connection.execute(
        f"INSERT INTO books_{table}_link (book, value) VALUES (?, ?)", (book, number)
    )
