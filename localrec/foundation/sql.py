"""Quote identifiers and literals for SQL."""

from __future__ import annotations

from pathlib import Path


def sql_identifier(name: str) -> str:
    """A name as an SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def sql_literal(text: str | Path) -> str:
    """A text as an SQL literal."""
    return "'" + str(text).replace("'", "''") + "'"
