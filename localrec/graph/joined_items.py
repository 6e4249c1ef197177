"""One item in two catalogues: the second adds what the first lacks, and replaces nothing.

Which catalogue an item came with is told by the receipts: the same file imported again replaces its
own items, a file of another kind or name joins. A text that was only generated gives way to one
that a file states. Links are added of the kinds that the item has none of, so that two recipes of
one drink do not become a third.
"""

from __future__ import annotations

from pathlib import PurePath

import msgspec

from localrec.data.domains import Domain
from localrec.data.rows import ImportReport
from localrec.graph.store import Store

_TEXTS = ("description", "image_description")
_NEW_KINDS = (
    "(j.node_id, l.edge) NOT IN (SELECT (source_id, kind) FROM edge "
    "WHERE source_id IN (SELECT node_id FROM joined) AND properties->>'$.by' IS NULL)"
)


def find_joined(store: Store, domain: str, report: ImportReport) -> int:
    """Fill the temporary table joined: staged items that another catalogue brought.

    Returns:
        How many there are.
    """
    store.execute(
        "CREATE OR REPLACE TEMP TABLE joined AS SELECT DISTINCT n.node_id, s.key "
        "FROM staged_item s JOIN node n ON n.domain = $domain AND n.kind = s.kind "
        "AND n.key = s.key JOIN brought b ON b.node_id = n.node_id "
        "JOIN import_receipt r USING (import_id) WHERE r.user_key IS NULL AND "
        "(r.report->>'$.source' <> $source "
        "OR regexp_extract(r.report->>'$.path', '[^/\\\\]+$') <> $file)",
        {"domain": domain, "source": report.source, "file": PurePath(report.path).name},
    )
    [[count]] = store.rows("SELECT count(*) FROM joined")
    return int(count)


def find_staged(store: Store, domain: str) -> None:
    """Fill the temporary table joined: all staged items that are there, whoever brought them."""
    store.execute(
        "CREATE OR REPLACE TEMP TABLE joined AS SELECT DISTINCT n.node_id, s.key "
        "FROM staged_item s JOIN node n ON n.domain = ? AND n.kind = s.kind AND n.key = s.key",
        [domain],
    )


def add_joined(store: Store, domain: Domain) -> None:
    """Add to the joined items the properties and kinds of links that they lack."""
    known = "json_merge_patch('{}', n.properties)"  # without nulls, which would take away
    for text in _TEXTS:
        is_better = (
            f"n.properties->>'$.{text}_source' = 'generated' "
            f"AND s.properties->>'$.{text}_source' = 'source'"
        )
        without = f'{{"{text}": null, "{text}_source": null}}'
        known = (
            f"CASE WHEN {is_better} THEN json_merge_patch({known}, '{without}') ELSE {known} END"
        )
    store.execute(
        f"UPDATE node SET properties = json_merge_patch(s.properties, {known}) "
        "FROM joined j JOIN staged_item s USING (key) JOIN node n ON n.node_id = j.node_id "
        "WHERE node.node_id = j.node_id"
    )
    store.execute(
        "INSERT INTO edge SELECT j.node_id, a.node_id, l.edge, 1.0, l.properties, NULL "
        "FROM staged_link l JOIN joined j ON j.key = l.item_key "
        "JOIN node a ON a.domain = ? AND a.kind = l.attribute_kind AND a.key = l.attribute_key "
        f"WHERE {_NEW_KINDS} ORDER BY l.position",
        [domain.name],
    )


def tell_joined(report: ImportReport, domain: Domain, count: int) -> ImportReport:
    """The receipt with a sentence about the items that another catalogue had brought."""
    if not count:
        return report
    noun = domain.singular if count == 1 else domain.plural
    note = (
        f"{count:,} {noun} came with another catalogue before: what they lacked was added, "
        "nothing of theirs was replaced."
    )
    return msgspec.structs.replace(report, notes=(*report.notes, note))
