"""C4, similar items (MARC, appendix A.1): shared components and a like number of them.

The example is the item named in the question; one the catalogue lacks is replaced by the items
with the nearest names. Kept are items that share at least x components with it and whose number
of components differs by at most m; they are ordered by components shared, then by fewer
components. Beyond the paper: the pool bounds the answer, the example is never in it, a wish
relative to the example ("stronger", "simpler") narrows the pool where it can, agreement in what
the question leaves open (an alcoholic example has alcoholic kin), families count as a fraction
of a shared component, and the windows widen where they leave too little. Who made the example
and the series that it belongs to count as components do. Staples (water, sugar) are not counted
as shared.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from localrec.data.arrays import Indexes, Mask
from localrec.graph.catalogue import Catalogue
from localrec.retrieval.search_query import RankedItems, SearchParams, SearchQuery, rank_items

_NAME_SEEDS = 3
_FAMILY_SHARE = 0.25
_WIDEST = 12  # components; no recipe differs by more
_TIE_ROLES = ("creator", "category")
_MOST_TIED = 0.01  # of the items; what more of them share is a shelf of a shop, not a series
_FEWEST_TIED = 3


def retrieve_by_likeness(query: SearchQuery, pool: Mask, setting: SearchParams) -> RankedItems:
    """Rank the pool's items by what they share with the example."""
    seeds = _seeds(query)
    if not len(seeds) or not pool.any():
        items = _places(pool)
        return RankedItems(items, query.similarity(items))
    shared, size = _shared_with(query.catalogue, seeds)
    counts = query.catalogue.component_counts
    if query.intent.order:
        items, as_wished = _places(pool), pool.copy()
        as_wished[items] = is_wish_met(query, int(seeds[0]), items) > 0
        if as_wished.any():
            pool = as_wished
    items = _window(shared, counts, size, pool, setting)
    shared_by = shared[items]
    likeness = shared_by / np.float32(max(1, size))
    kin = query.catalogue.item_families.overlap(int(seeds[0]), items)
    texts = query.similarity(items, "description")
    scores = np.clip(0.75 * likeness + 0.15 * kin + 0.1 * texts, 0.0, 1.0).astype(np.float32)
    alike = _same_flags(query, int(seeds[0]), items)
    order = (
        alike,
        shared_by + _FAMILY_SHARE * np.floor(4 * kin),
        -counts[items],
        kin,
        texts,
    )
    return rank_items(items, tuple(np.asarray(key, dtype=np.float32) for key in order), scores)


def _seeds(query: SearchQuery) -> Indexes:
    index = query.catalogue.item_index(query.intent.target) if query.intent.target else None
    if index is not None:
        return np.array([index], dtype=np.int32)
    text = query.intent.anchor or query.text
    labels, _ = query.fields["name"].search(
        query.embedder.embed([text]), min(len(query.catalogue), 10 * _NAME_SEEDS)
    )
    return query.catalogue.indexes_of(np.asarray(labels[0], dtype=np.int64))[:_NAME_SEEDS]


def _shared_with(catalogue: Catalogue, seeds: Indexes) -> tuple[NDArray[np.float32], int]:
    """Components that each item shares with the best of the seeds, and the first seed's size."""
    first, *others = (
        catalogue.shared_components(_telling_attributes(catalogue, int(seed))) for seed in seeds
    )
    for other in others:
        first = np.maximum(first, other)
    return first.astype(np.float32), int(catalogue.component_counts[seeds[0]])


def _telling_attributes(catalogue: Catalogue, item: int) -> list[int]:
    """An item's components without staples, and its ties; all components where it has no others."""
    components = catalogue.components_of(item).tolist()
    telling = [one for one in components if one not in catalogue.staples]
    return [*telling, *_maker_and_series_of(catalogue, item)] or components


def _maker_and_series_of(catalogue: Catalogue, item: int) -> list[int]:
    """Who made an item and what it belongs to, where few items share it: an author, a series.

    Where nobody is told to have made the items, a category is their shape and no series.
    """
    if catalogue.domain.kind_of("creator") is None:
        return []
    most = max(_FEWEST_TIED, _MOST_TIED * len(catalogue))
    return [
        one
        for one in catalogue.attributes_of(item).tolist()
        if catalogue.domain.attributes[catalogue.attributes[one].kind].role in _TIE_ROLES
        and catalogue.uses[one] <= most
    ]


def _window(
    shared: NDArray[np.float32],
    counts: NDArray[np.int32],
    size: int,
    pool: Mask,
    setting: SearchParams,
) -> Indexes:
    """The items of the pool inside both windows, widened step by step until there are k.

    What shares nothing with the example comes in only where nothing in the pool shares anything, or
    where the example has no components: few items have its maker.
    """
    for at_least in (*range(setting.shared, 1, -1), 1, 0):
        sharing = _places((shared >= at_least) & pool)
        apart = np.abs(counts[sharing] - size)
        for step in range(_WIDEST):
            inside = apart <= setting.complexity + step
            if np.count_nonzero(inside) >= setting.k:
                return sharing[inside]
        if at_least == 1 and size and len(sharing):
            break
    return sharing


def _places(mask: Mask) -> Indexes:
    return mask.nonzero()[0].astype(np.int32)


def is_wish_met(query: SearchQuery, seed: int, items: Indexes) -> NDArray[np.float32]:
    """1.0 where an item has more (or less) of a number than the example, as wished; else 0.0."""
    met = np.ones(len(items), dtype=np.float32)
    for number, direction in query.intent.order.items():
        values = query.catalogue.numbers[number]
        difference = (values[items] - values[seed]) * direction
        met *= np.nan_to_num(difference, nan=-1.0) > 0
    return met


def _same_flags(query: SearchQuery, seed: int, items: Indexes) -> NDArray[np.float32]:
    """1.0 where an item agrees with the example in every flag the question leaves open."""
    same = np.ones(len(items), dtype=np.float32)
    for flag, values in query.catalogue.flags.items():
        if flag not in query.intent.flags:
            same *= values.agree(seed, items)
    return same
