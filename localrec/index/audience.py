"""Who liked what, as two sorted lists: from a person to their items, from an item to its people.

Made from the store with one query and kept beside the vectors as memory-mapped files, so that
25 million interactions cost a question nothing but the pages it touches. It counts other people;
a person's own history is always read fresh from the store (`graph/people.py`). So it may lag
behind by a few rows of feedback, and is made again when an import or a forgetting changed the
store, or more than one row in a hundred is new.

People are numbered in a shuffled order, so that the first hundred people of an item are a fair
sample of all its people, and the samples of two items hold the same people where they can.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from localrec.graph.catalogue import Catalogue, Indexes
from localrec.graph.people import FEEDBACK
from localrec.graph.store import Store
from localrec.index.arrays import ArrayCache
from localrec.index.durable import digest_of
from localrec.index.lists import entries_of

LIKED_FROM = 4.0  # stars; docs/evaluation.md compares it with a person's own mean
SAMPLE = 1_000  # people asked about one item; a share of them is known to 1.6% at worst
_FORMAT = 3
_DRIFT = 0.01
_SHUFFLE = 20  # seed

Offsets = NDArray[np.int64]
Days = NDArray[np.float32]

# A verdict outweighs having seen or heard something; what was said to localrec outweighs what was
# said before. Between verdicts of exports the best one counts, which spares a join of millions.
_LIKED = """
    WITH verdict AS (
        SELECT * FROM interaction WHERE rating IS NOT NULL OR event = 'disliked'
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


class Audience:
    """Items and people of one domain by who liked what.

    Args:
        items: Catalogue indexes liked by person 0, then by person 1, ..., (e,) int32.
        first_item: Where each person's items begin, (people + 1,) int64.
        people: People who liked item 0, then item 1, ..., (e,) int32.
        first_person: Where each item's people begin, (n + 1,) int64.
    """

    def __init__(
        self, items: Indexes, first_item: Offsets, people: Indexes, first_person: Offsets
    ) -> None:
        self.items, self.first_item = items, first_item
        self.people, self.first_person = people, first_person
        self.likes = np.diff(first_person).astype(np.int32)  # (n,)
        self.liked_with = lru_cache(maxsize=128)(self._liked_with)

    @property
    def size(self) -> int:
        """How many people liked anything."""
        return len(self.first_item) - 1

    def _liked_with(self, item: int) -> tuple[NDArray[np.int32], int]:
        """Among people who liked `item`: how many liked each item (n,), and how many were asked.

        At most `SAMPLE` of them are asked, evenly spread over all, the same ones each time.
        """
        whom = self.people[self.first_person[item] : self.first_person[item + 1]]
        if len(whom) > SAMPLE:
            whom = whom[np.linspace(0, len(whom) - 1, SAMPLE).astype(np.int64)]
        theirs = self._items_of(whom)
        return np.bincount(theirs, minlength=len(self.likes)).astype(np.int32), len(whom)

    def _items_of(self, people: Indexes) -> Indexes:
        """All items of some people, one list behind the other."""
        return self.items[entries_of(self.first_item, people)]


class Likings(msgspec.Struct, frozen=True):
    """Who liked what, and when, sorted both ways.

    Args:
        items: Items liked by person 0, ascending, then by person 1, ..., (e,) int32.
        first_item: Where each person's items begin, (people + 1,) int64.
        people: People who liked item 0, ascending, then item 1, ..., (e,) int32.
        first_person: Where each item's people begin, (n + 1,) int64.
        days: Of each of `items`: when, in days since 1970, to three minutes; NaN undated, (e,).
        users: The node id of each person, (people,) int64; none where people are no nodes.
        mark: Of the contents, for what is derived from them; empty where they were not kept.
    """

    items: Indexes
    first_item: Offsets
    people: Indexes
    first_person: Offsets
    days: Days
    users: NDArray[np.int64]
    mark: str = ""


def open_audience(store: Store, folder: Path, catalogue: Catalogue) -> Audience:
    """The audience of a domain; arguments as of `open_likings`."""
    liked = open_likings(store, folder, catalogue)
    return Audience(liked.items, liked.first_item, liked.people, liked.first_person)


def open_likings(store: Store, folder: Path, catalogue: Catalogue) -> Likings:
    """Who liked what in a domain, from its cache where that fits, else counted and kept.

    Args:
        store: Read only.
        folder: The workspace's `indexes/`; where it cannot be written, memory must do.
        catalogue: The domain's snapshot; item indexes are its own.
    """
    stem = f"audience-{digest_of(catalogue.domain.name)}"
    cache = ArrayCache(folder, stem, _KINDS, _Stand)
    stand = _stand_of(store, catalogue)
    kept = cache.load(stand) or cache.keep(stand, _count(store, catalogue))
    items, first_item, people, first_person, days, users = kept.arrays
    return Likings(items, first_item, people, first_person, days, users, kept.mark)


def sort_likings(
    person: Indexes, item: Indexes, day: Days, people: int, items: int
) -> tuple[Indexes, Offsets, Indexes, Offsets, Days]:
    """The first five columns of `Likings` from rows in any order; of equal pairs the newest counts.

    Args:
        person: 0..people - 1, (e,).
        item: 0..items - 1, (e,).
        day: When, NaN where unknown, (e,).
        people: How many there are.
        items: How many there are.
    """
    # One number per pair: in order, by person, then item.
    many = max(items, 1)
    pairs = person.astype(np.int64) * many + item
    order = np.argsort(pairs)
    pairs = pairs[order]
    first = np.flatnonzero(np.append(True, pairs[1:] != pairs[:-1])[: len(pairs)])
    days = np.fmax.reduceat(day[order], first) if len(first) else day[:0]
    del order  # 25 million of them are 200 MB
    by_person, by_item = (part.astype(np.int32) for part in np.divmod(pairs[first], many))
    # Sixteen bits are sorted by radix, five times as fast as by comparing.
    turned = np.argsort(by_item.astype(np.uint16) if many <= 1 << 16 else by_item, kind="stable")
    return (
        by_item,
        _offsets(by_person, people),
        by_person[turned],
        _offsets(by_item, items),
        days.astype(np.float32, copy=False),
    )


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


_Arrays = tuple[Indexes, Offsets, Indexes, Offsets, Days, NDArray[np.int64]]
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


def _count(store: Store, catalogue: Catalogue) -> _Arrays:
    liked = store.columns(_LIKED, {"liked_from": LIKED_FROM, "feedback": FEEDBACK})
    # Columns go as soon as they are read: at 25 million rows each takes 200 MB.
    item = _places(liked.pop("item_id"), catalogue.node_ids)
    ours = item >= 0
    item, user, day = item[ours], liked.pop("user_id")[ours], liked.pop("day")[ours]
    users = np.random.default_rng(_SHUFFLE).permutation(_distinct(user))
    person = _places(user, users)
    del user
    return (*sort_likings(person, item, day, len(users), len(catalogue)), users)


def _distinct(ids: NDArray[np.int64]) -> NDArray[np.int64]:
    """Each id once, ascending; ids are small, so marking them beats sorting them."""
    if not len(ids):
        return ids
    seen = np.zeros(int(ids.max()) + 1, dtype=bool)
    seen[ids] = True
    return np.flatnonzero(seen)


def _places(ids: NDArray[np.int64], known: NDArray[np.int64]) -> Indexes:
    """Where each id stands in `known`, -1 where it does not."""
    if not len(ids) or not len(known):
        return np.full(len(ids), -1, dtype=np.int32)
    place = np.full(max(int(ids.max()), int(known.max())) + 1, -1, dtype=np.int32)
    place[known] = np.arange(len(known), dtype=np.int32)
    return place[ids]


def _offsets(values: Indexes, many: int) -> Offsets:
    """Where the entries of 0, 1, ..., many - 1 begin once `values` are in order, (many + 1,)."""
    offsets = np.zeros(many + 1, dtype=np.int64)
    np.cumsum(np.bincount(values, minlength=many), out=offsets[1:])
    return offsets
