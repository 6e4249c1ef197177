"""Do made exports with planted faults come in right: what is kept, and what is told?

For each layout 1,000 rows are made up, every fourth one with a fault of one of the kinds below, and
written as the service writes them. Then the export is read. What was kept (title, event, rating,
moment, times) and what the receipt tells (row and action) is compared with what was planted.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec
from export_faults import Row, faulty_rows
from export_layouts import Layout
from findings import Findings, origin_of
from library_layouts import ALL_LAYOUTS

from localrec.data.rows import HistoryRows
from localrec.evaluation.provenance import Origin
from localrec.evaluation.reporting.markdown import markdown_table
from localrec.graph.domain_files import load_domain
from localrec.sources import detect_kind, open_source, read_export


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
    chosen = [layout for layout in ALL_LAYOUTS if asked.only in layout.name]
    trips = tuple(round_trip(layout, asked.rows) for layout in chosen)
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
    """Make an export of `count` rows, read it, and compare."""
    planted = list(faulty_rows(layout, count))
    with tempfile.TemporaryDirectory() as made:
        path = layout.write(Path(made), layout, planted)
        kind = detect_kind(path)
        source = open_source(kind)
        read = read_export(kind, path, load_domain(source.domain), "anna")
    assert isinstance(read, HistoryRows)
    report = read.report
    told = Counter((one.row, one.action) for one in report.problems)
    wanted = Counter(
        (number, action) for number, row in numbered(layout, planted) for action in row.told
    )
    expected = Counter(row.expected for row in planted if row.expected is not None)
    return RoundTrip(
        layout=layout.name,
        kind=kind,
        rows=len(planted),
        faults=len({row.fault for row in planted if row.fault}),
        faulty=sum(bool(row.fault) for row in planted),
        kept=agreement(Counter(_kept_by(read)), expected),
        told=agreement(told, wanted),
        adds_up=_adds_up(report, planted),
    )


def numbered(layout: Layout, rows: Iterable[Row]) -> Iterator[tuple[int, Row]]:
    """Each row with the number that the receipt gives it."""
    return enumerate(rows, layout.first_row)


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


def _adds_up(report: Any, planted: list[Row]) -> bool:
    """Whether every written row is read, and each is kept, merged, dropped or set apart."""
    told = Counter(action for row in planted for action in row.told)
    written = sum(row.shape != "blank" for row in planted)
    counted = report.kept + report.merged + report.dropped + report.apart
    return (report.read, report.merged, report.dropped, report.apart) == (
        written,
        told["merged"],
        told["dropped"],
        sum(row.apart for row in planted),
    ) and report.read == counted


def _both(found: Agreement) -> str:
    return f"{found.precision:.3f} / {found.recall:.3f}"
