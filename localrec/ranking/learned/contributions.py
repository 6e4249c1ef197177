"""How the ranker accounts for a score, and the best items of a score."""

from __future__ import annotations

import msgspec
import numpy as np

from localrec.ranking.learned.interactions import Floats


class Contribution(msgspec.Struct, frozen=True):
    """What one signal added to the score of one item.

    Args:
        signal: Its name.
        kind: The kind of evidence it belongs to.
        amount: Weight times standard deviations; negative where the signal speaks against the item.
        sources: Items of the history that the signal rests on, the strongest first; empty where a
            signal rests on no single ones.
    """

    signal: str
    kind: str
    amount: float
    sources: tuple[int, ...] = ()


def top_items(scores: Floats, known: np.ndarray, k: int) -> list[int]:
    """The k items of the highest scores that are not known yet, best first, of one history."""
    ranked = scores.copy()
    ranked[known] = -np.inf
    many = min(k, int(np.isfinite(ranked).sum()))
    if not many:
        return []
    best = np.argpartition(-ranked, many - 1)[:many]
    chosen: list[int] = best[np.lexsort((best, -ranked[best]))].tolist()
    return chosen
