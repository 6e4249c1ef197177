"""Summarise a system's answers of one half: quality, router, tasks, styles, models, costs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import msgspec
import numpy as np

from localrec.data.query import TaskKind
from localrec.evaluation.configs import Half
from localrec.evaluation.questions.answer_scoring import COSTS, MEASURES, AnswerScore, falls_short
from localrec.evaluation.statistics import SEED, IntervalEstimate, ratio_estimate
from localrec.foundation.errors import UsageError

_PERCENTILES = (50, 95)


class StageCost(msgspec.Struct, frozen=True, kw_only=True):
    """The cost of a stage: milliseconds and tokens, averaged over the questions."""

    ms: float
    tokens: float


class SystemReport(msgspec.Struct, frozen=True, kw_only=True):
    """One system's figures on one half; `failed` lists ids on the dev half and is None on test.

    Args:
        system: Its name.
        half: The half of the questions, "dev" or "test".
        questions: The number of questions.
        seed: Seed of the bootstrap.
        measures: Figure name -> value and interval.
        confusion: Gold task -> routed task -> questions.
        by_task: Task -> figures.
        by_style: Style -> figures.
        failures: Figure name -> questions that fall short.
        failed: Figure name -> ids of the same questions.
        disagreements: Questions whose `possible` the store refutes.
        answered_by: Role -> the component that played it -> questions; `spoke` in JSON.
        stages: Stage -> its calls, tokens and time.
        percentiles_ms: Percentile -> time of an answer.
    """

    system: str
    half: Half
    questions: int
    seed: int
    measures: dict[str, IntervalEstimate]
    confusion: dict[str, dict[str, int]]
    by_task: dict[str, dict[str, IntervalEstimate]]
    by_style: dict[str, dict[str, IntervalEstimate]]
    failures: dict[str, int]
    failed: dict[str, tuple[str, ...]] | None
    disagreements: int
    answered_by: dict[str, dict[str, int]] = msgspec.field(name="spoke")
    stages: dict[str, StageCost] = {}
    percentiles_ms: dict[str, float] = {}


def summarise(
    system: str, half: Half, cases: Sequence[AnswerScore], seed: int = SEED
) -> SystemReport:
    """Summarise the judged answers of one half.

    Raises:
        UsageError: a case belongs to the other half.
    """
    if any(case.question.half != half for case in cases):
        raise UsageError(f"A question of another half is among those of {half}.")
    failed = {name: _failed(name, cases) for name in MEASURES if name not in COSTS}
    styles = sorted({style for case in cases for style in case.question.style})
    return SystemReport(
        system=system,
        half=half,
        questions=len(cases),
        seed=seed,
        measures=_measured(cases, seed),
        confusion={
            gold: dict(
                Counter(
                    case.routed.value
                    for case in cases
                    if case.question.task == gold and case.routed is not None
                )
            )
            for gold in TaskKind
        },
        by_task={
            task: _measured([case for case in cases if case.question.task == task], seed)
            for task in TaskKind
        },
        by_style={
            style: _measured([case for case in cases if style in case.question.style], seed)
            for style in styles
        },
        failures={name: len(ids) for name, ids in failed.items()},
        failed=failed if half == "dev" else None,
        disagreements=sum(case.question.possible != (case.fitting > 0) for case in cases),
        answered_by=_answered_by_counts(cases),
        stages=_costs(cases),
        percentiles_ms=_percentiles([case.ms for case in cases]),
    )


def _measured(cases: Sequence[AnswerScore], seed: int) -> dict[str, IntervalEstimate]:
    return {
        name: ratio_estimate([take(case) for case in cases], seed)
        for name, take in MEASURES.items()
    }


def _failed(name: str, cases: Sequence[AnswerScore]) -> tuple[str, ...]:
    return tuple(case.question.id for case in cases if falls_short(name, case))


def _costs(cases: Sequence[AnswerScore]) -> dict[str, StageCost]:
    stages = dict.fromkeys(name for case in cases for name in (*case.timings_ms, *case.tokens))
    return {
        name: StageCost(
            ms=round(sum(case.timings_ms.get(name, 0.0) for case in cases) / len(cases), 3),
            tokens=round(sum(case.tokens.get(name, 0) for case in cases) / len(cases), 1),
        )
        for name in stages
    }


def _percentiles(times_ms: Sequence[float]) -> dict[str, float]:
    if not times_ms:
        return {}
    values = np.percentile(times_ms, _PERCENTILES).tolist()
    return {str(name): round(ms, 3) for name, ms in zip(_PERCENTILES, values, strict=True)}


def _answered_by_counts(cases: Sequence[AnswerScore]) -> dict[str, dict[str, int]]:
    roles = dict.fromkeys(role for case in cases for role in case.answered_by)
    return {role: dict(Counter(case.answered_by.get(role, "") for case in cases)) for role in roles}
