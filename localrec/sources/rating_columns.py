"""The column of a table in which people rated: which one it is, its scale, what means "not rated".

Averages, and what critics or a site's many people gave, are facts of the item and nobody's rating.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from localrec.data.rows import Event
from localrec.sources.catalogues.column_profiles import ColumnProfile
from localrec.sources.catalogues.header_words import meaning_of
from localrec.sources.catalogues.number_columns import zero_is_missing
from localrec.sources.catalogues.records import RecordTable
from localrec.sources.event_columns import EventColumn
from localrec.sources.interaction_headers import day_rank, is_of_many, senses_of, words_of
from localrec.sources.list_cells import is_missing
from localrec.sources.rating_values import rating_value
from localrec.sources.table_mapping import RatingScale

_TOPS = (5.0, 10.0, 20.0, 100.0)
_ON_SCALE = 0.98  # of the ratings must lie on a scale; the others are errors in the file
_MOSTLY = 0.8  # of a column's cells
_NOT_RATED = -1.0  # beside ratings from 0 or 1 up
_VERDICTS = {1.0: Event.LIKED, 0.0: Event.SEEN, -1.0: Event.DISLIKED}
_BESIDE_RATING = frozenset("review out of max to from point the".split())
_OUT_OF = re.compile(r"(?:/|out of)\s*(\d{1,3})$")
_OF_HEADER = re.compile(r"(?:/|out of|[01]\s*[-–]|[01] to|max\.?)\s*(\d{1,3})\b", re.IGNORECASE)


class RatingColumn:
    """A column of ratings, with its numbers.

    Args:
        profile: The column; its ends are told anew, without errors.
        values: All its numbers.
    """

    def __init__(self, profile: ColumnProfile, values: Sequence[float], top: float = 0.0) -> None:
        self.profile, self._top = profile, top
        marked = values.count(_NOT_RATED)
        rated = [value for value in values if value != _NOT_RATED]
        others = _on_scale(rated)
        self._marks_unrated = (
            marked > (1 - _ON_SCALE) * len(values) and bool(others) and max(others) > 1
        )
        self._values = others or rated if self._marks_unrated else _on_scale(values) or values

    def as_verdicts(self) -> EventColumn | None:
        """The same column by what its cells say, where it has no ratings but +1, 0 and -1."""
        if not {-1.0, 1.0} <= set(self._values) <= set(_VERDICTS):
            return None
        cells = {cell.strip().lower(): rating_value(cell.strip()) for cell in self.profile.common}
        told = {cell: _VERDICTS[value] for cell, value in cells.items() if value is not None}
        return EventColumn(self.profile, told)

    def scale(self) -> RatingScale:
        """The scale, and the number that means "not rated"."""
        _tell_range(self.profile, self._values)
        low, high = self.profile.low, max(self.profile.high, self._top)
        if said := _OF_HEADER.search(self.profile.name):
            high = max(high, float(said[1]))
        top = next((top for top in _TOPS if high <= top), high)
        is_zero = zero_is_missing(self.profile, "rating")
        low = self.profile.lowest if is_zero else low
        low = 1.0 if low >= 1 else min(low, 0.5 if low else 0.0)
        unrated = _NOT_RATED if self._marks_unrated else 0.0 if is_zero else None
        return RatingScale(scale=(low, top), unrated=unrated)


def rating_column(
    profiles: Sequence[ColumnProfile], table: RecordTable, *, is_personal: bool
) -> RatingColumn | None:
    """The column in which people rated; None where there is none.

    Args:
        profiles: All columns.
        table: The records.
        is_personal: Whether all rows are one person's: then "user score" is what others gave.
    """
    ranked = [(one, _rank(one, is_personal=is_personal)) for one in profiles]
    told = sorted((one for one in ranked if one[1]), key=lambda one: (-one[1], -one[0].certainty))
    for profile, rank in told:
        is_own = "own" in senses_of(profile.name)
        if is_personal and not is_own and _is_counted(profiles) and not _is_diary(profiles):
            continue
        if found := _with_values(profile, table, rank):
            return found
    return None


def rating_by_cells(profile: ColumnProfile, table: RecordTable) -> RatingColumn:
    """A column of numbers as one of ratings."""
    return RatingColumn(profile, _values(_counted_cells(profile, table), profile.format.value))


def _rank(one: ColumnProfile, *, is_personal: bool) -> int:
    """Grade a column as the ratings of the rows' own users; 0 for not at all."""
    senses, words = senses_of(one.name), set(words_of(one.name))
    if is_of_many(one.name) or senses & {"count", "day"} or one.holds == "nothing":
        return 0
    if "rating" not in senses and one.meaning != "rating":
        return 1 if words == {"r"} else 0
    if "own" in senses:
        return 5
    if "user" in senses and is_personal:
        return 1
    numbers = {word for word in words if word.isdigit()}
    is_plain = not words - numbers - _BESIDE_RATING - {"rating", "star", "score"}
    return 4 if is_plain else 3 if meaning_of(one.name)[1] >= 0.9 else 2


def _is_counted(profiles: Sequence[ColumnProfile]) -> bool:
    """Whether a table counts the ratings that its one column of ratings is the average of."""
    is_counted = any(
        one.meaning == "popularity" and {"rating", "vote"} & set(words_of(one.name))
        for one in profiles
    )
    return is_counted and not any(is_of_many(one.name) for one in profiles)


def _is_diary(profiles: Sequence[ColumnProfile]) -> bool:
    """Whether a table tells the days on which things were done."""
    return any(one.holds == "date" and day_rank(one.name) > 1 for one in profiles)


def _with_values(profile: ColumnProfile, table: RecordTable, rank: int) -> RatingColumn | None:
    """A column with its ratings, such as "8", "8/10" or "★★★½"; None where it has others."""
    if profile.holds == "number":
        return rating_by_cells(profile, table)
    if rank == 1 or profile.holds in ("url", "id", "rows"):
        return None
    counted = _counted_cells(profile, table)
    values = _values(counted, rating_value)
    if not values or len(values) < _MOSTLY * counted.total():
        return None
    tops = [float(found[1]) for cell in counted if (found := _OUT_OF.search(cell))]
    return RatingColumn(profile, values, max([*tops, 5.0]))


def _counted_cells(profile: ColumnProfile, table: RecordTable) -> Counter[str]:
    cells = table.column(profile.name)
    return Counter(str(cell).strip() for cell in cells if not is_missing(cell))


def _values(counted: Mapping[str, int], value_of: Callable[[str], float | None]) -> list[float]:
    """The number of each cell that has one; ratings are few, so each is read once."""
    told = ((value_of(cell), count) for cell, count in counted.items())
    return [value for value, count in told if value is not None for _ in range(count)]


def _on_scale(values: Sequence[float]) -> list[float]:
    """Ratings without the few that lie off their scale, such as the 55 of one that meant 5.5."""
    for top in _TOPS:
        told = [value for value in values if 0 <= value <= top]
        if told and len(told) >= _ON_SCALE * len(values):
            return told
    return []


def _tell_range(profile: ColumnProfile, told: Sequence[float]) -> None:
    """The ends of a column of ratings, and how often they are given."""
    profile.low, profile.high = min(told), max(told)
    profile.zeros = sum(value == 0 for value in told) / len(told)
    profile.lowest = min((value for value in told if value > 0), default=0.0)
    profile.lowest_share = sum(value == profile.lowest for value in told) / len(told)
