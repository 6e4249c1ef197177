"""Flat catalogues, one JSON object an item, as workspaces that questions can be put to."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from findings import say

from localrec.data.domains import Domain
from localrec.data.rows import (
    AttributeLink,
    CatalogueRows,
    Event,
    HistoryRows,
    ImportReport,
    InteractionRow,
    ItemRow,
)
from localrec.data.titles import restore_article
from localrec.foundation.errors import InputError
from localrec.graph.domain_files import load_domain
from localrec.graph.store import Store
from localrec.sources import open_source
from localrec.sources.catalogues.families import propose_families
from localrec.sources.dataset_catalog import fetch_dataset, find_dataset
from localrec.workspace import OpenWorkspace
from localrec.workspace.domain_context import DomainContext, SharedIndexes
from localrec.workspace.import_service import ImportService

HERE = Path(__file__).resolve().parent / "catalogues"
Row = dict[str, Any]
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")

# Domain of the questions -> the domain that reads them, and its kind of attribute for each field.
# A field without a kind is a property under its own name.
DOMAINS: dict[str, tuple[str, Mapping[str, str]]] = {
    "drinks": ("cocktails", {}),
    "films": ("movies", {"genres": "genre", "decade": "decade"}),
    "books": ("books", {"authors": "author", "series": "series", "language": "language"}),
    "music": ("music", {"artist": "artist", "album": "album", "tag": "tag"}),
    "wines": (
        "wines",
        {
            "variety": "variety",
            "winery": "winery",
            "country": "country",
            "province": "province",
            "regions": "region",
            "taster": "taster",
        },
    ),
    "games": (
        "games",
        {"mechanics": "mechanic", "categories": "category", "designers": "designer"},
    ),
}


class AskedCatalogue:
    """One catalogue: its rows as they stand in the file, and a context that answers about it.

    Args:
        name: Domain of the questions ("films").
        path: The flat catalogue.
        state: Where the built workspace stays.
    """

    def __init__(self, name: str, path: Path, state: Path) -> None:
        if name not in DOMAINS:
            raise InputError(f"No domain is called {name!r}.", f"Known: {', '.join(DOMAINS)}.")
        self.name = name
        self.rows = [msgspec.json.decode(line, type=Row) for line in path.read_bytes().splitlines()]
        self.domain = _with_families(_domain(DOMAINS[name][0]), self.rows, DOMAINS[name][1])
        derived = ("year",) * ("year" in self.domain.numbers and "year" not in self.rows[0])
        stored = (self.domain.attributes, self.domain.texts, self.domain.taxonomy, *derived)
        unknown = any(row.get(name) == 0 for row in self.rows for name in self.domain.numbers)
        declared = repr((stored, "0 is not known") if unknown else stored).encode()
        mark = hashlib.sha256(path.read_bytes() + declared).hexdigest()[:12]
        self._folder = state / f"{name}-{mark}"
        if not (self._folder / "ready").is_file():
            say(f"Building the workspace of {name}.")
            with OpenWorkspace(self._folder, writable=True) as workspace:
                self._fill(workspace)
            (self._folder / "ready").touch()

    def name_of(self, key: str, name: str) -> str:
        """The name of an item as the file writes it."""
        number = key.removeprefix("i")
        written = key != number and number.isdigit() and self.name != "drinks"
        return str(self.rows[int(number)]["name"]) if written else name

    def rows_named(self, name: str) -> list[Row]:
        """The rows of a name; a catalogue may hold one twice."""
        return self._by_name.get(name.casefold(), [])

    def open(self, histories: Mapping[str, Row]) -> tuple[OpenWorkspace, DomainContext]:
        """Open the workspace with the histories of those who ask, user -> `rated`, `wanted`."""
        self._by_name: dict[str, list[Row]] = {}
        for row in self.rows:
            self._by_name.setdefault(row["name"].casefold(), []).append(row)
        if histories:
            with OpenWorkspace(self._folder, writable=True) as workspace:
                self._add_histories(workspace, histories)
        workspace = OpenWorkspace(self._folder)
        return workspace, self._context(workspace)

    def _context(self, workspace: OpenWorkspace) -> DomainContext:
        return DomainContext(
            SharedIndexes(
                workspace.store,
                self._folder / "indexes",
                workspace.settings,
                workspace.models,
                self.domain,
            )
        )

    def _imports(self, workspace: OpenWorkspace) -> ImportService:
        return ImportService(
            workspace.store,
            workspace.settings,
            workspace.models,
            self._folder / "indexes",
            lambda _: self._context(workspace),
            lambda: None,
        )

    def _fill(self, workspace: OpenWorkspace) -> None:
        if self.name == "drinks":
            source = open_source(find_dataset("cocktails").kind)
            table = source.read(fetch_dataset("cocktails"), self.domain)
        else:
            fields = DOMAINS[self.name][1]
            items = tuple(
                _item(number, row, fields, self.domain) for number, row in enumerate(self.rows)
            )
            table = CatalogueRows(items=items, report=_report(self.name, len(items)))
        self._imports(workspace).import_items(table, self.domain, lambda *_: None)

    def _add_histories(self, workspace: OpenWorkspace, histories: Mapping[str, Row]) -> None:
        keys = _keys(workspace.store, self.domain)
        keys |= {row["name"]: f"i{n}" for n, row in enumerate(self.rows) if self.name != "drinks"}
        told = [
            InteractionRow(user=user, item=keys[name], event=Event.RATED, rating=float(stars))
            for user, history in histories.items()
            for name, stars in history.get("rated", ())
            if name in keys
        ]
        told += [
            InteractionRow(user=user, item=keys[name], event=Event.WANTED)
            for user, history in histories.items()
            for name in history.get("wanted", ())
            if name in keys
        ]
        report = _report("histories", len(told))
        rows = HistoryRows(items=(), interactions=tuple(told), report=report)
        self._imports(workspace).import_history(rows, self.domain, None, embed=False)


def _domain(name: str) -> Domain:
    folder = HERE / f"{name}.toml"
    if not folder.is_file():
        return load_domain(name)
    import tomllib

    return msgspec.convert(tomllib.loads(folder.read_text("utf-8")), Domain)


def _with_families(domain: Domain, rows: Sequence[Row], fields: Mapping[str, str]) -> Domain:
    """Give a domain without a taxonomy the families that `localrec domains new` proposes."""
    if domain.taxonomy or not fields:
        return domain
    common: dict[str, Counter[str]] = {}
    for row in rows:
        for field, kind in fields.items():
            told = row.get(field) or ()
            common.setdefault(kind, Counter()).update(told if isinstance(told, list) else [told])
    names = {kind: [name for name, _ in count.most_common()] for kind, count in common.items()}
    proposed = propose_families(domain.attributes, names)
    return msgspec.structs.replace(domain, taxonomy=proposed)


def _item(number: int, row: Row, fields: Mapping[str, str], domain: Domain) -> ItemRow:
    links = [
        AttributeLink(kind=fields[field], name=str(value))
        for field, values in row.items()
        if field in fields and fields[field] in domain.attributes
        for value in (values if isinstance(values, list) else [values])
    ]
    year = row.get("year")
    if year is None and "year" in domain.numbers and (told := _YEAR.search(row["name"])):
        year = int(told.group())  # a wine's vintage, as `localrec domains new` reads it
        row = {**row, "year": year}
    if "decade" in domain.attributes and "decade" not in row and isinstance(year, int):
        links.append(AttributeLink(kind="decade", name=f"{year // 10}0s"))
    plain = {
        field: value
        for field, value in row.items()
        if field not in fields and field != "name" and isinstance(value, str | int | float)
        if value != 0 or field not in domain.numbers  # not known, as an import reads it
    }
    return ItemRow(
        key=f"i{number}", name=restore_article(row["name"]), properties=plain, links=tuple(links)
    )


def _keys(store: Store, domain: Domain) -> dict[str, str]:
    rows = store.rows(
        "SELECT name, key FROM node WHERE domain = ? AND kind = ? ORDER BY node_id DESC",
        [domain.name, domain.item],
    )
    return dict(rows)


def _report(source: str, count: int) -> ImportReport:
    return ImportReport(
        source=source, path=source, domain=source, read=count, kept=count, merged=0, dropped=0
    )
