"""The data of `learned_ranking`: MovieLens of a workspace, and RecBole folders."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from localrec.data.interactions import Interactions, days_of
from localrec.data.item_features import ItemFeatures
from localrec.evaluation.ranking.cases import Cases
from localrec.evaluation.ranking.keyed_interactions import read_interactions
from localrec.memory.user_summaries import build_item_features
from localrec.ranking.learned.interactions import Histories
from localrec.sources.dataset_catalog import fetch_dataset
from localrec.workspace import OpenWorkspace

SEED = 7
DOMAIN = "movies"
SHOWN = 5
RELEVANT_FROM = 4.0


class Data(msgspec.Struct, frozen=True):
    """Interactions as the evaluation has them, and what is known of the items."""

    interactions: Interactions
    side: ItemFeatures
    user_keys: NDArray[Any]
    item_keys: NDArray[Any]


def read_workspace(folder: Path) -> Data:
    """MovieLens 100K as it lies in a workspace, with attributes and text vectors."""
    with OpenWorkspace(folder) as workspace:
        context = workspace.context(DOMAIN)
        catalogue = context.catalogue
        keyed = read_interactions(workspace.store, catalogue.domain)
        places = catalogue.indexes_of(keyed.item_nodes)
        side = build_item_features(catalogue, context.description_field, places)
    return Data(keyed.interactions, side, keyed.user_keys, keyed.item_keys)


def read_recbole(folder: Path) -> Data:
    """A RecBole folder: users and items in the order of their names, rows in order of time."""
    rows = read_table(next(folder.glob("*.inter")))
    users, user = np.unique([row["user_id"] for row in rows], return_inverse=True)
    items, item = np.unique([row["item_id"] for row in rows], return_inverse=True)
    at = np.array([float(row["timestamp"]) for row in rows])
    stars = np.array([float(row.get("rating") or "nan") for row in rows], dtype=np.float32)
    order = np.lexsort((np.arange(len(at)), at, user))
    known = {row["item_id"]: row for path in folder.glob("*.item") for row in read_table(path)}
    words = [known.get(name, {}).get("categories", "").split() for name in items]
    vocabulary = {word: n for n, word in enumerate(sorted({w for some in words for w in some}))}
    links = [np.array(sorted(vocabulary[w] for w in set(some)), dtype=np.int32) for some in words]
    side = ItemFeatures(
        item=np.repeat(np.arange(len(items), dtype=np.int32), [len(one) for one in links]),
        attribute=np.concatenate(links).astype(np.int32),
        items=len(items),
        attributes=len(vocabulary),
    )
    interactions = Interactions(
        user=user[order].astype(np.int32),
        item=item[order].astype(np.int32),
        stars=stars[order],
        at=at[order].astype("datetime64[s]"),
        users=len(users),
        items=len(items),
    )
    return Data(interactions, side, users, items)


def read_table(path: Path) -> list[dict[str, str]]:
    head, *lines = path.read_text(encoding="utf-8").splitlines()
    names = [column.partition(":")[0] for column in head.split("\t")]
    return [dict(zip(names, line.split("\t"), strict=False)) for line in lines]


def histories_of(cases: Cases, *, strangers: bool = False) -> Histories:
    """What a ranker gets to see of the cases."""
    users = np.full(len(cases), -1, dtype=np.int32) if strangers else cases.train_user
    days = [days_of(one) for one in cases.at]
    return Histories.of(cases.histories, cases.stars, days, users)


def in_file_order(data: Data) -> NDArray[np.int64]:
    """Row numbers of the interactions in the order of the file they were read from.

    The rows of a user keep that order among equal moments only, so the file itself is read.
    """
    path = next(Path(one) for one in fetch_dataset("ml-100k").glob("*.inter"))
    rows = read_table(path)
    users = {key: number for number, key in enumerate(data.user_keys.tolist())}
    items = {key: number for number, key in enumerate(data.item_keys.tolist())}
    pair = {
        (user, item): row
        for row, (user, item) in enumerate(
            zip(data.interactions.user.tolist(), data.interactions.item.tolist(), strict=True)
        )
    }
    numbers = [pair[users[row["user_id"]], items[row["item_id"]]] for row in rows]
    return np.array(numbers, dtype=np.int64)


def short_histories(
    data: Data, source: NDArray[np.int64], users: Sequence[str], choice: str
) -> tuple[list[NDArray[np.int32]], list[NDArray[np.float32]], list[NDArray[np.int32]]]:
    """Five ratings of each, and the films they gave four stars or more elsewhere."""
    rows = data.interactions
    number_of = {str(key): number for number, key in enumerate(data.user_keys)}
    shown, stars, relevant = [], [], []
    for number, key in enumerate(users):
        mine = source[rows.user[source] == number_of[key]]
        if choice == "first":
            mine = mine[np.argsort(rows.at[mine], kind="stable")]
        else:
            mine = np.random.default_rng([SEED, number]).permutation(mine)
        rest = mine[SHOWN:]
        wanted = rows.item[rest[rows.stars[rest] >= RELEVANT_FROM]]
        if len(wanted):
            shown.append(rows.item[mine[:SHOWN]])
            stars.append(rows.stars[mine[:SHOWN]])
            relevant.append(wanted)
    return shown, stars, relevant
