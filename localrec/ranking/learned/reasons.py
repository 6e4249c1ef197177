"""Which items of a history a signal rests on: the rows that added most to an item's sum.

Only evidence from item to item can say so. Popularity, user neighbours and networks rest on no
single item; attributes and texts on all of them.
"""

from __future__ import annotations

import numpy as np

from localrec.ranking.learned.evidence.base import FittedEvidence
from localrec.ranking.learned.evidence.cooccurrence import Cooccurrence
from localrec.ranking.learned.evidence.ease import Ease
from localrec.ranking.learned.evidence.item_knn import ItemNeighbours
from localrec.ranking.learned.interactions import Histories
from localrec.ranking.learned.sparse import SparseRows

_NAMED = 3


def sources_of(
    fitted: FittedEvidence, signal: str, history: Histories, item: int
) -> tuple[int, ...]:
    """Items of a single history with the largest weights towards an item, strongest first."""
    rows = _rows_of(fitted, signal)
    if rows is None:
        return ()
    pulls = {}
    for source in dict.fromkeys(history.item[::-1].tolist()):
        columns, values = rows.row(source)
        pull = float(values[columns == item].sum()) if len(columns) else 0.0
        if pull > 0.0 and np.isfinite(pull):
            pulls[source] = pull
    strongest = sorted(pulls, key=lambda source: -pulls[source])
    return tuple(strongest[:_NAMED])


def _rows_of(fitted: FittedEvidence, signal: str) -> SparseRows | None:
    if isinstance(fitted, ItemNeighbours):
        return fitted.weights
    if isinstance(fitted, Ease):
        return fitted.liked if signal == "ease-liked" else fitted.met
    if isinstance(fitted, Cooccurrence):
        return {"cooccurrence-wide": fitted.wide, "cooccurrence-near": fitted.near}.get(
            signal, fitted.after
        )
    return None
