"""The words that ask for more or less of a number, and for its far end: "the strongest"."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from localrec.data.domains import NumberSpec
from localrec.understanding.language_words import english
from localrec.understanding.meanings import Mention
from localrec.understanding.spelling import word_rank

_DIRECTIONS = {"more": 1, "less": -1, "most": 2, "least": -2}


def direction_of(meaning_key: str, *, is_wanted: bool = True) -> int:
    """Return what `Query.order` holds for a wish: 1 more, -1 less, 2 the most, -2 the least.

    A refused one ("not the strongest") asks for the other direction, not for its far end.
    """
    direction = _DIRECTIONS[meaning_key]
    return direction if is_wanted else -(direction // abs(direction))


def superlatives(spec: NumberSpec, nouns: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return the phrases for the greatest ("most") and the smallest value ("least") of a number.

    They follow from the comparatives that the domain declares ("stronger", "less sweet"), from what
    a count counts ("most pages"), and for years from the language.

    Args:
        spec: The number, with its comparatives.
        nouns: Singular nouns for the counted things; empty for a number that is no count.
    """
    words = english().superlatives
    years = spec.kind == "year"
    most = [*_superlatives_of(spec.more), *(words.latest if years else ())]
    least = [*_superlatives_of(spec.less), *(words.earliest if years else ())]
    most += [f"{far} {word}" for far in words.highest for word in spec.words]
    least += [f"{far} {word}" for far in words.lowest for word in spec.words]
    if spec.kind == "count":
        most += [f"{word} {noun}s" for word in words.most for noun in nouns]
        least += [f"{word} {noun}s" for word in words.fewest for noun in nouns]
    return {"most": tuple(dict.fromkeys(most)), "least": tuple(dict.fromkeys(least))}


def positives(spec: NumberSpec) -> dict[str, tuple[str, ...]]:
    """Return the adjectives of a number's comparatives: "heavy" of "heavier", for "more" or "less".

    Years have none: "new" and "old" are said of much else.
    """
    if spec.kind == "year":
        return {}
    declared = {*spec.more, *spec.less}
    told = {"more": _positives_of(spec.more), "less": _positives_of(spec.less)}
    return {key: tuple(one for one in found if one not in declared) for key, found in told.items()}


def order_phrases(spec: NumberSpec, nouns: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the phrases that order items by a number, each with its direction; the surest first.

    Args:
        spec: The number.
        nouns: Singular nouns for the counted things; empty for a number that is no count.
    """
    furthest = superlatives(spec, nouns)
    for key, phrases in (*furthest.items(), ("more", spec.more), ("less", spec.less)):
        for phrase in phrases:
            if key in furthest or not any(phrase in one for one in furthest.values()):
                yield phrase, key


def orders_by_number(
    words: Sequence[str], mentions: Sequence[Mention], wanted: Sequence[bool]
) -> dict[str, int]:
    """Directions by number; of two for one number a superlative counts, else the last."""
    told: dict[str, int] = {}
    for mention, is_wanted in zip(mentions, wanted, strict=True):
        meaning = mention.meaning
        if meaning is None or meaning.role != "order":
            continue
        direction = direction_of(meaning.key, is_wanted=is_wanted)
        is_superlative = abs(direction) > 1
        around = words[: mention.first], words[mention.last :]
        if is_superlative and is_about_other_things(*around):
            continue
        if is_superlative or abs(told.get(meaning.kind, 0)) < 2:
            told[meaning.kind] = direction
    return told


def is_about_other_things(before: Sequence[str], behind: Sequence[str]) -> bool:
    """Whether the words around a superlative show that it is not about the items.

    "My oldest" is a child, "at the latest" and "the latest at ten" are bounds.
    """
    words = english().superlatives
    if before and (before[-1] in words.possessives or " ".join(before[-2:]) in words.in_bounds):
        return True
    return (
        len(behind) > 1
        and behind[0] in words.before_clocks
        and (behind[1][0].isdigit() or behind[1] in english().numbers or behind[1] in words.clocks)
    )


def _positives_of(comparatives: Iterable[str]) -> Iterator[str]:
    """Yield the adjectives of comparatives: "heavy", "quick", and "complex" of "more complex"."""
    words = english().superlatives
    for phrase in comparatives:
        first, _, rest = phrase.partition(" ")
        if first == "more" and rest and " " not in rest:
            yield rest
        elif not rest and first.endswith("er") and first not in {*words.plain, *words.irregular}:
            stem = first.removesuffix("er")
            if stem.endswith("i"):
                yield f"{stem[:-1]}y"
            else:
                yield min((stem, f"{stem}e", stem[:-1]), key=word_rank)  # "long", "simple", "big"


def _superlatives_of(comparatives: Iterable[str]) -> Iterator[str]:
    """Yield the superlatives of comparatives, and those that stand among them ("top rated")."""
    words = english().superlatives
    irregular = tuple(words.irregular.values())
    for phrase in comparatives:
        first, _, rest = phrase.partition(" ")
        if first in words.irregular:
            yield f"{words.irregular[first]} {rest}".strip()
        elif first.endswith("er") and first not in words.plain:
            yield f"{first[:-2]}est {rest}".strip()
        elif first in irregular or first in words.top or first.endswith("est"):
            yield phrase
