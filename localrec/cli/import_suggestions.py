"""`localrec import auto FILE --suggest OUT.toml`: the guess as a file to change; no import."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from localrec.cli.context import CommandContext, note
from localrec.cli.import_guesses import describe_table, open_beginning, open_whole
from localrec.cli.piped_files import PIPE
from localrec.data.records import Record
from localrec.foundation.errors import InputError, UsageError

if TYPE_CHECKING:
    from localrec.data.domains import Domain
    from localrec.sources.catalogues.records import RecordTable
    from localrec.sources.mapped_table import TableMapping


class SuggestOptions(msgspec.Struct, frozen=True):
    """The options of a guess that is written to a file.

    Args:
        named: The table as the user named it.
        out: The file to write.
        force: Replace it where it is there.
        domain: The domain that was named.
        user: The key of the user whom all rows belong to.
    """

    named: Path
    out: Path
    force: bool
    domain: str | None
    user: str | None


class Suggestion(msgspec.Struct, Record, frozen=True, kw_only=True):
    """A guess that was written to a file.

    Args:
        path: The file.
        kind: "table" for a mapping of what users did, "catalogue" for the columns of items.
        domain: The domain of the items, as far as it is told or guessed.
    """

    path: str
    kind: str
    domain: str | None


def write_suggestion(
    context: CommandContext, path: Path, options: SuggestOptions, fitting: Domain | None
) -> Suggestion:
    """Write down by which columns a table would be imported; nothing is imported.

    Args:
        context: The options of the command.
        path: The table; what came down a pipe lies in a file of its own.
        options: The options of the suggestion, with the file to write.
        fitting: The domain that was made for such tables, if there is one.

    Raises:
        UsageError: the file to write is there already.
        InputError: it is no table, or the guess cannot be written.
    """
    from localrec.sources.table_guess import mapping_text, propose_mapping

    _refuse_target(path, options)
    table = _open_table(path)
    if not context.as_json:
        describe_table(table)
    if known := _known_kind(path):
        note(f"{options.named.name} looks like {known}, which needs no mapping.")
    is_of_items = fitting is not None and options.user is None
    mapping = None if is_of_items else propose_mapping(table, options.user, options.domain)
    name: str | None
    if mapping is None:
        kind, (name, text) = "catalogue", _columns_of(open_whole(table), options.domain, fitting)
        advice = _advice_on_columns(options.named, name)
    else:
        kind, name = "table", options.domain or _domain_told(table)
        if str(options.named) == PIPE:
            mapping = msgspec.structs.replace(mapping, data=None)
        text, advice = mapping_text(mapping), _advice_on_mapping(mapping, name, options)
    _write(options.out, text)
    note(f"Written to {options.out}; nothing was imported. {advice}")
    return Suggestion(path=str(options.out), kind=kind, domain=name)


def _known_kind(path: Path) -> str:
    """The kind that a file is known by; "" where it is of none, or may be of several."""
    from localrec.sources import detect_kind

    try:
        return detect_kind(path)
    except InputError:
        return ""


def _domain_told(table: RecordTable) -> str | None:
    from localrec.sources.domain_words import domain_of_header

    return domain_of_header(table.path, table.columns)


def _advice_on_mapping(mapping: TableMapping, name: str | None, options: SuggestOptions) -> str:
    whose = f" --user {options.user}" if mapping.columns.user is None else ""
    command = (
        f"localrec import table {options.named} --mapping {options.out} --domain {name or 'NAME'}"
    )
    return f"Import by it: {command}{whose}"


def _advice_on_columns(path: Path, name: str) -> str:
    from localrec.graph.domain_files import is_known_domain

    if is_known_domain(name):
        return f"It tells which column fills what of {name}: localrec domains show {name}"
    command = f"localrec domains new {name} --from {path}"
    return f"Make the domain, and put the file into its folder as columns.toml: {command}"


def _refuse_target(path: Path, options: SuggestOptions) -> None:
    out = options.out
    if out.exists() and path.exists() and out.samefile(path):
        raise UsageError(f"{out} is the table itself.", "Name another file.")
    if out.exists() and not options.force:
        raise UsageError(f"{out} exists already.", "Name another file, or add --force.")


def _open_table(path: Path) -> RecordTable:
    """The beginning of a table.

    Raises:
        InputError: it is none; where it is of a known kind, that is the remedy.
    """
    from localrec.sources import detect_kind

    try:
        return open_beginning(path)
    except InputError as error:
        kind = detect_kind(path)  # refuses, where nothing is known of the file
        raise InputError(
            f"{path} looks like {kind}, which needs no mapping.",
            f"Import it: localrec import {kind} {path}",
        ) from error


def _columns_of(table: RecordTable, named: str | None, fitting: Domain | None) -> tuple[str, str]:
    """The name of the domain of a table of items, and its columns as TOML."""
    from localrec.foundation.toml_text import toml_text
    from localrec.graph.domain_files import known_domains, load_domain
    from localrec.sources.catalogues.catalogue_source import columns_for
    from localrec.sources.catalogues.proposal import propose_domain
    from localrec.workspace.own_domains import check_name, plain_record
    from localrec.workspace.table_domains import free_name_for

    if fitting is None and named in known_domains():
        fitting = load_domain(named)
    if fitting is not None:
        return fitting.name, toml_text(plain_record(columns_for(fitting, table)))
    name = check_name(named or free_name_for(table.path))
    return name, toml_text(plain_record(propose_domain(name, table).domain.columns))


def _write(path: Path, text: str) -> None:
    from localrec.foundation.atomic_files import write_atomically

    try:
        write_atomically(path, text.encode("utf-8"), private=False)
    except OSError as error:
        raise InputError(
            f"{path} cannot be written: {error.strerror}.", "Name another file."
        ) from error
