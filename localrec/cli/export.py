"""`localrec export`: what a person brought or made, out again in formats that others read."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from localrec.cli.context import DomainOption, command_context, note
from localrec.cli.piped_files import PIPE, to_pipe
from localrec.foundation.errors import UsageError

if TYPE_CHECKING:
    from localrec.export.records import ExportReport

EXAMPLES = """
Examples:\n\n
  localrec export --user me --out history.csv\n\n
  localrec export --user me --what profile --out me.json\n\n
  localrec export --user me --format letterboxd --out films.csv\n\n
  localrec export --what items --domain cocktails --out drinks.parquet\n\n
  localrec recommend --user me --json | localrec export --from - --out list.csv\n\n
  localrec export --user me --out - | head\n\n
  localrec export --domain movies --format recbole --split 8:1:1 --out films/
"""


_Out = Annotated[
    Path,
    typer.Option(metavar="PATH", help="The file (for recbole: the folder) to write; - for stdout."),
]
_What = Annotated[
    str | None,
    typer.Option(metavar="WHAT", help="history (the default), profile, items or list."),
]
_Format = Annotated[
    str | None,
    typer.Option(
        "--format",
        metavar="FORMAT",
        help="csv, json or parquet (else the file's suffix says it), recbole or letterboxd.",
    ),
]
_List = Annotated[
    str | None,
    typer.Option(
        "--from",
        metavar="LIST.json",
        help="The list that recommend --json or ask --json printed; - for stdin.",
    ),
]
_Split = Annotated[
    str | None,
    typer.Option(metavar="8:1:1", help="recbole: training, validation and test by time."),
]
_History = Annotated[
    int | None,
    typer.Option(metavar="N", min=1, help="recbole: only each person's newest N interactions."),
]


def export(
    out: _Out,
    user: Annotated[
        str | None, typer.Option(metavar="KEY", help="The user whose history or profile to write.")
    ] = None,
    what: _What = None,
    form: _Format = None,
    listed: _List = None,
    split: _Split = None,
    history: _History = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace files that are there already.")
    ] = False,
    domain: DomainOption = None,
) -> None:
    """Write a history, profile, catalogue or list to a file; forgetting does not reach there.

    In CSV, a text that a spreadsheet would run as a formula gets an apostrophe in front.
    """
    from localrec.export.exporter import run_export
    from localrec.export.plan import plan_export

    context = command_context()

    def write(path: Path) -> ExportReport:
        plan = plan_export(
            path,
            what=what,
            form=form,
            user=user,
            domain=domain,
            listed=listed,
            split=split,
            history=history,
            force=force,
        )
        with context.open_workspace() as opened:
            return run_export(opened.store, plan)

    if str(out) == PIPE:
        if context.as_json:
            raise UsageError("stdout holds the export itself.", "Leave --json out.")
        for line in to_pipe(form, write).notes:
            note(line)
        return
    report = write(out)
    if context.print_json(report):
        return
    for file in report.files:
        note(f"{file.rows:,} {'row' if file.rows == 1 else 'rows'} in {file.path}.")
    for line in report.notes:
        note(line)
