"""What a file is that no source recognises, and what its owner can do with it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from localrec.foundation.text import clean_name
from localrec.sources.protocols import FilePreview

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
_NO_TEXT = 0.1  # of its characters are no text, in a file that is none


def name_foreign_file(path: Path, preview: FilePreview) -> tuple[str, str] | None:
    """What a file is and the remedy, both as sentences; None where it may be a text export."""
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
