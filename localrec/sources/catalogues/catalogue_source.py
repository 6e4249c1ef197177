"""A table without users as a source: the items of a domain, by its columns."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec

from localrec.data.catalogue_columns import CatalogueColumns
from localrec.data.domains import Domain
from localrec.data.rows import CatalogueRows
from localrec.foundation.bounded_files import FileLimits
from localrec.foundation.errors import InputError
from localrec.sources.catalogues.catalogue_items import CatalogueReader
from localrec.sources.catalogues.proposal import propose_domain
from localrec.sources.catalogues.records import RecordTable, open_records
from localrec.sources.import_log import ImportLog
from localrec.sources.list_cells import is_missing
from localrec.sources.protocols import Field, FilePreview
from localrec.sources.table_notes import form_notes

_NAMELESS = re.compile(r"column \d+")  # what a column without a name is called
_SAME_KINDS = {"variety": "genre", "tag": "genre", "category": "genre", "style": "genre"}


class CatalogueSource:
    """Reads any table of items: CSV and its kin, JSON, JSON lines, Parquet."""

    kind = "catalogue"
    domain = "products"  # where nobody says otherwise and no domain of the workspace fits
    fields: tuple[Field, ...] = (
        Field("columns.toml: name, key", "the item's name, and its key where names are not enough"),
        Field("columns.toml: texts", "searchable texts"),
        Field("columns.toml: links", "links, with their values; lists are parted"),
        Field("columns.toml: numbers, flags, year", "properties that questions may bound"),
        Field("columns.toml: properties", "properties"),
        Field("columns.toml: ignored, and columns it does not name", "left out"),
    )

    def __init__(self, limits: FileLimits | None = None) -> None:
        self._limits = limits or FileLimits()

    def recognises(self, preview: FilePreview) -> bool:
        """Never by itself: `import auto` asks the domains of the workspace for their columns."""
        return False

    def read(self, path: Path, domain: Domain) -> CatalogueRows:
        """Read every record of the file.

        Raises:
            InputError: it cannot be read, or has no column for the names of items.
        """
        table = open_records(path, self._limits)
        columns = columns_for(domain, table)
        import_log = ImportLog(self.kind, path, domain.name)
        for sentence in _form_notes(table, columns):
            import_log.tell(sentence)
        found = CatalogueReader(domain, columns, table, import_log).read()
        if not found.items:
            raise InputError(
                f"{path} holds no item that can be kept: {import_log.first_drop()}.",
                "Each row needs a name.",
            )
        return found


def _form_notes(table: RecordTable, columns: CatalogueColumns) -> list[str]:
    """Write the receipt's notes on a table's encoding, its trailing commas and unknown columns."""
    nameless = [
        name
        for name in table.columns
        if _NAMELESS.fullmatch(name) and all(map(is_missing, table.column(name)))
    ]
    known = {*columns.named(), *columns.ignored, *nameless}
    unknown = [name for name in table.columns if name not in known]
    surplus = len(table.rows) if nameless else table.surplus
    return form_notes(table.encoding, surplus, unknown)


def columns_for(domain: Domain, table: RecordTable) -> CatalogueColumns:
    """The columns of a domain as they stand in a table; guessed where it declares none that fit."""
    if domain.columns is not None and fits(domain.columns, table):
        return domain.columns
    guessed = propose_domain(domain.name, table).domain
    assert guessed.columns is not None
    return _for_domain(domain, guessed, guessed.columns)


def fits(columns: CatalogueColumns, table: RecordTable) -> bool:
    """Whether a table has the columns that tell items apart, and most of the others."""
    here = set(table.columns)
    named = columns.named()
    return here.issuperset(columns.needed()) and len(here.intersection(named)) * 2 >= len(named)


def _for_domain(domain: Domain, guessed: Domain, columns: CatalogueColumns) -> CatalogueColumns:
    """Columns guessed from a table, in the kinds and numbers that a domain has."""
    links = {}
    properties = dict(columns.properties)
    for kind, one in columns.links.items():
        role = guessed.attributes[kind].role
        near = _SAME_KINDS.get(kind, "")
        told = kind if kind in domain.attributes else near if near in domain.attributes else None
        if told is None and role in ("creator",):
            told = domain.kind_of(role)
        if told is not None and told not in links:
            links[told] = one
        elif not one.flags:
            properties.update({_property(column): column for column in one.columns})
    numbers = {}
    for name, number in columns.numbers.items():
        spec = guessed.numbers[name]
        told = next(
            (
                ours
                for ours, their in domain.numbers.items()
                if ours == name or (their.says == spec.says and their.kind == spec.kind)
            ),
            None,
        )
        numbers[told or name] = number
    return msgspec.structs.replace(
        columns,
        links=links,
        numbers=numbers,
        properties=properties,
        flags={flag: column for flag, column in columns.flags.items() if flag in domain.flags},
    )


def _property(column: str) -> str:
    return "_".join(column.lower().split()).replace(".", "_")
