"""Any table at all, with a mapping file that says which column is what.

The mapping (`table_mapping`) lies beside its data as `NAME.mapping.toml` and names the file in
`data`; without that it is the one file beside it with the same NAME. The command line takes either
of the two.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from pathlib import Path

import msgspec

from localrec.data.domains import Domain
from localrec.data.rows import AttributeLink, BulkHistory, ItemRow, Scalar
from localrec.foundation.bounded_files import FileLimits, open_regular
from localrec.foundation.errors import InputError, UsageError
from localrec.foundation.old_names import with_current_names
from localrec.foundation.prose import count_of
from localrec.foundation.sql import sql_literal
from localrec.foundation.text import clean_name, clean_text
from localrec.sources.bulk_tables import BulkReader, BulkTable, RowFault, refuse_user
from localrec.sources.catalogues.header_words import property_name
from localrec.sources.domain_words import domain_of_header
from localrec.sources.film_rows import film_row, genre_links
from localrec.sources.import_log import ImportLog
from localrec.sources.mapped_interactions import (
    count_of_times,
    event_of,
    is_no_event,
    is_odd_times,
    rating_cell,
)
from localrec.sources.protocols import Field, FilePreview
from localrec.sources.sql_cells import (
    clean_name_of,
    clean_text_of,
    empty,
    moment_faults,
    moment_of,
    moment_since_1970,
    number,
    rating_fault,
    stars,
)
from localrec.sources.sql_tables import FlatFile, delimited_table, json_lines, parquet_table
from localrec.sources.table_mapping import OLD_NAMES, TableMapping, TimestampFormat

_ENDING = ".mapping.toml"
_FORMATS = {
    ".csv": "csv",
    ".tsv": "csv",
    ".txt": "csv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
}
_MAPPING_BYTES = 1 << 20
_SHOWN = 8  # columns that stay behind


class MappedTableSource:
    """Reads CSV, TSV, JSON lines (each also as .gz) and Parquet by a mapping file."""

    kind = "table"
    domain = "movies"
    personal = False  # where there is no column of users, `read` asks for one
    fields: tuple[Field, ...] = (
        Field("columns.user", "the person's key"),
        Field("columns.item", "the item's key"),
        Field("columns.title, year, creator", "the item's name and properties; decade, creator"),
        Field("columns.parts", "behind the item's key; properties"),
        Field("columns.rating", "the rating, in stars by `rating.scale`"),
        Field("columns.timestamp", "when, in UTC"),
        Field("columns.event", "rated, liked, seen, wanted ... by `events`"),
        Field("columns.times", "how often it was heard or played"),
        Field("columns.note", "the person's own words"),
        Field("attributes", "links"),
        Field("properties", "properties of the item"),
        Field("columns that the mapping does not name", "left out"),
    )

    def __init__(self, limits: FileLimits | None = None) -> None:
        self._limits = limits or FileLimits()

    def recognises(self, preview: FilePreview) -> bool:
        """Whether it is a mapping file."""
        return preview.name.endswith(_ENDING)

    def domain_of(self, path: Path) -> str:
        """Guess the domain of the items by the columns and the file's name; films if nothing tells.

        Raises:
            InputError: no mapping, or none that can be read.
        """
        mapping_path, data = _find_files(path)
        mapping = read_mapping(mapping_path)
        return domain_of_mapped(mapping, data or _find_data(mapping_path, mapping))

    def read(self, path: Path, domain: Domain, user: str | None = None) -> BulkHistory:
        """Read the items and check every row.

        Raises:
            InputError: no mapping, a mapping or data that cannot be read, a column is missing.
            UsageError: there is no column of users and nobody was named, or both.
        """
        mapping_path, data = _find_files(path)
        mapping = read_mapping(mapping_path)
        data = data or _find_data(mapping_path, mapping)
        return self.read_by(mapping, data, mapping_path, domain, user)

    def read_by(
        self,
        mapping: TableMapping,
        data: Path,
        named: Path,
        domain: Domain,
        user: str | None = None,
    ) -> BulkHistory:
        """Read a table by a mapping; `named` is what messages call it.

        Raises:
            InputError: the data cannot be read, or a column is missing.
            UsageError: there is no column of users and nobody was named, or both.
        """
        if mapping.columns.user is None and not clean_name(user):
            raise UsageError(f"{named} names no column of users.", "Say whose: --user KEY.")
        if mapping.columns.user is not None:
            refuse_user(self.kind, user)
        self._check_kinds(named, mapping, domain)
        flat = self._open(data, mapping, named)
        import_log = ImportLog(self.kind, data, domain.name)
        _tell_unrated(import_log, flat, mapping)
        _tell_left_out(import_log, flat, mapping)
        _tell_odd_times(import_log, flat, mapping)
        table = _table(flat, mapping, user, mapping.columns.parts_for(domain))
        return table.history(import_log, _read_items(table, flat, mapping, domain))

    def _check_kinds(self, path: Path, mapping: TableMapping, domain: Domain) -> None:
        for attribute in mapping.attributes:
            if attribute.kind not in domain.attributes:
                raise InputError(
                    f"{path}: {attribute.kind!r} is no attribute of {domain.name}.",
                    f"It has {', '.join(domain.attributes)}.",
                )

    def _open(self, data: Path, mapping: TableMapping, mapping_path: Path) -> FlatFile:
        columns = _named_columns(mapping)
        kind = _format_of(data)
        if kind == "parquet":
            flat = parquet_table(data)
        elif kind == "jsonl":
            flat = json_lines(data, list(columns), self._limits)
        else:
            flat = delimited_table(data, mapping.delimiter, self._limits)
        for column, place in columns.items():
            if column not in flat.cells:
                raise InputError(
                    f"{data} lacks the column {column!r} that {mapping_path.name} names in "
                    f"{place}; it has {', '.join(flat.cells)}.",
                    "Mend the mapping.",
                )
        filled = {name: f"coalesce({cell}, '')" for name, cell in flat.cells.items()}
        return msgspec.structs.replace(flat, cells=filled)


def domain_of_mapped(mapping: TableMapping, data: Path) -> str:
    """Guess the domain of a table's items by its columns and its name; films if nothing tells."""
    return domain_of_header(data, list(_named_columns(mapping))) or MappedTableSource.domain


def _find_files(path: Path) -> tuple[Path, Path | None]:
    """The mapping file, and the data file where that was named."""
    if path.name.endswith(_ENDING):
        return path, None
    stem = path.name.removesuffix(".gz").rpartition(".")[0] or path.name
    mapping = path.with_name(stem + _ENDING)
    if not mapping.is_file():
        raise InputError(
            f"{path} has no mapping file {mapping.name} beside it.",
            "localrec help sources tells what stands in one.",
        )
    return mapping, path


def read_mapping(path: Path) -> TableMapping:
    """Read a mapping file.

    Raises:
        InputError: it is none.
    """
    try:
        with open_regular(path, FileLimits()) as stream:
            written = stream.read(_MAPPING_BYTES).decode("utf-8-sig")
        return msgspec.convert(with_current_names(tomllib.loads(written), OLD_NAMES), TableMapping)
    except (OSError, ValueError, msgspec.ValidationError) as error:
        raise InputError(
            f"{path} is no mapping: {clean_text(error)}.", "localrec help sources tells its fields."
        ) from error


def _find_data(path: Path, mapping: TableMapping) -> Path:
    folder = path.parent
    if mapping.data is not None:
        data = folder / mapping.data
        if not data.resolve().is_relative_to(folder.resolve()):
            raise InputError(
                f"{path}: data = {mapping.data!r} lies outside the mapping's folder.",
                "Put the two side by side.",
            )
        return data
    stem = path.name.removesuffix(_ENDING)
    names = [f"{stem}{ending}{packed}" for ending in _FORMATS for packed in ("", ".gz")]
    found = [folder / name for name in names if (folder / name).is_file()]
    if len(found) != 1:
        raise InputError(
            f"{path} has {len(found)} files of data beside it; one is needed.",
            'Name it: data = "...".',
        )
    return found[0]


def _format_of(data: Path) -> str:
    ending = Path(data.name.removesuffix(".gz")).suffix.casefold()
    if ending not in _FORMATS or (ending == ".parquet" and data.suffix == ".gz"):
        raise InputError(
            f"{data} ends in none of {', '.join(_FORMATS)}.",
            "Save it in one of these formats; all but Parquet may end in .gz as well.",
        )
    return _FORMATS[ending]


def _named_columns(mapping: TableMapping) -> dict[str, str]:
    """Column of the data -> where the mapping names it first."""
    named = {
        column: f"columns.{field}"
        for field, told in msgspec.structs.asdict(mapping.columns).items()
        for column in ((told,) if isinstance(told, str) else told or ())
    }
    for attribute in mapping.attributes:
        named.setdefault(attribute.column, "attributes")
    for column in mapping.properties:
        named.setdefault(column, "properties")
    return named


def _item_key(flat: FlatFile, item: str, parts: Sequence[str]) -> str:
    """SQL for the key of an item: its own column, with the number of its volume behind it."""
    own = clean_name_of(flat.cells[item])
    if not parts:
        return own
    numbers = ", ".join(f"nullif({clean_name_of(flat.cells[one])}, '')" for one in parts)
    return f"CASE WHEN {own} = '' THEN '' ELSE concat_ws(' ', {own}, {numbers}) END"


def _table(
    flat: FlatFile, mapping: TableMapping, user: str | None, parts: Sequence[str]
) -> BulkTable:
    at = mapping.columns
    typed: dict[str, str] = {"item_key": _item_key(flat, at.item, parts)}
    faults = [*flat.faults, empty(at.item, "item_key")]
    if at.user is not None:
        typed["user_key"] = clean_name_of(flat.cells[at.user])
        faults.append(empty(at.user, "user_key"))
    else:
        typed["user_key"] = sql_literal(clean_name(user))
    if at.rating is not None:
        low, high = mapping.rating.scale
        cell = rating_cell(flat.cells[at.rating], mapping.rating)
        typed["rating"] = stars(cell, low, high)
        faults.append(rating_fault(at.rating, cell, low, high))
    if at.timestamp is not None:
        cell = flat.cells[at.timestamp]
        typed["at"] = _moment(cell, mapping.timestamp)
        faults.extend(moment_faults(at.timestamp, cell))
    if at.event is not None:
        cell = f"lower(trim({flat.cells[at.event]}))"
        typed["event"] = event_of(cell, flat, mapping)
        told = "{value} is not among the mapping's events"
        faults.append(RowFault(at.event, "event IS NULL", told, flat.cells[at.event]))
    if at.times is not None:
        count = count_of_times(flat, at.times)
        cell = f"CASE WHEN {is_odd_times(flat, at.times)} THEN 1 ELSE {count} END"
        typed["times"] = cell
        faults.append(RowFault(at.times, f"{cell} < 1", "{value} is no number of times", cell))
    if at.note is not None:
        typed["note"] = f"nullif({clean_text_of(flat.cells[at.note])}, '')"
    return BulkTable(
        read=flat.read,
        columns=typed,
        files=(flat.path,),
        first_row=flat.first_row,
        numbers=flat.numbers,
        faults=tuple(faults),
        blank=f"({flat.blank}) OR {is_no_event(flat, mapping)}",
        event="'played'" if at.times is not None and at.rating is None else None,
    )


def _tell_odd_times(import_log: ImportLog, flat: FlatFile, mapping: TableMapping) -> None:
    """Tell how many cells are no whole number of times."""
    column = mapping.columns.times
    if column is None:
        return
    if count := _count_where(flat, is_odd_times(flat, column)):
        import_log.tell(
            f"Column {column} has no whole number of times in {count_of(count, 'row')}; taken as "
            "one."
        )


def _tell_unrated(import_log: ImportLog, flat: FlatFile, mapping: TableMapping) -> None:
    """Tell how many rows say "not rated", and that no row has a time."""
    if mapping.columns.timestamp is None:
        import_log.tell("No row has a time: the order in which things were done is not known.")
    column, rating = mapping.columns.rating, mapping.rating
    if column is None or rating.unrated is None:
        return
    count = _count_where(flat, f"{number(flat.cells[column])} = {rating.unrated}")
    import_log.tell(
        f"A {rating.unrated:g} in column {column} is taken as not rated ({count_of(count, 'row')})."
    )


def _tell_left_out(import_log: ImportLog, flat: FlatFile, mapping: TableMapping) -> None:
    """Tell which columns nobody named, and how many rows say that nothing was done."""
    named = _named_columns(mapping)
    if unnamed := [column for column in flat.cells if column not in named]:
        import_log.tell(f"Columns that the mapping does not name stay behind: {_few(unnamed)}.")
    if mapping.columns.event and (count := _count_where(flat, is_no_event(flat, mapping))):
        import_log.tell(
            f"Column {mapping.columns.event} says of {count_of(count, 'row')} that nothing was "
            "done; passed over."
        )


def _count_where(flat: FlatFile, condition: str) -> int:
    """Count the rows of a file that meet a condition in SQL."""
    with BulkReader([flat.path]) as reader:
        ((count,),) = reader.rows(f"SELECT count(*) FROM {flat.read} WHERE {condition}")
    return int(count)


def _few(columns: Sequence[str]) -> str:
    more = len(columns) - _SHOWN
    return ", ".join(columns[:_SHOWN]) + (f" and {more:,} more" if more > 0 else "")


def _moment(cell: str, timestamp: TimestampFormat) -> str:
    if timestamp.format is not None:
        return f"try_strptime(trim({cell}), {sql_literal(timestamp.format)})"
    if timestamp.unit == "since 1970":
        return moment_since_1970(cell)
    return moment_of(cell)


def _read_items(
    table: BulkTable, flat: FlatFile, mapping: TableMapping, domain: Domain
) -> list[ItemRow]:
    """Each item as the first row that names it describes it."""
    columns = list(_named_columns(mapping))
    cells = ", ".join(flat.cells[column] for column in columns)
    with BulkReader(table.files) as reader:
        rows = reader.rows(
            f"SELECT item_key, arg_min(told, place) FROM (SELECT item_key, [{cells}] AS told, "
            f"row_number() OVER () AS place FROM ({table.good_rows()})) "
            "GROUP BY item_key ORDER BY min(place)"
        )
    return [
        _item(key, dict(zip(columns, told, strict=True)), mapping, domain) for key, told in rows
    ]


def _item(key: str, told: dict[str, str], mapping: TableMapping, domain: Domain) -> ItemRow:
    at = mapping.columns
    title = clean_name(told[at.title or at.item]) if at.title or at.parts else ""
    creator = clean_name(told[at.creator]) if at.creator else ""
    written_year = told[at.year].strip() if at.year else ""
    year = int(written_year[:4]) if re.match(r"[12]\d{3}\b", written_year, re.ASCII) else None
    links = [
        link
        for one in mapping.attributes
        for link in genre_links(one.kind, _split(told[one.column], one.separator))
    ]
    maker = domain.kind_of("creator")
    if creator and maker and all(link.kind != maker for link in links):
        links.append(AttributeLink(kind=maker, name=creator))
    properties: dict[str, Scalar] = {name: clean_text(told[name]) for name in mapping.properties}
    properties.update((property_name(one), clean_name(told[one])) for one in at.parts_for(domain))
    if creator:
        properties["creator"] = creator
    return film_row(key, title or key, year, links, domain, properties, creator)


def _split(cell: str, separator: str | None) -> list[str]:
    """The names in a cell: a JSON list, or parted by the separator, or one."""
    try:
        names = msgspec.json.decode(cell, type=list[str])
    except (msgspec.DecodeError, msgspec.ValidationError):
        names = cell.split(separator) if separator else [cell]
    return [clean_name(name) for name in names]
