"""Learn, save and open the ranker of one domain of a workspace.

    indexes/learned-DOMAIN/   ranker.json, ranker.*.arrays  the fitted ranker (`artefact.py`)
                              nodes/                        node ids of its users and items
                              progress.json                 `progress_file.py`
                              lock                          held by the process that fits

All of it is a cache of the store: it may be deleted at any time, and forgetting removes it.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from localrec.data.interactions import Interactions
from localrec.data.item_features import ItemFeatures
from localrec.foundation.errors import InputError
from localrec.foundation.paths import exclusive, make_private
from localrec.foundation.progress import Progress
from localrec.graph.catalogue import Catalogue
from localrec.graph.store import Store
from localrec.ranking.learned.artefact import read_artefact, read_plain, write_artefact
from localrec.ranking.learned.evidence import NETWORKS
from localrec.ranking.learned.evidence.base import FitStoppedError, ShouldStop
from localrec.ranking.learned.opened import LearnedRanking
from localrec.ranking.learned.progress_file import folder_of, told_beside
from localrec.ranking.learned.ranker import FitReport, FusedRanker, RankerConfig
from localrec.ranking.learned.time_left import TimeLeft

SEED = 7
FEWEST_ROWS = 20  # of fewer nothing can be held out
_DRIFT = 0.01  # share of new rows from which a ranker is learnt again

# The newest verdict on an item counts; a word without stars stands for the end of the scale.
_ROWS = """
    SELECT user_id, item_id, max("at") AS newest,
        arg_max(
            coalesce(rating, CASE event WHEN 'liked' THEN 5.0 WHEN 'disliked' THEN 0.5
                WHEN 'abandoned' THEN 1.5 END),
            (coalesce("at", TIMESTAMP '0001-01-01'), i.rowid)
        ) AS rating
    FROM interaction i JOIN node n ON n.node_id = i.item_id
    WHERE n.domain = ? AND event NOT IN ('wanted', 'later')
    GROUP BY user_id, item_id ORDER BY user_id, newest NULLS FIRST, min(i.rowid)
"""

_COUNT = """
    SELECT count(*) FROM interaction i JOIN node n ON n.node_id = i.item_id
    WHERE n.domain = ? AND event NOT IN ('wanted', 'later')
"""


class StoredLog(msgspec.Struct, frozen=True):
    """A log to learn from, and the node ids behind its numbers.

    Args:
        log: The interactions of all users.
        side: Attributes and texts of the items.
        user_nodes: Node id of each user, ascending, (users,).
        item_nodes: Node id of each item, ascending, (items,).
        rows: Interactions of all domains in the store when it was read.
    """

    log: Interactions
    side: ItemFeatures
    user_nodes: NDArray[np.int64]
    item_nodes: NDArray[np.int64]
    rows: int


def read_log(store: Store, catalogue: Catalogue, features: ItemFeatures) -> StoredLog:
    """Read the interactions with the items of a domain, one row for each user and item."""
    domain = catalogue.domain.name
    columns = store.columns(_ROWS, [domain])
    nodes, user = np.unique(np.asarray(columns["user_id"], np.int64), return_inverse=True)
    at = np.ma.filled(np.ma.asarray(columns["newest"]), np.datetime64("NaT"))
    log = Interactions(
        user=user.astype(np.int32),
        item=np.asarray(np.searchsorted(catalogue.node_ids, columns["item_id"]), np.int32),
        stars=_filled(columns["rating"]).astype(np.float32),
        at=at.astype("datetime64[s]"),
        users=len(nodes),
        items=len(catalogue),
    )
    rows, items = count_rows(store), np.asarray(catalogue.node_ids, np.int64)
    return StoredLog(log, features, nodes, items, rows)


def count_rows(store: Store) -> int:
    """Count all interactions of a store, in constant time."""
    return int(store.rows("SELECT count(*) FROM interaction")[0][0])


def skip(stored: StoredLog, folder: Path) -> None:
    """Record that a domain has too few interactions, so that learning waits for more."""
    make_private(folder)
    nodes = {"users": stored.user_nodes, "items": stored.item_nodes}
    write_artefact(folder / "nodes", {"rows": stored.rows}, nodes)


def learn(
    stored: StoredLog,
    folder: Path,
    *,
    progress: Progress,
    should_stop: ShouldStop,
    config: RankerConfig | None = None,
) -> FusedRanker:
    """Fit the ranker of a domain, or update the saved one.

    Args:
        stored: The log to learn from.
        folder: Folder that keeps the ranker; a fit that was stopped or killed continues there.
        progress: Called with each step and its progress.
        should_stop: Called now and then; a yes ends the fit.
        config: The limits of the ranker.

    Raises:
        BusyError: another process learns the same.
        FitStoppedError: the stop flag went up, and what is finished is kept; or somebody was
            forgotten meanwhile, and nothing is kept.
    """
    make_private(folder)
    lock = folder / "lock"
    config = config or RankerConfig()
    time_left = TimeLeft(config.kinds, NETWORKS)
    with exclusive(lock, of=folder) as held, told_beside(folder, progress, time_left) as telling:

        def is_forgotten() -> bool:
            """Whether the folder was removed by a forgetting, which ends this fit."""
            return not lock.exists() or not os.path.samestat(lock.stat(), os.fstat(held.fileno()))

        ranker = FusedRanker(
            config,
            folder,
            progress=telling,
            should_stop=lambda: should_stop() or is_forgotten(),
        )
        try:
            known = ranker.load() and _same_nodes(folder, stored)
        except InputError:  # damaged: a cache is made again
            known = False
        try:
            if known:
                ranker.update(stored.log, stored.side, seed=SEED)
            else:
                ranker.fit(stored.log, stored.side, seed=SEED)
        except FitStoppedError:
            if is_forgotten():
                shutil.rmtree(folder, ignore_errors=True)
            raise
        nodes = {"users": stored.user_nodes, "items": stored.item_nodes}
        write_artefact(folder / "nodes", {"rows": stored.rows}, nodes)
        if is_forgotten():
            shutil.rmtree(folder, ignore_errors=True)
            raise FitStoppedError
    return ranker


def learn_from_log(
    log: Interactions, catalogue: Catalogue, features: ItemFeatures, seed: int, progress: Progress
) -> LearnedRanking:
    """Learn to rank a catalogue's items for the users of a log, without saving."""
    ranker = FusedRanker(progress=progress)
    ranker.fit(log, features, seed=seed)
    users = np.arange(log.users, dtype=np.int64)
    return LearnedRanking(ranker, users, catalogue.node_ids, rows=len(log), catalogue=catalogue)


def open_ranking(indexes: Path, catalogue: Catalogue) -> LearnedRanking | None:
    """Open the ranker of a domain; None where there is none, or its files are damaged."""
    folder = folder_of(indexes, catalogue.domain.name)
    ranker = FusedRanker(folder=folder)
    try:
        nodes = read_artefact(folder / "nodes")
        if nodes is None or not ranker.load():
            return None
    except InputError:
        return None
    plain, arrays = nodes
    return LearnedRanking(ranker, arrays["users"], arrays["items"], plain["rows"], catalogue)


def ranking_report(indexes: Path, domain: str) -> FitReport | None:
    """Read the report of a domain's saved ranker; None where there is none."""
    plain = read_plain(folder_of(indexes, domain))
    return None if plain is None else msgspec.convert(plain["report"], FitReport)


def is_stale(store: Store, indexes: Path, domain: str) -> bool:
    """Whether the store has changed enough to learn the ranker (again)."""
    rows = count_rows(store)
    if rows < FEWEST_ROWS:
        return False
    nodes = read_plain(folder_of(indexes, domain) / "nodes")
    if nodes is None:
        return int(store.rows(_COUNT, [domain])[0][0]) >= FEWEST_ROWS
    return bool(abs(rows - nodes["rows"]) > _DRIFT * rows)


def _same_nodes(folder: Path, stored: StoredLog) -> bool:
    """Whether an older ranker's numbers mean the same users and items.

    New ones have higher nodes and come behind; where one was removed, all numbers are others.
    """
    nodes = read_artefact(folder / "nodes")
    if nodes is None:
        return False
    arrays = nodes[1]
    users, items = stored.user_nodes, stored.item_nodes
    return _begins_with(users, arrays["users"]) and _begins_with(items, arrays["items"])


def _begins_with(longer: NDArray[np.int64], shorter: NDArray[np.int64]) -> bool:
    return bool(np.array_equal(longer[: len(shorter)], shorter))


def _filled(column: NDArray[np.generic]) -> NDArray[np.float64]:
    return np.ma.filled(np.ma.asarray(column, dtype=np.float64), np.nan)
