"""Do made exports with planted faults come in right: what is kept, and what is told?

For each layout 1,000 rows are made up, some of them (every fourth of an export, every twelfth of a
data set, which loses a row for a bad cell) with a fault, and written as the service writes them.
Then the file is read; a data set goes into a store. What was kept and what the receipt tells (row
and action) is compared with what was planted: of an export title, event, rating, moment and times,
of a catalogue names, ingredients with measures, glass and category, of a data set every interaction
and every thing that stands in the store.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
from dataset_layouts import DATASETS, Dataset
from drink_layouts import DRINK_LAYOUTS
from export_faults import Row, faulty_rows
from export_layouts import Layout
from findings import Findings, origin_of
from library_layouts import ALL_LAYOUTS

from localrec.data.domains import Domain
from localrec.data.rows import BulkHistory, CatalogueRows, HistoryRows, ImportReport
from localrec.evaluation.provenance import Origin
from localrec.evaluation.reporting.markdown import markdown_table
from localrec.graph.domain_files import load_domain
from localrec.graph.history_ingest import ingest_bulk, ingest_history
from localrec.graph.store import Store
from localrec.sources import detect_kind, domain_of_file, open_source, read_export
from localrec.sources.catalogues.records import open_records
from localrec.sources.table_guess import propose_mapping
from localrec.sources.table_history import read_history


class Agreement(msgspec.Struct, frozen=True):
    """How far what was found is what should be: the shares of either that are in the other."""

    precision: float
    recall: float


class RoundTrip(msgspec.Struct, frozen=True, kw_only=True):
    """What came of one layout.

    Args:
        layout: Its name.
        kind: As what `import auto` recognised it.
        rows: Rows that were written.
        faults: Kinds of faults among them.
        faulty: Rows with a fault.
        kept: Of the interactions.
        told: Of the lines of the receipt.
        adds_up: Whether the rows read are those kept, merged, dropped and set apart.
    """

    layout: str
    kind: str
    rows: int
    faults: int
    faulty: int
    kept: Agreement
    told: Agreement
    adds_up: bool


class RoundTrips(msgspec.Struct, frozen=True, kw_only=True):
    """All layouts, and how the figures were made."""

    origin: Origin
    trips: tuple[RoundTrip, ...]


def add_options(parser: argparse.ArgumentParser) -> None:
    """How many rows, and which layouts."""
    parser.add_argument("--rows", type=int, default=1_000, help="of each export")
    parser.add_argument("--only", default="", help="layouts whose name holds this")


def measure(asked: argparse.Namespace) -> Findings:
    """Make, write, read and compare."""
    trips = tuple(
        trip(layout, asked.rows)
        for layouts, trip in TRIPS
        for layout in layouts
        if asked.only in layout.name
    )
    rows = [
        (
            one.layout,
            one.kind,
            str(one.faults),
            str(one.faulty),
            _both(one.kept),
            _both(one.told),
        )
        for one in trips
    ]
    header = ("layout", "kind", "kinds of faults", "faulty", "kept", "told")
    return Findings(
        text=markdown_table(header, rows),
        figures=RoundTrips(origin=origin_of("export_round_trips"), trips=trips),
        block="export-round-trips",
        exit_code=int(any(not is_perfect(one) for one in trips)),
    )


def is_perfect(trip: RoundTrip) -> bool:
    """Whether everything is as it should be."""
    return trip.kept == trip.told == Agreement(1.0, 1.0) and trip.adds_up


def round_trip(layout: Layout, count: int) -> RoundTrip:
    """Make an export or catalogue of `count` rows, read it, and compare."""
    planted = list(faulty_rows(layout, count))
    with tempfile.TemporaryDirectory() as made:
        path = layout.write(Path(made), layout, planted)
        kind = detect_kind(path)
        domain = load_domain(domain_of_file(kind, path))
        personal = getattr(open_source(kind), "personal", False)
        read = read_export(kind, path, domain, "anna" if personal else None)
    assert not isinstance(read, BulkHistory)
    kept = _drinks_of(read) if isinstance(read, CatalogueRows) else _kept_by(read)
    expected = Counter(row.expected for row in planted if row.expected is not None)
    return compared(layout.name, kind, [(layout, planted)], Counter(kept), expected, read.report)


def dataset_trip(made: Dataset, count: int) -> RoundTrip:
    """Make a data set of `count` ratings, store it, and compare what is in the store."""
    interactions = list(faulty_rows(made.interactions, count))
    things = [] if made.things is None else list(faulty_rows(made.things, count))
    with tempfile.TemporaryDirectory() as folder:
        (home := Path(folder) / "data").mkdir()
        path = made.write(home, interactions, things)
        kind, domain, read = _read_guessed(path) if made.guessed else _read_dataset(path)
        files = read.files if isinstance(read, BulkHistory) else ()
        with Store.open_(Path(folder) / "store.duckdb", may_read=files) as store:
            if isinstance(read, BulkHistory):
                report = ingest_bulk(store, domain, read)
            else:
                report = ingest_history(store, domain, read, None)
            kept = Counter([*_interactions_in(store), *_things_in(store, domain)])
    wanted = [row.expected for row in interactions if row.expected is not None]
    expected = Counter([*wanted, *_things_of(made, interactions, things)])
    parts: list[tuple[Layout, list[Row]]] = [(made.interactions, interactions)]
    if made.things is not None:
        parts.append((made.things, things))
    return compared(made.name, kind, parts, kept, expected, report)


def compared(
    name: str,
    kind: str,
    parts: Sequence[tuple[Layout, list[Row]]],
    kept: Counter[Any],
    expected: Counter[Any],
    report: ImportReport,
) -> RoundTrip:
    """How far what was kept and told of some files is what was planted in them."""
    told = Counter((one.row, one.action) for one in report.problems)
    wanted = Counter(place for layout, rows in parts for place in told_of(layout, rows))
    planted = [row for _, rows in parts for row in rows]
    return RoundTrip(
        layout=name,
        kind=kind,
        rows=len(planted),
        faults=len({row.fault for row in planted if row.fault}),
        faulty=sum(bool(row.fault) for row in planted),
        kept=agreement(kept, expected),
        told=agreement(told, wanted),
        adds_up=_adds_up(report, parts),
    )


def told_of(layout: Layout, rows: Iterable[Row]) -> Iterator[tuple[int, str]]:
    """What the receipt should say: the number of a row, and what became of it."""
    place = layout.first_row
    for row in rows:
        lines = 1 if row.shape == "blank" else layout.lines
        for action in row.told:
            if action == "merged" and not layout.names_doubles:
                continue
            yield from (
                (place + line, action) for line in range(lines if action == "dropped" else 1)
            )
        place += lines


def agreement(found: Counter[Any], wanted: Counter[Any]) -> Agreement:
    """Precision and recall of one collection against another."""
    both = (found & wanted).total()
    return Agreement(
        both / found.total() if found else float(not wanted),
        both / wanted.total() if wanted else float(not found),
    )


def _kept_by(read: HistoryRows) -> Iterator[tuple[Any, ...]]:
    """Every interaction, of series beside films too, under the name of its item."""
    names = {item.key: item.name for item in read.items}
    for one in read.interactions:
        rating = None if one.rating is None else round(one.rating, 3)
        yield names[one.item], one.event.value, rating, one.at, one.times
    for _, beside in read.beside:
        yield from _kept_by(beside)


def _adds_up(report: ImportReport, parts: Sequence[tuple[Layout, list[Row]]]) -> bool:
    """Whether every written row is read, and each is kept, merged, dropped or set apart."""
    written = merged = dropped = apart = 0
    for layout, rows in parts:
        for row in (row for row in rows if row.shape != "blank"):
            written += layout.lines
            gathered = 0 if "dropped" in row.told else layout.lines - 1
            merged += gathered + ("merged" in row.told)
            dropped += layout.lines * ("dropped" in row.told)
            apart += row.apart
    counted = report.kept + report.merged + report.dropped + report.apart
    return (report.read, report.merged, report.dropped, report.apart) == (
        written,
        merged,
        dropped,
        apart,
    ) and report.read == counted


def _drinks_of(read: CatalogueRows) -> Iterator[tuple[Any, ...]]:
    """Every drink: name, ingredients with their measures, glass, category."""
    for item in read.items:
        links = {
            kind: [(link.name, link.value) for link in item.links if link.kind == kind]
            for kind in ("ingredient", "glass", "category")
        }
        glass, category = (
            ", ".join(name for name, _ in links[kind]) for kind in ("glass", "category")
        )
        yield item.name, tuple(links["ingredient"]), glass, category


def _read_dataset(path: Path) -> tuple[str, Domain, HistoryRows | BulkHistory]:
    kind = detect_kind(path) if path.is_dir() or path.suffix != ".csv" else "table"
    domain = load_domain(domain_of_file(kind, path))
    read = read_export(kind, path, domain)
    assert not isinstance(read, CatalogueRows)
    return kind, domain, read


def _read_guessed(path: Path) -> tuple[str, Domain, HistoryRows | BulkHistory]:
    """As `import auto --accept --domain books` reads a table of what users did."""
    table = open_records(path)
    mapping = propose_mapping(table, None)
    assert mapping is not None
    domain = load_domain("books")
    return "table", domain, read_history(table, mapping, domain, None)


def _interactions_in(store: Store) -> Iterator[tuple[Any, ...]]:
    """Every interaction of a store: user, item, event, stars, moment."""
    rows = store.rows(
        'SELECT u.key, i.key, event, rating, "at" FROM interaction x '
        "JOIN node u ON u.node_id = user_id JOIN node i ON i.node_id = item_id"
    )
    for user, item, event, rating, at in rows:
        yield user, item, event, None if rating is None else round(rating, 3), at


def _things_in(store: Store, domain: Domain) -> Iterator[tuple[str, str, int | None]]:
    """Every item of a store: name, key, year."""
    rows = store.rows("SELECT name, key, properties FROM node WHERE kind = ?", [domain.item])
    for name, key, properties in rows:
        yield name, key, json.loads(properties).get("year")


def _things_of(
    made: Dataset, interactions: Iterable[Row], things: Iterable[Row]
) -> set[tuple[Any, ...]]:
    """What items there should be: those of the list, and what is done with others."""
    listed = {row.expected[1]: row.expected for row in things if row.expected is not None}
    for row in interactions:
        if row.expected is not None:
            key = row.expected[1]
            name = key if made.things else row.cells["Title"]
            listed.setdefault(key, (name, key, None))
    return set(listed.values())


def _both(found: Agreement) -> str:
    return f"{found.precision:.3f} / {found.recall:.3f}"


TRIPS = (((*ALL_LAYOUTS, *DRINK_LAYOUTS), round_trip), (DATASETS, dataset_trip))
