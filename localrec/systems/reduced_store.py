"""Copy a store without users' newest items, to learn which scores find them."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from localrec.foundation.paths import exclusive
from localrec.foundation.progress import Progress
from localrec.graph.journal import STORE, open_settled
from localrec.graph.store import Store
from localrec.memory.user_summaries import build_item_features
from localrec.ranking.learned.evidence.base import ShouldStop
from localrec.ranking.learned.progress_file import folder_of
from localrec.ranking.learned.ranker import RankerConfig
from localrec.ranking.learned.stored import learn, read_log
from localrec.workspace import OpenWorkspace

NewestItem = tuple[str, int, int]  # key and node of a user, node of the item
_HELD_OUT = "held_out"
_FOLDER = "judging-"

# The newest item of each user with enough of them; what is only wanted was not met.
_NEWEST = """
    SELECT u.key, i.user_id, arg_max(i.item_id, (coalesce("at", '-infinity'::TIMESTAMP), i.rowid))
    FROM interaction i JOIN node n ON n.node_id = i.item_id JOIN node u ON u.node_id = i.user_id
    WHERE n.domain = ? AND event NOT IN ('wanted', 'later')
    GROUP BY ALL HAVING count(DISTINCT i.item_id) >= 3 ORDER BY u.key
"""
_TAKE_OUT = f"""
    DELETE FROM interaction WHERE (user_id, item_id) IN (SELECT user_id, item_id FROM {_HELD_OUT})
"""


def newest_items(store: Store, domain: str) -> list[NewestItem]:
    """The newest item of each user with three or more in a domain, ordered by the user's key."""
    return store.rows(_NEWEST, [domain])


@contextmanager
def without_items(
    opened: OpenWorkspace, domain: str, chosen: Sequence[NewestItem]
) -> Iterator[OpenWorkspace]:
    """Yield a temporary workspace without some users' newest items.

    It lies beside the learnt ranking of the domain, so that forgetting would sweep it, too. What a
    killed process left of one is removed.

    Raises:
        BusyError: another process has one of this domain.
    """
    kept = folder_of(opened.folder / "indexes", domain)
    with exclusive(kept / "judging.lock", of=kept):
        for left in kept.glob(f"{_FOLDER}*"):
            shutil.rmtree(left, ignore_errors=True)
        with _copied(opened, kept, chosen) as reduced:
            yield reduced


@contextmanager
def _copied(
    opened: OpenWorkspace, kept: Path, chosen: Sequence[NewestItem]
) -> Iterator[OpenWorkspace]:
    with TemporaryDirectory(dir=kept, prefix=_FOLDER) as inside:
        copy = Path(inside)
        shutil.copy2(opened.folder / STORE, copy / STORE)
        if (opened.folder / "settings.toml").is_file():
            shutil.copy2(opened.folder / "settings.toml", copy)
        _take_out(copy, chosen)
        with OpenWorkspace(copy, models=opened.models) as reduced:
            yield reduced


def learn_default(
    opened: OpenWorkspace,
    domain: str,
    config: RankerConfig,
    *,
    progress: Progress,
    should_stop: ShouldStop,
) -> None:
    """Learn the default ranking of a domain.

    Raises:
        FitStoppedError: the stop flag went up.
    """
    context = opened.context(domain)
    features = build_item_features(context.catalogue, context.description_field)
    stored = read_log(opened.store, context.catalogue, features)
    into = folder_of(opened.folder / "indexes", domain)
    learn(stored, into, progress=progress, should_stop=should_stop, config=config)


def _take_out(copy: Path, chosen: Sequence[NewestItem]) -> None:
    """Remove some users' interactions with some items from a store."""
    users = np.array([user for _, user, _ in chosen], dtype=np.int64)
    items = np.array([item for _, _, item in chosen], dtype=np.int64)
    rows = {_HELD_OUT: {"user_id": users, "item_id": items}}
    with open_settled(copy, read_only=False) as store, store.staged(**rows):
        store.execute(_TAKE_OUT)
