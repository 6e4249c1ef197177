"""Things that a catalogue names by a verb's noun and people by the verb: "where you have to act".

"Acting", "Bluffing" and "Trading" are names; in a clause that tells what one does, "act", "bluff"
and "trade" mean them. Elsewhere such a verb means nothing of the kind ("the last act").
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property

from localrec.foundation.text_matching import PhraseTable, Token
from localrec.understanding.language_words import english
from localrec.understanding.meanings import Meaning
from localrec.understanding.spelling import english_words

_WORDS = english().clauses
_ENDING = "ing"
_SHORTEST = 3  # letters of a verb
_KINDS = frozenset({"category", "component"})  # makers are called Darling and Keating


class ClauseVerbs:
    """The verbs that stand for names of one catalogue.

    Args:
        names: Phrases of attributes.
        is_usable: Whether any item has what a phrase means.
    """

    def __init__(self, names: PhraseTable[Meaning], is_usable: Callable[[Meaning], bool]) -> None:
        self._names, self._is_usable = names, is_usable

    def named(self, found: Sequence[Token]) -> dict[int, str]:
        """Place -> the name that a verb in a clause of what one does stands for.

        Args:
            found: The words of a question.
        """
        words = [token.word for token in found]
        return {
            place: self._verbs[word]
            for place, word in enumerate(words)
            if word in self._verbs and _is_done(words, place)
        }

    @cached_property
    def _verbs(self) -> dict[str, str]:
        return verbs_of_names(
            name
            for name in self._names.phrases()
            if name.endswith(_ENDING)
            and any(one.role in _KINDS and self._is_usable(one) for one in self._names.get(name))
        )


def verbs_of_names(names: Iterable[str]) -> dict[str, str]:
    """Verb -> the name of one word that is its noun: "act" -> "acting", "bid" -> "bidding".

    Args:
        names: Names that some item has.
    """
    verbs: dict[str, str] = {}
    for name in sorted(names):
        stem = name.removesuffix(_ENDING)
        if " " in name or stem == name or len(stem) < _SHORTEST:
            continue
        short = stem[:-1] if stem[-1] == stem[-2] else stem
        forms = (one for one in (short, stem, f"{stem}e") if one in english_words())
        verbs.update(dict.fromkeys(forms, name))
    return verbs


def _is_done(words: Sequence[str], place: int) -> bool:
    """Whether the words before a verb open a clause of what one does."""
    if place + 1 < len(words) and words[place + 1] in _WORDS.other_sense_before:
        return False  # "act as a judge", "fly through it"
    first = place  # of the verb with its helpers
    while first and words[first - 1] in _WORDS.helpers:
        first -= 1
    if first and words[first - 1] in _WORDS.duties:  # "without having to act"
        return words[first] in english().grammar.infinitives
    return first > 1 and words[first - 1] in _WORDS.subjects and words[first - 2] in _WORDS.openers
