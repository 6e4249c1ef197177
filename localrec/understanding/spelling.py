"""Mends misspelt words of a question: the nearest name within one or two slips of the finger.

A word that is a name, everyday English or one of eighty thousand English words is never mended, so
that "gin" does not become "ginger". A word that only titles of items hold is further away than a
name or an everyday word: "musicle" is a musical, though some title may hold "muscle".
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property, lru_cache
from importlib.util import find_spec
from pathlib import Path

from localrec.foundation.text_matching import Token, roots, singular
from localrec.understanding.language_words import english

_VOWELS = frozenset("aeiouyhw")
_ONLY_ENGLISH = 0.3  # of a slip
_ONLY_IN_PARTS = 0.6
_ONLY_IN_TITLES = 0.9
_SAME_LETTERS = 0.2
_OTHER_BEGINNING = 0.5
_MOST_KEPT = 50_000  # words whose spelling is remembered
_ONE_OF_TWO = 0.25  # "baned" is "banned" rather than "band"
_LETTER_TOO_MANY = 0.35  # "gardn" is "garden" rather than "Gard"
_SHORTEST_MENDED = 5  # letters of an everyday word that a name with a capital is a slip of
_SHORTEST_NOUN = 6  # letters
_DRAWN_OUT = re.compile(r"(.)\1+$")
_LONG_NAME = 8  # letters of a name in which two slips may be
_COMMONEST = 150  # of words, which a slip means whatever else is near
_COMMON, _RARER = 700, 20  # "somthing" is "something", and not "soothing", which is rarer by far
_USUAL_RANK = 30_000  # words of English that a slip may be meant as
_EVERYDAY_RANK = 6_000  # the commonest words of English, which name an item only beside a cue


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
        self._respelt: dict[tuple[str, bool], tuple[str, ...]] = {}

    def _near(self, word: str, slips: int) -> list[tuple[str, float]]:
        """Known words within so many slips, with the slips."""
        from rapidfuzz import process  # 15 ms to import, only paid for a word nobody knows
        from rapidfuzz.distance import OSA

        found: list[tuple[str, float]] = []
        for length in range(len(word) - slips, len(word) + slips + 1):
            near = process.extract(
                word,
                self._by_length.get(length, ()),
                scorer=OSA.distance,
                score_cutoff=slips,
                limit=12,
            )
            found += [(known, distance) for known, distance, _ in near]
        return found

    @cached_property
    def _by_length(self) -> dict[int, list[str]]:
        by_length: dict[int, list[str]] = {}
        for word in self._spellings:
            by_length.setdefault(len(word), []).append(word)
        return by_length

    @cached_property
    def _spellings(self) -> list[str]:
        usual = (word for word, rank in english_words().ranks.items() if rank < _USUAL_RANK)
        longer = (word for word in usual if len(word) > 3)
        return sorted({*self._names, *self._titles, *self._plain, *self._parts, *longer})

    def joined(self, text: str, found: Sequence[Token]) -> list[Token]:
        """Join two words that stand for names together when written as one: "rom-com"."""
        joined: list[Token] = []
        for token in found:
            last = joined[-1] if joined else None
            if last is not None and text[last.end : token.start] in (" ", "-"):
                word = last.word + token.word
                if word in self._compounds:
                    joined[-1] = Token(word, singular(word), last.start, token.end)
                    continue
            joined.append(token)
        return joined

    def respell(self, token: Token, *, is_name: bool = False) -> tuple[str, ...]:
        """The roots that a word stands for: mostly itself.

        Args:
            token: The word.
            is_name: Whether a capital inside a sentence shows it to be a name: "Callum" is no slip
                of "calm", though "Riseling" is one of a name.
        """
        known = self._respelt.get((token.word, is_name))
        if known is None:
            known = self._respell(token, is_name)
            if len(self._respelt) < _MOST_KEPT:
                self._respelt[token.word, is_name] = known
        return known

    def _respell(self, token: Token, is_name: bool) -> tuple[str, ...]:
        root = token.root
        if (names := self._compounds.get(token.word) or self._compounds.get(root)) is not None:
            return tuple(part for name in names for part in roots(name))
        is_letter = token.word == "r" and token.word in self._names  # "R&B"
        if not is_letter and (meant := english().slang.get(token.word)) is not None:
            return tuple(meant.split())
        drawn = _DRAWN_OUT.sub(r"\1", token.word)
        if drawn != token.word and not self._is_known(token):
            if (meant := english().slang.get(drawn)) is not None:
                return tuple(meant.split())  # "plsss"
            if drawn in self._plain:
                return (singular(drawn),)  # "sooo", "funnyyy"
        if (kin := self._other_form(root)) is not None:
            return (kin,)
        whole = f"{token.word}g"  # "comin", "drinkin"
        is_long = token.word.endswith("in") and len(token.word) > _SHORTEST_NOUN
        if is_long and whole in self._names and token.word not in self._names:
            return (singular(whole),)  # "fightin", though some dictionary has it
        if self._is_known(token):
            return (root,)
        if token.word.endswith("in") and word_rank(whole) < _USUAL_RANK and len(whole) > 5:
            return (singular(whole),)
        for ending, rest in (("s", ()), ("less", ("less",))):  # "daiquiris", "creamless"
            stem = token.word.removesuffix(ending)
            if stem != token.word and (stem in self._names or stem in self._titles):
                return (stem, *rest)
        if len(token.word) > 3 and (
            near := self._nearest(root if len(root) > 3 else token.word, 1, token.word)
        ):
            return (near,) if not is_name or self._is_named(near) else (root,)
        for place in range(3, len(root) - 2):  # "limejuice"
            left, right = singular(root[:place]), singular(root[place:])
            if left in self._names and right in self._names:
                return (left, right)
        if len(token.word) == 3:
            return (self._swapped(token.word) or self._sounds_like(token.word) or root,)
        near = self._nearest(root if len(root) > 3 else token.word, 2, token.word) or root
        far = is_name and (len(root) < _LONG_NAME or not self._is_named(near))
        return (root if far else near,)

    def _is_named(self, word: str) -> bool:
        if len(word) < _SHORTEST_MENDED and word in self._plain:
            return False  # "Margaret Mahy" is no slip of "may", but "Chrismas" one of "Christmas"
        in_titles = word in self._titles and not is_everyday(word)
        return word in self._names or word in self._parts or in_titles

    def _other_form(self, root: str) -> str | None:
        """The name that is a noun's adjective or written as its plural is."""
        known = root in self._names or root in self._plain or root in self._titles
        if len(root) < _SHORTEST_NOUN or known or root in self._parts:
            return None
        return next((one for one in other_forms(root) if one in self._names), None)

    def unit_meant(self, word: str, units: Collection[str]) -> str | None:
        """The unit that a word behind a number nearly spells: "86 ponts", "20 dolars"."""
        from rapidfuzz.distance import OSA

        if word in english().slips.short_years:
            return english().slips.year  # elsewhere it is "your"
        if word in self._plain or singular(word) in units or len(word) < 4:
            return None
        slips = 1 if len(word) < 7 else 2
        near = [
            (distance, unit)
            for unit in units
            if unit[0] == word[0]
            and (distance := min(OSA.distance(word, unit), OSA.distance(singular(word), unit)))
            <= slips
        ]
        return min(near)[1] if near else None

    def _swapped(self, word: str) -> str | None:
        """ "teh", "adn": an everyday word of three letters with two of them swapped."""
        swaps = (word[1] + word[0] + word[2], word[0] + word[2] + word[1])
        return next((one for one in swaps if one in self._plain), None)

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

    def _nearest(self, root: str, most: int, typed: str = "") -> str | None:
        """The nearest known word by at most so many slips, else one that sounds alike."""
        slips, typed = min(most, 1 if len(root) < 7 else 2), typed or root
        near = [one for form in {root, typed} for one in self._near(form, slips)]
        usable = [
            (
                self._cost(root, word, distance),
                word not in self._names,
                -self._uses(word),
                word_rank(word),
                word,
            )
            for word, distance in near
            if len(word) >= 3
            and (word[0] == root[0] or (distance == 1 and len(root) >= 5))
            and (distance == 1 or len(word) >= 7)
        ]
        if usable:
            cost, *_, word = min(usable)
            word = self._far_commoner([one[-1] for one in usable if one[0] <= cost]) or word
            return word if word in english().years.decades else singular(word)
        return self._sounds_like(root) if most > 1 else None

    def _far_commoner(self, words: Sequence[str]) -> str | None:
        """An everyday word among equally near ones that are all far rarer."""
        first, *rest = sorted(words, key=word_rank)
        if first not in self._plain:
            return None
        if word_rank(first) < _COMMON and all(_is_far_rarer(one, first) for one in rest):
            return first
        names = [one for one in rest if one not in self._plain]  # "hevy": heavy, and not Hely
        strange = all(word_rank(one) > _USUAL_RANK for one in names)
        return first if names and strange and word_rank(first) < _EVERYDAY_RANK else None

    def _cost(self, root: str, word: str, distance: float) -> float:
        """Slips, with a surcharge for words that are seldom meant."""
        far = _OTHER_BEGINNING if word[0] != root[0] else 0.0
        far -= _SAME_LETTERS if sorted(word) == sorted(root) else 0.0  # "frmo"
        if len(word) != len(root) and _singly(word) == _singly(root):
            far -= _ONE_OF_TWO
        elif root.startswith(word) and root[-1] not in _VOWELS:
            far += _LETTER_TOO_MANY
        if word in english().years.decades:  # "ninties" is nearer to "ninety" by its root
            return distance + far - 0.3
        if word in self._plain and word_rank(word) < _COMMONEST:
            return distance + far - 0.1
        if word in self._names or word in self._plain:
            return distance + far
        if word_rank(word) < _USUAL_RANK:
            return distance + far + _ONLY_ENGLISH
        return distance + far + (_ONLY_IN_PARTS if word in self._parts else _ONLY_IN_TITLES)

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


class EnglishWords:
    """Eighty thousand English words, none of them a typo, and how often each is used.

    A question asks for few of them, so the first ones are looked up in the file's bytes; who asks
    for many gets a dictionary, whose making takes as long as sixty such looks.
    """

    LOOKUPS_BEFORE_TABLE = 40

    def __init__(self) -> None:
        self._bytes = _frequency_list().removeprefix(b"\xef\xbb\xbf")
        self._found: dict[str, int | None] = {}

    @cached_property
    def ranks(self) -> dict[str, int]:
        """Every word with its rank, commonest first."""
        lines = self._bytes.decode("utf-8").splitlines()
        return {line.split(" ", 1)[0]: rank for rank, line in enumerate(lines)}

    def usual(self, most: int) -> tuple[str, ...]:
        """List those of the `most` commonest words that have four letters or more, by alphabet."""
        return tuple(
            sorted(word for word, rank in self.ranks.items() if len(word) > 3 and rank < most)
        )

    @cached_property
    def count(self) -> int:
        """Count the words."""
        return len(self.ranks) if "ranks" in self.__dict__ else self._bytes.count(b"\n") + 1

    def __contains__(self, word: str) -> bool:
        return self.rank(word) is not None

    def rank(self, word: str) -> int | None:
        """Rank of a word, 0 for the commonest; None for one that is not listed."""
        if "ranks" in self.__dict__ or len(self._found) >= self.LOOKUPS_BEFORE_TABLE:
            return self.ranks.get(word)
        if word not in self._found:
            self._found[word] = self._look_up(word)
        return self._found[word]

    def _look_up(self, word: str) -> int | None:
        line = b"%b " % word.encode("utf-8", "surrogatepass")
        if not word or " " in word:
            return None
        place = 0 if self._bytes.startswith(line) else self._bytes.find(b"\n" + line) + 1
        if not place and not self._bytes.startswith(line):
            return None
        return self._bytes.count(b"\n", 0, place)


def _frequency_list() -> bytes:
    """Read the list of words that symspellpy brings, without importing the package (30 ms)."""
    found = find_spec("symspellpy")
    folder = Path((found and found.origin) or "").parent
    return (folder / "frequency_dictionary_en_82_765.txt").read_bytes()


@lru_cache
def english_words() -> EnglishWords:
    """Open the list of English words, for a word nobody knows."""
    return EnglishWords()


def word_rank(word: str) -> int:
    """Rank of an English word by how often it is used, 0 for the commonest."""
    rank = english_words().rank(word)
    return english_words().count if rank is None else rank


def is_everyday(word: str) -> bool:
    """Whether a word is so common that alone it hardly names an item or a maker."""
    return word_rank(word) < _EVERYDAY_RANK


def other_forms(root: str) -> tuple[str, ...]:
    """What may be meant by a root: "orchestral" by "orchestra", "zomby", as of "zombies"."""
    if root.endswith("ie"):
        return (f"{root[:-2]}y",)
    if root.endswith("y"):
        return (f"{root[:-1]}ic",)
    nostalgic = (f"{root[:-1]}c",) if root.endswith("ia") else ()
    return (*nostalgic, f"{root}l") if root.endswith("a") else ()


def with_ie(name: str) -> str:
    """A name with the singular of its plurals of words in "ie": "zombie" for "Zombies".

    Plurals in "ies" are read as of words in "y", so that "a zombie game" would have another root.
    """
    return re.sub(r"(?i)\b([a-z]{3,}ie)s\b", _in_singular, name)


def _in_singular(found: re.Match[str]) -> str:
    one = found[1].casefold()
    is_word = english_words().rank(one) is not None
    return found[1] if is_word and word_rank(one) < word_rank(f"{one[:-2]}y") else found[0]


def _is_far_rarer(word: str, other: str) -> bool:
    return word_rank(word) > _RARER * word_rank(other)


def _singly(word: str) -> str:
    """A word with doubled letters once."""
    return re.sub(r"(.)\1+", r"\1", word)


def _sound(word: str) -> str:
    """Return a phonetic key: the consonants of a word, doubled and silent ones once."""
    word = re.sub(r"g(?=[eiy])|dg", "j", word.replace("ph", "f"))
    word = re.sub(r"c(?=[eiy])|z", "s", word)
    word = re.sub(r"[cq]|ck", "k", word)
    return _singly(re.sub(r"[aeiouyhw]", "", word))
