"""Who liked what, as two sorted lists: from a person to their items, from an item to its people.

Made from the store with one query and kept beside the vectors as memory-mapped files, so that
25 million interactions cost a question nothing but the pages it touches. It counts other people;
a person's own history is always read fresh from the store (`graph/interactions.py`). So it may lag
behind by a few rows of feedback, and is made again when an import or a forgetting changed the
store, or more than one row in a hundred is new.

People are numbered in a shuffled order, so that the first hundred people of an item are a fair
sample of all its people, and the samples of two items hold the same people where they can.
"""

from __future__ import annotations

from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from localrec.data.arrays import Indexes
from localrec.data.interaction_matrix import InteractionMatrix
from localrec.foundation.atomic_files import short_digest
from localrec.graph.catalogue import Catalogue
from localrec.graph.interactions import FEEDBACK
from localrec.graph.store import Store
from localrec.index.cached_arrays import ArrayCache, Arrays

LIKED_FROM = 4.0  # stars; docs/results/ranking.md compares it with a person's own mean
_FORMAT = 3
_DRIFT = 0.01
_SHUFFLE = 20  # seed


# A verdict outweighs having seen or heard something; what was said to localrec outweighs what was
# said before. Between verdicts of exports the best one counts, which spares a join of millions.
_LIKED = """
    WITH verdict AS (
        SELECT * FROM interaction WHERE rating IS NOT NULL OR event IN ('disliked', 'abandoned')
    ), against AS (
        SELECT * FROM verdict WHERE coalesce(rating < $liked_from, true)
    ), liked AS (
        SELECT user_id, item_id, "at" FROM interaction
        WHERE rating >= $liked_from OR (rating IS NULL AND event = 'liked')
        UNION ALL
        SELECT user_id, item_id, "at" FROM interaction i
        WHERE rating IS NULL AND event IN ('played', 'seen') AND NOT EXISTS (
            FROM against v WHERE v.user_id = i.user_id AND v.item_id = i.item_id
        )
    )
    SELECT user_id, item_id, coalesce(epoch("at") / 86400, 'nan')::FLOAT AS day
    FROM liked l WHERE NOT EXISTS (
        FROM against v WHERE v.source = $feedback AND v.user_id = l.user_id
        AND v.item_id = l.item_id AND v."at" > coalesce(l."at", '-infinity')
    )
"""


def open_interaction_matrix(store: Store, folder: Path, catalogue: Catalogue) -> InteractionMatrix:
    """Open who liked what in a domain from its cache where that fits, else count and keep it.

    Args:
        store: Read only.
        folder: The workspace's `indexes/`; a folder that cannot be written keeps nothing.
        catalogue: The domain's snapshot; item indexes are its own.
    """
    stem = f"audience-{short_digest(catalogue.domain.name)}"
    cache = ArrayCache(folder, stem, _KINDS, _Stand)
    stand = _stand_of(store, catalogue)
    kept = cache.load_or_make(stand, lambda: _count(store, catalogue))
    items, first_item, users, first_user, days, user_nodes = kept.arrays
    return InteractionMatrix(items, first_item, users, first_user, days, user_nodes, kept.mark)


class _Stand(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The state of a store that likings were counted from."""

    format: int
    liked_from: float
    items: int
    newest_item: int
    newest_import: int
    interactions: int

    def serves(self, now: _Stand) -> bool:
        """Whether what was counted then is near enough to what would be counted now."""
        news = abs(now.interactions - self.interactions)
        same = msgspec.structs.replace(now, interactions=self.interactions)
        return self == same and news <= _DRIFT * self.interactions


_KINDS = ("items", "first-item", "people", "first-person", "days", "users")


def _stand_of(store: Store, catalogue: Catalogue) -> _Stand:
    interactions, newest_import = store.rows(
        "SELECT (SELECT count(*) FROM interaction), "
        "(SELECT coalesce(max(import_id), 0) FROM import_receipt)"
    )[0]
    return _Stand(
        format=_FORMAT,
        liked_from=LIKED_FROM,
        items=len(catalogue),
        newest_item=int(catalogue.node_ids[-1]) if len(catalogue) else 0,
        newest_import=newest_import,
        interactions=interactions,
    )


def _count(store: Store, catalogue: Catalogue) -> Arrays:
    liked = store.columns(_LIKED, {"liked_from": LIKED_FROM, "feedback": FEEDBACK})
    # Columns go as soon as they are read: at 25 million rows each takes 200 MB.
    item = _places(liked.pop("item_id"), catalogue.node_ids)
    ours = item >= 0
    item, node, day = item[ours], liked.pop("user_id")[ours], liked.pop("day")[ours]
    nodes = np.random.default_rng(_SHUFFLE).permutation(_distinct(node))
    user = _places(node, nodes)
    del node
    matrix = InteractionMatrix.from_pairs(user, item, len(nodes), len(catalogue), day, nodes)
    return tuple(getattr(matrix, field) for field in matrix.__struct_fields__[: len(_KINDS)])


def _distinct(ids: NDArray[np.int64]) -> NDArray[np.int64]:
    """Each id once, ascending; ids are small, so marking them beats sorting them."""
    if not len(ids):
        return ids
    seen = np.zeros(int(ids.max()) + 1, dtype=bool)
    seen[ids] = True
    return np.flatnonzero(seen)


def _places(ids: NDArray[np.int64], known: NDArray[np.int64]) -> Indexes:
    """Find the position of each id in `known`, -1 where it has none."""
    if not len(ids) or not len(known):
        return np.full(len(ids), -1, dtype=np.int32)
    place = np.full(max(int(ids.max()), int(known.max())) + 1, -1, dtype=np.int32)
    place[known] = np.arange(len(known), dtype=np.int32)
    return place[ids]
