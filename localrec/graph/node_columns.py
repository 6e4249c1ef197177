"""Nodes as columns: properties with their types, attributes as lists, names that are free.

What a property or attribute is called comes from foreign files, so it reaches SQL quoted only.
"""

from __future__ import annotations

from collections.abc import Iterable

from localrec.data.domains import Domain
from localrec.foundation.sql import sql_literal
from localrec.foundation.text import clean_name
from localrec.graph.store import Store

_NUMBERS = {"BIGINT", "UBIGINT", "DOUBLE"}


def is_item(domain: Domain) -> str:
    """Condition: the node `i` is an item of the domain."""
    return f"i.domain = {sql_literal(domain.name)} AND i.kind = {sql_literal(domain.item)}"


def edge_visible_to(user: str | None) -> str:
    """Condition: the edge `e` was not told by a person, or by `user`."""
    told_by = "e.properties->>'$.by'"
    return f"({told_by} IS NULL" + (f" OR {told_by} = {sql_literal(user)})" if user else ")")


def users_with_own_links(store: Store) -> frozenset[str]:
    """Keys of the users whose exports are here: they may have links of their own."""
    rows = store.rows("SELECT DISTINCT user_key FROM import_receipt WHERE user_key IS NOT NULL")
    return frozenset(key for (key,) in rows)


def users_hidden_from(store: Store, user: str | None) -> frozenset[str]:
    """The users whose own links a user does not see: all others; see `hidden_from`."""
    return hidden_from(users_with_own_links(store), user)


def hidden_from(with_links: frozenset[str], user: str | None) -> frozenset[str]:
    """Choose, among the users with links of their own, those whose links `user` does not see.

    A request without a user (None) sees the links of a lone user, and of several users none.
    """
    if user:
        return with_links - {clean_name(user)}
    return with_links if len(with_links) > 1 else frozenset()


def edge_not_from(users: Iterable[str]) -> str:
    """Condition: the edge `e` was told by a catalogue, or by somebody who is none of `people`."""
    if not (excluded := ", ".join(map(sql_literal, sorted(users)))):
        return "true"  # properties are not even read
    return f"coalesce(e.properties->>'$.by' NOT IN ({excluded}), true)"


def attribute_lists(domain: Domain, user: str | None, value: str) -> str:
    """Per item (`item_id`) one list `names_0`, `names_1`... for each attribute kind in order.

    `value` is SQL over the attribute's node `a`.
    """
    lists = "".join(
        f", list({value} ORDER BY e.rowid) FILTER (a.kind = {sql_literal(kind)}) AS names_{place}"
        for place, kind in enumerate(domain.attributes)
    )
    edges = ", ".join(sql_literal(spec.edge) for spec in domain.attributes.values())
    return (
        f"SELECT e.source_id AS item_id{lists} FROM edge e JOIN node a ON a.node_id = e.target_id "
        f"WHERE a.domain = {sql_literal(domain.name)} AND e.kind IN ({edges or 'NULL'}) "
        f"AND {edge_visible_to(user)} GROUP BY e.source_id"
    )


def property_types(store: Store, domain: Domain, kind: str) -> list[tuple[str, str]]:
    """Every property of the nodes of a kind with the SQL type that holds all its values.

    Names in lower case lead: where two differ in case alone, `year` stays and `Year` is numbered.
    """
    rows = store.rows(
        "SELECT p.key, list(DISTINCT p.type) FROM node n, json_each(n.properties) p "
        "WHERE n.domain = ? AND n.kind = ? AND p.type <> 'NULL' GROUP BY 1 "
        "ORDER BY p.key <> lower(p.key), p.key",
        [domain.name, kind],
    )
    return [(name, _sql_type(set(types))) for name, types in rows]


def _sql_type(types: set[str]) -> str:
    if types == {"BOOLEAN"}:
        return "BOOLEAN"
    if types <= _NUMBERS:
        return "DOUBLE" if "DOUBLE" in types else "BIGINT"
    return "VARCHAR"


def property_value(node: str, name: str, kind: str) -> str:
    """A property of `node` (an alias) as a value of the SQL type `kind`."""
    pointer = "/" + name.replace("~", "~0").replace("/", "~1")
    text = f"json_extract_string({node}.properties, {sql_literal(pointer)})"
    return text if kind == "VARCHAR" else f"TRY_CAST({text} AS {kind})"


def unused_column_name(name: str, taken: set[str]) -> str:
    """`name`, numbered where another column has it already: SQL does not tell cases apart."""
    free, number = name, 1
    while free.casefold() in taken:
        number += 1
        free = f"{name}_{number}"
    taken.add(free.casefold())
    return free
