"""A trained SASRec beside the other indexes: where a history points, and who and what lies near.

The network learns by `localrec train sequential`; what it learnt is kept as plain arrays
(`index/sequential_cache.py`) and asked without torch. SASRec scores an item by its inner product
with the state behind a history, plus a bias. Two things follow from that for what is near.

One vector added to all items changes no ranking, so their mean says nothing: it is taken off, and
items are compared by the cosine of what is left. (On MovieLens 100K's validation items the nearest
to the newest five of a history held the next one among ten in 15% of the cases, 11% with the mean
left on, 3% by inner product, where one rare item is nearest to most others.)

Two states are alike as far as the scores of all items for them correlate, which is the cosine after
a square matrix, the root of the items' covariance. (There the votes of the fifty nearest people
held the next item among ten in 15% of the cases, 13% by the plain cosine.)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

import numpy as np

from localrec.data.arrays import Indexes
from localrec.index.protocols import Labels, VectorIndex
from localrec.index.sasrec import Floats, SasRecEncoder
from localrec.index.vectors import BACKENDS, ExactIndex, choose_backend, unit_rows

_WIDER = 4  # times as many are asked for where too few of those found may be named

OpenIndex = Callable[[str, ExactIndex], VectorIndex]


def _in_memory(name: str, exact: ExactIndex) -> VectorIndex:
    backend = choose_backend("auto", len(exact))
    return BACKENDS[backend].build(exact) if backend in BACKENDS else exact


class SequentialModel:
    """SASRec over the items of a catalogue and the known users.

    Args:
        attention: The network.
        directions: Direction of each user, from `directions_of`, (users, size).
        numbers: Number of each user, -1 for one who must not be named, (users,).
        open_index: Opens the index of neighbours among "items" and "people"; an exact scan up to a
            size, HNSW above it.
    """

    def __init__(
        self,
        attention: SasRecEncoder,
        directions: Floats,
        numbers: Indexes,
        open_index: OpenIndex = _in_memory,
    ) -> None:
        self._attention, self._directions = attention, directions
        self._numbers, self._open_index = numbers, open_index
        met = attention.met
        # What nobody had is like no item more than another, and as unpopular as anything.
        biases = np.where(met, attention.bias, attention.bias[met].min() if met.any() else 0.0)
        self.items: Floats = np.column_stack([_centred(attention), biases]).astype(np.float32)

    @property
    def size(self) -> int:
        """Numbers in a state and in an item, the bias included."""
        return self._attention.size + 1

    @property
    def users(self) -> int:
        """Count the users whose histories are known."""
        return len(self._numbers)

    def state_of(self, history: Indexes) -> Floats:
        """Return the state after a history, oldest item first, (size,).

        The scores of SASRec are `items @ state`, but for a number that is the same for all items:
        the last of a state is 1, the last of an item its bias. Only the newest items count, as many
        as the network looks at, of those that anybody had in its training.
        """
        state = np.ones(self.size, dtype=np.float32)
        state[:-1] = self._attention.state_of(history)
        return state

    def states_of(self, histories: Sequence[Indexes]) -> Floats:
        """Return the states after several histories, (b, size)."""
        states = np.ones((len(histories), self.size), dtype=np.float32)
        states[:, :-1] = self._attention.states_of(histories)
        return states

    def similar_items(self, item: int, k: int) -> Indexes:
        """The k items whose vectors point the most alike, nearest first, without the item (k,).

        None where nobody had it; fewer where there are no more.
        """
        if not self._attention.met[item]:
            return np.zeros(0, dtype=np.int32)
        found = self._nearest(self._near_items, self.items[item, :-1], k + 1)
        return found[found != item][:k].astype(np.int32)

    def similar_users(self, state: Floats, k: int, user: int = -1) -> Indexes:
        """The k people whose histories point the most alike, nearest first, without `person` (k,).

        Args:
            state: From `state_of`; one that points nowhere finds nobody.
            k: Fewer are found where there are no more.
            user: The user that must not be among them.
        """
        direction = state[:-1] @ self._lens
        asked = k + 1
        while True:
            rows = self._nearest(self._near_users, direction, asked)
            found = self._numbers[rows]
            found = found[(found >= 0) & (found != user)]
            if len(found) >= k or len(rows) < asked:
                return found[:k]
            asked *= _WIDER

    def prepare(self) -> None:
        """Open or build what finds near ones now instead of with the first question."""
        _ = self._near_items, self._near_users

    def _nearest(self, index: VectorIndex, vector: Floats, k: int) -> Labels:
        if not vector.any():
            return np.zeros(0, dtype=np.int64)
        labels: Labels = index.search(unit_rows(vector[None]), k)[0][0]
        return labels

    @cached_property
    def _lens(self) -> Floats:
        return _lens_of(self._attention)

    @cached_property
    def _near_items(self) -> VectorIndex:
        met = np.flatnonzero(self._attention.met)
        return self._open_index("items", ExactIndex(met, unit_rows(self.items[met, :-1])))

    @cached_property
    def _near_users(self) -> VectorIndex:
        return self._open_index("people", ExactIndex(np.arange(self.users), self._directions))


def build_sequential_model(
    attention: SasRecEncoder, histories: Sequence[Indexes]
) -> SequentialModel:
    """A model whose people are called by their places among some histories, oldest item first."""
    directions = unit_directions(attention, histories)
    some = np.flatnonzero(directions.any(axis=1))
    return SequentialModel(attention, directions[some], some.astype(np.int32))


def unit_directions(attention: SasRecEncoder, histories: Sequence[Indexes]) -> Floats:
    """Vectors of length 1 whose cosines are how alike histories point, 0 of empty ones, (b, size).

    The cosine of two is the correlation of the network's scores of all items, biases left out.
    """
    return unit_rows(attention.states_of(histories) @ _lens_of(attention))


def _centred(attention: SasRecEncoder) -> Floats:
    """Vectors of the items less their mean, zeros for what nobody had, (n, size)."""
    met = attention.met
    mean = attention.items[met].mean(axis=0) if met.any() else np.float32(0.0)
    centred: Floats = np.where(met[:, None], attention.items - mean, np.float32(0.0))
    return centred


def _lens_of(attention: SasRecEncoder) -> Floats:
    """The symmetric root of the items' covariance, (size, size)."""
    centred = _centred(attention)[attention.met].astype(np.float64)
    variances, axes = np.linalg.eigh(centred.T @ centred / max(len(centred), 1))
    lens: Floats = ((axes * np.sqrt(variances.clip(min=0.0))) @ axes.T).astype(np.float32)
    return lens
