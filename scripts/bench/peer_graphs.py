"""Lines of the bench beside peers that walk graphs in memory: curation, and nearest vectors."""

from __future__ import annotations

from collections import Counter

import numpy as np
from curation import drawn, item_features, likings
from peer_lines import PeerLine, Wanted, compare, each
from vectors import clustered_vectors, recall

from localrec.data.interaction_matrix import InteractionMatrix
from localrec.index.vectors import ExactIndex, HnswIndex
from localrec.memory.curation import curate
from localrec.memory.default_rules import default_rules
from localrec.memory.user_item_graph import UserItemGraph

NEIGHBOURS, USERS_LOOKED_AT = 16, 256
HISTORIES = 40
MANY = 2_000_000  # likings from which the wish is 20 times instead of 5
TEN = 10


def curation_line(interactions: int, repeat: int) -> PeerLine:
    """Neighbours of a history, found and chosen, beside counts of what is shared."""
    users, items = max(100, interactions // 150), max(200, min(62_423, interactions // 150))
    user, item, day = likings(interactions, users, items)
    matrix = InteractionMatrix.from_pairs(user, item, users, items, day)
    graph = UserItemGraph(matrix, item_features(items))
    _ = graph.profiles
    liked = [matrix.items_of(one).tolist() for one in range(users)]
    liked_by = [matrix.users_of(one).tolist() for one in range(items)]
    rules, asked = default_rules("movies"), drawn(graph, HISTORIES)

    def ours() -> None:
        for one, history in asked:
            weights = np.ones(len(history), dtype=np.float32)
            curate(graph.neighbours_of(history, weights, one), rules)

    def theirs() -> None:
        for one, history in asked:
            plain_neighbours(liked, liked_by, one, history.tolist())

    name = f"curation of a history, {interactions:,} likings"
    pair = (lambda: each(ours) / HISTORIES), (lambda: each(theirs) / HISTORIES)
    wanted = Wanted(1 / 20 if interactions >= MANY else 1 / 5)
    return compare(name, "a pruner with `Counter`", pair, repeat, wanted)


def plain_neighbours(
    liked: list[list[int]], liked_by: list[list[int]], one: int, history: list[int]
) -> list[int]:
    """The items that are liked most by those who share most with a history, by counting alone."""
    shared = Counter(other for item in history for other in liked_by[item])
    del shared[one]
    nearest = [other for other, _ in shared.most_common(USERS_LOOKED_AT)]
    given = set(history)
    fans = Counter(item for other in nearest for item in liked[other] if item not in given)
    return [item for item, _ in fans.most_common(NEIGHBOURS)]


def hnsw_line(repeat: int, count: int = 20_000, size: int = 384, asked: int = 200) -> PeerLine:
    """Searches of our index beside those of hnswlib itself with the same parameters."""
    import hnswlib

    vectors, queries = clustered_vectors(count, asked, size)
    labels = np.arange(count, dtype=np.int64)
    exact = ExactIndex(labels, vectors)
    index = HnswIndex.build(exact)
    plain = hnswlib.Index(space="ip", dim=size)
    plain.init_index(count, M=HnswIndex.M, ef_construction=HnswIndex.EF_CONSTRUCTION)
    plain.add_items(vectors, labels, num_threads=1)
    plain.set_ef(HnswIndex.EF)
    found = recall(exact.search(queries, TEN)[0], index.search(queries, TEN)[0])

    def ours() -> None:
        for query in queries:
            index.search(query[None], TEN)

    def theirs() -> None:
        for query in queries:
            plain.knn_query(query[None], k=TEN, num_threads=1)

    pair = (lambda: each(ours) / asked), (lambda: each(theirs) / asked)
    name, told = f"HNSW, ten of {count:,}", f"recall@10 {found:.4f}"
    return compare(name, "hnswlib alone", pair, repeat, Wanted(1.1), told=told)
