"""A table of what users did, read whole: items as a catalogue has them, and one deed a row.

Unlike `table`, which hands millions of rows to DuckDB, this reads any file of records (JSON,
UTF-16, lines above the header), takes every column of the items along, and mends single cells.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

import msgspec

from localrec.data.catalogue_columns import CatalogueColumns
from localrec.data.domains import Domain
from localrec.data.rows import Event, HistoryRows, InteractionRow, ItemRow
from localrec.foundation.errors import InputError
from localrec.foundation.prose import count_of
from localrec.foundation.text import clean_key, clean_name, clean_text
from localrec.sources.catalogues.catalogue_items import CatalogueReader
from localrec.sources.catalogues.catalogue_source import columns_for
from localrec.sources.catalogues.column_groups import numbers_volumes
from localrec.sources.catalogues.records import Cell, RecordTable
from localrec.sources.event_words import known_events
from localrec.sources.export_cells import parse_moment
from localrec.sources.import_log import ImportLog
from localrec.sources.list_cells import is_missing
from localrec.sources.mapped_table import RatingScale, TableMapping
from localrec.sources.personal_export import moment_problem

_NO_VERDICT = frozenset({Event.SEEN, Event.PLAYED, Event.WANTED, Event.LATER})
_EARLIEST = datetime(1970, 1, 2)
_RATING = re.compile(
    r"(?P<value>-?\d{1,6}(?:[.,]\d{1,6})?)(?P<half>½)?(?:\s*(?:/|out of)\s*\d{1,3}|\s*stars?|\s*%)?"
)
_STARS = re.compile(r"(?P<whole>[★⭐♥❤*]*)(?P<half>½?)[☆✩]*")
_WORDED = ("%d %b %Y", "%d %B %Y", "%b %d, %Y", "%B %d, %Y")  # days with the month in letters
_SHEET_DAY = re.compile(r"[2-6]\d{4}(?:[.,]\d+)?", re.ASCII)  # of a spreadsheet: days since 1900
_SECONDS = re.compile(r"\d{9,10}(?:\d{3})?", re.ASCII)


def read_history(
    table: RecordTable, mapping: TableMapping, domain: Domain, user: str | None
) -> HistoryRows:
    """Read items and deeds of a table.

    Args:
        table: The records.
        mapping: Which column says who, what, how good and when.
        domain: What the items belong to.
        user: Whose all rows are, where no column says so.

    Raises:
        InputError: no row can be kept.
    """
    import_log = ImportLog("table", table.path, domain.name)
    reader = _HistoryReader(table, mapping, domain, clean_name(user), import_log)
    reader.read()
    if not reader.deeds:
        raise InputError(
            f"{table.path} holds no row that can be kept: {import_log.first_drop()}.",
            "Each row needs a user and an item.",
        )
    return HistoryRows(
        items=tuple(reader.items.values()),
        interactions=tuple(reader.deeds.values()),
        report=import_log.report(reader.kept),
        is_part=True,
    )


def items_of(table: RecordTable, mapping: TableMapping) -> RecordTable:
    """The table without the columns that say what users did."""
    at = mapping.columns
    deeds = {at.user, at.rating, at.timestamp, at.event, at.note}
    places = [place for place, name in enumerate(table.columns) if name not in deeds]
    return RecordTable(
        path=table.path,
        layout=table.layout,
        columns=tuple(table.columns[place] for place in places),
        rows=[(row, [cells[place] for place in places]) for row, cells in table.rows],
        faults=table.faults,
    )


def _columns_of_things(
    domain: Domain, things: RecordTable, mapping: TableMapping
) -> CatalogueColumns:
    """What becomes of the columns of the items; one that only numbers them is their name."""
    name = mapping.columns.title or mapping.columns.item
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
        self._things = items_of(table, mapping)
        columns = _columns_of_things(domain, self._things, mapping)
        self._volumes = tuple(filter(numbers_volumes, self._things.columns))
        self._reader = CatalogueReader(domain, columns, self._things, import_log)
        self._first: dict[tuple[str, str], int] = {}
        self._unrated = self._zeros = 0
        self.items: dict[str, ItemRow] = {}
        self.deeds: dict[tuple[str, str], InteractionRow] = {}
        self.kept = 0

    def read(self) -> None:
        """Take every row."""
        for fault in self._table.faults:
            self._log.note(fault)
        for (row, cells), (_, things) in zip(self._table.rows, self._things.rows, strict=True):
            self._take(row, cells, things)
        at = self._mapping.columns
        if at.timestamp is None:
            self._log.tell("No row has a time: the order in which things were done is not known.")
        if self._zeros:
            rows = count_of(self._zeros, "row")
            self._log.tell(f"A 0 in column {at.rating} is taken as the lowest rating ({rows}).")
        if self._unrated:
            self._log.tell(
                f"A {self._mapping.rating.unrated:g} in column {at.rating} is taken as not rated "
                f"({count_of(self._unrated, 'row')})."
            )

    def _take(self, row: int, cells: Sequence[Cell], things: Sequence[Cell]) -> None:
        at = self._mapping.columns
        user = clean_name(self._cell(cells, at.user)) if at.user else self._user
        key = self._key(cells)
        if not user or not key:
            self._log.drop(row, at.item if user else at.user, "is empty there")
            return
        if key not in self.items:
            item = self._reader.item_of(row, things)
            if item is None:
                self._log.drop(row, at.title, "has no name")
                return
            self.items[key] = msgspec.structs.replace(item, key=key)
        self._add(row, self._deed(row, cells, user, key))

    def _key(self, cells: Sequence[Cell]) -> str:
        """What tells the item apart: its id, else its name with maker, year and volume."""
        at = self._mapping.columns
        own = clean_name(self._cell(cells, at.item))
        if not own or at.item != at.title:
            return own
        return clean_key(" ".join(filter(None, (own, *self._more(cells)))))

    def _more(self, cells: Sequence[Cell]) -> Iterator[str]:
        at = self._mapping.columns
        for column in (at.creator, at.year, *self._volumes):
            if column:
                yield clean_name(self._cell(cells, column)).removesuffix(".0")

    def _deed(self, row: int, cells: Sequence[Cell], user: str, key: str) -> InteractionRow:
        at = self._mapping.columns
        rating = self._rating(row, self._cell(cells, at.rating)) if at.rating else None
        event = Event.RATED if rating is not None else Event.SEEN
        if at.event and rating is None:
            event = self._event(row, self._cell(cells, at.event))
        note = clean_text(self._cell(cells, at.note)) if at.note else ""
        return InteractionRow(
            user=user,
            item=key,
            event=event,
            rating=rating,
            at=self._moment(row, self._cell(cells, at.timestamp)) if at.timestamp else None,
            note=note or None,
        )

    def _add(self, row: int, deed: InteractionRow) -> None:
        """Keep a deed; of several with one item the newest verdict counts, and their number."""
        pair = (deed.user, deed.item)
        other = self.deeds.get(pair)
        if other is None:
            self.deeds[pair], self._first[pair] = deed, row
            self.kept += 1
            return
        newest = deed if (deed.at or _EARLIEST) >= (other.at or _EARLIEST) else other
        newest = _with_verdict(newest, other if newest is deed else deed)
        times = other.times
        if deed.at is None or deed.at == other.at:
            self._log.merge(row, None, f"is about the item of row {self._first[pair]}")
        else:
            times += 1
            self.kept += 1
        self.deeds[pair] = msgspec.structs.replace(newest, times=times)

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

    def _event(self, row: int, told: str) -> Event:
        event = self._events.get(told.casefold()) if told else Event.SEEN
        if event is None:
            problem = f"{clean_name(told)!r} says nothing that is known; taken as seen"
            self._log.repair(row, self._mapping.columns.event, problem)
        return event or Event.SEEN

    def _moment(self, row: int, told: str) -> datetime | None:
        if not told:
            return None
        form = self._mapping.timestamp.format
        at = parse_moment(told, *filter(None, (form,)), *_WORDED)
        if at is None and _SHEET_DAY.fullmatch(told):
            at = datetime(1899, 12, 30) + timedelta(days=float(told.replace(",", ".")))
        if at is None and _SECONDS.fullmatch(told):
            at = datetime.fromtimestamp(int(told) / (1000 if len(told) > 10 else 1))
        problem = "is no date" if at is None else moment_problem(at, _EARLIEST)
        if problem is None:
            return at
        problem = f"{clean_name(told)!r} {problem}; left out"
        self._log.repair(row, self._mapping.columns.timestamp, problem)
        return None


def rating_value(told: str) -> float | None:
    """The number of a rating: "8", "8,5", "8/10", "80%", "4½", "★★★½"; None for anything else."""
    if found := _RATING.fullmatch(told):
        return float(found["value"].replace(",", ".")) + 0.5 * bool(found["half"])
    found = _STARS.fullmatch(told)
    return None if found is None else len(found["whole"]) + 0.5 * bool(found["half"])


def _as_stars(value: float, scale: RatingScale) -> float:
    """A rating in stars, as `sql_cells.stars` has it."""
    low, high = scale.scale
    if low in (0, 0.5, 1):
        return max(0.5, value * 5 / high)
    return 0.5 + (value - low) * 4.5 / (high - low)
