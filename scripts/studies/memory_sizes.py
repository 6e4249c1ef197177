"""How much the two sizes of the memory matter: neighbours that are kept, and facets at most.

The paper's Figures 6 and 7, on validation cases with sampled candidates: the fused ranking with its
weights fitted anew in every cell, and the ranking by vectors, which has nothing to fit. A cell is
on disk as soon as it is measured.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path

import msgspec

from localrec.evaluation.configs import SystemConfig
from localrec.evaluation.provenance import Origin
from localrec.evaluation.ranking.cases import DataSplit
from localrec.evaluation.ranking.inference import candidate_scores
from localrec.evaluation.ranking.metrics import hit_rates, ndcgs, tied_ranks
from localrec.evaluation.ranking.system_factory import SystemFactory
from localrec.evaluation.reporting.markdown import markdown_table
from localrec.evaluation.reporting.number_format import with_interval
from localrec.evaluation.reporting.plots import drawings_of
from localrec.evaluation.reporting.report_records import HeatMap
from localrec.evaluation.statistics import (
    SIGNIFICANCE,
    SWAPS,
    Comparison,
    IntervalEstimate,
    compare_all,
    ratio_estimate,
)
from localrec.foundation.jsonl_log import JsonlLog
from localrec.memory.configs import MemRecConfig
from localrec.systems.memrec import MemoryRecommender
from localrec.systems.memrec_rerankers import VectorRecommender

SYSTEMS = ("memrec", "memrec-vector")
NEIGHBOURS = (4, 8, 16, 32, 64)
FACETS = (1, 3, 5, 7, 10)
DEFAULT = (MemRecConfig().neighbours, MemRecConfig().facets)
METRICS = ("H@1", "NDCG@10")

# A picture of its own has no page around it: its ground and its colours are in it. Cells are the
# only groups of the drawing, so that one can be outlined by its number.
STYLE = """
svg {{ font: 12px system-ui, sans-serif; }}
.ground {{ fill: #fcfcfb; }} text {{ fill: #1c1d21; }} .cell {{ fill: #3b82f6; }}
g:nth-of-type({marked}) .cell {{ stroke: #1c1d21; stroke-width: 2; }}
@media (prefers-color-scheme: dark) {{
.ground {{ fill: #141518; }} text {{ fill: #e9e9ec; }} .cell {{ fill: #2f6fdc; }}
g:nth-of-type({marked}) .cell {{ stroke: #e9e9ec; }}
}}
"""


class Cell(msgspec.Struct, frozen=True, kw_only=True):
    """One system with one pair of sizes, over the validation cases of all people.

    Args:
        system: Its name.
        neighbours: That are kept.
        facets: At most.
        metrics: Metric -> the figure of each case, in the order of people.
        weights: Fitted for each kind of evidence; none of the ranking by vectors.
        seconds: For the fit and all cases, whatever else the machine did.
    """

    system: str
    neighbours: int
    facets: int
    metrics: dict[str, tuple[float, ...]]
    weights: dict[str, float]
    seconds: float

    @property
    def sizes(self) -> tuple[int, int]:
        return self.neighbours, self.facets


class CellFigures(msgspec.Struct, frozen=True, kw_only=True):
    """A cell as the page tells it; `over_default` is compared within the system and the metric."""

    system: str
    neighbours: int
    facets: int
    metrics: dict[str, IntervalEstimate]
    over_default: dict[str, Comparison]
    weights: dict[str, float]


class SizesFigures(msgspec.Struct, frozen=True, kw_only=True):
    """One measurement of all cells, as the JSON file keeps it.

    Args:
        origin: How it was made.
        seed: Of the fits and the candidates.
        cases: How many.
        candidates: Of each.
        cells: By system, neighbours and facets.
    """

    origin: Origin
    seed: int
    cases: int
    candidates: int
    cells: tuple[CellFigures, ...]


def measure_sizes(
    bench: SystemFactory, parted: DataSplit, seed: int, kept: Path
) -> tuple[CellFigures, ...]:
    """Measure the cells that are not done yet; all of them, by system, neighbours and facets.

    Args:
        bench: Makes the systems.
        parted: They are fitted on its training rows and asked its validation cases.
        seed: Of the fits.
        kept: Where cells are kept; what is there is not measured again.
    """
    with JsonlLog(kept, Cell) as ledger:
        done = {(one.system, one.sizes) for one in ledger.records}
        for system, *sizes in product(SYSTEMS, NEIGHBOURS, FACETS):
            if (system, tuple(sizes)) not in done:
                ledger.append(measure_cell(bench, parted, seed, system, *sizes))
        return tuple(figures_of(ledger.records))


def measure_cell(
    bench: SystemFactory, parted: DataSplit, seed: int, name: str, neighbours: int, facets: int
) -> Cell:
    """Fit a system with these sizes on the training rows, and put the validation cases to it."""
    started = time.perf_counter()
    config = SystemConfig(name=name, kind="memory")
    system = bench.make(config, {"neighbours": neighbours, "facets": facets})
    assert isinstance(system, MemoryRecommender | VectorRecommender)
    system.fit(parted.train, seed, lambda what, done, total: None)
    bench.look_over(system)
    weights = system.log_memory.weights
    cases = parted.validation
    ranked, positive = candidate_scores(system.score(cases.requests()), cases, keep_known=False)
    places = tied_ranks(ranked, positive)
    found = (hit_rates(places, 1), ndcgs(places, 10))
    seconds = time.perf_counter() - started
    told = f"{name} k={neighbours} facets={facets}: H@1 {found[0].mean():.4f}, {seconds:.0f} s"
    print(told, file=sys.stderr)
    return Cell(
        system=name,
        neighbours=neighbours,
        facets=facets,
        metrics={
            metric: tuple(one.round(6).tolist()) for metric, one in zip(METRICS, found, strict=True)
        },
        weights={} if weights is None else weights.weights,
        seconds=round(seconds, 1),
    )


def figures_of(cells: Sequence[Cell]) -> Iterator[CellFigures]:
    """Every cell with its intervals, compared with the default of its system."""
    for system in SYSTEMS:
        ours = {one.sizes: one for one in cells if one.system == system}
        compared = {metric: over_default(ours, metric) for metric in METRICS}
        for sizes, cell in ours.items():
            yield CellFigures(
                system=system,
                neighbours=cell.neighbours,
                facets=cell.facets,
                metrics={metric: ratio_estimate(parts_of(cell, metric)) for metric in METRICS},
                over_default={
                    metric: compared[metric][str(sizes)] for metric in METRICS if sizes != DEFAULT
                },
                weights=cell.weights,
            )


def over_default(cells: dict[tuple[int, int], Cell], metric: str) -> dict[str, Comparison]:
    """Each other cell against the default, over the same people."""
    theirs = parts_of(cells[DEFAULT], metric)
    others = {sizes: one for sizes, one in cells.items() if sizes != DEFAULT}
    return compare_all({str(one.sizes): (parts_of(one, metric), theirs) for one in others.values()})


def parts_of(cell: Cell, metric: str) -> list[tuple[float, float]]:
    return [(one, 1.0) for one in cell.metrics[metric]]


def sizes_as_markdown(figures: SizesFigures) -> str:
    """Heat maps, one table, where they come from."""
    by_cell = {(one.system, one.neighbours, one.facets): one for one in figures.cells}
    rows = [
        [
            f"{k}, {facets}{' (default)' if (k, facets) == DEFAULT else ''}",
            *(
                told_cell(by_cell[system, k, facets], metric)
                for system in SYSTEMS
                for metric in METRICS
            ),
        ]
        for k in NEIGHBOURS
        for facets in FACETS
    ]
    head = ["neighbours, facets", *(f"{one} {metric}" for one in SYSTEMS for metric in METRICS)]
    maps = [[system, *(told_picture(system, metric) for metric in METRICS)] for system in SYSTEMS]
    return "\n\n".join(
        [
            f"Validation cases of {figures.cases} people (the last film but one of each), "
            f"{figures.candidates} candidates, seed {figures.seed}. Weights of `memrec` are fitted "
            "anew in every cell, on training rows. The default is outlined; a map is palest at its "
            "lowest figure and deepest at its highest, however little lies between them.",
            markdown_table(["", *METRICS], maps),
            "Brackets: 95% bootstrap intervals over people. ≠: separable from the default of its "
            f"column (paired randomisation test, {SWAPS:,} swaps, Holm's correction for the "
            f"column, {SIGNIFICANCE:.0%}).",
            markdown_table(head, rows),
            f"Made by {figures.origin.as_text()}",
        ]
    )


def told_picture(system: str, metric: str) -> str:
    return f"![{metric} of {system}](../figures/{picture_name(system, metric)})"


def told_cell(cell: CellFigures, metric: str) -> str:
    against = cell.over_default.get(metric)
    differs = against is not None and against.verdict != "not separable"
    return with_interval(cell.metrics[metric], 3) + (" ≠" if differs else "")


def pictures(figures: SizesFigures) -> Iterator[tuple[str, str]]:
    """File names and heat maps: neighbours down, facets across."""
    for system in SYSTEMS:
        for metric in METRICS:
            cells = {
                (one.neighbours, one.facets): one.metrics[metric]
                for one in figures.cells
                if one.system == system
            }
            plot = HeatMap(
                title=f"{metric} of {system}",
                columns=tuple(f"{one} facet{'s' if one > 1 else ''}" for one in FACETS),
                rows={f"k = {k}": tuple(cells[k, one] for one in FACETS) for k in NEIGHBOURS},
                middle=min(one.value or 0.0 for one in cells.values()),
            )
            yield picture_name(system, metric), as_picture(plot)


def picture_name(system: str, metric: str) -> str:
    return f"memory-sensitivity-{system}-{metric.replace('@', '').lower()}.svg"


def as_picture(plot: HeatMap) -> str:
    """A heat map as a file that needs no page around it."""
    marked = NEIGHBOURS.index(DEFAULT[0]) * len(FACETS) + FACETS.index(DEFAULT[1]) + 1
    [(_, drawn)] = drawings_of(plot, "map", STYLE.format(marked=marked))
    return f"{drawn}\n"
