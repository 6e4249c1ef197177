"""Which columns of a table say who did something, with which item, and when."""

from __future__ import annotations

import re
from collections.abc import Sequence

from localrec.sources.catalogues.column_profiles import ColumnProfile
from localrec.sources.catalogues.header_words import CREATORS, header_words
from localrec.sources.catalogues.records import RecordTable
from localrec.sources.day_order import DayOrder
from localrec.sources.export_cells import parse_moment
from localrec.sources.interaction_headers import (
    day_rank,
    english_header,
    is_about,
    is_about_interaction,
    is_beside_things,
    is_note,
    is_of_release,
    may_name_user,
    mentions_thing,
    names_thing,
    names_user,
    senses_of,
    words_of,
)
from localrec.sources.interaction_times import rough_moment
from localrec.sources.item_facts import is_fact, is_short
from localrec.sources.list_cells import is_missing

_SHARED_TIMES = 1.15  # rows for each user on average above which a column tells users apart
_FEW = 20  # rows of which that cannot be told
_SHARED_ITEMS = 0.9  # of the rows: fewer items have several people
_SECONDS = (600_000_000, 4_200_000_000)  # 1989 to 2103
_OF_TIME = frozenset("time utc at unix stamp".split())
_FIRST_YEAR, _LAST_YEAR = 1900, 2100  # in which something was done
_MOSTLY = 0.8  # of a column's cells
_LOOKED_AT = 500  # cells that tell whether a column holds days
_IMDB = re.compile(r"tt\d{5,}")
# Numbers of what was done, not of what it was done with.
_OF_INTERACTIONS = frozenset(
    "checkin check rating review row entry order log play event watch vote record comment line "
    "transaction history listen scrobble visit".split()
)
# Columns that say so are somebody's own words, or theirs otherwise.
_NO_NAMES = frozenset("note own user contact circumstance status private".split())
_PLAIN_KEYS = tuple((word,) for word in ("isbn", "isbn13", "asin", "key", "iid"))
_KEYS = frozenset({"id", *(word for (word,) in _PLAIN_KEYS)})


def user_column(profiles: Sequence[ColumnProfile]) -> ColumnProfile | None:
    """The column that says who did something; None where there is none."""
    told = [one for one in profiles if names_user(one.name) and _holds_people(one)]
    if not told and any(_is_shared(one) for one in profiles if _is_thing(one)):
        told = [one for one in profiles if may_name_user(one.name) and _holds_people(one)]
    return max(told, key=lambda one: _is_keyed(one.name), default=None)


def _is_keyed(header: str) -> bool:
    """Whether a header is that of a key, and not of a name that two may bear."""
    return not {"id", "key", "uid", "hash"}.isdisjoint(words_of(header))


def _holds_people(one: ColumnProfile) -> bool:
    is_told = one.holds in ("name", "id", "number", "rows", "flag") and one.filled > 0.5
    return is_told and (one.total >= one.distinct * _SHARED_TIMES or one.total < _FEW)


def _is_thing(one: ColumnProfile) -> bool:
    return names_thing(one.name) or one.meaning in ("id", "name")


def _is_shared(one: ColumnProfile) -> bool:
    return one.distinct < _SHARED_ITEMS * one.total


def time_column(profiles: Sequence[ColumnProfile], table: RecordTable) -> ColumnProfile | None:
    """The column that says when something was done, and not when its item came out or was listed.

    Of several that say so alike, the first.
    """
    told = [one for one in profiles if holds_moments(one, table)]
    return max(told, key=lambda one: _time_rank(one, table), default=None)


def holds_moments(one: ColumnProfile, table: RecordTable) -> bool:
    """Whether a column says when something was done, or put on a list."""
    if is_of_release(one.name) or (one.meaning == "year" and not day_rank(one.name)):
        return False
    if one.holds in ("number", "id", "rows"):
        return _counts_seconds(one) or one.meaning == "date" or _is_year_of_interaction(one)
    if one.holds in ("date", "name", "text"):
        return one.holds == "date" or (day_rank(one.name) > 0 and _holds_days(one, table))
    return False


def _time_rank(one: ColumnProfile, table: RecordTable) -> tuple[int, bool]:
    """A day of the interaction before other days, and a whole day before a year."""
    return day_rank(one.name), not _is_year_of_interaction(one) and holds_moments(one, table)


def _is_year_of_interaction(one: ColumnProfile) -> bool:
    """Whether a column has the years in which something was done: "Year read"."""
    is_year = one.holds in ("number", "id", "rows") and one.is_whole
    is_year = is_year and _FIRST_YEAR <= one.low <= one.high <= _LAST_YEAR
    return is_year and "done" in senses_of(one.name) and one.meaning != "rating"


def _holds_days(one: ColumnProfile, table: RecordTable) -> bool:
    cells = [str(cell).strip() for cell in table.column(one.name) if not is_missing(cell)]
    cells = cells[:_LOOKED_AT]
    order = DayOrder(cells)
    told = sum(_is_day(order.as_iso(cell)) for cell in cells)
    return told >= _MOSTLY * len(cells) > 0


def _is_day(cell: str) -> bool:
    """Whether a cell holds a day, or the month or year of one."""
    return parse_moment(cell) is not None or rough_moment(cell) is not None


def _counts_seconds(one: ColumnProfile) -> bool:
    """Whether a column of times has seconds since 1970, or thousandths of them."""
    is_of_time = one.meaning in ("date", "minutes") or bool(_OF_TIME & set(header_words(one.name)))
    return is_of_time and lie_in_seconds(one)


def lie_in_seconds(one: ColumnProfile) -> bool:
    """Whether all numbers of a column may be seconds since 1970, or thousandths of them."""
    first, last = _SECONDS
    spans = ((first * times, last * times) for times in (1, 1000))
    return any(low <= one.low and one.high <= high for low, high in spans)


def key_column(profiles: Sequence[ColumnProfile]) -> ColumnProfile | None:
    """The column with what tells items apart; None where only names do."""
    told = [one for one in profiles if _key_rank(one) > 1]
    return max(told, key=_key_rank, default=None)


def other_key_column(profiles: Sequence[ColumnProfile]) -> ColumnProfile | None:
    """The column with keys of something, such as the items' makers, where nothing names items."""
    return next((one for one in profiles if _key_rank(one)), None)


def _key_rank(one: ColumnProfile) -> float:
    """Grade a column as the items' keys; 1 for keys of something else, 0 for no keys."""
    words = header_words(one.name)
    if one.filled <= 0.9 or names_user(one.name) or _OF_INTERACTIONS & set(words):
        return 0
    is_number = one.holds in ("number", "id", "rows")
    if one.holds == "number" and not one.is_whole:
        return 0
    if one.common and all(map(_IMDB.fullmatch, one.common)):
        return 3.5
    if "imdb" in words:
        return 0
    if names_thing(one.name):
        rank = 4 if _is_keyed(one.name) or _KEYS & set(words) else 3 * is_number
        return rank - 0.5 * (rank > 0 and is_beside_things(one.name))
    is_plain = (one.meaning == "id" and one.certainty >= 0.9) or words[-1:] in _PLAIN_KEYS
    if is_plain and not set(CREATORS) & set(words):
        return 2
    is_other = words[-1:] == ("id",) or one.meaning == "id" or _names_maker(one)
    return int(is_other and (is_number or not _names_maker(one)))


def title_column(
    profiles: Sequence[ColumnProfile], *, has_key: bool = False, domain: str = ""
) -> ColumnProfile | None:
    """The column with the items' names.

    Args:
        profiles: The columns that may.
        has_key: Whether the items have keys: then no name is better than one that is none.
        domain: Name of the domain of the items, where it is known.
    """
    able = [one for one in profiles if not is_note(one.name) and not is_about_interaction(one.name)]
    told = [one for one in able if _title_rank(one, domain)]
    if told:
        return max(told, key=lambda one: (_title_rank(one, domain), one.certainty))
    return None if has_key else _title_left(able)


def _title_left(profiles: Sequence[ColumnProfile]) -> ColumnProfile | None:
    """The column with the items' names where no header says so: none other is left.

    People write the name before what they say of it: of columns that vary much, the first is it.
    """
    named = [one for one in profiles if one.holds == "name" and one.filled > 0.9]
    named = [one for one in named if not senses_of(one.name) & _NO_NAMES]
    unknown = [one for one in named if not is_fact(one)]
    makers = [one for one in named if _names_maker(one)]  # of a table about artists, say
    left = unknown + makers or named
    most = max((one.distinct for one in left), default=0)
    return next((one for one in left if 2 * one.distinct >= most), None)


def _title_rank(one: ColumnProfile, domain: str) -> float:
    """Grade a column as the items' names; 0 for not at all."""
    if one.holds in ("nothing", "flag", "url") or names_user(one.name):
        return 0
    if english_header(one.name) == "title" or (one.meaning == "name" and one.certainty >= 0.9):
        return 4
    holds_names = one.holds in ("name", "list", "text") and not _is_keyed(one.name)
    if names_thing(one.name) and holds_names:
        rank = 1.5 if is_beside_things(one.name) else 2.5
        return 3 * is_about(one.name, domain) or rank + one.distinct / (1 + one.total) / 2
    if mentions_thing(one.name) and holds_names and not is_fact(one):
        return 1.25 if is_beside_things(one.name) else 2.25
    return one.certainty if one.meaning == "name" and not senses_of(one.name) & _NO_NAMES else 0


def creator_column(profiles: Sequence[ColumnProfile]) -> ColumnProfile | None:
    """The column with who made the items."""
    told = (one for one in profiles if _names_maker(one) and not is_about_interaction(one.name))
    return next((one for one in told if one.holds == "list" or is_short(one)), None)


def _names_maker(one: ColumnProfile) -> bool:
    words = set(words_of(one.name)) - {"name", "text"}
    is_told = {one.meaning, english_header(one.name)} & set(CREATORS) or words & set(CREATORS)
    return bool(is_told) and len(words) == 1 and not _is_keyed(one.name)


def year_column(profiles: Sequence[ColumnProfile]) -> ColumnProfile | None:
    """The column with the years in which the items came out."""
    told = [
        one
        for one in profiles
        if (one.meaning == "year" or english_header(one.name) == "year")
        and one.holds in ("number", "id", "rows")
        and not day_rank(one.name)
    ]
    return max(told, key=lambda one: one.certainty, default=None)
