"""The data of one request: the only input of the agent's tools.

All requests of a domain share one `DomainKnowledge`; a `ToolContext` adds one user's history and
the candidates. Items are indexes into the domain's arrays. The agent sees numbers from 1 instead of
keys, so it cannot invent a key.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import msgspec
import numpy as np
from numpy.typing import NDArray

from localrec.data.arrays import Floats, Indexes, Scores
from localrec.data.domains import Domain
from localrec.data.item_features import ItemFeatures
from localrec.graph.catalogue import Attribute
from localrec.memory.collaborative_memory import CollaborativeMemory
from localrec.memory.memory_texts import MemoryTexts


class SequenceEncoder(Protocol):
    """A sequential recommender's embeddings (SASRec's), and neighbours within them."""

    items: Floats  # (items, size)

    def state_of(self, history: Indexes) -> Floats:
        """Encode a history, oldest item first, (size,)."""
        ...

    def similar_items(self, item: int, k: int) -> Indexes:
        """Return the k items nearest to an item (I2I), without the item itself."""
        ...

    def similar_users(self, state: Floats, k: int, user: int = -1) -> Indexes:
        """Return the k users with the nearest states (U2U), without `person`."""
        ...


class DomainKnowledge(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """The data of a domain, shared by all requests.

    Args:
        domain: Name of the domain that the items belong to.
        titles: Title of each item, untrusted, (items,).
        item_features: The items' attributes.
        attributes: Each attribute, (attributes,).
        years: Year of each item, 0 where unknown, (items,).
        descriptions: An item's own text, "" where it has none; untrusted.
        collaborative_memory: The likes of all users, and the items that go together.
        memory_texts: Memories in words.
        sequential: Embeddings of a sequential recommender; None where none was trained.
        path: The attributes that lead from one item to another in the graph, as a sentence.
    """

    domain: Domain
    titles: Sequence[str]
    item_features: ItemFeatures
    attributes: Sequence[Attribute]
    years: NDArray[np.int32]
    descriptions: Callable[[int], str]
    collaborative_memory: CollaborativeMemory
    memory_texts: MemoryTexts
    sequential: SequenceEncoder | None
    path: Callable[[int, int], str]


class RequestConstraint(msgspec.Struct, frozen=True):
    """One constraint in words, and which candidates meet it, (c,)."""

    text: str
    holds: NDArray[np.bool_]


class ToolContext(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """The data of one request.

    Args:
        reference: The domain's data.
        history: Items, oldest first, each once, (h,).
        stars: Given to each, nan where none were, (h,).
        strengths: Strength of each like, -1 (cannot stand it) to 1 (loves it), (h,).
        days: Days of the interactions since 1970, nan where unknown, (h,).
        now: Day of the request; nan where the history has no days.
        candidates: Items; the agent calls them 1 to c, (c,).
        user: The user's number in the collective graph; -1 for a cold-start user.
        profile: The user's memory in words; "" where there is none.
        instruction: The user's request in words; "" without one.
        demands: The constraints of that request which the graph can check.
    """

    reference: DomainKnowledge
    history: Indexes
    stars: Scores
    strengths: Scores
    days: NDArray[np.float64]
    now: float
    candidates: Indexes
    user: int = -1
    profile: str = ""
    instruction: str = ""
    demands: Sequence[RequestConstraint] = ()
