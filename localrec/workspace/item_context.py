"""One domain of a workspace without its users, for what is fitted to an interaction log."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from localrec.workspace.domain_context import DomainContext

if TYPE_CHECKING:
    from localrec.data.interaction_matrix import InteractionMatrix
    from localrec.memory.collaborative_memory import CollaborativeMemory


class ItemContext(DomainContext):
    """The items of a domain, of which nobody liked any.

    What is opened over it and fitted to a log knows of users what the log tells, and no more.
    """

    has_users = False

    @property
    def interactions(self) -> InteractionMatrix:
        """The likes of nobody."""
        from localrec.data.interaction_matrix import InteractionMatrix

        none = np.zeros(0, dtype=np.int32)
        return InteractionMatrix.from_pairs(none, none, 0, len(self.catalogue))

    @property
    def collaborative_memory(self) -> CollaborativeMemory:
        """What nobody shares."""
        from localrec.data.interactions import Interactions
        from localrec.memory.from_log import ItemSet, build_collaborative_memory

        none, items = np.zeros(0, dtype=np.int32), len(self.catalogue)
        stars, at = np.zeros(0, dtype=np.float32), np.zeros(0, dtype="datetime64[s]")
        log = Interactions(none, none, stars, at, users=0, items=items)
        every = ItemSet.of_log(self.catalogue, self.description_field, log)
        return self.once("collaborative memory", lambda: build_collaborative_memory(log, every))

    def user_id(self, user: str) -> None:
        """Nobody has a node."""
        return
