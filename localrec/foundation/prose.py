"""Small grammar for sentences made from facts."""

from __future__ import annotations

from collections.abc import Sequence


def join_words(words: Sequence[str]) -> str:
    """The words as a list in a sentence: "gin, lime juice and soda water"; none give ""."""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} and {words[-1]}"


def with_article(noun: str) -> str:
    """`noun` behind "a" or "an", by its first letter."""
    return f"{'an' if noun[:1].casefold() in tuple('aeiou') else 'a'} {noun}"


def as_sentence(text: str) -> str:
    """`text` with a capital first letter and a full stop."""
    return f"{text[:1].upper()}{text[1:]}."


def count_of(count: int, noun: str) -> str:
    """A number before a noun: "1 row", "2,410 rows"."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
