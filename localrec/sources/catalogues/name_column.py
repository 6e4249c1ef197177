"""Which column names the items of a table: by its header, and by how its values read as names."""

from __future__ import annotations

import re
from collections.abc import Sequence

from localrec.sources.catalogues.column_profiles import ColumnProfile
from localrec.sources.catalogues.header_words import CREATORS, PLACES, header_words

_CODE = re.compile(r"(?=.*\d)[^a-z\s]{2,5}(?:[ -][^a-z\s]{1,5})?")  # "PH37 2FB"
_LONGEST = 25  # words of a name on average
# Of columns whose headers name nothing, how likely each is to do so all the same.
_ABOUT, _UNKNOWN, _MAKER = 0.6, 0.3, 0.25
# The same where no header may name the items; a number that each has is better than a word that
# many share.
_LAST = {
    **dict.fromkeys(CREATORS, 0.95),
    "id": 0.9,
    **dict.fromkeys(PLACES, 0.7),
    "user": 0.2,
    "address": 0.2,
}
_SHARED = 0.1  # what stands beside several items, such as their maker


def name_column(
    profiles: Sequence[ColumnProfile], about: Sequence[str] = ()
) -> ColumnProfile | None:
    """The column that names the items; None where none could.

    Args:
        profiles: The columns.
        about: Words for an item ("wine"), which a header may hold.
    """
    told = [(_fitness(one, about), one) for one in profiles]
    fitness, best = max(told, key=lambda pair: pair[0], default=(0.0, None))
    if fitness:
        return best
    has_words = any(one.holds in ("name", "list", "text") for one in profiles)
    # Numbers alone, such as ratings by numbers, describe nothing that a number could name.
    told = [(_last_fitness(one), one) for one in profiles if has_words or one.holds != "id"]
    fitness, best = max(told, key=lambda pair: pair[0], default=(0.0, None))
    return best if fitness else None


def _fitness(one: ColumnProfile, about: Sequence[str]) -> float:
    if one.holds not in ("name", "text", "list", "number") or one.filled < 0.5:
        return 0.0
    told = 0.0
    if one.meaning == "name":
        told = 3 * one.certainty
        if one.holds in ("number", "list") or one.words > _LONGEST:
            told *= 0.5
    elif one.holds == "name" and one.words <= _LONGEST and not _are_codes(one):
        if one.meaning == "":
            told = _ABOUT if set(header_words(one.name)) & set(about) else _UNKNOWN
        elif one.meaning in CREATORS and one.certainty >= 0.9:
            told = _MAKER
    return told * (0.2 + one.distinct / max(1, one.total)) * one.filled


def _last_fitness(one: ColumnProfile) -> float:
    """Grade a column without a telling header as the column of item names; a list gets 0."""
    if one.holds not in ("name", "id") or (one.holds == "id" and not one.is_unique):
        return 0.0
    weight = _LAST.get("id" if one.holds == "id" else one.meaning, 1.0)
    if weight < 1.0 and not one.is_unique:
        weight = _SHARED
    return weight * one.distinct * one.filled / max(1, one.total)


def _are_codes(one: ColumnProfile) -> bool:
    """Whether nearly all values are codes of letters and digits, which name nothing."""
    told = one.common[:200]
    return sum(_CODE.fullmatch(value) is not None for value in told) > 0.8 * len(told)
