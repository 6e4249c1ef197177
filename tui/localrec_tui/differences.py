"""What changed from one text to the next, word by word."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import Literal

Change = Literal["same", "out", "in"]

_WORD = re.compile(r"\S+\s*")


def changes(before: str, after: str) -> Iterator[tuple[Change, str]]:
    """The stretches of both texts in reading order: kept, taken out, put in.

    What was taken out stands before what was put in its place. The stretches "same" and "in" make
    `after` again, and "same" and "out" make `before`, but for the spaces between words.
    """
    old, new = _WORD.findall(before), _WORD.findall(after)
    matcher = SequenceMatcher(
        None, [one.strip() for one in old], [one.strip() for one in new], False
    )
    for tag, a, b, c, d in matcher.get_opcodes():
        if tag == "equal":
            yield "same", _joined(new[c:d])
            continue
        if a < b:
            yield "out", _joined(old[a:b])
        if c < d:
            yield "in", _joined(new[c:d])


def _joined(words: list[str]) -> str:
    return "".join(words).strip()
