"""Families among the names of a kind: "Portuguese White" and "White Blend" are both white.

A word that several names share is a family of theirs. What grapes make which wine is known here,
since no table says it and everybody asks for it.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from localrec.data.domains import AttributeSpec, Concept, ConceptTables
from localrec.foundation.text_matching import roots

_LEAST = 3  # names that share a word
_SHORTEST = 3  # letters of it
_NO_FAMILY = frozenset(
    "and the of with for from style other misc mixed new old made free all big small non per von "
    "der die das les des del".split()
)
_KINDS = ("variety", "style", "category", "ingredient", "genre", "tag", "cuisine")
_MOST_NAMES = 3_000
_COLOUR_WORDS = {
    **dict.fromkeys(("blanc", "blanco", "bianco", "branco", "weiss"), "white"),
    **dict.fromkeys(("rouge", "tinto", "rosso", "rot"), "red"),
    **dict.fromkeys(("rose", "rosado", "rosato"), "rosé"),
}


@lru_cache(maxsize=1)
def _colour_of_grapes() -> dict[tuple[str, ...], str]:
    told = tomllib.loads((Path(__file__).parent / "grapes.toml").read_text(encoding="utf-8"))
    return {roots(grape): colour for colour, grapes in told.items() for grape in grapes}


def propose_families(
    attributes: Mapping[str, AttributeSpec], common: Mapping[str, Sequence[str]]
) -> ConceptTables:
    """Families for the kinds whose names have some: kind -> concept -> its families.

    Args:
        attributes: The kinds of a domain.
        common: Kind -> its names.
    """
    found: ConceptTables = {}
    for kind in attributes:
        if kind in _KINDS and common.get(kind):
            concepts = _families_of(list(common[kind])[:_MOST_NAMES], kind == "variety")
            if concepts:
                found[kind] = concepts
    return found


def _families_of(names: Sequence[str], are_grapes: bool) -> dict[str, Concept]:
    words = {name: roots(name) for name in names}
    shared = Counter(word for told in words.values() if len(told) > 1 for word in set(told))
    families = {
        word
        for word, uses in shared.items()
        if uses >= _LEAST
        and len(word) >= _SHORTEST
        and word not in _NO_FAMILY
        and not word.isdigit()
    }
    by_words = _colour_of_grapes() if are_grapes else {}
    concepts: dict[str, Concept] = {}
    for told in words.values():
        above = [word for word in dict.fromkeys(told) if word in families and told != (word,)]
        if are_grapes:
            above = _with_colour(told, above, by_words)
        key = " ".join(told)
        if above and key and key not in families:
            concepts[key] = Concept(parents=tuple(above))
    named = {parent for concept in concepts.values() for parent in concept.parents}
    for family in sorted(named):
        colour = by_words.get((family,))
        concepts.setdefault(family, Concept(parents=(colour,) if colour else ()))
    for colour in ("white", "red"):
        if any(colour in concept.parents for concept in concepts.values()):
            concepts.setdefault(colour, Concept())
    return concepts


def _with_colour(
    told: tuple[str, ...], above: list[str], by_words: Mapping[tuple[str, ...], str]
) -> list[str]:
    """The families of a wine with its colour: told by a word in its name, else by its grapes."""
    colours = {_COLOUR_WORDS.get(word, word) for word in told} & {"white", "red", "rosé"}
    if not colours and told in by_words:
        colours = {by_words[told]}
    if not colours:
        grapes = [
            by_words[told[at : at + length]]
            for at in range(len(told))
            for length in (3, 2, 1)
            if told[at : at + length] in by_words
        ]
        colours = set(grapes) if len(set(grapes)) == 1 else set()
    return list(dict.fromkeys([*above, *sorted(colours)]))
