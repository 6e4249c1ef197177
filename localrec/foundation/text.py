"""Imported text made harmless: what it may contain, and the keys made from it.

Every word of a foreign file ends up on a terminal and in a model's prompt. So nothing here may
move a cursor, hide or reorder letters, or pass for a control token of a chat template. Such
tokens are broken up rather than removed: a space goes in after their first character
(`<|im_end|>` becomes `< |im_end|>`), so the text still shows what the file said.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from hashlib import blake2b

MAX_TEXT = 8_000  # characters kept of a long text such as instructions
MAX_NAME = 200
MAX_KEY = 96

# Whole terminal sequences: CSI, the string kinds (OSC, DCS, SOS, PM, APC; one without its end
# reaches to the end of the line), and the short escapes.
_ANSI = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?"
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d\x9e\x9f])[^\x07\x1b\x9c\r\n]*(?:\x07|\x1b\\|\x9c)?"
    r"|\x1b[ -/]*[0-~]?"
)
_CONTROL = re.compile(r"[\0-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u202a-\u202e\u2066-\u2069]")
# Any tag-like word counts as a token: a list of the tokens of today's models would be out of
# date tomorrow, and a space inside `<b>` does no harm.
_CHAT_TOKEN = re.compile(r"<(?=[^\s\d])|\[(?=/?[A-Z][A-Z_]*\])")
_DROPPED_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})
# Characters that take part in no visible text although their category says otherwise:
# Hangul fillers, the grapheme joiner, variation selectors (they can smuggle bytes), blanks.
_INVISIBLE = frozenset(
    {0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x180B, 0x180C, 0x180D, 0x180F, 0x2800, 0x3164, 0xFFA0}
    | set(range(0xFE00, 0xFE10))
    | set(range(0xE0100, 0xE01F0))
)


class _Visible(dict[int, str]):
    """The visible form of each code point, for `str.translate`; made when it is first met."""

    def __missing__(self, point: int) -> str:
        letter = chr(point)
        if letter in "\t\n\v\f\r\x85":
            shown = " "
        elif unicodedata.category(letter) in _DROPPED_CATEGORIES or point in _INVISIBLE:
            shown = ""
        else:
            shown = letter
        self[point] = shown
        return shown


_VISIBLE = _Visible()  # four times as fast as asking letter by letter
# Letters that Unicode does not take apart into a base and an accent.
_LETTERS = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ß": "ss", "æ": "ae", "œ": "oe", "ı": "i"}
    | {"Ø": "O", "Ł": "L", "Đ": "D", "Ð": "D", "Þ": "TH", "ẞ": "SS", "Æ": "AE", "Œ": "OE"}
)
_IRREGULAR = {"leaves": "leaf", "halves": "half", "loaves": "loaf"}


def clean_text(value: object, limit: int = MAX_TEXT) -> str:
    """One line of harmless text in NFC, at most `limit` characters; None gives "".

    Cleaning twice changes nothing. Line breaks and tabs become single spaces.
    """
    text = "" if value is None else str(value)
    if not (text.isascii() and text.isprintable()):
        text = _strip_invisible(_ANSI.sub("", text))
    text = " ".join(text.split())
    if "<" not in text and "[" not in text:  # nearly always, and half of the time
        return text[:limit].rstrip()
    return _CHAT_TOKEN.sub(lambda token: token.group() + " ", text)[:limit].rstrip()


def has_controls(text: str) -> bool:
    """Whether `clean_text` drops what could move a cursor or turn the direction of a text."""
    return not text.isprintable() and _CONTROL.search(text) is not None


def clean_name(value: object) -> str:
    """A name fit for display: `clean_text`, shorter, without loose commas and colons around it."""
    return clean_text(value, limit=MAX_NAME).strip(" ,;:")


def clean_key(name: object) -> str:
    """The key of an item or attribute: lower case ASCII words joined by hyphens, never empty.

    A short BLAKE2 hash of the name is added (or stands alone) where letters would be lost, so
    that two names in Hangul never share a key; likewise where the key is cut to 96 characters.
    """
    cleaned = clean_text(name).casefold()
    folded = fold_accents(cleaned).replace("&", " and ")
    slug = "-".join(re.findall(r"[a-z0-9]+", re.sub(r"['’`´]", "", folded)))
    loses_letters = not folded.isascii() and any(
        letter.isalnum() and not letter.isascii() for letter in folded
    )
    if slug and not loses_letters and len(slug) <= MAX_KEY:
        return slug
    digest = blake2b(cleaned.encode("utf-8"), digest_size=5).hexdigest()
    return f"{slug[: MAX_KEY - len(digest) - 1].rstrip('-')}-{digest}".lstrip("-")


def fold_accents(text: str) -> str:
    """`text` with accents taken off its letters: "Crème" gives "Creme"; case stays."""
    if text.isascii():
        return text
    apart = unicodedata.normalize("NFKD", text.translate(_LETTERS))
    return "".join(letter for letter in apart if not unicodedata.combining(letter))


@lru_cache(maxsize=1 << 16)
def identity_of(name: str) -> str:
    """Reduce a name to its identity: no case, spacing, punctuation, accents or plural.

    For comparing only; "Maraschino  cherries." and "maraschino cherry" have the same identity.
    """
    *front, last = clean_key(name).split("-")
    return "".join([*front, _singular(last)])


def _singular(word: str) -> str:
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("ches", "shes", "sses", "xes", "oes")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") and len(word) > 3 else word


def _strip_invisible(text: str) -> str:
    # Last, since taking a zero-width character out can bring letter and accent together.
    return unicodedata.normalize("NFC", text.translate(_VISIBLE))
