"""Load domain declarations: of the shipped data folder, and of domain packs."""

from __future__ import annotations

import contextlib
import hashlib
import tomllib
from functools import lru_cache
from pathlib import Path

import msgspec

from localrec.data.domains import ConceptTables, Domain, QuestionWords
from localrec.foundation.atomic_files import write_atomically
from localrec.foundation.errors import InputError, WorkspaceError
from localrec.foundation.paths import make_private, pulled, shipped
from localrec.foundation.plugins import DOMAINS, find_plugin, list_plugins


@lru_cache
def load_domain(name: str, folder: Path | None = None) -> Domain:
    """Read a domain from `folder`, or by its name from `datasets/` or a domain pack.

    Raises:
        InputError: no such domain, or a declaration with an unknown or wrong field.
        PluginError: the package that registers the domain is broken.
    """
    home = folder or _find_folder(name)
    path = home / "domain.toml"
    try:
        declared = tomllib.loads(path.read_text(encoding="utf-8"))
        domain = msgspec.convert(declared, Domain)
        if folder is None and domain.name != name:
            raise InputError(
                f"{path} declares the domain {domain.name!r}, not {name!r}.",
                "Register it under the name that it declares.",
            )
        words = home / "words.toml"
        if words.is_file():
            told = tomllib.loads(words.read_text(encoding="utf-8"))
            domain = msgspec.structs.replace(domain, words=msgspec.convert(told, QuestionWords))
        taxonomy = home / "taxonomy.toml"
        if not taxonomy.is_file():
            return domain
        return msgspec.structs.replace(domain, taxonomy=_read_taxonomy(taxonomy.read_bytes()))
    except (OSError, tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise InputError(
            f"{path} does not declare a domain: {error}.", "See docs/domains.md for the fields."
        ) from error


def _read_taxonomy(text: bytes) -> ConceptTables:
    """Parse a taxonomy; the parsed form is kept, since TOML costs 0.2 s for 1,500 concepts."""
    mark = hashlib.blake2b(text, digest_size=16).hexdigest()
    cached = pulled("domains") / f"{mark}.msgpack"
    try:
        return msgspec.msgpack.decode(cached.read_bytes(), type=ConceptTables)
    except (OSError, msgspec.DecodeError, msgspec.ValidationError):
        pass  # not there, or of another version: a cache is only a cache
    taxonomy = msgspec.convert(tomllib.loads(text.decode("utf-8")), ConceptTables)
    with contextlib.suppress(
        OSError, WorkspaceError
    ):  # a folder that takes nothing costs time, not the answer
        make_private(cached.parent)
        write_atomically(cached, msgspec.msgpack.encode(taxonomy))
    return taxonomy


def known_domains() -> list[str]:
    """Return the name of every domain that ships with localrec or that a pack brings."""
    return sorted({*_domains_without_pack(), *list_plugins(DOMAINS)})


def _find_folder(name: str) -> Path:
    folder = _domains_without_pack().get(name)
    if folder is not None:
        return folder
    pack = find_plugin(DOMAINS, name)
    if pack is None:
        raise InputError(
            f"There is no domain named {name!r}.", f"Known: {', '.join(known_domains())}."
        )
    home: Path = pack.load().folder
    return home


def _domains_without_pack() -> dict[str, Path]:
    """Domains that are data alone: name -> folder below `datasets/`."""
    found = {}
    for path in sorted(shipped("datasets").glob("*/domain.toml")):
        found[tomllib.loads(path.read_text(encoding="utf-8"))["name"]] = path.parent
    return found
