"""A table of what users did, read whole: items as a catalogue has them, and one interaction a row.

Unlike `table`, which hands millions of rows to DuckDB, this reads any file of records (JSON,
UTF-16, lines above the header), takes every column of the items along, and mends single cells.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import datetime

import msgspec

from localrec.data.catalogue_columns import CatalogueColumns
from localrec.data.domains import Domain
from localrec.data.rows import Event, HistoryRows, InteractionRow, ItemRow
from localrec.data.series_parts import is_part_number
from localrec.foundation.errors import InputError
from localrec.foundation.prose import count_of
from localrec.foundation.text import clean_key, clean_name, clean_text, fold_accents
from localrec.sources.catalogues.catalogue_items import CatalogueReader
from localrec.sources.catalogues.catalogue_source import columns_for
from localrec.sources.catalogues.records import Cell, RecordTable
from localrec.sources.event_words import known_events, words_of_no_event
from localrec.sources.import_log import ImportLog
from localrec.sources.interaction_headers import day_rank, english_header
from localrec.sources.interaction_times import InteractionMoments
from localrec.sources.list_cells import is_missing
from localrec.sources.personal_export import moment_problem
from localrec.sources.rating_values import rating_value
from localrec.sources.table_mapping import RatingScale, TableMapping
from localrec.sources.table_sections import headings_of, sums_of

_NO_VERDICT = frozenset({Event.SEEN, Event.PLAYED, Event.WANTED, Event.LATER})
_EARLIEST = datetime(1970, 1, 2)
_MOST_TIMES = 1e9
_SHOWN = 8  # rows that are named


def read_history(
    table: RecordTable, mapping: TableMapping, domain: Domain, user: str | None
) -> HistoryRows:
    """Read items and interactions of a table.

    Args:
        table: The records.
        mapping: The columns for user, item, rating and time.
        domain: The domain of the items.
        user: Key of the user whom all rows belong to, where no column says so.

    Raises:
        InputError: no row can be kept.
    """
    import_log = ImportLog("table", table.path, domain.name)
    reader = _HistoryReader(table, mapping, domain, clean_name(user), import_log)
    reader.read()
    if not reader.interactions:
        raise InputError(
            f"{table.path} holds no row that can be kept: {import_log.first_drop()}.",
            "Each row needs a user and an item.",
        )
    return HistoryRows(
        items=tuple(reader.items.values()),
        interactions=tuple(reader.interactions.values()),
        report=import_log.report(reader.kept),
        is_part=True,
    )


def items_of(table: RecordTable, mapping: TableMapping) -> RecordTable:
    """The table without the columns that say what users did, its headers in English where known."""
    at = mapping.columns
    apart = {at.user, at.rating, at.timestamp, at.event, at.note, at.times, *mapping.left_out}
    places = [place for place, name in enumerate(table.columns) if name not in apart]
    names = _english_names(table)
    return RecordTable(
        path=table.path,
        layout=table.layout,
        columns=tuple(names[table.columns[place]] for place in places),
        rows=[(row, [cells[place] for place in places]) for row, cells in table.rows],
        faults=table.faults,
    )


def _english_names(table: RecordTable) -> dict[str, str]:
    """Header -> what it is called in English; where nobody knows that, those of foreign scripts
    are told apart by their place."""
    names: dict[str, str] = {}
    for place, header in enumerate(table.columns, 1):
        name = english_header(header)
        if not re.search(r"[a-z0-9]", fold_accents(name).casefold()):
            name = f"column {place}"
        is_taken = name != header and name in {*table.columns, *names.values()}
        names[header] = f"{name} {place}" if is_taken else name
    return names


def _columns_of_things(domain: Domain, things: RecordTable, name: str) -> CatalogueColumns:
    """Assign the columns of the items, of which `name` has their names or numbers."""
    try:
        columns = columns_for(domain, things)
    except InputError:  # no column has names
        return CatalogueColumns(name=name)
    return msgspec.structs.replace(columns, name=name, gather=False)


def _with_verdict(newer: InteractionRow, older: InteractionRow) -> InteractionRow:
    """The newer row, unless only the older one has a verdict: to be met again takes none away."""
    if newer.event in _NO_VERDICT and older.event not in _NO_VERDICT:
        return older
    return newer


class _HistoryReader:
    """Reads one table."""

    def __init__(
        self,
        table: RecordTable,
        mapping: TableMapping,
        domain: Domain,
        user: str,
        import_log: ImportLog,
    ) -> None:
        self._table, self._mapping, self._user, self._log = table, mapping, user, import_log
        self._place = {name: place for place, name in enumerate(table.columns)}
        self._events = known_events(mapping.events)
        self._undone = (words_of_no_event() - mapping.events.keys()) | {*mapping.ignored_events}
        self._things = items_of(table, mapping)
        named = mapping.columns.title or mapping.columns.item
        columns = _columns_of_things(domain, self._things, _english_names(table)[named])
        self._parts = mapping.columns.parts_for(domain)
        self._reader = CatalogueReader(domain, columns, self._things, import_log)
        self._first: dict[tuple[str, str], int] = {}
        self._unrated = self._zeros = 0
        self._sums, self._headings = sums_of(table), headings_of(table)
        when = mapping.columns.timestamp
        self._moments = InteractionMoments(
            [str(cell) for cell in table.column(when) if not is_missing(cell)] if when else [],
            mapping.timestamp.format,
        )
        self._day_rank = 0 if when is None else day_rank(when)
        self.items: dict[str, ItemRow] = {}
        self.interactions: dict[tuple[str, str], InteractionRow] = {}
        self.kept = 0

    def read(self) -> None:
        """Take every row."""
        for fault in self._table.faults:
            self._log.note(fault)
        for (row, cells), (_, things) in zip(self._table.rows, self._things.rows, strict=True):
            self._take(row, cells, things)
        self._tell_of_all()

    def _tell_of_all(self) -> None:
        """Tell what is true of the whole table."""
        at = self._mapping.columns
        if at.timestamp is None:
            self._log.tell("No row has a time: the order in which things were done is not known.")
        if self._headings:
            rows = ", ".join(map(str, sorted(self._headings)[:_SHOWN]))
            more = "" if len(self._headings) <= _SHOWN else " and more"
            self._log.tell(f"Taken as headings, not as items: rows {rows}{more}.")
        if self._moments.rough:
            self._log.tell(
                f"Column {at.timestamp} has months or years alone, of which the first day was "
                f"taken ({count_of(self._moments.rough, 'row')})."
            )
        if self._zeros:
            rows = count_of(self._zeros, "row")
            self._log.tell(f"A 0 in column {at.rating} is taken as the lowest rating ({rows}).")
        if self._unrated:
            self._log.tell(
                f"A {self._mapping.rating.unrated:g} in column {at.rating} is taken as not rated "
                f"({count_of(self._unrated, 'row')})."
            )
        if left := self._mapping.left_out:
            self._log.tell(
                f"Left out, since they may not describe the items: {', '.join(left)}. To keep one "
                "with the items, name it under `properties` of a mapping (--suggest FILE)."
            )

    def _take(self, row: int, cells: Sequence[Cell], things: Sequence[Cell]) -> None:
        at = self._mapping.columns
        if row in self._sums:
            self._log.drop(row, None, "holds totals")
            return
        if row in self._headings:
            self._log.set_apart("headings of a year or month")
            return
        user = clean_name(self._cell(cells, at.user)) if at.user else self._user
        key = self._key(cells)
        if not user or not key:
            self._log.drop(row, at.item if user else at.user, "is empty there")
            return
        item = None if key in self.items else self._reader.item_of(row, things)
        if item is None and key not in self.items:
            self._log.drop(row, at.title, "has no name")
            return
        interaction = self._interaction(row, cells, user, key)
        if interaction is None:
            return
        if item is not None:
            self.items[key] = msgspec.structs.replace(item, key=key)
        self._add(row, interaction)

    def _key(self, cells: Sequence[Cell]) -> str:
        """Return the item's key: its id, else its name with maker, year and volume."""
        at = self._mapping.columns
        own = clean_name(self._cell(cells, at.item))
        if not own or at.item != at.title:
            return own
        return clean_key(" ".join(filter(None, (own, *self._more(cells)))))

    def _more(self, cells: Sequence[Cell]) -> Iterator[str]:
        at = self._mapping.columns
        for column in filter(None, (at.creator, at.year)):
            yield clean_name(self._cell(cells, column)).removesuffix(".0")
        for column in self._parts:
            told = clean_name(self._cell(cells, column)).removesuffix(".0")
            if is_part_number(told):
                yield told

    def _interaction(
        self, row: int, cells: Sequence[Cell], user: str, key: str
    ) -> InteractionRow | None:
        """Read the interaction with an item; None, with a note in the log, where there was none."""
        at = self._mapping.columns
        rating = self._rating(row, self._cell(cells, at.rating)) if at.rating else None
        moment = self._moment(row, self._cell(cells, at.timestamp)) if at.timestamp else None
        times = self._times(row, self._cell(cells, at.times)) if at.times else 1
        event: Event | None = Event.RATED
        if rating is None:
            day = 0 if moment is None else self._day_rank
            event = self._event(row, self._cell(cells, at.event), day)
        if event is None or times is None:
            return None
        note = clean_text(self._cell(cells, at.note)) if at.note else ""
        return InteractionRow(
            user=user,
            item=key,
            event=event,
            rating=rating,
            at=moment,
            times=times,
            note=note or None,
        )

    def _add(self, row: int, interaction: InteractionRow) -> None:
        """Keep an interaction; of several with an item the newest verdict counts, and how many."""
        pair = (interaction.user, interaction.item)
        other = self.interactions.get(pair)
        if other is None:
            self.interactions[pair], self._first[pair] = interaction, row
            self.kept += 1
            return
        newest = interaction if (interaction.at or _EARLIEST) >= (other.at or _EARLIEST) else other
        newest = _with_verdict(newest, other if newest is interaction else interaction)
        times = other.times
        if interaction.at is None or interaction.at == other.at:
            self._log.merge(row, None, f"is about the item of row {self._first[pair]}")
        else:
            times += interaction.times
            self.kept += 1
        self.interactions[pair] = msgspec.structs.replace(newest, times=times)

    def _cell(self, cells: Sequence[Cell], column: str | None) -> str:
        value = None if column is None else cells[self._place[column]]
        if isinstance(value, list):
            return ", ".join(str(one) for one in value if one is not None)
        return "" if value is None or is_missing(value) else str(value).strip()

    def _rating(self, row: int, told: str) -> float | None:
        scale = self._mapping.rating
        if not told:
            return None
        value = rating_value(told)
        if value is not None and value == scale.unrated:
            self._unrated += 1
            return None
        self._zeros += value == 0
        low, high = scale.scale
        if value is None or not low <= value <= high:
            problem = f"{clean_name(told)!r} is no rating from {low:g} to {high:g}; left out"
            self._log.repair(row, self._mapping.columns.rating, problem)
            return None
        return _as_stars(value, scale)

    def _event(self, row: int, told: str, day: int) -> Event | None:
        """Read the event of a row without a rating; None, with a note in the log, for none.

        Args:
            row: Its number.
            told: The cell that says what happened.
            day: Grade of its day as the day of the interaction, by `day_rank`; 0 for none.
        """
        column = self._mapping.columns.event
        if column is None:
            return Event.PLAYED if self._mapping.columns.times else Event.SEEN
        word = told.lower()
        is_undone = word in self._undone
        event = self._events.get(word) if told and not is_undone else Event.SEEN
        if event is not None and not is_undone:
            return event
        said = f"column {column} says {clean_name(told)!r}" if told else f"column {column} is empty"
        # Any day but that of a list says that a thing was met; against a word that it was not,
        # only the day on which it was done does.
        if day <= (2 if is_undone else 1):
            self._log.set_apart(said if is_undone else f"{said}, which is not known")
            return None
        if not is_undone:
            self._log.repair(row, column, f"{clean_name(told)!r} is not known; taken as seen")
        return Event.SEEN

    def _times(self, row: int, told: str) -> int | None:
        """Read the number of times that a row tells; None, with a note in the log, for 0."""
        value = rating_value(told) if told else 1.0
        if value is None or value != int(value) or not 0 <= value < _MOST_TIMES:
            problem = f"{clean_name(told)!r} is no number of times; taken as one"
            self._log.repair(row, self._mapping.columns.times, problem)
            return 1
        if value == 0:
            self._log.set_apart(f"column {self._mapping.columns.times} says 0")
        return int(value) or None

    def _moment(self, row: int, told: str) -> datetime | None:
        if not told:
            return None
        at = self._moments.read(told)
        problem = "is no date" if at is None else moment_problem(at, _EARLIEST)
        if problem is None:
            return at
        problem = f"{clean_name(told)!r} {problem}; left out"
        self._log.repair(row, self._mapping.columns.timestamp, problem)
        return None


def _as_stars(value: float, scale: RatingScale) -> float:
    """A rating in stars, as `sql_cells.stars` has it."""
    low, high = scale.scale
    if low in (0, 0.5, 1):
        return max(0.5, value * 5 / high)
    return 0.5 + (value - low) * 4.5 / (high - low)
