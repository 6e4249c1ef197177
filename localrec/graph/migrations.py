"""The store's schema, grown by numbered steps; `migrate` brings any older store up to date.

A step is SQL, or a function where the rows decide. It is never edited after a release, only
followed by another. The store remembers how many it has seen in `meta.schema_version`.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from localrec.foundation.errors import WorkspaceError
from localrec.foundation.sql import enum_type

if TYPE_CHECKING:
    import duckdb

_Migration = str | Callable[["duckdb.DuckDBPyConnection"], None]

# What step 7 knows as event and source; never edited, like the step itself.
_EVENTS_7 = ("rated", "liked", "disliked", "abandoned", "seen", "played", "wanted", "later")
_SOURCES_7 = (
    *("amazon", "barassistant", "boardgamegeek", "bookcrossing", "calibre", "catalogue"),
    *("cocktails", "feedback", "goodbooks", "goodreads", "iba", "imdb", "instructrec", "lastfm"),
    *("letterboxd", "librarything", "listenbrainz", "movielens", "mrboston", "myanimelist"),
    *("netflix", "recbole", "spotify", "storygraph", "table", "trakt", "yelp"),
)


def _enumerate_events_and_sources(connection: duckdb.DuckDBPyConnection) -> None:
    """Step 7: event and source as enumerations, a byte a row; other programs read texts as before.

    Writing texts was a third of what millions of rows cost (docs/results/files.md).
    """
    connection.execute(
        """
        CREATE OR REPLACE VIEW interactions AS
        SELECT u."user", i.domain, i.key AS item_key, i.name AS item, x.event::VARCHAR AS event,
            x.rating AS stars, x."at", x.times, x.source::VARCHAR AS source, x.note
        FROM interaction x JOIN users u ON u.user_id = x.user_id
        JOIN items i ON i.item_id = x.item_id
        """
    )
    for column, labels in (("event", _EVENTS_7), ("source", _SOURCES_7)):
        stored = connection.execute(
            f"SELECT DISTINCT {column} FROM interaction ORDER BY ALL"
        ).fetchall()
        known = enum_type([*labels, *(name for (name,) in stored if name not in labels)])
        connection.execute(f"ALTER TABLE interaction ALTER {column} SET DATA TYPE {known}")


_STEPS: tuple[_Migration, ...] = (
    # 1: the graph (MARC's Table 1 holds in node and edge) and its embeddings.
    """
    CREATE TABLE meta (key VARCHAR PRIMARY KEY, value VARCHAR NOT NULL);
    CREATE SEQUENCE node_ids;
    CREATE TABLE node (
        node_id BIGINT PRIMARY KEY,
        domain VARCHAR NOT NULL,
        kind VARCHAR NOT NULL,
        key VARCHAR NOT NULL,
        name VARCHAR NOT NULL,
        properties JSON NOT NULL,
        UNIQUE (domain, kind, key)
    );
    CREATE TABLE edge (
        source_id BIGINT NOT NULL,
        target_id BIGINT NOT NULL,
        kind VARCHAR NOT NULL,
        weight FLOAT NOT NULL,
        properties JSON,
        "at" TIMESTAMP
    );
    CREATE TABLE embedding (
        node_id BIGINT NOT NULL,
        field VARCHAR NOT NULL,
        model VARCHAR NOT NULL,
        text_hash UBIGINT NOT NULL,
        vector FLOAT[] NOT NULL
    );
    """,
    # 2: receipts of imports, so that a workspace can say where its items came from.
    """
    CREATE TABLE import_receipt ("at" TIMESTAMP NOT NULL, report JSON NOT NULL);
    """,
    # 3: people. What they did has a table of its own beside `edge`: typed columns, tens of
    # millions of rows, and no question about attributes has to step over them. `brought` says
    # which import delivered a node, so that what came with one person can go with that person.
    """
    CREATE SEQUENCE import_ids;
    ALTER TABLE import_receipt RENAME TO import_receipt_2;
    CREATE TABLE import_receipt (
        import_id BIGINT PRIMARY KEY,
        user_key VARCHAR,
        "at" TIMESTAMP NOT NULL,
        report JSON NOT NULL
    );
    INSERT INTO import_receipt
        SELECT nextval('import_ids'), NULL, "at", report
        FROM (SELECT "at", report FROM import_receipt_2 ORDER BY "at", rowid);
    DROP TABLE import_receipt_2;
    CREATE TABLE brought (node_id BIGINT NOT NULL, import_id BIGINT NOT NULL);
    INSERT INTO brought
        SELECT node_id, min(import_id) FROM node JOIN import_receipt
        ON domain = report->>'$.domain' GROUP BY node_id;
    CREATE TABLE interaction (
        user_id BIGINT NOT NULL,
        item_id BIGINT NOT NULL,
        event VARCHAR NOT NULL,
        rating FLOAT,
        "at" TIMESTAMP,
        times INTEGER NOT NULL,
        source VARCHAR NOT NULL,
        note VARCHAR
    );
    CREATE TABLE shelf (
        user_id BIGINT NOT NULL,
        node_id BIGINT NOT NULL,
        "at" TIMESTAMP NOT NULL
    );
    """,
    # 4: memories as versions, the durable queue of what is to be worked into them, and rules. A
    # number of a version, like that of a job, is given once: nothing can be stored twice.
    """
    CREATE TABLE memory (
        node_id BIGINT NOT NULL,
        version INTEGER NOT NULL,
        text VARCHAR NOT NULL,
        facets JSON NOT NULL,
        source VARCHAR NOT NULL,
        provenance JSON NOT NULL,
        pinned BOOLEAN NOT NULL,
        "at" TIMESTAMP NOT NULL,
        PRIMARY KEY (node_id, version)
    );
    CREATE SEQUENCE job_ids;
    CREATE TABLE job (
        job_id BIGINT PRIMARY KEY,
        user_id BIGINT NOT NULL,
        item_id BIGINT NOT NULL,
        event VARCHAR NOT NULL,
        "at" TIMESTAMP NOT NULL,
        state VARCHAR NOT NULL,
        claim VARCHAR,
        attempts INTEGER NOT NULL,
        failures INTEGER NOT NULL,
        calls INTEGER NOT NULL,
        error VARCHAR,
        skipped BIGINT[] NOT NULL,
        ended TIMESTAMP
    );
    CREATE TABLE rule_set (
        domain VARCHAR NOT NULL,
        version INTEGER NOT NULL,
        name VARCHAR NOT NULL,
        text VARCHAR NOT NULL,
        source VARCHAR NOT NULL,
        "at" TIMESTAMP NOT NULL,
        PRIMARY KEY (domain, version)
    );
    """,
    # 5: pictures of items: a small copy, what was seen in it, and which file it was. A row without
    # an import is being prepared: nothing shows it, and an import that was cut short goes on there.
    """
    CREATE TABLE picture (
        node_id BIGINT NOT NULL,
        thumbnail BLOB NOT NULL,
        sight JSON,
        width INTEGER NOT NULL,
        height INTEGER NOT NULL,
        sha256 VARCHAR NOT NULL,
        import_id BIGINT
    );
    """,
    # 6: views for other programs, documented in docs/sql.md. `meta` says under `item_kind:DOMAIN`
    # which nodes of a domain are its items; imports add the kinds of new domains.
    """
    INSERT OR IGNORE INTO meta VALUES
        ('item_kind:books', 'book'), ('item_kind:movies', 'movie'), ('item_kind:music', 'track'),
        ('item_kind:places', 'place'), ('item_kind:products', 'product'),
        ('item_kind:cocktails', 'cocktail');
    CREATE VIEW items AS
        SELECT n.node_id AS item_id, n.domain, n.key, n.name, n.properties
        FROM node n JOIN meta m ON m.key = 'item_kind:' || n.domain AND m.value = n.kind;
    CREATE VIEW users AS
        SELECT n.node_id AS user_id, n.domain, n.key AS "user" FROM node n WHERE n.kind = 'user';
    CREATE VIEW attributes AS
        SELECT i.item_id, i.domain, i.key AS item_key, i.name AS item, a.kind, a.key, a.name,
            e.kind AS relation, e.properties->>'$.value' AS detail
        FROM items i JOIN edge e ON e.source_id = i.item_id
        JOIN node a ON a.node_id = e.target_id;
    CREATE VIEW interactions AS
        SELECT u."user", i.domain, i.key AS item_key, i.name AS item, x.event, x.rating AS stars,
            x."at", x.times, x.source, x.note
        FROM interaction x JOIN users u ON u.user_id = x.user_id
        JOIN items i ON i.item_id = x.item_id;
    CREATE VIEW shelves AS
        SELECT u."user", u.domain, a.kind, a.key, a.name, s."at"
        FROM shelf s JOIN users u ON u.user_id = s.user_id JOIN node a ON a.node_id = s.node_id;
    CREATE VIEW memories AS
        SELECT n.domain, n.kind, n.key, n.name, m.version, m.text, m.facets, m.source, m.pinned,
            m."at"
        FROM memory m JOIN node n ON n.node_id = m.node_id
        QUALIFY m.version = max(m.version) OVER (PARTITION BY m.node_id);
    """,
    _enumerate_events_and_sources,
)

SCHEMA_VERSION = len(_STEPS)


def schema_version(connection: duckdb.DuckDBPyConnection) -> int:
    """The number of steps this store has seen; 0 for a file that is no store."""
    from localrec.graph.engine import duckdb

    try:
        row = connection.execute("SELECT value FROM meta WHERE key = 'schema_version'").fetchone()
    except (duckdb.CatalogException, duckdb.BinderException):  # no such table, or another's
        return 0
    return int(row[0]) if row and str(row[0]).isdecimal() else 0


def is_behind(connection: duckdb.DuckDBPyConnection) -> bool:
    """True for a store of an older localrec, and for an empty file that may become one."""
    return schema_version(connection) < SCHEMA_VERSION and not _is_foreign(connection)


def older_version(connection: duckdb.DuckDBPyConnection) -> int:
    """The schema of a store that steps are missing of; 0 for one of today, and for no store."""
    version = schema_version(connection)
    return version if version < SCHEMA_VERSION else 0


def _is_foreign(connection: duckdb.DuckDBPyConnection) -> bool:
    if schema_version(connection):
        return False
    tables = connection.execute("SELECT count(*) FROM duckdb_tables()").fetchone()
    return bool(tables and tables[0])


def require_current(connection: duckdb.DuckDBPyConnection) -> None:
    """Refuse a store that cannot be read as it stands.

    Raises:
        WorkspaceError: somebody else's file, or one of a newer localrec.
    """
    version = schema_version(connection)
    if _is_foreign(connection):
        raise WorkspaceError(
            "The file store.duckdb holds no localrec store.",
            "Move it away, or use another workspace.",
        )
    if version > SCHEMA_VERSION:
        raise WorkspaceError(
            f"The store has schema {version}; this localrec knows {SCHEMA_VERSION}.",
            "Upgrade localrec, or use another workspace.",
        )


def migrate(connection: duckdb.DuckDBPyConnection, item_kind: Callable[[str], str | None]) -> None:
    """Apply the missing steps, all or none; an empty file becomes a store.

    Args:
        connection: To the store.
        item_kind: The kind of node that the items of a domain are, for the views; None where the
            domain's declaration cannot be read.

    Raises:
        WorkspaceError: somebody else's file, or one of a newer localrec.
    """
    require_current(connection)
    version = schema_version(connection)
    if version == SCHEMA_VERSION:
        return
    connection.execute("BEGIN")
    try:
        for step in _STEPS[version:]:
            if isinstance(step, str):
                connection.execute(step)
            else:
                step(connection)
        _note_item_kinds(connection, item_kind)
        connection.execute(
            "INSERT OR REPLACE INTO meta VALUES ('schema_version', ?)", [str(SCHEMA_VERSION)]
        )
        connection.execute("COMMIT")
    except BaseException:  # Ctrl+C included: the old schema must stand
        with suppress(RuntimeError, duckdb_error()):
            connection.execute("ROLLBACK")
        raise


def duckdb_error() -> type[Exception]:
    """DuckDB's base error; imported late, as everything of DuckDB."""
    from localrec.graph.engine import duckdb

    return duckdb.Error


def _note_item_kinds(
    connection: duckdb.DuckDBPyConnection, item_kind: Callable[[str], str | None]
) -> None:
    """Step 6 knows the domains that shipped then; here come those of the workspace and of packs."""
    unknown = connection.execute(
        "SELECT DISTINCT domain FROM node "
        "WHERE 'item_kind:' || domain NOT IN (SELECT key FROM meta)"
    ).fetchall()
    for (domain,) in unknown:
        if kind := item_kind(domain):
            connection.execute("INSERT INTO meta VALUES (?, ?)", [f"item_kind:{domain}", kind])
