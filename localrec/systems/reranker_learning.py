"""Learn the weight of a reranker from a store: `localrec learn --reranker SYSTEM`.

The weight is learnt from users' newest items, in a copy of the store without them: its evidence,
memory and tools do not contain them, and the default is learnt anew there. The reranker orders each
of these items among evenly drawn ones that the user never met.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np

from localrec.data.arrays import Indexes, Scores
from localrec.foundation.errors import UsageError
from localrec.foundation.progress import Progress
from localrec.ranking.learned.evidence.base import FitStoppedError, ShouldStop
from localrec.ranking.learned.ranker import RankerConfig
from localrec.ranking.learned.reranker_share import (
    RerankedCases,
    RerankerShare,
    learn_share,
    write_share,
)
from localrec.ranking.learned.stored import SEED, open_ranking
from localrec.systems.reduced_store import (
    NewestItem,
    learn_default,
    newest_items,
    without_items,
)
from localrec.systems.registry import SYSTEM_REGISTRY
from localrec.systems.reranking import RerankingRecommender
from localrec.workspace import OpenWorkspace
from localrec.workspace.domain_context import DomainContext

OTHERS = 19  # items among which a held-out one is to be found
FEWEST_OTHERS = 5


def learn_reranker_share(
    folder: Path,
    domain: str,
    system: str,
    cases: int,
    *,
    progress: Progress,
    should_stop: ShouldStop,
) -> RerankerShare:
    """Learn how much a system with a model counts beside the default of a domain.

    Args:
        folder: The workspace.
        domain: The domain of the items.
        system: The name of a system that reranks candidates by a model.
        cases: Users whose newest item is held out, at most; each takes a call of the reranker.
        progress: Called with each step and its progress.
        should_stop: Called between cases; a yes ends the learning, and nothing is kept.

    Raises:
        UsageError: the system asks no model, or the default was not learnt yet.
        ModelError: the model is not here.
        FitStoppedError: the stop flag went up.
    """
    with OpenWorkspace(folder) as opened:
        context = opened.context(domain)
        known = open_ranking(folder / "indexes", context.catalogue)
        ranker = SYSTEM_REGISTRY.recommender(context, system)
        if not isinstance(ranker, RerankingRecommender) or ranker.share is None:
            raise UsageError(
                f"{system} asks no model, so there is no share to learn.",
                "Name memrec-model, agenticrec or one of their variants.",
            )
        if known is None:
            raise UsageError(f"The default of {domain} was not learnt yet.", "localrec learn")
        newest = newest_items(opened.store, domain)
        drawn = np.random.default_rng(SEED).permutation(len(newest))[:cases]
        chosen = [newest[place] for place in drawn.tolist()]
        config = RankerConfig(kinds=known.ranker.used_kinds)
        with without_items(opened, domain, chosen) as reduced:
            learn_default(reduced, domain, config, progress=progress, should_stop=should_stop)
            found = _rerank(reduced, domain, system, chosen, progress, should_stop)
        share = learn_share(ranker.share.reranker, found, SEED)
        write_share(folder / "indexes", domain, share)
    return share


def _rerank(
    reduced: OpenWorkspace,
    domain: str,
    system: str,
    chosen: Sequence[NewestItem],
    progress: Progress,
    should_stop: ShouldStop,
) -> RerankedCases:
    """Let the reranker score each held-out item among drawn ones."""
    generator = np.random.default_rng(SEED)
    asked = [(user, item) for user, _, item in chosen]
    free = [_unmet(reduced.context(domain, user), user) for user, _ in asked]
    others = min([OTHERS, *(len(one) - 1 for one in free if len(one) > FEWEST_OTHERS)])
    default: list[Scores] = []
    reranked: list[Scores] = []
    for number, ((user, item), places) in enumerate(zip(asked, free, strict=True)):
        if should_stop():
            raise FitStoppedError
        progress(f"asking {system}", number, len(chosen))
        context = reduced.context(domain, user)
        target = int(np.searchsorted(context.catalogue.node_ids, item))
        drawn = generator.permutation(places[places != target])[:others]
        if len(drawn) < others:
            continue
        shown = generator.permutation([target, *drawn.tolist()])
        order = np.argsort(shown != target, kind="stable")  # the target's place comes first
        ranker = context.once(
            ("reranker", system), partial(SYSTEM_REGISTRY.recommender, context, system)
        )
        assert isinstance(ranker, RerankingRecommender)
        scores = ranker.both_scores(user, context.user_profile(user), shown.tolist())
        default.append(scores[0][order])
        reranked.append(scores[1][order])
    return RerankedCases(
        np.array(default, dtype=np.float32).reshape(-1, 1 + others),
        np.array(reranked, dtype=np.float32).reshape(-1, 1 + others),
    )


def _unmet(context: DomainContext, user: str) -> Indexes:
    """Return the items that a user with likes has not met; none for a user without likes."""
    profile = context.user_profile(user)
    unmet = np.flatnonzero(~profile.known).astype(np.int32)
    return unmet if (profile.strengths > 0).any() else unmet[:0]
