"""Ask a system about one chunk of cases, and record the results.

Every case gets a result: an exception, an unknown item or an empty answer is counted and never
stops a run. An item outside the candidates keeps its place in the list, so that naming unknown
items wins nothing.
"""

from __future__ import annotations

import time
from collections.abc import Hashable, Sequence
from typing import ClassVar, Protocol, runtime_checkable

import msgspec
import numpy as np
from numpy.typing import NDArray

from localrec.data.interactions import Interactions
from localrec.data.trajectory import Trajectory
from localrec.evaluation.ranking.cases import Cases, Items
from localrec.evaluation.ranking.metrics import Fault, faults_of, hits_of, tied_ranks
from localrec.foundation.errors import error_text
from localrec.foundation.progress import Progress
from localrec.ranking.recommender import Recommender, ScoreRequests, SettingValue

Scores = NDArray[np.float32]
Answer = Sequence[Hashable] | None

_LONGEST_ERROR = 200  # letters


class RecommendationReply(msgspec.Struct, frozen=True, kw_only=True):
    """An answer and its cost, from a system that answers case by case.

    Args:
        items: Item indexes, best first; None where there is no answer.
        ms: Milliseconds that it took.
        calls: Calls of a model.
        prompt_tokens: Tokens read, those from a cached prefix too.
        cached_tokens: Prompt tokens that came from a cached prefix.
        new_tokens: Tokens written.
        notes: Departures from the request, as sentences; the answer counts all the same.
        tool_calls: The number of tool calls of an agent.
        trajectory: The agent's steps.
        wanted: The number of items that it set out to rank; None: all that are asked for.
        fault: Reason why there is no answer, where the system knows it.
        shown: Item indexes in the order that a user sees, even for a faulty answer, best first.
    """

    items: Answer
    ms: float
    calls: int = 0
    prompt_tokens: int = 0
    cached_tokens: int = 0
    new_tokens: int = 0
    notes: tuple[str, ...] = ()
    tool_calls: int = 0
    trajectory: Trajectory | None = None
    wanted: int | None = None
    fault: Fault | None = None
    shown: Sequence[int] = ()


@runtime_checkable
class ListAnswerer(Protocol):
    """A system that answers with lists, such as a language model; a `Baseline` gives scores."""

    name: str
    settings: dict[str, SettingValue]

    def fit(self, train: Interactions, seed: int, progress: Progress) -> None:
        """Learn from interactions; the same seed gives the same answers."""
        ...

    def answer(self, requests: ScoreRequests, k: int) -> Sequence[Answer | RecommendationReply]:
        """Rank the items of each request, best first: all candidates, or else k items."""
        ...


EvaluatedSystem = Recommender | ListAnswerer


class CaseResult(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The result of one case: a line of a file of cases.

    Args:
        id: The case's, unique in a run.
        user: Their key; "user" in the files.
        targets: Keys of the held-out items.
        first: Best rank that the (first) target may have, from 1; 0: it was not ranked.
        tied: The number of items that share its score, itself among them.
        hits: Ranks within `top` that hold a target.
        pool: The number of items that were to be ranked.
        top: Keys of the first items, best first.
        ms: Milliseconds of the answer; cases of a chunk share it evenly where the system tells
            none.
        faults: Reasons why the answer is invalid.
        error: The exception in words, where one was raised.
        calls: Calls of a model.
        prompt_tokens: Tokens it read, those from a cached prefix too.
        cached_tokens: Prompt tokens that came from a cached prefix.
        new_tokens: Tokens it wrote.
        notes: Departures from the request, as sentences; the answer counts all the same.
        tool_calls: The number of tool calls of an agent.
        shown: Rank of the (first) target in the order that a user sees, even for a faulty answer; 0
            where the system tells none.
        trajectory: The agent's steps; they are kept in a file of their own.
        trajectory_items: Keys of the items in the trajectory; they are kept there too.
    """

    noun: ClassVar[str] = "case"

    id: str
    user: str = msgspec.field(name="person")
    targets: tuple[str, ...]
    first: int
    tied: int
    hits: tuple[int, ...]
    pool: int
    top: tuple[str, ...]
    ms: float
    faults: tuple[Fault, ...] = ()
    error: str = ""
    calls: int = 0
    prompt_tokens: int = 0
    cached_tokens: int = 0
    new_tokens: int = 0
    notes: tuple[str, ...] = ()
    tool_calls: int = 0
    shown: int = 0
    trajectory: Trajectory | None = None
    trajectory_items: tuple[str, ...] = ()


class InferenceContext(msgspec.Struct, frozen=True, kw_only=True):
    """The settings that all cases of a run share.

    Args:
        user_keys: Keys of all users.
        item_keys: Keys of all items.
        keep_known: Whether full ranking also ranks items that the user had before.
        k: Length of the lists that are kept.
        seed: Seed of the order among equal scores in those lists.
    """

    user_keys: NDArray[np.object_]
    item_keys: NDArray[np.object_]
    keep_known: bool
    k: int
    seed: int


class _Found(msgspec.Struct, frozen=True):
    """A scored answer: places of the first target, hits, and the first items of the list."""

    first: int
    tied: int
    hits: tuple[int, ...]
    top: tuple[str, ...]
    faults: tuple[Fault, ...] = ()
    error: str = ""
    cost: RecommendationReply | None = None
    shown: int = 0


def run_cases(system: EvaluatedSystem, cases: Cases, context: InferenceContext) -> list[CaseResult]:
    """Ask a fitted system about cases; return one result for each, in their order."""
    started = time.perf_counter()
    try:
        found = _ask_all(system, cases, context)
    except Exception:  # noqa: BLE001 - a system under test may raise anything
        found = [
            _ask_alone(system, cases.take(np.array([place])), context)
            for place in range(len(cases))
        ]
    each_ms = 1000 * (time.perf_counter() - started) / max(1, len(cases))
    shared = RecommendationReply(items=None, ms=each_ms)
    return [
        _outcome(one, one.cost or shared, cases, place, context) for place, one in enumerate(found)
    ]


def _outcome(
    found: _Found, cost: RecommendationReply, cases: Cases, place: int, context: InferenceContext
) -> CaseResult:
    return CaseResult(
        id=str(int(cases.row[place])),
        user=context.user_keys[cases.user[place]],
        targets=tuple(context.item_keys[cases.positives[place]]),
        first=found.first,
        tied=found.tied,
        hits=found.hits,
        pool=_pool_size(cases, place, context),
        top=found.top,
        ms=round(cost.ms, 3),
        faults=found.faults,
        error=found.error,
        calls=cost.calls,
        prompt_tokens=cost.prompt_tokens,
        cached_tokens=cost.cached_tokens,
        new_tokens=cost.new_tokens,
        notes=cost.notes,
        tool_calls=cost.tool_calls,
        shown=found.shown,
        trajectory=cost.trajectory,
        trajectory_items=()
        if cost.trajectory is None
        else _trajectory_items(cases, place, context),
    )


def _trajectory_items(cases: Cases, place: int, context: InferenceContext) -> tuple[str, ...]:
    """Return the keys of a case's history and candidates."""
    candidates = () if cases.candidates is None else cases.candidates[place].tolist()
    items = {*cases.histories[place].tolist(), *candidates}
    return tuple(context.item_keys[sorted(items)])


def _ask_alone(system: EvaluatedSystem, case: Cases, context: InferenceContext) -> _Found:
    """Answer one case; an error fails this case alone."""
    try:
        return _ask_all(system, case, context)[0]
    except Exception as error:  # noqa: BLE001 - a system under test may raise anything
        message = error_text(error, _LONGEST_ERROR)
        return _Found(0, 1, (), (), faults_of(None, (), 1), message)


def _ask_all(system: EvaluatedSystem, cases: Cases, context: InferenceContext) -> list[_Found]:
    """Answer all cases at once.

    Raises:
        ValueError: not one answer for each case, or scores of another shape.
    """
    requests = cases.requests()
    if isinstance(system, ListAnswerer):
        answers = system.answer(requests, context.k)
        if len(answers) != len(cases):
            raise ValueError(f"{len(answers)} answers to {len(cases)} requests")
        return [_judge_list(answer, cases, place, context) for place, answer in enumerate(answers)]
    scores = np.asarray(system.score(requests), dtype=np.float32)
    expected = (len(cases), len(context.item_keys))
    if scores.shape != expected:
        raise ValueError(f"scores of shape {scores.shape}, not {expected}")
    return _judge_scores(scores, cases, context)


def candidate_scores(
    scores: Scores, cases: Cases, *, keep_known: bool
) -> tuple[Scores, NDArray[np.int64]]:
    """Return the scores of the candidates (b, n), and the column of each first positive (b,).

    What a person had before gets -inf under full ranking, unless it is kept.
    """
    positive = np.array([items[0] for items in cases.positives], dtype=np.int64)
    if cases.candidates is not None:
        ranked = np.take_along_axis(scores, cases.candidates.astype(np.int64), axis=1)
        return ranked, np.argmax(cases.candidates == positive[:, None], axis=1)
    if keep_known:
        return scores, positive
    ranked = scores.copy()
    for row, seen in enumerate(cases.seen_items):
        ranked[row, seen] = -np.inf
    return ranked, positive


def _judge_scores(scores: Scores, cases: Cases, context: InferenceContext) -> list[_Found]:
    ranked, positive = candidate_scores(scores, cases, keep_known=context.keep_known)
    places = tied_ranks(ranked, positive)
    # Equal scores are put in an order that no system can know, and that is the same every time.
    shuffled = np.random.default_rng(context.seed).permutation(len(context.item_keys))
    found = []
    for row in range(len(cases)):
        items = None if cases.candidates is None else cases.candidates[row]
        top = _best(ranked[row], items, shuffled, context.k)
        wanted = min(_pool_size(cases, row, context), context.k if items is None else len(items))
        given = range(min(wanted, int(np.count_nonzero(ranked[row] > -np.inf))))
        found.append(
            _Found(
                int(places.first[row]),
                int(places.tied[row]),
                _hit_ranks(top.tolist(), cases.positives[row]),
                tuple(context.item_keys[top]),
                faults_of(given, given, wanted),
            )
        )
    return found


def _best(scores: Scores, items: Items | None, shuffled: NDArray[np.int64], k: int) -> Items:
    """Return the k best candidates, best first."""
    columns = np.flatnonzero(scores > -np.inf)
    if len(columns) > k:
        least = np.partition(scores[columns], -k)[-k]
        columns = columns[scores[columns] >= least]
    numbers = columns if items is None else items[columns]
    order = np.lexsort((shuffled[numbers], -scores[columns]))[:k]
    return numbers[order].astype(np.int32)


def _judge_list(
    answer: Answer | RecommendationReply, cases: Cases, place: int, context: InferenceContext
) -> _Found:
    allowed = _allowed(cases, place, context)
    wanted = min(len(allowed), context.k if cases.candidates is None else len(allowed))
    cost = answer if isinstance(answer, RecommendationReply) else None
    items = answer.items if isinstance(answer, RecommendationReply) else answer
    if cost is not None and cost.wanted is not None:
        wanted = min(wanted, cost.wanted)
    faults = faults_of(items, allowed, wanted)
    if items is None and cost is not None and cost.fault is not None:
        faults = (cost.fault,)
    given = [] if items is None else list(items)
    target = int(cases.positives[place][0])
    top = given[: context.k]
    return _Found(
        _rank_in(given, target),
        1,
        _hit_ranks(top, cases.positives[place]),
        tuple(context.item_keys[item] if item in allowed else "" for item in top),
        faults,
        cost=cost,
        shown=0 if cost is None else _rank_in(cost.shown, target),
    )


def _rank_in(items: Sequence[Hashable], target: int) -> int:
    """Return the rank from 1; 0 where the item is missing."""
    return items.index(target) + 1 if target in items else 0


def _hit_ranks(top: Sequence[Hashable], positives: Items) -> tuple[int, ...]:
    return tuple((np.flatnonzero(hits_of(top, positives.tolist())) + 1).tolist())


def _allowed(cases: Cases, place: int, context: InferenceContext) -> frozenset[int]:
    if cases.candidates is not None:
        return frozenset(cases.candidates[place].tolist())
    known = () if context.keep_known else cases.seen_items[place].tolist()
    return frozenset(range(len(context.item_keys))).difference(known)


def _pool_size(cases: Cases, place: int, context: InferenceContext) -> int:
    if cases.candidates is not None:
        return cases.candidates.shape[1]
    return len(context.item_keys) - (
        0 if context.keep_known else len(np.unique(cases.seen_items[place]))
    )
