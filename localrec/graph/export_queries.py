"""What can be taken out of the graph, as SQL: each function gives a query, none runs row by row.

The queries are run by an writer (`graph/table_writer.py`), which inlines no value that did not pass
`literal` or `quoted`. Of several rows about one person, item and event the newest counts. What
somebody else said of an item in their own export (edges with `by`) never leaves with another
person's data.
"""

from __future__ import annotations

from collections.abc import Sequence

from localrec.data.domains import Domain
from localrec.foundation.sql import sql_identifier, sql_literal
from localrec.graph.domain_files import has_items_of_kind, known_domains
from localrec.graph.interactions import USER
from localrec.graph.node_columns import (
    attribute_lists,
    edge_visible_to,
    is_item,
    property_types,
    property_value,
    unused_column_name,
)
from localrec.graph.store import Store

# Order of rows about one thing, for windows; `place` is the row's number in the table.
NEWEST = '"at" DESC NULLS LAST, place DESC'
# Wanting a thing is no meeting with it: such rows stay out of watched films and benchmarks.
UNMET = "('wanted', 'later')"


def domains_of_user(store: Store, user: str) -> dict[str, int]:
    """The domains in which a person is known -> the person's node there."""
    rows = store.rows(
        "SELECT domain, node_id FROM node WHERE kind = ? AND key = ? ORDER BY domain", [USER, user]
    )
    return {domain: int(node_id) for domain, node_id in rows}


def domains_of_items(store: Store, keys: Sequence[str]) -> dict[str, int]:
    """The domains that have items (not people) of these keys -> how many, most first."""
    rows = store.rows(
        "SELECT domain, kind, count(*) FROM node WHERE key IN (SELECT unnest(?)) "
        "GROUP BY ALL ORDER BY 3 DESC, 1",
        [list(keys)],
    )
    shipped = known_domains()
    return {
        domain: int(count)
        for domain, kind, count in rows
        if domain in shipped and has_items_of_kind(domain, kind)
    }


def history_query(user_id: int) -> str:
    """One row for each item and event of a person, oldest first; undated rows lead."""
    return (
        f"SELECT i.key AS item, i.name, {_year('i')} AS year, {_creator('i')} AS creator, "
        'd.event, round(d.rating::DOUBLE, 2) AS rating, d."at", d.times, d.note, d.source '
        f"FROM ({_current(user_id)}) d JOIN node i ON i.node_id = d.item_id "
        'ORDER BY d."at" NULLS FIRST, d.place'
    )


def items_query(store: Store, domain: Domain, user: str | None) -> str:
    """One row for each item: key, name, every property of the domain's items, its attributes.

    Property columns are numbers or truth values where every item has such, else texts; attribute
    columns are lists of names. Of personal attributes only those of `user` are shown.
    """
    columns = ["i.key", "i.name"]
    taken = {"key", "name"}
    for name, kind in property_types(store, domain, domain.item):
        if name != "name":
            columns.append(
                f"{property_value('i', name, kind)} "
                f"AS {sql_identifier(unused_column_name(name, taken))}"
            )
    for place, kind in enumerate(domain.attributes):
        columns.append(f"a.names_{place} AS {sql_identifier(unused_column_name(kind, taken))}")
    return (
        f"SELECT {', '.join(columns)} FROM node i "
        f"LEFT JOIN ({attribute_lists(domain, user, 'a.name')}) a ON a.item_id = i.node_id "
        f"WHERE {is_item(domain)} ORDER BY i.node_id"
    )


def profile_query(domain: Domain, user: str, user_id: int) -> str:
    """Return a user's profile without the single interactions, as one long table.

    `section` is property (`value`), event and rating (how often), shelf (since when), or
    attribute: how many rated items have it, their average, how many were liked and disliked.
    """
    kinds = ", ".join(sql_literal(kind) for kind in domain.attributes)
    user_profile = (
        "SELECT item_id, any_value(rating) FILTER (event = 'rated') AS rating, "
        'last(event ORDER BY "at" NULLS FIRST, place) '
        "FILTER (event IN ('liked', 'disliked', 'abandoned')) AS verdict "
        "FROM current_event GROUP BY item_id"
    )
    attributes = (
        "SELECT a.kind, a.key, a.name, count(t.rating) AS count, "
        "round(avg(t.rating::DOUBLE), 3) AS average, "
        "count(*) FILTER (t.verdict = 'liked') AS liked, "
        "count(*) FILTER (t.verdict IN ('disliked', 'abandoned')) AS disliked FROM taste t "
        "JOIN edge e ON e.source_id = t.item_id JOIN node a ON a.node_id = e.target_id "
        f"WHERE a.kind IN ({kinds}) AND {edge_visible_to(user)} "
        "AND (t.rating IS NOT NULL OR t.verdict IS NOT NULL) GROUP BY ALL"
    )
    sections = (
        f"SELECT 0 AS part, 'property' AS section, NULL::VARCHAR AS kind, p.key, p.key AS name, "
        "p.value->>'$' AS value, NULL::BIGINT AS count, NULL::DOUBLE AS average, "
        "NULL::BIGINT AS liked, NULL::BIGINT AS disliked "
        f"FROM node u, json_each(u.properties) p WHERE u.node_id = {user_id}",
        "SELECT 1, 'event', NULL, event, event, NULL, count(*), NULL, NULL, NULL "
        "FROM current_event GROUP BY event",
        "SELECT 2, 'rating', NULL, rating::VARCHAR, rating::VARCHAR, NULL, count(*), NULL, NULL, "
        "NULL FROM current_event WHERE event = 'rated' AND rating IS NOT NULL GROUP BY rating",
        "SELECT 3, 'shelf', n.kind, n.key, n.name, s.\"at\"::VARCHAR, NULL, NULL, NULL, NULL "
        f"FROM shelf s JOIN node n USING (node_id) WHERE s.user_id = {user_id}",
        "SELECT 4, 'attribute', kind, key, name, NULL, count, average, liked, disliked "
        f"FROM ({attributes})",
    )
    return (
        f"WITH current_event AS ({_current(user_id)}), taste AS ({user_profile}) "
        f"SELECT * EXCLUDE part FROM ({' UNION ALL '.join(sections)}) "
        "ORDER BY part, kind NULLS FIRST, average DESC NULLS LAST, count DESC, key"
    )


def list_query(domain: Domain) -> str:
    """The list staged as `staged_list` (rank, key, name, score, reason), with year and creator."""
    return (
        f"SELECT l.rank, l.key, l.name, {_year('i')} AS year, {_creator('i')} AS creator, "
        f"CASE WHEN NOT isnan(l.score) THEN l.score END AS score, nullif(l.reason, '') AS reason "
        f"FROM staged_list l LEFT JOIN node i ON {is_item(domain)} "
        "AND i.key = l.key ORDER BY l.rank"
    )


def letterboxd_list_query(domain: Domain) -> str:
    """The same in the columns that a list on Letterboxd is made from."""
    return (
        f'SELECT l.rank AS "Position", l.name AS "Title", {_year("i")} AS "Year", '
        f"nullif(l.reason, '') AS \"Description\", {_film_ids('i')} FROM staged_list l "
        f"LEFT JOIN node i ON {is_item(domain)} AND i.key = l.key ORDER BY l.rank"
    )


def letterboxd_query(user: str, user_id: int) -> str:
    """A person's films in Letterboxd's columns, one row each, in the order they were met.

    Letterboxd takes half stars and knows no dislikes. A film has a WatchedDate where somebody said
    when it was seen; the day of a rating is not that. Tags are the person's own; a Review is
    what was written with a rating or a viewing, never the reason given with a like or dislike.
    """
    film = (
        "SELECT item_id, any_value(rating) FILTER (event = 'rated') AS rating, "
        "max(\"at\") FILTER (event IN ('seen', 'played')) AS seen_at, "
        "max(times) FILTER (event IN ('seen', 'played')) AS times, "
        'last(note ORDER BY "at" NULLS FIRST, place) '
        "FILTER (event IN ('rated', 'seen') AND note IS NOT NULL) AS note, "
        'min("at") AS first_at, min(place) AS place '
        f"FROM ({_current(user_id)}) WHERE event NOT IN {UNMET} GROUP BY item_id"
    )
    tags = (
        "SELECT e.source_id AS item_id, "
        "string_agg(DISTINCT replace(a.name, ',', ' '), ', ' ORDER BY replace(a.name, ',', ' ')) "
        "AS tags FROM edge e JOIN node a ON a.node_id = e.target_id "
        f"WHERE e.properties->>'$.by' = {sql_literal(user)} GROUP BY 1"
    )
    return (
        f'SELECT i.name AS "Title", {_year("i")} AS "Year", '
        # greatest() passes over NULL: without the CASE an unrated film would get half a star.
        "CASE WHEN f.rating IS NOT NULL THEN greatest(0.5, least(5.0, round(f.rating * 2) / 2)) "
        'END AS "Rating", '
        "strftime(f.seen_at, '%Y-%m-%d') AS \"WatchedDate\", "
        'CASE WHEN f.seen_at IS NOT NULL THEN f.times > 1 END AS "Rewatch", '
        f't.tags AS "Tags", f.note AS "Review", {_film_ids("i")} FROM ({film}) f '
        f"JOIN node i ON i.node_id = f.item_id LEFT JOIN ({tags}) t ON t.item_id = f.item_id "
        "ORDER BY f.first_at NULLS FIRST, f.place"
    )


def watchlist_query(user_id: int) -> str:
    """The films a person wants to see and has not met, in Letterboxd's columns."""
    return (
        f'SELECT i.name AS "Title", {_year("i")} AS "Year", {_film_ids("i")} FROM ('
        f"SELECT item_id, bool_or(event NOT IN {UNMET}) AS met, min(place) AS place "
        f"FROM ({_current(user_id)}) GROUP BY item_id HAVING NOT met "
        "AND bool_or(event = 'wanted')) w JOIN node i ON i.node_id = w.item_id ORDER BY w.place"
    )


def count_watchlist(store: Store, user_id: int) -> int:
    """Count the films that `watchlist_query` gives."""
    return int(store.rows(f"SELECT count(*) FROM ({watchlist_query(user_id)})")[0][0])


def _current(user_id: int) -> str:
    """The newest row of a person for each item and event; `place` orders rows of one moment."""
    return (
        f"SELECT *, rowid AS place FROM interaction WHERE user_id = {user_id} "
        f"QUALIFY row_number() OVER (PARTITION BY item_id, event ORDER BY {NEWEST}) = 1"
    )


def _year(node: str) -> str:
    return f"TRY_CAST({node}.properties->>'$.year' AS INTEGER)"


def _creator(node: str) -> str:
    return f"{node}.properties->>'$.creator'"


def _film_ids(node: str) -> str:
    """The identifiers that Letterboxd finds films by; MovieLens writes IMDb's without `tt`."""
    imdb = f"trim({node}.properties->>'$.imdb')"
    return (
        f"CASE WHEN regexp_full_match({imdb}, '[0-9]+') THEN 'tt' || lpad({imdb}, "
        f"greatest(7, length({imdb}))::INTEGER, '0') ELSE {imdb} END AS \"imdbID\", "
        f"trim({node}.properties->>'$.tmdb') AS \"tmdbID\""
    )
