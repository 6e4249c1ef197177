"""Dumps of hundreds of millions of lines as SQL: streamed, unpacked on the way, cut at tabs."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from localrec.data.knowledge import Wanted
from localrec.foundation.bounded_files import JSON_LINES, FileLimits, open_bytes
from localrec.foundation.errors import InputError
from localrec.foundation.sql import sql_literal
from localrec.sources.bulk_tables import BulkReader

_LONGEST_LINE = 32 << 20
_FIRST_LINE = 1 << 20
# They are streamed, so that only the shape of the file needs a limit.
_STREAMED = FileLimits(file_bytes=1 << 40, unpacked_bytes=1 << 40)


def dump_lines(path: Path) -> str:
    """A FROM item: each line's `cells`, parted by tabs; quotes mean nothing."""
    compression = "gzip" if path.suffix == ".gz" else "none"
    return (
        f"(SELECT string_split(line, '\t') AS cells FROM read_csv({sql_literal(path)}, "
        "auto_detect = false, header = false, delim = '\x01', quote = '', escape = '', "
        f"strict_mode = false, compression = '{compression}', max_line_size = {_LONGEST_LINE}, "
        "columns = {'line': 'VARCHAR'}))"
    )


def first_line(path: Path) -> str:
    """The first line of a dump.

    Raises:
        InputError: missing, empty, or not text.
    """
    with open_bytes(path, _STREAMED, JSON_LINES) as stream:
        return stream.readline(_FIRST_LINE).decode("utf-8", errors="replace").rstrip("\r\n")


def stage_wanted(reader: BulkReader, wanted: Wanted, ids: str) -> None:
    """Fill the tables wanted_id and wanted_title of a reader."""
    for table, values in (
        ("wanted_id", wanted.ids.get(ids, frozenset())),
        ("wanted_title", wanted.titles),
    ):
        reader.rows(f"CREATE OR REPLACE TABLE {table} AS SELECT unnest({_texts(values)}) AS one")


def beside(path: Path, *names: str) -> Path | None:
    """The first file of some names (with or without .gz) in the folder of a dump."""
    folder = path if path.is_dir() else path.parent
    for name in names:
        for found in sorted((*folder.glob(name), *folder.glob(f"{name}.gz"))):
            return found
    return None


def need_file(path: Path, what: str, *names: str) -> Path:
    """The dump that was named, or the one in the folder that was named.

    Raises:
        InputError: there is none.
    """
    if not path.is_dir():
        return path
    found = beside(path, *names)
    if found is None:
        raise InputError(f"{path} holds no {what}.", f"It should hold {names[0]} or {names[0]}.gz.")
    return found


def _texts(values: Iterable[str]) -> str:
    return f"[{', '.join(map(sql_literal, sorted(values)))}]::VARCHAR[]"
