"""Matrix factorization by `implicit`: ALS (Hu et al. 2008) and BPR (Rendle et al. 2009).

Both learn a vector for each user and item from binary interactions, without ratings and repeats.
ALS solves a user's vector as least squares given the items, so it is solved for the history of
every request, also that of an unknown user. BPR has no such solution: a trained user keeps the
learnt vector, and an unknown user's vector maximises BPR's objective while the items stay fixed.

ALS uses all cores and gives the same result on any number of them. BPR's threads would race for the
vectors, so it runs in one thread: the same seed gives the same scores.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import msgspec
import numpy as np
from numpy.typing import NDArray

from localrec.data.interaction_matrix import InteractionMatrix
from localrec.data.interactions import Interactions
from localrec.data.reasons import Reasons
from localrec.foundation.errors import UsageError
from localrec.foundation.progress import Progress
from localrec.ranking.history_reasons import ExplainedByHistory, no_reason
from localrec.ranking.recommender import ScoreRequests, SettingValue

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

_CLIMBS = 100  # gradient steps for a cold-start user's vector
_RIVALS = 256  # items a cold-start user's history is compared with

Size = Annotated[int, msgspec.Meta(ge=1)]
Positive = Annotated[float, msgspec.Meta(gt=0.0)]
NotNegative = Annotated[float, msgspec.Meta(ge=0.0)]


class AlsConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Configure ALS.

    Args:
        embedding_size: Numbers in each vector.
        regularization: lambda, added to the diagonal of every least-squares problem.
        alpha: Weight of a pair that was seen; a pair that was not weighs 1.
        epochs: Times that all people and all items are solved for.
    """

    embedding_size: Size = 64
    regularization: NotNegative = 1.0
    alpha: Positive = 5.0
    epochs: Size = 15


class BprConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Configure BPR.

    Args:
        embedding_size: Numbers in each vector, besides an item's bias.
        learning_rate: Length of a step along one sampled pair's gradient.
        regularization: Strength of the pull of each step back to zero.
        epochs: As many sampled pairs as there are interactions, so many times.
    """

    embedding_size: Size = 64
    learning_rate: Positive = 0.02
    regularization: NotNegative = 0.01
    epochs: Size = 100


class Als(ExplainedByHistory):
    """Alternating least squares for users and items; -inf for items without interactions."""

    name = "als"

    def __init__(self, config: AlsConfig) -> None:
        self.settings: dict[str, SettingValue] = msgspec.to_builtins(config)
        self._config = config

    def fit(self, train: Interactions, seed: int, progress: Progress) -> None:
        """Alternate between users and items.

        Raises:
            UsageError: `implicit` is not installed.
        """
        config = self._config
        with _implicit():
            from implicit.cpu.als import AlternatingLeastSquares

            self._model = AlternatingLeastSquares(
                factors=config.embedding_size,
                regularization=config.regularization,
                alpha=config.alpha,
                iterations=config.epochs,
                random_state=seed,
            )
            seen = _matrix_of(train)
            self._unseen = np.bincount(seen.indices, minlength=train.items) == 0
            self._model.fit(
                seen, show_progress=False, callback=_epoch_progress(progress, config.epochs)
            )

    def score(self, requests: ScoreRequests) -> NDArray[np.float32]:
        """Score all items, (b, items); equal scores for an empty history."""
        with _implicit():
            seen = _matrix([np.unique(own) for own in requests.histories], len(self._unseen))
            users = self._model.recalculate_user(np.arange(len(requests)), seen)
        scores: NDArray[np.float32] = users @ self._model.item_factors.T
        scores[:, self._unseen] = -np.inf
        return scores


class Bpr(ExplainedByHistory):
    """Stochastic ascent on sampled pairs; -inf for items without interactions."""

    name = "bpr"

    def __init__(self, config: BprConfig) -> None:
        self.settings: dict[str, SettingValue] = msgspec.to_builtins(config)
        self._config = config

    def fit(self, train: Interactions, seed: int, progress: Progress) -> None:
        """Learn the vectors, and draw the negatives of cold-start users' histories.

        Raises:
            UsageError: `implicit` is not installed.
        """
        config = self._config
        with _implicit():
            from implicit.cpu.bpr import BayesianPersonalizedRanking

            model = BayesianPersonalizedRanking(
                factors=config.embedding_size,
                learning_rate=config.learning_rate,
                regularization=config.regularization,
                iterations=config.epochs,
                num_threads=1,
                random_state=seed,
            )
            seen = _matrix_of(train)
            model.fit(seen, show_progress=False, callback=_epoch_progress(progress, config.epochs))
        self._users: NDArray[np.float32] = model.user_factors[:, :-1]  # the last column is ones
        self._items: NDArray[np.float32] = model.item_factors[:, :-1]
        self._biases: NDArray[np.float32] = model.item_factors[:, -1]
        self._unseen = np.bincount(seen.indices, minlength=train.items) == 0
        self._silent = np.diff(seen.indptr) == 0  # users without a row: nothing was learnt
        # As in training: the more often an item was had, the more often it is a rival.
        drawn = np.random.default_rng(seed).integers(max(len(seen.indices), 1), size=_RIVALS)
        self._rivals = seen.indices[drawn] if len(seen.indices) else seen.indices

    def score(self, requests: ScoreRequests) -> NDArray[np.float32]:
        """Score all items, (b, items); an unknown user without a history gets the item biases."""
        users = np.zeros((len(requests), self._items.shape[1]), dtype=np.float32)
        for row, history in enumerate(requests.histories):
            user = int(requests.user[row])
            users[row] = self._users[user] if self._is_trained(user) else self._climb(history)
        scores: NDArray[np.float32] = users @ self._items.T + self._biases
        scores[:, self._unseen] = -np.inf
        return scores

    def explain(self, requests: ScoreRequests, row: int, item: int) -> Reasons:
        """Name the history's items that raise an item, or the vector learnt for a trained user.

        Scores of a trained user are the same for any history, so leaving items out tells nothing.
        """
        if self._is_trained(int(requests.user[row])) and not self._unseen[item]:
            return no_reason(
                f"Item {item} is placed by the vector that training learnt for this user, whatever "
                "the history of the request."
            )
        return super().explain(requests, row, item)

    def _is_trained(self, user: int) -> bool:
        """Whether training learnt a vector for a user; -1 is an unknown one."""
        return user >= 0 and not self._silent[user]

    def _climb(self, history: NDArray[np.int32]) -> NDArray[np.float32]:
        """Maximise BPR's objective for one history over the vector u, (size,).

        mean over i in the history and rivals j of log sigmoid(u (q_i - q_j) + b_i - b_j), less
        regularization / 2 |u|^2: concave, so steps of one over its curvature always climb.
        """
        seen = np.unique(history)
        seen = seen[~self._unseen[seen]]
        rivals = self._rivals[~np.isin(self._rivals, seen)]
        vector = np.zeros(self._items.shape[1], dtype=np.float32)
        if not len(seen) or not len(rivals):
            return vector
        ours, theirs = self._items[seen], self._items[rivals]
        lead = self._biases[seen][:, None] - self._biases[rivals]
        apart = np.square(ours).sum(1).mean() + np.square(theirs).sum(1).mean()
        apart -= 2.0 * ours.mean(axis=0) @ theirs.mean(axis=0)
        step = 1.0 / (0.25 * apart + self._config.regularization + 1e-6)
        for _ in range(_CLIMBS):
            ahead = (ours @ vector)[:, None] - theirs @ vector + lead
            doubt = 0.5 - 0.5 * np.tanh(0.5 * ahead)  # sigmoid(-ahead), without overflow
            uphill = doubt.sum(axis=1) @ ours - doubt.sum(axis=0) @ theirs
            vector += step * (uphill / doubt.size - self._config.regularization * vector)
        return vector


@contextmanager
def _implicit() -> Iterator[None]:
    """Import `implicit` and run it as it demands: BLAS in one thread, without its warning.

    It parts its work over threads of its own; two kinds of threads would fight for the cores.
    """
    try:
        # An extra, and a third of a second to import.
        import implicit  # noqa: F401
        from threadpoolctl import threadpool_limits
    except ImportError as error:
        raise UsageError(
            "ALS and BPR need the library implicit, which is not installed.",
            "Install it: pip install 'localrec[baselines]'",
        ) from error
    with threadpool_limits(limits=1, user_api="blas"):
        yield


def _matrix_of(train: Interactions) -> csr_matrix:
    seen = InteractionMatrix.from_log(train)
    return _matrix([seen.items_of(user) for user in range(seen.user_count)], train.items)


def _matrix(histories: Sequence[NDArray[np.int32]], items: int) -> csr_matrix:
    """Build the binary matrix (users, items), each history ascending and each item once."""
    from scipy.sparse import csr_matrix  # comes with implicit

    starts = np.cumsum([0, *map(len, histories)], dtype=np.int32)
    columns = np.concatenate([np.empty(0, dtype=np.int32), *histories]).astype(np.int32)
    ones = np.ones(len(columns), dtype=np.float32)
    return csr_matrix((ones, columns, starts), shape=(len(histories), items))


def _epoch_progress(progress: Progress, epochs: int) -> Callable[..., None]:
    """Pass implicit's callback (epoch, seconds, ...) on as our progress."""
    return lambda epoch, *_: progress("epochs", epoch + 1, epochs)
