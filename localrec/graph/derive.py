"""Attributes that only a text carries: colours, looks and garnishes named in a description.

Catalogues seldom have a column for what a drink looks like, but they describe it. A phrase match
over all kinds at once keeps "orange slice" a garnish and "white rum" an ingredient; a colour that
belongs to something else ("a white background", "garnished with a green leaf") is left out.
"""

from __future__ import annotations

import re
from functools import lru_cache

from localrec.domains import AttributeSpec, Domain
from localrec.phrases import Match, PhraseTable, roots, tokens
from localrec.types import AttributeLink, ItemRow

_CLAUSE = re.compile(r"[.,;:!?()\n]+")
_SHADES = frozenset(
    "bright pale deep dark light vivid vibrant soft warm rich intense brilliant clear cloudy hazy "
    "opaque translucent liquid hue hued tone toned tint tinted shade color colour colored coloured "
    "golden".split()
)
_Name = tuple[str, str]  # kind, concept key


def derive_links(domain: Domain, row: ItemRow) -> tuple[AttributeLink, ...]:
    """Links of the kinds that the domain reads from texts and that the row does not bring itself.

    The first text of a kind's `from_texts` that names anything decides; the others are spared.
    """
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


def _names_in(domain: Domain, kind: str, spec: AttributeSpec, text: str) -> list[str]:
    table, aside = _tables(domain, kind)
    found: dict[str, str] = {}  # concept -> as the text writes it
    for clause in _CLAUSE.split(text):
        cut = tokens(clause)
        words = [token.root for token in cut]
        for match in table.find(words):
            name = _name_meant(kind, match, words, domain)
            if name is not None and not _speaks_of_something_else(spec, match, words, table, aside):
                written = clause[cut[match.first].start : cut[match.last - 1].end]
                found.setdefault(name, written.lower())
    return list(found.values())


def _name_meant(kind: str, match: Match[_Name], words: list[str], domain: Domain) -> str | None:
    """The concept of `kind` that this phrase means here, None where it means another kind."""
    mine = [name for owner, name in match.payloads if owner == kind]
    if not mine:
        return None
    if all(owner == kind for owner, _ in match.payloads):
        return mine[0]
    if domain.attributes[kind].role == "garnish":  # "mint" garnishes only where it says so
        before = words[max(0, match.first - 6) : match.first]
        return mine[0] if any(word.startswith("garnish") for word in before) else None
    around = words[max(0, match.first - 2) : match.first] + words[match.last : match.last + 2]
    nouns = _SHADES | {word for noun in domain.item_words for word in roots(noun)}
    return mine[0] if any(word in nouns for word in around) else None


def _speaks_of_something_else(
    spec: AttributeSpec,
    match: Match[_Name],
    words: list[str],
    table: PhraseTable[_Name],
    aside: frozenset[str],
) -> bool:
    if not spec.aside:
        return False
    if any(word in aside for word in words[: match.first]):
        return True  # "garnished with a red cherry", "the background is white"
    if any(word in aside for word in words[match.last : match.last + 2]):
        return True  # "a green leaf"
    following = table.longest_at(words, match.last) if match.last < len(words) else None
    own = {owner for owner, _ in match.payloads}
    return following is not None and not own & {owner for owner, _ in following.payloads}


@lru_cache(maxsize=64)
def _tables(domain: Domain, kind: str) -> tuple[PhraseTable[_Name], frozenset[str]]:
    table: PhraseTable[_Name] = PhraseTable()
    for owner in domain.attributes:
        for spelling, concept in domain.concept_names(owner).items():
            table.add(spelling, (owner, concept))
    aside = {root for word in domain.attributes[kind].aside for root in roots(word)}
    return table, frozenset(aside)
