"""The registry of systems by name; a system is imported at its first use.

A package adds systems by entry points of the group `localrec.systems`: each maps the name of a
system to an object that is a `System`.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING

from localrec.foundation.errors import UsageError
from localrec.foundation.plugins import SYSTEMS, PluginError, installed_plugins
from localrec.systems.shipped_systems import ANSWERERS, RECOMMENDERS
from localrec.systems.system import System, SystemKind, SystemOptions

if TYPE_CHECKING:
    from localrec.data.answers import QuestionAnswerer
    from localrec.data.model_calls import ModelCall
    from localrec.ranking.recommender import SettingValue
    from localrec.systems.item_recommender import ItemRecommender
    from localrec.workspace.domain_context import DomainContext

_SHIPPED: dict[SystemKind, dict[str, str]] = {
    "answerer": ANSWERERS,
    "recommender": RECOMMENDERS,
}


class SystemRegistry:
    """The shipped systems, those of other packages, and added ones.

    Example:
        `SYSTEM_REGISTRY.answerer(context, "marc", without_model=True).answer(question, 5)`

    Args:
        systems: Name -> a system that is used instead of any other of that name.
    """

    def __init__(self, systems: Mapping[str, System] | None = None) -> None:
        self._systems = dict(systems or {})

    def with_system(self, name: str, system: System) -> SystemRegistry:
        """Return a registry with one more system."""
        return SystemRegistry({**self._systems, name: system})

    def names(self, kind: SystemKind) -> list[str]:
        """List the names of the systems of one kind."""
        plugins = installed_plugins(SYSTEMS).items()
        found = [name for name, plugin in plugins if kind in plugin.load().kinds]
        found += [name for name, system in self._systems.items() if kind in system.kinds]
        return list(dict.fromkeys([*_SHIPPED[kind], *sorted(found)]))

    def plugin_names(self, kind: SystemKind) -> list[str]:
        """List the systems of one kind that other packages add and that can be loaded."""
        found = []
        for name, plugin in installed_plugins(SYSTEMS).items():
            with suppress(PluginError):
                if name not in _SHIPPED[kind] and kind in plugin.load().kinds:
                    found.append(name)
        return found

    def get(self, name: str, kind: SystemKind) -> System:
        """Load a system by name.

        Raises:
            UsageError: there is no such system of this kind.
            PluginError: it belongs to another package and cannot be imported.
        """
        system: System | None = self._systems.get(name)
        if system is None and (module := _SHIPPED[kind].get(name)):
            system = import_module(f"localrec.systems.{module}").SYSTEM
        if system is None and (plugin := installed_plugins(SYSTEMS).get(name)):
            system = plugin.load()
        if system is None or kind not in system.kinds:
            does = " that ranks" if kind == "recommender" else ""
            raise UsageError(
                f"There is no system {name!r}{does}.", f"Systems: {', '.join(self.names(kind))}."
            )
        return system

    def answerer(
        self,
        context: DomainContext,
        name: str,
        *,
        without_model: bool = False,
        calls: list[ModelCall] | None = None,
    ) -> QuestionAnswerer:
        """Make a system for questions about a domain.

        Args:
            context: The domain as a user sees it.
            name: The name of the system.
            without_model: Whether every role is played without a model.
            calls: Takes each call of a model; None records nothing.

        Raises:
            UsageError: there is no such system.
        """
        if calls is not None:
            from localrec.workspace.model_pool import RecordingModels

            context = context.with_models(RecordingModels(context.models, calls))
        system = self.get(name, "answerer")
        return system.answerer(context, SystemOptions(name, without_model))

    def recommender(
        self,
        context: DomainContext,
        name: str = "auto",
        settings: Mapping[str, SettingValue] | None = None,
    ) -> ItemRecommender:
        """Make a system for lists of a domain.

        Args:
            context: The domain as a user sees it.
            name: The name of the system.
            settings: Settings that differ from the defaults of its configuration.

        Raises:
            UsageError: there is no such system, or a setting does not fit.
            ModelError: it asks a model that is not here, or does not start.
            WorkspaceError: it compares memories as vectors, and there are none.
        """
        options = SystemOptions(name, settings=settings or {})
        return self.get(name, "recommender").recommender(context, options)


SYSTEM_REGISTRY = SystemRegistry()
