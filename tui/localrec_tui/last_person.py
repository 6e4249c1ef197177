"""Who sat here last, so that the next run begins with them.

One JSON string in the workspace, readable by its owner alone. It is a `.jsonl` so that forgetting
the person takes out their line (`erasure/sweep.py` goes through every such file).
"""

from __future__ import annotations

import os
from pathlib import Path

import msgspec

from localrec.paths import make_private

FILE = "person.jsonl"


def load_last_person(folder: Path) -> str | None:
    """The key of whoever sat here last; None for nobody, or where it cannot be read."""
    try:
        [line] = (folder / FILE).read_bytes().splitlines()
        return msgspec.json.decode(line, type=str) or None
    except (OSError, ValueError, msgspec.DecodeError):
        return None


def save_last_person(folder: Path, person: str | None) -> None:
    """Remember who sits here; None forgets whoever did.

    Raises:
        OSError, WorkspaceError: it cannot be written.
    """
    path = folder / FILE
    if person is None:
        path.unlink(missing_ok=True)
        return
    part = make_private(folder) / f"{FILE}.part"
    with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        file.write(msgspec.json.encode(person) + b"\n")
    part.replace(path)
