"""What a person leaves behind in bytes, and a search that finds it in texts and files.

A trace is a key or a text, looked for in each form in which a program writes it: UTF-8, UTF-16
and the two ways JSON escapes it. What is left out: other letter cases, compressed or encrypted
files, and DuckDB's compressed segments (200,000 notes of one column showed not one of their texts
in the file's bytes), which is why the store's values are read by SQL and searched as well.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec
import numpy as np

SHORTEST_KEY = 5  # a shorter key, or one of digits, is part of too many other words
SHORTEST_TEXT = 12  # a shorter note ("Loved it!") may be anybody's
_WINDOW = 8  # bytes of a form that are compared at once
_BLOCK = 4 << 20
_FACTOR = np.uint64(0x9E3779B97F4A7C15)  # spreads windows over the filter (Fibonacci hashing)
_FILTER_BITS = 16


# What stands before and behind a string in quotes, in whatever is written by a program: in pictures
# and models three or four bytes come about by chance, hardly ever between such neighbours.
_BEFORE_QUOTES = b" \t\r\n{[(<,:;=|>-*'\0\xbf\xfe"  # the last two end the mark of an encoding
_BEHIND_QUOTES = b" \t\r\n}])>,:;|./!?-*'\0"


class LeakPattern(msgspec.Struct, frozen=True, order=True):
    """Something to look for; `quoted` finds it only as a whole string between quotes."""

    text: str
    is_key: bool = False
    quoted: bool = False

    def forms(self) -> set[bytes]:
        """The byte strings that betray it."""
        spellings = {
            self.text,
            *(json.dumps(self.text, ensure_ascii=a)[1:-1] for a in (False, True)),
        }
        if self.quoted:
            spellings = {f'"{spelling}"' for spelling in spellings}
        return {one.encode(code) for one in spellings for code in ("utf-8", "utf-16-le")}


def key_pattern(key: str, *, ambiguous: bool = False) -> LeakPattern:
    """A key to look for: between quotes where it is short, a number, or part of other keys."""
    weak = ambiguous or len(key) < SHORTEST_KEY or key.isdigit()
    return LeakPattern(key, is_key=True, quoted=weak)


def text_patterns(texts: Iterable[str]) -> list[LeakPattern]:
    """The texts that are long enough to be told from anybody's."""
    return sorted({LeakPattern(text) for text in texts if len(text) >= SHORTEST_TEXT})


class PatternScanner:
    """Looks for all patterns at once, at a cost that hardly grows with their number.

    Every 8 bytes of a block, at every offset, go through a filter of 2^16 bits; what passes is
    compared in full. Forms shorter than that are looked for one by one; in quotes they count
    where they stand apart, as three bytes of a picture may be anything.
    """

    def __init__(self, patterns: Sequence[LeakPattern]) -> None:
        self.patterns = tuple(patterns)
        owners = {form: pattern for pattern in patterns for form in pattern.forms()}
        self._short = {form: owner for form, owner in owners.items() if len(form) < _WINDOW}
        self._long: dict[bytes, list[tuple[bytes, LeakPattern]]] = {}
        for form, owner in owners.items():
            if len(form) >= _WINDOW:
                self._long.setdefault(form[:_WINDOW], []).append((form, owner))
        self._windows = np.frombuffer(bytearray().join(sorted(self._long)), dtype="<u8")
        self._filter = np.zeros(1 << _FILTER_BITS, dtype=bool)
        self._filter[_spread(self._windows)] = True
        self._longest = max(map(len, owners), default=0)

    def without(self, patterns: Iterable[LeakPattern]) -> PatternScanner:
        """The same search for fewer patterns."""
        dropped = set(patterns)
        return PatternScanner([pattern for pattern in self.patterns if pattern not in dropped])

    def in_bytes(self, block: bytes, after: int = 0) -> Counter[LeakPattern]:
        """Count each pattern in `block`, where it ends behind the offset `after`."""
        found: Counter[LeakPattern] = Counter()
        for form, owner in self._short.items():
            start = block.find(form, max(0, after - len(form) + 1))
            while start >= 0:
                if not owner.quoted or _is_apart(block, start, start + len(form)):
                    found[owner] += 1
                start = block.find(form, start + 1)
        for start in self._suspects(block):
            for form, owner in self._long.get(block[start : start + _WINDOW], ()):
                if start + len(form) > after and block.startswith(form, start):
                    found[owner] += 1
        return found

    def in_texts(self, texts: Iterable[str]) -> Counter[LeakPattern]:
        """Count each pattern in some texts; a whole text counts as standing in quotes."""
        return self.in_bytes("\n".join(f'"{text}"' for text in texts).encode())

    def in_file(self, path: Path) -> Counter[LeakPattern]:
        """Count each pattern in a file, read in blocks that overlap by the longest form.

        Raises:
            OSError: the file cannot be read.
        """
        found: Counter[LeakPattern] = Counter()
        tail = b""
        with path.open("rb") as file:
            while block := file.read(_BLOCK):
                block = tail + block
                found += self.in_bytes(block, after=len(tail))
                tail = block[len(block) - min(len(block), max(self._longest - 1, 0)) :]
        return found

    def _suspects(self, block: bytes) -> list[int]:
        """Offsets at which a long form may begin."""
        found: list[int] = []
        for offset in range(_WINDOW if self._long else 0):
            count = (len(block) - offset) // _WINDOW
            if count <= 0:
                break
            windows = np.frombuffer(block, dtype="<u8", offset=offset, count=count)
            passed = np.flatnonzero(self._filter[_spread(windows)])
            passed = passed[np.isin(windows[passed], self._windows)]
            found.extend((passed * _WINDOW + offset).tolist())
        return found


def _is_apart(block: bytes, start: int, end: int) -> bool:
    """Whether a string in quotes has neighbours that it has where it was written on purpose."""
    before, behind = block[max(start - 1, 0) : start], block[end : end + 1]
    return before in _BEFORE_QUOTES and behind in _BEHIND_QUOTES


def _spread(windows: np.ndarray) -> np.ndarray:
    return (windows * _FACTOR) >> np.uint64(64 - _FILTER_BITS)
