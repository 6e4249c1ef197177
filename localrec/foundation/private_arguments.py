"""Arguments of a command that localrec starts itself, kept out of the list of processes.

Every user of a machine may read the command lines of all processes, which would name a person, a
file or a question. So a command that another one starts shows its first word alone, and finds the
others in its environment, which only its owner may read. Nothing heavy is imported here, since
every command asks.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

ARGUMENTS_VARIABLE = "LOCALREC_ARGUMENTS"


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
