"""Find plug-ins: objects that installed packages register under localrec's entry-point groups.

Nothing is looked up before somebody asks for a group, and a plug-in is imported only when it is
loaded. localrec registers what ships with it in the same way. In a checkout its own entries are
read from `pyproject.toml`, because the metadata of an editable install may be older than the code.

Example: `find_plugin("localrec.sources", "goodreads").load()` gives the reader of Goodreads files.
"""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import import_module, metadata
from typing import Any

import msgspec

from localrec.foundation.errors import LocalrecError
from localrec.foundation.paths import checkout_path

DOMAINS = "localrec.domains"
SOURCES = "localrec.sources"
RECOMMENDERS = "localrec.recommenders"
SYSTEMS = "localrec.systems"
_OWN = "localrec"


class PluginError(LocalrecError):
    """A registered plug-in cannot be imported."""


class Plugin(msgspec.Struct, frozen=True):
    """One registered object.

    Args:
        name: Its name in the group.
        reference: Place of its definition, as "package.module:object".
        package: The installed package that registers it.
    """

    name: str
    reference: str
    package: str = _OWN

    def load(self) -> Any:
        """Import the object.

        Raises:
            PluginError: the module or the object is missing, or its import fails.
        """
        return load_reference(self.reference, self.package)


def load_reference(reference: str, package: str = _OWN) -> Any:
    """Import the object that "package.module:object" names.

    Raises:
        PluginError: the module or the object is missing, or its import fails.
    """
    module, _, attribute = reference.partition(":")
    try:
        return getattr(import_module(module), attribute)
    except Exception as error:
        raise PluginError(
            f"The plug-in {reference} of {package} cannot be loaded: {error!r}.",
            f"Install {package} again, or uninstall it.",
        ) from error


def find_plugin(group: str, name: str) -> Plugin | None:
    """Return the plug-in of a name; other packages are searched only if localrec has none."""
    return shipped_plugins(group).get(name) or installed_plugins(group).get(name)


def list_plugins(group: str) -> dict[str, Plugin]:
    """Return all plug-ins of a group by name: localrec's own in their order, then the others."""
    own = shipped_plugins(group)
    return own | installed_plugins(group) | own


@cache
def shipped_plugins(group: str) -> dict[str, Plugin]:
    """Return the plug-ins that ship with localrec, in the order of `pyproject.toml`."""
    declared = _declared_in_checkout().get(group)
    if declared is None:
        declared = {one.name: one.value for one in _own_metadata() if one.group == group}
    return {name: Plugin(name, reference) for name, reference in declared.items()}


@cache
def installed_plugins(group: str) -> dict[str, Plugin]:
    """Return the plug-ins of other packages, sorted by name; this reads all package metadata."""
    found = sorted(metadata.entry_points(group=group), key=lambda one: (one.name, one.value))
    plugins = (Plugin(one.name, one.value, one.dist.name) for one in found if one.dist is not None)
    return {plugin.name: plugin for plugin in plugins if plugin.package != _OWN}


def _declared_in_checkout() -> dict[str, dict[str, str]]:
    """Return the entry points that `pyproject.toml` declares; {} where localrec is no checkout."""
    project = checkout_path("pyproject.toml")
    if not project.is_file():
        return {}
    # All of the file takes 15 ms to parse, and most commands want one entry.
    sections = project.read_text(encoding="utf-8").split("\n[")
    if not any(one.startswith("project]") and f'\nname = "{_OWN}"' in one for one in sections):
        return {}
    declared = [f"[{one}" for one in sections if one.startswith("project.entry-points")]
    found: dict[str, dict[str, str]] = tomllib.loads("\n".join(declared))["project"]["entry-points"]
    return found


def _own_metadata() -> tuple[metadata.EntryPoint, ...]:
    try:
        return tuple(metadata.distribution(_OWN).entry_points)
    except metadata.PackageNotFoundError:
        return ()
