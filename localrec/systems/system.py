"""The protocol of systems, those of other packages included."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal, Protocol, TypeVar

import msgspec

from localrec.foundation.errors import UsageError
from localrec.ranking.recommender import SettingValue

if TYPE_CHECKING:
    from localrec.data.answers import QuestionAnswerer
    from localrec.foundation.settings import Settings
    from localrec.systems.item_recommender import ItemRecommender
    from localrec.workspace.domain_context import DomainContext

SystemKind = Literal["answerer", "recommender"]
Config = TypeVar("Config", bound=msgspec.Struct)


class SystemOptions(msgspec.Struct, frozen=True):
    """Options of a system.

    Example:
        `SystemOptions("marc", settings={"reader": "rules"}).configured(MarcConfig()).reader` is
        "rules".

    Args:
        name: The name that it was asked for by.
        without_model: Whether every role is played without a model.
        settings: Settings that differ from the defaults of its configuration.
    """

    name: str
    without_model: bool = False
    settings: Mapping[str, SettingValue] = {}

    def configured(self, config: Config, besides: Sequence[str] = ()) -> Config:
        """Return a configuration with the settings filled in.

        Args:
            config: The defaults.
            besides: Settings of the system that are no fields of it.

        Raises:
            UsageError: there is no such field, or a value does not fit.
        """
        changed = {name: value for name, value in self.settings.items() if name not in besides}
        try:
            return msgspec.convert({**msgspec.structs.asdict(config), **changed}, type(config))
        except msgspec.ValidationError as error:
            known = ", ".join((*besides, *config.__struct_fields__))
            raise UsageError(
                f"The settings of {self.name} do not fit: {error}.", f"It has these: {known}."
            ) from error


class System(Protocol):
    """A system that answers questions, makes lists, or both.

    Attributes:
        kinds: The kinds of work that it does.
    """

    kinds: frozenset[SystemKind]

    def roles(self, settings: Settings, options: SystemOptions) -> tuple[str, ...]:
        """Return the roles of its models."""
        ...

    def answerer(self, context: DomainContext, options: SystemOptions) -> QuestionAnswerer:
        """Return the answerer of a domain."""
        ...

    def recommender(self, context: DomainContext, options: SystemOptions) -> ItemRecommender:
        """Return the recommender of a domain."""
        ...


class RecommenderSystem:
    """A system that makes lists, and answers no questions."""

    kinds: frozenset[SystemKind] = frozenset({"recommender"})

    def roles(self, settings: Settings, options: SystemOptions) -> tuple[str, ...]:
        """Return the roles of its models: none."""
        return ()

    def answerer(self, context: DomainContext, options: SystemOptions) -> QuestionAnswerer:
        """Refuse to answer questions."""
        raise NotImplementedError
