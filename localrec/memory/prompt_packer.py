"""Pack curated neighbours as numbered lines of a prompt, within a token budget.

As in MemRec (A.3), an item is described by its shortened memory, and a user by the titles they
liked last: short, and enough to show which items go together. The model may cite the numbers.

If the lines are too long, the longest memories are shortened first, all to the same number of
words; then the lowest-scored neighbours are dropped. Titles are never cut, since half a title may
name another item. All text of catalogues and users is cleaned and cannot end its line or its
quotation marks.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

import msgspec

from localrec.data.arrays import Indexes
from localrec.foundation.text import MAX_NAME, clean_text
from localrec.memory.curation import CuratedNeighbours

TOKEN_BUDGET = 1_800  # the paper's
TITLES = 3  # of a user
_MOST_WORDS = 60  # of an item's memory, where there is room
_LEAST_WORDS = 8
_SENTENCE_END = re.compile(r"[.!?][\"'”’)]?$")

CountTokens = Callable[[str], int]


class PackedNeighbours(msgspec.Struct, frozen=True):
    """Neighbours as text.

    Args:
        text: The lines, numbered from 1; empty where nothing fits.
        places: Row of each line in what was curated: number 1 cites `places[0]`.
        tokens: Tokens of the text, at most the budget.
        left_out: Neighbours that found no room, or had nothing to tell.
    """

    text: str
    places: tuple[int, ...]
    tokens: int
    left_out: int


class _Entry(msgspec.Struct, frozen=True):
    """The text of one line: `memory` may be cut, `lead` may not."""

    place: int
    lead: str
    memory: tuple[str, ...] = ()


class PromptPacker:
    """Write neighbours as lines.

    Args:
        names: Names of all items of the catalogue, untrusted.
        memories: Text of an item's memory by catalogue index, untrusted; an item without one
            appears by its name.
        newest_items: The newest items of a user, newest first, `InteractionMatrix.newest_items`.
        count_tokens: Tokens of a text, `ChatModel.count_tokens`.
    """

    def __init__(
        self,
        names: Sequence[str],
        memories: Mapping[int, str],
        newest_items: Callable[[int, int], Indexes],
        count_tokens: CountTokens,
    ) -> None:
        self._names, self._memories = names, memories
        self._newest_items = newest_items
        self._count_tokens = count_tokens

    def pack(
        self, curated: CuratedNeighbours, token_budget: int = TOKEN_BUDGET
    ) -> PackedNeighbours:
        """Pack as many neighbours, and as much of each memory, as the budget allows."""

        def fit(chosen: Sequence[_Entry], words: int = _LEAST_WORDS) -> bool:
            return self._count_tokens(_text(chosen, words)) <= token_budget

        entries = [entry for entry in map(self._entry, *self._columns(curated)) if entry.lead]
        if not fit(entries):  # whom no shortening makes fit may not push out all others
            entries = [entry for entry in entries if fit([entry])]
        many = _largest(0, len(entries), lambda many: fit(entries[:many]))
        chosen = entries[:many]
        words = _largest(_LEAST_WORDS, _MOST_WORDS, lambda words: fit(chosen, words))
        text = _text(chosen, words)
        return PackedNeighbours(
            text=text,
            places=tuple(entry.place for entry in chosen),
            tokens=self._count_tokens(text) if text else 0,
            left_out=len(curated) - many,
        )

    def _columns(
        self, curated: CuratedNeighbours
    ) -> tuple[Sequence[int], Sequence[bool], Sequence[int]]:
        rows = curated.neighbours
        return range(len(curated)), rows.is_user.tolist(), rows.index.tolist()

    def _entry(self, place: int, is_user: bool, index: int) -> _Entry:
        if is_user:
            titles = [self._title(int(item)) for item in self._newest_items(index, TITLES)]
            told = ", ".join(title for title in titles if title)
            return _Entry(place, f"person who lately liked {told}" if told else "")
        words = tuple(clean_text(self._memories.get(index, "")).split())
        title = self._title(index)
        if not words:
            return _Entry(place, f"item {title}" if title else "")
        return _Entry(place, f"item {title}:" if title else "item:", words)

    def _title(self, item: int) -> str:
        name = clean_text(self._names[item]).replace('"', "'")
        if len(name) > MAX_NAME:  # no importer lets one pass
            name = f"{name[:MAX_NAME]}…"
        return f'"{name}"' if name else ""


def shortened(words: Sequence[str], most: int) -> str:
    """Cut a text to its first words, at the end of a sentence if that keeps half of them.

    A text that is cut elsewhere ends in an ellipsis, and none is cut within quotation marks.
    """
    if len(words) <= most:
        return " ".join(words)
    kept, sentence, open_marks = 0, 0, False
    for count, word in enumerate(words[:most], 1):
        open_marks = _open_behind(word, open_marks)
        if not open_marks:
            kept = count
            sentence = count if _SENTENCE_END.search(word) else sentence
    if 2 * sentence >= most:
        return " ".join(words[:sentence])
    return " ".join([*words[:kept], "…"])


def _open_behind(word: str, open_before: bool) -> bool:
    """Whether a quotation is open behind a word."""
    for letter in word:
        if letter == '"':
            open_before = not open_before
        elif letter in "“”":
            open_before = letter == "“"
    return open_before


def _text(entries: Sequence[_Entry], words: int) -> str:
    lines = (f"{entry.lead} {shortened(entry.memory, words)}".rstrip() for entry in entries)
    return "\n".join(f"{number}. {line}" for number, line in enumerate(lines, 1))


def _largest(least: int, most: int, fits: Callable[[int], bool]) -> int:
    """Find the largest number that fits by bisection; `least` is assumed to fit."""
    if fits(most):
        return most
    while most - least > 1:
        middle = (least + most) // 2
        least, most = (middle, most) if fits(middle) else (least, middle)
    return least
