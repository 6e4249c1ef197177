"""The profile of a user: one signed strength per item of their history.

The newest verdict on an item counts. What was only seen, heard or put on a list says a little;
"not now" says nothing about taste and hides the item for a while.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import msgspec
import numpy as np
from numpy.typing import NDArray

from localrec.data.arrays import Indexes, Mask, Scores
from localrec.data.rows import Event
from localrec.graph.catalogue import Catalogue
from localrec.graph.interactions import UserHistory

NEUTRAL = 2.75  # stars: the middle of 0.5 to 5
HIDDEN_FOR = timedelta(days=30)  # how long "not now" holds
_VERDICTS = {Event.LIKED: 1.0, Event.DISLIKED: -1.0, Event.ABANDONED: -0.5}
_WANTED = 0.4
_SEEN = 0.3
_EPOCH, _ONE_DAY = np.datetime64("1970-01-01"), np.timedelta64(1, "D")
_HEARD_OFTEN = 16  # plays that say as much as being liked; each doubling says the same


class UserProfile(msgspec.Struct, frozen=True):
    """A history in the catalogue's numbers.

    Args:
        items: Catalogue indexes, oldest first, each once, (m,).
        strengths: -1 (cannot stand it) to 1 (loves it), (m,).
        stars: Ratings where one was given, else NaN, (m,).
        known: Items that need no recommending: had, judged or hidden for now, (n,).
        hidden: Items put off ("not now") a short while ago, (n,).
        days: Day of the last interaction with each item, in days since 1970, NaN where unknown,
            (m,); None where no day is known.
        wanted: Items on the user's want-to list, (n,); None where there is no such list.
    """

    items: Indexes
    strengths: Scores
    stars: Scores
    known: Mask
    hidden: Mask
    days: NDArray[np.float64] | None = None
    wanted: Mask | None = None

    @classmethod
    def from_history(
        cls,
        items: Indexes,
        size: int,
        stars: Scores | None = None,
        days: NDArray[np.float64] | None = None,
    ) -> UserProfile:
        """Take a history as it is; items without stars count as liked.

        Args:
            items: Catalogue indexes, oldest first, (m,).
            size: Items in the catalogue, n.
            stars: NaN where none were given, (m,); None: nowhere.
            days: Since 1970, NaN where unknown, (m,); None: nowhere known.
        """
        if stars is None:
            stars = np.full(len(items), np.nan, dtype=np.float32)
        known, hidden = np.zeros(size, dtype=bool), np.zeros(size, dtype=bool)
        known[items] = True
        return cls(items, preferences_of_stars(stars), stars, known, hidden, days)

    def __len__(self) -> int:
        return len(self.items)

    @property
    def liked(self) -> Scores:
        """The strength of each liked item, 0 for the others, (m,)."""
        return np.maximum(self.strengths, 0.0)

    @property
    def disliked(self) -> Scores:
        """The strength of each disliked item, 0 for the others, (m,)."""
        return np.maximum(-self.strengths, 0.0)


def profile_from_history(
    history: UserHistory, catalogue: Catalogue, now: datetime | None = None
) -> UserProfile:
    """Build the profile of a user's interactions; items outside the catalogue are left out.

    Args:
        history: From the store, oldest first.
        catalogue: The domain's snapshot.
        now: For "not now", in UTC; the present moment by default.
    """
    now = now or datetime.now(UTC).replace(tzinfo=None)
    strength: dict[int, float] = {}
    verdict: dict[int, float] = {}
    stars: dict[int, float] = {}
    day: dict[int, float] = {}
    known, hidden, wanted = catalogue.none(), catalogue.none(), catalogue.none()
    places = np.searchsorted(catalogue.node_ids, history.items)
    for row, place in enumerate(places):
        item = int(place)
        if item >= len(catalogue) or catalogue.node_ids[item] != history.items[row]:
            continue
        event, rating = Event(history.events[row]), float(history.ratings[row])
        if event is Event.LATER:
            hidden_until = history.at[row] + np.timedelta64(HIDDEN_FOR)
            hidden[item] = bool(hidden_until > np.datetime64(now))
            continue
        hidden[item] = False  # new feedback on an item ends its postponement
        known[item] |= event is not Event.WANTED
        wanted[item] |= event is Event.WANTED
        if not np.isnan(rating):
            verdict[item] = preference_of_rating(rating)
            stars[item] = rating
        elif event in _VERDICTS:
            agrees = event is Event.LIKED and (
                verdict.get(item, 0.0) > 0.0 or _is_of_one_day(history.at[row], day.get(item))
            )
            verdict[item] = _VERDICTS[event]
            if not agrees:  # a heart beside stars says more, not something else
                stars.pop(item, None)
        weak = _strength_without_verdict(event, int(history.times[row]))
        strength[item] = verdict.get(item, max(weak, strength.get(item, 0.0)))
        if not np.isnat(history.at[row]):
            day[item] = float((history.at[row] - _EPOCH) / _ONE_DAY)
    return _user_profile(strength, stars, known | hidden, hidden, day, wanted & ~known)


def _is_of_one_day(at: np.datetime64, day: float | None) -> bool:
    """Whether something was said with what was said on a day, not later; undated it was."""
    return day is None or bool(np.isnat(at)) or float((at - _EPOCH) / _ONE_DAY) - day <= 1.0


def profile_from_keys(
    keys: Sequence[str], catalogue: Catalogue, ratings: Sequence[float] | None = None
) -> UserProfile:
    """The taste behind a history given by item keys, oldest first; without ratings all are liked.

    Keys that the catalogue has not are left out.
    """
    strength: dict[int, float] = {}
    stars: dict[int, float] = {}
    known = catalogue.none()
    for place, key in enumerate(keys):
        item = catalogue.item_index(key)
        if item is None:
            continue
        known[item] = True
        strength[item] = 1.0
        if ratings is not None:
            strength[item], stars[item] = preference_of_rating(ratings[place]), ratings[place]
    return _user_profile(strength, stars, known, catalogue.none())


def merge_profiles(first: UserProfile, second: UserProfile) -> UserProfile:
    """Two histories as one; on an item in both the second counts."""
    strength = dict(zip(first.items.tolist(), first.strengths.tolist(), strict=True))
    stars = dict(zip(first.items.tolist(), first.stars.tolist(), strict=True))
    strength |= zip(second.items.tolist(), second.strengths.tolist(), strict=True)
    stars |= zip(second.items.tolist(), second.stars.tolist(), strict=True)
    day: dict[int, float] = {}
    for one in (first, second):
        if one.days is not None:
            day |= zip(one.items.tolist(), one.days.tolist(), strict=True)
    known, hidden = first.known | second.known, first.hidden | second.hidden
    wanted = None if first.wanted is None else first.wanted & ~known
    return _user_profile(strength, stars, known, hidden, day, wanted)


def preference_of_rating(stars: float) -> float:
    """-1 for half a star, 0 in the middle of the scale, 1 for five stars."""
    return float(np.clip((stars - NEUTRAL) / (5.0 - NEUTRAL), -1.0, 1.0))


def preferences_of_stars(stars: Scores) -> Scores:
    """The same of many; 1 where none were given, which counts as liked, (m,)."""
    given = np.clip((stars - NEUTRAL) / (5.0 - NEUTRAL), -1.0, 1.0)
    return np.where(np.isnan(stars), 1.0, given).astype(np.float32)


def _strength_without_verdict(event: Event, times: int) -> float:
    if event is Event.WANTED:
        return _WANTED
    if event is not Event.PLAYED:
        return _SEEN
    doublings = np.log2(max(1, times)) / np.log2(_HEARD_OFTEN)
    return float(min(1.0, _SEEN + (1.0 - _SEEN) * doublings))


def _user_profile(
    strength: dict[int, float],
    stars: dict[int, float],
    known: Mask,
    hidden: Mask,
    day: dict[int, float] | None = None,
    wanted: Mask | None = None,
) -> UserProfile:
    items: NDArray[np.int32] = np.array(list(strength), dtype=np.int32)
    return UserProfile(
        items=items,
        strengths=np.array(list(strength.values()), dtype=np.float32),
        stars=np.array([stars.get(item, np.nan) for item in strength], dtype=np.float32),
        known=known,
        hidden=hidden,
        days=np.array([day.get(item, np.nan) for item in strength]) if day else None,
        wanted=wanted,
    )
