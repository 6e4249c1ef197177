"""Reasons of a recommender that knows nothing but interactions: the history's items behind a place.

A recommender that scores histories can always be asked what it would say without one of their
items. For item kNN and EASE the difference is that item's summand; for the others it is what the
item changes. Items have numbers here and no names, so the sentences name numbers.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from localrec.data.evidence import Fact
from localrec.data.reasons import Reason, Reasons, template_reasons
from localrec.foundation.prose import join_words
from localrec.ranking.recommender import ScoreRequests

_NAMED = 3  # items in a sentence
_NEWEST = 50  # items of a history that are left out in turn; each costs a scoring
_ROUNDING = 1e-6  # share of a score below which a difference is none: scores are float32


class ExplainedByHistory(ABC):
    """Explains an item by the history's items without which its score falls most."""

    @abstractmethod
    def score(self, requests: ScoreRequests) -> NDArray[np.float32]:
        """Score all items, (b, items)."""

    def explain(self, requests: ScoreRequests, row: int, item: int) -> Reasons:
        """Name the history's items that raise an item most."""
        return history_reasons(self.score, requests, row, item)


def history_reasons(
    score: Callable[[ScoreRequests], NDArray[np.float32]],
    requests: ScoreRequests,
    row: int,
    item: int,
) -> Reasons:
    """Explain an item's place by scoring its request again without each item of the history.

    Args:
        score: Scores all items for requests.
        requests: The requests that were scored.
        row: Which of them.
        item: The item's index.
    """
    history = requests.histories[row]
    items = np.unique(history[-_NEWEST:])
    kept = [np.ones(len(history), dtype=bool), *(history != one for one in items)]
    found = score(
        ScoreRequests(
            user=np.repeat(requests.user[row], len(kept)),
            histories=tuple(history[one] for one in kept),
            stars=tuple(requests.stars[row][one] for one in kept) if requests.stars else (),
            at=tuple(requests.at[row][one] for one in kept) if requests.at else (),
        )
    )[:, item].astype(np.float64)
    if not np.isfinite(found).all():
        return no_reason(f"Item {item} cannot be ranked for this history.")
    falls = found[0] - found[1:]
    least = _ROUNDING * max(1.0, abs(found[0]))
    strongest = [int(items[one]) for one in np.argsort(-falls, kind="stable") if falls[one] > least]
    if not strongest:
        return no_reason(f"No item of the history raises item {item}.")
    named = join_words([f"item {one}" for one in strongest[:_NAMED]])
    return template_reasons([[Fact(f"is raised most by {named} of the history", ())]])


def no_reason(note: str) -> Reasons:
    """Return that nothing speaks for an item, and why it is so."""
    return Reasons(reasons=(Reason(),), notes=(note,))
