"""Build the shared memory of an interaction log, for systems that are fitted to a log.

Every row counts as a like, as for the baselines, since every held-out row is a target. The fusion
weights are fitted to the last row of some users, with a memory of the other rows; the memory that
is used afterwards contains all rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import msgspec
import numpy as np

from localrec.data.arrays import Indexes, Mask, Scores
from localrec.data.domains import Domain
from localrec.data.interaction_matrix import InteractionMatrix
from localrec.data.interactions import Interactions
from localrec.data.item_features import ItemFeatures
from localrec.foundation.progress import Progress
from localrec.graph.catalogue import Attribute, Catalogue
from localrec.index.embedded_fields import EmbeddedField
from localrec.index.item_cooccurrence import count_cooccurrence
from localrec.memory.collaborative_memory import CollaborativeMemory
from localrec.memory.configs import MemRecConfig
from localrec.memory.default_rules import default_rules
from localrec.memory.fusion import FusionWeights
from localrec.memory.memory_texts import MemoryTexts
from localrec.memory.memrec import MemRec
from localrec.memory.synthesis import domain_shares, phrases_of
from localrec.memory.user_item_graph import UserItemGraph
from localrec.memory.user_summaries import build_item_features

_FEWEST_ROWS = 3  # of a user who gives one up to fit weights on
_MOST_FITTED = 2_000  # users


class ItemSet(msgspec.Struct, frozen=True, dict=True):
    """Items of a catalogue in the order of a log.

    Args:
        catalogue: The snapshot that numbers the attributes.
        places: Catalogue index of each item, (items,).
        item_features: Attributes and vectors of the items.
    """

    catalogue: Catalogue
    places: Indexes
    item_features: ItemFeatures

    @classmethod
    def of_log(
        cls, catalogue: Catalogue, field: EmbeddedField | None, log: Interactions
    ) -> ItemSet:
        """Build the items of a log; items without node ids have the catalogue's own numbers."""
        nodes = log.item_nodes if len(log.item_nodes) else catalogue.node_ids
        places = catalogue.indexes_of(nodes)
        return cls(catalogue, places, build_item_features(catalogue, field, places))

    @property
    def domain(self) -> Domain:
        """The domain of the items."""
        return self.catalogue.domain

    @cached_property
    def names(self) -> list[str]:
        """The name of each item, (items,)."""
        return [self.catalogue.names[place] for place in self.places.tolist()]

    @property
    def attributes(self) -> Sequence[Attribute]:
        """All attributes of the catalogue."""
        return self.catalogue.attributes

    def attributes_of(self, item: int) -> Indexes:
        """Return the numbers of an item's attributes."""
        begin, end = self.item_features.first_link[item : item + 2].tolist()
        return self.item_features.attribute[begin:end]

    def texts_of(self, memory: CollaborativeMemory) -> MemoryTexts:
        """Return the memory texts of these items, for a model."""
        staples = self.domain.staples
        is_staple: Mask = np.array([one.key in staples for one in self.attributes], dtype=bool)
        names = [one.name for one in self.attributes]
        return MemoryTexts(memory.graph, names, self.names, is_staple)


def build_collaborative_memory(
    log: Interactions, items: ItemSet, *, write: bool = True
) -> CollaborativeMemory:
    """Build the collaborative memory of a log; without `write` of its users' first halves."""
    known = log if write else _first_half(log)
    graph = UserItemGraph(InteractionMatrix.from_log(known), items.item_features)
    return CollaborativeMemory(
        graph=graph,
        cooccurrence=count_cooccurrence(known.user, known.item, known.items),
        usual=domain_shares(items.item_features, graph.matrix.likes),
        phrases=phrases_of(items.attributes, items.domain),
        rules=default_rules(items.domain.name),
    )


def fit_weights_to_log(
    log: Interactions, items: ItemSet, config: MemRecConfig, seed: int, progress: Progress
) -> FusionWeights:
    """Fit the weight of each kind of evidence on the last row of some users."""
    kept, last = _without_last(log, seed)
    progress("fitting weights", 0, len(last))
    before = MemRec(build_collaborative_memory(kept, items, write=config.write), config)
    histories = [kept.item[kept.rows_of(user)] for user in log.user[last].tolist()]
    return before.fit(histories, log.item[last], log.user[last], seed)


def deduplicated_history(history: Indexes) -> tuple[Indexes, Scores]:
    """Keep each item of a history at its newest place, all with equal weights."""
    _, newest = np.unique(history[::-1], return_index=True)
    places = np.sort(len(history) - 1 - newest)
    return history[places], np.ones(len(places), dtype=np.float32)


def _without_last(log: Interactions, seed: int) -> tuple[Interactions, Indexes]:
    """Remove the last row of some users, drawn by the seed; return the rest and these places."""
    able = np.flatnonzero(np.diff(log.first_row) >= _FEWEST_ROWS)
    drawn = np.sort(np.random.default_rng(seed).permutation(able)[:_MOST_FITTED])
    last = log.first_row[drawn + 1] - 1
    stays = np.ones(len(log), dtype=bool)
    stays[last] = False
    return log.select(stays), last


def _first_half(log: Interactions) -> Interactions:
    """Keep the first half of each user's rows."""
    place = np.arange(len(log)) - log.first_row[log.user]
    return log.select(2 * place < np.diff(log.first_row)[log.user])
