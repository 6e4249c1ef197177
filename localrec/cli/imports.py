"""`localrec import` and `localrec index`: catalogues in, vectors brought up to date."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from localrec.cli.context import (
    DomainOption,
    JsonOption,
    WorkspaceOption,
    console,
    context_of,
    note,
    print_json,
    progress,
)

if TYPE_CHECKING:
    from localrec.types import ImportReport

EXAMPLES = """
Examples:\n\n
  localrec import cocktails drinks.csv --dry-run\n\n
  localrec import cocktails drinks.csv\n\n
  localrec import recbole ml-100k/ --domain movies
"""
_SHOWN = 20
_DOMAIN_OF_KIND = {"cocktails": "cocktails", "drinks": "cocktails", "recbole": "movies"}


def import_(
    kind: Annotated[str, typer.Argument(help="cocktails or recbole.")],
    path: Annotated[Path, typer.Argument(help="The file or folder to read.")],
    domain: DomainOption = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Report what would happen; change nothing.")
    ] = False,
    workspace: WorkspaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Read someone's catalogue into the workspace: all of it, or nothing on a bad file."""
    import msgspec

    from localrec.domains import load_domain
    from localrec.sources import open_source
    from localrec.workspace import Workspace

    context = context_of(workspace, as_json)
    source = open_source(kind)
    about = load_domain(domain or _DOMAIN_OF_KIND[kind])
    with progress() as steps:
        steps("reading", 0, 0)
        table = source.read(path, about)
        if not dry_run:
            with Workspace(context.workspace, writable=True) as opened:
                opened.take_in(table, about, steps)
    report = msgspec.structs.replace(table.report, dry_run=dry_run)
    if context.as_json:
        print_json(report)
    else:
        _render(report)


def index(
    workspace: WorkspaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Bring vectors and index files in line with the texts (after a change of embedder, say)."""
    from localrec.domains import load_domain
    from localrec.workspace import Workspace

    context = context_of(workspace, as_json)
    embedded = {}
    with Workspace(context.workspace, writable=True) as opened, progress() as steps:
        for name in opened.domains():
            embedded[name] = opened.embed(load_domain(name), steps)
    if context.as_json:
        print_json(embedded)
    else:
        note(", ".join(f"{name}: {count} texts embedded" for name, count in embedded.items()))


def _render(report: ImportReport) -> None:
    from rich.text import Text

    out = console()
    verb = "would be kept" if report.dry_run else "kept"
    out.print(
        Text(
            f"{report.read} rows read, {report.kept} {verb}, {report.merged} merged, "
            f"{report.dropped} dropped."
        )
    )
    for problem in report.problems[:_SHOWN]:
        place = f"row {problem.row}" + (f", {problem.column}" if problem.column else "")
        out.print(Text(f"  {place}: {problem.action}: {problem.problem}", style="dim"))
    if len(report.problems) > _SHOWN:
        out.print(Text(f"  … {len(report.problems) - _SHOWN} more with --json", style="dim"))
