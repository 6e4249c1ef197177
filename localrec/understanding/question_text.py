"""A question's text: slips of writing that no word shows alone, and what is left without refusals.

Slips are mended before anything is read. What is written anew is as long as before, so that places
in the text stay.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from localrec.understanding.language_words import any_of, english
from localrec.understanding.vocabulary import Reading

_SHORT = 4  # letters of words that alone tell no wish
_WORDS = english().slips
_FORM = re.compile(rf"(?i)\b{_WORDS.form}(?=\s+(?:{any_of(english().grammar.articles)}\s|\d))")
_THEN = re.compile(rf"(?i)\b({any_of(_WORDS.comparatives)}\s+){_WORDS.then}\b")
# "There must be one from Porto, no?": a tag refuses nothing.
_TAG = re.compile(rf"(?i),\s*{any_of(_WORDS.tags)}\s*\?(?=\s*$|\s+(?-i:[A-Z]))")
# Dictated: "something tall comma no gin period".
_COMMA = re.compile(rf"\s+{any_of(_WORDS.comma)}(?=\s+\w)")
_STOP = re.compile(rf"\s+{any_of(_WORDS.stops)}\s*$")
_UNEQUAL = re.compile(r"(?<=\s)!=(?=\s)")  # "country != US"


def normalise_question(text: str) -> str:
    """Write a question as it was meant.

    Example:
        `normalise_question("no more then 15 dollars")` is "no more than 15 dollars".
    """
    text = _FORM.sub(_WORDS.form_meant, text)
    text = _UNEQUAL.sub(_WORDS.unequal, _THEN.sub(rf"\1{english().amounts.than}", text))
    if _COMMA.search(text):  # else it may be a title, "Blue Period"
        text = _COMMA.sub(lambda spoken: ",".ljust(len(spoken[0])), text)
        text = _STOP.sub(lambda spoken: ".".ljust(len(spoken[0])), text)
    return _TAG.sub(lambda tag: f"{' ' * (len(tag[0]) - 1)}?", text)


def without_refusals(
    text: str,
    reading: Reading,
    owner: Sequence[int],
    excluded: Sequence[bool],
    refusing: Collection[int],
) -> str:
    """Cut what a question refuses: vectors do not hear a "no", and bring near what is barred.

    Args:
        text: The question.
        reading: The same, in words.
        owner: For each token the number of the name that it belongs to, -1 for none.
        excluded: For each token whether it is refused.
        refusing: Places of words that refuse something.

    Returns:
        What is left; "" where nothing is refused, or nothing is left that tells a wish.
    """
    refused = {place for place, mine in enumerate(owner) if mine >= 0 and excluded[place]}
    left = {place for place in range(len(owner)) if place not in refused and place not in refusing}
    if not refused or not any(owner[place] >= 0 or not _is_short(reading, place) for place in left):
        return ""
    letters = list(text)
    for place in refused | {*refusing}:
        token = reading.tokens[place]
        letters[token.start : token.end] = " " * (token.end - token.start)
    return " ".join("".join(letters).split()).strip(" ,;")


def _is_short(reading: Reading, place: int) -> bool:
    return len(reading.words[place]) <= _SHORT
