"""A domain's interactions, items and people as RecBole's atomic files: the queries.

AgenticRec prepares its data so (appendix E): histories capped, rows split by time. Nothing here
holds the rows in memory; the one temporary table spills into files.
"""

from __future__ import annotations

from localrec.data.domains import Domain
from localrec.foundation.sql import sql_identifier, sql_literal
from localrec.graph.export_queries import NEWEST, UNMET
from localrec.graph.interactions import USER
from localrec.graph.node_columns import (
    attribute_lists,
    is_item,
    property_types,
    property_value,
    unused_column_name,
)
from localrec.graph.store import Store
from localrec.graph.table_writer import single_line

_TOKEN = "replace(a.key, ' ', '-')"  # RecBole parts the tokens of a sequence at blanks


def stage_interactions(
    writer: Store, domain: Domain, user_id: int | None, history: int | None
) -> int:
    """Temporary table `pair`: what people met, one row for each person and item.

    The newest row gives event and time, the newest rating counts. `position` (from 1) is the row's
    place in time, undated ones first. Runs out of memory into files, never out of memory.

    Args:
        writer: The store that gets the table.
        domain: The domain of the items.
        user_id: Only this person, or everybody.
        history: Keep only so many of each person's newest rows.

    Returns:
        How many rows there are.
    """
    whose = (
        f"user_id = {user_id}"
        if user_id is not None
        else "user_id IN (SELECT node_id FROM node "
        f"WHERE domain = {sql_literal(domain.name)} AND kind = {sql_literal(USER)})"
    )
    met = (
        'SELECT user_id, item_id, event, rating, "at", times, rowid AS place '
        f"FROM interaction WHERE {whose} AND event NOT IN {UNMET}"
    )
    capped = (
        f" QUALIFY row_number() OVER (PARTITION BY user_id ORDER BY {NEWEST}) <= {history}"
        if history
        else ""
    )
    # Nearly every pair has one row; windows over all of them would take five times as long.
    writer.execute(
        "CREATE OR REPLACE TEMP TABLE repeated AS SELECT user_id, item_id "
        f"FROM ({met}) GROUP BY ALL HAVING count(*) > 1"
    )
    writer.execute(
        "CREATE OR REPLACE TEMP TABLE pair AS "
        'SELECT *, row_number() OVER (ORDER BY "at" NULLS FIRST, place) AS position FROM ('
        f"SELECT * FROM (FROM ({met}) ANTI JOIN repeated USING (user_id, item_id) "
        f"UNION ALL {_newest_of(met)}){capped})"
    )
    return int(writer.rows("SELECT count(*) FROM pair")[0][0])


def _newest_of(met: str) -> str:
    """One row for each pair in `repeated`: the newest, with the newest rating of them all."""
    rows = "ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING"
    pair = f"PARTITION BY user_id, item_id ORDER BY {NEWEST}"
    return (
        f"SELECT * REPLACE (first_value(rating IGNORE NULLS) OVER ({pair} {rows}) AS rating) "
        f"FROM ({met}) SEMI JOIN repeated USING (user_id, item_id) "
        f"QUALIFY row_number() OVER ({pair}) = 1"
    )


def count_undated(writer: Store) -> int:
    """Count the rows of `pair` that have no time."""
    return int(writer.rows('SELECT count(*) FROM pair WHERE "at" IS NULL')[0][0])


def recbole_interactions_query(first: int, last: int) -> str:
    """The rows of `pair` at positions `first` to `last` as an `.inter` file; by time."""
    # Keys are cleaned before the join: a hundred thousand times, not twenty-five million times.
    keys = f"(SELECT node_id, {single_line('key')} AS key FROM node)"
    return (
        'SELECT u.key AS "user_id:token", i.key AS "item_id:token", p.rating AS "rating:float", '
        'epoch(p."at")::BIGINT AS "timestamp:float", p.event AS "event:token", '
        f'p.times AS "times:float" FROM pair p JOIN {keys} u ON u.node_id = p.user_id '
        f"JOIN {keys} i ON i.node_id = p.item_id "
        f"WHERE p.position BETWEEN {first} AND {last} ORDER BY p.position"
    )


def recbole_items_query(store: Store, domain: Domain, user: str | None) -> str:
    """The domain's items as an `.item` file; for one person those of `pair` alone.

    Attributes are sequences of keys, their blanks turned into hyphens.
    """
    columns = [
        f'{single_line("i.key")} AS "item_id:token"',
        f'{single_line("i.name")} AS "name:token_seq"',
    ]
    taken = {"item_id", "name"}
    columns += _atomic_properties(store, domain, domain.item, "i", taken)
    for place, kind in enumerate(domain.attributes):
        field = unused_column_name(kind, taken)
        columns.append(
            f"array_to_string(a.names_{place}, ' ') AS {sql_identifier(field + ':token_seq')}"
        )
    met = " AND i.node_id IN (SELECT item_id FROM pair)" if user is not None else ""
    return (
        f"SELECT {', '.join(columns)} FROM node i "
        f"LEFT JOIN ({attribute_lists(domain, user, _TOKEN)}) a ON a.item_id = i.node_id "
        f"WHERE {is_item(domain)}{met} ORDER BY i.node_id"
    )


def recbole_users_query(store: Store, domain: Domain, user_id: int | None) -> str:
    """The domain's people, or one of them, as a `.user` file."""
    columns = [f'{single_line("u.key")} AS "user_id:token"']
    columns += _atomic_properties(store, domain, USER, "u", {"user_id"})
    only = "" if user_id is None else f" AND u.node_id = {user_id}"
    return (
        f"SELECT {', '.join(columns)} FROM node u WHERE u.domain = {sql_literal(domain.name)} "
        f"AND u.kind = {sql_literal(USER)}{only} ORDER BY u.node_id"
    )


def _atomic_properties(
    store: Store, domain: Domain, kind: str, node: str, taken: set[str]
) -> list[str]:
    """Columns of an atomic file for the properties of a kind; a year is a token, as elsewhere."""
    columns = []
    for name, sql_type in property_types(store, domain, kind):
        if name == "name":
            continue
        text = property_value(node, name, sql_type)
        field = unused_column_name(" ".join(name.split()), taken)
        if sql_type == "VARCHAR":
            columns.append(f"{single_line(text)} AS {sql_identifier(field + ':token_seq')}")
        else:
            atomic = "float" if sql_type != "BOOLEAN" and name != "year" else "token"
            columns.append(f"{text} AS {sql_identifier(f'{field}:{atomic}')}")
    return columns
