"""What the registry asks of a system; systems of other packages are of this kind too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Protocol

import msgspec

if TYPE_CHECKING:
    from localrec.data.answers import QuestionAnswerer
    from localrec.foundation.settings import Settings
    from localrec.systems.item_recommender import ItemRecommender
    from localrec.workspace.domain_context import DomainContext

SystemKind = Literal["answerer", "recommender"]


class SystemOptions(msgspec.Struct, frozen=True):
    """How a system is wanted.

    Args:
        name: The name that it was asked for by.
        without_model: Whether every role is played without a model.
    """

    name: str
    without_model: bool = False


class System(Protocol):
    """A system that answers questions, makes lists, or both.

    Attributes:
        kinds: What it does.
    """

    kinds: frozenset[SystemKind]

    def roles(self, settings: Settings, options: SystemOptions) -> tuple[str, ...]:
        """Return the roles that models play in it."""
        ...

    def answerer(self, context: DomainContext, options: SystemOptions) -> QuestionAnswerer:
        """Return what answers questions about a domain."""
        ...

    def recommender(self, context: DomainContext, options: SystemOptions) -> ItemRecommender:
        """Return what makes lists of a domain."""
        ...


class RecommenderSystem:
    """A system that makes lists, and answers no questions."""

    kinds: frozenset[SystemKind] = frozenset({"recommender"})

    def roles(self, settings: Settings, options: SystemOptions) -> tuple[str, ...]:
        """Return the roles that models play in it: none."""
        return ()

    def answerer(self, context: DomainContext, options: SystemOptions) -> QuestionAnswerer:
        """Refuse to answer questions."""
        raise NotImplementedError
