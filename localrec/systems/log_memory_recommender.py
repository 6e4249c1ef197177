"""Recommenders with a shared memory that can be fitted to an interaction log."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from localrec.data.interactions import Interactions
from localrec.data.reasons import Reasons
from localrec.foundation.progress import Progress
from localrec.memory.configs import MemRecConfig, MemRecVectorConfig
from localrec.memory.from_log import ItemSet
from localrec.memory.user_item_graph import UserItemGraph
from localrec.ranking.recommender import ScoreRequests
from localrec.systems.item_recommender import ItemRecommender
from localrec.systems.log_memory import LogMemory
from localrec.systems.profile_recommender import ProfileRecommender


class LogMemoryRecommender(ItemRecommender):
    """A recommender that uses a shared memory; fitted to a log, it uses the log's memory.

    Attributes:
        memory_config: The parts of the memory.
        log_memory: The memory of the log.
        graph: The graph of its users and items.
    """

    memory_config: MemRecConfig | MemRecVectorConfig
    log_memory: LogMemory
    graph: UserItemGraph

    def fit(self, train: Interactions, seed: int, progress: Progress) -> None:
        """Build a memory of a log, whose rows all count as likes, and fit its weights."""
        ProfileRecommender.fit(self, train, seed, progress)
        items = ItemSet.of_log(self._catalogue, self._field, train)
        self.log_memory = LogMemory.fitted(train, items, self.memory_config, seed, progress)
        self.graph, self.settings = self.log_memory.memory.graph, self.log_memory.settings

    def score(self, requests: ScoreRequests) -> NDArray[np.float32]:
        """Score all items of the log, by the memory where it takes part."""
        scores = self.log_memory.score(requests)
        for row in range(len(requests)):
            if not self._takes_part(requests, row):
                scores[row] = self.score_request(requests, row).scores[self.places]
        return scores

    def explain(self, requests: ScoreRequests, row: int, item: int) -> Reasons:
        """Explain an item's place for one of the requests."""
        if self._takes_part(requests, row):
            return self.log_memory.explain(requests, row, item)
        return super().explain(requests, row, item)

    def _takes_part(self, requests: ScoreRequests, row: int) -> bool:
        """Whether the memory decides for one of the requests."""
        return True
