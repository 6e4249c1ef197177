"""Recommenders in the manner of scikit-learn: `fit(X)` and `predict(X)` on a users-by-items matrix.

`Baseline` offers localrec's baselines so; `as_recommender` lets an evaluation measure a user's
object, in this manner or by localrec's own protocol.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from types import CodeType
from typing import Any, Self, cast

import numpy as np
from numpy.typing import NDArray

from localrec.api.exchange import csr_of
from localrec.data.evidence import Fact
from localrec.data.interactions import Interactions
from localrec.data.reasons import Reasons, template_reasons
from localrec.foundation.errors import UsageError
from localrec.foundation.progress import Progress, no_progress
from localrec.ranking.baselines.catalog import make_baseline
from localrec.ranking.history_reasons import ExplainedByHistory, history_reasons
from localrec.ranking.recommender import Recommender, ScoreRequests, SettingValue
from localrec.ranking.top_items import top_items

CODE = "code"  # setting of a recommender of one's own: a digest of what it was run with
_DIGEST_LETTERS = 16


class Baseline:
    """One of the baselines of `localrec evaluate`, to be fitted on a matrix of one's own.

        model = Baseline("ease", regularization=500.0).fit(X)
        scores = model.predict(X)

    Args:
        name: Such as "popularity", "item-knn", "ease", "als", "bpr" or "sasrec".
        seed: The same seed gives the same scores.
        settings: Settings that differ from the baseline's defaults.
    """

    def __init__(self, name: str, *, seed: int = 7, **settings: SettingValue) -> None:
        self.name = name
        self.seed = seed
        self.settings = settings
        self._model: Recommender | None = None
        self._items = 0

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return all settings, as scikit-learn asks for them."""
        return {"name": self.name, "seed": self.seed, **self.settings}

    def set_params(self, **settings: Any) -> Self:
        """Change settings; they count in the next fit."""
        self.name = settings.pop("name", self.name)
        self.seed = settings.pop("seed", self.seed)
        self.settings = {**self.settings, **settings}
        return self

    def fit(self, X: Any, y: object = None) -> Self:
        """Learn from a sparse or dense matrix, users by items; each value but 0 is an interaction.

        Raises:
            UsageError: there is no such baseline or setting, or the matrix is empty.
        """
        user, item, shape = _pairs(X)
        if not len(user):
            raise UsageError("The matrix is empty.", "Fit on one with at least one interaction.")
        log = Interactions(
            user=user,
            item=item,
            stars=np.full(len(user), np.nan, dtype=np.float32),
            at=np.full(len(user), np.datetime64("NaT", "s")),
            users=shape[0],
            items=shape[1],
        )
        model = make_baseline(self.name, self.settings)
        model.fit(log, self.seed, no_progress)
        self._model, self._items = model, shape[1]
        return self

    def predict(self, X: Any) -> NDArray[np.float32]:
        """Score all items for histories, one a row; -inf for what cannot be ranked.

        Raises:
            UsageError: nothing was fitted, or on another number of items.
        """
        model, requests = self._asked(X)
        return model.score(requests)

    def recommend(self, X: Any, k: int = 10) -> list[NDArray[np.int32]]:
        """List the k best items outside each history, one a row, best first.

        Faster than sorting what `predict` gives, with the same items; equal ones go by index.

        Raises:
            UsageError: nothing was fitted, or on another number of items.
        """
        return top_items(*self._asked(X), k)

    def explain(self, X: Any, item: int) -> Reasons:
        """Explain the place of an item in the list of each history: one reason a row.

        Where nothing speaks for the item the text is empty, and a note says why. The sentences name
        items by their columns.

        Args:
            X: The histories, one a row.
            item: The column of the item.

        Raises:
            UsageError: nothing was fitted, or on another number of items, or there is no such item.
        """
        model, requests = self._asked(X)
        if not 0 <= item < self._items:
            raise UsageError(
                f"There is no item {item}.", f"Name a column from 0 to {self._items - 1}."
            )
        told = [model.explain(requests, row, item) for row in range(len(requests))]
        return Reasons(
            reasons=tuple(reason for one in told for reason in one.reasons),
            notes=tuple(dict.fromkeys(note for one in told for note in one.notes)),
        )

    def _asked(self, X: Any) -> tuple[Recommender, ScoreRequests]:
        """Return the fitted model and the histories of a matrix."""
        if self._model is None:
            raise UsageError("Nothing was fitted yet.", "Call fit first.")
        user, item, shape = _pairs(X)
        if shape[1] != self._items:
            raise UsageError(
                f"The histories have {shape[1]} items, the fit had {self._items}.",
                "Give histories with the columns of the fit.",
            )
        bounds = np.searchsorted(user, np.arange(shape[0] + 1))
        histories = tuple(item[start:end] for start, end in pairwise(bounds))
        nobody = np.full(shape[0], -1, dtype=np.int32)
        return self._model, ScoreRequests(nobody, histories)


class _MatrixRecommender(ExplainedByHistory):
    """An estimator with `fit(X)` and `predict(X)` as a recommender of the harness.

    Its `explain(X, item)` is used where it has one; else the items of the history explain a place.
    """

    def __init__(self, name: str, estimator: Any) -> None:
        self.name = name
        self.settings: dict[str, SettingValue] = {}
        self.estimator = estimator
        self._items = 0

    def fit(self, train: Interactions, seed: int, progress: Progress) -> None:
        """Fit the estimator on a matrix of ones; where it takes a `random_state`, on the seed."""
        if "random_state" in getattr(self.estimator, "get_params", dict)():
            self.estimator.set_params(random_state=seed)
        self._items = train.items
        self.estimator.fit(csr_of(train.user, train.item, (train.users, train.items)))

    def score(self, requests: ScoreRequests) -> NDArray[np.float32]:
        """Predict from the histories alone."""
        found = self.estimator.predict(self._matrix(requests.histories))
        dense = found.toarray() if hasattr(found, "toarray") else found
        return np.asarray(dense, dtype=np.float32)

    def explain(self, requests: ScoreRequests, row: int, item: int) -> Reasons:
        """Return the estimator's own reason where it has one, else items of the history."""
        if not hasattr(self.estimator, "explain"):
            return super().explain(requests, row, item)
        told = self.estimator.explain(self._matrix(requests.histories[row : row + 1]), item)
        return told if isinstance(told, Reasons) else _as_reasons(told)

    def _matrix(self, histories: Sequence[NDArray[np.int32]]) -> Any:
        """Return histories as a sparse matrix, one a row."""
        lengths = [len(one) for one in histories]
        rows = np.repeat(np.arange(len(lengths), dtype=np.int32), lengths)
        items = np.concatenate([np.zeros(0, dtype=np.int32), *histories])
        return csr_of(rows, items, (len(lengths), self._items))


def _as_reasons(sentences: Sequence[str]) -> Reasons:
    """Return the sentences of an estimator, one a history, as reasons."""
    told = [str(one).strip().removesuffix(".") for one in sentences]
    return template_reasons([[Fact(one, ())] if one else [] for one in told])


def as_recommender(name: str, given: Any) -> Recommender:
    """Turn what a user gives as a recommender into one that is still to be fitted.

    Args:
        name: Under which it is reported.
        given: A class, a function without arguments, or an object: with `fit(train, seed,
            progress)` and `score(requests)`, or with `fit(X)` and `predict(X)`.

    One without `explain(requests, row, item)`, or `explain(X, item)` beside `predict`, is explained
    by the items of the history.

    Raises:
        UsageError: it is none of these.
    """
    made: Any = given() if isinstance(given, type) or not hasattr(given, "fit") else given
    if hasattr(made, "fit") and hasattr(made, "score") and not hasattr(made, "predict"):
        made.name = name
        made.settings = dict(getattr(made, "settings", {}))
        if not hasattr(made, "explain"):
            made.explain = partial(history_reasons, made.score)
        return cast(Recommender, made)
    if hasattr(made, "fit") and hasattr(made, "predict"):
        return _MatrixRecommender(name, made)
    raise UsageError(
        f"{name} is no recommender.", "It needs fit and score, or fit and predict: docs/api.md."
    )


def explains_itself(recommender: Recommender) -> bool:
    """Whether a recommender of `as_recommender` has an `explain` of its own."""
    own = recommender.estimator if isinstance(recommender, _MatrixRecommender) else recommender
    return hasattr(type(own), "explain")


def code_digest(given: object) -> str:
    """Digest the code of a recommender, so that figures are never those of an earlier version.

    Parameters that the object holds count too, as far as they are numbers, truths and texts.
    """
    owner = given if isinstance(given, type) or hasattr(given, "__code__") else type(given)
    digest = hashlib.blake2b(repr(getattr(owner, "__qualname__", owner)).encode())
    parts = vars(owner).values() if isinstance(owner, type) else (owner,)
    for part in parts:
        _add_code(digest, getattr(getattr(part, "__func__", part), "__code__", part))
    if not isinstance(given, type):
        held = getattr(given, "__dict__", {})
        plain = {k: v for k, v in held.items() if isinstance(v, bool | int | float | str)}
        digest.update(repr(sorted(plain.items())).encode())
    return digest.hexdigest()[:_DIGEST_LETTERS]


def _add_code(digest: Any, part: object) -> None:
    if isinstance(part, CodeType):
        digest.update(part.co_code + repr(part.co_names).encode())
        for constant in part.co_consts:
            _add_code(digest, constant)
    elif part is None or isinstance(part, bool | int | float | str | bytes | tuple):
        digest.update(repr(part).encode())


def _pairs(X: Any) -> tuple[NDArray[np.int32], NDArray[np.int32], tuple[int, int]]:
    """Users and items of all that is not 0, by user."""
    if hasattr(X, "tocsr"):
        matrix = X.tocsr().copy()
        matrix.eliminate_zeros()
        matrix.sort_indices()
        users = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
        return users.astype(np.int32), matrix.indices.astype(np.int32), matrix.shape
    dense = np.asarray(X)
    if dense.ndim != 2:
        raise UsageError("The matrix has no rows and columns.", "Give users by items.")
    user, item = np.nonzero(dense)
    return user.astype(np.int32), item.astype(np.int32), (dense.shape[0], dense.shape[1])
