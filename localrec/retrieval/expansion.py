"""C3, multi-hop expansion over components (MARC, appendix A.1).

Hop 1: items with at least n of the asked components. Hop 2: the components these items have in
common; an item with at least n of them goes on. Hop 3: items reached through the common
components, scored by extension strength (how many of the common components it has) plus
ingredient bonus (how many of the asked ones); ties go to the higher strength. The best are
ordered by similarity to the question.

Departures: the pool bounds every hop. The final similarity is taken over the description as well
as the image description, because what a drink tastes of is said in the former.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from localrec.data.arrays import Indexes, Mask, Scores, largest_places
from localrec.retrieval.search_query import RankedItems, SearchParams, SearchQuery, rank_items
from localrec.retrieval.substitutions import substitution_index

_COMMON_SHARE = 0.2  # a component is "common" when a fifth of the first hop has it
_MOST_COMMON = 12


def retrieve_by_expansion(query: SearchQuery, pool: Mask, setting: SearchParams) -> RankedItems:
    """Rank the pool's items by what they share with the items that match the components."""
    items: Indexes = np.flatnonzero(pool).astype(np.int32)
    similarity = _similarity(query, items)
    groups = _groups_in_question(query)
    if not groups:
        return rank_items(items, (similarity,), similarity)
    bonus = np.sum([query.catalogue.items_with(group) for group in groups], axis=0)
    first_hop: Indexes = np.flatnonzero((bonus >= setting.matches) & pool).astype(np.int32)
    if not len(first_hop):
        first_hop = np.flatnonzero(bonus >= setting.matches).astype(np.int32)
    common = _common_components(query, first_hop, groups)
    strength = query.catalogue.shared_components(common)
    total = (strength + bonus)[items]
    share = total.astype(np.float32) / max(1.0, float(total.max(initial=1)))
    scores = 0.5 * share + 0.5 * similarity
    if query.intent.have:
        # Things at hand: what needs least beyond them comes first, then what uses most of them.
        missing = _missing_counts(query)[items].astype(np.float32)
        return rank_items(items, (-missing, bonus[items].astype(np.float32), scores), scores)
    # Both are counts, so that a total and the strength that decides among equals are one number.
    best = largest_places(
        total * (int(strength.max(initial=0)) + 1) + strength[items], 4 * setting.k
    )
    return rank_items(items[best], (similarity[best],), scores[best])


def _groups_in_question(query: SearchQuery) -> list[tuple[int, ...]]:
    """Per asked component the attribute indexes that count as it."""
    catalogue = query.catalogue
    component = catalogue.domain.kind_of("component") or ""
    keys = [one.any_of for one in query.intent.of_kind(component)]
    keys += [(key,) for key in query.intent.have]
    groups = []
    for any_of in dict.fromkeys(keys):
        below: set[int] = set()
        for key in any_of:
            index = catalogue.attribute_index(component, key)
            if index is not None:
                below.update(catalogue.below(index))
        if below:
            groups.append(tuple(sorted(below)))
    return groups


def _common_components(
    query: SearchQuery, first_hop: Indexes, groups: list[tuple[int, ...]]
) -> list[int]:
    use = query.catalogue.component_use(first_hop)
    asked = [index for group in groups for index in group]
    use[asked] = 0
    enough = max(2, int(_COMMON_SHARE * len(first_hop)))
    common = np.flatnonzero(use >= enough)
    return [int(i) for i in common[np.argsort(-use[common], kind="stable")][:_MOST_COMMON]]


def _similarity(query: SearchQuery, items: Indexes) -> Scores:
    fields = [name for name in ("description", query.visual_field) if name in query.fields]
    unique = list(dict.fromkeys(fields))
    return np.mean([query.similarity(items, name) for name in unique], axis=0, dtype=np.float32)


def _missing_counts(query: SearchQuery) -> NDArray[np.int32]:
    """For every item, how many of its components are not at hand, shape (n,)."""
    counts = query.catalogue.component_counts
    return counts - query.catalogue.shared_components(sorted(_at_hand(query)))


def _at_hand(query: SearchQuery) -> set[int]:
    """Things that what is at hand supplies, by substitution, and staples; attribute indexes."""
    catalogue = query.catalogue
    component = catalogue.domain.kind_of("component") or ""
    found = (catalogue.attribute_index(component, key) for key in query.intent.have)
    have = [index for index in found if index is not None]
    staples = {int(catalogue.identity[one]) for one in catalogue.staples}
    return staples | set(substitution_index(catalogue).supplied_from(have))


def missing_components(query: SearchQuery, item: int) -> tuple[str, ...]:
    """Names of an item's components that nothing at hand supplies."""
    owned = _at_hand(query)
    catalogue = query.catalogue
    return tuple(
        catalogue.attributes[index].name
        for index in catalogue.components_of(item)
        if int(catalogue.identity[index]) not in owned
    )
