"""Refusals behind the name they refuse: "gin is off the table", "musicals we never watch".

A name is the subject of its refusal ("rum gives me hives", "horror isn't for us"), its object put
first ("romance I can't stand"), judged in a word ("gin? no way"), or the reason for a threat ("if I
see a cucumber, I walk"). What is said of it must be near: a full stop ends it, small adverbs and
general nouns ("stuff", "ones") do not.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from localrec.understanding.distant_refusals import is_refused_far_behind
from localrec.understanding.language_words import Phrase, english, phrases, phrases_by_first_word
from localrec.understanding.vocabulary import Reading

_GRAMMAR, _WORDS = english().grammar, english().negation
_BEHIND = english().trailing_refusals
_PHRASES = phrases_by_first_word((*_WORDS.behind, *_WORDS.behind_idioms))
_VERDICTS = phrases_by_first_word((*_WORDS.alone_behind, *_BEHIND.verdicts))
_PREDICATES = phrases_by_first_word(_BEHIND.predicates)
_SHORT = phrases_by_first_word(_BEHIND.short_predicates)
_REACTIONS = phrases(_BEHIND.reactions)
_LEAVING = phrases(_BEHIND.leaving)
_THREATS = phrases(_BEHIND.threats)
_PRESENCES = phrases(_BEHIND.presences)
_CLOSES = phrases_by_first_word((*_WORDS.bracket_close, *_BEHIND.closes))
_SUMMING = phrases_by_first_word(_BEHIND.summing)
_PARTINGS = frozenset(phrases(_BEHIND.partings))
_SUBJECTS = _WORDS.subjects - _BEHIND.nobody
_ENDS_OBJECT = _GRAMMAR.conjunctions | _GRAMMAR.disjunctions | _WORDS.but
_NEAR = 8  # words between a condition and its name, and between the name and what follows from it
_AILING = 5  # words in which the harm of a thing is told


def is_refused_after(reading: Reading, owner: Sequence[int], last: int) -> bool:
    """Does what follows the name that ends at `last` say that it is not wanted?

    Args:
        reading: The question.
        owner: For each token the number of the mention it belongs to, -1 for none; numbers from
            `len(owner)` on are words that name nothing, of which only plain refusals are heard.
        last: The last token of the name.
    """
    if _would_make_leave(reading, owner, last):
        return True
    if last + 1 >= len(reading.words):
        return False
    if _verdict(reading, last + 1):
        return True
    if reading.gaps[last + 1] == ".":
        return False
    following = reading.words[last + 1 : last + 8]
    pauses = _pauses(reading, last + 2)
    if following[0] in _BEHIND.less:  # "keep it vodka-less", but not "its less lethal cousin"
        one_word = reading.tokens[last + 1].start == reading.tokens[last].start  # "whiskeyless"
        return one_word or pauses or following[1] in _WORDS.less_nouns
    if following[0] in _WORDS.suffixes:
        about_the_next = following[0] in _BEHIND.free and _goes_on_to_another(following)
        return not (about_the_next or reading.gaps[last + 1])
    if following[0] in _BEHIND.apart and _goes_on_to_another(following):
        return False  # "King, apart from It" refuses what follows
    if _match(reading, last + 1, _PHRASES) and reading.words[last + 1] not in _BEHIND.it:
        return True  # "King need not apply", where "need" is also an adverb's like
    place = _past(reading, owner, last + 1, _BEHIND.however)
    if _parts_with(reading, last + 1):
        return True
    if length := _match(reading, place, _PHRASES):
        # "egg it must not contain", but not "though it is romance it must not be scary"
        return reading.words[place] not in _BEHIND.it or _pauses(reading, place + length + 1)
    if _is_bracketed(reading, last) or is_refused_far_behind(reading, owner, last):
        return True
    if (
        _is_judged(reading, owner, last)
        or _is_threat(reading, owner, last)
        or _is_feared_there(reading, owner, last)
    ):
        return True
    is_name = owner[last] < len(owner)
    return is_name and (
        _is_denied(reading, owner, last) or _is_object_in_front(reading, owner, last)
    )


def _goes_on_to_another(following: Sequence[str]) -> bool:
    """ "free of gin", "apart from gin": the second of these words leads to what is refused."""
    return not _BEHIND.free_of_next.isdisjoint(following[1:2])


def _parts_with(reading: Reading, place: int) -> bool:
    """ "rum and I, however, parted ways": said of a name and of somebody, adverbs aside."""
    end = place
    while end < min(place + _NEAR, len(reading.words)) and reading.gaps[end] != ".":
        end += 1
    told = tuple(one for one in reading.words[place:end] if one not in _BEHIND.in_partings)
    with_somebody = not _BEHIND.selves.isdisjoint(told[1:2])
    if not with_somebody or _GRAMMAR.conjunctions.isdisjoint(told[:1]):
        return False
    return any(told[2 : 2 + len(one)] == one for one in _PARTINGS)


def _verdict(reading: Reading, place: int) -> bool:
    """ "alcohol no", "rum? never.", "musicals: absolutely not, thanks"."""
    for phrase in _VERDICTS.get(reading.words[place], ()):
        end = place + len(phrase)
        same = tuple(reading.words[place:end]) == phrase
        if same and not any(reading.gaps[place + 1 : end]) and _pauses(reading, end):
            plain = _BEHIND.plain & {phrase[0], phrase[-1]}  # needs no pause before it
            return len(phrase) == 1 or bool(reading.gaps[place]) or bool(plain)
    return False


def _pauses(reading: Reading, place: int) -> bool:
    return place >= len(reading.words) or bool(reading.gaps[place])


def _match(reading: Reading, place: int, told: dict[str, list[Phrase]]) -> int:
    """Count the tokens that a phrase at `place` takes, 0 for none."""
    if place >= len(reading.words):
        return 0
    for phrase in told.get(reading.words[place], ()):
        end = place + len(phrase)
        if tuple(reading.words[place:end]) == phrase and not any(reading.gaps[place + 1 : end]):
            return len(phrase)
    return 0


def _past(reading: Reading, owner: Sequence[int], place: int, more: Collection[str] = ()) -> int:
    """The first token from `place` on that is no adverb and no general noun.

    Words that sum up a list are passed over: "milk, cream, all this makes me ill".
    """
    place += _match(reading, place, _SUMMING)
    while (
        place < len(reading.words)
        and owner[place] < 0
        and reading.gaps[place] != "."
        and (
            reading.words[place] in _BEHIND.adverbs
            or reading.words[place] in _BEHIND.general_nouns
            or reading.words[place] in more
        )
    ):
        place += 1
    return place


def _is_bracketed(reading: Reading, last: int) -> bool:
    """ "leave the egg out", "give musicals a miss"."""
    if not _WORDS.bracket_open & set(reading.words[max(0, last - 10) : last]):
        return False
    for place in range(last + 1, min(last + 4, len(reading.words))):
        if reading.gaps[place]:
            return False
        if _match(reading, place, _CLOSES):
            return True
    return False


def _is_judged(reading: Reading, owner: Sequence[int], last: int) -> bool:
    """ "gin is strictly off the menu", "lemon nowhere near it", "rum would give my wife hives"."""
    words = reading.words
    place = _past(reading, owner, last + 1)
    if place >= len(words) or reading.gaps[place] or 0 <= owner[place] < len(owner):
        return False
    if _is_contracted(reading, last) and (
        _is_said_of_it(reading, last + 1) or _is_said_of_it(reading, place)
    ):
        return True
    if _match(reading, place, _PREDICATES) and (
        place > last + 1 or words[place] not in _BEHIND.adjectives
    ):
        return True
    while place < len(words) and words[place] in _BEHIND.might and not reading.gaps[place]:
        place += 1
    if words[place : place + 1] and words[place] in _BEHIND.harms:
        told = set(words[place : place + 1 + _AILING])
        hurt = told & _BEHIND.sufferers
        turned = words[place] in _BEHIND.turning and _pauses(reading, place + 2)
        return bool(hurt and (told & _BEHIND.ailments or turned))
    if place < len(words) and words[place] in _BEHIND.being:
        return _is_said_of_it(reading, _past(reading, owner, place + 1))
    return False


def _is_said_of_it(reading: Reading, place: int) -> bool:
    """Whether what stands behind "is" refuses."""
    if _match(reading, place, _PREDICATES) or _is_too_something(reading, place):
        return True
    length = _match(reading, place, _SHORT)
    return bool(length) and _ends_there(reading, place + length)


def _is_too_something(reading: Reading, place: int) -> bool:
    """ "would be too obvious", but not "would be too" at the end."""
    if _pauses(reading, place) or reading.words[place - 1] not in _BEHIND.too:
        return False
    return reading.words[place] not in _GRAMMAR.conjunctions | _GRAMMAR.disjunctions | _WORDS.but


def _is_contracted(reading: Reading, last: int) -> bool:
    """ "gin's off the menu": the name was typed with an apostrophe and an "s"."""
    token = reading.tokens[last]
    return token.word.endswith("s") and token.end - token.start > len(token.word)


def _is_denied(reading: Reading, owner: Sequence[int], last: int) -> bool:
    """ "horror isn't for us", "gin doesn't sit well"."""
    words = reading.words
    place = _past(reading, owner, last + 1)
    if place >= len(words) or reading.gaps[place] or owner[place] >= 0:
        return False
    if words[place] in _BEHIND.being:
        if words[place] in _BEHIND.welcoming and any(reading.gaps[place + 1 : place + 2]):
            return False  # "anything by him goes, just not ..."
        place = _past(reading, owner, place + 1)
        is_not = not _GRAMMAR.denials.isdisjoint(words[place : place + 1])
        if not is_not or _tells_of_another(reading, owner, place + 1):
            return False
        return _bites(reading, place + 1)
    if _is_auxiliary_of_not(words, place):
        return _bites(reading, place + 2)
    return words[place] in _BEHIND.denying and _bites(reading, place + 1)


def _is_auxiliary_of_not(words: Sequence[str], place: int) -> bool:
    is_auxiliary = words[place] in _GRAMMAR.auxiliaries
    return is_auxiliary and not _GRAMMAR.denials.isdisjoint(words[place + 1 : place + 2])


def _tells_of_another(reading: Reading, owner: Sequence[int], place: int) -> bool:
    """Whether it goes on to another name: "games of X are not about farming"."""
    while place < len(reading.words) and not reading.gaps[place]:
        if 0 <= owner[place] < len(owner):
            return True
        if reading.words[place] not in _BEHIND.leading:
            return False
        place += 1
    return False


def _ends_there(reading: Reading, place: int) -> bool:
    return _pauses(reading, place) or reading.words[place] in _BEHIND.goes_on


def _bites(reading: Reading, place: int) -> bool:
    """Whether "gin isn't ..." refuses gin: not where it goes on "... necessary"."""
    told = reading.words[place : place + 2]
    if not told or reading.gaps[place]:
        return True
    skipped = told[1:] if told[0] in _BEHIND.passed_over else told[:1]
    return not _BEHIND.harmless & {*told[:1], *skipped}


def _is_object_in_front(reading: Reading, owner: Sequence[int], last: int) -> bool:
    """ "romance we don't watch", "dairy my stomach can't handle"."""
    words, place = reading.words, last + 1
    while place < len(words) and words[place] in _BEHIND.general_nouns and not reading.gaps[place]:
        place += 1
    if place >= len(words):
        return False
    if words[place] in _GRAMMAR.relatives:
        place += 1
    if words[place : place + 1] and words[place] in _BEHIND.would and not reading.gaps[place]:
        verb = _past(reading, owner, place + 1)
        refuses = words[verb : verb + 1] and words[verb] in _BEHIND.skipping
        return bool(refuses) and _pauses(reading, verb + 1)  # "horror I'd skip"
    if _would_skip(reading, place):
        return True
    if words[place : place + 1] and words[place] in _BEHIND.owners and not reading.gaps[place]:
        place += 1
    elif not (words[place : place + 1] and words[place] in _WORDS.subjects):
        return False
    place = _past(reading, owner, place + 1)
    if place >= len(words) or any(reading.gaps[last + 2 : place + 1]):
        return False
    if _is_auxiliary_of_not(words, place):
        place += 1
    elif words[place] not in _BEHIND.denying:
        return False
    place = _past(reading, owner, place + 1)
    if _pauses(reading, place):
        return True
    ends = _pauses(reading, place + 1) or owner[place + 1] < 0
    return words[place] in _BEHIND.refused_verbs and ends and not _has_object(reading, owner, place)


def _would_skip(reading: Reading, place: int) -> bool:
    """ "the Mosel I would this time like to avoid": somebody, and a verb of skipping at the end."""
    words = reading.words
    if place >= len(words) or words[place] not in _SUBJECTS or reading.gaps[place]:
        return False
    verb = place + 1
    while verb < len(words) and words[verb] in _BEHIND.skip_leads and not reading.gaps[verb]:
        verb += 1
    refuses = words[verb : verb + 1] and words[verb] in _BEHIND.skipping and not reading.gaps[verb]
    return verb > place + 1 and bool(refuses) and _pauses(reading, verb + 1)


def _has_object(reading: Reading, owner: Sequence[int], verb: int) -> bool:
    """ "for the comedy I don't want any romance": the verb has an object of its own."""
    for place in range(verb + 1, min(verb + 4, len(owner))):
        if reading.gaps[place] or reading.words[place] in _ENDS_OBJECT:
            return False
        if owner[place] >= 0:
            return True
    return False


def _is_threat(reading: Reading, owner: Sequence[int], last: int) -> bool:
    """ "if I see a cucumber in it, I walk", "one more musical and I scream"."""
    begin = _threat_before(reading, owner, owner.index(owner[last]))
    return begin >= 0 and _phrase_in(reading, _REACTIONS, last + 1, last + 1 + _NEAR)


def _would_make_leave(reading: Reading, owner: Sequence[int], last: int) -> bool:
    """ "his fiancée will walk out if it's country"."""
    first = owner.index(owner[last])
    begin = _threat_before(reading, owner, first)
    if begin < 0 or reading.words[begin] not in _GRAMMAR.conditions:
        return False
    between = {*reading.words[begin + 1 : first]}
    if not between or not between <= _BEHIND.in_conditions:
        return False
    return _phrase_in(reading, _LEAVING, max(0, begin - _NEAR), begin)


def _threat_before(reading: Reading, owner: Sequence[int], first: int) -> int:
    """The token before a name with which a threat begins, -1 for none."""
    words = reading.words
    for place in range(first - 1, max(-1, first - 1 - _NEAR), -1):
        if words[place] in _GRAMMAR.conditions or any(
            tuple(words[place : place + len(one)]) == one for one in _THREATS
        ):
            return place
        if reading.gaps[place] == "." or owner[place] >= 0:
            return -1
    return -1


def _is_feared_there(reading: Reading, owner: Sequence[int], last: int) -> bool:
    """ "if there's coffee or tea in it I won't sleep": unless what follows welcomes it."""
    words, first = reading.words, owner.index(owner[last])
    begin = first
    while (
        begin > 0
        and reading.gaps[begin] != "."
        and words[begin] not in _GRAMMAR.conditions
        and first - begin < _NEAR
    ):
        begin -= 1
    if words[begin] not in _GRAMMAR.conditions:
        return False
    reached = max(
        (len(one) for one in _PRESENCES if tuple(words[begin + 1 : begin + 1 + len(one)]) == one),
        default=0,
    )
    between = range(begin + 1 + reached, first)
    if not reached or any(owner[one] < 0 and words[one] not in _BEHIND.listing for one in between):
        return False
    end = last + 1
    while end < len(words) and reading.gaps[end] != ".":
        end += 1
    behind = words[last + 1 : end]
    return len(behind) > 1 and not _BEHIND.welcomes & {*behind}


def _phrase_in(reading: Reading, told: Sequence[Phrase], first: int, last: int) -> bool:
    for place in range(first, min(last, len(reading.words))):
        if reading.gaps[place] == "." and place > first:
            return False
        if any(tuple(reading.words[place : place + len(one)]) == one for one in told):
            return True
    return False


def want_less(
    reading: Reading, owner: Sequence[int], excluded: list[bool], mildly: list[bool]
) -> None:
    """ "with less lime", "fewer dice", "they are too sweet": too much of it is unwanted."""
    for place, mention in enumerate(owner):
        begins = mention >= 0 and place > 0 and owner[place - 1] != mention
        if not begins or excluded[place] or reading.gaps[place]:
            continue
        before = reading.words[place - 2] if place > 1 else ""
        is_of_strength = reading.words[place].startswith(_BEHIND.not_fewer)
        more_or_less = before in _GRAMMAR.disjunctions or is_of_strength
        too = reading.words[place - 1] in _BEHIND.too and before in _BEHIND.before_too
        if too or (reading.words[place - 1] in _BEHIND.fewer and not more_or_less):
            last = place + owner.count(mention)
            excluded[place:last] = mildly[place:last] = [True] * (last - place)
