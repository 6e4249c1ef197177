"""`localrec import` and `localrec index`: catalogues and histories in, vectors up to date."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from localrec.cli.context import DomainOption, command_context, console, note, progress, user_key
from localrec.cli.learn import learn_in_background
from localrec.foundation.errors import InputError, UsageError

if TYPE_CHECKING:
    from localrec.data.rows import ImportReport
    from localrec.sources.amazon import Window

EXAMPLES = """
KIND is auto (told from the file), cocktails, goodreads, storygraph, letterboxd, imdb, netflix,
listenbrainz, lastfm, spotify, boardgamegeek, myanimelist, movielens, amazon, recbole, instructrec,
yelp or table. docs/sources.md lists what is read of each.\n\n
Examples:\n\n
  localrec import auto letterboxd-anna-2026-11-20.zip --user anna --dry-run\n\n
  localrec import goodreads goodreads_library_export.csv --user anna\n\n
  localrec import movielens ml-25m/\n\n
  localrec import amazon Video_Games/ --since 2022-10-01 --until 2023-11-01\n\n
  localrec import cocktails drinks.csv
"""
_SHOWN = 20
DayOption = Annotated[
    datetime | None,
    typer.Option(formats=["%Y-%m-%d"], metavar="DATE", help="amazon only: a window of time, UTC."),
]


def _known_kinds() -> list[str]:
    from localrec.sources import source_kinds

    return ["auto", *source_kinds()]


def import_(
    kind: Annotated[
        str, typer.Argument(help="What the file is; auto looks.", autocompletion=_known_kinds)
    ],
    path: Annotated[Path, typer.Argument(help="The file, archive or folder to read.")],
    domain: DomainOption = None,
    user: Annotated[
        str | None,
        typer.Option("--user", metavar="KEY", help="Whose export it is.", callback=user_key),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Report what would happen; change nothing.")
    ] = False,
    later: Annotated[
        bool,
        typer.Option(
            "--index-later", help="Leave the vectors of new texts to localrec index (histories)."
        ),
    ] = False,
    since: DayOption = None,
    until: DayOption = None,
) -> None:
    """Read a catalogue or somebody's history: all of it, or nothing on a bad file."""
    import msgspec

    from localrec.data.rows import BulkHistory, CatalogueRows
    from localrec.graph.domain_files import load_domain
    from localrec.sources import open_source, read_export

    context = command_context()
    kind = _detected_kind(path) if kind == "auto" else kind
    source = open_source(kind)
    about = load_domain(domain or source.domain)
    if getattr(source, "personal", False) and about.name != source.domain:
        raise UsageError(f"{kind} knows nothing of {about.name}.", "Leave --domain out.")
    with progress() as steps:
        steps("reading", 0, 0)
        try:
            found = read_export(kind, path, about, user, _window(since, until))
        except InputError as error:
            raise _with_detected_kind(error, kind, path) from error
        report = found.report
        if not dry_run:
            files = found.files if isinstance(found, BulkHistory) else ()
            with context.open_workspace(writable=True, may_read=files) as opened:
                if isinstance(found, CatalogueRows):
                    opened.imports.import_items(found, about, steps)
                else:
                    report = opened.imports.import_history(
                        found, about, user, steps, embed=not later
                    )
                    learn_in_background(opened, about.name)
    report = msgspec.structs.replace(report, dry_run=dry_run)
    if not context.print_json(report):
        _render(report)


def _detected_kind(path: Path) -> str:
    """The kind that a file looks like, said aloud."""
    from localrec.sources import detect_kind

    kind = detect_kind(path)
    note(f"{path.name} looks like {kind}.")
    return kind


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


def index() -> None:
    """Bring vectors and index files in line with the texts (after a change of embedder, say)."""
    from localrec.graph.domain_files import load_domain

    context = command_context()
    embedded = {}
    with context.open_workspace(writable=True) as opened, progress() as steps:
        for name in opened.domains():
            embedded[name] = opened.imports.embed_texts(load_domain(name), steps)
    if not context.print_json(embedded):
        note(", ".join(f"{name}: {count} texts embedded" for name, count in embedded.items()))


def _render(report: ImportReport) -> None:
    from rich.text import Text

    from localrec.foundation.text import clean_text

    out = console()
    verb = "would be kept" if report.dry_run else "kept"
    rows = "row" if report.read == 1 else "rows"
    out.print(
        Text(
            f"{report.read:,} {rows} read, {report.kept:,} {verb}, {report.merged:,} merged, "
            f"{report.dropped:,} dropped."
        )
    )
    if report.found_again:
        out.print(Text(f"{report.found_again:,} of the items are in a catalogue here already."))
    for problem in report.problems[:_SHOWN]:
        place = f"row {problem.row:,}" + (f", {problem.column}" if problem.column else "")
        told = clean_text(f"{place}: {problem.action}: {problem.problem}")
        out.print(Text(f"  {told}", style="dim"))
    if len(report.problems) > _SHOWN:
        out.print(Text(f"  … {len(report.problems) - _SHOWN:,} more with --json", style="dim"))
    for sentence in report.notes:
        out.print(Text(clean_text(sentence)))
