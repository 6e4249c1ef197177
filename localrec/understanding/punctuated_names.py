"""Marks between words, and names that hold some themselves ("Alien: Covenant", "Murder/Mystery").

A mark ends a clause, and no name reaches over it. Where a question writes out a name of the
catalogue with that name's own marks, they part nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from localrec.foundation.text_matching import PhraseMatch, PhraseTable, Token, tokens
from localrec.understanding.language_words import english
from localrec.understanding.meanings import Meaning, Named

_LONGEST = 12  # words of a name before its mark


def marks_between(text: str, found: Sequence[Token]) -> tuple[str, ...]:
    """For each token the strongest mark between the one before and it: "", "," or "."."""
    return tuple(
        _mark(text[found[place - 1].end : token.start], found[place - 1], token) if place else ""
        for place, token in enumerate(found)
    )


def _mark(between: str, before: Token, following: Token) -> str:
    if between.strip() == ".":
        short = before.word in english().mention.abbreviations or len(before.word) == 1
        if following.word[0].isdigit() or short:
            return ""  # "Corpse Reviver No. 2", "P.D. James", "St. Germain"
    if any(mark in between for mark in ".!?;()\n—–") or " - " in between:
        return "."
    return "," if any(mark in between for mark in ",/:") else ""


class PunctuatedNames:
    """Knows which marks of a question belong to a name that it writes out.

    Args:
        catalogue: The names of items and attributes.
        names: What names mean.
        items: Which items are called so.
        is_plain: Whether a word is everyday English.
    """

    def __init__(
        self,
        catalogue: Named,
        names: PhraseTable[Meaning],
        items: PhraseTable[str],
        is_plain: Callable[[str], bool],
    ) -> None:
        self._catalogue, self._names, self._items = catalogue, names, items
        self._is_plain = is_plain

    def without_own_marks(
        self, words: Sequence[str], gaps: Sequence[str], text: str
    ) -> tuple[str, ...]:
        """The marks between roots, without those that stand inside a name.

        Args:
            words: The roots of a question.
            gaps: For each the mark before it.
            text: The question; a list of two titles is no "One / Other" without a slash in it.
        """
        kept = list(gaps)
        for place in range(1, len(gaps)):
            if kept[place]:
                for inside in self._name_around(words, gaps, place, slashed="/" in text):
                    kept[inside] = ""
        return tuple(kept)

    def _name_around(
        self, words: Sequence[str], gaps: Sequence[str], place: int, *, slashed: bool
    ) -> range:
        """Places inside the longest name that reaches over a mark; none where no name does."""
        for first in range(max(0, place - _LONGEST), place):
            for found in self._items.phrases_at(words, first):
                if found.last > place and self._holds_marks(
                    found, words, gaps, map(self._name_of_item, found.payloads), slashed
                ):
                    return range(first + 1, found.last)
            for named in self._names.phrases_at(words, first):
                if named.last > place and self._holds_marks(
                    named, words, gaps, map(self._name_of_meaning, named.payloads), slashed
                ):
                    return range(first + 1, named.last)
        return range(0)

    def _holds_marks(
        self,
        found: PhraseMatch[str] | PhraseMatch[Meaning],
        words: Sequence[str],
        gaps: Sequence[str],
        names: map[str],
        slashed: bool,
    ) -> bool:
        """Whether one of the names has a mark wherever the question has one inside it."""
        if all(map(self._is_plain, words[found.first : found.last])):
            return False  # "yes, please"
        run = tuple(words[found.first : found.last])
        typed = gaps[found.first + 1 : found.last]
        return any(_agrees(name, run, typed) for name in names if slashed or "/" not in name)

    def _name_of_item(self, key: str) -> str:
        index = self._catalogue.item_index(key)
        return "" if index is None else self._catalogue.names[index]

    def _name_of_meaning(self, meaning: Meaning) -> str:
        index = self._catalogue.attribute_index(meaning.kind, meaning.key)
        return "" if index is None else self._catalogue.attributes[index].name


def _agrees(name: str, run: tuple[str, ...], typed: Sequence[str]) -> bool:
    """Whether a name holds a run of roots, and a mark at each that was typed inside it."""
    found = tokens(name)
    told = tuple(token.root for token in found)
    marks = marks_between(name, found)
    for start in range(len(told) - len(run) + 1):
        if told[start : start + len(run)] == run:
            own = marks[start + 1 : start + len(run)]
            return all(
                not mark or (one and (mark != "." or one == "."))
                for mark, one in zip(typed, own, strict=True)
            )
    return False
