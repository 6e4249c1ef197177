"""SQL for what the rows of a mapped table say was done: the event, how often, or nothing at all."""

from __future__ import annotations

from localrec.data.rows import Event
from localrec.foundation.sql import sql_literal
from localrec.sources.event_words import known_events, words_of_no_event
from localrec.sources.interaction_headers import day_rank
from localrec.sources.sql_cells import number
from localrec.sources.sql_tables import FlatFile
from localrec.sources.table_mapping import RatingScale, TableMapping


def is_no_event(flat: FlatFile, mapping: TableMapping) -> str:
    """SQL that is true for a row that says that nothing was done, and rates nothing."""
    at = mapping.columns
    if at.event is None:
        return "false"
    words = ", ".join(map(sql_literal, sorted(_undone_words(mapping))))
    told = f"lower(trim({flat.cells[at.event]})) IN ({words})"
    if at.timestamp is not None and day_rank(at.timestamp) > 2:  # the day on which it was done
        told += f" AND trim({flat.cells[at.timestamp]}) = ''"
    if at.rating is None:
        return f"({told})"
    return f"({told} AND trim({rating_cell(flat.cells[at.rating], mapping.rating)}) = '')"


def _undone_words(mapping: TableMapping) -> frozenset[str]:
    """The values of the event column that say that nothing was done."""
    return (words_of_no_event() - mapping.events.keys()) | {*mapping.ignored_events}


def count_of_times(flat: FlatFile, column: str) -> str:
    """SQL for how often something was done; once where the cell is empty."""
    return f"coalesce(TRY_CAST({flat.cells[column]} AS DOUBLE), 1)"


def is_odd_times(flat: FlatFile, column: str) -> str:
    """SQL that is true for a cell that is no whole number of times."""
    cell, value = flat.cells[column], count_of_times(flat, column)
    is_word = f"TRY_CAST({cell} AS DOUBLE) IS NULL AND trim({cell}) <> ''"
    return f"({is_word} OR {value} <> floor({value}) OR NOT {value} BETWEEN 0 AND 999999999)"


def rating_cell(cell: str, rating: RatingScale) -> str:
    """SQL for the cell of a rating; empty where it says "not rated"."""
    cell = f"replace({cell}, ',', '.')"  # a scale has no thousands
    if rating.unrated is None:
        return cell
    return f"CASE WHEN {number(cell)} = {rating.unrated} THEN '' ELSE {cell} END"


def event_of(cell: str, flat: FlatFile, mapping: TableMapping) -> str:
    """SQL for what a cell of the event column says; NULL for an unknown word."""
    known = {word: f"'{event.value}'" for word, event in known_events(mapping.events).items()}
    # A row with such a word is passed over, unless it has a rating or the day of the interaction.
    undone, rating = f"'{Event.SEEN.value}'", mapping.columns.rating
    if rating is not None:
        is_rated = f"trim({rating_cell(flat.cells[rating], mapping.rating)}) <> ''"
        undone = f"CASE WHEN {is_rated} THEN '{Event.RATED.value}' ELSE {undone} END"
    known |= dict.fromkeys(sorted(_undone_words(mapping)), undone)
    cases = " ".join(f"WHEN {sql_literal(word)} THEN {event}" for word, event in known.items())
    return f"CASE {cell} {cases} END"
