"""What goes when a person, an item or a span of time is forgotten, and what stays.

`HOLDINGS` says of every table of the schema how its rows hang on people, items and imports. From
that and a `Wish` follows which rows stay; `rewrite.py` copies those. Nothing is deleted here.

With a person go their nodes, deeds and notes, shelf, own links, the receipts of their imports, and
the items and attributes that only they brought. What a catalogue or somebody else brought too, or
somebody else did something with, stays; so does what the domain's taxonomy declares. With an item
go the attributes that nothing leads to any more. Since a date go dated rows and shelf entries, the
receipts of personal imports, and what only those brought.

A version of a memory goes with every node it was made from, so that the memory of somebody else
falls back to its newest version without the forgotten; where none is left, it is made anew by the
next job. A waiting job goes with its person and its item.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import msgspec
import numpy as np

from localrec.domains import Domain, load_domain, shipped_domains
from localrec.errors import UsageError, WorkspaceError
from localrec.graph.lookup import nobody_called, nothing_keyed
from localrec.graph.people import USER
from localrec.graph.store import Columns, Store
from localrec.sources.text import clean_name
from localrec.traces import Needle, key_needle, text_needles


class Wish(msgspec.Struct, frozen=True, kw_only=True):
    """Who or what is to be forgotten.

    Args:
        user: A person's key; with `since` only what they did from then on.
        item: An item's key; alone.
        since: UTC without a zone; without `user` it is about everybody.
        domain: Only there; everywhere when None.
    """

    user: str | None = None
    item: str | None = None
    since: datetime | None = None
    domain: str | None = None

    def check(self) -> None:
        """Refuse a wish that says nothing, or two things at once.

        Raises:
            UsageError: neither person, item nor date; or an item together with another.
        """
        if self.item is not None and (self.user is not None or self.since is not None):
            raise UsageError(
                "An item is forgotten for everybody and all time.", "Leave --user and --since out."
            )
        if not (self.user or self.item or self.since):
            raise UsageError("Forget whom or what?", "Give --user, --item or --since.")


def wish_of(
    user: str | None = None,
    item: str | None = None,
    since: str | None = None,
    domain: str | None = None,
) -> Wish:
    """A wish as a person says it; `since` is a day or a moment, in UTC unless it names a zone.

    Raises:
        UsageError: no such date, or as `Wish.check`.
    """
    try:
        moment = datetime.fromisoformat(since) if since else None
    except ValueError as error:
        raise UsageError(f"{since!r} is no date.", "Write it as 2026-10-01.") from error
    if moment is not None and moment.tzinfo is not None:
        moment = moment.astimezone(UTC).replace(tzinfo=None)
    key = clean_name(user) if user is not None else None
    wish = Wish(user=key, item=item, since=moment, domain=domain)
    wish.check()
    return wish


class Holding(msgspec.Struct, frozen=True, kw_only=True):
    """How the rows of one table hang on people, items and imports.

    Args:
        nodes: Columns of node ids; a row goes with any of its nodes, and where one is missing.
        imports: Column of an import id; a row goes with its import.
        owner: Column with the node id of whom a dated row (`at`) belongs to.
        said_by: Rows are links that a person may have said: `properties` holds their key.
        words: Columns in which a catalogue or somebody else may use the same word by chance.
        personal: SQL for rows whose `words` are a person's all the same.
        terms: Columns with localrec's own words (kinds, events, sources), which a name may be too.
        parts: Of a JSON column, SQL for what may name a person, and for the rest: words that a
            catalogue, localrec or somebody else may use by chance.
        made_from: SQL for the list of node ids that a row was made from or speaks of; it goes with
            any of them.
        own: Column with the number of the row itself.
    """

    nodes: tuple[str, ...] = ()
    imports: str | None = None
    owner: str | None = None
    said_by: bool = False
    words: tuple[str, ...] = ()
    personal: str = "false"
    terms: tuple[str, ...] = ()
    parts: dict[str, tuple[str, str]] = {}
    made_from: str | None = None
    own: str | None = None


HOLDINGS: dict[str, Holding] = {
    "meta": Holding(),
    "node": Holding(
        nodes=("node_id",),
        words=("key", "name", "properties"),
        personal=f"kind = '{USER}'",
        terms=("domain", "kind"),
    ),
    "edge": Holding(
        nodes=("source_id", "target_id"),
        said_by=True,
        terms=("kind",),
        # A link names who said it; what it says is theirs, such as the name of a shelf.
        parts={
            "properties": (
                "(properties->>'$.by')",
                """json_merge_patch(properties, '{"by": null}')""",
            )
        },
    ),
    "embedding": Holding(nodes=("node_id",), terms=("field", "model")),
    "import_receipt": Holding(
        imports="import_id",
        parts={
            "report": (
                """json_merge_patch(report, '{"source": null, "domain": null}')""",
                "to_json([report->>'$.source', report->>'$.domain'])",
            )
        },
    ),
    "brought": Holding(nodes=("node_id",), imports="import_id"),
    "interaction": Holding(
        nodes=("user_id", "item_id"),
        owner="user_id",
        words=("note",),
        terms=("event", "source"),
    ),
    "shelf": Holding(nodes=("user_id", "node_id"), owner="user_id"),
    "memory": Holding(
        nodes=("node_id",),
        owner="node_id",
        # Outside of what people write themselves a memory has its words from the catalogue.
        words=("text", "facets"),
        personal="source = 'person'",
        terms=("source",),
        made_from="CAST(provenance->'$.made_from' AS BIGINT[])",
    ),
    "job": Holding(
        nodes=("user_id", "item_id"),
        owner="user_id",
        made_from="skipped",
        own="job_id",
        terms=("event", "state"),
    ),
    "rule_set": Holding(
        words=("name", "text"), personal="source = 'edited'", terms=("domain", "source")
    ),
    # What is seen has its words from the taxonomy.
    "picture": Holding(nodes=("node_id",), imports="import_id", words=("sight",)),
}


def check_known(store: Store, wish: Wish) -> None:
    """Refuse a wish about a person or an item that is not in the store.

    A person is in it where anything bears their key: a node, a receipt of an import, a link.

    Raises:
        UsageError: nobody or nothing is called so; the hint names what is near.
    """
    if wish.user is not None and not _is_person(store, wish):
        raise nobody_called(store, wish.user, wish.domain)
    if wish.item is not None:
        domains = _domains_of_items(store, wish.domain)
        if not any(_has_item(store, domain, wish.item) for domain in domains):
            raise nothing_keyed(store, wish.item, domains)


def _is_person(store: Store, wish: Wish) -> bool:
    values = {"user": wish.user, "domain": wish.domain}
    return any(
        store.rows(f"{bears} AND coalesce($domain, {place}) = {place} LIMIT 1", values)
        for bears, place in _BEARING
    )


# Where a person's key may stand, and the domain beside it; what is cheap to ask comes first.
_BEARING = (
    (f"SELECT 1 FROM node WHERE kind = '{USER}' AND key = $user", "domain"),
    ("SELECT 1 FROM import_receipt WHERE user_key = $user", "report->>'$.domain'"),
    (
        "SELECT 1 FROM edge e JOIN node n ON n.node_id = e.source_id "
        "WHERE e.properties->>'$.by' = $user",
        "n.domain",
    ),
)


def _has_item(store: Store, domain: Domain, key: str) -> bool:
    return bool(
        store.rows(
            "SELECT 1 FROM node WHERE domain = ? AND kind = ? AND key = ?",
            [domain.name, domain.item, key],
        )
    )


def _domains_of_items(store: Store, wanted: str | None) -> list[Domain]:
    present = {name for (name,) in store.rows("SELECT DISTINCT domain FROM node")}
    known = sorted(present & set(shipped_domains()))
    return [load_domain(name) for name in known if wanted in (None, name)]


class Leaving:
    """A wish laid against a store: which rows leave it, what they say, and how many they are.

    It marks them in temporary tables of the store's connection; the store itself is only read.
    """

    def __init__(self, store: Store, wish: Wish) -> None:
        """Mark what leaves.

        Raises:
            UsageError: the wish says nothing, or two things at once.
            WorkspaceError: the store has a table that nobody declared in `HOLDINGS`.
        """
        wish.check()
        self.store = store
        self.wish = wish
        _refuse_undeclared(store)
        self._mark_people()
        self._mark_imports()
        with store.staged(declared=_declared(store)):
            self._mark_items()
            self._mark_attributes()
        self._mark_missing()
        for table, holding in HOLDINGS.items():
            if holding.made_from is not None:
                self._mark_made_from(table, holding.made_from)

    def goes(self, table: str) -> str:
        """SQL that is true for the rows `t` of a table that leave (and else false or NULL)."""
        return _goes(table, self.wish)

    def counts(self) -> dict[str, int]:
        """How many rows leave each table; tables that lose none are left out."""
        counted = {
            table: int(
                self.store.rows(f"SELECT count(*) FROM {table} t WHERE {self.goes(table)}")[0][0]
            )
            for table in HOLDINGS
        }
        return {table: count for table, count in counted.items() if count}

    def needles(self) -> list[Needle]:
        """Keys and texts that must not be found anywhere once the rows have left."""
        return sorted({*self._keys(), *text_needles(self._texts())})

    def domains(self) -> list[str]:
        """The domains that lose something a person did, or an item."""
        rows = self.store.rows(
            "SELECT DISTINCT n.domain FROM node n WHERE n.node_id IN "
            f"(SELECT t.user_id FROM interaction t WHERE {self.goes('interaction')}) "
            "OR n.node_id IN (SELECT node_id FROM going_node) ORDER BY 1"
        )
        return [domain for (domain,) in rows]

    def undated(self) -> int:
        """Deeds without a date, which stay when only a span of time is forgotten."""
        if self.wish.since is None:
            return 0
        return int(
            self.store.rows(
                'SELECT count(*) FROM interaction WHERE "at" IS NULL '
                "AND user_id IN (SELECT node_id FROM dated_user)"
            )[0][0]
        )

    def _mark_people(self) -> None:
        """Tables going_node (for now: people who leave) and dated_user (whose span leaves)."""
        wish = self.wish
        chosen = (
            f"SELECT node_id FROM node WHERE kind = '{USER}' AND $user IS NOT DISTINCT FROM "
            "CASE WHEN $user IS NULL THEN NULL ELSE key END AND coalesce($domain, domain) = domain"
        )
        values = {"user": wish.user, "domain": wish.domain}
        whole = wish.item is None and wish.since is None
        for table, wanted in (("going_node", whole), ("dated_user", wish.since is not None)):
            self.store.execute(
                f"CREATE TEMP TABLE {table} AS {chosen} AND $wanted", {**values, "wanted": wanted}
            )

    def _mark_imports(self) -> None:
        """Tables going_import, and going_edge: links that the person said."""
        wish = self.wish
        self.store.execute(
            "CREATE TEMP TABLE going_import AS SELECT import_id FROM import_receipt "
            "WHERE $item IS NULL AND user_key IS NOT NULL AND coalesce($user, user_key) = user_key "
            'AND ($since IS NULL OR "at" >= $since) '
            "AND ($domain IS NULL OR report->>'$.domain' = $domain)",
            msgspec.structs.asdict(wish),
        )
        self.store.execute(
            "CREATE TEMP TABLE going_edge AS SELECT e.rowid AS place FROM edge e "
            "JOIN node n ON n.node_id = e.source_id WHERE $item IS NULL "
            "AND e.properties->>'$.by' IS NOT NULL "
            "AND coalesce($user, e.properties->>'$.by') = e.properties->>'$.by' "
            'AND ($since IS NULL OR e."at" >= $since) '
            "AND coalesce($domain, n.domain) = n.domain",
            msgspec.structs.asdict(wish),
        )

    def _mark_items(self) -> None:
        """Add to going_node the item named, or the items that only leaving imports brought."""
        store, wish = self.store, self.wish
        items = "SELECT n.node_id FROM node n SEMI JOIN declared d ON n.domain = d.domain "
        items += "AND n.kind = d.kind AND d.key IS NULL"
        store.execute(
            f"CREATE TEMP TABLE named_item AS {items} WHERE n.key = $item "
            "AND coalesce($domain, n.domain) = n.domain",
            {"item": wish.item, "domain": wish.domain},
        )
        store.execute(f"CREATE TEMP TABLE orphan AS {items} WHERE n.node_id IN {_ONLY_BROUGHT}")
        held = " UNION ALL ".join(
            f"SELECT t.{column} FROM {table} t WHERE t.{column} IN (SELECT node_id FROM orphan) "
            f"AND ({_goes_with_owner(wish, holding)}) IS NOT TRUE"
            for table, column in (("interaction", "item_id"), ("shelf", "node_id"))
            for holding in [HOLDINGS[table]]
        )
        store.execute(
            "INSERT INTO going_node SELECT node_id FROM named_item UNION "
            f"SELECT node_id FROM orphan WHERE node_id NOT IN ({held})"
        )
        store.execute("DROP TABLE orphan")

    def _mark_attributes(self) -> None:
        """Add to going_node the attributes that leaving rows led to and nothing leads to now."""
        store = self.store
        store.execute(
            "CREATE TEMP TABLE loose AS WITH led AS ("
            "SELECT target_id AS node_id, source_id IN (FROM named_item) AS by_item FROM edge t "
            "WHERE source_id IN (SELECT node_id FROM going_node) "
            "OR t.rowid IN (SELECT place FROM going_edge) "
            f"UNION SELECT node_id, false FROM brought WHERE node_id IN {_ONLY_BROUGHT}) "
            "SELECT DISTINCT n.node_id FROM led JOIN node n USING (node_id) "
            "ANTI JOIN declared d ON n.domain = d.domain AND n.kind = d.kind "
            f"AND (d.key IS NULL OR d.key = n.key) WHERE n.kind <> '{USER}' AND (led.by_item OR "
            "n.node_id NOT IN (SELECT node_id FROM brought WHERE import_id NOT IN "
            "(FROM going_import))) AND n.node_id NOT IN (SELECT node_id FROM shelf t "
            f"WHERE ({_goes_with_owner(self.wish, HOLDINGS['shelf'])}) IS NOT TRUE)"
        )
        held = (
            "SELECT target_id FROM edge t WHERE source_id NOT IN (SELECT node_id FROM going_node) "
            "AND source_id NOT IN (FROM loose) AND t.rowid NOT IN (SELECT place FROM going_edge)"
        )
        # A family that stays may hold a member that seemed loose, which holds its own in turn.
        while store.rows(f"SELECT count(*) FROM loose WHERE node_id IN ({held})")[0][0]:
            store.execute(f"DELETE FROM loose WHERE node_id IN ({held})")
        store.execute("INSERT INTO going_node FROM loose")
        store.execute("DROP TABLE loose")

    def _mark_missing(self) -> None:
        """Add to going_node the ids of nodes that are not there, whose rows are nobody's."""
        for table, holding in HOLDINGS.items():
            for node in holding.nodes if table != "node" else ():
                self.store.execute(
                    f"INSERT INTO going_node SELECT DISTINCT t.{node} FROM {table} t "
                    f"ANTI JOIN node n ON n.node_id = t.{node}"
                )

    def _mark_made_from(self, table: str, made_from: str) -> None:
        """Table going_TABLE: places of rows that were made from what leaves.

        Of a span of time, what was made in it from those whose span leaves. What people wrote
        themselves was made from nobody: it goes with everybody's span.
        """
        wish = self.wish
        self.store.execute(
            f"CREATE TEMP TABLE going_{table} AS "
            f'WITH made AS (SELECT rowid AS place, "at", unnest({made_from}) AS node_id '
            f"FROM {table}) SELECT place FROM made WHERE node_id IN (SELECT node_id FROM "
            'going_node) UNION SELECT place FROM made WHERE "at" >= $since '
            "AND node_id IN (SELECT node_id FROM dated_user)",
            {"since": wish.since},
        )
        if table == "memory" and wish.since is not None and wish.user is None:
            self.store.execute(
                "INSERT INTO going_memory SELECT m.rowid FROM memory m JOIN node n USING (node_id) "
                'WHERE m."at" >= $since AND coalesce($domain, n.domain) = n.domain',
                {"since": wish.since, "domain": wish.domain},
            )

    def _keys(self) -> Iterator[Needle]:
        key = self.wish.user
        if key is not None and self.wish.since is None and not self._stays_elsewhere(key):
            others = self.store.rows(
                "SELECT count(*) FROM node WHERE kind = ? AND contains(key, ?) AND key <> ?",
                [USER, key, key],
            )
            yield key_needle(key, ambiguous=bool(others[0][0]))
        if self.wish.item is not None and self.store.rows("SELECT count(*) FROM named_item")[0][0]:
            yield key_needle(self.wish.item, ambiguous=True)

    def _stays_elsewhere(self, key: str) -> bool:
        found = self.store.rows(
            "SELECT count(*) FROM node WHERE kind = ? AND key = ? "
            "AND node_id NOT IN (SELECT node_id FROM going_node)",
            [USER, key],
        )
        return bool(found[0][0])

    def _texts(self) -> list[str]:
        """Notes, names, memories and generated texts of leaving rows that no staying row has too.

        A person's name is their key, and looked for as one.
        """
        notes = self._only_leaving("interaction", "t.note")
        names = self._only_leaving("node", f"CASE WHEN t.kind <> '{USER}' THEN t.name END")
        texts = self._only_leaving("node", "t.properties->>'$.description'")
        memories = self._only_leaving("memory", "t.text")
        return [*notes, *names, *texts, *memories]

    def _only_leaving(self, table: str, text: str) -> list[str]:
        goes = self.goes(table)
        self.store.execute(
            f"CREATE OR REPLACE TEMP TABLE leaving_text AS SELECT DISTINCT {text} AS said "
            f"FROM {table} t WHERE {goes} AND length({text}) > 0"
        )
        rows = self.store.rows(
            f"SELECT said FROM leaving_text EXCEPT SELECT {text} FROM {table} t "
            f"WHERE ({goes}) IS NOT TRUE AND {text} IN (SELECT said FROM leaving_text)"
        )
        return [said for (said,) in rows]


_ONLY_BROUGHT = (
    "(SELECT node_id FROM brought GROUP BY node_id "
    "HAVING bool_and(import_id IN (SELECT import_id FROM going_import)))"
)


def _goes(table: str, wish: Wish) -> str:
    holding = HOLDINGS[table]
    parts = [f"t.{node} IN (SELECT node_id FROM going_node)" for node in holding.nodes]
    if holding.imports:
        parts.append(f"t.{holding.imports} IN (SELECT import_id FROM going_import)")
    if holding.said_by:
        parts.append("t.rowid IN (SELECT place FROM going_edge)")
    if holding.made_from:
        parts.append(f"t.rowid IN (SELECT place FROM going_{table})")
    if holding.owner and wish.since is not None:
        parts.append(_dated(holding.owner, wish.since))
    return f"({' OR '.join(parts) or 'false'})"


def _goes_with_owner(wish: Wish, holding: Holding) -> str:
    """SQL for rows `t` that leave with the one they belong to, whatever else they point to."""
    if wish.since is not None:
        return _dated(str(holding.owner), wish.since)
    return f"t.{holding.owner} IN (SELECT node_id FROM going_node)"


def _dated(owner: str, since: datetime) -> str:
    return (
        f"(t.\"at\" >= TIMESTAMP '{since.isoformat(sep=' ')}' "
        f"AND t.{owner} IN (SELECT node_id FROM dated_user))"
    )


def _refuse_undeclared(store: Store) -> None:
    rows = store.rows(
        "SELECT table_name FROM duckdb_tables() WHERE NOT temporary AND NOT internal ORDER BY 1"
    )
    unknown = [name for (name,) in rows if name not in HOLDINGS]
    if unknown:
        raise WorkspaceError(
            f"The store has tables that localrec does not know: {', '.join(unknown)}.",
            "Take them out, or nobody can say whose rows they hold.",
        )


def _declared(store: Store) -> Columns:
    """What domains declare, as columns domain, kind, key: concepts, and item kinds (key NULL)."""
    rows: list[tuple[str, str, str | None]] = []
    for domain in _domains_of_items(store, None):
        rows.extend(_declarations(domain))
    columns: Columns = {}
    for place, name in enumerate(("domain", "kind", "key")):
        column = np.empty(len(rows), dtype=object)
        column[:] = [row[place] for row in rows]
        columns[name] = column if rows else np.empty(0, dtype="<U1")
    return columns


def _declarations(domain: Domain) -> Iterator[tuple[str, str, str | None]]:
    yield domain.name, domain.item, None
    for kind, concepts in domain.taxonomy.items():
        for key in concepts:
            yield domain.name, kind, key
