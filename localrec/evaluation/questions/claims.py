"""Check an answer's claims: edges against the store, sentences against their edges.

Independent of `explanation.grounding`, which decides what the product lets through. A claim is
an edge cited as evidence, a name or number in a sentence, or an absence ("has no egg"): the first
must exist, the second must stand in an edge that exists, the third must be true of the item.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import msgspec

from localrec.data.answers import Answer
from localrec.data.evidence import Evidence
from localrec.data.recommendations import RecommendedItem
from localrec.evaluation.questions.store_truth import (
    StoreItem,
    StoreTruth,
    Words,
    singular_words,
    words_of,
)

# A denial ends with its clause: "no egg" says nothing about what comes after "and is served in".
_CLAUSE = re.compile(
    r"[;.!?](?:\s|$)|\b(?:but|with|which|and (?:it|is|has|comes|shares|served))\b", re.IGNORECASE
)
_NEGATIONS = frozenset("no not nothing without nor neither lacks lacking".split())
_LONGEST_NAME = 6  # words


class Claim(msgspec.Struct, frozen=True):
    """One checkable statement of an answer."""

    text: str
    is_edge: bool
    holds: bool


def claims_of(answer: Answer, truth: StoreTruth) -> list[Claim]:
    """List every claim about an answer's items, near misses included."""
    targets = [truth.items[key] for key in (answer.intent.target,) if key in truth.items]
    return [
        claim
        for item in (*answer.items, *answer.near_misses)
        for claim in _claims_about(item, targets, truth)
    ]


def _claims_about(
    recommended: RecommendedItem, targets: Sequence[StoreItem], truth: StoreTruth
) -> Iterator[Claim]:
    item = truth.items.get(recommended.key)
    if item is None:
        yield Claim(f"there is an item {recommended.key}", is_edge=True, holds=False)
        return
    subjects = {item.name, *(target.name for target in targets)}
    real = []
    for edge in recommended.evidence:
        belongs = edge.relation == "IS_A" or edge.source in subjects
        holds = belongs and truth.has_edge(edge)
        if holds:
            real.append(edge)
        yield Claim(_text_of(edge), is_edge=True, holds=holds)
    for clause in _CLAUSE.split(recommended.reason):
        yield from _claims_in(clause, item, real, truth)


def _claims_in(
    clause: str, item: StoreItem, real: Sequence[Evidence], truth: StoreTruth
) -> Iterator[Claim]:
    """List the claims in one clause of a sentence about an item."""
    cited = [
        words_of(text) for edge in real for text in (edge.source, edge.target, edge.value or "")
    ]
    cited.append(words_of(item.name))
    denied = False
    for part in clause.split(","):  # no name reaches across a comma, but "no egg, nut or gin" does
        words, position = words_of(part), 0
        while position < len(words):
            denied = denied or words[position] in _NEGATIONS
            name = _name_at(words, position, truth)
            following = words[position + len(name) : position + len(name) + 1]
            said = " ".join(name)
            if name and (denied or following == ("free",)):
                yield Claim(f"no {said}", is_edge=False, holds=not truth.has_excluded(item, said))
            elif name:
                yield Claim(said, is_edge=False, holds=_is_carried(name, cited, truth))
            elif words[position].isdigit():
                number = words[position : position + 1]
                yield Claim(number[0], is_edge=False, holds=_stands_in(cited, number))
            position += max(1, len(name))


def _name_at(words: Words, position: int, truth: StoreTruth) -> Words:
    """Find the longest name that begins at a position, as written; () where there is none."""
    for length in range(min(_LONGEST_NAME, len(words) - position), 0, -1):
        name = words[position : position + length]
        if truth.is_a_name(name) or truth.is_a_name(singular_words(name)):
            return name
    return ()


def _is_carried(name: Words, cited: Sequence[Words], truth: StoreTruth) -> bool:
    """Whether a cited edge contains a name or another spelling of it."""
    if _stands_in(cited, name):
        return True
    meant = truth.resolve(" ".join(name))
    return any(meant & truth.resolve(" ".join(words)) for words in cited)


def _stands_in(cited: Sequence[Words], name: Words) -> bool:
    wanted = singular_words(name)
    return any(
        singular_words(words[first : first + len(name)]) == wanted
        for words in cited
        for first in range(len(words) - len(name) + 1)
    )


def _text_of(edge: Evidence) -> str:
    return f"{edge.source} -{edge.relation}-> {edge.target} {edge.value or ''}".rstrip()
