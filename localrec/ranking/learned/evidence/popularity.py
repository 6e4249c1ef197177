"""Popularity: the number of users of each item, ever, lately, and near the request's day.

Half-lives are shares of the time that the log spans, so that they fit a week of logs as well as
thirty years. "Around the request" counts only what happened before the newest day of the history,
as far as it is known: for a user who comes back today that is the fashion of today.
"""

from __future__ import annotations

from typing import ClassVar

import msgspec
import numpy as np

from localrec.ranking.learned.evidence.base import FitContext, Signals
from localrec.ranking.learned.interactions import Days, Floats, Histories, Indexes

LATELY = 0.1  # of the span of the log
AROUND = 0.03
_HALF_LIVES = 6.0  # after so many an interaction counts 1/64 and is left out


class PopularityEvidence(msgspec.Struct, frozen=True):
    """Counts of each item.

    Args:
        ever: Logarithm of the rows of each item, (items,).
        liked: The same of the rows that speak for it, (items,).
        lately: The same with a half-life, seen from the newest row, (items,).
        day: Day of each dated row, ascending, (m,); undated rows are left out.
        item: Item of each of these, (m,).
        span: Days between the oldest and the newest.
    """

    kind: ClassVar[str] = "popularity"

    ever: Floats
    liked: Floats
    lately: Floats
    day: Days
    item: Indexes
    span: float

    def signals(self, histories: Histories) -> Signals:
        """Return three counts that all histories share, and one for the day of the request."""
        signals = {
            name: np.tile(counts, (len(histories), 1))
            for name, counts in (
                ("popularity", self.ever),
                ("popularity-liked", self.liked),
                ("popularity-lately", self.lately),
            )
        }
        signals["popularity-around"] = self._around(histories)
        return signals

    def _around(self, histories: Histories) -> Floats:
        scores = np.zeros((len(histories), len(self.ever)), dtype=np.float32)
        if not self.span:
            return scores
        half_life = AROUND * self.span
        for row, now in enumerate(histories.newest_day.tolist()):
            if np.isnan(now):
                continue
            begin, end = np.searchsorted(self.day, [now - _HALF_LIVES * half_life, now], "right")
            worth = np.exp2((self.day[begin:end] - now) / half_life)
            scores[row] = np.log1p(np.bincount(self.item[begin:end], worth, len(self.ever)))
        return scores


def fit_popularity(context: FitContext) -> PopularityEvidence:
    """Count the rows of each item."""
    log = context.log
    dated = np.flatnonzero(~np.isnan(log.days))
    order = dated[np.argsort(log.days[dated], kind="stable")]
    day, item = log.days[order], log.item[order]
    span = float(day[-1] - day[0]) if len(day) else 0.0
    ever = np.log1p(log.popularity)
    lately = ever
    if span:
        worth = np.exp2((day - day[-1]) / (LATELY * span))
        lately = np.log1p(np.bincount(item, worth, log.items)).astype(np.float32)
    liked = np.log1p(np.bincount(log.item[log.liked], minlength=log.items)).astype(np.float32)
    return PopularityEvidence(ever, liked, lately, day, item, span)
