"""Where the program starts: a question goes to the warm helper of its workspace, if there is one.

Everything that happens before the helper is asked costs each question, so nothing is imported here
that Python has not loaded already: no Typer, no NumPy, no store. Without a helper the command runs
in this process (`localrec/cli/app.py`).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import NoReturn

from localrec.foundation.private_arguments import cover, unhide

SERVED = ("ask", "recommend")
# What reads other streams or files, or starts a model, is done by the command's own process.
_OWN_WORK = (
    *("--batch", "--out", "--plain", "--image", "--system", "--help", "--version", "-h"),
    "-",  # a question on stdin
)


def main() -> NoReturn:
    """Run the program and end this process with its exit code."""
    cover()
    sys.argv[1:] = unhide(sys.argv[1:])
    code = _ask_helper(sys.argv[1:])
    if code is None:
        code = _run_here()
    _leave(code)


def code_state() -> str:
    """Changes when localrec is installed anew: a helper of an older one declines."""
    return f"{__file__}:{os.stat(__file__).st_mtime_ns}"


def workspace_in(arguments: Sequence[str]) -> str | None:
    """Find the workspace of a command line that a helper may serve; None for every other one."""
    command, named = "", None
    place = 0
    while place < len(arguments):
        argument = arguments[place]
        if argument.partition("=")[0] in _OWN_WORK:
            return None
        if argument == "--workspace":
            place += 1
            named = arguments[place] if place < len(arguments) else None
        elif argument.startswith("--workspace="):
            named = argument.partition("=")[2]
        elif not command and not argument.startswith("-"):
            command = argument
        place += 1
    if command not in SERVED:
        return None
    if found := named or os.environ.get("LOCALREC_WORKSPACE"):
        return found
    from localrec.foundation.errors import LocalrecError
    from localrec.foundation.paths import default_workspace

    try:
        return str(default_workspace())
    except LocalrecError:
        return None


def _ask_helper(arguments: Sequence[str]) -> int | None:
    """Have the helper run a command line; None where there is none, or it does not want to."""
    if not hasattr(os, "getuid"):  # no Unix, no helper
        return None
    workspace = workspace_in(arguments)
    if workspace is None or not os.path.lexists(os.path.join(workspace, "warm.sock")):
        return None
    from localrec.cli.warm_socket import WarmRequest, is_there, send

    if not is_there(workspace):
        return None
    try:
        request = WarmRequest(
            kind="run",
            code=code_state(),
            folder=os.getcwd(),
            encoding=sys.stdout.encoding,
            arguments=tuple(arguments),
            environment=tuple(f"{name}={value}" for name, value in os.environ.items()),
        )
        streams = (sys.stdout.fileno(), sys.stderr.fileno())
        return send(workspace, request, streams)
    except KeyboardInterrupt:
        sys.stderr.write("localrec: interrupted; nothing half done was kept.\n")
        return 130
    except ConnectionError:
        sys.stderr.write(
            "localrec: The warm helper ended while it answered. Ask again; start another one: "
            "localrec warm\n"
        )
        return 3
    except (OSError, ValueError):  # no stdout, or no folder to be in
        return None


def _run_here() -> int:
    from localrec.cli.app import main as run_program

    try:
        run_program()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    return 0


def _leave(code: int) -> NoReturn:
    """End this process without taking apart what it read, object by object, for 0.1 s."""
    import atexit
    import threading

    others = [one for one in threading.enumerate() if one is not threading.main_thread()]
    if any(not one.daemon for one in others):
        sys.exit(code)
    atexit._run_exitfuncs()  # a store that is open when Python ends makes DuckDB complain
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BrokenPipeError:
            pass
        except (OSError, ValueError):  # a full disk: Python tells it at the usual end
            if stream is not None and not stream.closed:
                sys.exit(code)
    os._exit(code)
