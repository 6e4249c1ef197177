"""Arguments of commands, kept out of the list of processes.

Every user of a machine may read the command lines of all processes, which would name a person, a
file or a question. So a command that another one starts shows its first word alone, and finds the
others in its environment, which only its owner may read. One that somebody typed overwrites them as
soon as it runs, where the system keeps them in its memory. Nothing heavy is imported here, since
every command asks.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

ARGUMENTS_VARIABLE = "LOCALREC_ARGUMENTS"
_ARG_START = 48 - 3  # of the fields of /proc/PID/stat, counted behind the program's name


def hide(arguments: Sequence[str]) -> dict[str, str]:
    """Write arguments as the variable that a command started with it reads."""
    import json

    return {ARGUMENTS_VARIABLE: json.dumps(list(arguments))}


def unhide(shown: Sequence[str]) -> list[str]:
    """Return the arguments that were hidden, once, or else those that are shown.

    What this process starts in turn does not find them any more. A variable that somebody else set
    is not heard: what is hidden must contain the one word that is shown.

    Args:
        shown: The arguments of this process, without its name.
    """
    written = os.environ.pop(ARGUMENTS_VARIABLE, None)
    if written is None or len(shown) != 1:
        return list(shown)
    import json

    try:
        hidden = json.loads(written)
    except ValueError:
        return list(shown)
    whole = isinstance(hidden, list) and all(isinstance(one, str) for one in hidden)
    return hidden if whole and shown[0] in hidden else list(shown)


def cover() -> None:
    """Overwrite the words of this process's command line, but the first, for who lists processes.

    To be called before `sys.argv` changes, which keeps them. Linux alone shows a process's own
    memory; elsewhere, and where that is forbidden, nothing happens.
    """
    mine = [os.fsencode(word) for word in sys.argv[1:]]
    kept = mine[:1] if mine and not mine[0].startswith(b"-") else []
    if sys.platform != "linux" or mine == kept:
        return
    try:
        shown = _read("/proc/self/cmdline")
        hidden = b"".join(word + b"\0" for word in mine[len(kept) :])
        if not shown.endswith(hidden):
            return
        fields = _read("/proc/self/stat").rpartition(b")")[2].split()
        begin = int(fields[_ARG_START]) + len(shown) - len(hidden)
        memory = os.open("/proc/self/mem", os.O_WRONLY)
        try:
            os.pwrite(memory, bytes(len(hidden)), begin)
        finally:
            os.close(memory)
    except (OSError, ValueError, IndexError):
        return


def _read(path: str) -> bytes:
    with open(path, "rb") as file:  # noqa: PTH123 - pathlib is not loaded yet
        return file.read()
