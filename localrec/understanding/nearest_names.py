"""Names that a phrase nearly spells, or holds a part of."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import cached_property

from localrec.foundation.text_matching import PhraseTable, roots
from localrec.understanding.language_words import english
from localrec.understanding.meanings import Meaning, Named

_SQUASHED = 90
_WORTH_TELLING = 70  # percent of letters that agree
_NEARLY_A_NAME = 86
_ALIKE = 55
_LONG_WORD = 6  # letters
_SLIPS_OF_A_CUT = 2
_SLIPS_OF_A_WORD = 2  # beside words of the name that are spelled right
_NEARLY = 84  # percent of letters that agree, as rapidfuzz counts them


class NearestNames:
    """Find names of one catalogue by parts and by spelling.

    Args:
        names: Phrases of attributes.
        items: Phrases of items, each with the keys of the items.
        catalogue: Keys and names of the items.
        is_usable: Whether any item has what a phrase means.
    """

    def __init__(
        self,
        names: PhraseTable[Meaning],
        items: PhraseTable[str],
        catalogue: Named,
        is_usable: Callable[[Meaning], bool],
    ) -> None:
        self._names, self._items = names, items
        self._catalogue, self._is_usable = catalogue, is_usable

    def first_item_with(self, kind: str, keys: Sequence[str]) -> str | None:
        """The oldest item that has one of some attributes: of a series its first volume."""
        found = (self._catalogue.attribute_index(kind, key) for key in keys)
        return self._catalogue.first_item_with([one for one in found if one is not None])

    def item(self, phrase: str) -> str | None:
        """The item whose name is spelled nearly like a phrase, if there is just about one."""
        from rapidfuzz import fuzz, process

        near = process.extractOne(
            phrase, self._item_spellings, scorer=fuzz.ratio, score_cutoff=_NEARLY
        )
        if near is None and len(phrase) > 7 and " " not in phrase:  # "sexonthebeach"
            close = process.extractOne(
                phrase, list(self._squashed_items), scorer=fuzz.ratio, score_cutoff=_SQUASHED
            )
            return self._items.get(self._squashed_items[close[0]])[0] if close else None
        is_one = near is not None and _has_few_slips(phrase, near[0])  # no "Agnes Grey": Zane Grey
        return self._items.get(near[0])[0] if near and is_one else None

    def name(self, phrase: str, keeping: Collection[str] = ()) -> tuple[Meaning, ...]:
        """Find the name that two or three words nearly spell: "patrica cornwall", "coper mug".

        Args:
            phrase: The words.
            keeping: Those of them that are words of the name, as they stand.
        """
        from rapidfuzz import fuzz, process

        near = process.extractOne(
            phrase, self._long_names, scorer=fuzz.ratio, score_cutoff=_NEARLY_A_NAME
        )
        if near is None or not _alike_by_word(phrase, near[0]):
            return ()
        if keeping and not _keeps(phrase.split(), near[0].split(), keeping):
            return ()
        return tuple(filter(self._is_usable, self._names.get(near[0])))

    def names_like(self, words: str, most: int) -> tuple[str, ...]:
        """Names of attributes that are spelled most like some words, nearest first."""
        from rapidfuzz import fuzz, process

        said = " ".join(roots(words))
        near = process.extract(
            said,
            self._spellings,
            scorer=fuzz.ratio,
            score_cutoff=_WORTH_TELLING,
            limit=most + 1,
        )
        return tuple(phrase for phrase, _, _ in near if phrase != said)[:most]

    @cached_property
    def _spellings(self) -> list[str]:
        return self._names.phrases()

    @cached_property
    def _long_names(self) -> list[str]:
        return [phrase for phrase in self._spellings if 1 <= phrase.count(" ") <= 3]

    def items_with(self, words: tuple[str, ...]) -> list[str]:
        """Keys of the items whose names hold all these words, in any order."""
        found: set[int] | None = None
        for word in words:
            mine = self._items_by_word.get(word)
            found = set(mine or ()) if found is None else found & set(mine or ())
            if not found:
                return []
        return [self._catalogue.keys[index] for index in sorted(found or ())]

    @cached_property
    def _items_by_word(self) -> dict[str, list[int]]:
        by_word: dict[str, list[int]] = {}
        for index, name in enumerate(self._catalogue.names):
            for word in set(roots(name)):
                by_word.setdefault(word, []).append(index)
        return by_word

    @cached_property
    def _item_spellings(self) -> list[str]:
        return self._items.phrases()

    @cached_property
    def _squashed_items(self) -> dict[str, str]:
        """The names of items by their spelling without blanks."""
        return {name.replace(" ", ""): name for name in self._item_spellings}


def _keeps(typed: Sequence[str], meant: Sequence[str], keeping: Collection[str]) -> bool:
    """Whether words of a phrase are in the same places of a name, and its others are near."""
    from rapidfuzz.distance import OSA

    if len(typed) != len(meant):
        return False
    return all(
        one == other if one in keeping else OSA.distance(one, other) <= _SLIPS_OF_A_WORD
        for one, other in zip(typed, meant, strict=True)
    )


def _has_few_slips(phrase: str, name: str) -> bool:
    """Whether each of as many words has one slip at most, or two where it is long.

    A word too many is none of a name ("a jazz Christmas song"), unless it was cut in two.
    """
    from rapidfuzz.distance import OSA

    typed, meant = _telling(phrase), _telling(name)
    if len(typed) > len(meant):
        return OSA.distance("".join(typed), "".join(meant)) <= _SLIPS_OF_A_CUT
    return len(typed) < len(meant) or all(
        OSA.distance(one, other) <= (1 if len(other) < _LONG_WORD else 2)
        for one, other in zip(typed, meant, strict=True)
    )


def _telling(phrase: str) -> list[str]:
    """The words of a phrase without articles, and without one that is told twice on end."""
    words = [word for word in phrase.split() if word not in english().grammar.articles]
    return [word for place, word in enumerate(words) if not place or words[place - 1] != word]


def _alike_by_word(phrase: str, name: str) -> bool:
    """Whether two phrases of as many words are alike in each of them."""
    from rapidfuzz import fuzz

    typed, meant = phrase.split(), name.split()
    return len(typed) != len(meant) or all(
        fuzz.ratio(one, other) >= _ALIKE for one, other in zip(typed, meant, strict=True)
    )
