"""Plain data as TOML: the standard library reads it and does not write it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_WIDE = 96  # characters; a longer list goes over several lines
_INLINE = 6  # entries up to which a table of scalars goes on one line inside another


def toml_text(data: Mapping[str, Any]) -> str:
    """A mapping of texts, numbers, truth values, lists and mappings as TOML; None is left out."""
    return "\n".join(_lines(data, ())).strip() + "\n"


def _lines(data: Mapping[str, Any], above: tuple[str, ...]) -> Iterator[str]:
    plain = {key: value for key, value in data.items() if not _is_section(value, above)}
    sections = {key: value for key, value in data.items() if key not in plain}
    if above and (plain or not sections):
        yield ""
        yield f"[{'.'.join(map(_key, above))}]"
    for key, value in plain.items():
        if value is not None:
            yield f"{_key(key)} = {_value(value)}"
    for key, value in sections.items():
        yield from _lines(value, (*above, key))


def _is_section(value: Any, above: tuple[str, ...]) -> bool:
    if not isinstance(value, Mapping):
        return False
    is_small = len(value) <= _INLINE and not any(isinstance(one, Mapping) for one in value.values())
    return not (above and is_small and len(above) > 1)


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else _text(key)


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, Mapping):
        inside = ", ".join(
            f"{_key(key)} = {_value(one)}" for key, one in value.items() if one is not None
        )
        return f"{{ {inside} }}" if inside else "{}"
    if isinstance(value, list | tuple):
        told = [_value(one) for one in value]
        line = f"[{', '.join(told)}]"
        if len(line) <= _WIDE:
            return line
        return "[\n" + "".join(f"    {one},\n" for one in told) + "]"
    return _text(str(value))


def _text(text: str) -> str:
    # JSON's escapes are TOML's; DEL has none in JSON and needs one here.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
