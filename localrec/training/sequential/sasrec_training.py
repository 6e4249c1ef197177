"""Train SASRec on all interactions of a domain's users, for the agent's tools and lists.

The store is open while data is read and while the result is saved, not in between, so that feedback
can be stored during a training. A user who is forgotten meanwhile must not come back: the result is
discarded if the store was rewritten, as forgetting does, or has fewer rows, as after an undo.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from localrec.data.interactions import Interactions
from localrec.data.records import Record
from localrec.evaluation.ranking.keyed_interactions import read_interactions
from localrec.foundation.errors import BusyError, InputError, WorkspaceError
from localrec.foundation.progress import Progress
from localrec.graph.domain_files import load_domain
from localrec.graph.interactions import USER
from localrec.graph.journal import STORE
from localrec.graph.store import Store
from localrec.index.sasrec import Floats, SasRecEncoder
from localrec.index.sequential import unit_directions
from localrec.index.sequential_cache import (
    SequentialArtifact,
    SequentialMetadata,
    open_sequential,
    save_sequential,
    sequential_metadata,
)
from localrec.ranking.baselines.neural import make_sasrec
from localrec.ranking.baselines.neural.configs import SASRecConfig
from localrec.workspace import OpenWorkspace
from localrec.workspace.domain_choice import domain_of_question

FEWEST_INTERACTIONS = 500  # with fewer hardly anything followed on the same thing twice
_PATIENCE_S = 60.0  # for whoever writes to the store when a training ends
_AT_ONCE = 1024  # users whose histories are read between two words of progress


class SequentialReport(msgspec.Struct, Record, frozen=True, kw_only=True):
    """The report of a training.

    Args:
        domain: Name of the domain.
        interactions: The number of interactions that it learnt from; one for each user and item.
        users: The number of users with interactions.
        items: The number of items with interactions.
        epochs: The number of passes done.
        best_epoch: The pass whose weights are kept, from 1.
        ndcg_at_10: NDCG@10 after that pass, of the last item of users among all others, which it
            had not been shown; None where no user could be spared.
        seed: Seed of the training.
        seconds: Seconds of the whole training.
    """

    domain: str
    interactions: int
    users: int = msgspec.field(name="people")
    items: int
    epochs: int
    best_epoch: int
    ndcg_at_10: float | None
    seed: int
    seconds: float


class _Material(msgspec.Struct, frozen=True):
    """The training data; items and users by their places among the node ids."""

    rows: Interactions
    item_nodes: NDArray[np.int64]  # ascending
    users: NDArray[np.int64]
    metadata: SequentialMetadata
    store_file: tuple[int, int]


def train_sequential(
    folder: Path, domain: str | None, config: SASRecConfig, seed: int, progress: Progress
) -> SequentialReport:
    """Train SASRec for a domain of a workspace, in place of an earlier one.

    Args:
        folder: The workspace.
        domain: Its name; None for the one with most interactions.
        config: The network's settings.
        seed: The same seed and data give the same network on the same machine.
        progress: Called after each epoch; what it raises leaves the one before in place.

    Raises:
        UsageError: torch is not installed, there is no such domain, or settings do not fit.
        InputError: people did too little to learn from.
        WorkspaceError: somebody was forgotten meanwhile, or the disk took nothing.
        BusyError: another process held the store all the time.
    """
    began = time.monotonic()
    recommender = make_sasrec(config)
    with OpenWorkspace(folder) as opened:
        progress("reading interactions", 0, 0)
        material = _read(opened, _chosen(opened, domain))
    recommender.fit(material.rows, seed, lambda _, done, total: progress("training", done, total))
    attention = recommender.export()
    learnt = SequentialArtifact(
        attention=attention,
        item_nodes=material.item_nodes,
        directions=np.concatenate(list(_directions(attention, material.rows, progress))),
        users=material.users,
    )
    metadata = msgspec.structs.replace(
        material.metadata,
        settings=recommender.settings,
        seed=seed,
        trained_at=datetime.now(UTC).replace(tzinfo=None),
    )
    progress("building indexes", 0, 0)
    _put_down(folder, material, metadata, learnt)
    training = recommender.training
    ndcg = training.qualities[training.best_epoch - 1]
    return SequentialReport(
        domain=metadata.domain,
        interactions=len(material.rows),
        users=material.rows.users,
        items=material.rows.items,
        epochs=training.epochs,
        best_epoch=training.best_epoch,
        ndcg_at_10=None if math.isnan(ndcg) else round(ndcg, 4),
        seed=seed,
        seconds=round(time.monotonic() - began, 1),
    )


def _chosen(opened: OpenWorkspace, wanted: str | None) -> str:
    """Return the given domain, else the one with the most interactions."""
    if wanted is None and len(opened.domains()) > 1:
        rows = opened.store.rows(
            "SELECT n.domain FROM interaction x JOIN node n ON n.node_id = x.item_id "
            "GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 1"
        )
        wanted = rows[0][0] if rows else None
    return domain_of_question(opened, "", wanted)


def _read(opened: OpenWorkspace, name: str) -> _Material:
    domain = load_domain(name)
    keyed = read_interactions(opened.store, domain)
    rows = keyed.interactions
    if len(rows) < FEWEST_INTERACTIONS:
        raise InputError(
            f"{len(rows):,} interactions with {domain.plural} are too few to learn from; "
            f"it takes {FEWEST_INTERACTIONS:,}.",
            "Import what more people did, such as: localrec datasets pull ml-100k",
        )
    order = np.argsort(keyed.item_nodes)
    place = np.empty(len(order), dtype=np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    return _Material(
        rows=msgspec.structs.replace(rows, item=place[rows.item]),
        item_nodes=keyed.item_nodes[order],
        users=_nodes_of(opened.store, name, keyed.user_keys),
        metadata=sequential_metadata(opened.store, domain),
        store_file=_identity(opened.folder),
    )


def _nodes_of(store: Store, domain: str, keys: NDArray[np.object_]) -> NDArray[np.int64]:
    """Read the node id of each user."""
    rows = store.rows("SELECT key, node_id FROM node WHERE domain = ? AND kind = ?", [domain, USER])
    nodes = dict(rows)
    return np.array([nodes[key] for key in keys.tolist()], dtype=np.int64)


def _directions(
    attention: SasRecEncoder, rows: Interactions, progress: Progress
) -> Iterator[Floats]:
    for begin in range(0, rows.users, _AT_ONCE):
        progress("reading histories", begin, rows.users)
        some = range(begin, min(begin + _AT_ONCE, rows.users))
        yield unit_directions(attention, [rows.item[rows.rows_of(user)] for user in some])


def _put_down(
    folder: Path, material: _Material, metadata: SequentialMetadata, learnt: SequentialArtifact
) -> None:
    """Save the encoder while the store is open, so that no user is forgotten meanwhile.

    Raises:
        BusyError: another process held the store for a minute.
    """
    with _patiently(folder) as opened:
        store, domain = opened.store, load_domain(metadata.domain)
        # Two forgettings may give the store its first number back, so fewer rows count as well.
        fewer = sequential_metadata(store, domain).interactions < metadata.interactions
        if fewer or _identity(folder) != material.store_file:
            raise WorkspaceError(
                "Something was forgotten or taken back meanwhile, so nothing of it was kept.",
                "Train again: localrec train sequential",
            )
        indexes = folder / "indexes"
        if not save_sequential(indexes, metadata, learnt):
            raise WorkspaceError(
                f"{indexes} did not take what was learnt.",
                "Make room on the disk, and train again.",
            )
        model = open_sequential(store, indexes, opened.context(domain.name).catalogue, learnt.users)
        if model is not None:
            model.prepare()


def _patiently(folder: Path) -> OpenWorkspace:
    """Open the workspace, waiting for writers, so that long training is not lost."""
    deadline = time.monotonic() + _PATIENCE_S
    while True:
        try:
            opened = OpenWorkspace(folder)
            _ = opened.store
            return opened
        except BusyError:
            if time.monotonic() >= deadline:
                raise


def _identity(folder: Path) -> tuple[int, int]:
    """Identify the store's file, to notice a new one in its place."""
    status = (folder / STORE).stat()
    return status.st_dev, status.st_ino
