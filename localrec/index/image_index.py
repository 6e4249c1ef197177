"""Items by what their pictures show: found by another picture, or by words.

Vectors of record lie in the store as embeddings of the field `picture`, made from the thumbnails
there, and are kept like those of texts: in one index, behind the same cache
(`index/vector_cache`). Only
pictures are in it. Words are embedded by the pair's text encoder and compared with them: texts
lie nearer to each other than to any picture in such a space, so that an item's own texts beside its
picture would win every question by words.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np

from localrec.data.domains import Domain
from localrec.data.records import Record
from localrec.graph.image_store import thumbnails_by_node
from localrec.graph.store import Store
from localrec.images.opening import DecodedImage
from localrec.images.thumbnails import open_thumbnail, thumbnail_of
from localrec.index.clip import ClipPair
from localrec.index.embedded_fields import IMAGE_FIELD, EmbeddedField, open_field
from localrec.index.protocols import Vectors

_AT_ONCE = 64  # pictures; an interrupted run loses at most these


class ImageNeighbour(msgspec.Struct, frozen=True):
    """An item of the store and the cosine of its picture with what was asked, highest is nearest.

    Cosines of two pictures and of a picture with words are not on one scale: a fair match of words
    is about 0.3 in CLIP, a picture of something else easily 0.6.
    """

    node_id: int
    similarity: float


class SimilarImageItem(msgspec.Struct, Record, frozen=True):
    """The same by key and name, as a person is told."""

    key: str
    name: str
    similarity: float


@dataclass(frozen=True, eq=False)
class ImageIndex:
    """The pictures of one domain's items, open for questions."""

    pair: ClipPair
    field: EmbeddedField

    def nearest_by_picture(self, picture: DecodedImage, k: int) -> list[ImageNeighbour]:
        """The min(k, n) items whose pictures are most like this one.

        It is first made as small as those of items are, so that a picture finds itself.
        """
        small = open_thumbnail(thumbnail_of(picture))
        return self._nearest(self.pair.embed_pictures([small]), k)

    def nearest_by_words(self, text: str, k: int) -> list[ImageNeighbour]:
        """The min(k, n) items whose pictures show most what a text says."""
        return self._nearest(self.pair.embed([text]), k)

    def _nearest(self, query: Vectors, k: int) -> list[ImageNeighbour]:
        node_ids, similarities = self.field.search(query, k)
        return [
            ImageNeighbour(int(node_id), float(similarity))
            for node_id, similarity in zip(node_ids[0], similarities[0], strict=True)
        ]


def open_image_index(
    store: Store, folder: Path, domain: str, pair: ClipPair, backend: str = "auto"
) -> ImageIndex:
    """Open the index of a domain's pictures, building it where the cache does not fit the store.

    Args:
        store: Read only.
        folder: The workspace's `indexes/`.
        domain: The domain's name.
        pair: The encoders that made the vectors, and that will embed the queries.
        backend: `exact`, `hnsw`, or `auto`: exact up to 50,000 pictures.
    """
    return ImageIndex(pair, open_field(store, folder, domain, IMAGE_FIELD, pair.name, backend))


def name_neighbours(store: Store, neighbours: Sequence[ImageNeighbour]) -> list[SimilarImageItem]:
    """Keys and names of items that were found, in the same order."""
    rows = store.rows(
        "SELECT node_id, key, name FROM node WHERE node_id IN (SELECT unnest(?::BIGINT[]))",
        [[one.node_id for one in neighbours]],
    )
    called = {node_id: (key, name) for node_id, key, name in rows}
    return [SimilarImageItem(*called[one.node_id], one.similarity) for one in neighbours]


def update_image_embeddings(
    store: Store,
    domain: Domain,
    pair: ClipPair,
    progress: Callable[[int, int], None] | None = None,
) -> int:
    """Embed the pictures of a domain that are new or changed, and drop vectors of those gone.

    Finished batches are committed, so a run that was interrupted goes on where it stopped.

    Args:
        store: Open for writing.
        domain: The domain of the items.
        pair: Makes the vectors; they are stored under its name.
        progress: Called after each batch with the pictures embedded so far and those to embed.

    Returns:
        How many pictures were embedded.
    """
    _drop_vanished(store, domain)
    waiting = _waiting(store, domain, pair.name)
    node_ids = list(waiting)
    for start in range(0, len(node_ids), _AT_ONCE):
        batch = node_ids[start : start + _AT_ONCE]
        small = thumbnails_by_node(store, batch)
        vectors = pair.embed_pictures([open_thumbnail(small[node_id]) for node_id in batch])
        marks = np.array([waiting[node_id] for node_id in batch], dtype=np.uint64)
        store.write_embeddings(IMAGE_FIELD, pair.name, batch, marks, vectors)
        if progress:
            progress(start + len(batch), len(node_ids))
    return len(node_ids)


def _waiting(store: Store, domain: Domain, model: str) -> dict[int, int]:
    """Items with a picture that this model has not embedded -> the hash that marks the picture."""
    rows = store.rows(
        "SELECT p.node_id, hash(p.sha256) FROM picture p JOIN node n USING (node_id) "
        "ANTI JOIN embedding e ON e.node_id = p.node_id AND e.field = $field "
        "AND e.model = $model AND e.text_hash = hash(p.sha256) "
        "WHERE p.import_id IS NOT NULL AND n.domain = $domain AND n.kind = $item "
        "ORDER BY p.node_id",
        {"field": IMAGE_FIELD, "model": model, "domain": domain.name, "item": domain.item},
    )
    return {int(node_id): int(mark) for node_id, mark in rows}


def _drop_vanished(store: Store, domain: Domain) -> None:
    """Delete vectors of any model whose picture is gone or was replaced."""
    store.execute(
        "DELETE FROM embedding WHERE field = $field AND node_id IN "
        "(SELECT node_id FROM node WHERE domain = $domain) AND (node_id, text_hash) NOT IN "
        "(SELECT (node_id, hash(sha256)) FROM picture WHERE import_id IS NOT NULL)",
        {"field": IMAGE_FIELD, "domain": domain.name},
    )
