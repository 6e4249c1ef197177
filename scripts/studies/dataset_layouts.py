"""Layouts of data sets of many people, as they are handed out: who did what, and the things."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
from export_faults import Fault, Planting, Row, dropped
from export_layouts import Layout, write_plain, write_table
from interaction_faults import InteractionLayout


class Things(Layout, kw_only=True):
    """The list of things beside what was done with them.

    Args:
        key: The column of identifiers.
        keyed: The number of a thing -> its key.
        is_dated: Whether the name has the year behind it.
    """

    key: str = ""
    keyed: Callable[[int], str] = str
    is_dated: bool = False
    every: int = 8

    def good(self, number: int) -> Row:
        """A sound thing: what should be kept is its name, key and year."""
        row = super().good(number)
        key, year = self.keyed(number + 1), 1950 + number % 70
        row.cells[self.key] = key
        if self.is_dated:
            row.cells[self.title] += f" ({year})"
        row.expected = (f"Tale {number:04}", key, year if self.year or self.is_dated else None)
        return row

    @property
    def planted(self) -> Mapping[str, Fault]:
        """The faults of names, and those of keys; a bad year is left out."""
        told = {**super().planted, "no key": _no_key, "key twice": _key_twice}
        return {name: _yearless(one) if "year" in name else one for name, one in told.items()}


class Dataset(msgspec.Struct, kw_only=True):
    """A data set as it is handed out.

    Args:
        name: What it is called in the table.
        interactions: Who did what.
        things: The list beside it; None where the interactions name the things as well.
        extra: Writes further files beside them.
        named: The file that is imported; "" for the folder.
        guessed: Whether it is read as `import auto --accept` reads it.
    """

    name: str
    interactions: InteractionLayout
    things: Things | None = None
    extra: Callable[[Path], None] = lambda folder: None
    named: str = ""
    guessed: bool = False

    def write(self, folder: Path, interactions: Sequence[Row], things: Sequence[Row]) -> Path:
        """Write all files; what to import."""
        self.interactions.write(folder, self.interactions, interactions)
        if self.things is not None:
            self.things.write(folder, self.things, things)
        self.extra(folder)
        return folder / self.named if self.named else folder


def _no_key(row: Row, layout: Planting) -> list[Row]:
    assert isinstance(layout, Things)
    row.cells[layout.key] = ""
    return dropped(row)


def _key_twice(row: Row, layout: Planting) -> list[Row]:
    again = Row(cells={**row.cells, layout.title: "Another"}, expected=None, told=("merged",))
    return [row, again]


def _yearless(fault: Fault) -> Fault:
    def plant(row: Row, layout: Planting) -> list[Row] | None:
        rows = fault(row, layout)
        if rows is not None and row.expected is not None:
            row.expected = (*row.expected[:2], None)
        return rows

    return plant


def _write_all_quoted(folder: Path, layout: Layout, rows: Sequence[Row]) -> Path:
    """A table whose cells all stand in quotes."""
    return _write_in_quotes(folder, layout, rows, '""')


def _write_with_backslashes(folder: Path, layout: Layout, rows: Sequence[Row]) -> Path:
    """The same, with a backslash before a quote inside."""
    return _write_in_quotes(folder, layout, rows, '\\"')


def _write_in_quotes(folder: Path, layout: Layout, rows: Sequence[Row], quote: str) -> Path:
    lines = [layout.columns]
    for row in rows:
        cells = tuple(
            str(row.cells.get(column, "")).replace("\n", " ") for column in layout.columns
        )
        shaped = {"long": (*cells, "more"), "short": cells[:-1], "blank": (), "whole": cells}
        lines.append(shaped[row.shape])
    told = [[f'"{cell.replace(chr(34), quote)}"' for cell in line] for line in lines]
    path = folder / layout.file
    text = "\r\n".join(layout.delimiter.join(line) for line in told)
    path.write_text(text, encoding=layout.encoding, newline="")
    return path


def _seconds(at: datetime) -> str:
    return str(int((at - datetime(1970, 1, 1)).total_seconds()))


_TIMED: dict[str, Any] = {
    "day": _seconds,
    "step": timedelta(minutes=30),
    "is_day": False,
    "scale": (0.5, 5, 0.5),
}


def _isbn(number: int) -> str:
    return f"{number:010}"


def _named(number: int) -> str:
    return f"item-{number}"


def _movielens(name: str, interactions: dict[str, Any], things: dict[str, Any]) -> Dataset:
    columns = ("userId", "movieId", "rating", "timestamp")
    return Dataset(
        name=f"MovieLens {name}",
        interactions=InteractionLayout(
            name="ratings",
            columns=columns,
            user="userId",
            title="movieId",
            rating="rating",
            date="timestamp",
            needs_rating=True,
            **_TIMED,
            **interactions,
        ),
        things=Things(name="films", key="movieId", title="title", is_dated=True, **things),
    )


_GENRES = [str(place) for place in range(19)]
_BOOKS = (
    *("book_id", "goodreads_book_id", "best_book_id", "work_id", "books_count", "isbn", "isbn13"),
    *("authors", "original_publication_year", "original_title", "title", "language_code"),
    *("average_rating", "ratings_count", "image_url"),
)
_MAPPING = """data = "interactions.csv"

[columns]
user = "reader"
item = "book_id"
title = "Title"
rating = "Score"
timestamp = "When"

[rating]
scale = [0, 10]
"""


def _crossing(name: str, ratings: str, books: str, **told: Any) -> Dataset:
    return Dataset(
        name=f"Book-Crossing, {name}",
        interactions=InteractionLayout(
            name="ratings",
            columns=("User-ID", "ISBN", "Book-Rating"),
            user="User-ID",
            title="ISBN",
            rating="Book-Rating",
            scale=(1, 10, 1),
            unrated_cell="0",
            file=ratings,
            items_are_numbers=False,
            keyed=_isbn,
            **told,
        ),
        things=Things(
            name="books",
            columns=("ISBN", "Book-Title", "Book-Author", "Year-Of-Publication", "Publisher"),
            key="ISBN",
            keyed=_isbn,
            title="Book-Title",
            year="Year-Of-Publication",
            more=lambda number: {"Book-Author": "Ann Lee", "Publisher": "House"},
            file=books,
            **told,
        ),
        extra=lambda folder: _save(folder / "Users.csv", "User-ID,Location,Age\n1,porto,30\n"),
    )


def _recbole(name: str, stem: str, title: str, genre: str, year: str) -> Dataset:
    return Dataset(
        name=f"RecBole, {name}",
        interactions=InteractionLayout(
            name="inter",
            write=write_plain,
            delimiter="\t",
            columns=("user_id:token", "item_id:token", "rating:float", "timestamp:float"),
            user="user_id:token",
            title="item_id:token",
            rating="rating:float",
            date="timestamp:float",
            users_are_numbers=False,
            items_are_numbers=False,
            keyed=_named,
            file=f"{stem}.inter",
            **_TIMED,
        ),
        things=Things(
            name="item",
            write=write_plain,
            delimiter="\t",
            columns=("item_id:token", f"{title}:token_seq", f"{year}:token", f"{genre}:token_seq"),
            key="item_id:token",
            title=f"{title}:token_seq",
            year=f"{year}:token",
            keyed=_named,
            more=lambda number: {f"{genre}:token_seq": "Drama Comedy"},
            file=f"{stem}.item",
        ),
    )


def _table(name: str, **told: Any) -> InteractionLayout:
    return InteractionLayout(
        name=name,
        write=write_table,
        columns=("When", "reader", "book_id", "Title", "Score", "Kind"),
        user="reader",
        title="book_id",
        rating="Score",
        date="When",
        scale=(1, 10, 1),
        users_are_numbers=False,
        items_are_numbers=False,
        keyed=_named,
        is_quoted=True,
        seconds=False,
        more=lambda number: {"Title": f"Tale {number:04}", "Kind": "novel"},
        file="interactions.csv",
        **told,
    )


DATASETS: tuple[Dataset, ...] = (
    _movielens(
        "100K",
        {"write": write_plain, "delimiter": "\t", "has_header": False, "file": "u.data"},
        {
            "write": write_plain,
            "delimiter": "|",
            "has_header": False,
            "encoding": "latin-1",
            "file": "u.item",
            "columns": ("movieId", "title", "released", "video", "url", *_GENRES),
            "more": lambda number: dict.fromkeys(_GENRES, "0"),
        },
    ),
    _movielens(
        "1M and 10M",
        {"write": write_plain, "delimiter": "::", "has_header": False, "file": "ratings.dat"},
        {
            "write": write_plain,
            "delimiter": "::",
            "has_header": False,
            "encoding": "latin-1",
            "file": "movies.dat",
            "columns": ("movieId", "title", "genres"),
            "more": lambda number: {"genres": "Drama|Comedy"},
        },
    ),
    *(
        _movielens(
            name,
            {"write": write, "file": "ratings.csv"},
            {
                "write": write_table,
                "file": "movies.csv",
                "columns": ("movieId", "title", "genres"),
                "more": lambda number: {"genres": "Drama|Comedy"},
            },
        )
        for name, write in (
            ("20M and later", write_plain),
            ("20M and later, all cells in quotes", _write_all_quoted),
        )
    ),
    Dataset(
        name="goodbooks-10k",
        interactions=InteractionLayout(
            name="ratings",
            write=write_table,
            columns=("user_id", "book_id", "rating"),
            user="user_id",
            title="book_id",
            rating="rating",
            scale=(1, 5, 1),
            file="ratings.csv",
        ),
        things=Things(
            name="books",
            write=write_table,
            columns=_BOOKS,
            key="book_id",
            title="title",
            year="original_publication_year",
            more=lambda number: {
                "goodreads_book_id": str(number + 7),
                "authors": "Ann Lee, Bo Ray",
                "language_code": "eng",
                "average_rating": "4.1",
                "ratings_count": "99",
                "image_url": "x",
            },
            file="books.csv",
        ),
        extra=lambda folder: _save(folder / "tags.csv", "tag_id,tag_name\n1,fantasy\n"),
    ),
    _crossing(
        "as first published",
        "BX-Book-Ratings.csv",
        "BX-Books.csv",
        write=_write_with_backslashes,
        delimiter=";",
        encoding="latin-1",
    ),
    _crossing("as CSV", "Ratings.csv", "Books.csv", write=write_table),
    _recbole("films", "ml", "movie_title", "class", "release_year"),
    _recbole("books", "shop", "book_title", "genre", "year"),
    Dataset(
        name="Any table, by a mapping",
        interactions=_table("interactions", day=lambda at: at.strftime("%Y-%m-%d")),
        extra=lambda folder: _save(folder / "interactions.mapping.toml", _MAPPING),
        named="interactions.csv",
    ),
    Dataset(
        name="Any table, by a guess",
        interactions=_table(
            "interactions",
            day=lambda at: at.strftime("%d/%m/%Y"),
            is_lenient=True,
            names_doubles=True,
        ),
        named="interactions.csv",
        guessed=True,
    ),
)


def _save(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")
