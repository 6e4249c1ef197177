"""Runs the query of a bulk history as the store does: sees its files and nothing else."""

from __future__ import annotations

from typing import Any

import duckdb

from localrec.data.rows import BulkHistory, HistoryRows
from localrec.foundation.sql import sql_literal
from localrec.sources.bulk_tables import COLUMNS


def selected(history: HistoryRows | BulkHistory) -> list[dict[str, Any]]:
    """The rows that would be stored."""
    assert isinstance(history, BulkHistory)
    with duckdb.connect(":memory:") as connection:
        files = ", ".join(sql_literal(file) for file in history.files)
        connection.execute(f"SET allowed_paths = [{files}]")
        connection.execute("SET enable_external_access = false")
        rows = connection.execute(history.select).fetchall()
    return [dict(zip(COLUMNS, row, strict=True)) for row in rows]


def told(history: HistoryRows | BulkHistory) -> list[tuple[int, str | None, str, str]]:
    """The receipt's lines: (row, column, what was done, why)."""
    return [(line.row, line.column, line.action, line.problem) for line in history.report.problems]
