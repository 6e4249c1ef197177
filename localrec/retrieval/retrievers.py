"""The retrieval algorithm of each task, followed by the soft constraints of the question."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from localrec.data.arrays import Indexes, Mask, Scores, falling_order
from localrec.data.query import TaskKind
from localrec.retrieval.attribute_lists import attributes_of_kind
from localrec.retrieval.candidates import mask_of, masks_of_people
from localrec.retrieval.expansion import retrieve_by_expansion
from localrec.retrieval.search_query import RankedItems, SearchParams, SearchQuery, rank_items
from localrec.retrieval.similarity import retrieve_by_likeness

_NEARLY_MOST = 0.95
Retriever = Callable[[SearchQuery, Mask, SearchParams], RankedItems]


def retriever_of(task: TaskKind) -> Retriever:
    """Return the algorithm of a task, followed by the soft constraints."""

    def retrieve(query: SearchQuery, pool: Mask, setting: SearchParams) -> RankedItems:
        pool = extreme_items(query, pool, setting.k)
        algorithm = retrieve_by_image if ranks_by_image(query, task) else _ALGORITHMS[task]
        saying = items_saying_most(query, pool)
        if saying is None:
            return _prefer(query, _for_each(query, pool, setting, algorithm))
        first = _prefer(query, algorithm(query, saying, setting))
        rest = _prefer(query, algorithm(query, pool & ~saying, setting))
        return first.first(len(first.items) + len(rest.items), rest)

    return retrieve


def _for_each(
    query: SearchQuery, pool: Mask, setting: SearchParams, algorithm: Retriever
) -> RankedItems:
    """Rank a pool, and of several people's wishes also what meets each, which it may leave out."""
    found = algorithm(query, pool, setting)
    if query.intent.several and query.intent.target is None:
        for mask in masks_of_people(query.intent, query.catalogue):
            if (pool & mask).any():
                own = algorithm(query, pool & mask, setting)
                found = found.first(len(found.items) + len(own.items), own)
    return found


def items_saying_most(query: SearchQuery, pool: Mask) -> Mask | None:
    """The items of a pool whose texts say most of the words that are no names; None for no item.

    A rare word counts more than one that many items say.
    """
    catalogue = query.catalogue
    told = np.zeros(len(pool), dtype=np.float32)
    for wish in query.intent.texts:
        if not wish.excluded:
            saying = catalogue.items_saying(wish.words)
            told[saying] += len(wish.words) * np.log(1 + len(pool) / saying.sum())
    told *= pool
    most = float(told.max(initial=0.0))
    return None if most == 0.0 else np.asarray(told >= _NEARLY_MOST * most)


def _prefer(query: SearchQuery, found: RankedItems) -> RankedItems:
    """Move items that meet more soft demands forward, then those with the more extreme numbers."""
    met, extremes = _soft_demands_met(query, found.items), _extreme_values(query, found.items)
    if not met.any() and not extremes:
        return found
    order = falling_order((met, *extremes))
    if query.intent.several and query.intent.target is None:
        turns = np.empty_like(met)
        turns[order] = _turns(query, found.items[order])
        order = falling_order((-turns, met, *extremes))
    return RankedItems(found.items[order], found.scores[order])


def _turns(query: SearchQuery, items: Indexes) -> Scores:
    """When the turn of each of some items comes so that all people are served alike, (items,).

    The first item of each wish comes before the second of any: "gin for me, rum for her".
    """
    turns = np.full(len(items), np.inf, dtype=np.float32)
    for mask in masks_of_people(query.intent, query.catalogue):
        meets = mask[items]
        turns[meets] = np.minimum(turns[meets], np.arange(meets.sum(), dtype=np.float32))
    return turns


def extreme_items(query: SearchQuery, pool: Mask, k: int) -> Mask:
    """The first k items of a pool where a question asks for the most or least, and their equals.

    Items that meet more soft demands come first, then those with the more extreme numbers. Without
    such a wish, or with few items, it is the pool.
    """
    items: Indexes = np.flatnonzero(pool).astype(np.int32)
    extremes = _extreme_values(query, items)
    if not extremes or len(items) <= k:
        return pool
    keys = np.stack([_soft_demands_met(query, items), *extremes])
    order = falling_order(keys)
    chosen: Mask = np.zeros(len(pool), dtype=bool)
    chosen[items[order[:k]]] = True
    chosen[items[(keys == keys[:, order[k - 1], None]).all(axis=0)]] = True
    return chosen


def _extreme_values(query: SearchQuery, items: Indexes) -> list[NDArray[np.float32]]:
    """The numbers of which the most or the least is asked, higher is better, each (items,).

    Unknown values come last; so does a year, a length or another count of 0, which catalogues write
    for what they do not know. Where there is an example, it is compared with, and none is extreme.
    """
    found: list[NDArray[np.float32]] = []
    if query.intent.target is not None:
        return found
    for name, direction in query.intent.order.items():
        if abs(direction) == 1:
            continue
        values = query.catalogue.numbers[name][items].astype(np.float32)
        unknown = np.isnan(values)
        if query.catalogue.domain.numbers[name].kind != "amount":
            unknown |= values == 0.0
        found.append(np.where(unknown, -np.inf, np.sign(direction) * values).astype(np.float32))
    return found


def _soft_demands_met(query: SearchQuery, items: Indexes) -> NDArray[np.float32]:
    met = image_agreement(query, items)
    for constraint in query.intent.constraints:
        if constraint.soft:
            met += mask_of(constraint, query.catalogue)[items] != constraint.excluded
    if query.intent.several:  # who meets the wishes of more people comes first
        for mask in masks_of_people(query.intent, query.catalogue):
            met += mask[items]
    if query.intent.target is None:
        for number, direction in query.intent.order.items():
            if abs(direction) == 1:
                met += _direction_met(query.catalogue.numbers[number], items, direction)
    return met


def _direction_met(
    values: NDArray[np.float64], items: Indexes, direction: int
) -> NDArray[np.float32]:
    """1.0 for items in the third of the catalogue that a wish for more or less means.

    0.5 for others on that side of the median, 0.0 for the rest and for unknown values.
    """
    directed = np.nan_to_num(values[items] * direction, nan=-np.inf)
    third, median = np.nanquantile(values * direction, (2 / 3, 0.5))
    return np.asarray(0.5 * (directed > median) + 0.5 * (directed > third), dtype=np.float32)


_NEAREST_COMPONENTS = 3


def retrieve_by_looks(query: SearchQuery, pool: Mask, setting: SearchParams) -> RankedItems:
    """Rank the pool's items by how near their looks are to the question's."""
    seeds = query.nearest(min(len(query.catalogue), setting.k * setting.seeds))
    chosen = np.zeros(len(pool), dtype=bool)
    chosen[seeds] = True
    chosen |= _items_of_that_colour(query, setting)
    chosen &= pool
    if chosen.sum() < setting.k:
        chosen = pool
    items: Indexes = np.flatnonzero(chosen).astype(np.int32)
    scores = query.similarity(items)
    return rank_items(items, (scores,), scores)


def _items_of_that_colour(query: SearchQuery, setting: SearchParams) -> Mask:
    """Items with the components whose names are nearest to the question's colour words."""
    catalogue = query.catalogue
    colours = [
        key
        for one in query.intent.of_kind(catalogue.domain.kind_of("colour"))
        for key in one.any_of
    ]
    component = catalogue.domain.kind_of("component")
    names = attributes_of_kind(catalogue, component) if component else ()
    if not colours or not names:
        return catalogue.none()
    node_ids = np.array([catalogue.attributes[i].node_id for i in names], dtype=np.int64)
    mask = catalogue.none()
    for vector in query.embedder.embed(colours):
        similarity = query.fields["name"].similarities(vector, node_ids)
        best = np.argsort(-similarity)[:_NEAREST_COMPONENTS]
        near = tuple(names[i] for i in best if similarity[i] >= setting.colour_threshold)
        if near:
            mask = mask | catalogue.items_with(tuple(sorted(near)))
    return mask


def retrieve_by_container(query: SearchQuery, pool: Mask, setting: SearchParams) -> RankedItems:
    """Rank the pool's items by the similarity of their looks to the question."""
    items = np.flatnonzero(pool).astype(np.int32)
    scores = query.similarity(items)
    return rank_items(items, (scores,), scores)


def ranks_by_image(query: SearchQuery, task: TaskKind) -> bool:
    """Return whether the image ranks: by its look (C1), or as the missing example (C4)."""
    if not query.intent.pictured:
        return False
    return task is TaskKind.C1 or (task is TaskKind.C4 and query.intent.anchor is None)


def retrieve_by_image(query: SearchQuery, pool: Mask, setting: SearchParams) -> RankedItems:
    """Rank the whole pool by how much of the picture's look each item has."""
    items: Indexes = np.flatnonzero(pool).astype(np.int32)
    alike = image_agreement(query, items)
    texts = query.similarity(items)
    scores = np.clip(alike + 0.1 * texts, 0.0, 1.0).astype(np.float32)
    return rank_items(items, (alike, texts), scores)


def image_agreement(query: SearchQuery, items: Indexes) -> Scores:
    """Sum of the weights of the picture's demands that each item meets, (len(items),), 0 to 0.9.

    Where the question asks what the picture shows, the guesses of a model come first.
    """
    met = np.zeros(len(items), dtype=np.float32)
    for one in query.intent.pictured:
        met += np.float32(one.weight) * mask_of(one, query.catalogue)[items]
    seen = query.intent.seen
    if seen is not None and seen.leans == "name":
        for place, guess in enumerate(seen.guesses):
            index = None if guess.key is None else query.catalogue.item_index(guess.key)
            met[items == (-1 if index is None else index)] += 1.0 / (1 + place)
    return met


def retrieve_by_description(query: SearchQuery, pool: Mask, setting: SearchParams) -> RankedItems:
    """Rank items by their descriptions alone and hold no constraint: MARC without its graph."""
    field = "description" if "description" in query.fields else query.visual_field
    items = query.nearest(setting.k, field)
    return RankedItems(items, query.similarity(items, field))


_ALGORITHMS: dict[TaskKind, Retriever] = {
    TaskKind.C1: retrieve_by_looks,
    TaskKind.C2: retrieve_by_container,
    TaskKind.C3: retrieve_by_expansion,
    TaskKind.C4: retrieve_by_likeness,
}
