"""Things that a catalogue names by a verb's noun and people by the verb: "where you have to act".

"Acting", "Bluffing" and "Trading" are names; in a clause that tells what one does, "act", "bluff"
and "trade" mean them. Elsewhere such a verb means nothing of the kind ("the last act").
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from localrec.foundation.text_matching import Token
from localrec.understanding.language_words import english

_WORDS = english().clauses
_ENDING = "ing"
_SHORTEST = 3  # letters of a verb


def verbs_of_names(words: Iterable[str]) -> dict[str, str]:
    """Verb -> the name of one word that is its noun: "act" and "acte" -> "acting".

    Args:
        words: The words that are names.
    """
    verbs: dict[str, str] = {}
    for word in sorted(words):
        stem = word.removesuffix(_ENDING)
        if stem == word or len(stem) < _SHORTEST:
            continue
        short = stem[:-1] if stem[-1] == stem[-2] else stem  # "bidding": "bid"
        verbs.update({one: word for one in (short, stem, f"{stem}e")})
    return verbs


def named_by_verbs(found: Sequence[Token], verbs: Mapping[str, str]) -> dict[int, str]:
    """Place -> the name that a verb in a clause of what one does stands for.

    Args:
        found: The words of a question.
        verbs: As `verbs_of_names` gives them.
    """
    words = [token.word for token in found]
    return {
        place: verbs[word]
        for place, word in enumerate(words)
        if word in verbs and _is_done(words, place)
    }


def _is_done(words: Sequence[str], place: int) -> bool:
    """Whether the words before a verb open a clause of what one does."""
    while place and words[place - 1] in _WORDS.helpers:
        place -= 1
    if place and words[place - 1] == "having":
        return place < len(words) and words[place] == "to"
    return place > 1 and words[place - 1] in _WORDS.subjects and words[place - 2] in _WORDS.openers
