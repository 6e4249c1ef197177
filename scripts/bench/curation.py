"""Measure how long it takes to find, choose, tell and sum up the neighbours of a history.

Run:
    python scripts/studies/run.py curation [--interactions 600000] [--write]

A graph of likings is generated: people of very different diligence in camps of taste, items of very
different fame, four attributes and a vector of 384 numbers each. Histories of 50 are those of
people drawn at random, who are left out. Everything runs warm and in one process; tokens are
counted by a stand-in (words and marks), since the model's own tokenizer is no part of this.

The peer finds the same neighbours in NetworkX with plain loops: who shares items, what they like,
how many share it and the cosines of both, without days, attributes and texts. It is left out
beyond a million likings, which would not fit into memory.
"""

from __future__ import annotations

import argparse
import re
import time

import msgspec
import networkx as nx
import numpy as np
from findings import Findings, Timing, origin_of
from numpy.typing import NDArray

from localrec.data.interaction_matrix import InteractionMatrix
from localrec.data.item_features import ItemFeatures
from localrec.evaluation.provenance import Origin
from localrec.evaluation.reporting.markdown import markdown_table
from localrec.memory.collaborative_memory import supporters_of
from localrec.memory.curation import curate
from localrec.memory.default_rules import default_rules
from localrec.memory.prompt_packer import PromptPacker
from localrec.memory.synthesis import MOST_FACETS, count_facets, domain_shares
from localrec.memory.user_item_graph import UserItemGraph

HISTORY = 50
HISTORIES = 200
LEAST_HISTORIES_OF_PEER = 5
PEER_UP_TO = 1_000_000  # likings
CAMPS = 24
SURPLUS = 60  # percent drawn more than asked for, since pairs come twice
SIZE = 384
ATTRIBUTES = 2_000
SEED = 16


class Measured(msgspec.Struct, frozen=True, kw_only=True):
    """One run."""

    origin: Origin
    likings: int
    users: int
    items: int
    graph_s: float
    profiles_s: float
    neighbours: Timing
    curation: Timing
    both: Timing
    packing: Timing
    facets: Timing
    read_path: Timing
    peer: Timing | None
    held_mb: float


def add_options(parser: argparse.ArgumentParser) -> None:
    """What the command line takes."""
    parser.add_argument("--interactions", type=int, default=600_000)
    parser.add_argument("--histories", type=int, default=HISTORIES)


def measure(asked: argparse.Namespace) -> Findings:
    """Generate a graph and walk the read path."""
    measured = measure_all(asked.interactions, asked.histories)
    name = f"bench-curation-{asked.interactions}"
    return Findings(text=as_markdown(measured), page="memory", block=name, figures=measured)


def measure_all(interactions: int, histories: int) -> Measured:
    """All figures of one run."""
    users, items = max(100, interactions // 150), max(200, min(62_423, interactions // 150))
    user, item, day = likings(interactions, users, items)
    begun = time.perf_counter()
    graph = UserItemGraph(
        InteractionMatrix.from_pairs(user, item, users, items, day), item_features(items)
    )
    graph_s = time.perf_counter() - begun
    del user, item, day
    begun = time.perf_counter()
    _ = graph.profiles
    profiles_s = time.perf_counter() - begun
    found, chosen, both, told, summed, whole = read_paths(graph, histories)
    return Measured(
        origin=origin_of("curation", f"--interactions {interactions}"),
        likings=len(graph.matrix.items),
        users=users,
        items=items,
        graph_s=graph_s,
        profiles_s=profiles_s,
        neighbours=found,
        curation=chosen,
        both=both,
        packing=told,
        facets=summed,
        read_path=whole,
        peer=peer(graph, histories) if len(graph.matrix.items) <= PEER_UP_TO else None,
        held_mb=held(graph) / 1e6,
    )


def likings(
    interactions: int, users: int, items: int
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float32]]:
    """Rows of person, item and day, no pair twice; half of what people like is of their camp."""
    random = np.random.default_rng(SEED)
    surplus = interactions + interactions * SURPLUS // 100
    diligence = np.exp(1.1 * random.standard_normal(users))
    user = random.choice(users, surplus, p=diligence / diligence.sum())
    item = (items * random.random(surplus) ** 2.5).astype(np.int64)
    at_home = random.random(surplus) < 0.5
    item[at_home] += user[at_home] % CAMPS - item[at_home] % CAMPS
    pairs = np.unique(user * items + np.minimum(item, items - 1))
    kept = random.choice(len(pairs), min(interactions, len(pairs)), replace=False)
    user, item = np.divmod(pairs[kept], items)
    day = (20_000 - 4_000 * random.random(len(kept))).astype(np.float32)
    return user.astype(np.int32), item.astype(np.int32), day


def item_features(items: int) -> ItemFeatures:
    """Four attributes and a vector of each item."""
    random = np.random.default_rng(SEED + 1)
    links = np.repeat(np.arange(items), 4), (ATTRIBUTES * random.random(4 * items) ** 3).astype(int)
    pairs = np.unique(np.stack(links, axis=1).astype(np.int32), axis=0)
    vectors = random.standard_normal((items, SIZE), dtype=np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return ItemFeatures(
        np.ascontiguousarray(pairs[:, 0]),
        np.ascontiguousarray(pairs[:, 1]),
        items,
        ATTRIBUTES,
        vectors,
    )


def read_paths(graph: UserItemGraph, histories: int) -> tuple[Timing, ...]:
    """Times of finding, choosing, both, telling, counting facets, and all of it."""
    names = [f"Item {number} of the collection" for number in range(graph.item_features.items)]
    memory = "Liked by people who like slow films of the sea and of small towns. " * 6
    memories = dict.fromkeys(range(graph.item_features.items), memory)
    teller = PromptPacker(names, memories, graph.matrix.newest_items, count_words)
    rules = default_rules("movies")
    usual = domain_shares(graph.item_features, graph.matrix.likes)
    phrases = [f"of kind {number}" for number in range(ATTRIBUTES)]
    weights = np.ones(HISTORY, dtype=np.float32)
    times = []
    for user, history in drawn(graph, histories):
        marks = [time.perf_counter()]
        neighbours = graph.neighbours_of(history, weights[: len(history)], user)
        marks.append(time.perf_counter())
        curated = curate(neighbours, rules)
        marks.append(time.perf_counter())
        teller.pack(curated)
        marks.append(time.perf_counter())
        count_facets(
            supporters_of(curated, graph), graph.item_features, usual, phrases, MOST_FACETS
        )
        marks.append(time.perf_counter())
        found, chosen, told, summed = np.diff(marks).tolist()
        times.append((found, chosen, found + chosen, told, summed, marks[-1] - marks[0]))
    return tuple(Timing.of(column) for column in zip(*times, strict=True))


def held(graph: UserItemGraph) -> int:
    """Bytes of the graph and the profiles; in a workspace most of them are mapped files."""
    profiles = graph.profiles
    arrays = (
        graph.matrix.items,
        graph.matrix.days,
        graph.matrix.users,
        graph.matrix.first_item,
        graph.matrix.first_user,
    )
    kept = (profiles.newest, profiles.lengths, profiles.directions)
    return sum(array.nbytes for array in (*arrays, *kept))


def drawn(graph: UserItemGraph, many: int) -> list[tuple[int, NDArray[np.int32]]]:
    """People who like at least fifty items, each with fifty of theirs."""
    random = np.random.default_rng(SEED + 2)
    able = np.flatnonzero(graph.matrix.user_likes >= HISTORY)
    if not len(able):  # a very small graph
        able = np.flatnonzero(graph.matrix.user_likes)
    histories = []
    for user in random.choice(able, many).tolist():
        theirs = graph.matrix.items[
            graph.matrix.first_item[user] : graph.matrix.first_item[user + 1]
        ]
        history = random.choice(theirs, min(HISTORY, len(theirs)), replace=False)
        histories.append((user, history))
    return histories


def peer(graph: UserItemGraph, histories: int) -> Timing:
    """Times of finding neighbours by plain loops over a NetworkX graph."""
    plain = nx.Graph()
    who = np.repeat(np.arange(graph.matrix.user_count), graph.matrix.user_likes).tolist()
    plain.add_edges_from(
        (("person", user), ("item", item))
        for user, item in zip(who, graph.matrix.items.tolist(), strict=True)
    )
    times = []
    for user, history in drawn(graph, max(LEAST_HISTORIES_OF_PEER, histories // 20)):
        begun = time.perf_counter()
        plain_neighbours(plain, user, history.tolist())
        times.append(time.perf_counter() - begun)
    return Timing.of(times)


def plain_neighbours(
    graph: nx.Graph, asking: int, history: list[int]
) -> dict[tuple[str, int], tuple[float, int]]:
    """Cosine and count of each neighbour."""
    shared: dict[tuple[str, int], int] = {}
    for item in history:
        for user in graph["item", item]:
            if user != ("person", asking):
                shared[user] = shared.get(user, 0) + 1
    edges = {
        user: count / (len(history) * graph.degree(user)) ** 0.5 for user, count in shared.items()
    }
    nearest = sorted(edges, key=lambda user: (-edges[user], user))[:256]
    pull: dict[tuple[str, int], float] = {}
    fans: dict[tuple[str, int], int] = {}
    for user in nearest:
        for item in graph[user]:
            pull[item] = pull.get(item, 0.0) + edges[user] ** 3
            fans[item] = fans.get(item, 0) + 1
    length = sum(edges[user] ** 6 for user in nearest) ** 0.5
    given = {("item", item) for item in history}
    rows = {user: (edges[user], shared[user]) for user in nearest}
    rows |= {
        item: (pull[item] / (length * graph.degree(item) ** 0.5), fans[item])
        for item in fans
        if item not in given
    }
    return rows


def count_words(text: str) -> int:
    """Words and marks: what a tokenizer would about count."""
    return len(_WORDS.findall(text))


def as_markdown(one: Measured) -> str:
    """The figures as a table with their targets."""
    limit = "under 5" if one.likings <= PEER_UP_TO else ""
    rows = [
        _row("finding neighbours", one.neighbours, ""),
        _row("choosing 16 of them by rules", one.curation, ""),
        _row("both", one.both, limit),
        _row("telling them within 1,800 tokens", one.packing, ""),
        _row("counting what they share, 7 facets", one.facets, ""),
        _row("the whole read path without a model", one.read_path, "under 30"),
    ]
    if one.peer:
        ratio = one.peer.median / one.neighbours.median
        rows.append(_row(f"NetworkX and loops ({ratio:.1f} times as long)", one.peer, ""))
    title = f"{one.likings:,} likings, {one.users:,} people, {one.items:,} items: ms"
    told = markdown_table([title, "median", "95th percentile", "wanted median"], rows)
    made = (
        f"Sorting the graph took {one.graph_s:.1f} s, profiles {one.profiles_s:.1f} s (kept "
        f"afterwards); together they hold {one.held_mb:,.0f} MB."
    )
    return f"{told}\n\n{made}\n\nMade by {one.origin.as_text()}"


def _row(name: str, times: Timing, wanted: str) -> list[str]:
    return [name, *times.cells(), wanted]


_WORDS = re.compile(r"\w+|[^\w\s]")
