"""A store written anew without the rows that leave, and a look at every value it holds.

DELETE leaves the bytes in DuckDB's file, CHECKPOINT or not. So what stays is copied, table by
table and set-based, into a fresh file whose schema the migrations make; the old file is left as it
is. The copy needs the disk space of what stays and the memory that a store is allowed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import msgspec

from localrec.data.rows import ImportReport
from localrec.foundation.atomic_files import sync
from localrec.foundation.sql import sql_literal
from localrec.graph.erasure_rules import TABLE_ERASURE_RULES, TableErasureRule
from localrec.graph.journal import sidecar_files
from localrec.graph.sequences import sequence_states
from localrec.graph.source_labels import add_source_labels
from localrec.graph.store import Store
from localrec.privacy.erasure_plan import ErasurePlan
from localrec.privacy.leak_scan import LeakPattern, PatternScanner

# A BLOB is a picture that localrec wrote itself, of pixels only.
_WORDLESS = re.compile(
    r"^(U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|FLOAT|DOUBLE|DECIMAL\(.*\)|BOOLEAN|DATE|TIME.*|INTERVAL"
    r"|BLOB)(\[\d*\])*$"
)
_TEXTS = re.compile(r"^(VARCHAR|JSON|ENUM\(.*\))$")
_FEW = 10_000  # different values below which a column is asked for them instead of read through
_ROWS_AT_ONCE = 100_000


class LeakFinding(msgspec.Struct, frozen=True, kw_only=True):
    """Something that was looked for and is there: a column `node.name` or a file, how often.

    `what` is "key" or "text"; the trace itself is not repeated.
    """

    place: str
    what: str
    count: int


class StoreScan(msgspec.Struct, frozen=True, kw_only=True):
    """The traces in all texts of a store.

    Args:
        columns: The number of columns read.
        found: Traces in rows and columns where only the forgotten user can have left them.
        namesakes: The same words in a catalogue or in the words of other users: no traces.
        shared: The patterns of `namesakes`, which the bytes of the store's file cannot tell apart.
    """

    columns: int
    found: tuple[LeakFinding, ...]
    namesakes: tuple[LeakFinding, ...]
    shared: frozenset[LeakPattern]


def copy_remaining_rows(
    leaving: ErasurePlan,
    fresh: Path,
    search: PatternScanner,
    progress: Callable[[str, int, int], None],
) -> None:
    """Copy what stays into the new store `fresh`, which is on disk when this returns.

    Args:
        leaving: Marked on a store that was opened with `may_read=sidecar_files(fresh)`.
        fresh: Overwritten.
        search: Receipts that stay lose the lines in which it finds something.
        progress: Called with the step, tables done and tables in all.
    """
    for name in sidecar_files(fresh):
        Path(name).unlink(missing_ok=True)
    Store.open_(fresh).close()  # the schema, by the migrations
    store = leaving.store
    store.execute("CHECKPOINT")  # what stands in the old log must not outlive the old file
    with _attached(store, fresh), store.transaction():
        _mend_receipts(store, search)
        store.execute("DELETE FROM fresh.meta")
        _add_remaining_sources(leaving)
        for number, table in enumerate(TABLE_ERASURE_RULES):
            progress(f"copying {table}", number, len(TABLE_ERASURE_RULES))
            store.execute(
                f"INSERT INTO fresh.{table} SELECT * {_mended(table)} FROM {table} t "
                f"WHERE {leaving.goes(table)} IS NOT TRUE"
            )
        leaving.record_orphans_in_use("fresh.brought")
        _copy_sequences(store)
    sync(fresh)


def scan_store(store: Store, search: PatternScanner) -> StoreScan:
    """Look for traces in every text of every table, as SQL delivers it."""
    found: Counter[tuple[str, LeakPattern]] = Counter()
    namesakes: Counter[tuple[str, LeakPattern]] = Counter()
    columns = _text_columns(store)
    for table, column, text in columns:
        for look in _looks(TABLE_ERASURE_RULES.get(table, TableErasureRule()), column, text):
            counts = found if look.is_personal else namesakes
            for texts in _texts(store, table, look.text, look.condition):
                for pattern, count in search.in_texts(texts).items():
                    counts[f"{table}.{column}", pattern] += count
    return StoreScan(
        columns=len(columns),
        found=leak_findings(found),
        namesakes=leak_findings(namesakes),
        shared=frozenset(pattern for _, pattern in namesakes),
    )


class _Look(NamedTuple):
    """SQL for texts of some rows, and whether what is found there can only be the forgotten's."""

    text: str
    condition: str
    is_personal: bool


def _looks(rule: TableErasureRule, column: str, text: str) -> list[_Look]:
    """Build the searches of a column: words that anybody may use apart from a user's own."""
    if column in rule.terms:
        return [_Look(text, "true", False)]
    if column in rule.parts:
        personal, other = rule.parts[column]
        return [_Look(personal, "true", True), _Look(other, "true", False)]
    if column in rule.words:
        personal = f"({rule.personal})"
        return [_Look(text, personal, True), _Look(text, f"{personal} IS NOT TRUE", False)]
    return [_Look(text, "true", True)]


def leak_findings(counts: Counter[tuple[str, LeakPattern]]) -> tuple[LeakFinding, ...]:
    """Counts per place and pattern as traces, which name places and kinds only."""
    summed: Counter[tuple[str, str]] = Counter()
    for (place, pattern), count in counts.items():
        summed[place, "key" if pattern.is_key else "text"] += count
    return tuple(
        LeakFinding(place=place, what=what, count=count)
        for (place, what), count in sorted(summed.items())
    )


@contextmanager
def _attached(store: Store, fresh: Path) -> Iterator[None]:
    store.execute(f"ATTACH {sql_literal(fresh)} AS fresh")
    try:
        yield
        store.execute("CHECKPOINT fresh")
    finally:
        store.execute("DETACH fresh")


def _copy_sequences(store: Store) -> None:
    """Go on counting where the old store stopped, so that no id is given twice."""
    for state in sequence_states(store):
        store.execute(f"CREATE OR REPLACE SEQUENCE fresh.{state.name} START {state.safe_start}")


def _mend_receipts(store: Store, search: PatternScanner) -> None:
    """Table mended_receipt: receipts of others that mention what leaves, without these lines."""
    store.execute("CREATE TEMP TABLE mended_receipt (import_id BIGINT, report JSON)")
    for import_id, report in store.rows("SELECT import_id, report::VARCHAR FROM import_receipt"):
        if search.in_texts([report]):
            store.execute(
                "INSERT INTO mended_receipt VALUES (?, ?)", [import_id, _mend(report, search)]
            )


def _mend(report: str, search: PatternScanner) -> str:
    told = msgspec.json.decode(report, type=ImportReport)
    mended = msgspec.structs.replace(
        told,
        path="" if search.in_texts([told.path]) else told.path,
        problems=tuple(p for p in told.problems if not search.in_texts([p.problem])),
    )
    return msgspec.json.encode(mended).decode()


def _mended(table: str) -> str:
    if table != "import_receipt":
        return ""
    mended = "SELECT m.report FROM mended_receipt m WHERE m.import_id = t.import_id"
    return f"REPLACE (coalesce(({mended}), t.report) AS report)"


def _add_remaining_sources(leaving: ErasurePlan) -> None:
    """A source that only those who leave had is not named by the new store's schema either."""
    staying = leaving.store.rows(
        "SELECT DISTINCT source FROM interaction t "
        f"WHERE {leaving.goes('interaction')} IS NOT TRUE ORDER BY ALL"
    )
    add_source_labels(leaving.store, [source for (source,) in staying], "fresh")


def _text_columns(store: Store) -> list[tuple[str, str, str]]:
    """Table, column, and SQL for its text; lists and records become JSON."""
    rows = store.rows(
        "SELECT table_name, column_name, data_type FROM duckdb_columns() "
        "WHERE NOT internal AND database_name = current_database() "
        "AND table_name IN (SELECT table_name FROM duckdb_tables()) "  # views have no own text
        "ORDER BY table_name, column_index"
    )
    return [
        (table, name, f'"{name}"' if _TEXTS.match(kind) else f'to_json("{name}")')
        for table, name, kind in rows
        if not _WORDLESS.match(kind)
    ]


def _texts(store: Store, table: str, text: str, condition: str) -> Iterator[list[str]]:
    """The texts of a column, in portions; each different one once where they are few."""
    different, rows = store.rows(
        f"SELECT approx_count_distinct({text}), coalesce(max(rowid) + 1, 0) FROM {table}"
    )[0]
    if different < _FEW:
        portions = [f"SELECT DISTINCT {text}::VARCHAR FROM {table} WHERE {condition}"]
    else:
        portions = [
            f"SELECT {text}::VARCHAR FROM {table} WHERE rowid >= {start} "
            f"AND rowid < {start + _ROWS_AT_ONCE} AND {condition}"
            for start in range(0, rows, _ROWS_AT_ONCE)
        ]
    for portion in portions:
        if texts := [said for (said,) in store.rows(portion) if said is not None]:
            yield texts
