"""A fitted ranker in the numbers of a catalogue."""

from __future__ import annotations

import msgspec
import numpy as np
from numpy.typing import NDArray

from localrec.data.arrays import Mask, Offsets, Scores
from localrec.graph.catalogue import Catalogue
from localrec.ranking.learned.contributions import AccountedScores, Contribution
from localrec.ranking.learned.interactions import NO_USER, Histories
from localrec.ranking.learned.ranker import FusedRanker


class CatalogueAccount:
    """The scores of one history and their contributions, in the catalogue's numbers.

    Args:
        scores: Scores of all items of the catalogue, higher is better, (n,).
        account: The same in the ranker's numbers.
        place: The ranker's number of each item of the catalogue, (n,).
        is_known: Whether the ranker knows the item, (n,).
        own: The ranker's number -> the catalogue's, for the items of the history.
    """

    def __init__(
        self,
        scores: Scores,
        account: AccountedScores,
        place: Offsets,
        is_known: Mask,
        own: dict[int, int],
    ) -> None:
        self.scores = scores
        self._account, self._place, self._is_known, self._own = account, place, is_known, own
        self._number = {item: number for number, item in own.items()}

    def contributions(self, item: int) -> tuple[Contribution, ...]:
        """List the contributions to an item's score, the largest first; () for an unknown item."""
        if not self._is_known[item]:
            return ()
        return tuple(
            msgspec.structs.replace(one, sources=tuple(self._own[own] for own in one.sources))
            for one in self._account.contributions(int(self._place[item]))
        )

    def nearest_users(self, kind: str, item: int) -> tuple[int, int]:
        """Count how many of the users near by a kind met an item, and all; (0, 0) without any."""
        return self._account.nearest_users(kind, int(self._place[item]))

    def came_soon_after(self, source: int, item: int, least: int) -> tuple[int, int, int] | None:
        """Count the users who met an item soon after a history item: users, all of them, window."""
        place = int(self._place[item])
        return self._account.came_soon_after(self._number[source], place, least)

    def texts_between(self, source: int, item: int) -> tuple[int, int]:
        """Count the texts nearer to a history item's than this item's, and all other texts."""
        return self._account.texts_between(self._number[source], int(self._place[item]))


class LearnedRanking:
    """A fitted ranker that reads and answers in the catalogue's numbers.

    Args:
        ranker: The fitted ranker.
        users: Node id of each of its users, ascending.
        items: Node id of each of its items, ascending.
        rows: Interactions that the store held when it was learnt.
        catalogue: The catalogue that asks; it may have other items.
    """

    def __init__(
        self,
        ranker: FusedRanker,
        users: NDArray[np.int64],
        items: NDArray[np.int64],
        rows: int,
        catalogue: Catalogue,
    ) -> None:
        self.ranker, self.rows = ranker, rows
        self._users = users
        place = np.searchsorted(items, catalogue.node_ids).clip(max=max(len(items) - 1, 0))
        self._is_known = items[place] == catalogue.node_ids
        self._place = place

    def account(
        self, node: int | None, items: NDArray[np.int32], stars: Scores, days: NDArray[np.float64]
    ) -> CatalogueAccount:
        """Score all items of the catalogue for one history, with the contributions.

        Args:
            node: Node id of the user; None for a cold-start user.
            items: Catalogue indexes, oldest first, (m,).
            stars: Ratings, NaN where none was given, (m,).
            days: Days since 1970, NaN where unknown, (m,).
        """
        known = self._is_known[items]
        number = NO_USER
        if node is not None and len(self._users):
            place = min(int(np.searchsorted(self._users, node)), len(self._users) - 1)
            number = place if self._users[place] == node else NO_USER
        histories = Histories.of(
            [self._place[items[known]]],
            [stars[known]],
            [days[known]],
            np.array([number], dtype=np.int32),
        )
        found = self.ranker.account(histories)
        scores = found.scores[self._place]
        nothing_known = found.scores.min(initial=0.0) - 1.0
        scores[~self._is_known] = nothing_known
        own = dict(zip(self._place[items[known]].tolist(), items[known].tolist(), strict=True))
        return CatalogueAccount(scores.astype(np.float32), found, self._place, self._is_known, own)
