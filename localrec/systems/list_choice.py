"""Choose the items of a list: fairly for several users, with variety, wanted items first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from localrec.data.arrays import Mask, Scores, largest_places
from localrec.graph.user_profile import UserProfile

SHORTLIST = 5  # times the length of a list: the candidates among which variety is sought

FairRule = Literal["average", "least-misery"]


class ListOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Options of a list.

    Args:
        fair: The score of an item for several users: their mean, or the lowest of them.
        diverse: The share of variety against fit, 0 to 1.
        wanted: Whether items on a want-to list come first.
    """

    fair: FairRule = "average"
    diverse: float = 0.0
    wanted: bool = False


def combine_scores(scores: Sequence[Scores], fresh: Mask, rule: FairRule) -> Scores:
    """Combine the scores of several users; one user's scores stay as they are.

    Each user's scores are brought to mean 0 and deviation 1 over the candidates first, so that
    nobody counts more whose scores lie further apart.

    Args:
        scores: The scores of each user, each (n,).
        fresh: The candidates, (n,).
        rule: The rule by which the scores of an item become one.

    Returns:
        The combined scores, -inf for items that are no candidates, (n,).
    """
    if len(scores) == 1:
        return scores[0]
    candidates = fresh & np.logical_and.reduce([np.isfinite(one) for one in scores])
    combined = np.full(len(fresh), -np.inf, dtype=np.float32)
    if candidates.any():
        standard = np.stack([_standardised(one[candidates]) for one in scores])
        together = standard.mean(axis=0) if rule == "average" else standard.min(axis=0)
        combined[candidates] = together
    return combined


def best_items(scores: Scores, fresh: Mask, k: int, first: Mask | None = None) -> list[int]:
    """Return the k best of the allowed items; those of `first` come before others."""
    ahead = np.zeros_like(fresh) if first is None else fresh & first
    best: list[int] = []
    for items in (np.flatnonzero(ahead), np.flatnonzero(fresh & ~ahead)):
        best += items[largest_places(scores[items], k - len(best))].tolist()
    return best


def wanted_items(profiles: Sequence[UserProfile], fresh: Mask) -> Mask:
    """Mark the allowed items on any user's want-to list, (n,)."""
    lists = [one.wanted for one in profiles if one.wanted is not None]
    return fresh & np.logical_or.reduce([np.zeros_like(fresh), *lists])


def _standardised(scores: NDArray[np.float32]) -> NDArray[np.float64]:
    apart = scores.astype(np.float64) - float(scores.mean())
    spread = float(apart.std())
    return apart / spread if spread > 0 else np.zeros_like(apart)
