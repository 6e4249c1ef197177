"""Find the salient attributes of many users' items, or of many items' users, at once.

The score of an attribute is its frequency times the logarithm of its rarity in the domain, so that
"alcoholic" is no user's preference.
"""

from __future__ import annotations

import msgspec
import numpy as np
from numpy.typing import NDArray

from localrec.data.arrays import Indexes, csr_rows
from localrec.data.item_features import ItemFeatures

MAX_SALIENT_ATTRIBUTES = 4  # attributes named in a memory
_SUPPORTERS = 16
_PRIOR = 2  # items without the attribute that every subject is taken to have besides

Subjects = NDArray[np.int64]


class SalientAttribute(msgspec.Struct, frozen=True):
    """An attribute that the items of one user (or of one item's users) share.

    Args:
        attribute: Its index.
        share: Share of the subject's items that have it, a little below the true one where these
            are few.
        items: Catalogue indexes of items that have it, ascending, `_SUPPORTERS` at most.
    """

    attribute: int
    share: float
    items: tuple[int, ...]


class UserLinks(msgspec.Struct, frozen=True):
    """Links from items to attributes that count for one user only; columns of one length."""

    subject: Subjects
    item: Indexes
    attribute: Indexes


def no_links() -> UserLinks:
    """Return no links beyond those of the catalogue."""
    none = np.zeros(0, dtype=np.int32)
    return UserLinks(none.astype(np.int64), none, none)


def count_salient_attributes(
    subjects: Subjects,
    items: Indexes,
    item_features: ItemFeatures,
    is_staple: NDArray[np.bool_],
    own: UserLinks | None = None,
) -> dict[int, list[SalientAttribute]]:
    """Find the salient attributes of each user's items, best first.

    An attribute that only one item of a subject has is no taste.

    Args:
        subjects: The subject of each row, (r,).
        items: Catalogue indexes, (r,); an item that comes several times counts as often.
        item_features: The attributes of all items.
        is_staple: Attributes that say nothing, (attributes,).
        own: Attributes that one subject gave to items, counted for that subject; none of them is
            among the items' `traits`.
    """
    own = own or no_links()
    rows, attribute = _linked(subjects, items, item_features, own)
    if not len(rows):
        return {}
    names, sizes = np.unique(subjects, return_counts=True)
    place = np.searchsorted(names, subjects)[rows].astype(np.int64)
    pairs = place * item_features.attributes + attribute
    pair, counts = np.unique(pairs, return_counts=True)
    holders = np.unique(pairs * item_features.items + items[rows])  # each item of a pair once
    first = np.searchsorted(holders, pair * item_features.items)
    many = np.diff(np.append(first, len(holders)))
    who, what = np.divmod(pair, item_features.attributes)
    scores = counts * np.log(max(item_features.items, 1) / _uses(pair, names, item_features, own))
    chosen = np.flatnonzero((many > 1) & (scores > 0) & ~is_staple[what])
    chosen = chosen[np.lexsort((what[chosen], -scores[chosen], who[chosen]))]
    found: dict[int, list[SalientAttribute]] = {}
    for one in chosen.tolist():
        mine = found.setdefault(int(names[who[one]]), [])
        if len(mine) < MAX_SALIENT_ATTRIBUTES:
            held = (
                holders[first[one] : first[one] + min(many[one], _SUPPORTERS)] % item_features.items
            )
            share = float(counts[one] / (sizes[who[one]] + _PRIOR))
            mine.append(SalientAttribute(int(what[one]), share, tuple(held.tolist())))
    return found


def _linked(
    subjects: Subjects, items: Indexes, item_features: ItemFeatures, own: UserLinks
) -> tuple[NDArray[np.int64], Indexes]:
    """Return row and attribute of each link, the users' own links last."""
    many = item_features.first_link[items + 1] - item_features.first_link[items]
    rows = np.repeat(np.arange(len(items)), many)
    attributes = item_features.attribute[csr_rows(item_features.first_link, items)]
    if not len(own.item):
        return rows, attributes
    order = np.lexsort((items, subjects))
    wide = max(item_features.items, 1)
    keys = subjects[order] * wide + items[order]
    wanted = own.subject * wide + own.item
    place = np.minimum(np.searchsorted(keys, wanted), max(len(keys) - 1, 0))
    there = keys[place] == wanted if len(keys) else np.zeros(len(wanted), dtype=bool)
    return (
        np.concatenate([rows, order[place[there]]]),
        np.concatenate([attributes, own.attribute[there]]),
    )


def _uses(
    pair: NDArray[np.int64], names: Subjects, item_features: ItemFeatures, own: UserLinks
) -> NDArray[np.int64]:
    """Count the items with the attribute of each pair, the user's own links included."""
    uses = np.bincount(item_features.attribute, minlength=item_features.attributes)[
        pair % item_features.attributes
    ]
    if len(own.item):
        known = np.isin(own.subject, names)
        place = np.searchsorted(names, own.subject[known])
        theirs, counts = np.unique(
            place * item_features.attributes + own.attribute[known], return_counts=True
        )
        at = np.minimum(np.searchsorted(theirs, pair), max(len(theirs) - 1, 0))
        if len(theirs):
            uses = uses + np.where(theirs[at] == pair, counts[at], 0)
    return uses.clip(min=1)
