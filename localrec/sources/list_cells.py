"""Lists inside a cell: JSON, Python's and R's spelling of one, and what people make of them.

A list is read as strictly as it is written and as leniently as it must be: unquoted words, `none`
and `NaN`, numbers, single quotes and loose commas are mended, and `ListCell.mended` says so.
"""

from __future__ import annotations

import ast
import re

import msgspec

MAX_LIST_CHARS = 64 << 10
MISSING = frozenset(
    {"", "null", "none", "nan", "n/a", "n.a.", "na", "<na>", "\\n", "nil", "-", "–", "—", "?"}
    | {"#n/a", "#div/0!", "#ref!", "#value!", "#name?", "#num!", "#null!"}  # of spreadsheets
)
_BRACKETED = ("[", "{", "((", "('", '("', "c(")
# Possessive quantifiers (*+): without them a broken literal could take exponential time.
_QUOTED = r"""'(?:[^'\\\n]|\\.)*+'|"(?:[^"\\\n]|\\.)*+\""""
_FLAT_LIST = re.compile(
    rf"[\[(]\s*+(?:(?:{_QUOTED}|None|nan)\s*+(?:,\s*+(?:{_QUOTED}|None|nan)\s*+)*+,?\s*+)?[\])]"
)
_ELEMENT = re.compile(rf"{_QUOTED}|None|nan")
_LOOSE_ELEMENT = re.compile(rf"\s*+(?P<quoted>{_QUOTED})\s*+(?=,|$)|(?P<bare>[^,]*+)")


class ListCell(msgspec.Struct, frozen=True):
    """The elements of a list cell (None for a missing one), and whether it had to be mended."""

    elements: tuple[str | None, ...]
    mended: str = ""


def is_missing(value: object) -> bool:
    """Whether a cell or element says that nothing is known ("", "null", "N/A", "nan" ...)."""
    return value is None or str(value).strip().casefold() in MISSING


def read_list(cell: str) -> ListCell:
    """The elements of a list cell; a blank cell has none.

    Raises:
        ValueError: too long, or lists inside a list; the message names no file, for the caller
            knows row and column.
    """
    text = cell.strip()
    if len(text) > MAX_LIST_CHARS:
        raise ValueError(f"the list is longer than {MAX_LIST_CHARS:,} characters")
    if is_missing(text):
        return ListCell(())
    if not text.startswith(_BRACKETED):
        return ListCell(tuple(_known(part) for part in text.split(",")))
    try:
        return ListCell(tuple(msgspec.json.decode(text, type=list[str | None])))
    except (msgspec.DecodeError, RecursionError):
        pass
    try:
        return ListCell(_read_python_list(text))
    except (ValueError, SyntaxError):  # such as a broken \N{...} escape
        return _read_loosely(text)


def _read_python_list(text: str) -> tuple[str | None, ...]:
    if _FLAT_LIST.fullmatch(text) is None:
        raise ValueError("no flat list of texts")
    return tuple(
        None if element in ("None", "nan") else ast.literal_eval(element)
        for element in _ELEMENT.findall(text)
    )


def _read_loosely(text: str) -> ListCell:
    if text[:1] + text[-1:] == "{}" and re.search(r"[\"']\s*:", text):
        raise ValueError("the cell holds an object, not a list of texts")
    inside = text.removeprefix("c") if text.startswith("c(") else text
    is_spelt_out = text.startswith("c(") and text.endswith(")")
    inside = inside[1:].rstrip()
    inside = inside[:-1] if inside[-1:] in "])}" and inside else inside
    if inside.lstrip().startswith(("[", "{")):
        raise ValueError("the list holds lists; it must hold texts only")
    elements: list[str | None] = []
    bare: list[str] = []
    for found in _LOOSE_ELEMENT.finditer(inside):
        quoted, loose = found["quoted"], found["bare"]
        if quoted is not None:
            elements.append(_known(_unquoted(quoted)))
        elif loose is not None and (loose.strip() or elements) and found.end() > found.start():
            value = _known(loose.strip().strip("\"'"))
            bare.append(loose.strip())
            elements.append(value)
    mended = "" if is_spelt_out and not bare else _what_was_mended(bare)
    return ListCell(tuple(elements), mended)


def _what_was_mended(bare: list[str]) -> str:
    if not bare:
        return "is written with loose commas or another quote"
    if all(is_missing(word) for word in bare):
        return f"holds {bare[0]!r} without quotes"
    if all(re.fullmatch(r"[-+]?\d+(?:\.\d+)?", word) for word in bare):
        return "holds numbers in a list of texts"
    return "holds words without quotes"


def _unquoted(literal: str) -> str:
    try:
        return str(ast.literal_eval(literal))
    except (ValueError, SyntaxError):
        return literal[1:-1]


def _known(value: str) -> str | None:
    return None if is_missing(value) else value.strip()
