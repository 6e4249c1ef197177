"""Put a reranker behind the default list, with its learnt weight."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import msgspec
import numpy as np

from localrec.data.interactions import Interactions
from localrec.foundation.progress import Progress
from localrec.memory.rerankers import Reranker
from localrec.ranking.configs import RANKERS
from localrec.ranking.learned.verdicts import read_share
from localrec.ranking.recommender import ScoreRequests
from localrec.systems.auto import EvidenceRecommender, evidence_parts
from localrec.systems.learned import learned_recommender
from localrec.systems.reranking import DEFAULT_CANDIDATES, RerankingRecommender
from localrec.systems.scored_items import ScoredItems
from localrec.workspace.domain_context import DomainContext

JudgeMaker = Callable[[DomainContext], Reranker]


class JudgedRecommender(RerankingRecommender):
    """The default list with a reranker, both of which can be fitted to a log.

    Attributes:
        judge_of_log: Makes the judge that knows the users of a log, and of the store nobody.
    """

    judge_of_log: Callable[[Interactions], Reranker]

    def fit(self, train: Interactions, seed: int, progress: Progress) -> None:
        """Fit the default and the reranker; the weight is learnt from a store alone."""
        super().fit(train, seed, progress)
        self._default.fit(train, seed, progress)
        progress("counting who likes what", 0, 0)
        self._reranker, self.share = self.judge_of_log(self.in_catalogue(train)), None

    def score_request(self, requests: ScoreRequests, row: int) -> ScoredItems:
        """Score a request's candidates by the reranker, all other items below by the default."""
        profile = self._profile_of(requests, row)
        user = "" if requests.user[row] < 0 else str(requests.user[row])
        fit = self.score_items(user, profile)
        if requests.candidates is None:
            items = np.argsort(-fit.scores, kind="stable")[:DEFAULT_CANDIDATES]
        else:
            items = self.places[requests.candidates[row]]
        judged = self._reranked(fit, user, profile, items.tolist())
        known = np.isfinite(judged.scores)
        scores = np.where(known, judged.scores, fit.scores - fit.scores.max(initial=0.0) - 1.0)
        scores[~known] += judged.scores[known].min(initial=0.0)
        return msgspec.structs.replace(judged, scores=scores.astype(np.float32))


Judged = TypeVar("Judged", bound=JudgedRecommender)


def judged_recommender(
    context: DomainContext, name: str, judge_of: JudgeMaker, model: str, kind: type[Judged]
) -> Judged:
    """Put a reranker behind the default of a domain.

    Args:
        context: The domain.
        name: The name of the system.
        judge_of: Makes the judge of candidates that knows the users of a context.
        model: The model that judges; "" for a judge without one, whose verdict alone decides.
        kind: The class of the recommender.
    """

    def judge_of_log(log: Interactions) -> Reranker:
        from localrec.workspace.log_context import LogContext

        return judge_of(LogContext(context.indexes, log).with_models(context.models))

    catalogue, interactions, field, config = evidence_parts(context, RANKERS["auto"])
    counted = EvidenceRecommender(catalogue, interactions, field, config)
    judge, folder = f"{name} with {model}", context.indexes.folder
    share = read_share(folder, context.domain.name, judge) if model else None
    default = learned_recommender(context, counted)
    made = kind(catalogue, interactions, field, default, judge_of(context), share)
    made.name, made.judge_of_log = name, judge_of_log
    return made
