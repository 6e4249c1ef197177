"""What the answer shall have otherwise than the example: another author, a different grape.

"Like Dissolution, who else writes that way?" bars its author, "like this Riesling, but not the same
grape again" its variety.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from localrec.data.domains import Domain
from localrec.data.query import Constraint, Query
from localrec.foundation.text_matching import roots, tokens
from localrec.graph.catalogue import Catalogue
from localrec.understanding.language_words import english

_WORDS = english().example
_MOST = 3  # values of a kind that an item can have and do without
_REACH = 4  # words between a refusal and "same"


def bar_values_of_example(text: str, query: Query, catalogue: Catalogue) -> Query:
    """Bar what a query's example has of the kinds that the question wants otherwise.

    Args:
        text: The question.
        query: What was read of it; words that tell such a kind are used then.
        catalogue: Knows what the example has.
    """
    item = None if query.target is None else catalogue.item_index(query.target)
    if item is None:
        return query
    told = dict(_kinds_told(roots(text), catalogue.domain))
    makers = _kinds_of("creator", catalogue.domain) if _asks_for_others(text, told) else ()
    has: dict[str, list[str]] = {}
    for index in catalogue.attributes_of(item):
        one = catalogue.attributes[index]
        if one.kind in told or one.kind in makers:
            has.setdefault(one.kind, []).append(one.key)
    creators = {*_kinds_of("creator", catalogue.domain)}
    bars = tuple(
        Constraint(kind=kind, any_of=tuple(keys), excluded=True)
        for kind, keys in has.items()
        if kind in creators or len(keys) <= _MOST
    )
    if not bars:
        return query
    used = {*told.values()}
    return msgspec.structs.replace(
        query,
        constraints=(*query.constraints, *bars),
        unknown=tuple(one for one in query.unknown if one not in used),
        unused=tuple(one for one in query.unused if not used.issuperset(roots(one))),
    )


def _kinds_told(words: Iterable[str], domain: Domain) -> Iterator[tuple[str, str]]:
    """Kinds that the question wants otherwise, each with the word for it."""
    line = list(words)
    nouns: dict[str, list[str]] = {}
    called = {root for one in domain.item_words for root in roots(one)}
    for kind, spec in domain.attributes.items():
        for one in (kind, *spec.words):
            for root in roots(one)[-1:]:
                if root not in called and root not in _WORDS.vague_kinds:
                    nouns.setdefault(root, []).append(kind)
    for place, word in enumerate(line):
        if word in nouns and _is_otherwise(line[:place]):
            for kind in nouns[word]:
                yield kind, word


def _is_otherwise(before: list[str]) -> bool:
    """Whether a kind is wanted otherwise, by the words before it: "a different", "not the same"."""
    if not before:
        return False
    if before[-1] == "same":
        return not _WORDS.not_the_same.isdisjoint(before[-1 - _REACH : -1])
    return before[-1] in _WORDS.otherwise


def _kinds_of(role: str, domain: Domain) -> tuple[str, ...]:
    return tuple(kind for kind, spec in domain.attributes.items() if spec.role == role)


def _asks_for_others(text: str, told: Iterable[str]) -> bool:
    """Whether somebody else's works are asked for; "not from the same country" tells a country."""
    line = f" {' '.join(token.word for token in tokens(text))} "
    has_told = any(True for _ in told)
    return any(
        f" {phrase} " in line
        for phrase in _WORDS.other_makers
        if not (has_told and phrase.endswith(" same"))
    )
