"""The sequences that number nodes, imports and jobs, held against the numbers already given.

A sequence that would give a number which is in use makes every write fail that needs one. So
wherever sequences are written anew, and when `localrec doctor` looks, what the sequence says of
itself is held against the rows: the larger of the two counts.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from localrec.foundation.errors import WorkspaceError
from localrec.graph.erasure_rules import TABLE_ERASURE_RULES
from localrec.graph.store import Store


class SequenceState(msgspec.Struct, frozen=True, kw_only=True):
    """The next value of one sequence, beside the largest number in use (0 for none)."""

    name: str
    upcoming: int
    largest: int

    @property
    def is_behind(self) -> bool:
        """Whether it would give a number that is in use, now or later."""
        return self.upcoming <= self.largest

    @property
    def safe_start(self) -> int:
        """The first number that was never given."""
        return max(self.upcoming, self.largest + 1)


def sequence_states(store: Store) -> list[SequenceState]:
    """Every sequence of the store, by name.

    Raises:
        WorkspaceError: there is a sequence that localrec does not know.
    """
    # A sequence nothing was drawn from since the file was opened has no last value, but a start.
    rows = store.rows(
        "SELECT sequence_name, greatest(start_value, coalesce(last_value + increment_by, 0)) "
        "FROM duckdb_sequences() WHERE database_name = current_database() ORDER BY 1"
    )
    return [
        SequenceState(name=name, upcoming=int(upcoming), largest=_largest(store, name))
        for name, upcoming in rows
    ]


def advance_sequences(store: Store) -> list[SequenceState]:
    """Let every sequence that is behind go on after the largest number in use.

    Returns:
        The sequences that were behind, as they were found.
    """
    with store.transaction():
        behind = [state for state in sequence_states(store) if state.is_behind]
        for state in behind:
            store.execute(f"CREATE OR REPLACE SEQUENCE {state.name} START {state.safe_start}")
    return behind


def _largest(store: Store, sequence: str) -> int:
    """The largest number of a sequence in any row; one that only a reference holds counts too."""
    largest = [
        store.rows(f"SELECT coalesce(max({column}), 0) FROM {table}")[0][0]
        for table, column in _numbered(sequence)
    ]
    return int(max(largest))


def _numbered(sequence: str) -> list[tuple[str, str]]:
    """The tables and columns that hold numbers of a sequence.

    Raises:
        WorkspaceError: localrec has no such sequence.
    """
    readers = {"node_ids": _node_columns, "import_ids": _import_columns, "job_ids": _own_columns}
    if sequence not in readers:
        raise WorkspaceError(
            f"The store has a sequence that localrec does not know: {sequence}.",
            "Take it out, or nobody can say which numbers it may give.",
        )
    return list(readers[sequence]())


def _node_columns() -> Iterator[tuple[str, str]]:
    for table, rule in TABLE_ERASURE_RULES.items():
        yield from ((table, column) for column in rule.nodes)


def _import_columns() -> Iterator[tuple[str, str]]:
    for table, rule in TABLE_ERASURE_RULES.items():
        if rule.imports is not None:
            yield table, rule.imports


def _own_columns() -> Iterator[tuple[str, str]]:
    for table, rule in TABLE_ERASURE_RULES.items():
        if rule.own is not None:
            yield table, rule.own
