"""Reflection (MARC, section 3.2): propose candidate sets, assess them, widen, keep the best.

Each round retrieves with its own setting (k, k+1, k+2 candidates, every bound a step looser) and
proposes two sets of k: the best-ranked, and one that trades rank for variety. A set that reaches
the threshold ends the loop; after three rounds the best set of all rounds wins.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from localrec.data.answers import ReflectionRecord
from localrec.data.arrays import Indexes
from localrec.foundation.run_trace import RunTrace
from localrec.ranking.critics import (
    Assessment,
    Critic,
    MeasuredCritic,
    ModelCritic,
    ScoredList,
)
from localrec.ranking.pair_critic import PairCritic
from localrec.retrieval.candidates import CandidateSet
from localrec.retrieval.retrievers import Retriever
from localrec.retrieval.search_query import RankedItems, SearchParams, SearchQuery
from localrec.understanding.vocabulary import Vocabulary

if TYPE_CHECKING:
    from localrec.llm.chat_model import ChatModel

THRESHOLD = 80.0
ROUNDS = 3
_VARIETY = 0.3  # weight of being unlike what is chosen already
_SPARE = 3  # variety is sought among this many times k candidates


class ReflectionResult(msgspec.Struct, frozen=True):
    """The best set, and the record of its search."""

    chosen: RankedItems
    record: ReflectionRecord


class Reflector:
    """Reflect with a model as the critic, or with the measured one where no model judges.

    Args:
        open_model: Opens the critic's model, or raises ModelError; None: the critic measures.
        rounds: The largest number of rounds; with 1 nothing is widened or varied.
        trained_on: The names of the domain, where the model was trained to compare two sets; None:
            it gives each set scores.
    """

    def __init__(
        self,
        open_model: Callable[[], ChatModel] | None,
        rounds: int = ROUNDS,
        trained_on: Vocabulary | None = None,
    ) -> None:
        self._open_model = open_model
        self._rounds = rounds
        self._trained_on = trained_on

    def choose(
        self,
        query: SearchQuery,
        pool: CandidateSet,
        retriever: Retriever,
        k: int,
        trace: RunTrace,
    ) -> ReflectionResult:
        """Choose a set of at most k items; the trace names the critic."""

        def with_critic(critic: Critic) -> ReflectionResult:
            return reflect(query, pool, retriever, critic, k, rounds=self._rounds)

        def by_model(open_model: Callable[[], ChatModel]) -> ReflectionResult:
            model, names = open_model(), self._trained_on
            critic = ModelCritic(model) if names is None else PairCritic(model, names)
            reflected = with_critic(critic)
            trace.tokens["reflection"] = critic.tokens
            return reflected

        with trace.timed("reflection"):
            if self._open_model is not None:
                reflected = trace.played_by_model("reflection", partial(by_model, self._open_model))
                if reflected is not None:
                    return reflected
            trace.answered_by["reflection"] = MeasuredCritic.answered_by
            return with_critic(MeasuredCritic())


def reflect(
    query: SearchQuery,
    pool: CandidateSet,
    retriever: Retriever,
    critic: Critic,
    k: int,
    *,
    rounds: int = ROUNDS,
    threshold: float = THRESHOLD,
) -> ReflectionResult:
    """Retrieve and judge until a set is good enough; `rounds=1` only retrieves and judges once.

    Raises:
        ModelError: a model critic failed; the caller may go on with the measured one.
    """
    params = SearchParams(k=k)
    best: ScoredList | None = None
    chosen_round = 0
    scores: list[dict[str, float]] = []
    verdicts: dict[tuple[int, ...], Assessment] = {}  # rounds often propose the same set again
    for number in range(rounds):
        found = retriever(query, pool.items, params)
        judged = []
        for candidate in _proposals(query, found, params.k, k, varied=rounds > 1):
            same = tuple(map(int, candidate.items))
            if same not in verdicts:
                verdicts[same] = critic.assess(query, pool, candidate.items, k)
            judged.append(ScoredList(candidate, verdicts[same]))
        winner = _best(query, judged, critic)
        scores.append(winner.assessment.as_dict())
        if best is None or critic.prefers(query, winner, best):
            best, chosen_round = winner, number
        if best.assessment.overall >= threshold:
            break
        params = params.relaxed()
    assert best is not None
    record = ReflectionRecord(rounds=len(scores), scores=tuple(scores), chosen=chosen_round + 1)
    return ReflectionResult(best.found, record)


def _best(query: SearchQuery, judged: Sequence[ScoredList], critic: Critic) -> ScoredList:
    """Return the best set of a round, the first of equals."""
    best = judged[0]
    for one in judged[1:]:
        best = one if critic.prefers(query, one, best) else best
    return best


def _proposals(
    query: SearchQuery, found: RankedItems, width: int, k: int, *, varied: bool
) -> list[RankedItems]:
    plain = RankedItems(found.items[:k], found.scores[:k])
    if not varied or len(found.items) <= k:
        return [plain]
    spare = RankedItems(found.items[: _SPARE * width], found.scores[: _SPARE * width])
    picked = _pick_varied(query, spare, k)
    return [plain, RankedItems(spare.items[picked], spare.scores[picked])]


def _pick_varied(query: SearchQuery, found: RankedItems, k: int) -> Indexes:
    """Choose the places of k items one by one: high in rank, unlike those already chosen."""
    components = [frozenset(map(int, query.catalogue.components_of(i))) for i in found.items]
    merit = np.linspace(1.0, 0.0, len(found.items))
    picked = [0]
    likeness = np.zeros(len(found.items))
    while len(picked) < k:
        last = components[picked[-1]]
        overlap = [len(last & other) / max(1, len(last | other)) for other in components]
        likeness = np.maximum(likeness, overlap)
        value = (1 - _VARIETY) * merit - _VARIETY * likeness
        value[picked] = -np.inf
        picked.append(int(np.argmax(value)))
    return np.array(sorted(picked), dtype=np.int32)
