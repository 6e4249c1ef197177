"""What the answer shall have as the example has it, or otherwise: the same series, another author.

"Like Dissolution, who else writes that way?" bars its author, "like this Riesling, but not the same
grape again" its variety; "like Dune, by the same author" asks for its author.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from localrec.data.domains import Domain
from localrec.data.query import Constraint, Query
from localrec.foundation.text_matching import roots, tokens
from localrec.graph.catalogue import Catalogue
from localrec.understanding.language_words import english, says_any

_WORDS = english().example
_MOST = 3  # values of a kind that an item can have and do without
_REACH = 4  # words between a refusal and "same"


def with_values_of_example(text: str, query: Query, catalogue: Catalogue) -> Query:
    """Ask for what a query's example has, or bar it, of the kinds that the question says so of.

    Args:
        text: The question.
        query: What was read of it; words that tell such a kind are used then.
        catalogue: Knows what the example has.
    """
    item = None if query.target is None else catalogue.item_index(query.target)
    if item is None:
        return query
    words = [token.word for token in tokens(text)]
    told = list(_kinds_told(roots(text), catalogue.domain))
    if not told and (maker := _maker_pointed_at(words)) is not None:
        told = [(kind, *maker) for kind in _kinds_of("creator", catalogue.domain)]
    barred = {kind for kind, _, is_same in told if not is_same}
    if not told and _asks_for_others(words):
        barred.update(_kinds_of("creator", catalogue.domain))
    wanted = {kind for kind, _, is_same in told if is_same} - barred
    has: dict[str, list[str]] = {}
    asked = {(one.kind, key) for one in query.constraints if not one.excluded for key in one.any_of}
    for index in catalogue.attributes_of(item):
        one = catalogue.attributes[index]
        if (one.kind in barred and (one.kind, one.key) not in asked) or one.kind in wanted:
            has.setdefault(one.kind, []).append(one.key)
    creators = {*_kinds_of("creator", catalogue.domain)}
    demands = tuple(
        Constraint(kind=kind, any_of=tuple(keys), excluded=kind in barred)
        for kind, keys in has.items()
        if kind in wanted or kind in creators or len(keys) <= _MOST
    )
    if not demands:
        return query
    used = {noun for _, noun, _ in told}
    return msgspec.structs.replace(
        query,
        constraints=(*query.constraints, *demands),
        unknown=tuple(one for one in query.unknown if not used.issuperset(roots(one))),
        unused=tuple(one for one in query.unused if not used.issuperset(roots(one))),
        texts=tuple(one for one in query.texts if not used.issuperset(one.words)),
    )


def _kinds_told(words: Iterable[str], domain: Domain) -> Iterator[tuple[str, str, bool]]:
    """Kinds that the question speaks of, the word for each, and whether it wants the same."""
    line = list(words)
    nouns = _nouns_of_kinds(domain)
    for place, word in enumerate(line):
        if word in nouns and (is_same := _is_same(line[:place])) is not None:
            kind = nouns[word]
            # "another glass" is one more of it.
            if (
                domain.attributes[kind].role != "container"
                or line[place - 1] not in _WORDS.one_more
            ):
                yield kind, word, is_same


def _nouns_of_kinds(domain: Domain) -> dict[str, str]:
    """The root of each noun for a kind -> the kind; the narrowest, where several are called so."""
    nouns: dict[str, str] = {}
    called = {root for one in domain.item_words for root in roots(one)}
    for kind, spec in domain.attributes.items():
        for one in (*spec.words, kind):
            for root in roots(one)[-1:]:
                if root not in called and root not in _WORDS.vague_kinds:
                    nouns[root] = kind
    return nouns


def _is_same(before: list[str]) -> bool | None:
    """Whether "the same" stands before a kind, or the contrary; None for neither."""
    if not before:
        return None
    if before[-1] in _WORDS.same:
        return _WORDS.not_the_same.isdisjoint(before[-1 - _REACH : -1])
    if not _WORDS.not_other.isdisjoint(before[-2:-1]):
        return None  # "no other author"
    return False if before[-1] in _WORDS.otherwise else None


def _kinds_of(role: str, domain: Domain) -> tuple[str, ...]:
    return tuple(kind for kind, spec in domain.attributes.items() if spec.role == role)


def _asks_for_others(words: Sequence[str]) -> bool:
    return says_any(words, _WORDS.other_makers) and not says_any(words, _WORDS.no_other)


def _maker_pointed_at(words: Sequence[str]) -> tuple[str, bool] | None:
    """The word for who made the example, and whether more of theirs is wanted; None for no such.

    "More from that fellow", "anything else by her", "but not by that author"; of somebody who
    only may have made it, "recommended by that guy", nothing is said.
    """
    for place in range(1, len(words)):
        end = place  # of the words before "by that fellow" or "by her"
        if words[place] in _WORDS.makers and _is_pointed_at(words, place):
            end = place - 1 - (words[place - 2] in english().grammar.definite)
        elif words[place] not in _WORDS.maker_pronouns:
            continue
        if not end or words[end - 1] not in _WORDS.by_whom:
            continue
        before = words[max(0, end - 1 - _REACH) : end - 1]
        is_refused = not _WORDS.refusing_maker.isdisjoint(before)
        is_sure = not _WORDS.same.isdisjoint(words[end:place])
        if is_refused or is_sure or not _WORDS.more.isdisjoint(before[-1:]):
            return words[place], not is_refused
    return None


def _is_pointed_at(words: Sequence[str], place: int) -> bool:
    """ "that fellow", "the lady who wrote it"."""
    if words[place - 1] in _WORDS.pointing:
        return True
    who, did = words[place + 1 : place + 2], words[place + 2 : place + 3]
    is_told = not _WORDS.who.isdisjoint(who) and not _WORDS.did.isdisjoint(did)
    return is_told and words[place - 1] in english().grammar.articles
