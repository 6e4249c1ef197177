"""Which wishes of a question are alternatives: "gin or vodka", "either one is fine"."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from localrec.foundation.text_matching import singular
from localrec.understanding.language_words import (
    english,
    phrase_length,
    phrases_by_first_word,
    says_any,
)
from localrec.understanding.meanings import Mention
from localrec.understanding.vocabulary import Reading, Vocabulary

_WORDS = english().mention
_OR, _EITHER = english().grammar.disjunctions, english().negation.either
_CHOICES = phrases_by_first_word(_WORDS.choices)
_NO_PARTS = frozenset({"flag", "diet", "order"})  # roles that say what they want by themselves
_BEFORE = 3  # words between "either" and the first alternative
_CROSSING = frozenset({"component", "category", "creator"})  # alternatives may be of both


def asks_for_either(reading: Reading) -> bool:
    """Whether one of several wishes is enough ("either one", "we cannot agree")."""
    told = says_any(reading.words, _WORDS.either) or _say_two_things(reading)
    told = told or _ends_with_choice(reading)
    return told and not _asks_for_both(reading)


def _ends_with_choice(reading: Reading) -> bool:
    """ "pick one of those: comedy, western", but not "one of those romantic comedies"."""
    for place in range(len(reading.words)):
        end = place + phrase_length(_CHOICES, reading.words, place)
        if end > place and (end == len(reading.words) or reading.gaps[end]):
            return True
    return False


def _say_two_things(reading: Reading) -> bool:
    """ "Lina says jazz, Femi says soul": two users with a wish each."""
    words = reading.words
    saying = {words[place - 1] for place in range(1, len(words)) if words[place] in _WORDS.saying}
    return len(saying) > 1


def _asks_for_both(reading: Reading) -> bool:
    """ "she wants war, he wants romance, find one that is both"."""
    return says_any(reading.words, _WORDS.both)


def one_of_each_kind(
    reading: Reading,
    groups: Sequence[tuple[list[Mention], bool]],
) -> list[tuple[list[Mention], bool]]:
    """ "horror for me, comedy for her, either one": the wishes of one kind become alternatives."""
    joined: dict[str, list[Mention]] = {}
    kept: list[tuple[list[Mention], bool]] = []
    for members, is_wanted in groups:
        meaning = members[0].meaning
        if not is_wanted or meaning is None or _all_want(reading, members[0]):
            kept.append((members, is_wanted))
        elif kind := _kind_in(joined, members[0]):
            joined[kind] += members
        else:
            joined[meaning.kind] = list(members)
            kept.append((joined[meaning.kind], True))
    return kept


def _kind_in(joined: Mapping[str, object], mention: Mention) -> str:
    """The kind among some that a mention has, by its own meaning or by that of a namesake."""
    meaning = mention.meaning
    own = () if meaning is None else (meaning.kind,)
    kinds = (*own, *(kind for kind, _ in mention.elsewhere))
    return next((kind for kind in kinds if kind in joined), "")


def _all_want(reading: Reading, mention: Mention) -> bool:
    """ "and they both want mint in it": a wish of all, beside the alternatives."""
    before = reading.words[max(0, mention.first - 5) : mention.first]
    return bool(_WORDS.everybody & {*before})


def joins(
    reading: Reading, group: tuple[list[Mention], bool], mention: Mention, vocabulary: Vocabulary
) -> bool:
    """Is `mention` an alternative to the group before it ("gin or vodka", two glasses)?"""
    members, is_wanted = group
    last = members[-1]
    if not is_wanted or last.meaning is None or mention.meaning is None:
        return False
    between = reading.words[last.last : mention.first]
    is_or = not _OR.isdisjoint(between)
    if _asks_for_both(reading) and not is_or:
        return False
    if last.meaning.kind != mention.meaning.kind:
        roles = {last.meaning.role, mention.meaning.role}
        near = len(between) < 3 or _is_bridged(reading, members[0], between)
        return is_or and near and roles <= _CROSSING
    if last.meaning.role == "container":
        return True
    if last.meaning.role == "colour" and not between and not reading.gaps[mention.first]:
        return True  # "reddish-orange"
    return is_or and all(
        word in _WORDS.or_bridges or singular(word) in vocabulary.item_nouns for word in between
    )


def repeated_parts(
    reading: Reading, mentions: Sequence[Mention], wanted: Sequence[bool]
) -> frozenset[int]:
    """The numbers of names told again in an alternative: "rum and lime or rum and pineapple".

    What follows such a name is an alternative to what stands before it.
    """
    found = set()
    for number in range(2, len(mentions) - 1):
        first, left, again, right = mentions[number - 2 : number + 2]
        if first.meaning is None or first.meaning != again.meaning or left.meaning is None:
            continue
        parts = (first.meaning, left.meaning, right.meaning)
        if any(one is None or one.role in _NO_PARTS for one in parts):
            continue
        alike = right.meaning is not None and right.meaning.kind == left.meaning.kind
        if (
            alike
            and all(wanted[number - 2 : number + 2])
            and _WORDS.additions & {*reading.words[first.last : left.first]}
            and not _OR.isdisjoint(reading.words[left.last : again.first])
            and _WORDS.additions & {*reading.words[again.last : right.first]}
        ):
            found.add(number)
    return frozenset(found)


def spread_lists(
    reading: Reading, groups: list[tuple[list[Mention], bool]], vocabulary: Vocabulary
) -> list[tuple[list[Mention], bool]]:
    """ "rum, gin or vodka": what stands before an or-pair by comma joins it if it is their kin."""
    merged: list[tuple[list[Mention], bool]] = []
    for members, is_wanted in groups:
        while (
            merged
            and is_wanted
            and len(members) > 1
            and merged[-1][1]
            and len(merged[-1][0]) == 1
            and _lists_with(reading, merged[-1][0][0], members, vocabulary)
        ):
            members = [*merged.pop()[0], *members]
        merged.append((members, is_wanted))
    return merged


def _lists_with(
    reading: Reading, first: Mention, members: list[Mention], vocabulary: Vocabulary
) -> bool:
    adjacent = first.last == members[0].first and reading.gaps[members[0].first] == ","
    return adjacent and all(_are_kin(first, member, vocabulary) for member in members)


def _are_kin(one: Mention, other: Mention, vocabulary: Vocabulary) -> bool:
    if one.meaning is None or other.meaning is None or one.meaning.kind != other.meaning.kind:
        return False
    if one.meaning.role in ("colour", "creator"):
        return True
    concepts = vocabulary.domain.taxonomy.get(one.meaning.kind, {})

    def families(key: str) -> set[str]:
        seen, queue = set(), [key]
        for current in queue:
            for parent in concepts[current].parents if current in concepts else ():
                if parent not in seen:
                    seen.add(parent)
                    queue.append(parent)
        return seen

    return bool(families(one.meaning.key) & families(other.meaning.key))


def _is_bridged(reading: Reading, first: Mention, between: Sequence[str]) -> bool:
    """ "either a shake sort of thing or one with ginger": words that only lead on."""
    told = reading.words[max(0, first.first - _BEFORE) : first.first]
    return not _EITHER.isdisjoint(told) and _WORDS.or_bridges.issuperset(between)
