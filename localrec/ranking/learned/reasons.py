"""Find the history items that a signal used: those that added most to an item's score.

Only evidence from item to item, and texts, can say so. Popularity, user neighbours,
memory and networks rest on no single item; attributes on all of them.
"""

from __future__ import annotations

import numpy as np

from localrec.ranking.learned.evidence.base import FittedEvidence
from localrec.ranking.learned.evidence.content import Texts
from localrec.ranking.learned.evidence.cooccurrence import NEWEST, Cooccurrence
from localrec.ranking.learned.evidence.ease import Ease
from localrec.ranking.learned.evidence.item_knn import ItemNeighbours
from localrec.ranking.learned.evidence.odds import Odds
from localrec.ranking.learned.interactions import Histories
from localrec.ranking.learned.sparse import SparseRows

_NAMED = 3


def sources_of(
    fitted: FittedEvidence, signal: str, history: Histories, item: int
) -> tuple[int, ...]:
    """List a history's items with the largest weights for an item, the strongest first."""
    if isinstance(fitted, Cooccurrence):
        history = history.newest(NEWEST)
    mine = list(dict.fromkeys(history.item[::-1].tolist()))
    if isinstance(fitted, Texts):
        found = (fitted.vectors[mine] @ fitted.vectors[item]).tolist()
    elif (rows := _rows_of(fitted, signal)) is not None:
        found = rows.entries(np.array(mine, dtype=np.int64), item).tolist()
    else:
        return ()
    pulls = {
        source: pull
        for source, pull in zip(mine, found, strict=True)
        if pull > 0.0 and source != item and np.isfinite(pull)
    }
    strongest = sorted(pulls, key=lambda source: -pulls[source])
    return tuple(strongest[:_NAMED])


def _rows_of(fitted: FittedEvidence, signal: str) -> SparseRows | None:
    if isinstance(fitted, ItemNeighbours):
        return fitted.weights
    if isinstance(fitted, Odds):
        return fitted.together
    if isinstance(fitted, Ease):
        return fitted.liked if signal == "ease-liked" else fitted.met
    if isinstance(fitted, Cooccurrence):
        return {"cooccurrence-wide": fitted.wide, "cooccurrence-near": fitted.within_window}.get(
            signal, fitted.after
        )
    return None
