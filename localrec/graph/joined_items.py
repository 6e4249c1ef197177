"""One item in two catalogues: the second adds what the first lacks, and replaces nothing.

Which catalogue an item came with is told by the receipts: the same file imported again replaces its
own items, a file of another kind or name joins. A text that was only generated gives way to one
that a file states. Links are added of the kinds that the item has none of, so that two recipes of
one drink do not become a third; which recipes are one drink is told by `namesakes`.
"""

from __future__ import annotations

import msgspec

from localrec.data.domains import Domain
from localrec.data.rows import ImportReport
from localrec.foundation.prose import join_words
from localrec.graph.namesakes import BROUGHT, OTHER_FILE, MatchedRecipes, file_of
from localrec.graph.store import Store

_TEXTS = ("description", "image_description")
_NAMED = 5  # recipes that a receipt names
_WRITTEN = "('model', 'picture')"  # marks of texts that were written in this workspace
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
        "AND n.key = s.key WHERE n.node_id IN "
        f"(SELECT node_id {BROUGHT} AND {OTHER_FILE})",
        {"domain": domain, **file_of(report)},
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


def properties_beside_written() -> str:
    """SQL for what a staged item `s` says, with the texts that were written here for a stored `n`.

    A model's text (`localrec describe`, `localrec images describe`) stays until a file states one;
    the mark of an item that a model failed on stays with the text that it failed to better.
    """
    told = "s.properties::JSON"
    for text in _TEXTS:
        old, new, mark = (
            f"n.properties->>'$.{text}'",
            f"s.properties->>'$.{text}'",
            f"n.properties->>'$.{text}_source'",
        )
        is_stated = (
            f"(coalesce({new}, '') <> '' "
            f"AND coalesce(s.properties->>'$.{text}_source', 'source') <> 'generated')"
        )
        stays = (
            f"(({mark} IN {_WRITTEN} AND NOT {is_stated}) "
            f"OR ({mark} = 'template' AND {old} = {new} AND NOT {is_stated}))"
        )
        kept = f"json_object('{text}', {old}, '{text}_source', {mark})"
        told = f"CASE WHEN {stays} THEN json_merge_patch({told}, {kept}) ELSE {told} END"
    return told


def _is_stated(node: str, text: str) -> str:
    """SQL that is true where a file stated a text: it bears no mark, or that of a source."""
    properties = f"{node}.properties"
    return (
        f"(coalesce({properties}->>'$.{text}', '') <> '' "
        f"AND coalesce({properties}->>'$.{text}_source', 'source') = 'source')"
    )


def tell_joined(
    report: ImportReport, domain: Domain, joined: int, recipes: MatchedRecipes
) -> ImportReport:
    """The receipt with what became of items whose names other catalogues had brought.

    An item that went into a stored one counts as merged.
    """
    notes = report.notes
    if joined:
        they, theirs = ("it", "its own") if joined == 1 else ("they", "theirs")
        notes += (
            f"{domain.counted(joined)} came with another catalogue before: what {they} lacked was "
            f"added, nothing of {theirs} was replaced.",
        )
    if recipes.differing:
        names = list(recipes.differing[:_NAMED])
        more = [f"{len(recipes.differing) - _NAMED:,} more"] if recipes.differing[_NAMED:] else []
        notes += (
            f"The recipe that came first stays where this one has another ingredient: "
            f"{join_words([*names, *more])}.",
        )
    if recipes.apart:
        have = "has" if recipes.apart == 1 else "have"
        notes += (
            f"{domain.counted(recipes.apart)} {have} the name of another recipe that is here; "
            "each is an item of its own.",
        )
    return msgspec.structs.replace(
        report, kept=report.kept - joined, merged=report.merged + joined, notes=notes
    )
