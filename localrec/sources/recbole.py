"""RecBole's atomic files: `.item` what there is, `.inter` who did what, `.user` who they are.

The identifier becomes an item's key, since titles repeat. Where the year column holds something
else, the title's own "(1995)" is used. RecBole writes ratings in whatever scale a data set has;
the scale is told from the ratings themselves and the receipt says which it was.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Literal, cast

import msgspec

from localrec.data.domains import Domain
from localrec.data.rows import AttributeLink, BulkHistory, HistoryRows, ItemRow, Scalar, UserRow
from localrec.data.titles import split_year
from localrec.foundation.bounded_files import FileLimits
from localrec.foundation.errors import InputError
from localrec.foundation.text import clean_name, clean_text
from localrec.sources.bulk_tables import BulkReader, BulkTable, RowFault, refuse_user
from localrec.sources.delimited_tables import DelimitedTable
from localrec.sources.domain_words import domain_of_header
from localrec.sources.film_rows import film_row, genre_links
from localrec.sources.import_log import ImportLog
from localrec.sources.protocols import Field, FilePreview
from localrec.sources.sql_cells import (
    clean_name_of,
    empty,
    moment_faults,
    moment_since_1970,
    number,
    rating_fault,
    stars,
    whole_number,
)
from localrec.sources.sql_tables import FlatFile, split_lines

_HEARD = ("artist_id", "track_id", "song_id")
_ITEMS = ("item_id", "product_id", *_HEARD, "business_id", "venue_id", "movie_id", "book_id")
_PLAYS = ("play_count", "playcount", "plays", "listen_count", "weight")  # of what is heard
_MOST_PLAYS = 1_000_000
_TITLES = ("movie_title", "title", "name", "item_name", "book_title", "product_name")
_YEARS = ("release_year", "year")
_GENRES = ("class", "genre", "genres", "categories", "tags")
_RATINGS = ("rating", "stars", "score", "label")
_TIMES = ("timestamp", "time")
_PRIVATE = ("zip_code", "zip", "postal_code", "address", "email", "phone")
_SCALES = (1, 5, 10, 100)
_ON_SCALE = 0.95  # of the ratings must lie on a scale; the others are errors in the file
_ENDINGS = (".item", ".inter", ".user")


class RecBoleSource:
    """Reads one atomic file, or those in a folder: at most one of each ending.

    Fields of items named after an attribute kind of the domain become links as well; every other
    field becomes a property.
    """

    kind = "recbole"
    domain = "movies"
    personal = False
    fields: tuple[Field, ...] = (
        Field(
            "item_id:token, or product_id, artist_id and the like; in .item also id",
            "the item's key",
        ),
        Field("movie_title:token_seq", "the item's name, its article in front; property `title`"),
        Field("release_year:token", "property `year`, and a link to the decade"),
        Field("class:token_seq", "links to genres"),
        Field("user_id:token", "the person's key"),
        Field("rating:float", "the rating, in stars; without one the item was seen"),
        Field("weight:float, play_count, beside artist_id or track_id", "played, and how often"),
        Field("timestamp:float", "when, in UTC"),
        Field("other fields of .item and .user", "properties, but for post codes and the like"),
        Field("other fields of .inter", "left out"),
    )

    def __init__(self, limits: FileLimits | None = None) -> None:
        self._limits = limits or FileLimits()

    def recognises(self, preview: FilePreview) -> bool:
        """Whether it is an atomic file with interactions or items, or a folder with one."""
        names = {preview.name, *preview.members} - {"u.item"}  # which is MovieLens' own
        return not preview.name.endswith(".zip") and any(
            name.endswith((".item", ".inter")) for name in names
        )

    def domain_of(self, path: Path) -> str:
        """Guess the domain of the items by the fields and the file's name; else products.

        Raises:
            InputError: no atomic file.
        """
        files = _find_files(path)
        told = files.get(".item") or files[".inter"]
        names = [field.name for field in AtomicTable(told, self._limits).fields]
        return domain_of_header(told, names) or "products"

    def read(
        self, path: Path, domain: Domain, user: str | None = None
    ) -> HistoryRows | BulkHistory:
        """Read items and people, and check every interaction.

        Raises:
            InputError: no atomic file, a needed field is missing, or nothing can be kept.
            UsageError: a user was named.
        """
        refuse_user(self.kind, user)
        files = _find_files(path)
        import_log = ImportLog(self.kind, path, domain.name)
        items: tuple[ItemRow, ...] = ()
        users: tuple[UserRow, ...] = ()
        if file := files.get(".item"):
            items = _read_items(AtomicTable(file, self._limits), file, domain, import_log)
        if file := files.get(".user"):
            users = _read_users(AtomicTable(file, self._limits), file, import_log)
        kept = len(items) + len(users)
        if file := files.get(".inter"):
            table = _interactions(file, self._limits, import_log)
            return table.history(import_log, items, users, more_kept=kept)
        report = import_log.report(kept=kept)
        return HistoryRows(items=items, interactions=(), users=users, report=report)


def _find_files(path: Path) -> dict[str, Path]:
    """Ending -> the file that has it."""
    if not path.is_dir():
        if path.suffix not in (".item", ".inter"):
            raise InputError(
                f"{path} ends in neither .item nor .inter.",
                "Name one of these, or the folder of atomic files.",
            )
        return {path.suffix: path}
    found = {}
    for ending in _ENDINGS:
        files = sorted(path.glob(f"*{ending}"))
        if len(files) > 1:
            raise InputError(
                f"{path} holds {len(files)} files that end in {ending}; one is needed.",
                "Name the file.",
            )
        if files:
            found[ending] = files[0]
    if not found.keys() & {".item", ".inter"}:
        raise InputError(
            f"{path} holds 0 files that end in .item or .inter; one is needed.", "Name the file."
        )
    return found


def _read_items(
    table: AtomicTable, file: Path, domain: Domain, import_log: ImportLog
) -> tuple[ItemRow, ...]:
    reader = _ItemReader(file, table.fields, domain, import_log)
    items: dict[str, ItemRow] = {}
    for row, cells in table.rows():
        item = reader.read_item(row, cells)
        if item is None:
            continue
        if item.key in items:
            import_log.merge(row, "item_id", f"({item.key}) is already there")
            continue
        items[item.key] = item
    for row, problem in table.ragged:
        import_log.drop(row, None, problem)
    if not items:
        raise InputError(
            f"{file} holds no item that can be kept: {import_log.first_drop()}.",
            "Each row needs an item_id and a title.",
        )
    return tuple(items.values())


class _ItemReader:
    """Turns rows into items, by the fields of one file and the kinds of one domain."""

    def __init__(
        self, path: Path, fields: tuple[AtomicField, ...], domain: Domain, import_log: ImportLog
    ) -> None:
        self._import_log = import_log
        self._domain = domain
        names = [field.name for field in fields]
        title = next((name for name in _TITLES if name in names), None)
        key = _item_field(names) or ("id" if "id" in names else None)
        if key is None or title is None:
            raise InputError(
                f"{path} lacks the field {'title' if key else 'item_id'}; "
                f"it has {', '.join(names)}.",
                f"An .item file needs item_id and one of {', '.join(_TITLES)}.",
            )
        self._key = key
        self._title = title
        self._year = next((name for name in _YEARS if name in names), None)
        self._link_kinds = self._find_link_kinds(names)
        taken = {self._key, self._title, self._year, *self._link_kinds}
        self._others = [field for field in fields if field.name not in taken]

    def read_item(self, row: int, cells: dict[str, str]) -> ItemRow | None:
        """The item of a row, or None where it was dropped (the receipt says why)."""
        key, title = clean_name(cells[self._key]), clean_name(cells[self._title])
        if not key or not title:
            self._import_log.drop(row, self._title if key else self._key, "is empty there")
            return None
        year = self._read_year(row, title, cells)
        properties = {
            field.name: _read_property(self._import_log, row, field, cells[field.name])
            for field in self._others
        }
        return film_row(key, title, year, self._read_links(cells), self._domain, properties)

    def _find_link_kinds(self, names: list[str]) -> dict[str, str]:
        """Field name -> attribute kind; genre-like fields play the domain's component."""
        component = self._domain.kind_of("component")
        kinds = {name: name for name in names if name in self._domain.attributes}
        if component is not None:
            kinds |= {name: component for name in names if name in _GENRES}
        return kinds

    def _read_year(self, row: int, title: str, cells: dict[str, str]) -> int | None:
        in_title = split_year(title)[1]
        if self._year is None:
            return in_title
        told = cells[self._year].strip()
        if re.fullmatch(r"1[89]\d\d|20\d\d", told, re.ASCII):
            return int(told)
        found = f"{in_title} was read from the title" if in_title else "it was left out"
        self._import_log.repair(row, self._year, f"{clean_name(told)!r} is no year; {found}")
        return in_title

    def _read_links(self, cells: dict[str, str]) -> Iterator[AttributeLink]:
        for field, kind in self._link_kinds.items():
            yield from genre_links(kind, cells[field].split())


def _read_users(table: AtomicTable, file: Path, import_log: ImportLog) -> tuple[UserRow, ...]:
    names = [field.name for field in table.fields]
    if "user_id" not in names:
        raise InputError(
            f"{file} lacks the field user_id; it has {', '.join(names)}.",
            "A .user file needs user_id.",
        )
    told = [field for field in table.fields if field.name not in ("user_id", *_PRIVATE)]
    users: dict[str, UserRow] = {}
    for row, cells in table.rows():
        key = clean_name(cells["user_id"])
        if not key:
            import_log.drop(row, f"{file.name}: user_id", "is empty there")
        elif key in users:
            import_log.merge(row, f"{file.name}: user_id", f"({key}) is already there")
        else:
            properties = {
                field.name: _read_property(import_log, row, field, cells[field.name])
                for field in told
            }
            users[key] = UserRow(key=key, properties=properties)
    for row, problem in table.ragged:
        import_log.drop(row, file.name, problem)
    return tuple(users.values())


def _read_property(import_log: ImportLog, row: int, field: AtomicField, cell: str) -> Scalar:
    if field.type != "float" or not cell.strip():
        return clean_text(cell)
    try:
        return float(cell)
    except ValueError:
        import_log.repair(row, field.name, f"{clean_name(cell)!r} is no number; left out")
        return None


class _Ratings(msgspec.Struct, frozen=True):
    """The findings of a first look at all interactions."""

    users_are_numbers: bool
    items_are_numbers: bool
    scale: int | None  # the top of the scale; None where nothing was rated


def _interactions(file: Path, limits: FileLimits, import_log: ImportLog) -> BulkTable:
    names = [field.name for field in AtomicTable(file, limits).fields]
    item = _item_field(names)
    if "user_id" not in names or item is None:
        raise InputError(
            f"{file} lacks the field {'item_id' if 'user_id' in names else 'user_id'}; "
            f"it has {', '.join(names)}.",
            "An .inter file needs user_id and item_id.",
        )
    flat = split_lines(file, names, "\t", limits=limits)
    rating = next((name for name in _RATINGS if name in names), None)
    time = next((name for name in _TIMES if name in names), None)
    seen = _look_at(flat, item, rating)
    columns, faults = {}, list(flat.faults)
    for column, name, is_number in (
        ("user_key", "user_id", seen.users_are_numbers),
        ("item_key", item, seen.items_are_numbers),
    ):
        cell = flat.cells[name]
        columns[column] = whole_number(cell) if is_number else clean_name_of(cell)
        faults.append(_lacks_key(name, column, is_number))
    if rating and seen.scale:
        columns["rating"] = stars(flat.cells[rating], 0, seen.scale)
        faults.append(rating_fault(rating, flat.cells[rating], 0, seen.scale))
        if seen.scale != 5:
            import_log.repair(1, rating, f"goes up to {seen.scale}; the top became five stars")
    elif rating:
        import_log.repair(1, rating, "is the same everywhere, so it is no verdict: items were seen")
    plays = next((name for name in _PLAYS if name in names and item in _HEARD), None)
    if plays and not rating:
        count = f"least(greatest(coalesce({number(flat.cells[plays])}, 1), 1), {_MOST_PLAYS})"
        columns |= {"event": "'played'", "times": f"CAST(floor({count}) AS INTEGER)"}
    if time:
        columns["at"] = moment_since_1970(flat.cells[time])
        faults.extend(moment_faults(time, flat.cells[time]))
    return BulkTable(
        read=flat.read,
        columns=columns,
        files=(file,),
        first_row=flat.first_row,
        faults=tuple(faults),
        blank=flat.blank,
    )


def _lacks_key(name: str, column: str, is_number: bool) -> RowFault:
    if is_number:
        return RowFault(name, f"{column} IS NULL", "is empty there", column)
    return empty(name, column)


def _item_field(names: Collection[str]) -> str | None:
    """The field that holds the key of an item."""
    return next((name for name in _ITEMS if name in names), None)


def _look_at(flat: FlatFile, item: str, rating: str | None) -> _Ratings:
    """One pass: are the keys numbers (which are a third faster to join), and what is the scale."""
    value = number(flat.cells[rating]) if rating else "CAST(NULL AS FLOAT)"
    on_scale = ", ".join(f"count(*) FILTER (value BETWEEN 0 AND {top})" for top in _SCALES)
    looks = ", ".join(
        f"bool_and({cell} = '' OR coalesce(CAST({whole_number(cell)} AS VARCHAR) = {cell}, false))"
        for cell in (flat.cells["user_id"], flat.cells[item])
    )
    with BulkReader([flat.path]) as reader:
        [[users, items, rated, low, high, *counts]] = reader.rows(
            f"SELECT {looks}, count(value), min(value), max(value), {on_scale} "
            f"FROM (SELECT *, {value} AS value FROM {flat.read}) WHERE NOT ({flat.blank})"
        )
    tops = [top for top, count in zip(_SCALES, counts, strict=True) if count >= _ON_SCALE * rated]
    if rated and not tops:
        raise InputError(
            f"{flat.path}: the field {rating} goes from {low:g} to {high:g}, which is no scale of "
            "ratings.",
            "Leave the field out, or import the file as kind table.",
        )
    is_verdict = rated and (low < high or high > 1)  # a 1 everywhere says only that it happened
    return _Ratings(bool(users), bool(items), tops[0] if is_verdict else None)


FieldType = Literal["token", "token_seq", "float", "float_seq"]


_TYPES = ("token", "token_seq", "float", "float_seq")


class AtomicField(msgspec.Struct, frozen=True):
    """One column: its name and what its cells hold."""

    name: str
    type: FieldType


class AtomicTable:
    """An opened atomic file: typed fields, and rows with those fields' names.

    Raises:
        InputError: no table, a header field without a known type, or a field named twice.
    """

    def __init__(self, path: Path, limits: FileLimits | None = None) -> None:
        self._table = DelimitedTable(path, limits, delimiter="\t", quoted=False)
        self.fields = tuple(self._read_field(written) for written in self._table.header)
        names = [field.name for field in self.fields]
        if repeated := [name for name in names if names.count(name) > 1]:
            raise InputError(
                f"{path}, row 1: the header names {repeated[0]!r} twice.", "Rename one of the two."
            )

    def rows(self) -> Iterator[tuple[int, dict[str, str]]]:
        """Each whole row as (row number, field name -> cell)."""
        for row, cells in self._table.rows():
            yield row, dict(zip((field.name for field in self.fields), cells.values(), strict=True))

    @property
    def ragged(self) -> list[tuple[int, str]]:
        """Rows of the wrong length with their problem, complete once `rows` has ended."""
        return self._table.ragged

    def _read_field(self, written: str) -> AtomicField:
        name, _, kind = written.rpartition(":")
        if not name or kind not in _TYPES:
            raise InputError(
                f"{self._table.path}, row 1: the header field {written!r} is not written as "
                f"name:type, with a type of {', '.join(_TYPES)}.",
                "Atomic files of RecBole have such a header.",
            )
        return AtomicField(name, cast(FieldType, kind))
