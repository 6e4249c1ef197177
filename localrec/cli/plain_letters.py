"""Output that a terminal of few letters can show: é becomes e, — becomes -, the rest a ?."""

from __future__ import annotations

import codecs
import sys
import unicodedata

_NAME = "localrec-plain"
_NEAREST = {
    **dict.fromkeys("‐‑‒–—―−─━", "-"),
    **dict.fromkeys("‘’‚′", "'"),
    **dict.fromkeys("“”„″", '"'),
    **dict.fromkeys("│┃", "|"),
    **dict.fromkeys("·•●", "*"),
    **{"…": "...", "→": "->", "←": "<-", "×": "x", "ß": "ss", "æ": "ae", "Æ": "AE"},
    **{"ø": "o", "Ø": "O", "œ": "oe", "Œ": "OE", "ł": "l", "Ł": "L", "\xa0": " "},
}


def show_plain_letters() -> None:
    """Have stdout and stderr replace what their encoding lacks, instead of ending the program."""
    codecs.register_error(_NAME, _replaced)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a stream that a test put there may lack it
            stream.reconfigure(errors=_NAME)
    if hasattr(sys.stdin, "reconfigure"):
        sys.stdin.reconfigure(errors="replace")


def _replaced(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    letters = error.object[error.start : error.end]
    return "".join(map(nearest_plain, letters)), error.end


def nearest_plain(letter: str) -> str:
    """The ASCII letters that come nearest to a letter; "?" where none do."""
    if letter in _NEAREST:
        return _NEAREST[letter]
    parts = unicodedata.normalize("NFKD", letter)
    bare = "".join(part for part in parts if part.isascii())
    return bare or ("" if unicodedata.combining(letter) else "?")
