"""Attributes that only a text carries: colours, looks and garnishes named in a description.

Catalogues seldom have a column for what a drink looks like, but they describe it. A phrase match
over all kinds at once keeps "orange slice" a garnish and "white rum" an ingredient; a colour that
belongs to something else ("a white background", "garnished with a green leaf") is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from localrec.data.domains import AttributeSpec, Domain
from localrec.data.rows import AttributeLink, ItemRow
from localrec.foundation.text_matching import PhraseMatch, PhraseTable, roots, tokens

_CLAUSE = re.compile(r"[.,;:!?()\n]+")
_SHADES = frozenset(
    "bright pale deep dark light vivid vibrant soft warm rich intense brilliant clear cloudy hazy "
    "opaque translucent liquid hue hued tone toned tint tinted shade color colour colored coloured "
    "golden".split()
)
_Name = tuple[str, str]  # kind, concept key


class _Tables(NamedTuple):
    """The names of all kinds, and the nouns that say whose look is described."""

    names: PhraseTable[_Name]
    tangible: PhraseTable[_Name]  # only what one can touch: components, garnishes, containers
    about: frozenset[str]
    aside: frozenset[str]
    elsewhere: frozenset[str]


def extract_attributes(domain: Domain, row: ItemRow) -> tuple[AttributeLink, ...]:
    """Links of the kinds that the domain reads from texts and that the row does not bring itself.

    The first text of a kind's `from_texts` that names anything decides; the others are spared.
    """
    if not _reads_texts(domain):
        return ()
    present = {link.kind for link in row.links}
    derived: list[AttributeLink] = []
    for kind, spec in domain.attributes.items():
        if kind in present:
            continue
        for field in spec.from_texts:
            text = row.properties.get(domain.texts.get(field, field))
            names = _names_in(domain, kind, spec, text) if isinstance(text, str) else []
            if names:
                derived.extend(AttributeLink(kind=kind, name=name) for name in names)
                break
    return tuple(derived)


@lru_cache(maxsize=64)
def _reads_texts(domain: Domain) -> bool:
    """Whether the domain reads attributes of any kind from texts."""
    return any(spec.from_texts for spec in domain.attributes.values())


def _names_in(domain: Domain, kind: str, spec: AttributeSpec, text: str) -> list[str]:
    tables = _tables_of(domain, kind)
    sure: dict[str, str] = {}  # concept -> as the text writes it
    unsure: dict[str, str] = {}
    looks = domain.taxonomy.get(domain.kind_of("look") or "", {}) if spec.role == "colour" else {}
    for clause in _CLAUSE.split(text):
        cut = tokens(clause)
        words = [token.root for token in cut]
        for match in tables.names.find(words):
            name = _name_meant(kind, match, words, domain)
            if name is not None and not _speaks_of_something_else(spec, match, words, tables):
                written = clause[cut[match.first].start : cut[match.last - 1].end]
                # "clear" says how a red drink is, and is a colour only where no other is named
                certain = all(owner == kind for owner, _ in match.payloads) and name not in looks
                found = sure if certain else unsure
                found.setdefault(name, written.lower())
                # "orange-red" is orange and red, whatever else it has a name of its own for
                for root in words[match.first : match.last]:
                    for base in _sure_names(kind, tables.names.get(root)):
                        found.setdefault(base, root)
    return list((sure or unsure).values())


def _sure_names(kind: str, payloads: Sequence[_Name]) -> list[str]:
    """The concepts of a word that means nothing but this kind."""
    return [name for owner, name in payloads if owner == kind and len(payloads) == 1]


def _name_meant(
    kind: str, match: PhraseMatch[_Name], words: list[str], domain: Domain
) -> str | None:
    """The concept of `kind` that this phrase means here, None where it means another kind."""
    mine = [name for owner, name in match.payloads if owner == kind]
    if not mine:
        return None
    if all(owner == kind or _is_looks(domain, owner) for owner, _ in match.payloads):
        return mine[0]
    if domain.attributes[kind].role == "look":
        return mine[0]
    if domain.attributes[kind].role == "garnish":
        if match.last - match.first > 1:  # "lime wedge"
            return mine[0]
        # "mint" garnishes only where it says so
        before = words[max(0, match.first - 6) : match.first]
        return mine[0] if any(word.startswith("garnish") for word in before) else None
    around = words[max(0, match.first - 2) : match.first] + words[match.last : match.last + 2]
    nouns = _SHADES | {word for noun in domain.item_words for word in roots(noun)}
    return mine[0] if any(word in nouns for word in around) else None


def _is_looks(domain: Domain, kind: str) -> bool:
    return domain.attributes[kind].role in ("colour", "look")


def _speaks_of_something_else(
    spec: AttributeSpec, match: PhraseMatch[_Name], words: list[str], tables: _Tables
) -> bool:
    """Is the name said of a thing beside the item ("a red straw", "garnished with green mint")?"""
    if not spec.aside:
        return False
    following = words[match.last] if match.last < len(words) else "with"
    if following in tables.about:
        return False
    if any(word in tables.elsewhere for word in words[: match.first]):
        return True
    if following == "with":
        return False
    for position in range(match.last, len(words)):
        if words[position] in tables.about:
            return False
        if words[position] in tables.aside:
            return True
        named = tables.tangible.longest_at(words, position) if position == match.last else None
        if named is not None and not tables.about & set(words[named.first : named.last + 1]):
            return True
    return False


@lru_cache(maxsize=64)
def _tables_of(domain: Domain, kind: str) -> _Tables:
    names: PhraseTable[_Name] = PhraseTable()
    tangible: PhraseTable[_Name] = PhraseTable()
    nouns = {roots(word) for word in domain.item_words}
    for owner, spec in domain.attributes.items():
        for spelling, concept in _spellings(domain, owner):
            # "a red cocktail", "an orange drink": the noun belongs to the item
            if spec.role != "category" and roots(spelling)[-1:] not in nouns:
                names.add(spelling, (owner, concept))
                if spec.role in ("component", "garnish", "container"):
                    tangible.add(spelling, (owner, concept))
    own = domain.attributes[kind]
    return _Tables(
        names=names,
        tangible=tangible,
        about=_roots_of((*own.about, *domain.item_words)),
        aside=_roots_of(own.aside),
        elsewhere=_roots_of(own.elsewhere),
    )


def _roots_of(words: Iterable[str]) -> frozenset[str]:
    return frozenset(root for word in words for root in roots(word))


def _spellings(domain: Domain, kind: str) -> Iterator[tuple[str, str]]:
    """Spellings of a kind with their concepts; looks are also described in questions' words."""
    yield from domain.concept_names(kind).items()
    if _is_looks(domain, kind):
        for name, concept in domain.taxonomy.get(kind, {}).items():
            yield from ((word, name) for word in concept.ask)
