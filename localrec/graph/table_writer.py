"""Query results out of the store and into files; no row passes through Python.

Writing happens in an in-memory DuckDB beside the store, which is attached read-only. It reaches
the store and the files it was opened for, nothing else. COPY streams and sorting spills beside
the store, so 25 million rows need the memory set here and no more.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

import msgspec

from localrec.foundation.errors import WorkspaceError
from localrec.foundation.sql import sql_identifier, sql_literal
from localrec.graph.store import Store

TableFormat = Literal["csv", "json", "parquet"]

# A spreadsheet that runs formulas looks at the first character of a cell; careless ones look
# past blanks and quotes, and Excel in East Asian settings takes the full-width signs as well.
# Both DuckDB and Python read the pattern.
_SKIPPED = "[\\x00-\\x20\u00a0\u200b-\u200f\u2060\u3000\ufeff\\x22\\x27]*"
_FORMULA = rf"^{_SKIPPED}[=+\-@\t\r\n＝＋－＠]"
# RecBole splits at tabs and line breaks and knows no quoting.
_BREAKS = r"[\x00-\x1F\x7F\x{85}\x{2028}\x{2029}]+"
_LISTS_IN_CELLS = "'; '"
_PLAIN = "FORMAT csv, HEADER, DELIMITER '\t', QUOTE '', ESCAPE ''"
_OPTIONS: dict[TableFormat, str] = {
    "csv": "FORMAT csv, HEADER",
    "json": "FORMAT json, ARRAY true",
    "parquet": "FORMAT parquet, COMPRESSION zstd",
}


class WrittenTable(msgspec.Struct, frozen=True):
    """The size of one written file: its rows, and its cells with an apostrophe (CSV only)."""

    rows: int
    defused: int = 0


@contextmanager
def open_table_writer(store: Store, files: Sequence[Path]) -> Iterator[Store]:
    """A connection that reads all of `store` and may write `files`, which exist already.

    Args:
        store: Open, and kept open meanwhile; its own connection cannot reach any file.
        files: Absolute paths. They keep their modes.
    """
    from localrec.graph.engine import duckdb  # only a command that opens a store pays

    connection = duckdb.connect(
        ":memory:",
        config={
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            "allow_community_extensions": "false",
            "memory_limit": "1GB",
        },
    )
    writer = Store(connection, store.path, read_only=True)
    try:
        allowed = ", ".join(sql_literal(path) for path in files)
        for statement in (
            f"ATTACH {sql_literal(store.path)} AS store (READ_ONLY)",
            "USE store",
            f"SET temp_directory = {sql_literal(store.path.parent / 'spill')}",
            f"SET allowed_paths = [{allowed}]",
            "SET enable_external_access = false",
            "SET lock_configuration = true",
        ):
            writer.execute(statement)
        yield writer
    finally:
        writer.close()


def escape_formula(text: str) -> str:
    """SQL that puts an apostrophe before a text which a spreadsheet would run as a formula.

    An apostrophe before such a text counts as part of it and gets another one, so that taking
    one away always gives back what was there.
    """
    return f"CASE WHEN {_is_formula(text)} THEN '''' || {text} ELSE {text} END"


def escape_formula_text(text: str) -> str:
    """Return a text as `escape_formula` writes it."""
    return f"'{text}" if re.match(_FORMULA, text) else text


def single_line(text: str) -> str:
    """SQL for a text without tabs, line breaks and control characters; NULL where nothing stays."""
    return f"nullif(trim(regexp_replace({text}, {sql_literal(_BREAKS)}, ' ', 'g')), '')"


def write_table(writer: Store, query: str, path: Path, form: TableFormat) -> WrittenTable:
    """Write a query's rows with a header; lists become cells parted by `; ` in CSV.

    Raises:
        WorkspaceError: the file cannot be written, such as on a full disk.
    """
    if form != "csv":
        return WrittenTable(_copy(writer, query, path, _OPTIONS[form]))
    cells, texts = [], []
    for name, kind, *_ in writer.rows(f"DESCRIBE {query}"):
        cell = sql_identifier(name)
        if kind == "VARCHAR[]":
            cell = f"array_to_string({cell}, {_LISTS_IN_CELLS})"
        if kind.startswith("VARCHAR"):
            texts.append(cell)
            cell = escape_formula(cell)
        header = writer.rows(f"SELECT {escape_formula(sql_literal(name))}")[0][0]
        cells.append(f"{cell} AS {sql_identifier(header)}")
    count = _count_formulas(writer, query, texts)
    rows = _copy(writer, f"SELECT {', '.join(cells)} FROM ({query})", path, _OPTIONS[form])
    return WrittenTable(rows, count)


def write_recbole_file(writer: Store, query: str, path: Path) -> WrittenTable:
    """Write a query as a RecBole atomic file: tabs, no quotes; the columns are `name:type`.

    Texts must have gone through `one_line`.

    Raises:
        WorkspaceError: the file cannot be written.
    """
    return WrittenTable(_copy(writer, query, path, _PLAIN))


def _is_formula(text: str) -> str:
    return f"regexp_matches({text}, {sql_literal(_FORMULA)})"


def _count_formulas(writer: Store, query: str, texts: Sequence[str]) -> int:
    counts = " + ".join(f"count(*) FILTER ({_is_formula(text)})" for text in texts)
    return int(writer.rows(f"SELECT {counts} FROM ({query})")[0][0]) if texts else 0


def _copy(writer: Store, query: str, path: Path, options: str) -> int:
    from localrec.graph.engine import duckdb

    # Through a file of DuckDB's own the mode of `path` would be lost.
    statement = f"COPY ({query}) TO {sql_literal(path)} ({options}, USE_TMP_FILE false)"
    try:
        return int(writer.rows(statement)[0][0])
    except (duckdb.IOException, duckdb.OutOfMemoryException, WorkspaceError) as error:
        cause = str(error.__cause__ or error).splitlines()[0].rstrip(".")
        raise WorkspaceError(
            f"The export cannot be written into {path.parent}: {cause}.",
            "Make room there, or name another folder.",
        ) from error
