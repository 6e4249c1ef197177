"""Vectors that a process in the background makes, one process for a domain."""

from __future__ import annotations

from pathlib import Path

from localrec.cli.context import CommandContext, note


def index_in_background(workspace: Path, domain: str, waiting: int) -> None:
    """Start `localrec index` for a domain, and say that answers work meanwhile."""
    from localrec.foundation.jobs import start_in_background
    from localrec.index.pending_vectors import made_elsewhere

    if made_elsewhere(workspace / "indexes", domain) is None:
        start_in_background(workspace, ["index", "--domain", domain])
    note(
        f"You can ask now. The vectors of {waiting:,} texts are made in the background; until they "
        "are there, texts are compared by spelling: localrec index --status"
    )


def is_made_elsewhere(context: CommandContext, name: str) -> bool:
    """Whether another process makes the vectors of a domain already; says how far it has come."""
    from localrec.index.pending_vectors import made_elsewhere

    other = made_elsewhere(context.workspace / "indexes", name)
    if other is not None:
        note(other.as_sentence())
    return other is not None
