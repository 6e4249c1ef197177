"""Fit the weights of the agent's fused evidence on MovieLens 100K, and judge those that ship.

    python scripts/studies/run.py agent_weights [--people 943] [--workspace PATH]

Everybody's last film but one is to be found among twenty; the last, by which runs are tested, is
never asked for, and neither of the two is among the rows that SASRec is trained on. The people are
parted by lot into two halves. Weights are fitted on each, with SASRec among the evidence and
without, and judged on the other. `USUAL_AGENT_WEIGHTS` (localrec/agent/tool_fusion.py) are judged
on the same people.

The block `agent-weights` of docs/results/agent.md is replaced, and docs/figures/agent-weights.json
holds the figures. Films pulled before are needed: localrec datasets pull ml-100k
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence

import msgspec
import numpy as np
from findings import Findings, add_workspace, compared_text, origin_of
from shared_memory import CANDIDATES, SEED, Data, open_data

from localrec.agent.tool_context import ToolContext
from localrec.agent.tool_fusion import DEFAULT_TOOL_WEIGHTS, ToolFusion, fit_tool_fusion
from localrec.evaluation.configs import SystemConfig
from localrec.evaluation.provenance import Origin
from localrec.evaluation.ranking.cases import Cases
from localrec.evaluation.ranking.metrics import TiedRanks, hit_rates, ndcgs, tied_ranks
from localrec.evaluation.ranking.reranker_answers import SEQUENTIAL, AgentAnswerer
from localrec.evaluation.reporting.markdown import markdown_table
from localrec.evaluation.reporting.number_format import with_interval
from localrec.evaluation.statistics import (
    Comparison,
    IntervalEstimate,
    Parts,
    compare_all,
    ratio_estimate,
)
from localrec.memory.fusion import FusionWeights
from localrec.workspace import OpenWorkspace

AGENT = "agenticrec-fused"
PEOPLE = 943
WAYS = {"with SASRec": True, "without": False}
METRICS = ("H@1", "NDCG@10")
WEIGHTS = ("as shipped", "fitted on the other half")

Sides = dict[str, dict[str, Parts]]  # whose weights -> metric -> of each person


class Way(msgspec.Struct, frozen=True, kw_only=True):
    """The evidence with the sequential model, or without.

    Args:
        name: Which.
        fitted: Kind of evidence -> weight, fitted on each half.
        metrics: Whose weights -> metric -> figure over the people of both halves.
        gaps: Metric -> fitted over shipped; all of both ways compared at once.
    """

    name: str
    fitted: tuple[dict[str, float], ...]
    metrics: dict[str, dict[str, IntervalEstimate]]
    gaps: dict[str, Comparison]


class Figures(msgspec.Struct, frozen=True, kw_only=True):
    """One measurement, as the JSON file keeps it.

    Args:
        origin: How it was made.
        seed: Of the candidates, the halves and SASRec.
        halves: People of each.
        shipped: Kind of evidence -> weight.
        ways: With the sequential model, without.
    """

    origin: Origin
    seed: int
    halves: tuple[int, int]
    shipped: dict[str, float]
    ways: tuple[Way, ...]


class Judged(msgspec.Struct, frozen=True):
    """One way before it is compared: weights fitted on each half, and how everybody fared."""

    fitted: tuple[dict[str, float], ...]
    sides: Sides


def add_options(parser: argparse.ArgumentParser) -> None:
    """What the command line takes."""
    parser.add_argument("--people", type=int, default=PEOPLE, help="drawn at random")
    add_workspace(parser)


def measure(asked: argparse.Namespace) -> Findings:
    """Fit the weights on each half and judge them on the other."""
    with OpenWorkspace(asked.workspace) as workspace:
        figures = measure_weights(open_data(workspace), asked.users)
    text = as_markdown(figures)
    return Findings(text=text, page="agent", block="agent-weights", figures=figures)


def measure_weights(data: Data, users: int) -> Figures:
    """Fit and judge with the sequential model and without, over the same halves."""
    halves = halves_of(data.parted.validation, users)
    judged = {}
    for way, sequential in WAYS.items():
        print(f"{way}: training", file=sys.stderr)
        acting = fitted_agent(data, sequential)
        judged[way] = cross_fitted([desks_of(acting, half) for half in halves], halves)
    shipped, fitted = WEIGHTS
    gaps = compare_all(
        {
            f"{way}/{metric}": (one.sides[fitted][metric], one.sides[shipped][metric])
            for way, one in judged.items()
            for metric in METRICS
        }
    )
    return Figures(
        origin=origin_of("agent_weights", f"--people {users}"),
        seed=SEED,
        halves=(len(halves[0]), len(halves[1])),
        shipped=dict(DEFAULT_TOOL_WEIGHTS.weights),
        ways=tuple(
            Way(
                name=way,
                fitted=one.fitted,
                metrics={
                    side: {metric: ratio_estimate(parts) for metric, parts in found.items()}
                    for side, found in one.sides.items()
                },
                gaps={metric: gaps[f"{way}/{metric}"] for metric in METRICS},
            )
            for way, one in judged.items()
        ),
    )


def halves_of(cases: Cases, users: int) -> tuple[Cases, Cases]:
    """Two halves of so many people, by lot."""
    drawn = np.random.default_rng(SEED).permutation(len(cases))[:users]
    middle = len(drawn) // 2
    return cases.take(np.sort(drawn[:middle])), cases.take(np.sort(drawn[middle:]))


def fitted_agent(data: Data, sequential: bool) -> AgentAnswerer:
    """The agent whose tools know the training rows."""
    declared = SystemConfig(name=AGENT, kind="agent", settings={SEQUENTIAL: sequential})
    acting = data.bench.make(declared, declared.settings)
    assert isinstance(acting, AgentAnswerer)
    acting.fit(data.parted.train, SEED, lambda what, done, total: None)
    data.bench.look_over(acting)
    return acting


def desks_of(acting: AgentAnswerer, cases: Cases) -> list[ToolContext]:
    """What lies before the agent in each case."""
    assert cases.candidates is not None
    requests = cases.requests()
    return [acting.tool_context(requests, row) for row in range(len(cases))]


def cross_fitted(tool_contexts: Sequence[Sequence[ToolContext]], halves: Sequence[Cases]) -> Judged:
    """Weights fitted on each half, and how these and the shipped ones do on the other."""
    positives = [positives_of(half) for half in halves]
    fitted = [
        fit_tool_fusion(some, [place + 1 for place in places])
        for some, places in zip(tool_contexts, positives, strict=True)
    ]
    sides: Sides = {side: {metric: [] for metric in METRICS} for side in WEIGHTS}
    for half, foreign in enumerate(reversed(fitted)):
        print(f"judging half {half + 1}", file=sys.stderr)
        for side, weights in zip(WEIGHTS, (DEFAULT_TOOL_WEIGHTS, foreign), strict=True):
            found = placed(tool_contexts[half], positives[half], weights)
            for metric, values in zip(
                METRICS, (hit_rates(found, 1), ndcgs(found, 10)), strict=True
            ):
                sides[side][metric] = [
                    *sides[side][metric],
                    *((one, 1.0) for one in values.tolist()),
                ]
    return Judged(tuple(one.weights for one in fitted), sides)


def positives_of(cases: Cases) -> list[int]:
    """Where each positive stands among its candidates, from 0."""
    assert cases.candidates is not None
    lines = zip(cases.candidates.tolist(), cases.positives, strict=True)
    return [line.index(int(positive[0])) for line, positive in lines]


def placed(
    tool_contexts: Sequence[ToolContext], positives: Sequence[int], weights: FusionWeights
) -> TiedRanks:
    """Where fused evidence puts the positives."""
    fused = ToolFusion(weights=weights)
    return tied_ranks(
        np.stack([fused.run(tool_context)[1] for tool_context in tool_contexts]),
        np.asarray(positives),
    )


def as_markdown(figures: Figures) -> str:
    """What was asked, how the weights do, what they are, where that comes from."""
    return "\n\n".join(
        [
            f"Validation cases of {sum(figures.halves)} people (the last film but one of each), "
            f"{CANDIDATES} candidates, seed {figures.seed}. People are parted by lot into halves "
            f"of {figures.halves[0]} and {figures.halves[1]}; weights fitted on one are judged on "
            "the other. The shipped ones were rounded from fits on all validation films, so that "
            "they have seen what they are judged by. Brackets: 95% bootstrap intervals over "
            "people, differences paired. **Bold**: separable from nothing (paired randomisation "
            "test, Holm's correction for all four).",
            judged_table(figures),
            "The weights; nothing is shown where a kind of evidence has none.",
            weights_table(figures),
            f"Made by {figures.origin.as_text()}",
        ]
    )


def judged_table(figures: Figures) -> str:
    """A line for each metric of each way."""
    rows = [
        [
            f"{metric}, {way.name}",
            *(with_interval(way.metrics[side][metric], 3) for side in WEIGHTS),
            compared_text(way.gaps[metric]),
        ]
        for way in figures.ways
        for metric in METRICS
    ]
    return markdown_table(["", *WEIGHTS, "fitted − shipped"], rows)


def weights_table(figures: Figures) -> str:
    """A line for each kind of evidence, the shipped ones first."""
    fits: dict[str, Mapping[str, float]] = {
        f"{way.name}, half {half + 1}": weights
        for way in figures.ways
        for half, weights in enumerate(way.fitted)
    }
    kinds = dict.fromkeys([*figures.shipped, *(kind for one in fits.values() for kind in one)])
    columns = (figures.shipped, *fits.values())
    rows = [
        [f"`{kind}`", *(f"{one[kind]:.2f}" if kind in one else "" for one in columns)]
        for kind in kinds
    ]
    return markdown_table(["evidence", "shipped", *fits], rows)
