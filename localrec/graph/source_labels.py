"""Which sources `interaction.source` can name: an enumeration, a byte a row.

The schema knows the kinds of files that shipped with it. Another one, such as a plug-in's, is added
to the enumeration when it is first imported; that writes the column anew, 0.2 s for five million
rows.
"""

from __future__ import annotations

from collections.abc import Sequence

from localrec.foundation.sql import enum_type, sql_identifier
from localrec.graph.store import Store

_OWN = "current_database()"


def add_source_labels(store: Store, sources: Sequence[str], attached: str | None = None) -> str:
    """Let the column name some sources, within the caller's transaction.

    Args:
        store: An open, writable store.
        sources: Names of sources, such as "letterboxd".
        attached: The name under which another store is attached, whose column is meant.

    Returns:
        The SQL type of the column.
    """
    [[told]] = store.rows(
        f"SELECT data_type FROM duckdb_columns() WHERE database_name = coalesce(?, {_OWN}) "
        "AND table_name = 'interaction' AND column_name = 'source'",
        [attached],
    )
    [[labels]] = store.rows(f"SELECT enum_range(NULL::{told})")
    new = [name for name in dict.fromkeys(sources) if name not in labels]
    if not new:
        return str(told)
    extended = enum_type([*labels, *new])
    table = "interaction" if attached is None else f"{sql_identifier(attached)}.interaction"
    store.execute(f"ALTER TABLE {table} ALTER source SET DATA TYPE {extended}")
    return extended
