"""XML read element by element: records of a long list, without entities and without a tree.

Expat does the parsing. A document that declares an entity is refused before one is expanded, so
none can grow (a billion laughs) or lead to another file; so is one nested deeper than any export.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any
from xml.parsers import expat

import msgspec

from localrec.foundation.bounded_files import ArchivedFile, ExpectedFile, FileLimits, open_bytes
from localrec.foundation.errors import InputError
from localrec.foundation.text import clean_name

XML = ExpectedFile("XML", ".xml.gz", "Name the XML file as it was exported or downloaded.")
_CHUNK = 1 << 16
_DEEPEST = 32
_AGAIN = "Export it again."


class XmlElement(msgspec.Struct):
    """An element of a record: its attributes, its own text, and the elements in it."""

    tag: str
    attributes: dict[str, str]
    text: str = ""
    inside: list[XmlElement] = []

    def find(self, *path: str) -> XmlElement | None:
        """The first element that the tags lead to."""
        found: XmlElement | None = self
        for tag in path:
            found = next((one for one in found.inside if one.tag == tag), None) if found else None
        return found

    def told(self, *path: str, attribute: str | None = None) -> str:
        """The text (or an attribute) of the element that the tags lead to; "" without one."""
        found = self.find(*path)
        if found is None:
            return ""
        return found.attributes.get(attribute, "") if attribute else found.text.strip()


class _Reader:
    """Takes expat's events and collects whole records."""

    def __init__(self, path: Path | ArchivedFile, records: Collection[str], most: int) -> None:
        self._path = path
        self._records = records
        self._most = most
        self._open: list[XmlElement] = []
        self._depth = 0
        self._letters = 0
        self.root = ""
        self.done: list[XmlElement] = []
        parser = expat.ParserCreate()
        parser.buffer_text = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._read_text
        parser.EntityDeclHandler = self._refuse_entity
        parser.ExternalEntityRefHandler = self._refuse_entity
        self.parser = parser

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        self.root = self.root or tag
        if self._depth > _DEEPEST:
            raise InputError(f"{self._path} is nested deeper than any export.", _AGAIN)
        if self._open or tag in self._records:
            element = XmlElement(tag, attributes, "", [])
            if self._open:
                self._open[-1].inside.append(element)
            self._open.append(element)
            self._count(sum(map(len, attributes.values())) + len(tag))

    def _end(self, tag: str) -> None:
        self._depth -= 1
        if self._open:
            element = self._open.pop()
            if not self._open:
                self.done.append(element)
                self._letters = 0

    def _read_text(self, text: str) -> None:
        if self._open:
            self._open[-1].text += text
            self._count(len(text))

    def _count(self, letters: int) -> None:
        self._letters += letters
        if self._letters > self._most:
            raise InputError(
                f"{self._path} has a record of more than {self._most:,} characters.", _AGAIN
            )

    def _refuse_entity(self, *_: Any) -> int:
        raise InputError(
            f"{self._path} cannot be trusted: it declares entities, which no export does.",
            "Download the export from the service itself.",
        )


def read_records(
    path: Path | ArchivedFile, limits: FileLimits, root: str, records: Collection[str]
) -> Iterator[XmlElement]:
    """Each record of a document as soon as it is whole, in the order of the file.

    Args:
        path: An XML file, plain or as .gz, or one inside an archive.
        limits: Limits beyond which a file is refused.
        root: The tag that the document must have.
        records: Tags of the elements that are records.

    Raises:
        InputError: no XML of that root, broken, too large, or with entities.
    """
    reader = _Reader(path, records, limits.cell_chars)
    with open_bytes(path, limits, XML) as stream:
        while True:
            piece = stream.read(_CHUNK)
            try:
                reader.parser.Parse(piece, not piece)
            except (expat.ExpatError, ValueError, LookupError) as error:
                line = f", line {reader.parser.ErrorLineNumber}" if reader.root else ""
                raise InputError(
                    f"{path}{line}: this is no XML: {clean_name(error)}.", _AGAIN
                ) from error
            if reader.root and reader.root != root:
                raise InputError(
                    f"{path} is XML of another kind: its root is {clean_name(reader.root)!r}, "
                    f"not {root!r}.",
                    "Name the file as it was exported, or the kind that it is.",
                )
            yield from reader.done
            reader.done.clear()
            if not piece:
                return
