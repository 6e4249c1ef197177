"""`localrec warm`: a helper that keeps a workspace in memory, so that answers begin at once."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Annotated

import typer

from localrec.cli.context import command_context, note
from localrec.foundation.errors import LocalrecError, UsageError, WorkspaceError

if TYPE_CHECKING:
    from pathlib import Path

EXAMPLES = """
Examples:\n\n
  localrec warm\n\n
  localrec warm --minutes 120\n\n
  localrec warm --status\n\n
  localrec warm --stop
"""
_STARTING_S = 60.0
_LOOK_S = 0.05


def warm(
    stop: Annotated[bool, typer.Option("--stop", help="End the helper.")] = False,
    status: Annotated[bool, typer.Option("--status", help="Say whether one is there.")] = False,
    minutes: Annotated[
        int,
        typer.Option(
            min=1, max=10_000, metavar="N", help="Minutes without a question after which it ends."
        ),
    ] = 30,
    here: Annotated[bool, typer.Option("--here", hidden=True)] = False,
) -> None:
    """Keep the workspace in memory, so that ask and recommend answer at once.

    A helper stays in the background and serves these two commands, as long as they name no other
    system, no picture and no batch. It listens on a file of the workspace that only you can open,
    never on a network, notices what is written or forgotten, and ends when nobody asks for a while.
    """
    context = command_context()
    folder = context.workspace
    if not hasattr(os, "getuid"):
        raise UsageError("The warm helper needs Unix sockets, which this system does not have.")
    if here:
        from localrec.cli.warm_server import serve

        serve(folder, 60.0 * minutes)
        return
    running = _reached(folder, "stop" if stop else "ping")
    if stop or status:
        is_running = _ended(folder) if stop and running else running
    else:
        is_running = running or _start(folder, minutes)
    if not context.print_json({"running": is_running and not stop}):
        note(_status_sentence(running, stop=stop, status=status, minutes=minutes))


def _status_sentence(running: bool, *, stop: bool, status: bool, minutes: int) -> str:
    if stop:
        return "The warm helper has ended." if running else "There was no warm helper."
    if status:
        return "The warm helper is there." if running else "There is no warm helper."
    if running:
        return "The warm helper is there already. End it: localrec warm --stop"
    return (
        f"The warm helper is there, until nobody asks for {minutes} minutes. End it: "
        "localrec warm --stop"
    )


def _start(folder: Path, minutes: int) -> bool:
    from localrec.foundation.jobs import start_in_background

    with command_context().open_workspace() as opened:
        if not opened.domains():
            raise WorkspaceError(
                f"There is no catalogue in {folder} yet.",
                "Put one in: localrec datasets pull cocktails",
            )
    arguments = ["warm", "--here", "--minutes", str(minutes)]
    start_in_background(folder, arguments, patient=False)
    begun = time.monotonic()
    while not _reached(folder, "ping"):
        if time.monotonic() - begun > _STARTING_S:
            raise LocalrecError("The warm helper does not start.", "See why: localrec warm --here")
        time.sleep(_LOOK_S)
    return True


def _ended(folder: Path) -> bool:
    from localrec.cli.warm_socket import is_there

    begun = time.monotonic()
    while is_there(str(folder)) and time.monotonic() - begun < _STARTING_S:
        time.sleep(_LOOK_S)
    return True


def _reached(folder: Path, kind: str) -> bool:
    from localrec.cli.start import code_state
    from localrec.cli.warm_socket import WarmRequest, is_there, send

    if not is_there(str(folder)):
        return False
    try:
        return send(str(folder), WarmRequest(kind=kind, code=code_state())) == 0
    except OSError:
        return False
