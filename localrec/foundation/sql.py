"""Quote identifiers and literals for SQL."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path


def sql_identifier(name: str) -> str:
    """A name as an SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def sql_literal(text: str | Path) -> str:
    """A text as an SQL literal."""
    return "'" + str(text).replace("'", "''") + "'"


def enum_type(labels: Iterable[str]) -> str:
    """The type of a column that holds one of a few texts, in a byte a row."""
    return f"ENUM({', '.join(map(sql_literal, labels))})"
