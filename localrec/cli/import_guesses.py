"""What `localrec import auto` says of a file of no known format, and what can be done with it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import msgspec

from localrec.cli.context import CommandContext, console, note
from localrec.foundation.errors import InputError

if TYPE_CHECKING:
    from localrec.data.domains import Domain
    from localrec.data.rows import BulkHistory, CatalogueRows, HistoryRows
    from localrec.sources.catalogues.records import RecordTable
    from localrec.sources.table_mapping import TableMapping

_History = TypeVar("_History", "HistoryRows", "BulkHistory")

# Lines beyond which a part tells what a table is, DuckDB reads it, and further columns of its
# items stay behind.
_MANY = 500_000


class GuessOptions(msgspec.Struct, frozen=True):
    """The user's options for a guess.

    Args:
        accept: Import by it at once.
        domain: The domain that was named.
        user: The key of the user whom all rows belong to.
    """

    accept: bool
    domain: str | None
    user: str | None


def read_guessed(
    context: CommandContext, path: Path, options: GuessOptions, refusal: InputError
) -> tuple[CatalogueRows | HistoryRows | BulkHistory, Domain]:
    """Explain a file of no known format, and read it by the guess if that was accepted.

    Raises:
        InputError: it is no table, or nobody accepted the guess; says what to do.
    """
    from localrec.sources.table_guess import propose_mapping

    try:
        table = open_beginning(path)
    except InputError as error:
        raise refusal from error
    if not context.as_json:
        describe_table(table)
    mapping = propose_mapping(table, options.user, options.domain)
    if mapping is None and options.user:
        raise InputError(
            f"{path} has no column that names what {options.user} rated or met.",
            "Call that column title, or write a mapping file: localrec help sources tells how.",
        )
    if mapping is None:
        return _as_catalogue(context, open_whole(table), options)
    return _as_history(context, table, mapping, options)


def open_beginning(path: Path) -> RecordTable:
    """Read as much of a table as tells what it is.

    Raises:
        InputError: it is no table.
    """
    from localrec.sources.catalogues.records import open_records

    return open_records(path, many=_MANY)


def open_whole(table: RecordTable) -> RecordTable:
    """Read all of a table of which the beginning was read."""
    from localrec.sources.catalogues.records import open_records

    return open_records(table.path) if table.is_part else table


def _as_history(
    context: CommandContext, table: RecordTable, mapping: TableMapping, options: GuessOptions
) -> tuple[HistoryRows | BulkHistory, Domain]:
    from localrec.sources.domain_words import domain_of_header
    from localrec.sources.import_log import refuse_heavy_losses
    from localrec.sources.mapped_table import MappedTableSource
    from localrec.sources.table_guess import mapping_text
    from localrec.sources.table_history import read_history

    path = table.path
    name = options.domain or domain_of_header(path, table.columns)
    text = mapping_text(mapping)
    if not context.as_json:
        about = f", with {name} as the domain" if name else ""
        note(f"It tells what users did. A mapping for it{about}:\n\n{text}")
    if name is None or not options.accept:
        shown = f" --domain {name or 'NAME'}" if options.domain is None else ""
        known = (
            "" if name else "; NAME is books, movies, music ... or a new one, such as board-games"
        )
        raise InputError(
            f"{table.path} is in no format that is known by name.",
            f"Import it by this mapping: localrec import auto {table.path} --accept{shown}{known}",
        )
    domain = _domain_of_history(name, table, mapping)
    if table.is_part and domain.columns is None:
        try:
            bulk = MappedTableSource().read_by(mapping, path, path, domain, options.user)
            refuse_heavy_losses(bulk.report)
        except InputError:  # titles above the header, ratings such as 8/10: row by row, then
            note(f"{path.name} is read row by row, which takes longer.")
        else:
            return _with_form_notes(bulk, table), domain
    found = read_history(open_whole(table), mapping, domain, options.user)
    refuse_heavy_losses(found.report)
    return _with_form_notes(found, table), domain


def _with_form_notes(found: _History, table: RecordTable) -> _History:
    """Add the notes on the table's encoding and trailing commas to the receipt."""
    from localrec.sources.table_notes import form_notes

    notes = (*form_notes(table.encoding, table.surplus, ()), *found.report.notes)
    report = msgspec.structs.replace(found.report, notes=notes)
    return msgspec.structs.replace(found, report=report)


def _domain_of_history(name: str, table: RecordTable, mapping: TableMapping) -> Domain:
    """A domain that there is, or a new one for the items of a table."""
    from localrec.graph.domain_files import known_domains, load_domain
    from localrec.sources.catalogues.proposal import propose_domain
    from localrec.sources.table_history import items_of
    from localrec.workspace.own_domains import check_name

    if name in known_domains() or "/" in name:
        return load_domain(name)
    return propose_domain(check_name(name), items_of(table, mapping)).domain


def _as_catalogue(
    context: CommandContext, table: RecordTable, options: GuessOptions
) -> tuple[CatalogueRows, Domain]:
    from localrec.cli.domains import show_proposal
    from localrec.graph.domain_files import known_domains, load_domain
    from localrec.sources import read_export
    from localrec.sources.catalogues.proposal import propose_domain
    from localrec.workspace.own_domains import check_name
    from localrec.workspace.table_domains import free_name_for

    name = options.domain or free_name_for(table.path)
    is_known = options.domain is not None and name in known_domains()
    if is_known:
        domain = load_domain(name)
    else:
        proposal = propose_domain(check_name(name), table)
        domain = proposal.domain
        if not context.as_json:
            show_proposal(proposal, table)
    if not options.accept and not is_known:
        raise InputError(
            f"{table.path} is a table without users: a catalogue.",
            f"Keep this domain: localrec domains new {name} --from {table.path}; or do both at "
            f"once: localrec import auto {table.path} --domain {name} --accept. Where it is what "
            "one person did, say whose: --user KEY",
        )
    return read_export("catalogue", table.path, domain), domain  # type: ignore[return-value]


def describe_table(table: RecordTable) -> None:
    """Tell what a table is, the first values of its columns, and what known formats are near."""
    from rich.table import Table
    from rich.text import Text

    from localrec.foundation.prose import count_of
    from localrec.foundation.text import clean_text
    from localrec.sources.near_kinds import nearest_kinds

    out = console(to_stderr=True)
    out.print(
        Text(
            f"{table.path.name} is {table.layout}: {'more than ' if table.is_part else ''}"
            f"{count_of(len(table.rows), 'row')} and {count_of(len(table.columns), 'column')}."
        )
    )
    shown = Table("column", "first values", box=None)
    for place, column in enumerate(table.columns[:40]):
        values = [clean_text(cells[place])[:24] for _, cells in table.rows[:4]]
        shown.add_row(Text(column), Text(", ".join(filter(None, values))[:80]))
    out.print(shown)

    for near in nearest_kinds(table):
        note(near.as_sentence())
