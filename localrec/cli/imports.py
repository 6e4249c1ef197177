"""`localrec import`: catalogues and histories in."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from localrec.cli.background_index import index_in_background
from localrec.cli.context import (
    CommandContext,
    DomainOption,
    NewUserOption,
    command_context,
    console,
    note,
    progress,
    user_key,
)
from localrec.cli.import_dumps import is_dump, read_dump
from localrec.cli.import_guesses import GuessOptions, read_guessed
from localrec.cli.import_suggestions import SuggestOptions, write_suggestion
from localrec.cli.learn import learn_in_background
from localrec.cli.piped_files import PIPE, from_pipe
from localrec.foundation.errors import CutShortError, InputError, UsageError

if TYPE_CHECKING:
    from localrec.data.domains import Domain
    from localrec.data.rows import BulkHistory, CatalogueRows, HistoryRows, ImportReport
    from localrec.sources.amazon import Window

EXAMPLES = """
KIND is auto (told from the file), cocktails, goodreads, storygraph, letterboxd, imdb, netflix,
listenbrainz, lastfm, spotify, boardgamegeek, myanimelist, movielens, amazon, recbole, instructrec,
yelp, trakt, calibre, librarything, goodbooks, bookcrossing, barassistant, iba, mrboston, table or
catalogue; of open dumps imdbtitles, openlibrary and musicbrainz. docs/sources.md lists what is read
of each.\n\n
Examples:\n\n
  localrec import auto letterboxd-anna-2026-11-20.zip --user anna --dry-run\n\n
  localrec import goodreads goodreads_library_export.csv --user anna\n\n
  localrec import movielens ml-25m/\n\n
  localrec import amazon Video_Games/ --since 2022-10-01 --until 2023-11-01\n\n
  localrec import cocktails drinks.csv\n\n
  localrec import auto winemag.csv --domain wines\n\n
  zcat log.csv.gz | localrec import table - --mapping log.mapping.toml\n\n
  localrec import imdbtitles title.basics.tsv.gz
"""
_SHOWN = 20
SinceOption = Annotated[
    datetime | None,
    typer.Option(formats=["%Y-%m-%d"], metavar="DATE", help="amazon: rows from this day on (UTC)."),
]
UntilOption = Annotated[
    datetime | None,
    typer.Option(formats=["%Y-%m-%d"], metavar="DATE", help="amazon: rows before this day (UTC)."),
]
SuggestOption = Annotated[
    Path | None,
    typer.Option(metavar="FILE.toml", help="auto: write the guess to a file, and import nothing."),
]
ForceOption = Annotated[
    bool, typer.Option("--force", help="--suggest: replace the file that is there.")
]
LaterOption = Annotated[
    bool,
    typer.Option(
        "--index-later", help="Leave the vectors of new texts to localrec index (histories)."
    ),
]


def _known_kinds() -> list[str]:
    from localrec.sources import source_kinds

    return ["auto", *source_kinds()]


_User = Annotated[
    str | None,
    typer.Option("--user", metavar="KEY", help="The user whose export it is.", callback=user_key),
]


def import_(
    kind: Annotated[
        str, typer.Argument(help="The file's format; auto detects it.", autocompletion=_known_kinds)
    ],
    path: Annotated[Path, typer.Argument(help="The file, archive or folder to read; - for stdin.")],
    domain: DomainOption = None,
    user: _User = None,
    new_user: NewUserOption = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Report what would happen; change nothing.")
    ] = False,
    strict: Annotated[
        bool, typer.Option("--strict", help="Refuse the file at the first row that needs mending.")
    ] = False,
    accept: Annotated[
        bool, typer.Option("--accept", help="auto: import a table of no known format by its guess.")
    ] = False,
    suggest: SuggestOption = None,
    force: ForceOption = False,
    later: LaterOption = False,
    keep_all: Annotated[
        bool,
        typer.Option("--all", help="For a dump: keep items that are not here yet, too."),
    ] = False,
    since: SinceOption = None,
    until: UntilOption = None,
    mapping: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.toml", help="table: the file that maps columns to fields, in any folder."
        ),
    ] = None,
) -> None:
    """Read a catalogue or somebody's history: all of it, or nothing on a bad file."""
    context = command_context()
    if suggest is not None:
        options = SuggestOptions(path, suggest, force, domain, user)
        _suggest(context, options, is_import=kind != "auto" or accept)
        return
    guess = GuessOptions(accept, domain, user)
    if mapping is not None and kind != "table":
        raise UsageError(f"{kind} needs no mapping.", "--mapping goes with the kind table.")
    store = _storing(context, user, is_new=new_user, dry_run=dry_run, embed=not later)
    with _file_with_something(path) as file:
        if mapping is not None:
            mapped = (context, file, mapping, domain, user)
            report = _import_read(partial(_read_mapped, *mapped, strict=strict), store)
        else:
            known = _kind_and_domain(context, kind, file, domain, guess)
            if isinstance(known[0], str) and is_dump(known[0]):
                dump = (context, known[0], file, known[1])
                report = read_dump(*dump, keep_all=keep_all, dry_run=dry_run)
            else:
                read = partial(_read, known, file, user, _window(since, until), strict=strict)
                report = _import_read(read, store)
    if not context.print_json(report := _named_by_pipe(path, report)):
        _render(report)


def _suggest(context: CommandContext, options: SuggestOptions, *, is_import: bool) -> None:
    """Write down by which columns a table would be imported."""
    from localrec.graph.domain_files import use_domains_of

    if is_import:
        raise UsageError(
            "--suggest writes a guess and imports nothing.",
            "Give it alone: localrec import auto FILE --suggest FILE.toml",
        )
    use_domains_of(context.workspace)
    with _file_with_something(options.named) as file:
        fitting = _fitting_domain(context, file, options.domain)
        context.print_json(write_suggestion(context, file, options, fitting))


@contextmanager
def _file_with_something(path: Path) -> Iterator[Path]:
    """Inside the block, the file that was named or piped in; one without content is refused.

    Ctrl+C inside it ends in a sentence; what comes after the rows were stored says so itself.
    """
    from localrec.sources.foreign_files import refuse_nothing

    with from_pipe(path) as file:
        refuse_nothing(file)
        try:
            yield file
        except KeyboardInterrupt as stop:
            raise CutShortError(
                "interrupted; nothing half done was kept.", "Run the same command again."
            ) from stop


def _named_by_pipe(path: Path, report: ImportReport) -> ImportReport:
    """The receipt as it is told: what came down a pipe is named by the pipe."""
    import msgspec

    return msgspec.structs.replace(report, path=PIPE) if str(path) == PIPE else report


def _import_read(
    read: Callable[[], tuple[CatalogueRows | HistoryRows | BulkHistory, Domain]],
    store: Callable[..., ImportReport] | None,
) -> ImportReport:
    """Read, and store what was read; without a place to store it only the receipt is made."""
    import msgspec

    with progress() as steps:
        steps("reading", 0, 0)
        found, about = read()
        report = store(found, about, steps=steps) if store else found.report
    return msgspec.structs.replace(report, dry_run=store is None)


def _read(
    known: tuple[str | CatalogueRows | HistoryRows | BulkHistory, Domain],
    path: Path,
    user: str | None,
    window: Window | None,
    *,
    strict: bool,
) -> tuple[CatalogueRows | HistoryRows | BulkHistory, Domain]:
    """The rows of a file of a known kind, or those that an accepted guess has read."""
    from localrec.sources import open_source, read_export
    from localrec.sources.import_log import refuse_heavy_losses

    kind, about = known
    if not isinstance(kind, str):
        refuse_heavy_losses(kind.report, strict=strict)
        return kind, about
    source = open_source(kind)
    if getattr(source, "personal", False) and about.name != source.domain:
        raise UsageError(f"{kind} knows nothing of {about.name}.", "Leave --domain out.")
    try:
        return read_export(kind, path, about, user, window, strict=strict), about
    except InputError as error:
        raise _with_detected_kind(error, kind, path) from error


def _read_mapped(
    context: CommandContext,
    data: Path,
    mapping: Path,
    domain: str | None,
    user: str | None,
    *,
    strict: bool,
) -> tuple[CatalogueRows | HistoryRows | BulkHistory, Domain]:
    """The rows of a table by a mapping that need not lie beside it."""
    import msgspec

    from localrec.data.rows import BulkHistory
    from localrec.foundation.file_marks import marks_of, unchanged
    from localrec.graph.domain_files import load_domain, use_domains_of
    from localrec.sources.import_log import refuse_heavy_losses
    from localrec.sources.mapped_table import MappedTableSource, domain_of_mapped, read_mapping

    use_domains_of(context.workspace)
    told = read_mapping(mapping)
    about = load_domain(domain or domain_of_mapped(told, data))
    with unchanged(data):
        found = MappedTableSource().read_by(told, data, mapping, about, user)
        if isinstance(found, BulkHistory):
            found = msgspec.structs.replace(found, marks=marks_of(found.files))
    refuse_heavy_losses(found.report, strict=strict)
    return found, about


def _storing(
    context: CommandContext, user: str | None, *, is_new: bool, dry_run: bool, embed: bool
) -> Callable[..., ImportReport] | None:
    """Return what stores what was read; None in a dry run, which refuses the names it would."""
    from localrec.graph.item_lookup import meant_or_new
    from localrec.graph.journal import STORE

    if not dry_run:
        return partial(_store, context, who=(user, is_new), embed=embed)
    if user and (context.workspace / STORE).is_file():
        with context.open_workspace() as opened:
            meant_or_new(opened.store, user, is_new=is_new)
    return None


def _store(
    context: CommandContext,
    found: CatalogueRows | HistoryRows | BulkHistory,
    domain: Domain,
    *,
    who: tuple[str | None, bool],
    steps: Any,
    embed: bool,
) -> ImportReport:
    """Put into the workspace what was read; the receipt as it was stored."""
    from localrec.data.rows import BulkHistory, CatalogueRows
    from localrec.graph.item_lookup import meant_or_new
    from localrec.workspace.import_service import after_the_rows
    from localrec.workspace.own_domains import adopt_domain

    files = found.files if isinstance(found, BulkHistory) else ()
    user, is_new = who
    with context.open_workspace(writable=True, may_read=files) as opened:
        new = meant_or_new(opened.store, user, is_new=is_new) if user else ""
        adopt_domain(context.workspace, domain)
        if isinstance(found, CatalogueRows):
            report = opened.imports.import_items(found, domain, steps, embed=False)
        else:
            report = opened.imports.import_history(found, domain, user, steps, embed=False)
        with after_the_rows():
            waiting = opened.imports.prepare_vectors(domain, steps) if embed else 0
            if not isinstance(found, CatalogueRows):
                learn_in_background(opened, domain.name, imported=True)
    with after_the_rows():
        if waiting:
            index_in_background(context.workspace, domain.name, waiting)
    if new:
        note(new)
    return report


def _kind_and_domain(
    context: CommandContext, kind: str, path: Path, named: str | None, guess: GuessOptions
) -> tuple[str | CatalogueRows | HistoryRows | BulkHistory, Domain]:
    """The kind of a file and the domain of its items; or its rows, read by an accepted guess."""
    import msgspec

    from localrec.graph.domain_files import known_domains, load_domain, use_domains_of
    from localrec.sources import detect_kind, domain_of_file
    from localrec.workspace.table_domains import tells_of_users

    use_domains_of(context.workspace)
    if kind == "auto":
        fitting = _fitting_domain(context, path, named)
        if fitting is not None and guess.user is None and tells_of_users(path, fitting):
            guess = msgspec.structs.replace(guess, domain=fitting.name)
        elif fitting is not None and guess.user is None:
            note(f"{path.name} is a table of {fitting.plural}.")
            return "catalogue", fitting
        try:
            kind = detect_kind(path)
        except InputError as refusal:
            return read_guessed(context, path, guess, refusal)
        note(f"{path.name} looks like {kind}.")
    if named is not None:
        return kind, load_domain(named)
    if kind == "catalogue":
        found = _fitting_domain(context, path, None)
        if found is None:
            _require_records(path)
            raise UsageError(
                f"No domain of this workspace has the columns of {path.name}.",
                f"Name one ({', '.join(known_domains())}) with --domain, or make one: "
                f"localrec domains new NAME --from {path}",
            )
        return kind, found
    return kind, load_domain(domain_of_file(kind, path))


def _fitting_domain(context: CommandContext, path: Path, named: str | None) -> Domain | None:
    """The domain that was made for tables such as this one; None without one."""
    from localrec.graph.domain_files import known_domains, load_domain
    from localrec.sources.catalogues.records import open_records
    from localrec.workspace.own_domains import own_domain_names
    from localrec.workspace.table_domains import domain_of_table

    if named is not None:
        made = named in known_domains() and load_domain(named).columns is not None
        return load_domain(named) if made and path.is_file() else None
    if not path.is_file() or not own_domain_names(context.workspace):
        return None
    try:
        return domain_of_table(context.workspace, open_records(path))
    except InputError:
        return None


def _require_records(path: Path) -> None:
    """Refuse a file that is no table of items, before a domain is asked for.

    Raises:
        InputError: it cannot be read, or has no rows.
    """
    from localrec.sources.catalogues.records import open_records

    if path.is_file():
        open_records(path)


def _with_detected_kind(error: InputError, kind: str, path: Path) -> InputError:
    """The same refusal; where the file looks like another kind, that is the remedy."""
    from localrec.sources import detect_kind

    try:
        likeness = detect_kind(path)
    except InputError:
        return error
    if likeness == kind or likeness in error.hint:
        return error
    return InputError(error.message, f"It looks like {likeness}: import it as that.")


def _window(since: datetime | None, until: datetime | None) -> Window | None:
    from localrec.sources.amazon import Window

    return None if since is None and until is None else Window(since, until)


def _render(report: ImportReport) -> None:
    from rich.text import Text

    from localrec.foundation.prose import count_of
    from localrec.foundation.text import clean_text

    out = console()
    verb = "would be kept" if report.dry_run else "kept"
    out.print(
        Text(
            f"{count_of(report.read, 'row')} read, {report.kept:,} {verb}, "
            f"{report.merged:,} merged, {report.dropped:,} dropped."
        )
    )
    if report.found_again:
        out.print(Text(f"{report.found_again:,} of the items are in a catalogue here already."))
    for problem in report.gravest_problems()[:_SHOWN]:
        out.print(Text(f"  {clean_text(problem.as_line())}", style="dim"))
    if len(report.problems) > _SHOWN:
        out.print(Text(f"  … {len(report.problems) - _SHOWN:,} more with --json", style="dim"))
    for sentence in report.notes:
        out.print(Text(clean_text(sentence)))
