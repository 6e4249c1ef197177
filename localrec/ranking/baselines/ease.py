"""EASE: predict each item from all others by ridge regression, in closed form (Steck 2019).

With X (users, items) of ones and zeros, P = (X'X + lambda I)^-1 and B = I - P diag(1 / P_jj): every
column of B is the best linear prediction of an item from the others, with a zero diagonal. The
scores of a history x are xB, also for a user outside the training data.

The computation uses float32. Fitting holds three matrices of items x items (X'X, and two of the
inversion), 12 bytes for each pair of items: 34 MB for 1,682 items, 1.2 GB for 10,000; afterwards
one remains. Time grows with the cube of the items. A matrix above `memory_limit` is refused.
"""

from __future__ import annotations

from typing import Annotated

import msgspec
import numpy as np
from numpy.typing import NDArray

from localrec.data.interaction_matrix import InteractionMatrix
from localrec.data.interactions import Interactions
from localrec.foundation.errors import UsageError
from localrec.foundation.progress import Progress
from localrec.ranking.history_reasons import ExplainedByHistory
from localrec.ranking.recommender import ScoreRequests, SettingValue

BYTES_PER_PAIR = 12
_GIB = 2**30


class EASEConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Configure the strength of the regularisation.

    Args:
        regularization: lambda, in people: added to each item's own count.
    """

    regularization: Annotated[float, msgspec.Meta(gt=0.0)] = 250.0


class EASE(ExplainedByHistory):
    """A linear item-to-item model; -inf for items without interactions.

    Example:
        `EASE(EASEConfig(regularization=100.0)).fit(train, 7, no_progress)`

    Args:
        config: The one setting.
        memory_limit: Bytes that fitting may take.
    """

    name = "ease"

    def __init__(self, config: EASEConfig, memory_limit: int = 8 * _GIB) -> None:
        self.settings: dict[str, SettingValue] = msgspec.to_builtins(config)
        self._config = config
        self._memory_limit = memory_limit

    def fit(self, train: Interactions, seed: int, progress: Progress) -> None:
        """Invert the matrix of counts; the seed has no effect, since nothing is drawn.

        Raises:
            UsageError: there are too many items for the memory allowed.
        """
        self._check_memory(train.items)
        interactions = InteractionMatrix.from_log(train)
        self._unseen = interactions.likes == 0
        gram = np.zeros((train.items, train.items), dtype=np.float32)
        for block in interactions.common_users(progress):
            gram[block.item, block.other] = block.users
        gram[np.diag_indices_from(gram)] += np.float32(self._config.regularization)
        progress("inverting", 0, 1)
        weights = np.linalg.inv(gram)
        weights /= -np.diag(weights).copy()
        np.fill_diagonal(weights, 0.0)
        self._weights = weights
        progress("inverting", 1, 1)

    def score(self, requests: ScoreRequests) -> NDArray[np.float32]:
        """Score all items, (b, items); equal scores for an empty history."""
        scores = np.empty((len(requests), len(self._unseen)), dtype=np.float32)
        for row, history in enumerate(requests.histories):
            scores[row] = self._weights[np.unique(history)].sum(axis=0)
        scores[:, self._unseen] = -np.inf
        return scores

    def _check_memory(self, items: int) -> None:
        needed = BYTES_PER_PAIR * items**2
        if needed > self._memory_limit:
            raise UsageError(
                f"EASE on {items:,} items takes {needed / _GIB:.1f} GiB of memory, "
                f"more than the {self._memory_limit / _GIB:.1f} GiB allowed.",
                "Leave it out of the run, or filter the data to fewer items.",
            )
