"""Keys as terminals send them, where Textual reads something else.

Textual 8.2.8 takes Escape with a digit for the letter that Option types in one terminal of macOS
("£" for 3), so that Alt with a digit, which other terminals send in just that way, never arrives.
"""

from __future__ import annotations

import string
from typing import Any, cast

import msgspec
from textual._ansi_sequences import ANSI_SEQUENCES_KEYS


class _AltKey(msgspec.Struct, frozen=True):
    """A key as Textual's table holds it, without a letter, so that no line takes it for typed."""

    value: str


def restore_alt_digits() -> None:
    """Read Escape with a digit as Alt with that digit, in all apps of this process."""
    table = cast("dict[str, Any]", ANSI_SEQUENCES_KEYS)
    for digit in string.digits:
        table[f"\x1b{digit}"] = (_AltKey(f"alt+{digit}"),)
