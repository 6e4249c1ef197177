"""From texts in the store to vectors in the store, and from those to an index that searches.

`update_embeddings` brings the vectors in line with the texts; `open_field` opens one field's
index, from the cache where it fits. The store is the truth: a cache is checked against its
fingerprint at each opening and rebuilt without a word where it does not fit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from localrec.data.domains import Domain
from localrec.foundation.errors import WorkspaceError
from localrec.graph.store import Columns, Store
from localrec.index.embedder_names import EARLIER
from localrec.index.protocols import Embedder, Labels, VectorIndex, Vectors
from localrec.index.vector_cache import FieldCache
from localrec.index.vectors import BACKENDS, ExactIndex, choose_backend

Origin = Literal["cache", "built", "memory"]

IMAGE_FIELD = (
    "picture"  # the field of vectors that were made from pictures (`index/image_index.py`)
)
_TEXTS_AT_ONCE = 1024  # an interrupted run loses at most these: a few seconds of MiniLM


@dataclass(frozen=True, eq=False)
class EmbeddedField:
    """One searchable text of a domain: near nodes of a query, and similarities of given nodes.

    Args:
        exact: Ascending node ids (n,) and matrix (n, size), to compare with given nodes.
        index: Finds near nodes; may be `exact` itself.
        origin: `cache`, freshly `built` and stored, or `memory` where the folder took nothing.
        embedder: Name of the embedder that made the vectors.
    """

    exact: ExactIndex
    index: VectorIndex
    origin: Origin
    embedder: str = ""

    def __len__(self) -> int:
        return len(self.exact)

    @property
    def node_ids(self) -> Labels:
        """The nodes that have a vector, ascending, shape (n,)."""
        return self.exact.node_ids

    def search(self, queries: Vectors, k: int) -> tuple[Labels, Vectors]:
        """Node ids and similarities of the min(k, n) nearest of each query (q, size): (q, k)."""
        return self.index.search(queries, k)

    def vectors_of(self, node_ids: Labels) -> Vectors:
        """The vector of each node, zeros of one without a text, (m, size); maybe not a copy."""
        if not len(self) or np.array_equal(self.node_ids, node_ids):
            return self.exact.matrix
        rows = np.searchsorted(self.node_ids, node_ids).clip(max=len(self) - 1)
        vectors: Vectors = self.exact.matrix[rows]
        vectors[self.node_ids[rows] != node_ids] = 0.0
        return vectors

    def similarities(self, query: Vectors, node_ids: Labels) -> Vectors:
        """Similarity of one query (size,) to each of `node_ids` (n,); 0.0 for an unknown node."""
        return self.exact.similarities(query, node_ids)


def open_field(
    store: Store, folder: Path, domain: str, field: str, model: str, backend: str = "auto"
) -> EmbeddedField:
    """Open the index of one field, building it where the cache does not fit the store.

    Where an embedder's name changed, the vectors of its earlier name are opened as long as there
    are any: they are complete, and are deleted only when all new ones are made (`drop_earlier`).

    Args:
        store: Read only.
        folder: The workspace's `indexes/`; where it cannot be written, memory must do.
        domain: The domain's name.
        field: A key of the domain's `texts`, or `name`.
        model: `name` of the embedder that made the vectors.
        backend: `exact`, `hnsw`, or `auto`: exact up to 50,000 vectors.

    Raises:
        UsageError: no such backend, or its library is not installed.
    """
    choose_backend(backend, 0)  # a misspelt setting fails with or without a cache
    if model in EARLIER and _has_vectors(store, EARLIER[model]):
        earlier = _open_field(store, folder, domain, field, EARLIER[model], backend)
        if len(earlier):
            return earlier
    return _open_field(store, folder, domain, field, model, backend)


def _has_vectors(store: Store, model: str) -> bool:
    """Whether any vector is of an embedder; of an earlier one most stores have none."""
    return bool(store.rows("SELECT 1 FROM embedding WHERE model = ? LIMIT 1", [model]))


def _open_field(
    store: Store, folder: Path, domain: str, field: str, model: str, backend: str
) -> EmbeddedField:
    fingerprint = store.embedding_fingerprint(domain, field, model)
    cache = FieldCache(folder, domain, field, model)
    cached = cache.load(fingerprint, backend)
    if cached is not None:
        return EmbeddedField(*cached, "cache", model)
    exact = ExactIndex(*store.read_embeddings(domain, field, model))
    backend = choose_backend(backend, len(exact))
    index = BACKENDS[backend].build(exact) if backend in BACKENDS else exact
    try:
        cache.write(fingerprint, backend, exact, index)
        if len(exact) and model in EARLIER:
            FieldCache(folder, domain, field, EARLIER[model]).remove()
    except (
        OSError,
        WorkspaceError,
    ):  # a full disk or a folder of somebody else's: slower next time, not wrong
        return EmbeddedField(exact, index, "memory", model)
    return EmbeddedField(exact, index, "built", model)


def update_embeddings(
    store: Store,
    domain: Domain,
    embedder: Embedder,
    progress: Callable[[int, int], None] | None = None,
) -> int:
    """Embed what is new or changed among the domain's texts, and drop what has vanished.

    Each item's texts count under the fields of `domain.texts`, each attribute's and family's
    name under `name`. Finished batches are committed, so a run that was interrupted goes on
    where it stopped.

    Args:
        store: Open for writing.
        domain: The domain whose nodes are embedded.
        embedder: Makes the vectors; they are stored under its name.
        progress: Called after each batch with the texts embedded so far and the texts to embed.

    Returns:
        How many different texts were embedded.
    """
    with _current_texts(store, domain):
        _drop_vanished(store, domain)
        total = _stage_pending(store, embedder.name)
        for start in range(0, total, _TEXTS_AT_ONCE):
            _embed_batch(store, embedder, start, start + _TEXTS_AT_ONCE)
            if progress:
                progress(min(start + _TEXTS_AT_ONCE, total), total)
    drop_earlier(store, domain, embedder.name)
    return total


def drop_earlier(store: Store, domain: Domain, model: str) -> None:
    """Delete the vectors of a domain by the earlier name of an embedder, once all are made anew."""
    if model in EARLIER:
        store.execute(
            "DELETE FROM embedding WHERE model = ? AND node_id IN "
            "(SELECT node_id FROM node WHERE domain = ?)",
            [EARLIER[model], domain.name],
        )


@contextmanager
def _current_texts(store: Store, domain: Domain) -> Iterator[None]:
    """Table `current_text` (node_id, field, text, text_hash): all that should have a vector."""
    store.execute(
        "CREATE OR REPLACE TEMP TABLE current_text "
        "(node_id BIGINT, field VARCHAR, text VARCHAR, text_hash UBIGINT)"
    )
    try:
        for field, text_property in domain.texts.items():
            _collect(store, domain.name, [domain.item], field, text_property)
        _collect(store, domain.name, list(domain.attributes), "name", "name")
        yield
    finally:
        store.execute("DROP TABLE IF EXISTS temp.pending_text")
        store.execute("DROP TABLE IF EXISTS temp.current_text")


def _collect(store: Store, domain: str, kinds: list[str], field: str, text_property: str) -> None:
    # Every node has its name as a column; other texts lie in its properties.
    text = "name" if text_property == "name" else "json_extract_string(properties, $4)"
    values = [domain, kinds, field] + [text_property] * (text_property != "name")
    store.execute(
        "INSERT INTO current_text SELECT node_id, $3, text, hash(text) "
        f"FROM (SELECT node_id, {text} AS text FROM node "
        "WHERE domain = $1 AND kind IN (SELECT unnest($2))) "
        r"WHERE regexp_matches(text, '\S')",
        values,
    )


def _drop_vanished(store: Store, domain: Domain) -> None:
    """Delete vectors of any model whose text or node is gone.

    People's nodes are not ours, nor is what was made from a picture.
    """
    store.execute(
        "DELETE FROM embedding WHERE node_id NOT IN (SELECT node_id FROM node) "
        "OR (node_id IN (SELECT node_id FROM node WHERE domain = ? "
        "AND kind IN (SELECT unnest(?))) "
        "AND (node_id, field) NOT IN (SELECT (node_id, field) FROM current_text) "
        "AND field <> ?)",
        [domain.name, [domain.item, *domain.attributes], IMAGE_FIELD],
    )


def _stage_pending(store: Store, model: str) -> int:
    """Table `pending_text`: rows without a fresh vector, equal texts under one `place`.

    The order by hash mixes long and short texts, so that progress runs evenly.
    """
    store.execute(
        "CREATE OR REPLACE TEMP TABLE pending_text AS "
        "SELECT c.*, dense_rank() OVER (ORDER BY c.text_hash, c.text) - 1 AS place "
        "FROM current_text c ANTI JOIN "
        "(SELECT node_id, field, text_hash FROM embedding WHERE model = ?) e "
        "USING (node_id, field, text_hash)",
        [model],
    )
    return int(store.rows("SELECT coalesce(max(place) + 1, 0) FROM pending_text")[0][0])


def count_pending(store: Store, domain: Domain, model: str) -> int:
    """Count the different texts of a domain that have no fresh vector by a model."""
    with _current_texts(store, domain):
        return _stage_pending(store, model)


def all_texts(store: Store, domain: Domain) -> Columns:
    """All texts that should have a vector: columns field, node_id, text, ascending."""
    with _current_texts(store, domain):
        return store.columns(
            "SELECT field, node_id, text FROM current_text ORDER BY field, node_id"
        )


def next_pending(store: Store, domain: Domain, model: str, most: int) -> tuple[Columns, int]:
    """The next texts without a vector by a model, and how many there are.

    Args:
        store: Open for writing.
        domain: The domain whose nodes are embedded.
        model: The embedder's name.
        most: Different texts that are wanted.

    Returns:
        Columns place, node_id, field, text, text_hash, equal texts under one place; the count.
    """
    with _current_texts(store, domain):
        _drop_vanished(store, domain)
        total = _stage_pending(store, model)
        return _pending_rows(store, 0, most), total


def write_vectors(store: Store, model: str, rows: Columns, vectors: Vectors) -> None:
    """Store the vectors (n, size) of rows of `next_pending`."""
    for field in np.unique(rows["field"].astype(str)):
        chosen = rows["field"] == field
        store.write_embeddings(
            str(field), model, rows["node_id"][chosen], rows["text_hash"][chosen], vectors[chosen]
        )


def _embed_batch(store: Store, embedder: Embedder, start: int, stop: int) -> None:
    rows = _pending_rows(store, start, stop)
    _, first, text_of_row = np.unique(rows["place"], return_index=True, return_inverse=True)
    vectors = embedder.embed([str(text) for text in rows["text"][first]])
    write_vectors(store, embedder.name, rows, vectors[text_of_row])


def _pending_rows(store: Store, start: int, stop: int) -> Columns:
    return store.columns(
        "SELECT place, node_id, field, text, text_hash FROM pending_text "
        "WHERE place >= ? AND place < ? ORDER BY place, node_id",
        [start, stop],
    )
