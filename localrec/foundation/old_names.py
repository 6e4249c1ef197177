"""Old names of settings, which files and calls written for an earlier version still use."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

_Value = TypeVar("_Value")


def with_current_names(
    given: Mapping[str, _Value], old_names: Mapping[str, str]
) -> dict[str, _Value]:
    """Replace old names of settings by those of today.

    Args:
        given: Name -> value.
        old_names: Old name -> the name of today.

    Raises:
        ValueError: two of the names mean the same setting.
    """
    names: dict[str, str] = {}
    for name in given:
        current = old_names.get(name, name)
        if current in names:
            raise ValueError(
                f'"{names[current]}" and "{name}" name one setting: keep one, as "{current}"'
            )
        names[current] = name
    return {current: given[name] for current, name in names.items()}
