"""C1, visual search (MARC, appendix A.1): what it looks like, and components of that colour.

Seeds are the items whose image description is nearest to the question. The colour words are
compared with the names of components; items with the components nearest to the colour join the
seeds. All of them are scored again by their image description. Beyond the paper: only items of
the pool take part, and the pool fills up where seeds and colours leave it short.
"""

from __future__ import annotations

import numpy as np

from localrec.graph.catalogue import Indexes, Mask
from localrec.retrieval.base import Query, Ranked, Setting, ranked

_NEAREST_COMPONENTS = 3


def retrieve_by_looks(query: Query, pool: Mask, setting: Setting) -> Ranked:
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
    return ranked(items, (scores,), scores)


def _items_of_that_colour(query: Query, setting: Setting) -> Mask:
    """Items with the components whose names are nearest to the question's colour words."""
    catalogue = query.catalogue
    colours = [
        key
        for one in query.intent.of_kind(catalogue.domain.kind_of("colour"))
        for key in one.any_of
    ]
    component = catalogue.domain.kind_of("component")
    names = [i for i, one in enumerate(catalogue.attributes) if one.kind == component]
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
