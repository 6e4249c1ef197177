"""Windowed co-occurrence: items that users meet shortly before or after an item.

Two items co-occur where they lie close together in many histories. A pair counts more if its items
co-occur with few others, like the parts of a series. Plain co-occurrence ignores order and
distance. These counts are the first-order part of what sequential networks learn, without training.

With T_ij the sum of `decay` ^ (steps between - 1) over all places where i and j lie at most
`window` steps apart in a history, either one first, and |j| the number of histories with j:

    weight_ij = T_ij / (sum_j T_ij + `row_shrinkage`) / (|j| + `shrinkage`) ^ `damping`

Each item keeps its `kept` heaviest terms. Memory while counting has a fixed bound for any data.
Beyond `most_rows` rows the same even sample of the users is counted each time. A store's counts
stay in `indexes/` until an import or a forgetting changes the store, or more than one row in a
hundred is new. Every item that a user met counts, liked or not: order needs no verdict.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from localrec.foundation.atomic_files import short_digest
from localrec.graph.catalogue import Catalogue
from localrec.graph.store import Store
from localrec.index.cached_arrays import ArrayCache, Arrays

Items = NDArray[np.int32]
Weights = NDArray[np.float32]

_SUMS = 1 << 23  # held at once, 64 MB
_ROWS = 1 << 17  # of the items counted at once; each meets 2 * window others
_FORMAT = 1
_DRIFT = 0.01
_KINDS = ("items", "weights", "first")

# An item that is only wanted or put off was not met. Users are sampled here already, so that
# 25 million rows never stand in memory; the sample depends on their ids alone.
_TAKEN_UP = """
    SELECT user_id, item_id FROM interaction
    WHERE event NOT IN ('wanted', 'later') AND user_id % $every = 0
    ORDER BY user_id, "at" NULLS FIRST, rowid
"""


class CooccurrenceConfig(msgspec.Struct, frozen=True, kw_only=True):
    """The settings that co-occurrence is counted and scored with.

    Args:
        window: Steps that two items may lie apart.
        decay: Factor for each further step.
        row_shrinkage: Constant added to an item's own sum, so that few co-occurrences count little.
        shrinkage: Constant added to the number of histories.
        damping: Damping of popular items, 0 to 1.
        kept: Co-occurring items that each item keeps.
        recent: Newest items of a history whose co-occurring items are scored.
        fading: Factor for each older one of those items.
        most_rows: Rows that are counted.
    """

    window: int = 30
    decay: float = 0.93
    row_shrinkage: float = 50.0
    shrinkage: float = 5.0
    damping: float = 0.5
    kept: int = 256
    recent: int = 10
    fading: float = 0.8
    most_rows: int = 5_000_000


class ItemCooccurrence(msgspec.Struct, frozen=True):
    """The co-occurring items of each item, heaviest first.

    Args:
        items: Co-occurring items of item 0, then of item 1, ..., (e,) int32.
        weights: Weight of each, (e,) float32.
        first: Offset of each item's first entry, (n + 1,) int64.
        config: The settings of the count.
        mark: Mark of the contents, for data derived from them; empty where they were not kept.
    """

    items: Items
    weights: Weights
    first: NDArray[np.int64]
    config: CooccurrenceConfig = CooccurrenceConfig()
    mark: str = ""

    def of(self, item: int) -> tuple[Items, Weights]:
        """Return the co-occurring items of one item, and their weights."""
        part = slice(int(self.first[item]), int(self.first[item + 1]))
        return self.items[part], self.weights[part]

    def scores(self, history: Items, shares: Weights | None = None) -> Weights:
        """Score each item by its co-occurrence with the newest items of a history, (n,).

        Args:
            history: Oldest first, (h,).
            shares: Weight of each of them, (h,); 1 for all by default.
        """
        scores = np.zeros(len(self.first) - 1, dtype=np.float32)
        for age, place in enumerate(range(len(history) - 1, -1, -1)[: self.config.recent]):
            items, weights = self.of(int(history[place]))
            share = 1.0 if shares is None else float(shares[place])
            # An item occurs once in the row of another, so plain indexing adds them all.
            scores[items] += np.float32(share * self.config.fading**age) * weights
        return scores


def count_cooccurrence(
    user: NDArray[np.int32], item: Items, size: int, config: CooccurrenceConfig | None = None
) -> ItemCooccurrence:
    """Count the windowed co-occurrence of all items.

    Args:
        user: User of each row, ascending, (m,).
        item: Item of each row, each user's oldest first, (m,).
        size: Items in the catalogue, n.
        config: The settings of the count; None: the defaults.
    """
    config = config or CooccurrenceConfig()
    user, item = _part_of(user, item, config.most_rows)
    owners = np.bincount(item, minlength=size)
    damped = ((owners + config.shrinkage) ** config.damping).astype(np.float32)
    rows = np.argsort(item, kind="stable")  # rows of item 0, of item 1, ...
    ends = np.concatenate([[0], np.cumsum(owners)])
    parts = []
    for begin, end in _blocks(ends, size):
        own = rows[ends[begin] : ends[end]]
        sums = _windowed_sums(user, item, own, begin, (end - begin, size), config)
        sums /= sums.sum(axis=1, keepdims=True) + np.float32(config.row_shrinkage)
        parts.append(_heaviest(sums / damped, config.kept))
    counts = np.concatenate([count for _, _, count in parts] or [np.zeros(0, dtype=np.int64)])
    return ItemCooccurrence(
        items=np.concatenate([items for items, _, _ in parts] or [np.zeros(0, dtype=np.int32)]),
        weights=np.concatenate([some for _, some, _ in parts] or [np.zeros(0, dtype=np.float32)]),
        first=np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
        config=config,
    )


def open_cooccurrence(
    store: Store, folder: Path, catalogue: Catalogue, config: CooccurrenceConfig | None = None
) -> ItemCooccurrence:
    """Open the co-occurrence of a domain from its cache, or count it and keep it.

    Args:
        store: Read only.
        folder: The workspace's `indexes/`; where it cannot be written, memory must do.
        catalogue: The domain's snapshot; item indexes are its own.
        config: The settings of the count; None: the defaults.
    """
    config = config or CooccurrenceConfig()
    stem = f"companions-{short_digest(catalogue.domain.name)}"
    cache = ArrayCache(folder, stem, _KINDS, _Stand)
    stand = _stand_of(store, catalogue, config)

    def count() -> Arrays:
        user, item = interaction_sequences(store, catalogue, config.most_rows)
        counted = count_cooccurrence(user, item, len(catalogue), config)
        return counted.items, counted.weights, counted.first

    kept = cache.load_or_make(stand, count)
    items, weights, first = kept.arrays
    return ItemCooccurrence(items, weights, first, config, kept.mark)


def interaction_sequences(
    store: Store, catalogue: Catalogue, most: int
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Read the items that users took up, each user's oldest first: numbers of users, ascending, and
    catalogue indexes, (m,) each.

    Args:
        store: Read only.
        catalogue: The domain's snapshot.
        most: About the most rows; of more, every n-th user is read.
    """
    [[rows]] = store.rows("SELECT count(*) FROM interaction")
    columns = store.columns(_TAKEN_UP, {"every": max(1, -(-rows // most))})
    user, node = columns["user_id"], columns["item_id"]
    if not len(user) or not len(catalogue):
        return np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.int32)
    item = np.searchsorted(catalogue.node_ids, node).clip(max=len(catalogue) - 1)
    ours = catalogue.node_ids[item] == node
    _, number = np.unique(user[ours], return_inverse=True)
    return number.astype(np.int32), item[ours].astype(np.int32)


class _Stand(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The state of a store that was counted, and the configuration of the count."""

    format: int
    config: CooccurrenceConfig
    items: int
    newest_item: int
    newest_import: int
    interactions: int

    def serves(self, now: _Stand) -> bool:
        """Whether what was counted then is near enough to what would be counted now."""
        news = abs(now.interactions - self.interactions)
        same = msgspec.structs.replace(now, interactions=self.interactions)
        return self == same and news <= _DRIFT * self.interactions


def _stand_of(store: Store, catalogue: Catalogue, config: CooccurrenceConfig) -> _Stand:
    [[interactions, newest_import]] = store.rows(
        "SELECT (SELECT count(*) FROM interaction), "
        "(SELECT coalesce(max(import_id), 0) FROM import_receipt)"
    )
    return _Stand(
        format=_FORMAT,
        config=config,
        items=len(catalogue),
        newest_item=int(catalogue.node_ids[-1]) if len(catalogue) else 0,
        newest_import=newest_import,
        interactions=interactions,
    )


def _part_of(user: NDArray[np.int32], item: Items, most: int) -> tuple[NDArray[np.int32], Items]:
    """Return the rows of an even sample of the users where there are too many."""
    if len(user) <= most:
        return user, item
    stays = user % -(-len(user) // most) == 0
    return user[stays], item[stays]


def _blocks(ends: NDArray[np.int64], size: int) -> Iterator[tuple[int, int]]:
    """Yield ranges of items whose sums and rows fit into the bounds, at least one item each."""
    begin = 0
    while begin < size:
        fitting = int(np.searchsorted(ends, ends[begin] + _ROWS, side="right")) - 1
        end = min(size, begin + max(1, _SUMS // size), max(begin + 1, fitting))
        yield begin, end
        begin = end


def _windowed_sums(
    user: NDArray[np.int32],
    item: Items,
    own: NDArray[np.int64],
    begin: int,
    shape: tuple[int, int],
    config: CooccurrenceConfig,
) -> Weights:
    """Compute T_ij for items from `begin` on, whose rows are `own`; `shape` is (items, n)."""
    pairs, worths = [], []
    base = (item[own].astype(np.int64) - begin) * shape[1]
    for step in range(1, config.window + 1):
        for other in (own - step, own + step):
            near = np.clip(other, 0, len(user) - 1)
            together = (near == other) & (user[near] == user[own]) & (item[near] != item[own])
            pairs.append(base[together] + item[near[together]])
            worths.append(np.full(len(pairs[-1]), config.decay ** (step - 1)))
    sums = np.bincount(
        np.concatenate(pairs), weights=np.concatenate(worths), minlength=shape[0] * shape[1]
    )
    return sums.reshape(shape).astype(np.float32)


def _heaviest(weights: Weights, kept: int) -> tuple[Items, Weights, NDArray[np.int64]]:
    """Return the `kept` largest weights above 0 of each line, in order, and their number."""
    order = np.argsort(-weights, axis=1, kind="stable")[:, :kept]
    sorted_weights = np.take_along_axis(weights, order, axis=1)
    stays = sorted_weights > 0
    return order[stays].astype(np.int32), sorted_weights[stays], stays.sum(axis=1)
