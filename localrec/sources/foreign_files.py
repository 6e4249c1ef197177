"""What a file is that no source recognises, and what its owner can do with it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from localrec.foundation.bounded_files import (
    WEB_PAGE,
    WEB_PAGE_REMEDY,
    sniff_binary_kind,
)
from localrec.foundation.errors import InputError
from localrec.foundation.text import clean_name
from localrec.sources.protocols import PREVIEW_BYTES, FilePreview

_SIGNATURES: tuple[tuple[bytes, str], ...] = (
    (b"\x89PNG", "picture"),
    (b"\xff\xd8\xff", "picture"),
    (b"GIF8", "picture"),
    (b"%PDF", "document"),
    (b"\xd0\xcf\x11\xe0", "document"),
    (b"\x7fELF", "program"),
    (b"MZ", "program"),
    (b"\xcf\xfa\xed\xfe", "program"),
    (b"SQLite format 3\0", "database"),
)
_REMEDIES = {
    "picture": "Ask with it: localrec ask --image FILE. An import wants a table or an export.",
    "document": "Open it, save its table as CSV, and import that.",
    "program": "Name the export itself: a CSV, JSON or XML file, a zip archive or a folder.",
    "database": "Write its table to a CSV file and import that.",
}
_TABLES = (".csv", ".tsv", ".json", ".jsonl", ".xml")
_NOTHING = re.compile(r"null|\[\s*\]|\{\s*\}")
_DELIMITERS = re.compile(r"[,;\t|]")
_AGAIN = "Export or download it again, once there is something in it."
_NO_TEXT = 0.1  # of its characters are no text, in a file that is none


def refuse_nothing(path: Path) -> None:
    """Refuse a file in which there is nothing to import, whatever its kind.

    Raises:
        InputError: it is empty, holds blank lines or empty JSON alone, or is a web page.
    """
    from localrec.sources.detection import preview_file

    if not path.is_file():
        return
    preview = preview_file(path)
    if path.stat().st_size == 0:
        raise InputError(f"{path} is empty.", "Export it again.")
    if sniff_binary_kind(preview.head[:1024].encode("utf-8")) == WEB_PAGE:
        raise InputError(f"{path} is {WEB_PAGE}, no export.", WEB_PAGE_REMEDY)
    text = preview.head.strip("\ufeff \t\r\n")
    if preview.head and not text and len(preview.head) < PREVIEW_BYTES:
        raise InputError(f"{path} holds only blank lines.", _AGAIN)
    if _NOTHING.fullmatch(text):
        raise InputError(f"{path} is JSON that holds no records.", _AGAIN)


def has_header_alone(preview: FilePreview) -> bool:
    """Whether a file holds the header of a table and no row."""
    lines = [line for line in preview.head.splitlines() if line.strip("\ufeff \t")]
    if len(lines) != 1 or lines[0][0] in "<[{":
        return False
    cells = [cell.strip(' "\ufeff') for cell in _DELIMITERS.split(lines[0])]
    return len(cells) > 1 and all(cell and not cell[0].isdigit() for cell in cells)


def name_foreign_file(path: Path, preview: FilePreview) -> tuple[str, str] | None:
    """Name a file's format and the remedy, as two sentences; None for a possible text export."""
    if path.is_dir():
        return None
    if preview.members:
        return _name_archive(preview.members)
    with path.open("rb") as file:
        start = file.read(16)
    for signature, sort in _SIGNATURES:
        if start.startswith(signature):
            return f"it is a {sort}", _REMEDIES[sort]
    strange = sum(letter in "\0\ufffd" for letter in preview.head)
    if strange > _NO_TEXT * max(1, len(preview.head)):
        return "it holds no text", _REMEDIES["program"]
    return None


def _name_archive(members: Sequence[str]) -> tuple[str, str] | None:
    if "xl/workbook.xml" in members:
        return "it is a spreadsheet", _REMEDIES["document"]
    tables = [name for name in members if name.endswith(_TABLES)]
    if not tables:
        return None
    inside = clean_name(Path(tables[0]).name)
    return "it is an archive of files", f"Unpack it, and import what is in it, such as {inside}."
