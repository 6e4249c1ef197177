"""`localrec mcp`: a server for other programs on this desk, over standard input and output."""

from __future__ import annotations

import importlib.util

from localrec.cli.context import command_context
from localrec.foundation.errors import UsageError

EXAMPLES = """
A program that speaks the Model Context Protocol starts this command itself; it opens no port.
docs/mcp.md shows the entry for each.\n\n
Examples:\n\n
  localrec mcp --workspace ~/recommender
"""


def mcp() -> None:
    """Serve the workspace to another program: ask, recommend, rate, search, forget, by MCP."""
    context = command_context()
    if context.as_json:
        raise UsageError("The server speaks its own protocol.", "Leave --json out.")
    if importlib.util.find_spec("mcp") is None:
        raise UsageError("The server needs the package mcp.", "pip install 'localrec[mcp]'")
    from localrec.api.workspace import Workspace
    from localrec.mcp_server.server import make_server  # pydantic and anyio take a second

    with Workspace(context.workspace) as workspace:
        make_server(workspace).run("stdio")
