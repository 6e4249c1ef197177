"""What the layouts of recipes in JSON have in common: values of unknown types, and garnishes."""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping
from typing import Any

from localrec.foundation.prose import count_of
from localrec.foundation.text import clean_name, clean_text
from localrec.sources.import_log import ImportLog


def word(entry: Mapping[str, Any], *fields: str) -> str:
    """The first of some fields that holds a text or number, cleaned as a name."""
    return next((name for field in fields if (name := clean_name(plain(entry.get(field))))), "")


def prose(entry: Mapping[str, Any], *fields: str) -> str:
    """The first of some fields that holds a text, cleaned as a text."""
    return next((text for field in fields if (text := clean_text(plain(entry.get(field))))), "")


def plain(value: object) -> str:
    """A text or number as a text, `&#039;` and the like as letters; nothing for anything else.

    What comes of it is cleaned afterwards, since an entity may hold a control character.
    """
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    return f"{value:g}" if isinstance(value, float) else html.unescape(str(value))


def objects(value: object) -> Iterator[Mapping[str, Any]]:
    """The objects of a list; nothing else of it, and nothing where it is no list."""
    if isinstance(value, list):
        yield from (one for one in value if isinstance(one, dict))


def tell_nameless(row: int, count: int, import_log: ImportLog) -> None:
    """Tell the receipt of ingredients of a drink that have no name and are left out."""
    if count:
        import_log.repair(
            row, "ingredients", f"{count_of(count, 'ingredient')} without a name left out"
        )


def with_garnish(instructions: str, garnish: str) -> str:
    """The instructions with the garnish at their end, where they do not name it themselves."""
    if not garnish or garnish.casefold() in instructions.casefold():
        return instructions
    told = garnish if "garnish" in garnish.casefold() else f"Garnish: {garnish}"
    told = told if told.endswith((".", "!")) else f"{told}."
    return f"{instructions} {told}".strip()
