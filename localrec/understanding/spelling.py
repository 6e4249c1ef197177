"""Mends misspelt words of a question: the nearest name within one or two slips of the finger.

A word that is a name, everyday English or one of eighty thousand English words is never mended, so
that "gin" does not become "ginger". A word that only titles of items hold is further away than a
name or an everyday word: "musicle" is a musical, though some title may hold "muscle".
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from functools import cached_property, lru_cache

from localrec.foundation.text_matching import Token, roots, singular
from localrec.understanding.language_words import english

_VOWELS = frozenset("aeiouyhw")
_ONLY_IN_TITLES = 0.9  # of a slip
_OTHER_BEGINNING = 0.5


class SpellingCorrector:
    """Read the words of one domain's questions as they were meant.

    Args:
        names: Words of attributes' names -> names that hold them.
        titles: Words of items' names -> names that hold them.
        parts: Words by which longer names may be called.
        plain: Everyday words.
        compounds: One word -> the names that it stands for together.
    """

    def __init__(
        self,
        names: Mapping[str, int],
        titles: Mapping[str, int],
        parts: Collection[str],
        plain: Collection[str],
        compounds: Mapping[str, tuple[str, ...]],
    ) -> None:
        self._names, self._titles, self._parts = names, titles, parts
        self._plain, self._compounds = plain, compounds

    @cached_property
    def _spellings(self) -> list[str]:
        return sorted({*self._names, *self._titles, *self._plain, *self._parts})

    def respell(self, token: Token) -> tuple[str, ...]:
        """The roots that a word stands for: mostly itself."""
        root = token.root
        if (names := self._compounds.get(token.word) or self._compounds.get(root)) is not None:
            return tuple(part for name in names for part in roots(name))
        if (meant := english().slang.get(token.word)) is not None:
            return (meant,)
        if self._is_known(token):
            return (root,)
        for ending, rest in (("s", ()), ("less", ("less",))):  # "daiquiris", "creamless"
            stem = token.word.removesuffix(ending)
            if stem != token.word and (stem in self._names or stem in self._titles):
                return (stem, *rest)
        for place in range(3, len(root) - 2):  # "limejuice"
            left, right = singular(root[:place]), singular(root[place:])
            if left in self._names and right in self._names:
                return (left, right)
        if len(token.word) == 3:
            return (self._sounds_like(token.word) or root,)
        return (self._nearest(root if len(root) > 3 else token.word) or root,)

    def _is_known(self, token: Token) -> bool:
        return (
            token.root in self._names
            or token.root in self._titles
            or token.root in self._parts
            or token.word in self._plain
            or token.root in self._plain
            or token.word[0].isdigit()
            or len(token.word) < 3
            or token.word in english_words()
        )

    def _nearest(self, root: str) -> str | None:
        from rapidfuzz import process  # 15 ms to import, only paid for a word nobody knows
        from rapidfuzz.distance import OSA

        slips = 1 if len(root) < 7 else 2
        near = process.extract(
            root, self._spellings, scorer=OSA.distance, score_cutoff=slips, limit=24
        )
        usable = [
            (self._cost(root, word, distance), word not in self._names, -self._uses(word), word)
            for word, distance, _ in near
            if len(word) >= 3
            and (word[0] == root[0] or (distance == 1 and len(root) >= 5))
            and (distance == 1 or len(word) >= 7)
        ]
        return min(usable)[-1] if usable else self._sounds_like(root)

    def _cost(self, root: str, word: str, distance: float) -> float:
        told = word in self._names or word in self._plain or word in self._parts
        far = _OTHER_BEGINNING if word[0] != root[0] else 0.0
        return distance + far + (0.0 if told else _ONLY_IN_TITLES)

    def _sounds_like(self, root: str) -> str | None:
        """The name with the same consonants, at most half its letters away: "tekila", "jin"."""
        from rapidfuzz.distance import OSA

        alike = [
            (OSA.distance(root, word), -self._uses(word), word)
            for word in self._by_sound.get(_sound(root), ())
            if (word[0] in _VOWELS) == (root[0] in _VOWELS)
        ]
        near = [one for one in alike if one[0] <= max(1, len(root) // 2)]
        return min(near)[-1] if near else None

    @cached_property
    def _by_sound(self) -> dict[str, list[str]]:
        by_sound: dict[str, list[str]] = {}
        for word in {*self._names, *self._titles}:
            sound = _sound(word)
            if len(sound) > 1:  # one consonant is no likeness
                by_sound.setdefault(sound, []).append(word)
        return by_sound

    def _uses(self, word: str) -> int:
        return self._names.get(word, 0) + self._titles.get(word, 0)


@lru_cache
def english_words() -> frozenset[str]:
    """Eighty thousand English words: none of them is a typo (25 ms, for a word nobody knows)."""
    from importlib.resources import files

    listed = files("symspellpy") / "frequency_dictionary_en_82_765.txt"
    return frozenset(
        line.split(" ", 1)[0] for line in listed.read_text(encoding="utf-8-sig").splitlines()
    )


def _sound(word: str) -> str:
    """Return a phonetic key: the consonants of a word, doubled and silent ones once."""
    word = re.sub(r"g(?=[eiy])|dg", "j", word.replace("ph", "f"))
    word = re.sub(r"c(?=[eiy])|z", "s", word)
    word = re.sub(r"[cq]|ck", "k", word)
    return re.sub(r"(.)\1+", r"\1", re.sub(r"[aeiouyhw]", "", word))
