"""`localrec images`: pictures of items, taken in from a folder, described, listed and searched."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from localrec.cli.context import Commands, DomainOption, command_context, console, note, progress
from localrec.foundation.errors import UsageError

if TYPE_CHECKING:
    from localrec.data.domains import Domain
    from localrec.item_images.folder_import import ImageImportReport
    from localrec.workspace import OpenWorkspace

app = Commands(help="Pictures of items: add, describe, list, find.", no_args_is_help=True)
_SHOWN = 20
_ADD = """
A file belongs to the item whose key or name it bears; case, accents and separators do not matter.
Running again takes only what is new.\n\n
Examples:\n\n
  localrec images add photos/ --dry-run\n\n
  localrec images add photos/\n\n
  localrec images add posters/ --domain movies --column poster
"""
_DESCRIBE = """
Examples:\n\n
  localrec images describe --limit 20\n\n
  localrec images describe         # stop with Ctrl+C, run again to go on
"""
_FIND = """
Needs a model: localrec models use pictures FOLDER (see docs/pictures.md).\n\n
Examples:\n\n
  localrec images find "a tall blue drink with a cherry"\n\n
  localrec images find --image holiday.jpg -k 3
"""
LimitOption = Annotated[int | None, typer.Option(min=1, help="The most items to treat.")]


@app.command(epilog=_ADD)
def add(
    folder: Annotated[Path, typer.Argument(help="The folder that the pictures lie in.")],
    domain: DomainOption = None,
    column: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="Property of the items that names their file."),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Report what would happen; change nothing.")
    ] = False,
) -> None:
    """Take in a folder of pictures: small copies, without metadata, all that fit or none."""
    context = command_context()
    with _open_domain(domain, writable=not dry_run) as (opened, about), progress() as steps:
        report = opened.imports.import_images(
            folder, about, column=column, dry_run=dry_run, progress=steps
        )
    if not context.print_json(report):
        _render(report, about)


@app.command(epilog=_DESCRIBE)
def describe(
    limit: LimitOption = None,
    no_model: Annotated[
        bool,
        typer.Option(
            "--no-model", help="Use measured colours only, though a vision model is here."
        ),
    ] = False,
    domain: DomainOption = None,
) -> None:
    """Say what pictures show, for items whose looks nobody described; marked, resumable.

    By the vision model where one is bound (localrec models use vision), else by what is measured.
    """
    from localrec.workspace.item_pictures import describe_pictures

    context = command_context()
    with _open_domain(domain, writable=True) as (opened, about), progress() as steps:
        described = describe_pictures(opened, about, limit, steps, use_model=not no_model)
    if not context.print_json(described):
        note(
            f"{described.written} descriptions written; of {described.silent} pictures nothing "
            f"sure can be said; {described.left} left."
        )


@app.command("list")
def list_(domain: DomainOption = None) -> None:
    """List the items that have a picture, and who described how they look."""
    from localrec.graph.image_store import list_item_images

    context = command_context()
    with _open_domain(domain) as (opened, about):
        pictured = list_item_images(opened.store, about)
    if context.print_json(pictured):
        return
    from rich.table import Table

    table = Table("key", "name", "pixels", "looks described by", box=None)
    for one in pictured:
        table.add_row(one.key, one.name, f"{one.width} x {one.height}", one.described_by or "")
    console().print(table)


@app.command(epilog=_FIND)
def find(
    words: Annotated[
        str | None, typer.Argument(help="The thing that the pictures should show.")
    ] = None,
    image: Annotated[
        Path | None, typer.Option("--image", metavar="PICTURE", help="A picture to compare with.")
    ] = None,
    k: Annotated[int, typer.Option("-k", min=1, max=200, help="The number of items.")] = 10,
    domain: DomainOption = None,
) -> None:
    """Find items whose pictures are like another one, or show what words say."""
    from localrec.images.opening import open_image
    from localrec.workspace.item_pictures import find_by_picture

    if (words is None) == (image is None):
        raise UsageError(
            "A search takes either words or a picture.", "Give one: words, or --image PICTURE."
        )
    picture = None if image is None else open_image(image)
    context = command_context()
    with _open_domain(domain) as (opened, about):
        found = find_by_picture(opened, about, k, words=words or "", picture=picture)
    if context.print_json(found):
        return
    for one in found:
        console().print(f"{one.similarity:.3f}  {one.name}  ({one.key})")


@contextmanager
def _open_domain(
    domain: str | None, *, writable: bool = False
) -> Iterator[tuple[OpenWorkspace, Domain]]:
    """The workspace and the domain that is meant."""
    from localrec.graph.domain_files import load_domain
    from localrec.workspace.domain_choice import domain_of_question

    with command_context().open_workspace(writable=writable) as opened:
        yield opened, load_domain(domain_of_question(opened, "", domain))


def _render(report: ImageImportReport, domain: Domain) -> None:
    from rich.text import Text

    out = console()
    would = "would be" if report.dry_run else "were"
    out.print(
        Text(
            f"{report.read:,} files looked at: {report.fresh:,} pictures {would} taken in, "
            f"{report.unchanged:,} were here before, {report.dropped:,} files left out. "
            f"{report.without:,} {domain.plural} are without a picture."
        )
    )
    for problem in report.problems[:_SHOWN]:
        out.print(Text(f"  {problem.column}: {problem.problem}", style="dim"))
    if len(report.problems) > _SHOWN:
        out.print(Text(f"  … {len(report.problems) - _SHOWN:,} more with --json", style="dim"))
