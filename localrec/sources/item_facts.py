"""Which columns of a table of interactions tell of the items, and which are somebody's own.

What stays with an item is seen by all who share a store, and outlives `forget`. So a column is
taken for a fact only where its header or its cells say so.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from localrec.sources.catalogues.column_profiles import ColumnProfile
from localrec.sources.catalogues.records import Cell, RecordTable
from localrec.sources.event_words import known_events, words_of_no_event
from localrec.sources.interaction_headers import (
    counts_times,
    day_rank,
    english_header,
    is_about_interaction,
    is_contact,
    is_done,
    is_later,
    is_note,
    is_of_release,
    may_name_user,
    names_user,
    senses_of,
    words_of,
)

_WORDS = ("text", "name", "list")  # what cells of free words may be taken for
# Known headers that say of a person's table as much as of an item: where it was met, say.
_NOT_PLAIN = frozenset(
    "location place from text body detail contributor people person feature class group art topic "
    "subject note remark summary about story abstract tag shelf collection".split()
)
_NO_FACTS = frozenset({"", "user", "date", "rating", "name", "index", "address", "instructions"})
_NUMBERED = frozenset(  # meanings whose cells are numbers
    "price rank popularity year abv ibu minutes pages servings calories complexity players age "
    "ounces".split()
) | {"min players", "max players", "popularity index"}
_LONGEST_FACT = 5.0  # words on average, of all but descriptions
_HIGHEST_VERDICT = 10.0
_LOOKED_AT = 20_000  # rows that tell whether a column is of the items
_VARIED = 0.1  # of the items with several rows: more vary where the column is of the interactions


def is_fact(one: ColumnProfile) -> bool:
    """Whether a column of words is plainly a fact of the item, such as its genre or director."""
    if "own" in senses_of(one.name) or not _fits(one):
        return False
    if is_note(one.name) or is_about_interaction(one.name) or is_contact(one.name):
        return False
    words = set(words_of(one.name))
    if english_header(one.name) != one.name or "title" in words:
        return True
    is_known = one.meaning not in _NO_FACTS and one.certainty >= 0.5
    return is_known and not _NOT_PLAIN & words and not may_name_user(one.name)


def _fits(one: ColumnProfile) -> bool:
    """Whether words in a column can be what its header says: no age is "felt like a child"."""
    if one.meaning in _NUMBERED:
        return False
    return one.meaning == "description" or is_short(one)


def is_short(one: ColumnProfile) -> bool:
    """Whether the cells of a column are names rather than sentences."""
    return one.words <= _LONGEST_FACT


def note_column(profiles: Sequence[ColumnProfile]) -> ColumnProfile | None:
    """The column with the person's own words about an item: of several the one with most."""
    told = [one for one in profiles if one.holds in _WORDS and is_note(one.name)]
    return max(told, key=lambda one: (one.words * one.total, one.filled), default=None)


def left_columns(
    profiles: Sequence[ColumnProfile], table: RecordTable, item: ColumnProfile, *, is_personal: bool
) -> list[str]:
    """The columns that say nothing of the items, or may be somebody's own words.

    Args:
        profiles: Those that no interaction is made of.
        table: The records.
        item: Name of the column that tells the items apart.
        is_personal: Whether all rows are one person's; else cells that differ among the rows of
            one item tell as well, where items have several.
    """
    varied = set() if is_personal else _varied(table, item.name, [one.name for one in profiles])
    return [
        one.name
        for one in profiles
        if _is_of_interaction(one) or not _may_stay(one) or one.name in varied
    ]


def _is_of_interaction(one: ColumnProfile) -> bool:
    """Whether a column plainly tells of what was done, or of the one who did it."""
    senses = senses_of(one.name)
    if senses & {"own", "repeated"} or names_user(one.name) or counts_times(one.name):
        return True
    if is_contact(one.name) or (one.holds == "date" and not is_of_release(one.name)):
        return True
    is_count = one.holds == "number" and one.name.strip()[-1:] in "sS"
    if "note" in senses and not (is_count or senses & {"count", "of many"}):
        return True
    if one.holds in ("number", "id") and day_rank(one.name) and one.meaning != "rating":
        return one.meaning in ("date", "year") or "begun" in senses
    if one.holds == "flag":
        return is_done(one.name) or is_later(one.name)
    # "Estado" is the status of a book, and the state where a winery is.
    known = known_events().keys() | words_of_no_event()
    return "status" in senses and any(word.strip().lower() in known for word in one.common)


def _may_stay(one: ColumnProfile) -> bool:
    """Whether a column is a fact, or at least none of somebody's words and verdicts."""
    if one.holds in _WORDS:
        return is_fact(one)
    # Below a name such as "Anna", small numbers and a yes are what she gave.
    is_small = one.holds == "number" and 0 <= one.low <= one.high <= _HIGHEST_VERDICT
    return bool(one.meaning) or not (is_small or one.holds == "flag")


def _varied(table: RecordTable, item: str, names: Sequence[str]) -> set[str]:
    """The columns whose cells differ among the rows of one item."""
    place = {name: at for at, name in enumerate(table.columns)}
    rows: defaultdict[str, list[list[Cell]]] = defaultdict(list)
    for _, cells in table.rows[:_LOOKED_AT]:
        rows[str(cells[place[item]])].append(cells)
    several = [one for one in rows.values() if len(one) > 1]
    return {
        name
        for name in names
        if sum(len({str(cells[place[name]]) for cells in one}) > 1 for one in several)
        > _VARIED * len(several)
    }
