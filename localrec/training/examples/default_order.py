"""The default ranking's scores of cases, without the networks that take minutes to train."""

from __future__ import annotations

import numpy as np

from localrec.data.arrays import Scores
from localrec.data.interactions import Interactions, days_of
from localrec.data.item_features import ItemFeatures
from localrec.evaluation.ranking.cases import Cases
from localrec.ranking.learned.evidence import KINDS
from localrec.ranking.learned.interactions import Histories
from localrec.ranking.learned.ranker import FusedRanker, RankerConfig

_NETWORKS = ("gru", "attention")


def fitted_default(train: Interactions, item_features: ItemFeatures, seed: int) -> FusedRanker:
    """Fit the learnt default without its networks."""
    kinds = tuple(kind for kind in KINDS if kind not in _NETWORKS)
    ranker = FusedRanker(RankerConfig(kinds=kinds))
    ranker.fit(train, item_features, seed=seed)
    return ranker


def default_scores(ranker: FusedRanker, cases: Cases) -> Scores:
    """Score the candidates of cases, in their order, (b, c)."""
    assert cases.candidates is not None  # the protocol asks for some
    days = [days_of(one) for one in cases.at]
    histories = Histories.of(cases.histories, cases.stars, days, cases.train_user)
    return np.take_along_axis(ranker.score(histories), cases.candidates, axis=1)
