"""What a source is: one public file format, read into typed rows.

A source never touches the store. It raises `InputError` with row and column for a file it cannot
take, and reports every row that it mended, merged or left out.
"""

from __future__ import annotations

from pathlib import Path
from typing import Protocol, runtime_checkable

import msgspec

from localrec.data.domains import Domain
from localrec.data.rows import BulkHistory, CatalogueRows, HistoryRows

PREVIEW_BYTES = 64 << 10


class Field(msgspec.Struct, frozen=True):
    """One field of a public layout and what becomes of it (the docs table is made from these)."""

    name: str
    becomes: str


class FilePreview(msgspec.Struct, frozen=True):
    """A view of a file or folder without reading it; detection goes by this alone.

    Args:
        name: The file's or folder's name in lower case.
        members: Names in a folder or zip archive, in lower case, with `/`; () for a plain file.
        head: The first `PREVIEW_BYTES` of a plain (or gzip) file as text; "" for all others.
    """

    name: str
    members: tuple[str, ...] = ()
    head: str = ""

    @property
    def header(self) -> tuple[str, ...]:
        """The cells of the first line, in lower case, cut at the likeliest delimiter."""
        line = self.head.split("\n", 1)[0].strip().lstrip("\ufeff").lower()
        delimiter = max((",", "\t", ";", "|"), key=line.count)
        return tuple(cell.strip().strip('"') for cell in line.split(delimiter))

    def has_member(self, *endings: str) -> bool:
        """Whether, for each ending, some member's path ends so."""
        return all(any(name.endswith(end) for name in self.members) for end in endings)


class Source(Protocol):
    """A reader of one catalogue format: items and their attributes."""

    kind: str
    domain: str  # the domain that its files belong to where nobody says otherwise
    fields: tuple[Field, ...]

    def recognises(self, preview: FilePreview) -> bool:
        """Whether this looks like the format; `read` is what proves it."""
        ...

    def read(self, path: Path, domain: Domain) -> CatalogueRows:
        """Read the whole file or folder.

        Raises:
            InputError: the file is missing, foreign, damaged or too large; the message names row
                and column where there is one.
        """
        ...


@runtime_checkable
class HistorySource(Protocol):
    """A reader of one format that says what people did: an export, or a data set of many."""

    kind: str
    domain: str
    fields: tuple[Field, ...]
    personal: bool  # one person's export, which does not say whose: `user` must

    def recognises(self, preview: FilePreview) -> bool:
        """Whether this looks like the format; `read` is what proves it."""
        ...

    def read(self, path: Path, domain: Domain, user: str | None) -> HistoryRows | BulkHistory:
        """Read the whole file, archive or folder.

        Args:
            path: The export or download.
            domain: The domain of its items.
            user: Key of the user whose export it is; None for a data set that names its users.

        Raises:
            InputError: the file is missing, foreign, damaged or too large; the message names row
                and column where there is one.
        """
        ...
