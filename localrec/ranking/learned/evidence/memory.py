"""Collaborative memory: what the neighbourhood of a history likes, curated as MemRec does it.

The neighbourhood is the one of `localrec/memory`: users and items near the history in the graph of
who met what, of which rules choose the few that count. It is read twice,

    memory-items    how near each item is, by the users near the history
    memory-votes    what the curated users met, each with the score that the rules give

MemRec stays a system of its own. Its facets are left out, since attributes are evidence already
and facets earned weights on strangers that made their lists worse; so is the similarity of texts,
without which the curated users voted as well once all evidence was added up.
"""

from __future__ import annotations

from functools import cached_property
from typing import ClassVar

import msgspec
import numpy as np

from localrec.data.interaction_matrix import InteractionMatrix
from localrec.data.item_features import ItemFeatures
from localrec.memory.collaborative_memory import vote_evidence
from localrec.memory.curation import curate
from localrec.memory.default_rules import shipped_rules
from localrec.memory.user_item_graph import Neighbours, UserItemGraph
from localrec.memory.user_summaries import UserSummaries, summarize_users
from localrec.ranking.learned.evidence.base import FitContext, Signals, history_weights
from localrec.ranking.learned.interactions import Histories, Indexes, Offsets

NEWEST_ITEMS = 100  # of a history
FADE = 0.9
_RULES = "books"  # the shipped set that takes least for granted: no domain is known here


class NeighbourhoodMemory(msgspec.Struct, frozen=True, dict=True):
    """The interactions and attributes that all users share, in the numbers of the log.

    Args:
        matrix: Who met what, and when.
        features: The attributes of the items, without vectors.
        summaries: The sums of each user, without directions.
        mean_rating: Mean rating of the store, NaN where nothing was rated.
    """

    kind: ClassVar[str] = "memory"

    matrix: InteractionMatrix
    features: ItemFeatures
    summaries: UserSummaries
    mean_rating: float

    def signals(self, histories: Histories) -> Signals:
        """Compute the nearness of items and the votes of curated users, (b, items) each."""
        size = self.matrix.item_count
        similarities = np.zeros((len(histories), size), dtype=np.float32)
        votes = np.zeros((len(histories), size), dtype=np.float32)
        rules = shipped_rules(_RULES)
        for row in range(len(histories)):
            found = self._neighbours(histories.take([row]))
            near = ~found.is_user
            similarities[row, found.index[near]] = found.edge_weight[near]
            votes[row] = vote_evidence(curate(found, rules), self._graph)
        return {"memory-items": similarities, "memory-votes": votes}

    def nearest_who_met(self, history: Histories, item: int) -> tuple[int, int]:
        """Count how many users of a history's neighbourhood met an item, and all of them."""
        found = self._neighbours(history)
        users = found.index[found.is_user]
        return int(np.isin(users, self.matrix.users_of(item)).sum()), len(users)

    def _neighbours(self, history: Histories) -> Neighbours:
        """Find the neighbourhood of one history, each of whose items counts at its newest place."""
        newest = history.newest(NEWEST_ITEMS)
        weights = history_weights(newest, FADE, self.mean_rating)
        items, places = _each_once(newest.item)
        return self._graph.neighbours_of(items, weights[places], int(newest.user[0]))

    @cached_property
    def _graph(self) -> UserItemGraph:
        return UserItemGraph(self.matrix, self.features, profiles=self.summaries)


def fit_memory(context: FitContext) -> NeighbourhoodMemory:
    """Index who met what, with the sums of each user."""
    matrix = InteractionMatrix.from_log(context.log)
    features = msgspec.structs.replace(context.side, vectors=None)
    summaries = summarize_users(matrix, features)
    return NeighbourhoodMemory(matrix, features, summaries, context.log.mean_stars)


def _each_once(items: Indexes) -> tuple[Indexes, Offsets]:
    """Keep each item at its newest place; return items and places, oldest first."""
    kept, behind = np.unique(items[::-1], return_index=True)
    places = len(items) - 1 - behind
    order = np.argsort(places)
    return kept[order], places[order].astype(np.int64)
