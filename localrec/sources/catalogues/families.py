"""Families among the names of a kind: "Portuguese White" and "White Blend" are both white.

A word that several names share is a family of theirs. What grapes make which wine is known here,
since no table says it and everybody asks for it.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

import msgspec

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
def _known_of_wines() -> dict[str, dict[str, list[str]]]:
    return tomllib.loads((Path(__file__).parent / "grapes.toml").read_text(encoding="utf-8"))


@lru_cache(maxsize=1)
def _colour_of_grapes() -> dict[tuple[str, ...], str]:
    told = _known_of_wines()["colours"]
    return {roots(grape): colour for colour, grapes in told.items() for grape in grapes}


@lru_cache(maxsize=1)
def _styles_of_wines() -> dict[tuple[str, ...], tuple[str, ...]]:
    found: dict[tuple[str, ...], tuple[str, ...]] = {}
    for style, names in _known_of_wines()["styles"].items():
        for name in names:
            found[roots(name)] = (*found.get(roots(name), ()), style)
    return found


@lru_cache(maxsize=1)
def _called() -> dict[tuple[str, ...], tuple[str, ...]]:
    """Words of questions for a variety or a family of wines."""
    return {roots(name): tuple(words) for name, words in _known_of_wines()["called"].items()}


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
            above = list(dict.fromkeys((*above, *_styles_of_wines().get(told, ()))))
        key = " ".join(told)
        blended = _grapes_inside(told, words.values()) if are_grapes else ()
        above = [family for family in above if family not in blended]
        if (above or blended) and key and key not in families:
            concepts[key] = Concept(parents=tuple(above), flavours=blended)
    told_of = (*concepts.values(),)
    named = {one for concept in told_of for one in (*concept.parents, *concept.flavours)}
    for family in sorted(named):
        colour = by_words.get((family,))
        concepts.setdefault(family, Concept(parents=(colour,) if colour else ()))
    for colour in ("white", "red"):
        if any(colour in concept.parents for concept in concepts.values()):
            concepts.setdefault(colour, Concept())
    return _with_words_of_questions(concepts, words) if are_grapes else concepts


def _grapes_inside(told: tuple[str, ...], names: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    """Other varieties inside a blend's name: it goes when one is refused, and is none of them."""
    known = {name for name in names if name and name != told}
    parts = (told[at : at + length] for length in (3, 2, 1) for at in range(len(told) - length + 1))
    return tuple(dict.fromkeys(" ".join(part) for part in parts if part in known))


def _with_words_of_questions(
    concepts: dict[str, Concept], words: Mapping[str, tuple[str, ...]]
) -> dict[str, Concept]:
    """Add to varieties and families of wines what people call them for short."""
    names = {" ".join(told): told for told in words.values() if told}
    names |= {family: roots(family) for family in concepts}
    for key, told in names.items():
        if asked := _called().get(told):
            concept = concepts.get(key, Concept())
            concepts[key] = msgspec.structs.replace(concept, ask=asked)
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
