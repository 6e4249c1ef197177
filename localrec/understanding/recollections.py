"""What somebody recalls is no wish: "we watched a Bogart picture", "we married in 1981"."""

from __future__ import annotations

from localrec.understanding.language_words import english

_WORDS = english().years
_NEAR = 2  # words from who tells to what they did


def is_recalled(before: str) -> bool:
    """Whether the clause up to a place says what its teller did.

    Args:
        before: The folded text up to there.
    """
    words = before.split()
    ends = (place for place, word in enumerate(words) if word[-1] in ".,;!?")
    clause = words[max(ends, default=-1) + 1 :]
    return any(
        word in _WORDS.tellers
        and not _WORDS.recalled.isdisjoint(clause[place + 1 : place + 1 + _NEAR])
        and _WORDS.wishing.isdisjoint(clause[place + 1 :])
        for place, word in enumerate(clause)
    )
