"""Whether a question brings wishes of several people: "she wants jazz, and I'd be happy with soul".

Such wishes need not be met by one item. Each wish goes to the person named before it since the last
wish, or right behind it ("horror for me"); two people with a wish each are several.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

import msgspec

from localrec.understanding.language_words import english, phrase_length, phrases_by_first_word
from localrec.understanding.meanings import Mention
from localrec.understanding.vocabulary import Reading

_WORDS = english().several_people
_NAMED = (*english().partners, *english().children)
_PEOPLE = _WORDS.people | {one for one in _NAMED if " " not in one}
_THEN = phrases_by_first_word(_WORDS.then)
_ROLES = frozenset({"category", "component", "creator", "colour"})
_FLAGS = frozenset({"flag"})
_BETWEEN = 3  # words between two wishes of one person: "gin with plenty of mint"
_BEHIND = 3  # words behind a wish among which "for her" may stand


class OwnWishes(msgspec.Struct, frozen=True):
    """Whether wishes are of several people, and what each of them wishes for.

    Args:
        are_several: Whether they are.
        parties: For each person the keys of what they wish for; not what nobody in particular does.
        flags: The kinds of flags that are one person's alone.
    """

    are_several: bool = False
    parties: tuple[tuple[str, ...], ...] = ()
    flags: tuple[str, ...] = ()


def wishes_of_people(
    reading: Reading, mentions: Sequence[Mention], wanted: Sequence[bool]
) -> OwnWishes:
    """Tell whether at least two people, or two parts of an evening, have a wish each.

    Args:
        reading: The question.
        mentions: The names of the question, left to right.
        wanted: For each whether it is wished for.
    """
    told = zip(mentions, wanted, strict=True)
    wishes = [one for one, is_wanted in told if is_wanted and _has_role(one, _ROLES)]
    flags = [one for one in mentions if _has_role(one, _FLAGS)]
    if len(wishes) > 1 and _one_after_another(reading, wishes):
        return OwnWishes(are_several=True)
    people, asked_for = _people_of(reading, sorted([*wishes, *flags], key=lambda one: one.first))
    whose = {id(one): people[id(one)] for one in wishes if id(one) in people}
    persons = {person for person in whose.values() if person}
    own = [
        one
        for one in flags
        if people[id(one)] not in persons
        and any(_are_surely_two(people[id(one)], person) for person in persons)
        and not _is_said_for_all(reading, one)
    ]
    own = own if len(own) == len(flags) else []  # "no alcohol: I'm pregnant. Mum says sours"
    if len(wishes) + len(own) < 2 or not wishes:
        return OwnWishes()
    told_before = {person for key, person in people.items() if person and key not in asked_for}
    if told_before == {_WORDS.speaker}:
        persons &= {people[key] for key in asked_for}
    if len(persons) + len(own) < 2:
        return OwnWishes()
    kinds = (one.meaning.kind for one in own if one.meaning is not None)
    parties: dict[str, list[str]] = {}
    for one, person in _with_neighbours(reading, wishes, people):
        parties.setdefault(person, []).append(one)
    return OwnWishes(
        are_several=True,
        parties=tuple(tuple(keys) for keys in parties.values()),
        flags=tuple(dict.fromkeys(kinds)),
    )


def _with_neighbours(
    reading: Reading, wishes: Sequence[Mention], people: Mapping[int, str]
) -> Iterator[tuple[str, str]]:
    """The keys of wishes with whose they are: "Cabernet from Napa for me" are both mine.

    A wish that is told with no mark between it and another's, or a list, is the same person's.
    """
    whose = [people[id(one)] for one in wishes]
    for number in range(1, len(wishes)):
        if not whose[number] and not _is_apart(reading, wishes[number - 1], wishes[number]):
            whose[number] = whose[number - 1]
    for number in range(len(wishes) - 2, -1, -1):
        if not whose[number] and not _is_apart(reading, wishes[number], wishes[number + 1]):
            whose[number] = whose[number + 1]
    for one, person in zip(wishes, whose, strict=True):
        if person and one.meaning is not None:
            yield from ((key, person) for key in (one.meaning.key, *one.others))


def _is_apart(reading: Reading, one: Mention, other: Mention) -> bool:
    """Whether a mark or some words stand between two wishes."""
    between = range(one.last, other.first)
    return len(between) > _BETWEEN or any(reading.gaps[place] for place in (*between, other.first))


def named_people(reading: Reading, owner: Sequence[int]) -> frozenset[int]:
    """Places of words that name nothing here and who has a wish: "Anna" in "Anna likes horror"."""
    return frozenset(
        place
        for place in range(len(reading.words) - 1)
        if owner[place] < 0 and _has_a_wish(reading, place)
    )


def _are_surely_two(one: str, other: str) -> bool:
    """Whether two words are of two people; "him" may be "Raj", and "Sarah" my sister."""
    if not one or not other or one == other:
        return False
    if _WORDS.speaker in (one, other):
        return True
    told = (one, other)
    if not _WORDS.vague.isdisjoint(told):
        return False
    if any(word in _WORDS.pronouns for word in told):
        return all(word in _WORDS.pronouns for word in told)
    return (one in _PEOPLE) == (other in _PEOPLE)


def _is_said_for_all(reading: Reading, flag: Mention) -> bool:
    """ "my parents are teetotal", "the host insists on no alcohol": it holds for everybody."""
    first = flag.first
    while first > 0 and not reading.gaps[first]:
        first -= 1
    clause = {*reading.words[first : flag.last]}
    return bool(clause & (_WORDS.groups | _WORDS.ruling))


def _has_role(mention: Mention, roles: Collection[str]) -> bool:
    return mention.meaning is not None and mention.meaning.role in roles


def _people_of(
    reading: Reading, wishes: Sequence[Mention]
) -> tuple[dict[int, str], frozenset[int]]:
    """Whose each wish is, by its id, "" for nobody's; and the wishes that are told to be for them.

    Nobody has two wishes by one word: "gin for me, rum for her" has a person for each.
    """
    people: dict[int, str] = {}
    asked_for: set[int] = set()  # "a game for my daughter": said by who asks
    end = 0
    for number, one in enumerate(wishes):
        following = wishes[number + 1].first if number + 1 < len(wishes) else len(reading.words)
        place = _whose(reading, one, end, following)
        people[id(one)] = ""
        if place >= 0:
            told = reading.words[place], reading.roots[place]
            word = next((_WORDS.same[one] for one in told if one in _WORDS.same), told[1])
            people[id(one)] = word
            if place >= one.first:
                asked_for.add(id(one))
        end = max(one.last, place + 1)
    return people, frozenset(asked_for)


def _whose(reading: Reading, wish: Mention, begin: int, following: int) -> int:
    """The place of who wishes for something, -1 for nobody: "for her" behind it, else before it."""
    behind = range(wish.last, min(wish.last + _BEHIND, following))
    for place in behind:
        if reading.gaps[place]:
            break
        if reading.words[place] == _WORDS.for_whom:
            told = range(place + 1, min(place + 1 + _BEHIND, following))
            return next((one for one in told if _is_somebody(reading, one)), -1)
    tells_who = _has_role(wish, _FLAGS)  # "I'm driving" is a wish for no alcohol
    before = range((wish.last if tells_who else wish.first) - 1, begin - 1, -1)
    return next((one for one in before if _is_somebody(reading, one)), -1)


def _is_somebody(reading: Reading, place: int) -> bool:
    """Whether a word tells who has a wish, also as "the wife's" and "Raj likes"."""
    named = not _PEOPLE.isdisjoint((reading.words[place], reading.roots[place]))
    return named or _has_a_wish(reading, place)


def _has_a_wish(reading: Reading, place: int) -> bool:
    """Whether a verb of somebody's wish stands right behind a word that may be somebody."""
    behind = reading.words[place + 1 : place + 2]
    return (
        not _WORDS.wishes.isdisjoint(behind)
        and not reading.gaps[place + 1]
        and reading.words[place] not in _WORDS.nobody
    )


def _one_after_another(reading: Reading, wishes: Sequence[Mention]) -> bool:
    """ "first some jazz, after that soul"."""
    between = range(wishes[0].last, wishes[-1].first)
    is_first = _WORDS.first in reading.words[: wishes[0].first]
    return is_first and any(phrase_length(_THEN, reading.words, place) for place in between)
