"""How the rows of each table hang on users, items and imports, and so leave with them."""

from __future__ import annotations

import msgspec

from localrec.graph.interactions import USER


class TableErasureRule(msgspec.Struct, frozen=True, kw_only=True):
    """The rule for the erasure of one table's rows by user, item or import.

    Args:
        nodes: Columns of node ids; a row goes with any of its nodes, and where one is missing.
        imports: Column of an import id; a row goes with its import.
        owner: Column with the node id of whom a dated row (`at`) belongs to.
        said_by: Rows are links that a person may have said: `properties` holds their key.
        words: Columns in which a catalogue or somebody else may use the same word by chance.
        personal: SQL for rows whose `words` are a person's all the same.
        terms: Columns with localrec's own words (kinds, events, sources), which a name may be too.
        parts: JSON column -> SQL for the parts that may name a user, and SQL for the rest: words
            that a catalogue, localrec or somebody else may use by chance.
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


TABLE_ERASURE_RULES: dict[str, TableErasureRule] = {
    # The schema's number, and which kind of node is an item of which domain.
    "meta": TableErasureRule(
        words=("key", "value"), personal="key <> 'schema_version' AND key NOT LIKE 'item_kind:%'"
    ),
    "node": TableErasureRule(
        nodes=("node_id",),
        words=("key", "name", "properties"),
        personal=f"kind = '{USER}'",
        terms=("domain", "kind"),
    ),
    "edge": TableErasureRule(
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
    "embedding": TableErasureRule(nodes=("node_id",), terms=("field", "model")),
    "import_receipt": TableErasureRule(
        imports="import_id",
        parts={
            "report": (
                """json_merge_patch(report, '{"source": null, "domain": null}')""",
                "to_json([report->>'$.source', report->>'$.domain'])",
            )
        },
    ),
    "brought": TableErasureRule(nodes=("node_id",), imports="import_id"),
    "interaction": TableErasureRule(
        nodes=("user_id", "item_id"),
        owner="user_id",
        words=("note",),
        terms=("event", "source"),
    ),
    "shelf": TableErasureRule(nodes=("user_id", "node_id"), owner="user_id"),
    "memory": TableErasureRule(
        nodes=("node_id",),
        owner="node_id",
        # Outside of what people write themselves a memory has its words from the catalogue.
        words=("text", "facets"),
        personal="source = 'person'",
        terms=("source",),
        made_from="CAST(provenance->'$.made_from' AS BIGINT[])",
    ),
    "job": TableErasureRule(
        nodes=("user_id", "item_id"),
        owner="user_id",
        made_from="skipped",
        own="job_id",
        terms=("event", "state"),
    ),
    "rule_set": TableErasureRule(
        words=("name", "text"), personal="source = 'edited'", terms=("domain", "source")
    ),
    # What is seen has its words from the taxonomy.
    "picture": TableErasureRule(nodes=("node_id",), imports="import_id", words=("sight",)),
}
