"""An answer as Markdown, to be copied or kept."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from localrec.data.recommendations import RecommendedItem
from localrec.foundation.errors import InputError

_MARKS = re.compile(r"([\\`*_\[\]<>#|])")


def answer_markdown(
    title: str,
    items: Sequence[RecommendedItem],
    near_misses: Sequence[RecommendedItem],
    message: str,
) -> str:
    """Format an answer: the question as a heading, each item with its reason.

    Args:
        title: The question, or whose list it is.
        items: The items in their order.
        near_misses: Items that miss something.
        message: What was let go; "" for nothing.
    """
    lines = [f"# {_plain(title)}", ""]
    if message:
        lines += [_plain(message), ""]
    lines += _numbered(items)
    if near_misses:
        lines += ["", "Close, but missing something:", "", *_numbered(near_misses)]
    return "\n".join(lines) + "\n"


def save_markdown(path: str, text: str) -> Path:
    """Write a new file, and return where it is.

    Raises:
        InputError: there is such a file already, or it cannot be written.
    """
    place = Path(path).expanduser()
    try:
        with place.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError as error:
        raise InputError(f"{place} is there already.", "Give another name.") from error
    except OSError as error:
        raise InputError(f"{place} cannot be written: {error.strerror}.", "Try another.") from error
    return place


def _numbered(items: Sequence[RecommendedItem]) -> Iterator[str]:
    for number, item in enumerate(items, 1):
        reason = f": {_plain(item.reason)}" if item.reason else ""
        yield f"{number}. **{_plain(item.name)}**{reason}"


def _plain(text: str) -> str:
    """A text whose letters stand for themselves in Markdown."""
    return _MARKS.sub(r"\\\1", " ".join(text.split()))
