"""Which of several meanings a phrase has among its neighbours: "orange" a colour or a fruit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from localrec.understanding.language_words import (
    english,
    phrase_length,
    phrases,
    phrases_by_first_word,
)
from localrec.understanding.meanings import Meaning, MeaningRole
from localrec.understanding.superlatives import positives
from localrec.understanding.vocabulary import Reading, Vocabulary

_GRAMMAR, _WORDS = english().grammar, english().mention
_NOUN_AT_MOST = 4  # words from an adjective to the noun for items
_KINDS = frozenset({"category", "component", "creator"})
_ON_TOP, _TOPPED = phrases(_WORDS.on_top), phrases(_WORDS.topped)
_AWAY = phrases_by_first_word(_WORDS.away)
_BEING = english().trailing_refusals.being
_CHILDREN = frozenset(english().children)
_OWNERS = _GRAMMAR.determiners | english().trailing_refusals.owners
_IN_COLOUR = phrases(_WORDS.in_colour)
_BEFORE_CONTAINER = _GRAMMAR.determiners | _WORDS.served_bridges
_BESIDE = _GRAMMAR.conjunctions | _GRAMMAR.disjunctions


def choose_meaning(
    reading: Reading,
    vocabulary: Vocabulary,
    first: int,
    last: int,
    payloads: Sequence[Meaning],
) -> Meaning | None:
    """The meaning of a phrase among its neighbours."""
    alive = [one for one in payloads if vocabulary.is_usable(one)]
    by_role = {one.role: one for one in reversed(alive or payloads)}
    order: tuple[tuple[MeaningRole, bool], ...] = (
        ("order", _reads_as_order(reading, vocabulary, first, last, by_role)),
        ("flag", _is_said_of_items(reading, vocabulary, first, last)),
        ("diet", True),
        ("container", _reads_as_container(reading, first, last, by_role)),
        ("garnish", _reads_as_garnish(reading, first, last)),
        ("colour", _reads_as_colour(reading, vocabulary, first, last, by_role)),
        ("look", "category" in by_role),
        ("creator", first > 0 and reading.words[first - 1] in _GRAMMAR.makers),
        ("category", _reads_as_category(reading, vocabulary, first, last, by_role)),
        ("component", True),
        ("creator", True),
        ("look", True),
        ("garnish", True),
    )
    for role, fits in order:
        if fits and role in by_role:
            return by_role[role]
    return None


def _reads_as_order(
    reading: Reading,
    vocabulary: Vocabulary,
    first: int,
    last: int,
    by_role: Mapping[MeaningRole, Meaning],
) -> bool:
    """Whether "heavy" is said of items: before a noun for them, or a name, or behind "something".

    Comparatives are always; "all day long" and "light reading" are not.
    """
    if "order" not in by_role:
        return False
    spec = vocabulary.domain.numbers[by_role["order"].kind]
    said = " ".join(reading.words[first:last])
    if not any(said in found for found in positives(spec).values()):
        return True
    before = first - 1
    adverbs = (_WORDS.taste_before | _WORDS.praise) - _WORDS.indefinite
    while before >= 0 and reading.words[before] in adverbs:
        before -= 1
    if before >= 0 and reading.words[before] in _WORDS.indefinite:
        return True
    if 0 <= before < first - 1 and reading.words[before] in _GRAMMAR.denials:
        return True  # "red, not too heavy"
    led = " ".join(reading.words[max(0, before - 2) : before + 1])
    if any(led == one or led.endswith(f" {one}") for one in _WORDS.before_predicates):
        return True
    for place in range(last, min(last + _NOUN_AT_MOST, len(reading.roots))):
        if reading.gaps[place]:
            return False
        if reading.roots[place] in vocabulary.item_nouns:
            return True
        pair = " ".join(reading.roots[place : place + 2])  # "a light party game"
        named = (*vocabulary.names.get(reading.roots[place]), *vocabulary.names.get(pair))
        if not any(one.role in _KINDS for one in named):
            return False
    return last < len(reading.roots) and not reading.gaps[last]


def is_for(reading: Reading, first: int) -> bool:
    """Whether "for the" or the like stands before a name."""
    back = first - 1
    while back >= 0 and reading.words[back] in _OWNERS:
        back -= 1
    return back >= 0 and reading.words[back] == english().several_people.for_whom


def is_served_in(reading: Reading, first: int) -> bool:
    """Whether "in a" or the like stands before a name."""
    back = first - 1
    while back >= 0 and reading.words[back] in _BEFORE_CONTAINER:
        back -= 1
    return back >= 0 and reading.words[back] in _WORDS.served


def _reads_as_container(
    reading: Reading, first: int, last: int, by_role: Mapping[MeaningRole, Meaning]
) -> bool:
    if is_served_in(reading, first):
        return True
    of = last < len(reading.words) and reading.words[last] in _WORDS.package_of
    package = of and reading.roots[first] in _WORDS.packages  # "a bottle of gin"
    return "component" not in by_role and not package


def _is_said_of_items(reading: Reading, vocabulary: Vocabulary, first: int, last: int) -> bool:
    """Whether a flag is one: not "he doesn't drink gin", and not "the kids are asleep"."""
    return not (_has_an_object(reading, vocabulary, last) or _are_away(reading, first, last))


def _has_an_object(reading: Reading, vocabulary: Vocabulary, last: int) -> bool:
    """ "he doesn't drink." says something else than "he doesn't drink gin"."""
    if last >= len(reading.words) or reading.gaps[last]:
        return False
    if reading.words[last] in _GRAMMAR.conjunctions:
        return False
    if reading.words[last - 1] in _WORDS.drinking:  # "not drinking tonight" stays what it is
        return bool(vocabulary.names.get(reading.words[last]))
    return reading.roots[last - 1] in _WORDS.drink


def _are_away(reading: Reading, first: int, last: int) -> bool:
    """ "the kids are asleep", "our kid's turning 40": who is told of needs nothing special."""
    words, place = reading.words, last
    if _CHILDREN.isdisjoint(reading.roots[first:last]) or is_for(reading, first):
        return False
    while place < len(words) and words[place] in _BEING and not reading.gaps[place]:
        place += 1
    token = reading.tokens[last - 1]
    is_said = place > last or token.end - token.start > len(token.word)  # "kid's"
    if not is_said or place >= len(words) or reading.gaps[place]:
        return False
    age = words[place + 1] if place + 1 < len(words) and words[place] in _WORDS.turning else ""
    if age.isdecimal() and int(age) >= _WORDS.grown_up:
        return True
    return bool(phrase_length(_AWAY, words, place))


def _reads_as_garnish(reading: Reading, first: int, last: int) -> bool:
    around = reading.words[max(0, first - 4) : first] + reading.words[last : last + 3]
    on_top = reading.words[last : last + 2] in _ON_TOP
    topped = first > 1 and reading.words[first - 2 : first] in _TOPPED
    return on_top or topped or any(word in _WORDS.garnish for word in around)


def _reads_as_colour(
    reading: Reading,
    vocabulary: Vocabulary,
    first: int,
    last: int,
    by_role: Mapping[MeaningRole, Meaning],
) -> bool:
    if "component" not in by_role and "look" not in by_role:
        return True
    before = reading.words[first - 1] if first else ""
    following = reading.roots[last] if last < len(reading.roots) else ""
    if _beside_a_colour(reading, vocabulary, first):
        return True
    if following in _WORDS.colour_after - _GRAMMAR.conjunctions or before in _WORDS.shades:
        return True
    if following in vocabulary.item_nouns or following in _WORDS.coloured:
        return before not in _WORDS.not_coloured
    if reading.words[last : last + 2] in _IN_COLOUR:
        return True
    breaks = not following or bool(reading.gaps[last]) or following in _WORDS.colour_breaks
    return before in _WORDS.colour_before and breaks


def _beside_a_colour(reading: Reading, vocabulary: Vocabulary, first: int) -> bool:
    """ "purple or violet", "reddish-orange": what stands with a colour is one."""
    before = first - 1
    if before > 0 and reading.words[before] in _BESIDE:
        before -= 1
    meanings = vocabulary.names.get(reading.roots[before]) if before >= 0 else ()
    return bool(meanings) and all(one.role == "colour" for one in meanings)


def _reads_as_category(
    reading: Reading,
    vocabulary: Vocabulary,
    first: int,
    last: int,
    by_role: Mapping[MeaningRole, Meaning],
) -> bool:
    following = reading.roots[last] if last < len(reading.roots) else ""
    done = first and last - first == 1 and reading.words[first - 1] in _WORDS.doers
    is_of_items = following in vocabulary.item_nouns  # "have you farming games"
    if done and not is_of_items and first not in reading.nouns_of_verbs:
        return False  # "what can you shake up with rum"
    if "component" not in by_role or last - first > 1:
        return True
    if reading.words[first].endswith("s") and reading.roots[first] != reading.words[first]:
        return True
    before = reading.words[first - 1] if first else ""
    if before in _WORDS.praise and first > 1:  # "a proper sour"
        before = reading.words[first - 2]
    if before in _WORDS.taste_before or following in vocabulary.item_nouns:
        return False
    previous = vocabulary.names.get(reading.roots[first - 1]) if first else ()
    is_any = before in _GRAMMAR.articles - _GRAMMAR.definite
    return is_any or any(one.role == "component" for one in previous)
