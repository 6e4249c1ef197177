"""Faults that a store could have inside: rows of nobody, numbers given twice, no room to write.

`localrec doctor` looks for them, and tests do after every step of theirs. None should ever occur.
"""

from __future__ import annotations

from collections.abc import Iterator

from localrec.foundation.atomic_files import write_atomically
from localrec.foundation.disk_errors import disk_trouble
from localrec.graph.erasure_rules import TABLE_ERASURE_RULES
from localrec.graph.store import Store

_COMMIT = 1 << 18  # bytes; DuckDB writes blocks of so many
# What must be there once at most.
_ONCE = {
    "node": "domain, kind, key",
    "import_receipt": "import_id",
    "memory": "node_id, version",
    "job": "job_id",
    "rule_set": "domain, version",
    "meta": "key",
    "shelf": "user_id, node_id",
    "embedding": "node_id, field, model",
}


def orphan_rows(store: Store) -> dict[str, int]:
    """Count the rows of each table whose node is missing; tables without such rows are left out."""
    found = {
        table: int(
            store.rows(f"SELECT count(*) FROM {table} t WHERE {_orphaned(rule.nodes)}")[0][0]
        )
        for table, rule in TABLE_ERASURE_RULES.items()
        if table != "node" and rule.nodes
    }
    return {table: count for table, count in found.items() if count}


def remove_orphan_rows(store: Store) -> dict[str, int]:
    """Remove rows that hang on a node that is not there, which nothing shows; returns how many."""
    with store.transaction():
        found = orphan_rows(store)
        for table in found:
            where = _orphaned(TABLE_ERASURE_RULES[table].nodes)
            store.execute(f"DELETE FROM {table} t WHERE {where}")
    return found


def repeated_rows(store: Store) -> dict[str, int]:
    """Count the keys of each table that occur more than once; tables without any are left out."""
    found = {
        table: int(
            store.rows(
                f"SELECT count(*) FROM (SELECT {key} FROM {table} GROUP BY ALL HAVING count(*) > 1)"
            )[0][0]
        )
        for table, key in _ONCE.items()
    }
    return {table: count for table, count in found.items() if count}


def try_writing(store: Store) -> None:
    """Write a row and take it back, and let the disk take a file as large as a commit.

    A row that is taken back puts no byte on the disk, and one that is committed and deleted would
    change the store. So the disk is asked with a file beside it, which goes at once.

    Raises:
        WorkspaceError: the disk refuses.
    """
    store.execute("BEGIN")
    try:
        store.execute("INSERT INTO meta VALUES ('dry write', 'taken back')")
    finally:
        store.execute("ROLLBACK")
    scratch = store.path.with_name("dry-write")
    with disk_trouble():
        try:
            write_atomically(scratch, bytes(_COMMIT))
        finally:
            scratch.unlink(missing_ok=True)


def _orphaned(nodes: tuple[str, ...]) -> str:
    return " OR ".join(_missing(nodes))


def _missing(nodes: tuple[str, ...]) -> Iterator[str]:
    for column in nodes:
        yield f"t.{column} NOT IN (SELECT node_id FROM node)"
