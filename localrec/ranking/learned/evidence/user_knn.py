"""User kNN: items of the users whose histories share most with the request's.

A neighbour's weight is the cosine of the faded history and their items, items that few users met
counting more, squared so that the nearest decide. They vote once for all they met and, where
ratings tell likes from dislikes, once for what they liked. The work is bounded: of each item of
the history at most some users are asked, and the nearest few hundred vote.
"""

from __future__ import annotations

from typing import ClassVar

import msgspec
import numpy as np

from localrec.data.arrays import csr_rows
from localrec.data.interaction_matrix import InteractionMatrix
from localrec.data.interactions import Interactions
from localrec.ranking.learned.evidence.base import FitContext, Signals, history_weights
from localrec.ranking.learned.interactions import NO_USER, Floats, Histories, Indexes, Mask, Offsets
from localrec.ranking.learned.sparse import flat_ranges

NEWEST_ITEMS = 100  # newest items of a history
USERS_EACH = 1_000  # of each item, evenly spread over its users
VOTERS = 200
WATCHED = 300  # users of an item whose order is looked at, evenly spread over all
WIDTHS = (5, 10, 30)  # next items that count as soon after
FADE = 0.9
_SHARPNESS = 2.0
_DAMPING = 0.3  # of items that everybody met
_SHRINKAGE = 5.0


class SoonAfter(msgspec.Struct, frozen=True):
    """Count how many users met each item soon after a given one.

    Args:
        counts: Users for each of `WIDTHS`, (items,) each.
        watched: The number of users who met the first item on a known day.
    """

    counts: tuple[Offsets, ...]
    watched: int

    def support(self, item: int, least: int) -> tuple[int, int, int] | None:
        """Return the users who met an item, all users, and the window; None below `least` users.

        The narrowest width is taken within which half of all came who came so far.
        """
        found = [int(one[item]) for one in self.counts]
        enough = max(least, (found[-1] + 1) // 2)
        for users, width in zip(found, WIDTHS, strict=True):
            if users >= enough:
                return users, self.watched, width
        return None


class UserNeighbours(msgspec.Struct, frozen=True):
    """The log by user and by item.

    Args:
        matrix: Who met what.
        liked: Which of `matrix.items` its user liked, (e,).
        moment: Of each of `matrix.items` the number, within the log's rows of its user, of the last
            one of the same moment, -1 where the day is unknown, (e,).
        mean_rating: Mean rating of the store, NaN where nothing was rated.
    """

    kind: ClassVar[str] = "user-knn"

    matrix: InteractionMatrix
    liked: Mask
    moment: Indexes
    mean_rating: float

    @property
    def items(self) -> int:
        """The number of items."""
        return self.matrix.item_count

    def signals(self, histories: Histories) -> Signals:
        """Compute the votes of the nearest users, (b, items)."""
        newest = histories.newest(NEWEST_ITEMS)
        weights = self._weights(newest)
        damped = ((self.matrix.likes + _SHRINKAGE) ** -_DAMPING).astype(np.float32)
        votes = np.empty((2, len(histories), self.items), dtype=np.float32)
        for row in range(len(histories)):
            part = slice(int(newest.first[row]), int(newest.first[row + 1]))
            votes[:, row] = self._votes(newest.item[part], weights[part], int(newest.user[row]))
        return {
            "user-knn": np.sqrt(votes[0] * damped),
            "user-knn-liked": np.sqrt(votes[1]),
        }

    def nearest_who_met(self, history: Histories, item: int) -> tuple[int, int]:
        """Count how many of a history's nearest users met an item, and all of them."""
        newest = history.newest(NEWEST_ITEMS)
        users, _ = self._nearest(newest.item, self._weights(newest), int(newest.user[0]))
        return int(np.isin(users, self.matrix.users_of(item)).sum()), len(users)

    def soon_after(self, source: int) -> SoonAfter:
        """Count the users who met each item soon after another; of many users, use a sample."""
        users = self.matrix.users_of(source)
        if len(users) > WATCHED:
            users = users[np.linspace(0, len(users) - 1, WATCHED).astype(np.int64)]
        rows = csr_rows(self.matrix.first_item, users)
        items, moments = self.matrix.items[rows], self.moment[rows]
        begins = np.full(len(users), -1, dtype=np.int64)
        owner = np.repeat(np.arange(len(users)), self.matrix.user_likes[users])
        first = items == source
        begins[owner[first]] = moments[first]
        steps = np.where(moments < 0, 0, moments - begins[owner])
        steps[begins[owner] < 0] = 0
        counts = tuple(
            np.bincount(items[(steps > 0) & (steps <= width)], minlength=self.items)
            for width in WIDTHS
        )
        return SoonAfter(counts, int(np.count_nonzero(begins >= 0)))

    def _weights(self, newest: Histories) -> Floats:
        """Compute the weight of each history item, higher for rare ones, (m,)."""
        users = self.matrix.user_count + 1.0
        rarity = np.log(users / (self.matrix.likes + 1.0)).clip(min=0.0)
        weights = history_weights(newest, FADE, self.mean_rating)
        return weights * rarity[newest.item].astype(np.float32)

    def _votes(self, items: Indexes, weights: Floats, own: int) -> Floats:
        """Compute the votes for items that the nearest users met, and liked, (2, items)."""
        users, similarities = self._nearest(items, weights, own)
        if not len(users):
            return np.zeros((2, self.items), dtype=np.float32)
        lengths = self.matrix.user_likes[users]
        votes = np.repeat((similarities / similarities.max()) ** _SHARPNESS, lengths)
        rows = csr_rows(self.matrix.first_item, users)
        items_met = self.matrix.items[rows]
        met = np.bincount(items_met, votes, self.items)
        liked = np.bincount(items_met, votes * self.liked[rows], self.items)
        return np.stack([met, liked]).astype(np.float32)

    def _nearest(self, items: Indexes, weights: Floats, own: int) -> tuple[Offsets, Floats]:
        """Return the nearest users and their similarities."""
        matrix = self.matrix
        starts, lengths = matrix.first_user[items], matrix.likes[items]
        counts = np.minimum(lengths, USERS_EACH)
        within = flat_ranges(np.zeros(len(items), dtype=np.int64), counts)
        stride = np.repeat(lengths / np.maximum(counts, 1), counts)
        users = matrix.users[np.repeat(starts, counts) + (within * stride).astype(np.int64)]
        tally = np.bincount(users, np.repeat(weights, counts), matrix.user_count)
        if own != NO_USER:
            tally[own] = 0.0
        found = np.flatnonzero(tally)
        similarities = tally[found] / np.sqrt(matrix.user_likes[found])
        if len(found) > VOTERS:
            best = np.argpartition(-similarities, VOTERS - 1)[:VOTERS]
            found, similarities = found[best], similarities[best]
        return found, similarities.astype(np.float32)


def fit_user_knn(context: FitContext) -> UserNeighbours:
    """Index the log by user and by item."""
    log = context.log
    rows = _rows_of_pairs(log)
    return UserNeighbours(
        matrix=InteractionMatrix.from_log(log),
        liked=log.liked[rows],
        moment=_moments(log)[rows],
        mean_rating=log.mean_stars,
    )


def _rows_of_pairs(log: Interactions) -> Offsets:
    """Return the newest row of each pair, in the order of `InteractionMatrix.items`, (e,)."""
    pairs = log.user.astype(np.int64) * max(log.items, 1) + log.item
    order = np.argsort(pairs, kind="stable")
    pairs = pairs[order]
    return order[np.append(pairs[1:] != pairs[:-1], True)[: len(pairs)]]


def _moments(log: Interactions) -> Indexes:
    """Compute `UserNeighbours.moment` for each row: rows of one moment are all its last, (m,)."""
    ends = np.ones(len(log), dtype=bool)
    ends[:-1] = (np.diff(log.user) != 0) | (log.days[1:] != log.days[:-1])
    last = np.flatnonzero(ends)
    place = last[np.searchsorted(last, np.arange(len(log)))] - log.first_row[log.user]
    return np.where(np.isnan(log.days), -1, place).astype(np.int32)
