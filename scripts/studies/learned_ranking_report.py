"""The figures of `learned_ranking`, as its JSON files keep them, and their tables."""

from __future__ import annotations

import msgspec

from localrec.evaluation.provenance import Origin
from localrec.evaluation.reporting.markdown import markdown_table
from localrec.evaluation.reporting.number_format import with_interval
from localrec.evaluation.statistics import Comparison, IntervalEstimate
from localrec.ranking.learned.fusion import LearnedWeights


class Row(msgspec.Struct, frozen=True):
    """One system under one protocol."""

    system: str
    protocol: str
    figures: dict[str, IntervalEstimate]


class Rival(msgspec.Struct, frozen=True):
    """The best single kind of evidence of a protocol by a metric, and `auto` less it, paired."""

    protocol: str
    metric: str
    system: str
    compared: Comparison


class Study(msgspec.Struct, frozen=True, kw_only=True):
    """One part of the study, as its JSON file keeps it."""

    origin: Origin
    part: str
    half: str
    cases: int
    rows: tuple[Row, ...]
    weights: dict[str, LearnedWeights]
    seconds: dict[str, float]
    megabytes: int
    warm_list_ms: float
    rivals: tuple[Rival, ...] = ()


def as_markdown(study: Study) -> str:
    """Tables of figures, weights and times."""
    names = list(dict.fromkeys(name for row in study.rows for name in row.figures))
    body = [
        [row.system, row.protocol, *(_told(row.figures.get(name)) for name in names)]
        for row in study.rows
    ]
    weights = [
        [regime, name, f"{level:.2f}", *(f"{one:+.2f}" for one in slope)]
        for regime, learnt in study.weights.items()
        for name, level, slope in zip(learnt.names, learnt.level, learnt.slope, strict=True)
        if level >= 0.005
    ]
    against = [
        [one.protocol, one.metric, one.system, *_told_difference(one.compared)]
        for one in study.rivals
    ]
    rivals = markdown_table(["protocol", "metric", "best single", "auto less it", "p"], against)
    heads = ["histories", "feature", "weight", "by length", "by familiarity"]
    times = ", ".join(f"{name} {value:g} s" for name, value in study.seconds.items())
    return (
        f"{study.cases} cases, {study.half}; intervals are 95%, bootstrap over users.\n\n"
        f"{markdown_table(['system', 'protocol', *names], body)}\n\n"
        f"{rivals if against else ''}\n\n"
        f"{markdown_table(heads, weights)}\n\n"
        f"Times: {times}. Memory at most {study.megabytes} MB. A warm list takes "
        f"{study.warm_list_ms} ms.\n\nMade by {study.origin.as_text()}"
    )


def _told_difference(one: Comparison) -> tuple[str, str]:
    return with_interval(one.difference, 4), "" if one.p is None else f"{one.p:.4f}"


def _told(one: IntervalEstimate | None) -> str:
    return "" if one is None else with_interval(one, 4)
