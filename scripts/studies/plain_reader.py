"""The texts that an export holds, as Python's standard library alone finds them.

It imports nothing of localrec and knows no format: cells of CSV, values of JSON, texts and
attributes of XML, columns of SQLite, members of a zip. So it can tell whether a made-up export
holds what its maker says it does.
"""

from __future__ import annotations

import csv
import io
import json
import sqlite3
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

_DELIMITERS = ("::", "\t", ";", "|", ",")
csv.field_size_limit(10_000_000)


def texts_in(path: Path) -> set[str]:
    """Every text in a file, or in all files below a folder, in one line each."""
    files = [path] if path.is_file() else sorted(one for one in path.rglob("*") if one.is_file())
    return {
        in_one_line(text) for file in files for text in _texts(file.name, file.read_bytes(), file)
    }


def in_one_line(text: str) -> str:
    """A text with single blanks between its words: not every format can hold a line break."""
    return " ".join(text.split())


def _texts(name: str, content: bytes, path: Path | None = None) -> Iterator[str]:
    suffix = name.rpartition(".")[2].lower()
    if suffix == "zip":
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            for member in archive.namelist():
                yield from _texts(member, archive.read(member))
    elif suffix == "json":
        yield from _values(_json(_decoded(content)))
    elif suffix == "xml":
        for element in ElementTree.fromstring(content).iter():
            yield from (element.text or "", *element.attrib.values())
    elif suffix == "db" and path is not None:
        yield from _columns(path)
    else:
        yield from _cells(_decoded(content))


def _decoded(content: bytes) -> str:
    encoding = "utf-16" if content[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        return content.decode(encoding)
    except UnicodeDecodeError:
        return content.decode("latin-1")


def _cells(text: str) -> Iterator[str]:
    """Cells of a table, parted by what parts its first line most often."""
    first = text.partition("\n")[0]
    delimiter = max(_DELIMITERS, key=lambda one: (first.count(one) * len(one), len(one)))
    if len(delimiter) > 1:
        text, delimiter = text.replace(delimiter, "\t"), "\t"
    quoting = csv.QUOTE_MINIMAL if '"' in text else csv.QUOTE_NONE
    escape = "\\" if '\\"' in text else None
    lines = io.StringIO(text, newline="")
    rows = csv.reader(lines, delimiter=delimiter, quoting=quoting, escapechar=escape)
    for row in rows:
        yield from row


def _json(text: str) -> Any:
    """The content of a JSON file; nothing where it is cut short, as planted faults may be."""
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return None


def _values(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for one in value.values():
            yield from _values(one)
    elif isinstance(value, list):
        for one in value:
            yield from _values(one)
    elif value is not None:
        yield str(value)


def _columns(path: Path) -> Iterator[str]:
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    for (name,) in tables:
        for row in connection.execute(f'SELECT * FROM "{name}"'):
            yield from (str(one) for one in row if one is not None)
    connection.close()
