"""Score one answer to a gold question: its first three items, and its claims.

Questions of the test half are counted and never listed, so that nobody can tune to them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

import msgspec

from localrec.data.answers import Answer, QueryView
from localrec.data.query import TaskKind
from localrec.evaluation.questions.claims import Claim, claims_of
from localrec.evaluation.questions.gold import Gold, GoldQuestion, excluded_in, violated_constraints
from localrec.evaluation.questions.store_truth import StoreTruth, words_of
from localrec.foundation.errors import UsageError

K = 3
Weighed = tuple[float, float]  # part and weight, as `statistics.ratio_estimate` takes them


class AnswerScore(msgspec.Struct, frozen=True, kw_only=True):
    """The scores of one answer.

    Args:
        question: The question.
        understood: The query that the system read.
        routed: The router's task; None where the system has no router.
        fitting: The number of items of the catalogue that meet the gold.
        broken: Per returned item of the first three: its name and the demands it breaks.
        own_target: The example came back as an alternative to itself.
        barred_served: An item has something excluded, or alcohol where none was wanted.
        relaxed: The answer says that it let something go.
        claims: The checked claims of the answer.
        answered_by: Role -> the component that played it; `spoke` in JSON.
        timings_ms: Stage -> milliseconds.
        tokens: Stage -> tokens that its model read and wrote.
    """

    question: GoldQuestion
    understood: QueryView
    routed: TaskKind | None
    fitting: int
    broken: tuple[tuple[str, tuple[str, ...]], ...]
    own_target: bool
    barred_served: bool
    relaxed: bool
    claims: tuple[Claim, ...]
    answered_by: dict[str, str] = msgspec.field(name="spoke")
    timings_ms: dict[str, float]
    tokens: dict[str, int]

    @property
    def ms(self) -> float:
        """The time of all stages."""
        return sum(self.timings_ms.values())

    @property
    def holding(self) -> int:
        """Count the first three items that meet every constraint."""
        return sum(not demands for _, demands in self.broken)


class AnswerScoreDetails(msgspec.Struct, frozen=True, kw_only=True):
    """The texts of a scored answer; see `Case`."""

    question: GoldQuestion
    understood: QueryView
    broken: tuple[tuple[str, tuple[str, ...]], ...]
    ungrounded: tuple[str, ...]


class AnswerScoreRecord(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A scored answer as a line of a file of cases; answers of the test half show no text.

    Args:
        id: The question's.
        task: The gold task.
        routed: The router's task; None where the system has no router.
        parts: Figure name -> this question's part of it, and its weight there.
        ms: Milliseconds of all stages.
        tokens: Tokens that models read and wrote.
        details: The answer and its faults; only for the dev half.
    """

    noun: ClassVar[str] = "case"

    id: str
    task: TaskKind
    routed: TaskKind | None
    parts: dict[str, Weighed]
    ms: float
    tokens: int = 0
    details: AnswerScoreDetails | None = None


MEASURES: dict[str, Callable[[AnswerScore], Weighed]] = {
    "router_accuracy": lambda case: (
        case.routed == case.question.task,
        case.routed is not None,
    ),
    "satisfaction_at_3": lambda case: (case.holding / max(1, len(case.broken)), case.fitting > 0),
    "strict_satisfaction_at_3": lambda case: (
        case.holding / max(1, min(K, case.fitting)),
        case.fitting > 0,
    ),
    "answered": lambda case: (bool(case.broken), 1),
    "own_target": lambda case: (case.own_target, case.question.gold.target is not None),
    "barred_served": lambda case: (case.barred_served, _bars_something(case.question.gold)),
    "relaxed_wrongly": lambda case: (case.relaxed, case.fitting > 0),
    "impossible_admitted": lambda case: (case.relaxed or not case.broken, case.fitting == 0),
    "edges_real": lambda case: _share_held([one for one in case.claims if one.is_edge]),
    "words_carried": lambda case: _share_held([one for one in case.claims if not one.is_edge]),
    "claims_grounded": lambda case: _share_held(case.claims),
    "mean_ms": lambda case: (case.ms, 1),
    "mean_tokens": lambda case: (sum(case.tokens.values()), bool(case.tokens)),
}
FAULTS = frozenset({"own_target", "barred_served", "relaxed_wrongly"})  # the fewer the better
COSTS = frozenset({"mean_ms", "mean_tokens"})  # not judged, and never compared


def score_answer(question: GoldQuestion, answer: Answer, truth: StoreTruth) -> AnswerScore:
    """Score one answer against the gold label and the store.

    An item that the store does not know breaks everything.
    """
    gold = question.gold
    first_items = answer.items[:K]
    items = [truth.items[one.key] for one in first_items if one.key in truth.items]
    target = words_of(gold.target) if gold.target is not None else None
    return AnswerScore(
        question=question,
        understood=answer.intent,
        routed=answer.task.kind if "router" in answer.answered_by else None,
        fitting=sum(not violated_constraints(gold, item, truth) for item in truth.items.values()),
        broken=tuple(
            (one.name, violated_constraints(gold, truth.items[one.key], truth))
            if one.key in truth.items
            else (one.name, ("is not in the catalogue",))
            for one in first_items
        ),
        own_target=any(words_of(item.name) == target for item in items),
        barred_served=any(excluded_in(gold, item, truth) for item in items),
        relaxed=bool(answer.relaxed),
        claims=tuple(claims_of(answer, truth)),
        answered_by=answer.answered_by,
        timings_ms=answer.timings_ms,
        tokens=answer.tokens,
    )


def answer_score_record(case: AnswerScore) -> AnswerScoreRecord:
    """Make the record of a scored answer."""
    question = case.question
    details = AnswerScoreDetails(
        question=question,
        understood=case.understood,
        broken=case.broken,
        ungrounded=tuple(claim.text for claim in case.claims if not claim.holds),
    )
    return AnswerScoreRecord(
        id=question.id,
        task=question.task,
        routed=case.routed,
        parts={
            name: (float(part), float(weight))
            for name, take in MEASURES.items()
            if name not in COSTS
            for part, weight in (take(case),)
        },
        ms=round(case.ms, 3),
        tokens=sum(case.tokens.values()),
        details=details if question.half == "dev" else None,
    )


def failures_to_show(cases: Sequence[AnswerScore]) -> list[tuple[AnswerScore, list[str]]]:
    """List cases with a low figure, and the figures' names; dev half only.

    Raises:
        UsageError: a case is of the test half, whose failures stay unread.
    """
    if any(case.question.half != "dev" for case in cases):
        raise UsageError(
            "Failures are shown for the dev half only; those of the test half stay unread.",
            "Use --half dev.",
        )
    judged = [name for name in MEASURES if name not in COSTS]
    named = ((case, [name for name in judged if falls_short(name, case)]) for case in cases)
    return [(case, names) for case, names in named if names]


def falls_short(name: str, case: AnswerScore) -> bool:
    """Whether an answer misses a figure's maximum; figures that do not apply are ignored."""
    part, weight = MEASURES[name](case)
    return weight > 0 and bool(part > 0 if name in FAULTS else part < weight)


def _share_held(claims: Sequence[Claim]) -> Weighed:
    return sum(claim.holds for claim in claims), len(claims)


def _bars_something(gold: Gold) -> bool:
    return bool(gold.exclude) or gold.alcohol is not None
