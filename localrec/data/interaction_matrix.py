"""Who liked what as a sparse matrix, readable by user and by item."""

from __future__ import annotations

from functools import lru_cache

import msgspec
import numpy as np
from numpy.typing import NDArray

from localrec.data.arrays import Days, Indexes, Offsets, csr_rows

SAMPLE = 1_000  # people asked about one item; a share of them is known to 1.6% at worst


class InteractionMatrix:
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
        return self.items[csr_rows(self.first_item, people)]


class TimedInteractions(msgspec.Struct, frozen=True):
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


def sort_interactions(
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


def _offsets(values: Indexes, many: int) -> Offsets:
    """Where the entries of 0, 1, ..., many - 1 begin once `values` are in order, (many + 1,)."""
    offsets = np.zeros(many + 1, dtype=np.int64)
    np.cumsum(np.bincount(values, minlength=many), out=offsets[1:])
    return offsets
