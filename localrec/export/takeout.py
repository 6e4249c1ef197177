"""Carrying out a plan: the right query into the right files, delivered together."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec

from localrec.domains import Domain, load_domain, shipped_domains
from localrec.errors import InputError, UsageError
from localrec.export.atomic import deliver_atomic
from localrec.export.delivery import deliver
from localrec.export.lists import ListedItem, read_list, stage_list
from localrec.export.plan import Plan
from localrec.export.profile import write_profile
from localrec.export.records import ExportedFile, ExportReport
from localrec.graph.exports import (
    count_watchlist,
    domains_of,
    domains_of_items,
    history_query,
    items_query,
    letterboxd_list_query,
    letterboxd_query,
    list_query,
    profile_query,
    watchlist_query,
)
from localrec.graph.lookup import near_people
from localrec.graph.outlet import TableFormat, WrittenTable, open_outlet, write_table
from localrec.graph.pictures import count_pictures
from localrec.graph.store import Store
from localrec.sources.text import clean_name

LETTERBOXD_BYTES = 1_000_000  # its importer takes no larger file

_Write = Callable[[Store, Path], WrittenTable]


class _Person(msgspec.Struct, frozen=True):
    key: str
    node_id: int


def take_out(store: Store, plan: Plan) -> ExportReport:
    """Write what the plan says; all of its files, or none.

    Raises:
        InputError: nobody of that key, no such list, or a target that takes no file.
        UsageError: the domain is not clear, or has no such format; a file exists already.
        WorkspaceError: the disk is full.
    """
    if plan.what == "list":
        return _take_out_list(store, plan, read_list(plan.listed))
    domain, person = _choose(store, plan)
    if plan.what is None:
        files = deliver_atomic(
            store, plan, domain, person.key if person else None, person.node_id if person else None
        )
    elif plan.what == "items" or person is None:
        query = items_query(store, domain, person.key if person else None)
        files = _deliver_tables(store, plan, {plan.out: _table(query, plan)})
    elif plan.form == "letterboxd":
        files = _take_out_films(store, plan, domain, person)
    elif plan.what == "profile":
        files = _deliver_tables(store, plan, {plan.out: _profile(domain, person, plan)})
    else:
        query = history_query(person.node_id)
        files = _deliver_tables(store, plan, {plan.out: _table(query, plan)})
    return _report(plan, domain, files, count_pictures(store, domain))


def _take_out_films(
    store: Store, plan: Plan, domain: Domain, person: _Person
) -> tuple[ExportedFile, ...]:
    """Films that were met; those wanted go into a second file.

    Letterboxd's importer marks every line of a file as watched; its watchlist has an import of its
    own.
    """
    _require_films(domain)
    writes = {plan.out: _csv(letterboxd_query(person.key, person.node_id))}
    if count_watchlist(store, person.node_id):
        beside = plan.out.with_name(f"{plan.out.stem}-watchlist{plan.out.suffix}")
        writes[beside] = _csv(watchlist_query(person.node_id))
    return _deliver_tables(store, plan, writes)


def _take_out_list(store: Store, plan: Plan, items: tuple[ListedItem, ...]) -> ExportReport:
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

    def write_staged(outlet: Store, path: Path) -> WrittenTable:
        with outlet.staged(staged_list=stage_list(items)):
            return write(outlet, path)

    return _report(plan, domain, _deliver_tables(store, plan, {plan.out: write_staged}))


def _deliver_tables(
    store: Store, plan: Plan, writes: dict[Path, _Write]
) -> tuple[ExportedFile, ...]:
    targets = list(writes)
    with (
        deliver(targets, force=plan.force, workspace=store.path.parent) as parts,
        open_outlet(store, parts) as outlet,
    ):
        return tuple(
            ExportedFile.of(target, part, writes[target](outlet, part))
            for target, part in zip(targets, parts, strict=True)
        )


def _table(query: str, plan: Plan) -> _Write:
    forms: dict[str, TableFormat] = {"csv": "csv", "json": "json", "parquet": "parquet"}
    return lambda outlet, path: write_table(outlet, query, path, forms[plan.form])


def _csv(query: str) -> _Write:
    return lambda outlet, path: write_table(outlet, query, path, "csv")


def _profile(domain: Domain, person: _Person, plan: Plan) -> _Write:
    query = profile_query(domain, person.key, person.node_id)
    if plan.form != "json":
        return _table(query, plan)
    return lambda outlet, path: write_profile(
        outlet, query, path, domain=domain.name, key=person.key, user_id=person.node_id
    )


def _require_films(domain: Domain) -> None:
    if domain.name != "movies":
        raise UsageError(
            f"Letterboxd knows films, and these are {domain.plural}.", "Export them as csv or json."
        )


def _choose(store: Store, plan: Plan) -> tuple[Domain, _Person | None]:
    """The domain and the person of a plan.

    Raises:
        InputError: nobody of that key is known.
        UsageError: there are several domains to choose from, or not the one asked for.
    """
    user = clean_name(plan.user) if plan.user is not None else None
    if user is None:
        present = dict.fromkeys(_domains_present(store), 0)
    elif not (present := domains_of(store, user)):
        raise InputError(
            f"Nobody here is called {user!r}.",
            near_people(store, user) or "Check the key given with --user.",
        )
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
    return load_domain(name), None if user is None else _Person(user, present[name])


def _domains_present(store: Store) -> list[str]:
    rows = store.rows("SELECT domain, kind FROM node GROUP BY ALL ORDER BY domain")
    shipped = shipped_domains()
    return [name for name, kind in rows if name in shipped and load_domain(name).item == kind]


def _report(
    plan: Plan, domain: Domain, files: tuple[ExportedFile, ...], pictures: int = 0
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
