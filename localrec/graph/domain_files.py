"""Load domain declarations: of the workspace, of the shipped data folder, and of domain packs.

A workspace keeps domains of its own in `domains/NAME`. `use_domains_of` has them found by their
names from then on, in this process; `Store.open_` calls it, so whoever reads a store knows them.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

import msgspec

from localrec.data.catalogue_columns import CatalogueColumns
from localrec.data.domains import ConceptTables, Domain, QuestionWords
from localrec.foundation.errors import InputError, WorkspaceError
from localrec.foundation.parsed_toml import decode_large_toml
from localrec.foundation.paths import shipped
from localrec.foundation.plugins import DOMAINS, find_plugin, list_plugins, shipped_plugins

_FILES = ("domain.toml", "words.toml", "columns.toml", "taxonomy.toml")
_OWN = "domains"  # folder of a workspace
_used: list[Path] = []  # workspaces of this process, the latest last
_named: dict[str, Path] = {}  # domains that were named by their folders in this process


def own_domains(workspace: Path) -> Path:
    """The folder in which a workspace keeps domains of its own."""
    return workspace / _OWN


def declarations_of(workspace: Path) -> dict[str, dict[str, bytes]]:
    """A workspace's own domains: name -> file of its declaration -> content, whatever it is."""
    homes = sorted(path.parent for path in own_domains(workspace).glob("*/domain.toml"))
    return {
        home.name: {name: (home / name).read_bytes() for name in _FILES if (home / name).is_file()}
        for home in homes
    }


def declaration_paths(workspace: Path, name: str, files: Iterable[str]) -> dict[str, Path]:
    """Map the files of a declaration to their paths in a workspace, by their names.

    Raises:
        WorkspaceError: a name is none that a declaration has.
    """
    if Path(name).name != name or not set(files) <= set(_FILES):
        raise WorkspaceError(f"{name!r} is no declaration of a domain.")
    return {file: own_domains(workspace) / name / file for file in files}


def use_domains_of(workspace: Path) -> None:
    """Have the domains of a workspace found by name, before those of others, and listed."""
    if workspace in _used:
        _used.remove(workspace)
    _used.append(workspace)


def use_folder(folder: Path) -> str:
    """Have the domain in a folder found by its name, in this process; returns the name.

    Raises:
        InputError: the folder declares no domain, or one with the name of another.
    """
    name = load_domain("", folder).name
    if name in shipped_domains():
        raise InputError(
            f"{folder} declares {name!r}, which is a domain already.", "Give it another name."
        )
    _named[name] = folder
    return name


def load_domain(name: str, folder: Path | None = None) -> Domain:
    """Read a domain from `folder`, or by its name.

    Raises:
        InputError: no such domain, or a declaration with an unknown or wrong field.
        PluginError: the package that registers the domain is broken.
    """
    home = folder or _own_folder(name)
    if home is None:
        return _load_lasting(name)
    changed = tuple(_changed_at(home / file) for file in _FILES)
    return _load_changing(name if folder is None else None, home, changed)


def load_if_sound(name: str) -> Domain | None:
    """Read a domain by its name; None where there is none, or a broken one, which doctor tells."""
    try:
        return load_domain(name)
    except InputError:
        return None


def has_items_of_kind(name: str, kind: str) -> bool:
    """Whether nodes of a kind are the items of a domain, as far as its declaration can be read."""
    domain = load_if_sound(name)
    return domain is not None and domain.item == kind


@lru_cache
def _load_lasting(name: str) -> Domain:
    """A domain that ships with localrec or a package: it stays as it is while we run."""
    return _read_domain(name, _find_folder(name))


@lru_cache
def _load_changing(name: str | None, home: Path, changed: tuple[int, ...]) -> Domain:
    """A domain that a user may edit; `changed` are the times of its files."""
    return _read_domain(name, home)


def _changed_at(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0


def _read_domain(name: str | None, home: Path) -> Domain:
    path = home / "domain.toml"
    try:
        declared = tomllib.loads(path.read_text(encoding="utf-8"))
        domain = msgspec.convert(declared, Domain)
        if name is not None and domain.name != name:
            raise InputError(
                f"{path} declares the domain {domain.name!r}, not {name!r}.",
                "Register it under the name that it declares.",
            )
        words, columns = home / "words.toml", home / "columns.toml"
        if words.is_file():
            told = tomllib.loads(words.read_text(encoding="utf-8"))
            domain = msgspec.structs.replace(domain, words=msgspec.convert(told, QuestionWords))
        if columns.is_file():
            told = tomllib.loads(columns.read_text(encoding="utf-8"))
            named = msgspec.convert(told, CatalogueColumns)
            domain = msgspec.structs.replace(domain, columns=named)
        taxonomy = home / "taxonomy.toml"
        if not taxonomy.is_file():
            return domain
        concepts = decode_large_toml(taxonomy, ConceptTables)
        return msgspec.structs.replace(domain, taxonomy=concepts)
    except (OSError, ValueError, msgspec.ValidationError) as error:
        raise InputError(
            f"{path} does not declare a domain: {error}.", _remedy(name, home)
        ) from error


def _remedy(name: str | None, home: Path) -> str:
    """Write the remedy for a broken declaration; one of a workspace's own can be removed."""
    fields = "The fields: localrec help domains"
    if name is None or home.parent.name != _OWN:
        return fields
    return f"Mend it: localrec domains edit {name}; or remove it: localrec domains remove {name}"


def known_domains() -> list[str]:
    """Return the name of every domain: of the latest workspace, shipped, brought by packs."""
    return sorted({*_own_names(), *shipped_domains()})


def is_known_domain(name: str) -> bool:
    """Whether there is a domain of a name; most are found without a look at all the others."""
    return _own_folder(name) is not None or _shipped_folder(name) is not None


def shipped_domains() -> list[str]:
    """Return the name of every domain that no workspace brings."""
    return sorted({*_domains_without_pack(), *list_plugins(DOMAINS)})


def _own_names() -> set[str]:
    latest = (own_domains(workspace).glob("*/domain.toml") for workspace in _used[-1:])
    return set(_named) | {path.parent.name for found in latest for path in found}


def _own_folder(name: str) -> Path | None:
    """The folder of a domain that was named by it, or of a workspace that is in use."""
    if name in _named:
        return _named[name]
    for workspace in reversed(_used):
        folder = own_domains(workspace) / name
        if "/" not in name and _is_there(folder / "domain.toml"):
            return folder
    return None


def _is_there(path: Path) -> bool:
    """Whether there is a file; what may not be looked at is of no use and hinders nobody."""
    try:
        return path.is_file()
    except OSError:
        return False


def _find_folder(name: str) -> Path:
    home = _shipped_folder(name)
    if home is None:
        raise InputError(
            f"There is no domain named {name!r}.", f"Known: {', '.join(known_domains())}."
        )
    return home


def _shipped_folder(name: str) -> Path | None:
    """The folder of a domain that no workspace brings; packs of others are searched last."""
    if name not in (own := shipped_plugins(DOMAINS)) and (folder := _data_folder(name)):
        return folder
    pack = own.get(name) or find_plugin(DOMAINS, name)
    return None if pack is None else pack.load().folder


def _data_folder(name: str) -> Path | None:
    """The folder below `datasets/` that declares a domain; only files that name it are parsed."""
    for path in sorted(shipped("datasets").glob("*/domain.toml"), reverse=True):
        text = path.read_text(encoding="utf-8")
        if f'"{name}"' in text and tomllib.loads(text)["name"] == name:
            return path.parent
    return None


def _domains_without_pack() -> dict[str, Path]:
    """Domains that are data alone: name -> folder below `datasets/`."""
    found = {}
    for path in sorted(shipped("datasets").glob("*/domain.toml")):
        found[tomllib.loads(path.read_text(encoding="utf-8"))["name"]] = path.parent
    return found
