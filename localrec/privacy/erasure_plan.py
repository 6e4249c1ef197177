"""What goes when a person, an item or a span of time is forgotten, and what stays.

`HOLDINGS` says of every table of the schema how its rows hang on people, items and imports. From
that and a `Wish` follows which rows stay; `rewrite.py` copies those. Nothing is deleted here.

With a person go their nodes, interactions, notes, shelf, own links, receipts of their imports, and
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

from localrec.data.domains import Domain
from localrec.foundation.errors import UsageError, WorkspaceError
from localrec.foundation.text import clean_name
from localrec.graph.domain_files import known_domains, load_domain
from localrec.graph.erasure_rules import TABLE_ERASURE_RULES, TableErasureRule
from localrec.graph.interactions import USER
from localrec.graph.item_lookup import nobody_called, nothing_keyed
from localrec.graph.store import Columns, Store
from localrec.privacy.leak_scan import LeakPattern, key_pattern, text_patterns


class ForgetScope(msgspec.Struct, frozen=True, kw_only=True):
    """The user, item or period that is to be forgotten.

    Args:
        user: A user's key; with `since` only their rows from then on.
        item: An item's key; it stands alone.
        since: UTC without a zone; without `user` the rows of all users from then on.
        domain: Only this domain; all domains when None.
    """

    user: str | None = None
    item: str | None = None
    since: datetime | None = None
    domain: str | None = None

    def check(self) -> None:
        """Refuse a scope that says nothing, or two things at once.

        Raises:
            UsageError: neither person, item nor date; or an item together with another.
        """
        if self.item is not None and (self.user is not None or self.since is not None):
            raise UsageError(
                "An item is forgotten for everybody and all time.", "Leave --user and --since out."
            )
        if not (self.user or self.item or self.since):
            raise UsageError("Forget whom or what?", "Give --user, --item or --since.")


def parse_forget_scope(
    user: str | None = None,
    item: str | None = None,
    since: str | None = None,
    domain: str | None = None,
) -> ForgetScope:
    """A scope as a person says it; `since` is a day or a moment, in UTC unless it names a zone.

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
    scope = ForgetScope(user=key, item=item, since=moment, domain=domain)
    scope.check()
    return scope


def check_known(store: Store, scope: ForgetScope) -> None:
    """Refuse a scope about a person or an item that is not in the store.

    A person is in it where anything bears their key: a node, a receipt of an import, a link.

    Raises:
        UsageError: nobody or nothing is called so; the hint names what is near.
    """
    if scope.user is not None and not _is_user(store, scope):
        raise nobody_called(store, scope.user, scope.domain)
    if scope.item is not None:
        domains = _domains_of_items(store, scope.domain)
        if not any(_has_item(store, domain, scope.item) for domain in domains):
            raise nothing_keyed(store, scope.item, domains)


def _is_user(store: Store, scope: ForgetScope) -> bool:
    values = {"user": scope.user, "domain": scope.domain}
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
    known = [name for name in known_domains() if name in present]
    return [load_domain(name) for name in known if wanted in (None, name)]


class ErasurePlan:
    """A scope laid against a store: which rows leave it, what they say, and how many they are.

    It marks them in temporary tables of the store's connection; the store itself is only read.
    """

    def __init__(self, store: Store, scope: ForgetScope) -> None:
        """Mark what leaves.

        Raises:
            UsageError: the scope says nothing, or two things at once.
            WorkspaceError: the store has a table that nobody declared in `HOLDINGS`.
        """
        scope.check()
        self.store = store
        self.scope = scope
        _refuse_undeclared(store)
        self._mark_users()
        self._mark_imports()
        with store.staged(declared=_declared(store)):
            self._mark_items()
            self._mark_attributes()
        self._mark_missing()
        for table, rule in TABLE_ERASURE_RULES.items():
            if rule.made_from is not None:
                self._mark_made_from(table, rule.made_from)

    def goes(self, table: str) -> str:
        """SQL that is true for the rows `t` of a table that leave (and else false or NULL)."""
        return _goes(table, self.scope)

    def counts(self) -> dict[str, int]:
        """Count the rows that leave each table; tables that lose none are left out."""
        counted = {
            table: int(
                self.store.rows(f"SELECT count(*) FROM {table} t WHERE {self.goes(table)}")[0][0]
            )
            for table in TABLE_ERASURE_RULES
        }
        return {table: count for table, count in counted.items() if count}

    def patterns(self) -> list[LeakPattern]:
        """Keys and texts that must not be found anywhere once the rows have left."""
        return sorted({*self._keys(), *text_patterns(self._texts())})

    def domains(self) -> list[str]:
        """The domains that lose something a person did, or an item."""
        rows = self.store.rows(
            "SELECT DISTINCT n.domain FROM node n WHERE n.node_id IN "
            f"(SELECT t.user_id FROM interaction t WHERE {self.goes('interaction')}) "
            "OR n.node_id IN (SELECT node_id FROM going_node) ORDER BY 1"
        )
        return [domain for (domain,) in rows]

    def undated(self) -> int:
        """Interactions without a date, which stay when only a span of time is forgotten."""
        if self.scope.since is None:
            return 0
        return int(
            self.store.rows(
                'SELECT count(*) FROM interaction WHERE "at" IS NULL '
                "AND user_id IN (SELECT node_id FROM dated_user)"
            )[0][0]
        )

    def _mark_users(self) -> None:
        """Tables going_node (for now: people who leave) and dated_user (whose span leaves)."""
        scope = self.scope
        chosen = (
            f"SELECT node_id FROM node WHERE kind = '{USER}' AND $user IS NOT DISTINCT FROM "
            "CASE WHEN $user IS NULL THEN NULL ELSE key END AND coalesce($domain, domain) = domain"
        )
        values = {"user": scope.user, "domain": scope.domain}
        whole = scope.item is None and scope.since is None
        for table, wanted in (("going_node", whole), ("dated_user", scope.since is not None)):
            self.store.execute(
                f"CREATE TEMP TABLE {table} AS {chosen} AND $wanted", {**values, "wanted": wanted}
            )

    def _mark_imports(self) -> None:
        """Tables going_import, and going_edge: links that the person said."""
        scope = self.scope
        self.store.execute(
            "CREATE TEMP TABLE going_import AS SELECT import_id FROM import_receipt "
            "WHERE $item IS NULL AND user_key IS NOT NULL AND coalesce($user, user_key) = user_key "
            'AND ($since IS NULL OR "at" >= $since) '
            "AND ($domain IS NULL OR report->>'$.domain' = $domain)",
            msgspec.structs.asdict(scope),
        )
        self.store.execute(
            "CREATE TEMP TABLE going_edge AS SELECT e.rowid AS place FROM edge e "
            "JOIN node n ON n.node_id = e.source_id WHERE $item IS NULL "
            "AND e.properties->>'$.by' IS NOT NULL "
            "AND coalesce($user, e.properties->>'$.by') = e.properties->>'$.by' "
            'AND ($since IS NULL OR e."at" >= $since) '
            "AND coalesce($domain, n.domain) = n.domain",
            msgspec.structs.asdict(scope),
        )

    def _mark_items(self) -> None:
        """Add to going_node the item named, or the items that only leaving imports brought."""
        store, scope = self.store, self.scope
        items = "SELECT n.node_id FROM node n SEMI JOIN declared d ON n.domain = d.domain "
        items += "AND n.kind = d.kind AND d.key IS NULL"
        store.execute(
            f"CREATE TEMP TABLE named_item AS {items} WHERE n.key = $item "
            "AND coalesce($domain, n.domain) = n.domain",
            {"item": scope.item, "domain": scope.domain},
        )
        store.execute(
            f"CREATE TEMP TABLE orphan AS {items} WHERE $item IS NULL "
            f"AND n.node_id IN {_ONLY_BROUGHT}",
            {"item": scope.item},
        )
        held = " UNION ALL ".join(
            f"SELECT t.{column} FROM {table} t WHERE t.{column} IN (SELECT node_id FROM orphan) "
            f"AND ({_goes_with_owner(scope, rule)}) IS NOT TRUE"
            for table, column in (("interaction", "item_id"), ("shelf", "node_id"))
            for rule in [TABLE_ERASURE_RULES[table]]
        )
        store.execute(
            "INSERT INTO going_node SELECT node_id FROM named_item UNION "
            f"SELECT node_id FROM orphan WHERE node_id NOT IN ({held})"
        )
        store.execute(
            "CREATE TEMP TABLE orphan_in_use AS FROM orphan ANTI JOIN going_node USING (node_id)"
        )
        store.execute("DROP TABLE orphan")

    def record_orphans_in_use(self, brought: str) -> None:
        """Record the items that stay only because somebody still uses them.

        Their own import leaves. In the table `brought` of the new store they get the number of no
        import, so that they leave when the last user who has them is forgotten.
        """
        self.store.execute(
            f"INSERT INTO {brought} SELECT node_id, {_NO_IMPORT} FROM orphan_in_use "
            f"WHERE node_id NOT IN (SELECT node_id FROM {brought} WHERE import_id = {_NO_IMPORT})"
        )

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
            f"WHERE ({_goes_with_owner(self.scope, TABLE_ERASURE_RULES['shelf'])}) IS NOT TRUE)"
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
        for table, rule in TABLE_ERASURE_RULES.items():
            for node in rule.nodes if table != "node" else ():
                self.store.execute(
                    f"INSERT INTO going_node SELECT DISTINCT t.{node} FROM {table} t "
                    f"ANTI JOIN node n ON n.node_id = t.{node}"
                )

    def _mark_made_from(self, table: str, made_from: str) -> None:
        """Table going_TABLE: places of rows that were made from what leaves.

        Of a span of time, what was made in it from those whose span leaves. What people wrote
        themselves was made from nobody: it goes with everybody's span.
        """
        scope = self.scope
        self.store.execute(
            f"CREATE TEMP TABLE going_{table} AS "
            f'WITH made AS (SELECT rowid AS place, "at", unnest({made_from}) AS node_id '
            f"FROM {table}) SELECT place FROM made WHERE node_id IN (SELECT node_id FROM "
            'going_node) UNION SELECT place FROM made WHERE "at" >= $since '
            "AND node_id IN (SELECT node_id FROM dated_user)",
            {"since": scope.since},
        )
        if table == "memory" and scope.since is not None and scope.user is None:
            self.store.execute(
                "INSERT INTO going_memory SELECT m.rowid FROM memory m JOIN node n USING (node_id) "
                'WHERE m."at" >= $since AND coalesce($domain, n.domain) = n.domain',
                {"since": scope.since, "domain": scope.domain},
            )

    def _keys(self) -> Iterator[LeakPattern]:
        key = self.scope.user
        if key is not None and self.scope.since is None and not self._stays_elsewhere(key):
            others = self.store.rows(
                "SELECT count(*) FROM node WHERE kind = ? AND contains(key, ?) AND key <> ?",
                [USER, key, key],
            )
            yield key_pattern(key, ambiguous=bool(others[0][0]))
        item = self.scope.item
        named = "SELECT 1 FROM named_item LIMIT 1"
        if item is not None and self.store.rows(named) and not self._is_user_key(item):
            yield key_pattern(item, ambiguous=True)

    def _is_user_key(self, key: str) -> bool:
        """Whether a user has the same key: in a data set users and films both have numbers."""
        bears = f"SELECT 1 FROM node WHERE kind = '{USER}' AND $key IN (key, name) LIMIT 1"
        return bool(self.store.rows(bears, {"key": key}))

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


_NO_IMPORT = 0  # in `brought`: the import is forgotten, and users still have the item
_ONLY_BROUGHT = (
    "(SELECT node_id FROM brought GROUP BY node_id HAVING bool_and("
    f"import_id = {_NO_IMPORT} OR import_id IN (SELECT import_id FROM going_import)))"
)


def _goes(table: str, scope: ForgetScope) -> str:
    rule = TABLE_ERASURE_RULES[table]
    parts = [f"t.{node} IN (SELECT node_id FROM going_node)" for node in rule.nodes]
    if rule.imports:
        parts.append(f"t.{rule.imports} IN (SELECT import_id FROM going_import)")
    if rule.said_by:
        parts.append("t.rowid IN (SELECT place FROM going_edge)")
    if rule.made_from:
        parts.append(f"t.rowid IN (SELECT place FROM going_{table})")
    if rule.owner and scope.since is not None:
        parts.append(_dated(rule.owner, scope.since))
    return f"({' OR '.join(parts) or 'false'})"


def _goes_with_owner(scope: ForgetScope, rule: TableErasureRule) -> str:
    """SQL for rows `t` that leave with the one they belong to, whatever else they point to."""
    if scope.since is not None:
        return _dated(str(rule.owner), scope.since)
    return f"t.{rule.owner} IN (SELECT node_id FROM going_node)"


def _dated(owner: str, since: datetime) -> str:
    return (
        f"(t.\"at\" >= TIMESTAMP '{since.isoformat(sep=' ')}' "
        f"AND t.{owner} IN (SELECT node_id FROM dated_user))"
    )


def _refuse_undeclared(store: Store) -> None:
    rows = store.rows(
        "SELECT table_name FROM duckdb_tables() WHERE NOT temporary AND NOT internal ORDER BY 1"
    )
    unknown = [name for (name,) in rows if name not in TABLE_ERASURE_RULES]
    if unknown:
        raise WorkspaceError(
            f"The store has tables that localrec does not know: {', '.join(unknown)}.",
            "Take them out, or nobody can say whose rows they hold.",
        )


def _declared(store: Store) -> Columns:
    """Return the domains' declarations, as columns domain, kind, key (NULL for item kinds)."""
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
