"""`localrec tui`: the terminal app."""

from __future__ import annotations

import importlib.util
import os
import sys
from typing import Annotated

import typer

from localrec.cli.context import CommandContext, command_context
from localrec.foundation.errors import UsageError

EXAMPLES = """
Examples:\n\n
  localrec tui\n\n
  localrec tui --workspace ~/films\n\n
  TEXTUAL_THEME=ansi-dark localrec tui\n\n
  NO_COLOR=1 localrec tui\n\n
  LOCALREC_PICTURES=pixels localrec tui\n\n
  localrec tui --serve --port 8000
"""


def tui(
    serve: Annotated[
        bool, typer.Option("--serve", help="Show it in a browser on this machine, and only there.")
    ] = False,
    port: Annotated[
        int, typer.Option(min=1024, max=65535, help="The port that --serve listens on.")
    ] = 8000,
) -> None:
    """Open the app in this terminal: ask, see why, say what you think."""
    context = command_context()
    if context.as_json:
        raise UsageError("The app prints no JSON.", 'localrec ask "TEXT" --json')
    if importlib.util.find_spec("textual") is None:
        raise UsageError("The app needs Textual.", "pip install 'localrec[tui]'")
    if serve:
        _serve(context, port)
        return
    is_served = "TEXTUAL_DRIVER" in os.environ  # by textual-serve, which is no terminal
    if not is_served and not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise UsageError("The app needs a terminal.", "Line by line it goes: localrec ask --plain")
    from localrec_tui.pixel_pictures import ask_terminal

    pixel_widget = None if is_served else ask_terminal(os.environ)
    from localrec_tui.app import LocalrecApp  # Textual takes 0.2 s

    app = LocalrecApp(context.workspace)
    app.pixel_widget = pixel_widget
    app.run()


def _serve(context: CommandContext, port: int) -> None:
    if importlib.util.find_spec("textual_serve") is None:
        raise UsageError("A browser needs textual-serve.", "pip install 'localrec[serve]'")
    from localrec_tui import web_server

    try:
        web_server.serve(context.workspace, port)
    except OSError as error:
        raise UsageError(
            f"Port {port} cannot be served: {error.strerror}.", "Give --port another number."
        ) from error
