"""Lists inside a table cell, as exports write them.

Three spellings are read: a JSON list, a Python list literal, and words parted by commas. A
literal may hold texts and None, nothing else: its shape is checked before Python's parser sees
it, so neither a call nor a thousand brackets get that far.
"""

from __future__ import annotations

import ast
import re

import msgspec

MAX_LIST_CHARS = 64 << 10

# Possessive quantifiers (*+): without them a broken literal could take exponential time.
_ELEMENT = r"""'(?:[^'\\\n]|\\.)*+'|"(?:[^"\\\n]|\\.)*+"|None|nan"""
_FLAT_LIST = re.compile(rf"\[\s*+(?:(?:{_ELEMENT})\s*+(?:,\s*+(?:{_ELEMENT})\s*+)*+,?\s*+)?\]")
_BRACKETED = ("[", "{", "((", "('", '("')
_ELEMENTS = re.compile(_ELEMENT)


def parse_list(cell: str) -> list[str | None]:
    """The texts of a list cell; a blank cell gives [].

    Raises:
        ValueError: too long, or bracketed but no flat list of texts; the message is fit for a
            person and names no file, for the caller knows row and column.
    """
    text = cell.strip()
    if len(text) > MAX_LIST_CHARS:
        raise ValueError(f"the list is longer than {MAX_LIST_CHARS:,} characters")
    if not text.startswith(_BRACKETED):
        return [part.strip() or None for part in text.split(",")] if text else []
    try:
        return msgspec.json.decode(text, type=list[str | None])
    except (msgspec.DecodeError, RecursionError):
        return _parse_python_list(text)


def _parse_python_list(text: str) -> list[str | None]:
    if _FLAT_LIST.fullmatch(text) is None:
        raise ValueError("the list must hold texts only, like ['gin', 'lime juice']")
    try:
        return [
            None if element in ("None", "nan") else ast.literal_eval(element)
            for element in _ELEMENTS.findall(text)
        ]
    except (ValueError, SyntaxError) as error:  # such as a broken \N{...} escape
        raise ValueError("the list holds a text that Python cannot read") from error
