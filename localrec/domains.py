"""What a domain is: the declaration that lets one code serve drinks, films or books.

A domain is a folder with `domain.toml` (kinds, roles, texts, flags, numbers) and, beside it, an
optional `taxonomy.toml` (families and synonyms of attributes). MARC's four tasks are written
against the roles below, never against a domain's own words:

* component: what an item is made of (ingredient, genre); C3 walks it
* container: what holds it (glass, decade); C2 filters by it
* creator: who made it (author, artist, brand)
* category, colour, look, garnish: further attributes; colour and look lead to C1
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import tomllib
from functools import lru_cache
from pathlib import Path
from typing import Literal

import msgspec

from localrec.errors import InputError, WorkspaceError
from localrec.paths import make_private, pulled, shipped

Role = Literal["component", "container", "category", "creator", "colour", "look", "garnish"]


class AttributeSpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One kind of attribute: its role, the edge that leads to it, the noun for it.

    `words` are nouns people put behind a name of this kind ("glass" in "highball glass").
    `from_texts` names item texts in which names of this kind are looked for, where the source
    has no column for them (colours in an image description). Such a text also speaks of other
    things: a name belongs to the item when a noun of `about` follows first ("a red drink"), and to
    something else when one of `aside` does ("a red straw") or one of `elsewhere` went before
    ("garnished with green mint").
    """

    role: Role
    edge: str
    words: tuple[str, ...] = ()
    from_texts: tuple[str, ...] = ()
    about: tuple[str, ...] = ()
    aside: tuple[str, ...] = ()
    elsewhere: tuple[str, ...] = ()
    says: str = "has {name}"  # how a sentence states such an edge


class FlagSpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A property with a few values; `values` maps each to the phrases that ask for it.

    `accepts` lists, per asked value, the stored values that satisfy it.
    """

    values: dict[str, tuple[str, ...]]
    accepts: dict[str, tuple[str, ...]] = {}
    labels: dict[str, str] = {}


class NumberSpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A numeric property that questions may bound.

    `kind` "year" understands "the 40s", "before 1960", "from 1994". `more` and `less` are the
    comparatives relative to a target ("stronger", "weaker"); `says` states a value in a sentence.
    """

    kind: Literal["year", "count", "amount"]
    says: str = "has the value {value}"
    more: tuple[str, ...] = ()
    less: tuple[str, ...] = ()


class Concept(
    msgspec.Struct,
    frozen=True,
    forbid_unknown_fields=True,
    rename={"parents": "in", "flavours": "of"},
):
    """One name in a taxonomy: its families, its other spellings, its alcohol by volume (%).

    `ask` holds words that questions use for it but catalogues do not ("smoky"). `flavours` (in the
    file: `of`) are what it tastes of without being a kind of it: triple sec of orange. They count
    when that is barred, not when it is asked for.
    """

    parents: tuple[str, ...] = ()
    flavours: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    ask: tuple[str, ...] = ()
    abv: float | None = None


_Taxonomy = dict[str, dict[str, Concept]]  # kind -> concept's name -> concept


class Domain(msgspec.Struct, eq=False, frozen=True, forbid_unknown_fields=True):
    """A domain's whole declaration, as read from its folder.

    `staples` are components that everybody has and nearly everything contains (water, sugar):
    sharing them makes no two items alike, and they are never missing from a shelf. `nicknames` are
    short names of items ("cosmo"), used where the catalogue has the item.
    """

    name: str
    item: str
    singular: str
    plural: str
    item_words: tuple[str, ...]
    texts: dict[str, str]
    attributes: dict[str, AttributeSpec]
    flags: dict[str, FlagSpec] = {}
    numbers: dict[str, NumberSpec] = {}
    diets: dict[str, tuple[str, ...]] = {}
    staples: tuple[str, ...] = ()
    nicknames: dict[str, str] = {}
    examples: tuple[str, ...] = ()
    taxonomy: _Taxonomy = {}

    def kind_of(self, role: Role) -> str | None:
        """The attribute kind that plays `role`, or None where the domain has none."""
        for kind, spec in self.attributes.items():
            if spec.role == role:
                return kind
        return None

    def concept_names(self, kind: str) -> dict[str, str]:
        """Every spelling of the taxonomy of `kind` -> the concept's own name (not `ask` words)."""
        names: dict[str, str] = {}
        for name, concept in self.taxonomy.get(kind, {}).items():
            for spelling in concept.also:
                names.setdefault(spelling.casefold(), name)
        names.update({name.casefold(): name for name in self.taxonomy.get(kind, {})})
        return names


@lru_cache
def load_domain(name: str, folder: Path | None = None) -> Domain:
    """Read a domain from `folder`, or from the shipped `datasets/` by its name.

    Raises:
        InputError: no such domain, or a declaration with an unknown or wrong field.
    """
    home = folder or _find_shipped(name)
    path = home / "domain.toml"
    try:
        declared = tomllib.loads(path.read_text(encoding="utf-8"))
        domain = msgspec.convert(declared, Domain)
        taxonomy = home / "taxonomy.toml"
        if not taxonomy.is_file():
            return domain
        return msgspec.structs.replace(domain, taxonomy=_read_taxonomy(taxonomy.read_bytes()))
    except (OSError, tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise InputError(
            f"{path} does not declare a domain: {error}.", "See docs/domains.md for the fields."
        ) from error


def _read_taxonomy(text: bytes) -> _Taxonomy:
    """Parse a taxonomy; the parsed form is kept, since TOML costs 0.2 s for 1,500 concepts."""
    mark = hashlib.blake2b(text, digest_size=16).hexdigest()
    cached = pulled("domains") / f"{mark}.msgpack"
    try:
        return msgspec.msgpack.decode(cached.read_bytes(), type=_Taxonomy)
    except (OSError, msgspec.DecodeError, msgspec.ValidationError):
        pass  # not there, or of another version: a cache is only a cache
    taxonomy = msgspec.convert(tomllib.loads(text.decode("utf-8")), _Taxonomy)
    with contextlib.suppress(
        OSError, WorkspaceError
    ):  # a folder that takes nothing costs time, not the answer
        make_private(cached.parent)
        part = cached.with_suffix(f".{os.getpid()}")
        part.write_bytes(msgspec.msgpack.encode(taxonomy))
        part.replace(cached)
    return taxonomy


def shipped_domains() -> dict[str, Path]:
    """Every domain that ships with localrec: its name -> its folder."""
    found = {}
    for path in sorted(shipped("datasets").glob("*/domain.toml")):
        found[tomllib.loads(path.read_text(encoding="utf-8"))["name"]] = path.parent
    return found


def _find_shipped(name: str) -> Path:
    folders = shipped_domains()
    if name not in folders:
        raise InputError(
            f"There is no domain named {name!r}.", f"Known: {', '.join(sorted(folders))}."
        )
    return folders[name]
