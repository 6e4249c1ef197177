"""Pictures of items in the store: one small copy for an item, and what was seen in it.

A picture is prepared first (a row without an import, which nothing shows) and taken in with all
others of its import in one transaction. So an import happens whole or not at all, and one that was
cut short finds again what it had prepared. Files' names are not kept.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec
import numpy as np

from localrec.data.domains import Domain
from localrec.data.records import Record
from localrec.data.rows import ImportReport
from localrec.graph.item_ingest import store_receipt
from localrec.graph.store import Columns, Store


class ItemImage(msgspec.Struct, frozen=True, kw_only=True):
    """A picture of an item, made small.

    Args:
        node_id: The item.
        thumbnail: WebP, no side longer than 256 pixels, without metadata.
        sight: Attributes found in it, as JSON; None where a domain has no words for looks.
        width: Width in pixels of the upright original file.
        height: Height in pixels of the upright original file.
        sha256: Digest of the original file, as hex.
    """

    node_id: int
    thumbnail: bytes
    sight: str | None
    width: int
    height: int
    sha256: str


class ItemImageInfo(msgspec.Struct, Record, frozen=True, kw_only=True):
    """An item that has a picture, without the picture itself."""

    key: str
    name: str
    width: int
    height: int
    described_by: str | None


def thumbnails_by_key(store: Store, domain: Domain, keys: Sequence[str]) -> dict[str, bytes]:
    """Thumbnails (WebP, at most 256 pixels a side) by item key; items without one are left out.

    This is what a screen asks: one query for all items that it shows. The bytes are opened with
    `images.thumbnails.open_thumbnail`.
    """
    rows = store.rows(
        "SELECT n.key, p.thumbnail FROM picture p JOIN node n USING (node_id) "
        "WHERE p.import_id IS NOT NULL AND n.domain = ? AND n.kind = ? "
        "AND n.key IN (SELECT unnest(?::VARCHAR[]))",
        [domain.name, domain.item, list(keys)],
    )
    return dict(rows)


def list_item_images(store: Store, domain: Domain) -> list[ItemImageInfo]:
    """Every item of a domain that has a picture, by name."""
    rows = store.rows(
        "SELECT n.key, n.name, p.width, p.height, json_extract_string(n.properties, ?) "
        "FROM picture p JOIN node n USING (node_id) "
        "WHERE p.import_id IS NOT NULL AND n.domain = ? AND n.kind = ? ORDER BY n.name, n.key",
        [f"$.{_source_of(domain)}", domain.name, domain.item],
    )
    names = ("key", "name", "width", "height", "described_by")
    return [ItemImageInfo(**dict(zip(names, row, strict=True))) for row in rows]


def count_item_images(store: Store, domain: Domain) -> int:
    """Count the items of a domain that have a picture."""
    [[count]] = store.rows(
        "SELECT count(*) FROM picture p JOIN node n USING (node_id) "
        "WHERE p.import_id IS NOT NULL AND n.domain = ? AND n.kind = ?",
        [domain.name, domain.item],
    )
    return int(count)


def image_hashes(store: Store, *, prepared: bool) -> dict[int, str]:
    """Node id -> SHA-256 of the file of its picture: of those taken in, or of those prepared."""
    rows = store.rows(
        "SELECT node_id, sha256 FROM picture WHERE (import_id IS NULL) = ?", [prepared]
    )
    return {int(node_id): str(mark) for node_id, mark in rows}


def stage_item_images(store: Store, pictures: Sequence[ItemImage]) -> None:
    """Put pictures beside those that count, in one transaction."""
    with store.staged(staged_picture=_columns(pictures)), store.transaction():
        store.execute(
            "DELETE FROM picture WHERE import_id IS NULL "
            "AND node_id IN (SELECT node_id FROM staged_picture)"
        )
        store.execute("INSERT INTO picture SELECT *, NULL FROM staged_picture")


def commit_item_images(
    store: Store, domain: Domain, marks: Mapping[int, str], report: ImportReport
) -> None:
    """Let prepared pictures count, in one transaction, in place of the items' old ones.

    A description that was generated from an old picture goes with it. What was prepared and is
    not among `marks`, goes too.

    Args:
        store: An open, writable store.
        domain: The domain of the items.
        marks: Node id -> SHA-256 of each prepared picture that is taken in.
        report: The receipt.
    """
    staged = {
        "node_id": np.fromiter(marks.keys(), dtype=np.int64, count=len(marks)),
        "sha256": np.array(list(marks.values()), dtype=object if marks else "<U1"),
    }
    with store.staged(staged_mark=staged), store.transaction():
        _drop_descriptions(store, domain)
        store.execute(
            "DELETE FROM picture WHERE import_id IS NOT NULL "
            "AND node_id IN (SELECT node_id FROM staged_mark)"
        )
        store.execute(
            "UPDATE picture SET import_id = ? WHERE import_id IS NULL "
            "AND (node_id, sha256) IN (SELECT (node_id, sha256) FROM staged_mark)",
            [store_receipt(store, report)],
        )
        store.execute("DELETE FROM picture WHERE import_id IS NULL")


def undescribed_items(store: Store, domain: Domain, over: Sequence[str]) -> dict[int, str | None]:
    """Items whose picture can describe them: node id -> what was seen in it, as JSON.

    These have no text of how they look, or one of the sources `over` ("generated" from a recipe,
    say), which a picture knows better.
    """
    text = domain.texts[IMAGE_DESCRIPTION]
    rows = store.rows(
        "SELECT node_id, p.sight FROM picture p JOIN node n USING (node_id) "
        "WHERE p.import_id IS NOT NULL AND n.domain = $domain AND n.kind = $item "
        "AND (NOT regexp_matches(coalesce(json_extract_string(n.properties, $text), ''), '\\S') "
        "OR json_extract_string(n.properties, $source) IN (SELECT unnest($over::VARCHAR[]))) "
        "ORDER BY node_id",
        {
            "domain": domain.name,
            "item": domain.item,
            "text": f"$.{text}",
            "source": f"$.{_source_of(domain)}",
            "over": list(over),
        },
    )
    return {int(node_id): sight for node_id, sight in rows}


def thumbnails_by_node(store: Store, node_ids: Sequence[int]) -> dict[int, bytes]:
    """The thumbnails of some items, by node id."""
    rows = store.rows(
        "SELECT node_id, thumbnail FROM picture WHERE import_id IS NOT NULL "
        "AND node_id IN (SELECT unnest(?::BIGINT[]))",
        [list(node_ids)],
    )
    return {int(node_id): thumbnail for node_id, thumbnail in rows}


def write_image_descriptions(
    store: Store, domain: Domain, texts: Mapping[int, str], source: str
) -> None:
    """Put descriptions of how items look in place, marked with what made them; one transaction."""
    with store.transaction():
        for node_id, text in texts.items():
            patch = {domain.texts[IMAGE_DESCRIPTION]: text, _source_of(domain): source}
            store.execute(
                "UPDATE node SET properties = json_merge_patch(properties, ?::JSON) "
                "WHERE node_id = ?",
                [msgspec.json.encode(patch).decode(), node_id],
            )


IMAGE_DESCRIPTION = "image_description"  # the searchable text that says how an item looks
DESCRIBED_FROM_IMAGE = ("picture", "model")  # sources of such a text that a picture stood behind


def _source_of(domain: Domain) -> str:
    return f"{domain.texts.get(IMAGE_DESCRIPTION, IMAGE_DESCRIPTION)}_source"


def _drop_descriptions(store: Store, domain: Domain) -> None:
    """Take away what was said of pictures that `staged_mark` replaces."""
    if IMAGE_DESCRIPTION not in domain.texts:
        return
    source = _source_of(domain)
    store.execute(
        "UPDATE node SET properties = json_merge_patch(properties, $nothing::JSON) "
        "WHERE node_id IN (SELECT node_id FROM staged_mark) "
        "AND json_extract_string(properties, $source) IN (SELECT unnest($seen::VARCHAR[]))",
        {
            "nothing": msgspec.json.encode(
                {domain.texts[IMAGE_DESCRIPTION]: None, source: None}
            ).decode(),
            "source": f"$.{source}",
            "seen": list(DESCRIBED_FROM_IMAGE),
        },
    )


def _columns(pictures: Sequence[ItemImage]) -> Columns:
    columns: Columns = {}
    for name in ItemImage.__struct_fields__:
        values = [getattr(one, name) for one in pictures]
        kind = np.int64 if name in ("node_id", "width", "height") else object
        columns[name] = np.empty(len(values), dtype=kind)
        columns[name][:] = values
    return columns
