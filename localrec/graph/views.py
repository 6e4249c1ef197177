"""The views that other programs read, and queries of a user over them."""

from __future__ import annotations

from typing import Any

import msgspec

from localrec.data.domains import Domain
from localrec.data.records import TableRows
from localrec.foundation.errors import InputError
from localrec.graph.migrations import duckdb_error
from localrec.graph.store import Store

VIEWS = ("items", "users", "attributes", "interactions", "shelves", "memories")


class QueryResult(msgspec.Struct, TableRows, frozen=True, kw_only=True):
    """The result of a query.

    Args:
        columns: The names of the columns.
        rows: The rows, each as long as `columns`.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]

    def to_rows(self) -> list[dict[str, Any]]:
        """Return one dictionary a row."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]


def note_item_kind(store: Store, domain: Domain) -> None:
    """Have the views know which nodes of a domain are its items."""
    store.execute(
        "INSERT OR REPLACE INTO meta VALUES (?, ?)", [f"item_kind:{domain.name}", domain.item]
    )


def query_views(store: Store, query: str) -> QueryResult:
    """Run a query on a store that is open for reading.

    The store opens with every door to the outside shut: SQL reads and writes no other file.

    Raises:
        InputError: the query is not understood, or would change something; says where.
    """
    try:
        columns, rows = store.query(query)
    except duckdb_error() as error:
        reason = str(error).splitlines()[0]
        raise InputError(
            f"The query failed: {reason}", "Views: " + ", ".join(VIEWS) + "."
        ) from error
    return QueryResult(columns=tuple(columns), rows=tuple(rows))
