"""Vectors that a process in the background makes, one process for a domain."""

from __future__ import annotations

from pathlib import Path

from localrec.cli.context import CommandContext, note
from localrec.foundation.progress import Progress


def index_in_background(workspace: Path, domain: str, waiting: int) -> None:
    """Start `localrec index` for a domain, and say that answers work meanwhile."""
    from localrec.foundation.jobs import start_in_background
    from localrec.index.pending_vectors import made_elsewhere, tell_pending

    indexes = workspace / "indexes"
    if made_elsewhere(indexes, domain) is None:
        process = start_in_background(workspace, ["index", "--domain", domain])
        tell_pending(indexes, domain, 0, waiting, process)
    note(
        f"You can ask now. The vectors of {waiting:,} texts are made in the background; until they "
        "are there, texts are compared by spelling: localrec index --status"
    )


def wait_for_background(context: CommandContext, domain: str, progress: Progress) -> None:
    """Wait while another process makes the vectors of a domain, and show how far it has come."""
    from localrec.workspace.vector_work import wait_for_vectors

    wait_for_vectors(context.workspace, domain, progress, note)
