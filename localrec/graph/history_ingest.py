"""What people did, into the graph: one transaction, set-based, idempotent.

A personal export passes through Python (`ingest_history`); a data set of millions is read by the
store itself (`ingest_bulk`). What other sources and feedback said stays. Of the same source, a data
set replaces all that it said of its users, an export what it said of its users and items. A part of
an export (`HistoryRows.is_part`) replaces only what says the same or less: a list of films watched
takes no rating away.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import msgspec
import numpy as np

from localrec.data.domains import Domain
from localrec.data.rows import (
    BulkHistory,
    Event,
    HistoryRows,
    ImportReport,
    InteractionRow,
    ItemRow,
    UserRow,
)
from localrec.foundation.file_marks import require_unchanged
from localrec.foundation.prose import count_of
from localrec.graph.interactions import USER
from localrec.graph.item_ingest import Staged, record_import, stage_items, texts_column, write_items
from localrec.graph.item_matching import match_existing_items
from localrec.graph.source_labels import add_source_labels
from localrec.graph.store import Columns, Store
from localrec.graph.stored_counts import (
    count_source,
    require_count,
    require_interactions,
    require_nodes,
)

_encode = msgspec.json.Encoder().encode
_Progress = Callable[[str], None]

_PLANS = (Event.WANTED, Event.LATER)
_REFUSALS = (Event.DISLIKED, Event.ABANDONED)
# What a row takes the place of, where the same source said it of the same user and item before.
_REPLACES: dict[Event, tuple[Event, ...]] = {
    Event.RATED: (Event.RATED, Event.SEEN, *_REFUSALS, *_PLANS),
    Event.LIKED: (Event.LIKED, *_REFUSALS, *_PLANS),
    Event.DISLIKED: tuple(Event),
    Event.ABANDONED: tuple(Event),
    Event.SEEN: (Event.SEEN, *_PLANS),
    Event.PLAYED: (Event.PLAYED, *_PLANS),
    Event.WANTED: (Event.WANTED,),
    Event.LATER: (Event.LATER,),
}
# Whoever said one of these of an item has met it: that it was seen adds nothing but how often.
_SAID_MORE = (Event.RATED, *_REFUSALS)


def ingest_history(
    store: Store,
    domain: Domain,
    history: HistoryRows,
    by: str | None,
    progress: _Progress = lambda stage: None,
) -> ImportReport:
    """Write items and interactions of one export, all or nothing.

    Args:
        store: An open, writable store.
        domain: The domain of the items.
        history: The rows that a source read.
        by: The person whose export it is; None for a data set.
        progress: Called with the name of each step.

    Returns:
        The receipt as it was stored: it says how many items were found again in a catalogue.
    """
    progress("finding the items")
    again = match_existing_items(store, domain, history.items)
    staged = stage_items(domain, list(_to_store(history.items, again, by)), by)
    staged["staged_person"] = _stage_users(history.users, history.interactions)
    staged["staged_interaction"] = _stage_interactions(history.interactions, again)
    progress("writing the graph")
    with store.staged(**staged), store.transaction():
        write_items(store, domain, history.report, by)
        _write_users(store, domain)
        told_before = _write_interactions(store, domain, history)
        require_nodes(store, domain)
        require_interactions(store, domain, history.report.source)
        report = _receipt(history.report, len(again), told_before)
        record_import(store, domain, report, by)
    return report


def ingest_bulk(
    store: Store, domain: Domain, history: BulkHistory, progress: _Progress = lambda stage: None
) -> ImportReport:
    """Let the store read a data set of many people, all or nothing.

    What the source gives is read twice, for the keys and for the rows, rather than held: memory
    stays that of a few row groups. The store must have been opened with `may_read=history.files`.

    Returns:
        The receipt as it was stored: rows that double others count as merged.
    """
    progress("writing the items")
    staged: Staged = stage_items(domain, history.items)
    staged["staged_person"] = _stage_users(history.users, ())
    with store.staged(**staged), store.transaction():
        write_items(store, domain, history.report)
        _write_users(store, domain)
        progress("finding people and items")
        _map_keys(store, domain, history.select)
        progress("writing what they did")
        others = _write_rows(store, history)
        require_unchanged(history.marks)
        progress("looking for doubles")
        told = history.report
        doubles = _merge_doubles(store, told.source)
        require_nodes(store, domain)
        require_count(history.rows - doubles, count_source(store, told.source) - others)
        report = msgspec.structs.replace(
            told, kept=told.kept - doubles, merged=told.merged + doubles
        )
        record_import(store, domain, report)
    return report


def _to_store(items: Sequence[ItemRow], again: dict[str, str], by: str | None) -> Iterator[ItemRow]:
    """The new items, and what a person alone says of those that were found again."""
    for row in items:
        if row.key not in again:
            yield row
        elif by is not None:
            own = tuple(link for link in row.links if link.personal)
            yield ItemRow(key=again[row.key], name=row.name, links=own)


def _map_keys(store: Store, domain: Domain, select: str) -> None:
    """Temporary tables incoming_user and incoming_item: the file's key -> node id.

    Keys keep the file's own type, so that numbers are joined as numbers.
    """
    store.execute(
        "CREATE OR REPLACE TEMP TABLE incoming_key AS SELECT user_key, item_key "
        f"FROM ({select}) GROUP BY GROUPING SETS ((user_key), (item_key))"
    )
    for column, kind in (("user_key", USER), ("item_key", domain.item)):
        store.execute(
            "INSERT INTO node SELECT nextval('node_ids'), $1, $2, key, key, '{}' FROM ("
            f"SELECT {column}::VARCHAR AS key FROM incoming_key WHERE {column} IS NOT NULL "
            f"AND {column}::VARCHAR NOT IN (SELECT key FROM node WHERE domain = $1 AND kind = $2) "
            f"ORDER BY {column})",
            [domain.name, kind],
        )
        store.execute(
            f"CREATE OR REPLACE TEMP TABLE incoming_{column} AS "
            f"SELECT {column}, node_id FROM incoming_key JOIN node n "
            f"ON n.domain = ? AND n.kind = ? AND n.key = {column}::VARCHAR",
            [domain.name, kind],
        )


def _write_rows(store: Store, history: BulkHistory) -> int:
    """Replace what the source said of these people; how much it said of others stays."""
    source = history.report.source
    store.execute(
        "DELETE FROM interaction WHERE source = ? "
        "AND user_id IN (SELECT node_id FROM incoming_user_key)",
        [source],
    )
    others = count_source(store, source)
    named = (
        f"CAST(? AS {add_source_labels(store, [source])})"  # a cast row by row would cost a tenth
    )
    # A store opened for such an import takes joins as written: the file streams past two tables
    # of keys. Rows of one moment have no other order than the file's, and a join loses it.
    store.execute(
        f'INSERT INTO interaction SELECT user_id, item_id, event, rating, "at", times, {named}, '
        "note FROM (SELECT u.node_id AS user_id, i.node_id AS item_id, r.* FROM "
        f"(SELECT *, row_number() OVER () AS place FROM ({history.select})) r "
        "JOIN incoming_user_key u USING (user_key) JOIN incoming_item_key i USING (item_key) "
        "ORDER BY place)",
        [source],
    )
    for table in ("incoming_key", "incoming_user_key", "incoming_item_key"):
        store.execute(f"DROP TABLE temp.{table}")
    return others


def _merge_doubles(store: Store, source: str) -> int:
    """Keep one row of each person, item and event, the newest; plays add up.

    Returns:
        How many rows went.
    """
    if not _are_pairs_met_twice(store, source):
        return 0
    # Undated rows count as the oldest, rows of one moment in the order of the file.
    newest = "(coalesce(\"at\", TIMESTAMP '0001-01-01'), row_id)"
    store.execute(
        "CREATE OR REPLACE TEMP TABLE doubled AS SELECT user_id, item_id FROM interaction "
        "WHERE source = ? GROUP BY user_id, item_id HAVING count(*) > 1",
        [source],
    )
    store.execute(
        "CREATE OR REPLACE TEMP TABLE merged AS SELECT user_id, item_id, event, "
        f'arg_max_null(rating, {newest}) AS rating, max("at") AS "at", '
        "CASE event WHEN 'played' THEN sum(times) ELSE max(times) END AS times, "
        f"arg_max_null(note, {newest}) AS note, count(*) AS many FROM ("
        "SELECT x.*, x.rowid AS row_id FROM interaction x SEMI JOIN doubled "
        "USING (user_id, item_id) WHERE source = ?) "
        "GROUP BY user_id, item_id, event HAVING count(*) > 1",
        [source],
    )
    store.execute(
        "DELETE FROM interaction WHERE source = ? AND (user_id, item_id, event) IN "
        "(SELECT (user_id, item_id, event) FROM merged)",
        [source],
    )
    store.execute(
        'INSERT INTO interaction SELECT user_id, item_id, event, rating, "at", times, ?, note '
        "FROM merged",
        [source],
    )
    [[merged]] = store.rows("SELECT coalesce(sum(many - 1), 0) FROM merged")
    store.execute("DROP TABLE temp.merged")
    store.execute("DROP TABLE temp.doubled")
    return int(merged)


def _are_pairs_met_twice(store: Store, source: str) -> bool:
    """Whether a source speaks twice of one person and item: numbers sorted, which is fastest.

    Most data sets are sorted already, by person and item; looking costs a fiftieth of sorting.
    """
    pairs = store.columns(
        "SELECT user_id * 4294967296 + item_id AS pair FROM interaction WHERE source = ?", [source]
    )["pair"]
    pairs = np.asarray(pairs)
    if (pairs[1:] > pairs[:-1]).all():
        return False
    pairs = np.sort(pairs)
    return bool((pairs[1:] == pairs[:-1]).any())


def _write_users(store: Store, domain: Domain) -> None:
    store.execute(
        "UPDATE node SET properties = s.properties FROM staged_person s WHERE s.properties <> '{}' "
        "AND node.domain = ? AND node.kind = ? AND node.key = s.key",
        [domain.name, USER],
    )
    store.execute(
        "INSERT INTO node SELECT nextval('node_ids'), $1, $2, key, key, properties FROM ("
        "SELECT * FROM staged_person s ANTI JOIN node n "
        "ON n.domain = $1 AND n.kind = $2 AND n.key = s.key ORDER BY s.position)",
        [domain.name, USER],
    )


def _write_interactions(store: Store, domain: Domain, history: HistoryRows) -> int:
    """Add what a source says of users and items; what it said of them before gives way.

    A row of a part of an export replaces rows that say the same or less (`_REPLACES`), and takes
    over the moment and the note that it lacks itself; the greater count stays. That something was
    seen says less than a rating or a refusal: such a row is left out, but for its count.

    Returns:
        How many rows were left out.
    """
    source = history.report.source
    add_source_labels(store, [source])
    store.execute(
        "CREATE OR REPLACE TEMP TABLE incoming AS SELECT u.node_id AS user_id, "
        's.position, i.node_id AS item_id, s.event, s.rating, s."at", s.times, '
        "nullif(s.note, '') AS note "
        "FROM staged_interaction s JOIN node u ON u.domain = $1 AND u.kind = $2 AND u.key = s.user "
        "JOIN node i ON i.domain = $1 AND i.kind = $3 AND i.key = s.item",
        [domain.name, USER, domain.item],
    )
    store.execute(
        "CREATE OR REPLACE TEMP TABLE known AS SELECT x.*, x.rowid AS place FROM interaction x "
        "WHERE source = ? AND (user_id, item_id) IN (SELECT (user_id, item_id) FROM incoming)",
        [source],
    )
    left_out = 0
    if history.is_part:
        left_out = _leave_out_seen(store)
        _take_over(store)
    else:
        store.execute("DELETE FROM interaction WHERE rowid IN (SELECT place FROM known)")
    store.execute(
        'INSERT INTO interaction SELECT user_id, item_id, event, rating, "at", times, ?, note '
        "FROM incoming ORDER BY position",
        [source],
    )
    for table in ("incoming", "known"):
        store.execute(f"DROP TABLE temp.{table}")
    return left_out


def _leave_out_seen(store: Store) -> int:
    """Take rows out of `incoming` that only say seen of what `known` says more of; how many."""
    store.execute(
        "CREATE OR REPLACE TEMP TABLE met_again AS SELECT k.place, x.position, x.times "
        "FROM incoming x JOIN known k USING (user_id, item_id) "
        "WHERE x.event = $1 AND k.event IN (SELECT unnest($2)) AND (user_id, item_id) NOT IN "
        "(SELECT (user_id, item_id) FROM incoming WHERE event IN (SELECT unnest($2)))",
        [Event.SEEN.value, [event.value for event in _SAID_MORE]],
    )
    store.execute(
        "UPDATE interaction SET times = greatest(interaction.times, m.times) FROM met_again m "
        "WHERE interaction.rowid = m.place AND m.times > interaction.times"
    )
    [[count]] = store.rows("SELECT count(DISTINCT position) FROM met_again")
    store.execute("DELETE FROM incoming WHERE position IN (SELECT position FROM met_again)")
    store.execute("DROP TABLE temp.met_again")
    return int(count)


def _take_over(store: Store) -> None:
    """Delete what rows of `incoming` replace, after they took over what they lack."""
    pairs = [(event, other) for event, others in _REPLACES.items() for other in others]
    store.execute(
        "CREATE OR REPLACE TEMP TABLE replaced AS SELECT x.position, x.event AS now, k.* "
        "FROM incoming x JOIN known k USING (user_id, item_id) "
        "WHERE (x.event, k.event) IN (SELECT (unnest(?), unnest(?)))",
        [[event.value for event, _ in pairs], [other.value for _, other in pairs]],
    )
    store.execute(
        'UPDATE incoming SET "at" = CASE WHEN incoming.event = $1 THEN greatest(incoming."at", '
        'r."at") ELSE coalesce(incoming."at", r."at") END, '
        "note = coalesce(incoming.note, r.note), times = greatest(incoming.times, r.times) "
        'FROM (SELECT position, max("at") AS "at", any_value(note) AS note, max(times) AS times '
        "FROM replaced WHERE event = now OR event NOT IN (SELECT unnest($2)) GROUP BY position) r "
        "WHERE incoming.position = r.position",
        [Event.PLAYED.value, [event.value for event in (*_PLANS, *_REFUSALS)]],
    )
    store.execute("DELETE FROM interaction WHERE rowid IN (SELECT place FROM replaced)")
    store.execute("DROP TABLE temp.replaced")


def _receipt(report: ImportReport, found_again: int, left_out: int) -> ImportReport:
    """The receipt with what only the store knew."""
    notes = report.notes
    if left_out:
        notes += (
            f"{count_of(left_out, 'row')} only says that an item was met, of which this source "
            "told a rating before: the rating stays."
            if left_out == 1
            else f"{count_of(left_out, 'row')} only say that an item was met, of which this source "
            "told a rating before: the ratings stay.",
        )
    return msgspec.structs.replace(
        report,
        found_again=found_again,
        notes=notes,
        kept=report.kept - left_out,
        merged=report.merged + left_out,
    )


def _stage_users(users: Sequence[UserRow], interactions: Sequence[InteractionRow]) -> Columns:
    told = {user.key: _encode(user.properties).decode() for user in users}
    for interaction in interactions:
        told.setdefault(interaction.user, "{}")
    return {
        "position": np.arange(len(told), dtype=np.int64),
        "key": texts_column(list(told)),
        "properties": texts_column(list(told.values())),
    }


def _stage_interactions(interactions: Sequence[InteractionRow], again: dict[str, str]) -> Columns:
    never = np.datetime64("NaT")
    at = [np.datetime64(row.at) if row.at is not None else never for row in interactions]
    ratings = [np.nan if row.rating is None else row.rating for row in interactions]
    return {
        "position": np.arange(len(interactions), dtype=np.int64),
        "user": texts_column([row.user for row in interactions]),
        "item": texts_column([again.get(row.item, row.item) for row in interactions]),
        "event": texts_column([row.event.value for row in interactions]),
        "rating": np.ma.masked_invalid(np.array(ratings, dtype=np.float32)),
        "at": np.array(at, dtype="datetime64[us]"),
        "times": np.array([row.times for row in interactions], dtype=np.int32),
        "note": texts_column([row.note or "" for row in interactions]),
    }
