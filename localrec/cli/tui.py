"""`localrec tui`: the terminal app."""

from __future__ import annotations

import importlib.util
import sys

from localrec.cli.context import JsonOption, WorkspaceOption, context_of
from localrec.errors import UsageError

EXAMPLES = """
Examples:\n\n
  localrec tui\n\n
  localrec tui --workspace ~/films\n\n
  TEXTUAL_THEME=ansi-dark localrec tui\n\n
  NO_COLOR=1 localrec tui
"""


def tui(workspace: WorkspaceOption = None, as_json: JsonOption = False) -> None:
    """Open the app in this terminal: ask, see why, say what you think."""
    context = context_of(workspace, as_json)
    if context.as_json:
        raise UsageError("The app prints no JSON.", 'localrec ask "TEXT" --json')
    if importlib.util.find_spec("textual") is None:
        raise UsageError("The app needs Textual.", "pip install 'localrec[tui]'")
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise UsageError("The app needs a terminal.", "Line by line it goes: localrec ask --plain")
    from localrec_tui.app import LocalrecApp  # Textual takes 0.2 s

    LocalrecApp(context.workspace).run()
