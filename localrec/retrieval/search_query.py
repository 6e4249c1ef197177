"""The records that the four retrieval algorithms share: query, parameters, ranked items.

Each algorithm ranks candidates that meet every hard constraint (`candidates.py`) and adds no other
item. The parameters differ between the rounds of reflection.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import msgspec
import numpy as np
from numpy.typing import NDArray

from localrec.data.arrays import Indexes, Scores, falling_order, stable_order
from localrec.data.query import Query
from localrec.graph.catalogue import Catalogue
from localrec.index.embedded_fields import EmbeddedField
from localrec.index.protocols import Embedder, Vectors

_LARGE_SHARE = 4  # of the items; gathering that many vectors takes as long as comparing with all


class SearchParams(msgspec.Struct, frozen=True, kw_only=True):
    """The parameters of one round of search.

    Args:
        k: Candidates wanted.
        seeds: Items taken as seeds by vector similarity, per wanted candidate.
        colour_threshold: Least cosine between a colour word and a component's name (C1).
        matches: Least number of asked components an item of the first hop has (C3's n).
        complexity: Largest difference in component count to the target (C4's m).
        shared: Least number of components shared with the target (C4's x).
    """

    k: int
    seeds: int = 3
    colour_threshold: float = 0.35
    matches: int = 1
    complexity: int = 2
    shared: int = 2

    def relaxed(self) -> SearchParams:
        """Return the next round's parameters: one more candidate, every bound a step looser."""
        return SearchParams(
            k=self.k + 1,
            seeds=self.seeds + 2,
            colour_threshold=self.colour_threshold - 0.05,
            matches=max(1, self.matches - 1),
            complexity=self.complexity + 1,
            shared=max(1, self.shared - 1),
        )


@dataclass(frozen=True)
class SearchQuery:
    """A question ready for retrieval: its text, its query, and its similarity to texts of items.

    `look` describes its image in words, "" without an image.
    """

    text: str
    intent: Query
    catalogue: Catalogue
    embedder: Embedder
    fields: Mapping[str, EmbeddedField]
    look: str = ""

    @cached_property
    def vector(self) -> Vectors:
        """The embedding of what the question wants and of its picture's look, shape (1, size)."""
        wanted = self.intent.wanted_text or self.text
        return self.embedder.embed([f"{wanted} {self.look}".strip()])

    @property
    def visual_field(self) -> str:
        """The text that says what an item looks like, else the one that describes it."""
        for name in ("image_description", "description"):
            if name in self.fields:
                return name
        return next(iter(self.fields))

    def similarity(self, items: Indexes, field_name: str | None = None) -> Scores:
        """Cosine between the question and one text of the given items, shape (len(items),)."""
        name = field_name or self.visual_field
        if name not in self.fields or not len(items):
            return np.zeros(len(items), dtype=np.float32)
        if name not in self._of_all_items:
            node_ids, query = self.catalogue.node_ids, self.vector[0]
            if len(items) * _LARGE_SHARE < len(node_ids):
                return self.fields[name].similarities(query, node_ids[items])
            self._of_all_items[name] = self.fields[name].similarities(query, node_ids)
        return self._of_all_items[name][items]

    @cached_property
    def _of_all_items(self) -> dict[str, Scores]:
        """The similarities of all items by field, for the rounds of reflection to share."""
        return {}

    def nearest(self, k: int, field_name: str | None = None) -> Indexes:
        """Item indexes nearest to the question by one text, best first (HNSW or exact)."""
        labels, _ = self.fields[field_name or self.visual_field].search(self.vector, k)
        return self.catalogue.indexes_of(np.asarray(labels[0], dtype=np.int64))


class RankedItems(msgspec.Struct, frozen=True):
    """Items of one retrieval, best first, with rising scores in 0..1."""

    items: Indexes
    scores: Scores

    def first(self, k: int, further: RankedItems | None = None) -> RankedItems:
        """The first k, with new ones of `further` behind them; scores never rise with the rank."""
        items, scores = self.items, self.scores
        if further is not None:
            new = ~np.isin(further.items, items)
            items = np.concatenate([items, further.items[new]])
            scores = np.concatenate([scores, further.scores[new]])
        return RankedItems(items[:k], np.minimum.accumulate(scores[:k]))


def rank_items(
    items: Indexes, keys: tuple[NDArray[np.float32], ...], scores: Scores
) -> RankedItems:
    """Order items by several keys, the first one decisive, each descending; ties by index."""
    if (items[1:] < items[:-1]).any():
        by_index = stable_order(items)
        items, scores = items[by_index], scores[by_index]
        keys = tuple(key[by_index] for key in keys)
    order = falling_order(keys)
    return RankedItems(items[order].astype(np.int32), scores[order])
