"""How good a ranked list is, given which items were relevant.

`hits` is a boolean array over the ranks of one list, best first, (length,); `relevant` is how many
items could have been hit, in the list or not. All measures lie in 0..1, higher is better.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence

import numpy as np
from numpy.typing import NDArray

Hits = NDArray[np.bool_]


def hits_of(ranking: Sequence[Hashable], relevant: Collection[Hashable]) -> Hits:
    """Which ranks of a list hold a relevant item."""
    wanted = set(relevant)
    return np.array([item in wanted for item in ranking], dtype=bool)


def ndcg(hits: Hits, relevant: int, k: int) -> float:
    """Normalised discounted cumulative gain at k with binary gains; 0 where nothing is relevant."""
    best = min(relevant, k)
    if not best:
        return 0.0
    discounts = 1.0 / np.log2(np.arange(2, k + 2))
    return float(discounts[: min(k, len(hits))][hits[:k]].sum() / discounts[:best].sum())


def recall(hits: Hits, relevant: int, k: int) -> float:
    """Share of the relevant items that the first k hold, of at most k."""
    best = min(relevant, k)
    return float(hits[:k].sum() / best) if best else 0.0


def hit_rate(hits: Hits, k: int) -> float:
    """1 where the first k hold a relevant item, else 0."""
    return float(hits[:k].any())


def reciprocal_rank(hits: Hits) -> float:
    """1 over the rank of the first relevant item; 0 where the list holds none."""
    places = np.flatnonzero(hits)
    return float(1.0 / (places[0] + 1)) if len(places) else 0.0
