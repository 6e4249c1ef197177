"""Options of the commands whose work an engine can share out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from localrec.cli.context import note
from localrec.engines.execution import EngineName

if TYPE_CHECKING:
    from localrec.engines.protocol import Engine

EngineOption = Annotated[
    EngineName,
    typer.Option("--engine", help="Work in this process, or by workers of Ray (an extra)."),
]
WorkersOption = Annotated[
    int | None,
    typer.Option(
        "--workers", min=1, metavar="N", help="Workers of Ray; by default one for each core."
    ),
]
AddressOption = Annotated[
    str | None,
    typer.Option(
        "--address",
        metavar="ADDRESS",
        help="Address of a running Ray cluster, whose machines have the same Python and "
        "localrec installed; by default one is started on this machine, for this run alone.",
    ),
]


def note_redone(engine: Engine) -> None:
    """Say how much was done again because its worker was lost."""
    if engine.redone:
        note(f"{engine.redone} chunks of the work were done again: their Ray worker was lost.")
