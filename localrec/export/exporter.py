"""Run an export plan: query the store, write the files, deliver them together."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from localrec.data.domains import Domain
from localrec.export.delivery import deliver
from localrec.export.plan import ExportPlan
from localrec.export.recbole import export_recbole
from localrec.export.records import ExportedFile, ExportReport
from localrec.foundation.bounded_files import FileLimits, read_json
from localrec.foundation.errors import InputError, UsageError
from localrec.foundation.text import clean_name, clean_text
from localrec.graph.domain_files import has_items_of_kind, known_domains, load_domain
from localrec.graph.export_queries import (
    count_watchlist,
    domains_of_items,
    domains_of_user,
    history_query,
    items_query,
    letterboxd_list_query,
    letterboxd_query,
    list_query,
    profile_query,
    watchlist_query,
)
from localrec.graph.image_store import count_item_images
from localrec.graph.item_lookup import nobody_called
from localrec.graph.store import Columns, Store
from localrec.graph.table_writer import TableFormat, WrittenTable, open_table_writer, write_table

LETTERBOXD_BYTES = 1_000_000  # its importer takes no larger file

_Write = Callable[[Store, Path], WrittenTable]


class _UserNode(msgspec.Struct, frozen=True):
    key: str
    node_id: int


def run_export(store: Store, plan: ExportPlan) -> ExportReport:
    """Write all files of a plan, or none.

    Raises:
        InputError: no such list, or a target that takes no file.
        UsageError: the domain is not clear, or has no such format; a file exists already.
        WorkspaceError: the disk is full.
    """
    if plan.what == "list":
        return _take_out_list(store, plan, read_list(plan.listed))
    domain, user = _choose(store, plan)
    if plan.what is None:
        files = export_recbole(
            store, plan, domain, user.key if user else None, user.node_id if user else None
        )
    elif plan.what == "items" or user is None:
        query = items_query(store, domain, user.key if user else None)
        files = _deliver_tables(store, plan, {plan.out: _table(query, plan)})
    elif plan.form == "letterboxd":
        files = _take_out_films(store, plan, domain, user)
    elif plan.what == "profile":
        files = _deliver_tables(store, plan, {plan.out: _profile(domain, user, plan)})
    else:
        query = history_query(user.node_id)
        files = _deliver_tables(store, plan, {plan.out: _table(query, plan)})
    return _report(plan, domain, files, count_item_images(store, domain))


def _take_out_films(
    store: Store, plan: ExportPlan, domain: Domain, user: _UserNode
) -> tuple[ExportedFile, ...]:
    """Write the films that the user met; wanted films go into a second file.

    Letterboxd's importer marks every line of a file as watched; its watchlist has an import of its
    own.
    """
    _require_films(domain)
    writes = {plan.out: _csv(letterboxd_query(user.key, user.node_id))}
    if count_watchlist(store, user.node_id):
        beside = plan.out.with_name(f"{plan.out.stem}-watchlist{plan.out.suffix}")
        writes[beside] = _csv(watchlist_query(user.node_id))
    return _deliver_tables(store, plan, writes)


def _take_out_list(store: Store, plan: ExportPlan, items: tuple[ListedItem, ...]) -> ExportReport:
    counts = domains_of_items(store, [item.key for item in items])
    name = plan.domain or next(iter(counts), None)
    if name is None:
        raise InputError(
            "None of the list's items is in this workspace.", "Name another with --workspace."
        )
    domain = load_domain(name)
    if plan.form == "letterboxd":
        _require_films(domain)
        write = _csv(letterboxd_list_query(domain))
    else:
        write = _table(list_query(domain), plan)

    def write_staged(writer: Store, path: Path) -> WrittenTable:
        with writer.staged(staged_list=stage_list(items)):
            return write(writer, path)

    return _report(plan, domain, _deliver_tables(store, plan, {plan.out: write_staged}))


def _deliver_tables(
    store: Store, plan: ExportPlan, writes: dict[Path, _Write]
) -> tuple[ExportedFile, ...]:
    targets = list(writes)
    with (
        deliver(targets, force=plan.force, workspace=store.path.parent) as parts,
        open_table_writer(store, parts) as writer,
    ):
        return tuple(
            ExportedFile.of(target, part, writes[target](writer, part))
            for target, part in zip(targets, parts, strict=True)
        )


def _table(query: str, plan: ExportPlan) -> _Write:
    forms: dict[str, TableFormat] = {"csv": "csv", "json": "json", "parquet": "parquet"}
    return lambda writer, path: write_table(writer, query, path, forms[plan.form])


def _csv(query: str) -> _Write:
    return lambda writer, path: write_table(writer, query, path, "csv")


def _profile(domain: Domain, user: _UserNode, plan: ExportPlan) -> _Write:
    query = profile_query(domain, user.key, user.node_id)
    if plan.form != "json":
        return _table(query, plan)
    return lambda writer, path: write_profile(
        writer, query, path, domain=domain.name, key=user.key, user_id=user.node_id
    )


def _require_films(domain: Domain) -> None:
    if domain.name != "movies":
        raise UsageError(
            f"Letterboxd knows films, and these are {domain.plural}.", "Export them as csv or json."
        )


def _choose(store: Store, plan: ExportPlan) -> tuple[Domain, _UserNode | None]:
    """Find the domain and the user of a plan.

    Raises:
        UsageError: nobody of that key is known, there are several domains to choose from, or not
            the one asked for.
    """
    user = clean_name(plan.user) if plan.user is not None else None
    if user is None:
        present = dict.fromkeys(_domains_present(store), 0)
    elif not (present := domains_of_user(store, user)):
        raise nobody_called(store, user)
    if plan.domain is not None and plan.domain not in present:
        raise UsageError(
            f"There is nothing about {plan.domain!r} to export.",
            f"There is: {', '.join(present) or 'nothing yet'}.",
        )
    if not present:
        raise InputError("There is nothing to export yet.", "Import something first.")
    if plan.domain is None and len(present) > 1:
        raise UsageError(f"There are {' and '.join(present)}.", "Choose one with --domain.")
    name = plan.domain or next(iter(present))
    return load_domain(name), None if user is None else _UserNode(user, present[name])


def _domains_present(store: Store) -> list[str]:
    rows = store.rows("SELECT domain, kind FROM node GROUP BY ALL ORDER BY domain")
    shipped = known_domains()
    return [name for name, kind in rows if name in shipped and has_items_of_kind(name, kind)]


def _report(
    plan: ExportPlan, domain: Domain, files: tuple[ExportedFile, ...], pictures: int = 0
) -> ExportReport:
    notes = []
    if count := sum(file.defused for file in files):
        notes.append(
            f"{count} texts begin like a formula: they carry an apostrophe in front, which an "
            "import would keep. JSON and Parquet hold every text as it is."
        )
    if plan.form == "letterboxd":
        notes += [
            f"Letterboxd takes files up to 1 MB; {file.path} is larger. Split it."
            for file in files
            if file.bytes > LETTERBOXD_BYTES
        ]
    if pictures and plan.what == "items":
        notes.append(
            f"{pictures:,} of the {domain.plural} have a picture here, which no table can hold."
        )
    return ExportReport(
        what=plan.what or "everything",
        format=plan.form,
        domain=domain.name,
        files=files,
        notes=tuple(notes),
    )


_REMEDY = "Make one: localrec recommend --user KEY --json > list.json"


class ListedItem(msgspec.Struct, frozen=True):
    """One line of a list; other fields of the document are ignored."""

    rank: int
    key: str
    name: str
    score: float | None = None
    reason: str | None = None


class _ListDocument(msgspec.Struct, frozen=True):
    items: tuple[ListedItem, ...]


def read_list(path: Path | None) -> tuple[ListedItem, ...]:
    """Read the items of a list from a file, or from stdin for None; texts come out cleaned.

    Raises:
        InputError: no such document, or a list of nothing.
    """
    document = _read_stdin() if path is None else read_json(path, FileLimits(), _ListDocument)
    if not document.items:
        raise InputError(f"{path or 'The list on stdin'} holds no item.", _REMEDY)
    return tuple(
        msgspec.structs.replace(
            item,
            key=clean_name(item.key),
            name=clean_name(item.name),
            reason=clean_text(item.reason) or None,
        )
        for item in document.items
    )


def stage_list(items: tuple[ListedItem, ...]) -> Columns:
    """Write a list as columns for `Store.staged`, without NaN scores and empty reasons."""
    columns: Columns = {
        "rank": np.array([one.rank for one in items], dtype=np.int64),
        "score": np.array([np.nan if one.score is None else one.score for one in items]),
    }
    for name in ("key", "name", "reason"):
        columns[name] = np.array([getattr(one, name) or "" for one in items], dtype=object)
    return columns


def _read_stdin() -> _ListDocument:
    most = FileLimits().json_bytes
    text = sys.stdin.buffer.read(most + 1)
    if len(text) > most:
        raise InputError("The list on stdin is too large.", _REMEDY)
    try:
        return msgspec.json.decode(text, type=_ListDocument)
    except msgspec.DecodeError as error:
        raise InputError(f"What stdin holds is no list: {error}.", _REMEDY) from error


class ShelfEntry(msgspec.Struct, frozen=True):
    """An item on the user's shelf, and since when."""

    kind: str
    key: str
    name: str
    at: str


class AttributeStatistics(msgspec.Struct, frozen=True):
    """A user's ratings of the items that have one attribute.

    `average` is that of `ratings` rated items, in stars; the newest of like and dislike counts.
    """

    kind: str
    key: str
    name: str
    average: float | None
    ratings: int
    liked: int
    disliked: int


class ExportedProfile(msgspec.Struct, frozen=True, kw_only=True):
    """The profile of a user in one domain, without the single interactions.

    `events` counts what they did; `ratings` says how often they gave how many stars.
    """

    user: str = msgspec.field(name="person")
    domain: str
    properties: dict[str, Any] = {}
    events: dict[str, int] = {}
    ratings: dict[str, int] = {}
    shelf: tuple[ShelfEntry, ...] = ()
    attributes: tuple[AttributeStatistics, ...] = ()


def write_profile(
    writer: Store, query: str, path: Path, *, domain: str, key: str, user_id: int
) -> WrittenTable:
    """Turn the long table of `profile_query` into a document, and count its entries."""
    sections: dict[str, list[tuple[Any, ...]]] = {}
    rows = writer.rows(query)
    for section, *row in rows:
        sections.setdefault(section, []).append(tuple(row))
    # Not from the table, in which every value is a text.
    properties = writer.rows(f"SELECT properties FROM node WHERE node_id = {user_id}")[0][0]
    profile = ExportedProfile(
        user=key,
        domain=domain,
        properties=msgspec.json.decode(properties),
        events={row[1]: row[4] for row in sections.get("event", ())},
        ratings={row[1]: row[4] for row in sections.get("rating", ())},
        shelf=tuple(ShelfEntry(*row[:4]) for row in sections.get("shelf", ())),
        attributes=tuple(
            AttributeStatistics(kind, name_key, name, average, count, liked, disliked)
            for kind, name_key, name, _, count, average, liked, disliked in sections.get(
                "attribute", ()
            )
        ),
    )
    path.write_bytes(msgspec.json.format(msgspec.json.encode(profile)) + b"\n")
    return WrittenTable(len(rows))
