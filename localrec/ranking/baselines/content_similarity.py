"""Content similarity: the cosine of each item's text vector and a history's mean vector.

This is MemRec's "Vector" variant: only the items' texts count, and no other user. The caller gives
the vectors (MiniLM's in this project); an item without one cannot be ranked.
"""

from __future__ import annotations

from typing import Annotated

import msgspec
import numpy as np
from numpy.typing import NDArray

from localrec.data.interactions import Interactions
from localrec.foundation.errors import UsageError
from localrec.foundation.progress import Progress
from localrec.ranking.history_reasons import ExplainedByHistory
from localrec.ranking.recommender import ScoreRequests, SettingValue

ItemVectors = NDArray[np.float32]  # (items, size); a row of zeros or NaN: no text


class ContentSimilarityConfig(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True
):
    """Select the part of a history that counts.

    Args:
        recent: Only so many of the newest items of a history; 0: all of them.
    """

    recent: Annotated[int, msgspec.Meta(ge=0)] = 0


class ContentSimilarity(ExplainedByHistory):
    """Score items by text cosines, -1..1; -inf for items without a vector.

    Example:
        `ContentSimilarity(ContentSimilarityConfig(recent=5), vectors).score(requests)` compares all
        items with the 5 newest of each history.

    Args:
        config: The one setting.
        vectors: One row for each item, of any length; a row of zeros or NaN where there is none.
    """

    name = "vector"

    def __init__(self, config: ContentSimilarityConfig, vectors: ItemVectors) -> None:
        self.settings: dict[str, SettingValue] = msgspec.to_builtins(config)
        self._recent = config.recent
        whole = np.isfinite(vectors).all(axis=1, keepdims=True)
        self._vectors = _directions(np.where(whole, vectors, 0.0).astype(np.float32))
        self._missing = ~self._vectors.any(axis=1)

    def fit(self, train: Interactions, seed: int, progress: Progress) -> None:
        """Keep the vectors; nothing is learnt.

        Raises:
            UsageError: the matrix belongs to other items.
        """
        if len(self._vectors) != train.items:
            raise UsageError(
                f"There are vectors for {len(self._vectors):,} items, but the data has "
                f"{train.items:,}.",
                "Give one row for each item, zeros where an item has no text.",
            )

    def score(self, requests: ScoreRequests) -> NDArray[np.float32]:
        """Score all items, (b, items); equal scores for a history that is empty or has no texts."""
        totals = np.zeros((len(requests), self._vectors.shape[1]), dtype=np.float32)
        for row, history in enumerate(requests.histories):
            # The last 0 are all of them.
            totals[row] = self._vectors[history[-self._recent :]].sum(axis=0)
        scores: NDArray[np.float32] = _directions(totals) @ self._vectors.T
        scores[:, self._missing] = -np.inf
        return scores


def _directions(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """Scale each row to length 1; zeros stay zeros."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    lengths[lengths == 0] = 1.0
    return (rows / lengths).astype(np.float32)
