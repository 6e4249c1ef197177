"""A look at a file before an import: what it is, and what must still be said of it."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from localrec.sources.catalogues.records import Cell, RecordTable

_FIRST = 4  # rows of which the values of a column are shown
_VALUE_LETTERS, _CELL_LETTERS = 22, 44


class FileKind(StrEnum):
    """What a file is."""

    EXPORT = "export"  # one person's, in a known format
    KNOWN = "known"  # a catalogue of a known format, or the histories of many people
    TABLE = "table"  # items that nothing here knows yet
    EITHER = "either"  # items as well, or what one person did with them
    HISTORY = "history"  # what people did, in a table of no known format
    UNREADABLE = "unreadable"  # the dry run says why


class ColumnFate(msgspec.Struct, frozen=True):
    """A column of a table, some of its values, and what becomes of it."""

    name: str
    values: str
    becomes: str


class FileLook(msgspec.Struct, frozen=True, kw_only=True):
    """What a file is.

    Args:
        path: The file.
        kind: What it is.
        rows: How many rows a table has.
        domain: What its items are called together: a proposal, or "" where nothing tells.
        columns: What becomes of each column of a table of items.
    """

    path: str
    kind: FileKind
    rows: int = 0
    domain: str = ""
    columns: tuple[ColumnFate, ...] = ()


def look_at_file(workspace: Path, path: str) -> FileLook:
    """Look what a file is; nothing changes.

    Args:
        workspace: The workspace that it would go into.
        path: The file; a tilde is the home.

    Raises:
        InputError: there is no such file.
    """
    from localrec.foundation.errors import InputError
    from localrec.graph.domain_files import use_domains_of
    from localrec.sources import detect_kind, open_source
    from localrec.sources.catalogues.records import open_records
    from localrec.workspace.table_domains import domain_of_table

    place = Path(path).expanduser()
    if not place.exists():
        raise InputError(f"There is no file {place}.", "Tab completes a path.")
    use_domains_of(workspace)
    try:
        personal = getattr(open_source(detect_kind(place)), "personal", False)
        return FileLook(path=path, kind=FileKind.EXPORT if personal else FileKind.KNOWN)
    except InputError:
        pass  # of no known format
    try:
        table = open_records(place)
    except InputError:
        return FileLook(path=path, kind=FileKind.UNREADABLE)
    if domain_of_table(workspace, table) is not None:
        return FileLook(path=path, kind=FileKind.KNOWN)
    return _look_at_table(path, table)


def domain_name_of(written: str) -> str:
    """A name that a domain can bear, from one that a person wrote: "Board games"."""
    return "-".join(written.casefold().split())


def name_fault(name: str) -> str:
    """Why a new domain cannot bear a name, in a sentence; "" where it can."""
    from localrec.foundation.errors import UsageError
    from localrec.graph.domain_files import known_domains
    from localrec.workspace.own_domains import check_name

    if name in known_domains():
        return f"{name} is here already. Take another name for these."
    try:
        check_name(name)
    except UsageError as error:
        return f"{error.message} {error.hint}"
    return ""


def _look_at_table(path: str, table: RecordTable) -> FileLook:
    from localrec.foundation.errors import InputError
    from localrec.sources.catalogues.proposal import propose_domain
    from localrec.sources.domain_words import domain_of_header
    from localrec.sources.table_guess import propose_mapping
    from localrec.workspace.table_domains import free_name_for

    rows = len(table.rows)
    if propose_mapping(table, None) is not None:
        about = domain_of_header(table.path, table.columns) or ""
        return FileLook(path=path, kind=FileKind.HISTORY, rows=rows, domain=about)
    name = free_name_for(table.path)
    try:
        reasons = propose_domain(name, table).reasons
    except InputError:
        return FileLook(path=path, kind=FileKind.UNREADABLE, rows=rows)
    columns = tuple(
        ColumnFate(column, _values(table, place), reasons.get(column, "left out"))
        for place, column in enumerate(table.columns)
    )
    mine = propose_mapping(table, "somebody")
    one_persons = mine is not None and mine.columns.says_what_was_done
    kind = FileKind.EITHER if one_persons else FileKind.TABLE
    return FileLook(path=path, kind=kind, rows=rows, domain=name, columns=columns)


def _values(table: RecordTable, place: int) -> str:
    from localrec.foundation.text import clean_text

    cells: Sequence[Cell] = [cells[place] for _, cells in table.rows[:_FIRST]]
    told = dict.fromkeys(clean_text(cell)[:_VALUE_LETTERS] for cell in cells if cell)
    return ", ".join(filter(None, told))[:_CELL_LETTERS]
