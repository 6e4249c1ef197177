"""JSON as programs write it that are no writers of JSON: UTF-16, a comma too many, NaN.

Nothing that a file says is changed: a comma behind the last entry goes, NaN and the infinities,
which JSON lacks, become null.
"""

from __future__ import annotations

import codecs
import re

# Texts are taken whole, so that what looks like a fault inside one stays.
_TOKEN = re.compile(
    rb'"(?:[^"\\]|\\.)*"|,(?=\s*[\]}])|(?<![\w.])-?(?:NaN|Infinity)(?![\w.])', re.DOTALL
)


def as_utf_8(content: bytes) -> bytes:
    """The same text in UTF-8 without a mark: from UTF-16 with one, or from cp1252."""
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return content.decode("utf-16", errors="replace").encode("utf-8")
    content = content.removeprefix(codecs.BOM_UTF8)
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return content.decode("cp1252", errors="replace").encode("utf-8")
    return content


def mended(content: bytes) -> bytes:
    """JSON without commas behind a last entry, and with null for what is no number."""
    return _TOKEN.sub(_token, content)


def _token(found: re.Match[bytes]) -> bytes:
    told = found.group()
    if told.startswith(b'"'):
        return told
    return b"" if told == b"," else b"null"
