"""Measure how many of the nearest people and items HNSW finds: recall at 10 against brute force.

Run:
    python scripts/studies/run.py near [--many 100000] [--asked 300] [--workspace PATH]

SASRec is trained on the training rows of MovieLens 100K (localrec datasets pull ml-100k), as runs
train it. Its people and items are the first set. The second has as many of both as `--many` says:
those of MovieLens 100K and others drawn around them, each the vector of one plus half the
difference of two more, so that they spread in the directions that the network learnt. People drawn
at random are asked for by their histories (U2U), items drawn at random by their vectors (I2I).

Both indexes are laid over the same vectors and asked through `SequentialModel`, as tools ask it.
Up to a size it scans by itself; here HNSW is made to answer for the small set, too.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np
from findings import Findings, add_workspace, origin_of
from shared_memory import open_data
from vectors import K, recall

from localrec.data.arrays import Indexes
from localrec.data.interactions import Interactions
from localrec.evaluation.provenance import Origin
from localrec.evaluation.reporting.markdown import markdown_table
from localrec.index.protocols import VectorIndex
from localrec.index.sasrec import Floats, SasRecEncoder
from localrec.index.sequential import SequentialModel, unit_directions
from localrec.index.vectors import EXACT_UP_TO, ExactIndex, HnswIndex, unit_rows
from localrec.ranking.baselines.neural import make_sasrec
from localrec.ranking.baselines.neural.configs import SASRecConfig
from localrec.workspace import OpenWorkspace

MANY, ASKED = 100_000, 300
APART = 0.5  # of the difference of two, added to a third
WANTED = 0.99
SEED = 31


class Set(msgspec.Struct, frozen=True, kw_only=True):
    """Recall at 10 over vectors of so many people and items."""

    users: int
    items: int
    of_users: float
    of_items: float


class Measured(msgspec.Struct, frozen=True, kw_only=True):
    """One run; `asked` are the people, and the items, that were asked about."""

    origin: Origin
    asked: int
    small: Set
    large: Set


def add_options(parser: argparse.ArgumentParser) -> None:
    """What the command line takes."""
    parser.add_argument("--many", type=int, default=MANY, help="people, and items, generated")
    parser.add_argument("--asked", type=int, default=ASKED, help="people, and items, asked about")
    add_workspace(parser)


def measure(asked: argparse.Namespace) -> Findings:
    """Train, then ask both indexes for what lies near."""
    attention, histories = trained(training_rows(asked.workspace))
    wider = widened(attention, asked.many)
    measured = Measured(
        origin=origin_of("near", f"--many {asked.many}"),
        asked=asked.asked,
        small=compared(attention, histories, len(histories), asked.asked),
        large=compared(wider, histories, asked.many, asked.asked),
    )
    text = as_markdown(measured)
    return Findings(text=text, page="agent", block="bench-near", figures=measured)


def training_rows(folder: Path) -> Interactions:
    """What runs train on: all but the last two of each person."""
    with OpenWorkspace(folder) as workspace:
        return open_data(workspace).parted.train


def trained(rows: Interactions) -> tuple[SasRecEncoder, Sequence[Indexes]]:
    """The network and the histories it learnt from, of those who have one."""
    network = make_sasrec(SASRecConfig())
    network.fit(rows, SEED, lambda what, done, total: None)
    histories = [rows.item[rows.rows_of(user)] for user in range(rows.users)]
    return network.export(), [one for one in histories if len(one)]


def widened(attention: SasRecEncoder, many: int) -> SasRecEncoder:
    """The same network over more items, its own first."""
    met = attention.items[attention.met]
    added = max(0, many - len(attention.items))
    return msgspec.structs.replace(
        attention,
        items=np.concatenate([attention.items, drawn_around(met, added)]),
        bias=np.concatenate([attention.bias, np.zeros(added, dtype=np.float32)]),
        met=np.concatenate([attention.met, np.ones(added, dtype=bool)]),
    )


def drawn_around(vectors: Floats, many: int) -> Floats:
    """So many more, spread as the given ones (n, size) are, (many, size)."""
    one, other, third = np.random.default_rng(SEED).integers(len(vectors), size=(3, many))
    drawn: Floats = vectors[one] + np.float32(APART) * (vectors[other] - vectors[third])
    return drawn


def compared(attention: SasRecEncoder, histories: Sequence[Indexes], users: int, asked: int) -> Set:
    """Recall over so many people, those of the histories first, and all items of the network."""
    known = unit_directions(attention, histories)
    added = drawn_around(known, max(0, users - len(known)))
    directions = np.concatenate([known, unit_rows(added)])
    numbers = np.arange(len(directions), dtype=np.int32)
    exact = SequentialModel(attention, directions, numbers, lambda name, index: index)
    graph = SequentialModel(attention, directions, numbers, with_graph)
    random = np.random.default_rng(SEED)
    persons = random.permutation(len(histories))[:asked].tolist()
    states = [exact.state_of(histories[user]) for user in persons]
    items = random.permutation(np.flatnonzero(attention.met))[:asked].tolist()

    def of_users(model: SequentialModel) -> Indexes:
        pairs = zip(states, persons, strict=True)
        return np.stack([model.similar_users(state, K, user) for state, user in pairs])

    def of_items(model: SequentialModel) -> Indexes:
        return np.stack([model.similar_items(item, K) for item in items])

    return Set(
        users=len(directions),
        items=len(attention.items),
        of_users=recall(of_users(exact), of_users(graph)),
        of_items=recall(of_items(exact), of_items(graph)),
    )


def with_graph(name: str, exact: ExactIndex) -> VectorIndex:
    """HNSW over the vectors, however few they are."""
    begun = time.process_time()
    index = HnswIndex.build(exact)
    told = f"{name}: {len(exact):,} linked in {time.process_time() - begun:.0f} s of CPU time"
    print(told, file=sys.stderr)
    return index


def as_markdown(one: Measured) -> str:
    """The shares that were found, with their target."""
    rows = [
        [name, f"{found.users:,}", f"{found.items:,}", *_shares(found)]
        for name, found in (("MovieLens 100K", one.small), ("generated", one.large))
    ]
    rows.append(["wanted", "", "", str(WANTED), str(WANTED)])
    head = ["", "people", "items", "similar people (U2U)", "similar items (I2I)"]
    told = (
        f"Recall at {K} of HNSW against brute force over SASRec's vectors, for {one.asked} people "
        f"and as many items drawn at random. Up to {EXACT_UP_TO:,} vectors tools scan all of them, "
        "and miss none; HNSW answers here for fewer, too. The generated people and items are drawn "
        "around those of MovieLens 100K."
    )
    return f"{told}\n\n{markdown_table(head, rows)}\n\nMade by {one.origin.as_text()}"


def _shares(found: Set) -> tuple[str, str]:
    return f"{found.of_users:.4f}", f"{found.of_items:.4f}"
