"""One domain of a workspace whose users are those of an interaction log."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from localrec.data.interactions import Interactions
from localrec.workspace.domain_context import DomainContext, SharedIndexes

if TYPE_CHECKING:
    from localrec.data.interaction_matrix import InteractionMatrix
    from localrec.graph.catalogue import Catalogue
    from localrec.index.sequential import SequentialModel
    from localrec.memory.collaborative_memory import CollaborativeMemory
    from localrec.memory.configs import MemRecConfig
    from localrec.memory.loader import SharedMemory
    from localrec.workspace.model_pool import Models


class LogContext(DomainContext):
    """The items of a domain and the users of a log, which go by their numbers as keys.

    What is opened over it knows of users what the log tells, and of those in the store nobody.

    Args:
        indexes: The vectors of the domain.
        log: Its items are numbered as in the catalogue; None: there is nobody.
        catalogue: The items of the domain, where they were read already.
    """

    has_users = False
    _sequential: SequentialModel | None = None

    def __init__(
        self,
        indexes: SharedIndexes,
        log: Interactions | None = None,
        catalogue: Catalogue | None = None,
    ) -> None:
        super().__init__(indexes)
        self._given = log
        if catalogue is not None:
            self._made["catalogue"] = catalogue

    def shared_with(self, models: Models, sequential: SequentialModel | None) -> LogContext:
        """Return a context that starts with all that was opened here, and opens the rest itself.

        Args:
            models: Open the models.
            sequential: A next-item model that was trained on the log; None for none.
        """
        other = self.with_models(models)
        other._made = dict(self._made)
        other._sequential = sequential
        return other

    @property
    def interactions(self) -> InteractionMatrix:
        """The likes of the log's users."""
        from localrec.data.interaction_matrix import InteractionMatrix
        from localrec.index.interaction_cache import LIKED_FROM

        return self.once(
            "interactions", lambda: InteractionMatrix.from_likes(self._log, LIKED_FROM)
        )

    @property
    def collaborative_memory(self) -> CollaborativeMemory:
        """Return the shared memory of the log's users."""
        from localrec.memory.from_log import ItemSet, build_collaborative_memory

        def build() -> CollaborativeMemory:
            items = ItemSet.of_log(self.catalogue, self.description_field, self._log)
            return build_collaborative_memory(self._log, items)

        return self.once("collaborative memory", build)

    def shared_memory(self, config: MemRecConfig) -> SharedMemory:
        """The collaborative memory with fusion weights that are fitted to it and kept nowhere."""
        from localrec.memory.loader import SharedMemory, first_half, fit_fusion_weights

        memory = self.collaborative_memory
        weights = fit_fusion_weights(memory, config)
        memory = memory if config.write else first_half(memory)
        return SharedMemory(memory, config, weights, self.user_index_in(memory))

    @property
    def sequential_model(self) -> SequentialModel | None:
        """Return the sequential model that was trained on the log; None without one."""
        return self._sequential

    def user_id(self, user: str) -> None:
        """Nobody has a node."""
        return

    def user_index_in(self, memory: CollaborativeMemory) -> Callable[[str], int]:
        """Return the function from a user's key to their index in a memory: their number."""
        return lambda user: int(user) if user else -1

    @property
    def _log(self) -> Interactions:
        if self._given is not None:
            return self._given
        none, moments = np.zeros(0, dtype=np.int32), np.zeros(0, dtype="datetime64[s]")
        stars = none.astype(np.float32)
        return Interactions(none, none, stars, moments, users=0, items=len(self.catalogue))
