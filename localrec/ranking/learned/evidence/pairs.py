"""Count pairs of items with the same users, for EASE, item kNN and odds.

A pair is counted for each user who met both items. The work is the sum of the squared lengths of
the histories, so of a very long one only the newest part counts.
"""

from __future__ import annotations

import numpy as np

from localrec.data.arrays import row_offsets
from localrec.data.common_users import UserRows
from localrec.data.interactions import Interactions
from localrec.ranking.learned.interactions import Floats, Indexes, Mask
from localrec.ranking.learned.sparse import SparseRows, grouped, heaviest_of_cells, join_rows

LONGEST = 500  # newest rows of a user that are paired


def item_counts(log: Interactions, chosen: Indexes, second: Mask | None = None) -> Floats:
    """Count the users who met both of each two chosen items, (c, c).

    Args:
        log: The interactions of users and items.
        chosen: The items, ascending, (c,).
        second: Rows that the second item of a pair must come from, (m,); None: any row.
    """
    place = np.full(log.items, -1, dtype=np.int32)
    place[chosen] = np.arange(len(chosen))
    items = place[log.item]
    used = (items >= 0) & newest_rows(log)
    counts = np.zeros((len(chosen), len(chosen)), dtype=np.float32)
    rows = _user_rows(log, items, len(chosen), used, used if second is None else used & second)
    for block in rows.count():
        counts[block.item, block.other] = block.users
    return counts


def neighbour_rows(log: Interactions, kept: int, scale: tuple[Floats, Floats]) -> SparseRows:
    """Count the shared users of each two items, times a factor of either; keep the heaviest.

    Args:
        log: The interactions of users and items.
        kept: Entries of each row.
        scale: Factors of the first and of the second item, (items,) each.
    """
    used = newest_rows(log)
    parts = []
    for block in _user_rows(log, log.item, log.items, used, used).count():
        others = block.item != block.other
        item, other = block.item[others], block.other[others]
        values = block.users[others].astype(np.float32) * (scale[0][item] * scale[1][other])
        begin, end = block.items
        parts.append(heaviest_of_cells(item - begin, other, values, end - begin, kept))
    return join_rows(parts, log.items)


def newest_rows(log: Interactions) -> Mask:
    """Select the newest `LONGEST` rows of each user, (m,)."""
    newer = log.first_row[1:][log.user] - 1 - np.arange(len(log))
    newest: Mask = newer < LONGEST
    return newest


def _user_rows(
    log: Interactions, items: Indexes, item_count: int, used: Mask, second: Mask
) -> UserRows:
    """Lay out rows for counting pairs.

    Args:
        log: The interactions, for the users of rows.
        items: Item of each row, (m,).
        item_count: The number of items.
        used: Rows that the first item of a pair comes from, (m,).
        second: Rows that the second item of a pair comes from, (m,).
    """
    order, first_user = grouped(items[used], item_count)
    first_item = row_offsets(log.user[second], log.users)
    return UserRows(items[second], first_item, log.user[used][order], first_user)
