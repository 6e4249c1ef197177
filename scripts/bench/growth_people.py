"""Measure how a bulk import and a person's list grow with the ratings, up to a hundred millions.

Run:
    python scripts/studies/run.py growth_people [--rows 100000 1000000] [--report]

Histories of MovieLens' kind (see people.py), all over the same films and with the same diligence,
so that more ratings are more people. Each size is imported by the program itself and asked for
lists in processes of their own, whose peak memory is measured. An exponent of 1 means that a
figure grows in step with the ratings, 0 that it does not grow. The largest size takes 12 GB in the
folder (TMPDIR moves it), which is removed before the next.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import msgspec
from findings import Findings, origin_of, say
from growth import exponent, picture_of_curves
from people import FILMS, Measured, measure_all

from localrec.evaluation.provenance import Origin
from localrec.evaluation.reporting.markdown import markdown_table

RATINGS_OF_ONE = 154  # of a person, in the mean of what is generated
CHART = "bench-growth-people.svg"
FIGURES = {
    "import, s": "import_s",
    "DuckDB's bare read of the file, s": "plain_s",
    "peak memory of the import, MB": "import_peak_mb",
    "store, MB": "store_mb",
    "opening, s": "open_s",
    "a person's list of ten, median ms": "list_median_ms",
    "the same, 95th percentile": "list_p95_ms",
    "one scan of the table, median ms": "scan_median_ms",
    "peak memory of opening and lists, MB": "lists_peak_mb",
}
DRAWN = {"import": ("import_s", 1), "opening": ("open_s", 1), "a list": ("list_median_ms", 1_000)}


class PeopleGrowth(msgspec.Struct, frozen=True, kw_only=True):
    """One run: the histories, smallest first."""

    origin: Origin
    histories: list[Measured]


def add_options(parser: argparse.ArgumentParser) -> None:
    """What the command line takes."""
    parser.add_argument("--rows", type=int, nargs="+", default=[100_000, 1_000_000])


def measure(asked: argparse.Namespace) -> Findings:
    """Import each history and make lists from it."""
    found = []
    for rows in sorted(asked.rows):
        say(f"{rows:,} ratings")
        with tempfile.TemporaryDirectory() as home:
            found.append(measure_all(Path(home), rows, -(-rows // RATINGS_OF_ONE)))
    sizes = " ".join(str(one) for one in sorted(asked.rows))
    figures = PeopleGrowth(origin=origin_of("growth_people", f"--rows {sizes}"), histories=found)
    return Findings(
        text=as_markdown(figures),
        page="speed",
        block="bench-growth-people",
        figures=figures,
        pictures={CHART: picture_of(figures)},
    )


def as_markdown(figures: PeopleGrowth) -> str:
    """A row a figure, a column a size."""
    found = figures.histories
    sizes = [one.rows for one in found]
    rows = [["people", *(f"{one.people:,}" for one in found), ""]]
    for name, field in FIGURES.items():
        values = [getattr(one, field) for one in found]
        shown = [f"{one:,.1f}" if one < 100 else f"{one:,.0f}" for one in values]
        rows.append([name, *shown, f"{exponent(sizes, values):.2f}"])
    head = ["", *(f"{one:,} ratings" for one in sizes), "exponent"]
    told = f"Each over the same {FILMS:,} films."
    picture = f"![Growth of import, opening and lists by ratings](../figures/{CHART})"
    made = f"Made by {figures.origin.as_text()}"
    return f"{markdown_table(head, rows)}\n\n{told}\n\n{picture}\n\n{made}"


def picture_of(figures: PeopleGrowth) -> str:
    """What a person waits for, as curves over the ratings."""
    curves = {
        told: [(float(one.rows), getattr(one, field) / unit) for one in figures.histories]
        for told, (field, unit) in DRAWN.items()
    }
    return picture_of_curves(curves, title="Growth by ratings", up="seconds", across="ratings")
