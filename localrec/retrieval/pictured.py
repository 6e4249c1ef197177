"""Search by picture: what looks like the drink of the question's picture.

Beyond the paper, whose C1 and C4 know a picture only through what a model says of it: here the
whole pool is scored by the look that was seen, of which each part counts as much as it is sure,
and equals are told apart by how near their descriptions are.
"""

from __future__ import annotations

import numpy as np

from localrec.graph.catalogue import Indexes, Mask
from localrec.retrieval.base import Query, Ranked, Scores, Setting, ranked
from localrec.retrieval.constraints import mask_of
from localrec.types import TaskKind


def by_picture(query: Query, task: TaskKind) -> bool:
    """Whether the picture ranks: by its look (C1), or as the example that the text lacks (C4)."""
    if not query.intent.pictured:
        return False
    return task is TaskKind.C1 or (task is TaskKind.C4 and query.intent.anchor is None)


def retrieve_by_picture(query: Query, pool: Mask, setting: Setting) -> Ranked:
    """Rank the whole pool by how much of the picture's look each item has."""
    items: Indexes = np.flatnonzero(pool).astype(np.int32)
    alike = agreement(query, items)
    texts = query.similarity(items)
    scores = np.clip(alike + 0.1 * texts, 0.0, 1.0).astype(np.float32)
    return ranked(items, (alike, texts), scores)


def agreement(query: Query, items: Indexes) -> Scores:
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
