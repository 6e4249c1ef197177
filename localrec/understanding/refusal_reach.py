"""How far a refusal reaches: "no rum, gin or cream but lime".

It goes over a list and its joining words, into a clause behind a general noun ("no game where
players are knocked out"), and stops at words that begin a new wish.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from localrec.understanding.language_words import english, phrase_length, phrases_by_first_word
from localrec.understanding.vocabulary import Reading

_GRAMMAR, _WORDS = english().grammar, english().negation
_SAYING_SO = phrases_by_first_word(_WORDS.saying_so)
_BEING = english().trailing_refusals.being
_GENERAL = english().trailing_refusals.general_nouns | _GRAMMAR.anything
_JOINS = _GRAMMAR.conjunctions | _GRAMMAR.disjunctions
_JOINED = 5  # words that may stand between an "or" and the name that it joins to a refusal


def reached_tokens(
    reading: Reading,
    owner: Sequence[int],
    start: int,
    looks_back: bool,
    taken: Collection[int],
) -> list[tuple[int, bool]]:
    """List the tokens of mentions that a negation bars, each with whether only too much is barred.

    Args:
        reading: The question.
        owner: For each token the number of the mention it belongs to, -1 for none.
        start: The first token behind the negation.
        looks_back: Whether it is said of the name in front of it, and reaches the next mark only.
        taken: Places of words that say something else ("not more than seven").
    """
    reached: list[tuple[int, bool]] = []
    position, mild = _past_lead_in(reading, owner, start)
    if mild and _is_of_an_adjective(reading, owner, position):
        return reached
    bridged = 0
    joined = -_JOINED
    bounded = False  # it reached a bound ("not from 2014: a farming game")
    in_clause = False  # "no game where players are knocked out": of what the game is like
    while position < len(reading.words):
        gap, word = reading.gaps[position], reading.words[position]
        if (gap == "." and position > start) or (gap and looks_back):
            break
        if reached and (length := phrase_length(_SAYING_SO, reading.words, position)):
            position += length  # "no anise, by which I mean absinthe or pastis"
            continue
        if gap == "," and (bounded or _ends_at_comma(reading, owner, position, reached, bridged)):
            break
        joined = position if word in _GRAMMAR.disjunctions else joined
        if owner[position] >= 0:
            if mild and reached and not gap and _is_next_name(owner, position):
                break  # "a not too sweet gin drink"
            reached.append((position, mild))
        elif position in taken:
            bounded = True
        elif joined == position and _joins_otherwise(reading, position):
            break  # "skip Jack Reacher, or else Harlan Coben"
        elif (reached and position - joined < _JOINED and word in _WORDS.of_that) or (
            word in _GRAMMAR.accompanied and _tells_of_itself(reading.words[position - 1])
        ):
            pass  # "nothing with lemon or any of that citrus", "I hate the stuff with gin"
        elif not reached and _begins_clause(reading, owner, position, start):
            in_clause = True
        elif in_clause and not reached and bridged < 4 and _is_verb(reading, position):
            bridged += 1
        elif bridged >= 4 or _ends_here(reading, owner, position, reached, joined):
            break
        else:
            bridged += 1
        position += 1
    return reached


def _is_of_an_adjective(reading: Reading, owner: Sequence[int], position: int) -> bool:
    """ "a not so dry riesling": what nobody wants too much of stands before the name."""
    named = position + 1
    is_before = named < len(owner) and owner[named] >= 0 and not reading.gaps[named]
    return is_before and owner[position] < 0 and reading.words[position - 1] in _WORDS.too_much


def _ends_at_comma(
    reading: Reading,
    owner: Sequence[int],
    position: int,
    reached: Sequence[tuple[int, bool]],
    bridged: int,
) -> bool:
    """ "hates being watched, a bluffing game": behind the comma no list of refusals goes on."""
    return not _list_goes_on(reading, owner, position) if reached else bridged > 0


def _ends_here(
    reading: Reading,
    owner: Sequence[int],
    position: int,
    reached: Sequence[tuple[int, bool]],
    joined: int,
) -> bool:
    """Whether a word that is no name ends the reach; `joined` is the place of the last "or"."""
    if _ends(reading, owner, position, _has_name(owner, reached)):
        return True
    is_far = bool(reached) and position - joined >= _JOINED
    return is_far and not _goes_on(reading, owner, position, reached)


def _joins_otherwise(reading: Reading, position: int) -> bool:
    return not _WORDS.otherwise_joined.isdisjoint(reading.words[position + 1 : position + 2])


def _is_next_name(owner: Sequence[int], position: int) -> bool:
    """Whether a name begins here right behind another one."""
    return owner[position - 1] >= 0 and owner[position - 1] != owner[position]


def _is_verb(reading: Reading, position: int) -> bool:
    """Whether a word of a clause says what the things do: "no games that have dice"."""
    word, before = reading.words[position], reading.words[position - 1]
    if before in _WORDS.whatever or reading.words[position - 2] in _WORDS.whatever:
        return True  # "apart from what he made for children"
    return word in _BEING or (before in _GRAMMAR.relatives and word in _WORDS.having_verbs)


def _begins_clause(reading: Reading, owner: Sequence[int], position: int, start: int) -> bool:
    """ "no game where players are knocked out", "no games that have dice", "save what he did"."""
    word, before = reading.words[position], reading.words[position - 1]
    if position == start and word in _WORDS.whatever:
        return not _WORDS.subjects.isdisjoint(reading.words[position + 1 : position + 2])
    if before not in _GENERAL or position + 1 >= len(owner):
        return False
    following = reading.words[position + 1]
    has = owner[position + 1] >= 0 or following in _WORDS.having_verbs or following in _BEING
    return word in _WORDS.where or (word in _GRAMMAR.relatives and has)


def _has_name(owner: Sequence[int], reached: Sequence[tuple[int, bool]]) -> bool:
    """Whether something that is named was reached, not only words to look for in texts."""
    return any(owner[place] < len(owner) for place, _ in reached)


def _goes_on(
    reading: Reading, owner: Sequence[int], position: int, reached: Sequence[tuple[int, bool]]
) -> bool:
    """Whether a word behind what is refused joins more to it ("no manga by Akira Toriyama")."""
    if reading.words[position] in _WORDS.list_words:
        return True
    if reading.words[position - 1] in _JOINS and reading.words[position] in _GRAMMAR.origins:
        return True  # "free of egg and of pistachio"
    return not _has_name(owner, reached) and _leads_to_name(reading, owner, position)


def _tells_of_itself(word: str) -> bool:
    return word in _GENERAL or word.endswith("ed")


def _past_lead_in(reading: Reading, owner: Sequence[int], start: int) -> tuple[int, bool]:
    """The first token that does not lead to what is refused, and whether only too much of it is."""
    position, mild = start, False
    while (
        position < len(reading.words)
        and owner[position] < 0
        and (reading.words[position] in _WORDS.lead_in or _leads_to_name(reading, owner, position))
        and reading.gaps[position] != "."
        and not (position > start and _turns(reading, position))
    ):
        mild = mild or _is_too_much(reading, position)
        position += 1
    return position, mild


def _is_too_much(reading: Reading, position: int) -> bool:
    """ "not too sweet", "not so dry", but not "not so keen on rum"."""
    is_of_liking = not _WORDS.lead_in.isdisjoint(reading.words[position + 1 : position + 2])
    is_so = reading.words[position] in _WORDS.so
    return reading.words[position] in _WORDS.too_much and not (is_so and is_of_liking)


def _turns(reading: Reading, position: int) -> bool:
    """ "I quit rum, so something fruity": behind a comma a wish begins."""
    word = reading.words[position]
    is_wish = word in _WORDS.ends and word not in _GRAMMAR.comparisons | _GRAMMAR.relatives
    return reading.gaps[position] == "," and is_wish


def _ends(reading: Reading, owner: Sequence[int], position: int, has_reached: bool) -> bool:
    word, before = reading.words[position], reading.words[position - 1]
    if has_reached and word in _WORDS.prepositions:
        return before not in _JOINS  # "anything but Cabernet from Coonawarra"
    if word in _WORDS.anything and not reading.gaps[position]:
        return has_reached  # "don't want to watch anything about horror"
    return word in _WORDS.ends and not _leads_to_name(reading, owner, position)


def _leads_to_name(reading: Reading, owner: Sequence[int], position: int) -> bool:
    """ "not one by X", "nothing for children": the word leads to the name that is refused."""
    if reading.words[position] not in _WORDS.leading:
        return False
    following = position + 1
    while following < len(reading.words) and _is_passed_over(reading.words, following):
        if reading.gaps[following]:
            return False
        following += 1
    return following < len(reading.words) and owner[following] >= 0 and not reading.gaps[following]


def _is_passed_over(words: Sequence[str], place: int) -> bool:
    """Whether a word may stand between a preposition and the name ("for anything with a rum")."""
    if words[place - 1] in _GRAMMAR.anything and words[place] in _WORDS.about:
        return True
    return words[place] in _GRAMMAR.determiners or words[place] in _WORDS.passed_over


def _list_goes_on(reading: Reading, owner: Sequence[int], position: int) -> bool:
    """After a comma inside a negation: does a pure list with an "or" (or "nor", "and") follow?"""
    while position < len(reading.words):
        word = reading.words[position]
        is_and = word in _GRAMMAR.conjunctions
        if word in _GRAMMAR.disjunctions or (is_and and owner[position] < 0):
            turns = reading.words[position + 1 : position + 2] if is_and else ()
            return position + 1 < len(reading.words) and _WORDS.prepositions.isdisjoint(turns)
        if owner[position] < 0 and word not in _WORDS.list_words:
            return False
        position += 1
        if position < len(reading.words) and reading.gaps[position] == ".":
            return False
    return False
