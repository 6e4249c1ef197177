"""Which words of a question are unwanted: "no rum, gin or cream but lime", "egg-free".

A negation reaches over a list ("without gin, rum or cream") and stops at words that begin a new
wish ("but", "with", "something"). What it must not do is as important: "not sure", "don't mind".
"""

from __future__ import annotations

from collections.abc import Sequence

from localrec.understanding.negation_phrases import (
    HARMLESS_AFTER_NOT,
    REFUSALS,
    REFUSING_BRACKETS,
    REFUSING_WORDS,
    SCOPE_ENDS,
)
from localrec.understanding.vocabulary import CuesByFirstWord, Reading

_LEAD_IN = frozenset(
    "like want wants have has having contain contains containing with too very use using drink "
    "drinking need be any a an the that much many of it is to really into keen on made in served "
    "add added overly super as taste tasting do eat touch include my fan really quite so anything "
    "something involving some actually necessarily especially ever even usually personally "
    "particularly exactly truly".split()
)
_LIST_WORDS = frozenset(
    "and or nor to from any a an the no also even your my other some nor".split()
)
_AFTER = frozenset(
    "free less allergy allergic allergies intolerance intolerant sensitivity".split()
)
_LESS_NOUNS = frozenset("treat drink drinks cocktail version one please in".split())
_ALL_BUT = frozenset("anything everything all anyone nothing".split())
_NOBODY = {"nobody", "noone", "none"}
_LIKES = frozenset("stand likes like wants want drinks drink enjoys eats touches".split())


def negated_tokens(
    reading: Reading, owner: Sequence[int], cues: CuesByFirstWord
) -> tuple[list[bool], list[bool]]:
    """For each token: is it unwanted, and is it only too much of it that is unwanted ("not too").

    Args:
        reading: The question.
        owner: For each token the number of the mention it belongs to, -1 for none.
        cues: Phrases before what is not wanted.
    """
    barred = [False] * len(reading.words)
    mildly = [False] * len(reading.words)
    position = 0
    while position < len(reading.words):
        length = _cue_at(reading, owner, position, cues)
        if not length:
            position += 1
            continue
        start = position + length
        for reached, mild in _reach(reading, owner, start):
            barred[reached] = True
            mildly[reached] = mild
        position = start
    for position in range(len(reading.words)):
        ends = position + 1 == len(owner) or owner[position + 1] != owner[position]
        if owner[position] >= 0 and ends and _is_refused(reading, owner, position):
            _bar_back(reading, owner, position, barred)
    return barred, mildly


def _cue_at(reading: Reading, owner: Sequence[int], position: int, cues: CuesByFirstWord) -> int:
    words, gaps = reading.words, reading.gaps
    if owner[position] >= 0:
        return 0
    for cue in cues.get(words[position], ()):
        end = position + len(cue)
        if tuple(words[position:end]) != cue:
            continue
        if len(cue) == 1 and cue[0] in REFUSING_WORDS and end < len(words) and gaps[end]:
            return 0  # "egg no, dairy no": it stands behind what it refuses
        following = words[end] if end < len(words) else ""
        if cue[-1] in ("not", "dont", "no", "doesnt", "never") and following in HARMLESS_AFTER_NOT:
            return 0
        if cue == ("nothing",) and following == "but":
            return 0
        return len(cue)
    if words[position] in _LIKES and _NOBODY & set(words[max(0, position - 6) : position]):
        return 1
    if words[position] == "than" and "rather" in words[max(0, position - 6) : position]:
        return 1  # "I'd rather have rum than bourbon"
    if words[position] == "but" and position and words[position - 1] in _ALL_BUT:
        return 1
    return 0


def _reach(reading: Reading, owner: Sequence[int], start: int) -> list[tuple[int, bool]]:
    """Tokens of mentions that a negation ending before `start` bars, with mildness."""
    reached: list[tuple[int, bool]] = []
    mild = False
    position = start
    while (
        position < len(reading.words)
        and owner[position] < 0
        and reading.words[position] in _LEAD_IN
        and reading.gaps[position] != "."
    ):
        mild = mild or reading.words[position] in ("too", "overly", "super", "very")
        position += 1
    bridged = 0
    while position < len(reading.words):
        gap = reading.gaps[position]
        if gap == "." and position > start:
            break
        if gap == "," and reached and not _list_goes_on(reading, owner, position):
            break
        word = reading.words[position]
        if owner[position] >= 0:
            reached.append((position, mild))
        elif (reached and word not in _LIST_WORDS) or word in SCOPE_ENDS or bridged >= 4:
            break
        else:
            bridged += 1
        position += 1
    return reached


def _list_goes_on(reading: Reading, owner: Sequence[int], position: int) -> bool:
    """After a comma inside a negation: does a pure list with an "or" (or "nor", "and") follow?"""
    while position < len(reading.words):
        word = reading.words[position]
        if word in ("or", "nor") or (word == "and" and owner[position] < 0):
            return position + 1 < len(reading.words)
        if owner[position] < 0 and word not in _LIST_WORDS:
            return False
        position += 1
        if position < len(reading.words) and reading.gaps[position] == ".":
            return False
    return False


def _is_refused(reading: Reading, owner: Sequence[int], last: int) -> bool:
    """Does what follows the name that ends at `last` say that it is not wanted?"""
    words, gaps = reading.words, reading.gaps
    following = words[last + 1 : last + 8]
    if not following:
        return False
    pauses = last + 2 >= len(words) or bool(gaps[last + 2])
    if following[0] in REFUSING_WORDS and pauses:
        return True  # "alcohol no", "rum? never."
    if gaps[last + 1] == ".":
        return False
    if following[0] == "less":  # "keep it vodka-less", but not "its less lethal cousin"
        return pauses or following[1] in _LESS_NOUNS
    if following[0] in _AFTER:
        about_the_next = following[0] == "free" and following[1:2] in (("of",), ("from",))
        return not (about_the_next or gaps[last + 1])
    if following[0] == "however":
        following = following[1:]
    if any(following[: len(phrase)] == phrase for phrase in REFUSALS):
        return True
    if following[:2] in (("is", "not"), ("are", "not")) and last + 3 >= len(words):
        return True  # "gin is fine, vodka is not"
    before = [word for word in words[max(0, last - 5) : last] if word in REFUSING_BRACKETS]
    return any(REFUSING_BRACKETS[word] & set(following[:2]) for word in before)


def _bar_back(reading: Reading, owner: Sequence[int], last: int, barred: list[bool]) -> None:
    """Bar the name that ends at `last` and those listed with it before ("nut, egg and dairy free").

    A comma alone joins nothing ("coconut, rum-free"); before an "and" or "or" it does.
    """
    position, joined = last, False
    while True:
        mention = owner[position]
        while position >= 0 and owner[position] == mention:
            barred[position] = True
            position -= 1
        if position >= 0 and owner[position] < 0 and reading.words[position] in ("and", "or"):
            position, joined = position - 1, True
        elif not (joined and reading.gaps[position + 1] == ","):
            return
        if position < 0 or owner[position] < 0:
            return
