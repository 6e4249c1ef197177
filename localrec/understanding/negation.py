"""Which words of a question are unwanted: "no rum, gin or cream but lime", "egg-free".

A negation reaches over a list ("without gin, rum or cream") and stops at words that begin a new
wish ("but", "with", "something"). What it must not do is as important: "not sure", "don't mind".
A verb of refusal before a pronoun looks back: "she likes musicals, I hate them".
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from localrec.understanding.double_negation import asking_length, is_condition_of_no
from localrec.understanding.joint_refusals import bar_back, bar_both, bar_named_again
from localrec.understanding.language_words import (
    english,
    inflected,
    phrase_length,
    phrases_by_first_word,
)
from localrec.understanding.refusal_reach import reached_tokens
from localrec.understanding.trailing_refusals import is_refused_after, want_less
from localrec.understanding.vocabulary import CuesByFirstWord, Reading

_GRAMMAR, _WORDS = english().grammar, english().negation
_SUFFERERS = frozenset(english().trailing_refusals.sufferers)
_VERBS = phrases_by_first_word(_WORDS.verbs)
_POINTING = phrases_by_first_word(_WORDS.pointing)
_POINTING_BACK = phrases_by_first_word(_WORDS.pointing_back)
_REFUSING = frozenset(one for one in inflected(_WORDS.refusing) if " " not in one)
_MET = english().state.verbs
_TOLD_AFTER = phrases_by_first_word(_WORDS.told_after_being)
_BEING = english().trailing_refusals.being
_JOINS = _GRAMMAR.conjunctions | _GRAMMAR.disjunctions
_FAR = 16  # words that a pronoun may stand behind what it means
_TOLD_LATER = 7  # words between "the last thing" and "is"


def negated_tokens(
    reading: Reading,
    owner: Sequence[int],
    cues: CuesByFirstWord,
    taken: Collection[int] = frozenset(),
) -> tuple[list[bool], list[bool]]:
    """For each token: is it unwanted, and is it only too much of it that is unwanted ("not too").

    Args:
        reading: The question.
        owner: For each token the number of the mention it belongs to, -1 for none.
        cues: Phrases before what is not wanted.
        taken: Places of words that say something else ("not more than seven").
    """
    excluded = [False] * len(reading.words)
    mildly = [False] * len(reading.words)
    position = 0
    asked_for: set[int] = set()  # places of words that only sound like a refusal
    while position < len(reading.words):
        if asking := asking_length(reading, owner, position):
            asked_for.update(range(position, position + asking))
            position += asking
            continue
        length = 0 if position in taken else _cue_at(reading, owner, position, cues)
        if not length:
            position += 1
            continue
        start = position + length
        if _meant_by_pronoun(reading, owner, position) >= 0:
            position = start
            continue
        if _ends_its_sentence(reading, position, start):
            position = start
            continue
        looks_back = _looks_back(reading, owner, position)
        for reached, mild in reached_tokens(reading, owner, start, looks_back, taken):
            excluded[reached] = True
            mildly[reached] = mild
        position = start
    for position in range(len(reading.words)):
        ends = position + 1 == len(owner) or owner[position + 1] != owner[position]
        if owner[position] >= 0 and ends and is_refused_after(reading, owner, position):
            bar_back(reading, owner, _what_is_in_it(reading, owner, position), excluded)
        meant = -1 if position in asked_for else _meant_by_pronoun(reading, owner, position)
        if meant >= 0:
            bar_back(reading, owner, meant, excluded)
    _bar_what_is_added(reading, owner, excluded)
    want_less(reading, owner, excluded, mildly)
    bar_both(reading, owner, excluded)
    bar_named_again(reading, owner, excluded)
    return excluded, mildly


def _ends_its_sentence(reading: Reading, position: int, start: int) -> bool:
    """ "he cannot refuse. Chablis", "I know nothing. Any red?": such words reach no further.

    Others cannot end a sentence: "allergic to... nuts".
    """
    word = reading.words[position]
    may_end = start - position == 1 and (word in _REFUSING or word in _WORDS.nothing)
    return may_end and start < len(reading.words) and reading.gaps[start] == "."


def refusing_places(
    reading: Reading, owner: Sequence[int], cues: CuesByFirstWord
) -> frozenset[int]:
    """Places of the words that refuse something, which are no words to look for in texts."""
    found: set[int] = set()
    for position in range(len(reading.words)):
        length = _cue_at(reading, owner, position, cues)
        found.update(range(position, position + length))
    return frozenset(found)


def _bar_what_is_added(reading: Reading, owner: Sequence[int], excluded: list[bool]) -> None:
    """ "keep comedy away, and horror also": what is added to a refusal is refused."""
    before = -1  # the mention before this one
    for place, mention in enumerate(owner):
        ends = mention >= 0 and (place + 1 == len(owner) or owner[place + 1] != mention)
        if not ends:
            continue
        first = owner.index(mention)
        added = not _WORDS.added.isdisjoint(reading.words[place + 1 : place + 2]) and (
            place + 2 >= len(owner) or bool(reading.gaps[place + 2])
        )
        joined = first and reading.words[first - 1] in _JOINS | _WORDS.joined
        if added and joined and before >= 0 and excluded[before] and reading.gaps[first] != ".":
            excluded[first : place + 1] = [True] * (place + 1 - first)
        before = place


def _cue_at(reading: Reading, owner: Sequence[int], position: int, cues: CuesByFirstWord) -> int:
    words, gaps = reading.words, reading.gaps
    if owner[position] >= 0:
        return 0
    if told := _told_after_being(reading, owner, position):
        return told
    for cue in cues.get(words[position], ()):
        end = position + len(cue)
        if tuple(words[position:end]) != cue:
            continue
        following = words[end] if end < len(words) else ""
        alone = cue[0] if len(cue) == 1 else ""
        if alone in _WORDS.small_verbs and following in _WORDS.small_behind:
            return 0  # "every last drop of rum", "friends drop in", "drop some tunes"
        if alone in _WORDS.alone_behind and end < len(words) and gaps[end]:
            return 0  # "egg no, dairy no": it stands behind what it refuses
        is_noun = position and words[position - 1] in _GRAMMAR.articles
        if is_noun and alone in _WORDS.nouns_too:
            return 0  # "it belongs in the bin. gin"
        said_behind = alone in _WORDS.neither and position and owner[position - 1] >= 0
        if said_behind and not gaps[position] and (owner[end : end + 1] or [-1])[0] < 0:
            return 0  # "no merlot neither", but not "neither whisky neither pisco"
        if cue[-1] in _WORDS.alone:
            idle = following in _WORDS.harmless_behind and owner[end] < 0  # "no long games"
            if idle or _is_not_tried_yet(reading, end):
                return 0
            asks_why = position and words[position - 1] in _WORDS.asking_why
            if asks_why and cue[0] in _GRAMMAR.denials:
                return 0  # "why not a Negroni"
        away = cue[-1] in _WORDS.from_somebody
        if away and following in _SUFFERERS and (gaps[end + 1 : end + 2] or [","])[0]:
            return 0  # "keep rum away from me, something sour"
        if away and position and is_refused_after(reading, owner, position - 1):
            return 0  # "keep romance away from my thriller"
        if cue[0] in _WORDS.conditions and is_condition_of_no(reading, position):
            return 0  # "I pull a face unless there is lemon in it"
        if alone in _WORDS.nothing and (
            following in _WORDS.harmless_nothing or _is_best_of_all(reading, end)
        ):
            return 0
        before = words[position - 1] if position and not gaps[position] else ""
        if cue[0] in _MET and cue[-1] in _WORDS.all and before and before not in _WORDS.having:
            return 0  # "supposed to have tried all the red ones"
        return len(cue)
    if words[position] in _WORDS.likes and _WORDS.nobody & set(
        words[max(0, position - 6) : position]
    ):
        return 1
    if words[position] in _WORDS.preferred_to and _is_preferred_to(reading, owner, position):
        return 1  # "I'd rather have rum than bourbon", "she prefers gin over rum"
    if words[position] in _WORDS.disgust:
        named = _past_articles(reading, position + 1)  # "eww horror", "anything bar the rum"
        if named > position + 1 and owner[named : named + 1] == [-1]:
            named += 1  # "bar those enormous Kingsbridge ones"
        return int(named < len(words) and owner[named] >= 0 and gaps[position + 1] != ".")
    if words[position] in _WORDS.but and position and words[position - 1] in _WORDS.all_but:
        return 1
    return 0


def _is_best_of_all(reading: Reading, place: int) -> bool:
    """ "nothing suits a steak better than Malbec": what is behind "than" is praised."""
    clause = reading.words[place : reading.end_of_clause(place)]
    return f" {_WORDS.better_than} " in f" {' '.join(clause)} "


def _is_not_tried_yet(reading: Reading, place: int) -> bool:
    """ "never bought champagne before": said of what is behind "never", and no refusal."""
    if reading.words[place - 1] not in _WORDS.never or place == len(reading.words):
        return False
    clause = reading.words[place : reading.end_of_clause(place)]
    is_trying = clause[0] in _WORDS.not_tried_yet
    return is_trying and not _WORDS.tried_before.isdisjoint(clause[1:])


def _past_articles(reading: Reading, place: int) -> int:
    while place < len(reading.words) and reading.words[place] in _GRAMMAR.determiners:
        place += 1
    return place


def _told_after_being(reading: Reading, owner: Sequence[int], position: int) -> int:
    """ "the last thing I need is rum": the words up to "is", 0 where nothing is told so."""
    for cue in _TOLD_AFTER.get(reading.words[position], ()):
        end = position + len(cue)
        if tuple(reading.words[position:end]) != cue:
            continue
        for place in range(end, min(end + _TOLD_LATER, len(owner))):
            if reading.gaps[place] or owner[place] >= 0:
                break
            if reading.words[place] in _BEING:
                return place + 1 - position
    return 0


def _is_preferred_to(reading: Reading, owner: Sequence[int], position: int) -> bool:
    """Whether something is preferred to the name behind this word."""
    first = max(0, position - 8)
    before = reading.words[first:position]
    is_than = reading.words[position] == english().amounts.than
    if is_than and _WORDS.otherwise & {*before}:
        return not any(gap == "." for gap in reading.gaps[first + 1 : position])
    if not _WORDS.preferring & {*before} or any(gap == "." for gap in reading.gaps[first:position]):
        return False
    if is_than:
        return not _WORDS.sooner.isdisjoint(before)
    named = any(owner[place] >= 0 for place in range(first, position))
    behind = range(position + 1, min(position + 3, len(owner)))
    return named and any(owner[place] >= 0 for place in behind)


def _looks_back(reading: Reading, owner: Sequence[int], position: int) -> bool:
    """ "rum we never drink, tequila yes": the cue is said of the name in front of it."""
    for place in range(position - 1, max(-1, position - 5), -1):
        if reading.gaps[place + 1]:
            return False
        if owner[place] >= 0:
            return is_refused_after(reading, owner, place)
    return False


def _meant_by_pronoun(reading: Reading, owner: Sequence[int], position: int) -> int:
    """The last token of the name that "I hate them" looks back at, -1 where nothing says so."""
    words = reading.words
    if owner[position] >= 0:
        return -1
    for cue in _VERBS.get(words[position], ()):
        end = position + len(cue)
        if tuple(words[position:end]) != cue:
            continue
        if end >= len(words) or reading.gaps[end]:
            if (place := _object_before(reading, owner, position)) >= 0:
                return place
            continue
        following = owner[end + 1] if end + 1 < len(words) and not reading.gaps[end + 1] else -1
        if words[end] not in _WORDS.pronouns or reading.gaps[end] or following >= 0:
            continue
        if not _WORDS.clauses.isdisjoint(words[end + 1 : end + 2]):
            continue  # "I hate it when they mention leather", "without it being too sweet"
        is_without = len(cue) == 1 and cue[0] in _WORDS.without
        refused = _refused_before(reading, owner, position) if is_without else -1
        if (place := refused if refused >= 0 else _name_before(reading, owner, position)) >= 0:
            return place
    for cue in _POINTING.get(words[position], ()):
        end = position + len(cue)
        if tuple(words[position:end]) != cue or words[end : end + 1] == ():
            continue
        if position and words[position - 1] in _GRAMMAR.disjunctions:
            continue  # "take it or leave it"
        if words[end] not in _WORDS.pronouns or reading.gaps[end]:
            continue
        end += 1 + (words[end + 1 : end + 2] != () and words[end + 1] in _WORDS.pointed_at)
        if end >= len(words) or reading.gaps[end]:
            return _name_before(reading, owner, position)
    if length := phrase_length(_POINTING_BACK, words, position):
        end = position + length
        goes_on = end < len(words) and not reading.gaps[end]
        # "so not those", but not "a comedy, but not one of those musicals"
        if not (goes_on and words[end - 1] in _WORDS.pointed_behind):
            return _name_before(reading, owner, position)
    return -1


def _name_before(reading: Reading, owner: Sequence[int], position: int) -> int:
    """The last token of the nearest name that a pronoun here may mean, -1 for none.

    Words that name nothing are meant only where no name is near ("banana makes me gag, so none of
    that").
    """
    near = [
        place for place in range(position - 1, max(-1, position - _FAR), -1) if owner[place] >= 0
    ]
    found = next((place for place in near if owner[place] < len(owner)), near[0] if near else -1)
    return _what_is_in_it(reading, owner, found)


def _what_is_in_it(reading: Reading, owner: Sequence[int], place: int) -> int:
    """ "egg white in a sour is foul, so bin that": of a name inside another the former is meant."""
    first = place
    while first > 0 and owner[first - 1] >= 0 and not reading.gaps[first]:
        first -= 1
    while first > 0 and reading.words[first - 1] in _GRAMMAR.determiners:
        first -= 1
    is_inside = first > 1 and owner[first - 2] >= 0 and not any(reading.gaps[first - 1 : first + 1])
    return first - 2 if is_inside and reading.words[first - 1] in _WORDS.inside else place


def _refused_before(reading: Reading, owner: Sequence[int], position: int) -> int:
    """The last token of a name refused before: "tequila gives me hives, a sour without it"."""
    for place in range(position - 1, -1, -1):
        ends = owner[place] >= 0 and owner[place + 1] != owner[place]
        if ends and is_refused_after(reading, owner, place):
            return place
    return -1


def _object_before(reading: Reading, owner: Sequence[int], verb: int) -> int:
    """ "King I can't stand, ...": the last token of the name that the clause is about, else -1."""
    place = verb - 1
    if place < 1 or reading.words[place] not in _WORDS.subjects or reading.gaps[place]:
        return -1
    if reading.words[place - 1] in _GRAMMAR.relatives | _WORDS.but and not reading.gaps[place - 1]:
        place -= 1
    return place - 1 if place and owner[place - 1] >= 0 else -1
