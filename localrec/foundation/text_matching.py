"""Words and phrases: how text is folded, cut into tokens, and matched against a phrase table.

Used wherever names meet running text: ingest (is "Light Rum" the "light rum" of the taxonomy?),
colours named in an image description, and questions. Matching is on whole tokens, so "gin" is
never found inside "ginger"; plurals are folded, other endings are not ("bitter" is a taste,
"bitters" are a product).
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Generic, TypeVar

import msgspec

Payload = TypeVar("Payload")

# Words of any script; vowel signs of Indic ones and of Thai are no letters for Python.
_TOKEN = re.compile(r"(?:[^\W_]|[\u0900-\u0963\u0966-\u109f\u1780-\u17d3])+(?:[.][0-9]+)?%?")
_LETTERS = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "ı": "i", "æ": "ae", "œ": "oe", "þ": "th"}
)  # that no decomposition makes plain
_APOSTROPHES = str.maketrans("", "", "'’‘`´")
# Words that end in s without being plurals.
_SINGULAR_IN_S = frozenset(
    "bitters schnapps cassis anis pastis molasses swiss curacaos campus christmas mus gas "
    "kansas texas vegas las los des les paris chablis ibis iris oasis bus plus yes "
    "this his was has does is as us its alias rhys james charles calvados".split()
)
_IRREGULAR = {"leaves": "leaf", "halves": "half", "loaves": "loaf", "martinis": "martini"}


class Token(msgspec.Struct, frozen=True):
    """A folded word with its place in the original text, `text[start:end]`."""

    word: str
    root: str  # the word without a plural ending
    start: int
    end: int


class PhraseMatch(msgspec.Struct, Generic[Payload], frozen=True):
    """A phrase found in tokens `first` (inclusive) to `last` (exclusive)."""

    first: int
    last: int
    payloads: tuple[Payload, ...]


@lru_cache(maxsize=65_536)
def singular(word: str) -> str:
    """Strip an English plural ending: "cherries" -> "cherry", "glasses" -> "glass"."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) < 4 or not word.endswith("s") or word in _SINGULAR_IN_S:
        return word
    if word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies"):
        return word[:-3] + "y" if len(word) > 4 else word[:-1]
    if word.endswith("zes") and word[-4] in "aeiou":
        return word[:-1]  # "mazes", but "waltzes"
    if word.endswith(("sses", "shes", "ches", "xes", "zes", "oes")):
        return word[:-2]
    return word[:-1]


def fold(text: str) -> str:
    """Remove case, accents and apostrophes, and write "&" as "and"."""
    text = text.translate(_APOSTROPHES)
    if not text.isascii():
        decomposed = unicodedata.normalize("NFKD", text)
        plain = "".join(mark for mark in decomposed if not unicodedata.combining(mark))
        text = plain.casefold().translate(_LETTERS)
    return text.lower().replace("&", " and ")


def tokens(text: str) -> list[Token]:
    """Cut `text` into folded tokens that remember where they stood."""
    line = fold(text)
    origin: Sequence[int] = range(len(text))
    if len(line) != len(text):  # something vanished or grew: fold mark by mark, keeping count
        pieces = [fold(mark) for mark in text]
        line = "".join(pieces)
        origin = [place for place, piece in enumerate(pieces) for _ in piece]
    return [
        Token(
            word=found.group(),
            root=singular(found.group()),
            start=origin[found.start()],
            end=origin[found.end() - 1] + 1,
        )
        for found in _TOKEN.finditer(line)
    ]


@lru_cache(maxsize=1 << 18)  # every name of a large catalogue, folded once
def roots(text: str) -> tuple[str, ...]:
    """The roots of a text's tokens: the form under which names are compared."""
    return tuple(singular(found) for found in _TOKEN.findall(fold(text)))


class PhraseTable(Generic[Payload]):
    """Phrases, each with one or more payloads, found in running text by longest match.

    Args:
        payloads: The payloads of earlier phrases, by their roots.
        longest: First root -> tokens of its longest phrase.
        words: Root -> phrases that contain it.
    """

    def __init__(
        self,
        payloads: dict[tuple[str, ...], list[Payload]] | None = None,
        longest: dict[str, int] | None = None,
        words: Counter[str] | None = None,
    ) -> None:
        self.payloads = {} if payloads is None else payloads
        self.longest = {} if longest is None else longest
        self.words = Counter() if words is None else words

    def add(self, phrase: str, payload: Payload) -> None:
        """Enter a phrase; entering the same payload twice changes nothing."""
        key = roots(phrase)
        if not key:
            return
        if key not in self.payloads:
            self.words.update(set(key))
        known = self.payloads.setdefault(key, [])
        if payload not in known:
            known.append(payload)
        self.longest[key[0]] = max(len(key), self.longest.get(key[0], 0))

    def get(self, phrase: str) -> tuple[Payload, ...]:
        """The payloads of exactly this phrase."""
        return tuple(self.payloads.get(roots(phrase), ()))

    def longest_at(
        self, words: Sequence[str], first: int, end: int | None = None
    ) -> PhraseMatch[Payload] | None:
        """The longest phrase that begins at token `first` of a list of roots, before `end`."""
        return next(self.phrases_at(words, first, end), None)

    def phrases_at(
        self, words: Sequence[str], first: int, end: int | None = None
    ) -> Iterator[PhraseMatch[Payload]]:
        """Every phrase that begins at token `first`, before `end`, longest first."""
        limit = min(self.longest.get(words[first], 0), (end or len(words)) - first)
        for length in range(limit, 0, -1):
            payloads = self.payloads.get(tuple(words[first : first + length]))
            if payloads:
                yield PhraseMatch(first=first, last=first + length, payloads=tuple(payloads))

    def find(self, words: list[str]) -> Iterator[PhraseMatch[Payload]]:
        """Phrases in a list of roots, left to right, longest first, without overlap."""
        position = 0
        while position < len(words):
            match = self.longest_at(words, position)
            if match is None:
                position += 1
            else:
                yield match
                position = match.last

    def phrases(self) -> list[str]:
        """All phrases, folded."""
        return [" ".join(key) for key in self.payloads]

    def suffix_of(self, words: tuple[str, ...]) -> tuple[Payload, ...]:
        """The payloads of the longest phrase that ends `words` (its head noun)."""
        for first in range(len(words)):
            payloads = self.payloads.get(words[first:])
            if payloads:
                return tuple(payloads)
        return ()


def build_phrase_table(entries: Iterable[tuple[str, Payload]]) -> PhraseTable[Payload]:
    """A phrase table made of (phrase, payload) pairs."""
    table: PhraseTable[Payload] = PhraseTable()
    for phrase, payload in entries:
        table.add(phrase, payload)
    return table
