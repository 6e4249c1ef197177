"""Planted data whose answers are known: nodes with texts, and unit vectors in clusters."""

import json

import numpy as np

from localrec.data.domains import AttributeSpec, Domain

DRINKS = Domain(
    name="drinks",
    item="drink",
    singular="drink",
    plural="drinks",
    item_words=("drink",),
    texts={"name": "name", "description": "about it"},
    attributes={"ingredient": AttributeSpec(role="component", edge="HAS_INGREDIENT")},
)


def put(store, node_id, kind, name, text=None):
    """Insert one node, replacing the node of that id."""
    properties = json.dumps({} if text is None else {"about it": text})
    store.execute("DELETE FROM node WHERE node_id = ?", [node_id])
    store.execute(
        "INSERT INTO node VALUES (?, 'drinks', ?, ?, ?, ?)",
        [node_id, kind, f"key {node_id}", name, properties],
    )


def put_many(store, node_ids):
    """Insert drinks named after their node ids, all at once."""
    names = np.array([f"Drink no. {node_id}" for node_id in node_ids], dtype=object)
    with store.staged(drinks={"node_id": np.asarray(node_ids, dtype=np.int64), "name": names}):
        store.execute(
            "INSERT INTO node SELECT node_id, 'drinks', 'drink', name, name, '{}' FROM drinks"
        )


def clustered(count, size=32, clusters=40, seed=0):
    """Unit vectors scattered around the same centres for any seed; node ids are odd, ascending."""
    centres = np.random.default_rng(99).normal(size=(clusters, size))
    random = np.random.default_rng(seed)
    vectors = centres[random.integers(clusters, size=count)]
    vectors = vectors + 0.35 * random.normal(size=(count, size))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.arange(1, 2 * count + 1, 2, dtype=np.int64), vectors.astype(np.float32)
