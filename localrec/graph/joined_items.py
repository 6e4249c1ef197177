"""One item in two catalogues: the second adds what the first lacks, and replaces nothing.

Which catalogue an item came with is told by the receipts: the same file imported again replaces its
own items, a file of another kind or name joins. A text that was only generated gives way to one
that a file states. Links are added of the kinds that the item has none of, so that two recipes of
one drink do not become a third. A recipe that shares next to nothing with that of its name is
another drink, and becomes an item of its own.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePath

import msgspec

from localrec.data.domains import Domain
from localrec.data.rows import ImportReport, ItemRow
from localrec.foundation.atomic_files import short_digest
from localrec.graph.store import Store

_TEXTS = ("description", "image_description")
_WORD = re.compile(r"[^\W\d_]{3,}")
_LEAST_SHARED = 0.25  # of the words for the ingredients of two recipes of one drink
# Nodes with the receipts of the catalogues that brought them.
_BROUGHT = "FROM brought b JOIN import_receipt r USING (import_id) WHERE r.user_key IS NULL"
_OTHER_FILE = (
    "(r.report->>'$.source' <> $source "
    "OR regexp_extract(r.report->>'$.path', '[^/\\\\]+$') <> $file)"
)
_NEW_KINDS = (
    "(j.node_id, l.edge) NOT IN (SELECT (source_id, kind) FROM edge "
    "WHERE source_id IN (SELECT node_id FROM joined) AND properties->>'$.by' IS NULL)"
)


def part_namesakes(
    store: Store, domain: Domain, rows: Sequence[ItemRow], report: ImportReport
) -> tuple[list[ItemRow], int]:
    """Give recipes another key that have only the name of an item of another catalogue.

    Two recipes of one name are two drinks where they share less than a quarter of the words of
    their ingredients. Of Mr. Boston's and the bundled drinks, which share 71 names, that parts one
    (San Francisco), of Mr. Boston's and the IBA's 20 another (Derby).

    Args:
        store: An open store.
        domain: What the rows belong to.
        rows: Items with unique keys.
        report: The receipt, which says where they come from.

    Returns:
        The rows, and how many got another key.
    """
    kind = domain.kind_of("component")
    recipes = {row.key: names for row in rows if len(names := _measured_names(row, kind)) > 1}
    if not recipes:
        return list(rows), 0
    known = store.rows(
        "SELECT n.key, list(a.name) FROM node n JOIN edge e ON e.source_id = n.node_id "
        "JOIN node a ON a.node_id = e.target_id AND a.kind = $component "
        f"WHERE n.domain = $domain AND n.kind = $item AND n.key IN (SELECT unnest($keys)) "
        f"AND n.node_id IN (SELECT node_id {_BROUGHT}) "
        f"AND n.node_id NOT IN (SELECT node_id {_BROUGHT} AND NOT {_OTHER_FILE}) GROUP BY n.key",
        {
            "component": kind,
            "domain": domain.name,
            "item": domain.item,
            "keys": list(recipes),
            **_file_of(report),
        },
    )
    apart = {key for key, names in known if _is_other_recipe(recipes[key], names)}
    return [_renamed(row, kind) if row.key in apart else row for row in rows], len(apart)


def _measured_names(row: ItemRow, kind: str | None) -> list[str]:
    """The ingredients of a row that comes with their measures."""
    links = [link for link in row.links if link.kind == kind]
    return [link.name for link in links] if any(link.value for link in links) else []


def _is_other_recipe(one: Sequence[str], other: Sequence[str]) -> bool:
    first, second = ({*_WORD.findall(" ".join(names).casefold())} for names in (one, other))
    fewest = min(len(first), len(second))
    return fewest > 1 and len(first & second) < _LEAST_SHARED * fewest


def _renamed(row: ItemRow, kind: str | None) -> ItemRow:
    mark = short_digest(*sorted(_measured_names(row, kind)))[:8]
    return msgspec.structs.replace(row, key=f"{row.key}-{mark}")


def find_joined(store: Store, domain: str, report: ImportReport) -> int:
    """Fill the temporary table joined: staged items that another catalogue brought.

    Returns:
        How many there are.
    """
    store.execute(
        "CREATE OR REPLACE TEMP TABLE joined AS SELECT DISTINCT n.node_id, s.key "
        "FROM staged_item s JOIN node n ON n.domain = $domain AND n.kind = s.kind "
        "AND n.key = s.key WHERE n.node_id IN "
        f"(SELECT node_id {_BROUGHT} AND {_OTHER_FILE})",
        {"domain": domain, **_file_of(report)},
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
    store.execute(
        f"UPDATE node SET properties = {merged_properties(newest_wins=False)} "
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


def merged_properties(*, newest_wins: bool) -> str:
    """SQL for what a stored item `n` and a staged one `s` say together.

    A text that a file states gives way to no other that was made for an item, whoever brings it,
    and takes no mark of one along; a made text gives way to a stated one.

    Args:
        newest_wins: Whether the staged item is right where both state something.
    """
    # Without nulls, which would take away.
    known, told = "json_merge_patch('{}', n.properties)", "s.properties"
    for text in _TEXTS:
        without = f'{{"{text}": null, "{text}_source": null}}'
        old, new = _is_stated("n", text), _is_stated("s", text)
        stays = f"(n.properties->>'$.{text}' IS NOT NULL AND NOT {new})"
        if not newest_wins:
            stays = f"({stays} OR {old})"
        told = f"CASE WHEN {stays} THEN json_merge_patch({told}, '{without}') ELSE {told} END"
        known = (
            f"CASE WHEN {new} AND NOT {old} THEN json_merge_patch({known}, '{without}') "
            f"ELSE {known} END"
        )
    first, last = (known, told) if newest_wins else (told, known)
    return f"json_merge_patch({first}, {last})"


def _is_stated(node: str, text: str) -> str:
    """SQL that is true where a file stated a text: it bears no mark, or that of a source."""
    properties = f"{node}.properties"
    return (
        f"(coalesce({properties}->>'$.{text}', '') <> '' "
        f"AND coalesce({properties}->>'$.{text}_source', 'source') = 'source')"
    )


def _file_of(report: ImportReport) -> dict[str, str]:
    """What tells a catalogue: its kind and the name of its file."""
    return {"source": report.source, "file": PurePath(report.path).name}


def tell_joined(
    report: ImportReport, domain: Domain, joined: int, namesakes: int = 0
) -> ImportReport:
    """The receipt with sentences about items of the names that another catalogue had brought."""
    notes = report.notes
    if joined:
        notes += (
            f"{_counted(joined, domain)} came with another catalogue before: what they lacked was "
            "added, nothing of theirs was replaced.",
        )
    if namesakes:
        have = "has" if namesakes == 1 else "have"
        notes += (
            f"{_counted(namesakes, domain)} {have} the name of another recipe that is here; each "
            "is an item of its own.",
        )
    return msgspec.structs.replace(report, notes=notes)


def _counted(count: int, domain: Domain) -> str:
    return f"{count:,} {domain.singular if count == 1 else domain.plural}"
