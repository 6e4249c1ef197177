"""Records as items of a domain, by its columns; every row is kept, merged or told."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b

from localrec.data.catalogue_columns import CatalogueColumns, LinkColumns
from localrec.data.domains import Domain
from localrec.data.rows import AttributeLink, CatalogueRows, ItemRow, Scalar
from localrec.foundation.prose import count_of, join_words
from localrec.foundation.text import clean_key, clean_name, clean_text
from localrec.sources.catalogues.column_groups import part_amount
from localrec.sources.catalogues.column_profiles import elements_of, is_yes
from localrec.sources.catalogues.numbers import (
    NumberFormat,
    format_of,
    is_open,
    share_of_any_unit,
)
from localrec.sources.catalogues.records import Cell, RecordTable
from localrec.sources.catalogues.text_watch import LIST_SIGNS, TextWatch
from localrec.sources.import_log import ImportLog
from localrec.sources.list_cells import is_missing, read_list

_YEAR = re.compile(r"(?<!\d)(-?\d{1,4})(?:\.0+)?(?!\d)")
_FULL_YEAR = re.compile(r"(?<!\d)(1[0-9]\d\d|20\d\d)(?!\d)")
_YEAR_IN_NAME = re.compile(r"\b(1[5-9]\d\d|20\d\d)\b")
_YEAR_BEHIND_NAME = re.compile(r"\((1[5-9]\d\d|20\d\d)(?:\s*+[-–—]\s*+(?:\d{4}\s*+)?)?\)\s*$")
_SERIES = re.compile(r"\s*\((?P<series>[^()]+?),? #(?P<number>\d+(?:\.\d+)?)(?:-\d+)?\)\s*$")
_TOLD_KINDS = ("component", "category", "container")


class CatalogueReader:
    """Turns the records of one table into items.

    Args:
        domain: The domain of the items.
        columns: The use of each column.
        table: The records.
        import_log: Log that notes the outcome of each row.
    """

    def __init__(
        self, domain: Domain, columns: CatalogueColumns, table: RecordTable, import_log: ImportLog
    ) -> None:
        self._domain, self._columns, self._table, self._log = domain, columns, table, import_log
        here = set(table.columns)
        self._place = {name: place for place, name in enumerate(table.columns)}
        self._links = {
            kind: one
            for kind, one in columns.links.items()
            if kind in domain.attributes and here.intersection(one.columns)
        }
        self._formats = {
            one.column: self._format(one.column)
            for one in columns.numbers.values()
            if one.column in here
        }
        self._written: dict[str, tuple[str, ...]] = {}  # key -> what its first row calls the item
        self._zeros = dict.fromkeys(columns.numbers, 0)
        self._year_pattern = self._pattern_of_years()
        self._watch = TextWatch(columns, self._links, table, import_log)

    def read(self) -> CatalogueRows:
        """Read every record."""
        for fault in self._table.faults:
            self._log.note(fault)
        items: dict[str, ItemRow] = {}
        origin: dict[str, tuple[int, tuple[str, ...]]] = {}
        gathered: dict[str, list[int]] = {}
        shared = 0
        for row, cells in self._table.rows:
            name = self._name(cells)
            if not name:
                self._log.drop(row, self._columns.name, "has no name")
                continue
            key = self._key(name, cells)
            told = self._content(cells)
            if self._columns.gather:
                key = self._gathered_key(key, cells)
            elif key in items:
                first, content = origin[key]
                if content == told:
                    self._log.merge(row, None, f"says the same as row {first}")
                    continue
                shared += 1
                key = _told_apart(key, told, items, origin)
                if not key:
                    self._log.merge(row, None, "says the same as an earlier row")
                    continue
            item = self._item(row, key, name, cells)
            self._watch.look(row, cells)
            if key in items:
                items[key] = _joined(items[key], item)
                gathered[key].append(row)
            else:
                items[key], origin[key], gathered[key] = item, (row, told), [row]
        return self._finished(items, gathered, shared)

    def item_of(self, row: int, cells: Sequence[Cell]) -> ItemRow | None:
        """The item that one record describes, whatever others say; None for one without a name."""
        name = self._name(cells)
        return self._item(row, self._key(name, cells), name, cells) if name else None

    def _finished(
        self, items: dict[str, ItemRow], gathered: dict[str, list[int]], shared: int
    ) -> CatalogueRows:
        several = sum(len(rows) - 1 for rows in gathered.values())
        if several:
            self._log.gather(several)
            kind = next(iter(self._links), "links")
            self._log.tell(
                f"{several + len(items):,} rows gather into {self._domain.counted(len(items))} "
                f"with lists of {kind.replace('_', ' ')}."
            )
        if shared:
            share = "1 row shares its" if shared == 1 else f"{shared:,} rows share their"
            self._log.tell(
                f"{share} name with another that says something else; each is an item of its own."
            )
        for name, count in self._zeros.items():
            if count:
                column = self._columns.numbers[name].column
                self._log.tell(
                    f"A 0 in column {column} is taken as not known ({count_of(count, 'row')})."
                )
        self._watch.finish()
        return CatalogueRows(items=tuple(items.values()), report=self._log.report(kept=len(items)))

    def _format(self, column: str) -> NumberFormat:
        cells = self._table.column(column)
        return format_of([str(cell).strip() for cell in cells if not is_missing(cell)], column)

    def _cell(self, cells: Sequence[Cell], column: str) -> Cell:
        place = self._place.get(column)
        value = None if place is None else cells[place]
        return None if not isinstance(value, list) and is_missing(value) else value

    def _text(self, cells: Sequence[Cell], column: str) -> str:
        value = self._cell(cells, column)
        if isinstance(value, list):
            return clean_text(" ".join(str(one) for one in value if not is_missing(one)))
        return clean_text(value)

    def _name(self, cells: Sequence[Cell]) -> str:
        place = self._place[self._columns.name]  # a film may be called "None"
        value = cells[place]
        name = clean_name(value[0] if isinstance(value, list) and value else value)
        return "" if name.casefold() in ("", "nan", "null", "n/a", "\\n") else name

    def _key(self, name: str, cells: Sequence[Cell]) -> str:
        if not self._columns.key:
            return clean_key(name)
        told = (clean_name(self._text(cells, one)) for one in self._columns.key)
        return clean_key(" ".join(filter(None, told)) or name)

    def _gathered_key(self, key: str, cells: Sequence[Cell]) -> str:
        """The key of the rows that are one item; names that only punctuation parts stay two."""
        written = tuple(
            self._text(cells, one) for one in (self._columns.key or (self._columns.name,))
        )
        first = self._written.setdefault(key, written)
        if first == written:
            return key
        mark = blake2b("\0".join(written).encode(), digest_size=4).hexdigest()
        return f"{key[:80]}-{mark}"

    def _content(self, cells: Sequence[Cell]) -> tuple[str, ...]:
        return tuple(
            str(cells[place])
            for name, place in self._place.items()
            if name not in self._columns.ignored
        )

    def _item(self, row: int, key: str, name: str, cells: Sequence[Cell]) -> ItemRow:
        columns = self._columns
        properties: dict[str, Scalar] = {}
        for text, column in columns.texts.items():
            if told := self._text(cells, column):
                properties[self._domain.texts.get(text, text)] = told
        links = tuple(self._links_of(row, cells))
        properties.update(self._numbers(row, cells))
        year = self._year(row, name, cells)
        if year is not None:
            properties["year"] = year
        shown = name
        if columns.series_in_name and (found := _SERIES.search(name)):
            shown = name[: found.start()]
            properties["series"] = found["series"].strip()
            properties["series_number"] = float(found["number"])
            properties["title"] = name
        for flag, column in columns.flags.items():
            if (value := self._cell(cells, column)) is not None:
                properties[flag] = "yes" if is_yes(value) else "no"
        for name_of, column in columns.properties.items():
            if told := self._text(cells, column):
                properties.setdefault(name_of, told)
        maker = self._domain.kind_of("creator")
        makers = [link.name for link in links if link.kind == maker]
        if makers:
            properties["creator"] = makers[0]
        links += _decade(self._domain, year)
        if "description" in self._domain.texts and "description" not in properties:
            properties["description"] = self._describe(shown, year, links)
            properties["description_source"] = "generated"
        return ItemRow(key=key, name=shown, properties=properties, links=links)

    def _numbers(self, row: int, cells: Sequence[Cell]) -> Mapping[str, Scalar]:
        told: dict[str, Scalar] = {}
        for name, one in self._columns.numbers.items():
            value = self._cell(cells, one.column)
            if value is None or isinstance(value, list) or one.column not in self._formats:
                continue
            form = self._formats[one.column]
            number = form.value(value, one.end)
            spec = self._domain.numbers.get(name)
            if number is None:
                told[name] = None
                self._log.repair(row, one.column, _no_number(value, form))
            elif spec is not None and spec.bound == "high" and is_open(value):
                told[name] = None  # as many as one likes
            elif number == 0 and one.zero_is_missing:
                self._zeros[name] += 1
            else:
                number = round(number * one.times, 10)
                told[name] = int(number) if number == int(number) else number
        return {name: value for name, value in told.items() if value is not None}

    def _pattern_of_years(self) -> re.Pattern[str]:
        """Return the pattern of years in names: in brackets at their end, or anywhere.

        Where it stands in brackets, a number within is a part of the name: "Blade Runner 2049".
        """
        names = [str(cell) for cell in self._table.column(self._columns.name) if cell]
        behind = sum(_YEAR_BEHIND_NAME.search(name) is not None for name in names)
        within = sum(_YEAR_IN_NAME.search(name) is not None for name in names)
        return _YEAR_BEHIND_NAME if 2 * behind > within else _YEAR_IN_NAME

    def _year(self, row: int, name: str, cells: Sequence[Cell]) -> int | None:
        if self._columns.year is None:
            found = self._year_pattern.search(name) if self._columns.year_in_name else None
            return int(found[1]) if found else None
        written = self._text(cells, self._columns.year)
        found = _YEAR.fullmatch(written) or _FULL_YEAR.search(written) or _YEAR.match(written)
        if written and found is None:
            told = f"{written[:60]!r} is no year; left out"
            self._log.repair(row, self._columns.year, told)
        year = int(found[1]) if found else 0
        return year or None

    def _links_of(self, row: int, cells: Sequence[Cell]) -> Iterator[AttributeLink]:
        for kind, one in self._links.items():
            if one.flags:
                for column in one.columns:
                    if is_yes(self._cell(cells, column)):
                        yield AttributeLink(kind=kind, name=_flag_name(column, kind))
                continue
            values = self._values(cells, one)
            told = [
                pair
                for place, column in enumerate(one.columns)
                for pair in self._names(row, cells, column, one, values, place)
            ]
            yield from (
                AttributeLink(kind=kind, name=name, value=amount or None) for name, amount in told
            )

    def _values(self, cells: Sequence[Cell], one: LinkColumns) -> list[list[str]]:
        """For each column of values its cells: a list each for list cells, one text else."""
        return [
            [clean_text(value, limit=120) for value in cell]
            if isinstance(cell := self._cell(cells, column), list)
            else [clean_text(cell, limit=120)]
            for column in one.values
        ]

    def _names(
        self,
        row: int,
        cells: Sequence[Cell],
        column: str,
        one: LinkColumns,
        values: list[list[str]],
        place: int,
    ) -> Iterator[tuple[str, str]]:
        cell = self._cell(cells, column)
        if cell is None and one.otherwise is None:
            return
        names = self._elements(row, column, cell, one.separator)
        if len(one.columns) == 1:
            values = [_parted(told, one.separator, len(names)) for told in values]
        others = self._cell(cells, one.otherwise) if one.otherwise else None
        for at, name in enumerate(names):
            amount = _amount_of(values, len(one.columns), place, at, len(names))
            if is_missing(name) and isinstance(others, list) and at < len(others):
                name, amount = part_amount(clean_text(others[at]))
            elif one.amounts:
                name, parted = part_amount(clean_text(name))
                amount = parted or amount
            if cleaned := "" if is_missing(name) else clean_name(name):
                yield cleaned, amount

    def _elements(
        self, row: int, column: str, cell: Cell, separator: str | None
    ) -> Sequence[str | None]:
        if isinstance(cell, list):
            return [None if one is None else str(one) for one in cell]
        if cell is None:
            return []
        if not cell.strip().startswith(LIST_SIGNS):
            return elements_of(cell, separator) if separator else [cell]
        try:
            told = read_list(cell)
        except ValueError as error:
            self._log.repair(row, column, f"{error}; it was left out")
            return []
        if told.mended:
            self._log.repair(row, column, told.mended)
        return told.elements

    def _describe(self, name: str, year: int | None, links: Sequence[AttributeLink]) -> str:
        kinds = [kind for kind, one in self._domain.attributes.items() if one.role in _TOLD_KINDS]
        told = [link.name.casefold() for link in links if link.kind in kinds]
        makers = [link.name for link in links if link.kind == self._domain.kind_of("creator")]
        by = f" by {join_words(makers[:2])}" if makers else ""
        dated = f"{name} ({year}){by}" if year else f"{name}{by}"
        return f"{dated}: {join_words(list(dict.fromkeys(told))[:12])}." if told else f"{dated}."


def _no_number(cell: str, form: NumberFormat) -> str:
    """Explain why a cell gives its column no number."""
    shown = repr(clean_text(cell)[:60])
    if not share_of_any_unit([cell]):
        return f"{shown} is no number"
    return f"{shown} bears another unit than {form.unit or 'the others'}; left out of the number"


def _parted(values: list[str], separator: str | None, names: int) -> list[str]:
    """A text of as many amounts as there are names, as a list of them; else what was given."""
    if len(values) != 1 or names < 2:
        return values
    told = elements_of(values[0].strip(), separator)
    return told if len(told) == names else values


def _amount_of(values: list[list[str]], columns: int, place: int, at: int, names: int) -> str:
    """The amount beside a name: from the column at the same place, or element of the list."""
    if not values:
        return ""
    if columns > 1:  # measure-1 beside ingredient-1; amount-1 and unit-1 follow each other
        told = [values[group + place] for group in range(0, len(values), columns)
                if group + place < len(values)]  # fmt: skip
        return " ".join(one[0] for one in told if one and not is_missing(one[0]))
    parts = [one[at] for one in values if at < len(one)] if names > 1 or at else [
        one[0] for one in values if one
    ]  # fmt: skip
    return " ".join(part for part in parts if not is_missing(part))


def _told_apart(
    key: str,
    told: tuple[str, ...],
    items: Mapping[str, ItemRow],
    origin: Mapping[str, tuple[int, tuple[str, ...]]],
) -> str:
    """Another key for a row with a taken name; "" where the row itself is there already."""
    mark = blake2b("\0".join(told).encode(), digest_size=4).hexdigest()
    other = f"{key[:80]}-{mark}"
    return "" if other in items and origin[other][1] == told else other


def _joined(item: ItemRow, more: ItemRow) -> ItemRow:
    """One item of two rows: links add up, properties of the first row stand."""
    known = {(link.kind, link.name) for link in item.links}
    links = item.links + tuple(link for link in more.links if (link.kind, link.name) not in known)
    properties = {**more.properties, **item.properties}
    if item.properties.get("description_source") == "generated":
        told = join_words(list(dict.fromkeys(link.name.casefold() for link in links))[:12])
        properties["description"] = f"{item.name}: {told}."
    return ItemRow(key=item.key, name=item.name, properties=properties, links=links)


def _decade(domain: Domain, year: int | None) -> tuple[AttributeLink, ...]:
    if year is None or "decade" not in domain.attributes or year < 0:
        return ()
    return (AttributeLink(kind="decade", name=f"{year // 10 * 10}s"),)


def _flag_name(column: str, kind: str) -> str:
    words = re.sub(r"[_.]+", " ", column).strip()
    return clean_name(re.sub(rf"^(?:is|has|{kind})\s+", "", words, flags=re.IGNORECASE))
