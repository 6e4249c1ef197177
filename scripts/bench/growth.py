"""Measure how a warm answer grows with its catalogue: time and memory by items, with the exponent.

Run:
    python scripts/studies/run.py growth [--items 10000 100000] [--repeat 1] [--report]

Generated catalogues (see synthetic.py) with ten links an item, each opened in a process of its own,
which is asked the questions of the dev half once warm before they count. An exponent of 1 means
that time grows in step with the items, 0 that it does not grow.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import msgspec
from ask import CatalogueFigures, measure_catalogue
from findings import Findings, add_folder, origin_of, say
from peer_chart import STYLE
from synthetic import DOMAIN, open_catalogue

from localrec.data.questions import Question
from localrec.evaluation.provenance import Origin
from localrec.evaluation.questions.gold import read_gold
from localrec.evaluation.reporting.axes import Axis, axis_over
from localrec.evaluation.reporting.markdown import markdown_table
from localrec.evaluation.reporting.template_engine import render_text
from localrec.foundation.paths import shipped

LINKS = 10  # of an item
WHOLE = "all"
CHART = "bench-growth.svg"
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 620.0, 320.0, 52.0, 150.0, 30.0, 40.0

TEMPLATE = """
{%- import "drawing.svg.jinja" as svg %}
{% call svg.drawing("growth", width, height, title, description, style) %}
{{- svg.words(up_words, 12, 14, "axis") }}
{{- svg.words(across_words, across.end, height - 8, "axis", "end") }}
{{- svg.upright_grid(across, up.end, up.start) }}
{{- svg.level_grid(up, across.start, across.end) }}
{%- for name, points in curves -%}
<path class="even" d="{% for items, ms in points %}{{ "M" if loop.first else "L" -}}
{{ across.at(items) }} {{ up.at(ms) }}{% endfor %}"/>
{%- for items, ms in points %}{{ svg.diamond(across.at(items), up.at(ms), 4, "ours") }}{% endfor %}
{{- svg.words(name, across.end + 8, up.at(points[-1][1]), "name") }}
{%- endfor %}{% endcall %}
"""


class GrowthFigures(msgspec.Struct, frozen=True, kw_only=True):
    """One run: the catalogues, smallest first."""

    origin: Origin
    catalogues: list[CatalogueFigures]


def add_options(parser: argparse.ArgumentParser) -> None:
    """What the command line takes."""
    parser.add_argument("--items", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--repeat", type=int, default=1, help="times each question is asked")
    parser.add_argument("--questions", type=int, help="only the first so many of the dev half")
    add_folder(parser, "--cache", "bench", "where the catalogues stay between runs")


def measure(asked: argparse.Namespace) -> Findings:
    """Ask each catalogue the same questions."""
    found = []
    for items in sorted(asked.items):
        folder = open_catalogue(asked.cache, items, LINKS * items, say)
        say(f"{items:,} items")
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as alone:
            found.append(alone.submit(ask_all, folder, asked.questions, asked.repeat).result())
    sizes = " ".join(str(one) for one in sorted(asked.items))
    shown = [f"--items {sizes}", f"--repeat {asked.repeat}"]
    shown += [f"--questions {asked.questions}"] * (asked.questions is not None)
    figures = GrowthFigures(origin=origin_of("growth", *shown), catalogues=found)
    return Findings(
        text=as_markdown(figures),
        page="speed",
        block="bench-growth",
        figures=figures,
        pictures={CHART: picture_of(found)},
    )


def ask_all(folder: Path, questions: int | None, repeat: int) -> CatalogueFigures:
    """Ask one catalogue the questions of the dev half."""
    gold = read_gold(shipped("datasets") / DOMAIN / "questions.jsonl", "dev")[:questions]
    asked = [Question(query=one.query, id=one.id) for one in gold]
    return measure_catalogue(folder, asked, repeat, "synthetic")


def exponent(items: Sequence[int], spent: Sequence[float]) -> float:
    """The power of the items with which time grows from the smallest to the largest."""
    if items[0] == items[-1]:
        return 0.0
    return math.log(spent[-1] / spent[0]) / math.log(items[-1] / items[0])


def as_markdown(figures: GrowthFigures) -> str:
    """A row a stage, a column a size."""
    found = figures.catalogues
    sizes = [one.items for one in found]
    rows = []
    for stage in found[0].stages_ms:
        spent = [one.stages_ms[stage].median for one in found]
        power = f"{exponent(sizes, spent):.2f}" if min(spent) > 0 else ""
        rows.append([stage, *(f"{ms:.2f}" for ms in spent), power])
    memory = [float(one.peak_memory_mib) for one in found]
    shown = [f"{one:,.0f}" for one in memory]
    rows.append(["peak memory, MiB", *shown, f"{exponent(sizes, memory):.2f}"])
    recalls = [f"{one.recall_at_10:.3f}" for one in found]
    rows.append(["HNSW recall@10", *recalls, ""])
    head = ["median ms", *(f"{one:,} items" for one in sizes), "exponent"]
    ten = 10 ** exponent(sizes, [one.stages_ms[WHOLE].median for one in found])
    told = f"Ten times the items make a warm answer {ten:.2f} times as long; wanted: at most 1.5."
    picture = f"![Growth of a warm answer's stages](../figures/{CHART})"
    made = f"Made by {figures.origin.as_text()}"
    return f"{markdown_table(head, rows)}\n\n{told}\n\n{picture}\n\n{made}"


def picture_of(found: Sequence[CatalogueFigures]) -> str:
    """The stages that take a tenth of a millisecond and more as curves, as SVG."""
    curves = {
        name: [(float(one.items), one.stages_ms[name].median) for one in found]
        for name in found[0].stages_ms
        if found[-1].stages_ms[name].median >= 0.1
    }
    return picture_of_curves(
        curves, title="Growth of a warm answer", up="median ms of a stage", across="items"
    )


def picture_of_curves(
    curves: Mapping[str, Sequence[tuple[float, float]]], *, title: str, up: str, across: str
) -> str:
    """Curves over a size, as SVG.

    Args:
        curves: For each name the sizes, smallest first, with what was measured at each.
        title: Of the picture.
        up: What is measured, with its unit.
        across: What the size counts.
    """
    sizes = [size for points in curves.values() for size, _ in points]
    found = [value for points in curves.values() for _, value in points]
    drawn = render_text(
        TEMPLATE,
        width=WIDTH,
        height=HEIGHT,
        title=title,
        description=f"{up}: "
        + "; ".join(
            f"{name} {points[0][1]:.2f} to {points[-1][1]:.2f}" for name, points in curves.items()
        )
        + ".",
        style=STYLE,
        up_words=up,
        across_words=across,
        across=Axis(min(sizes), max(sizes), LEFT, WIDTH - RIGHT, logarithmic=True),
        up=axis_over(found, HEIGHT - BOTTOM, TOP),
        curves=list(curves.items()),
    )
    return f"{drawn.strip()}\n"
