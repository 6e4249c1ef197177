"""Names of several words by a part of them: "Christie", "Dorothy Sayers", "pinot", "Will Trent".

People seldom write a name out. Two or more of its words in their order mean it; one word means it
where it tells enough: a maker's surname that is no everyday word, or a word that is not English.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from localrec.data.domains import Domain
from localrec.foundation.text_matching import roots
from localrec.understanding.meanings import Meaning
from localrec.understanding.spelling import english_words, is_everyday, word_rank

_MOST = 40  # names that share a word; a word of more says nothing
_MOST_BY_WORDS = 6  # names that share several words
_MOST_OF_A_SURNAME = 12  # makers who share one that stands alone
_RARE, _MOST_OF_A_LAST_WORD = 20_000, 3  # rank of a word, and names, that it calls by their end
_LONGEST = 5  # words of a part


class LongName(msgspec.Struct, frozen=True):
    """A name of several words, and what it means."""

    words: tuple[str, ...]
    meaning: Meaning


class PartialNames:
    """The names of one catalogue that may be called by a part of them.

    Args:
        domain: A taxonomy's own names say what they mean, but for words that are not English.
        is_plain: Whether a word is an everyday one.
        is_usable: Whether any item has what a name means.
    """

    def __init__(
        self,
        domain: Domain,
        is_plain: Callable[[str], bool],
        is_usable: Callable[[Meaning], bool],
    ) -> None:
        self._domain, self._is_plain, self._is_usable = domain, is_plain, is_usable
        self.words: dict[str, list[LongName]] = {}
        self.callable: set[str] = set()  # words by which one alone may call a name

    def add(self, spelling: str, meaning: Meaning) -> None:
        """Enter a name; one of a single word has no parts."""
        words = roots(spelling)
        if len(words) < 2:
            return
        parts = set(words)
        if len(words[0]) < 4:
            parts.add(words[0] + words[1])  # "co-operative"
        if taxonomy := self._domain.taxonomy.get(meaning.kind):
            begins = _is_strange(words[0]) and words[0] not in taxonomy
            begins = begins and meaning.role in ("component", "category")
            parts = {words[0]} if begins else set()  # "bossa", but no "whiskey"
        one = LongName(words, meaning)
        for word in parts:
            known = self.words.setdefault(word, [])
            if one not in known:
                known.append(one)
        self.callable.update(parts & {*words[-1:]} if meaning.role == "creator" else parts)

    def meant_by(self, words: Sequence[str], first: int, end: int) -> tuple[int, list[Meaning]]:
        """The end of the longest part of a name that begins at `first`, and what it may mean.

        Only parts of two words and more are looked for, at least one of them no everyday word.
        """
        if words[first] not in self.words or len(words[first]) < 2:
            return first, []
        found = self.words[words[first]]
        best: tuple[int, list[LongName]] = (first, [])
        for last in range(first + 1, min(end, first + _LONGEST)):
            found = [one for one in found if _holds(one.words, words[first : last + 1])]
            if not found:
                break
            if len(found) <= _MOST_BY_WORDS:
                best = (last + 1, found)
        last, named = best
        part = words[first:last]
        telling = [one for one in part if len(one) > 2 and not self._is_common(one)]
        if not telling or any(map(self._is_plain, (*part[:1], *part[-1:]))):
            return first, []
        meanings = [one.meaning for one in named if self._is_usable(one.meaning)]
        kinds = list(dict.fromkeys(one.kind for one in meanings))
        return last, [one for one in dict.fromkeys(meanings) if one.kind == kinds[0]]

    def _is_common(self, word: str) -> bool:
        return self._is_plain(word) or is_everyday(word)

    def called(
        self, root: str, *, by: bool, shown: bool = False, refused: bool = False
    ) -> list[Meaning]:
        """The names of several words that one word is part of, of one kind that items have.

        Components are called by any telling word ("pinot", "red"), makers by a surname that is no
        everyday word, other names by one that is no English word ("Saramago").

        Args:
            root: The word.
            by: It stands behind "by" and the like: makers are called by any of their words.
            shown: It is shown to be a name, by a capital inside a sentence.
            refused: So it is, and a refusal stands before it ("minus Sandman"): English or not, it
                means whatever is called so.
        """
        told = self.words.get(root, ())
        if not told or len(root) < 3 or self._is_plain(root):
            return []
        strange = _is_strange(root)
        surname = len(root) > 3 and not is_everyday(root)
        rare = surname and word_rank(root) > _RARE and len(told) <= _MOST_OF_A_LAST_WORD
        found = []
        last_names = []
        called_by_end = []  # "no Poirot"
        for one in told:
            if not self._is_usable(one.meaning):
                continue
            is_maker = one.meaning.role == "creator"
            ends = is_maker and one.words[-1] == root
            if ends and (surname or strange or shown or by):
                last_names.append(one.meaning)
            named = (by if is_maker else strange or refused) or one.meaning.role == "component"
            if rare and one.words[-1] == root and not is_maker:
                called_by_end.append(one.meaning)
            if named:
                found.append(one.meaning)
        if not shown and len(last_names) > _MOST_OF_A_SURNAME:
            last_names = []  # "photos of vineyards", where forty wineries are called so
        makers = {one.key for one in last_names}
        others = [one for one in found if one.role != "creator" and one.key not in makers]
        if last_names and (by or not others):
            found = last_names  # "beatles": the band, not the album that is called so too
        found = found or called_by_end
        kinds = list(dict.fromkeys(one.kind for one in found))
        kept = [one for one in dict.fromkeys(found) if one.kind == kinds[0]] if kinds else []
        return kept if len(kept) <= _MOST else kept[:_MOST]


def _is_strange(word: str) -> bool:
    """Whether a word is long enough to tell something, and not English."""
    return len(word) > 3 and word not in english_words()


def _holds(name: Sequence[str], part: Sequence[str]) -> bool:
    """Whether a name has all words of a part, in that order."""
    rest = iter(name)
    return all(any(word == other for other in rest) for word in part)
