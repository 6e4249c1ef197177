"""Vectors that an import left over: made in batches, or waited for where another process does."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from time import sleep
from typing import TYPE_CHECKING

from localrec.foundation.progress import Progress

if TYPE_CHECKING:
    from localrec.index.protocols import Embedder

_BETWEEN_LOOKS_S = 0.5
_PATIENCE_S = 600.0  # that work in the background waits for others to leave the store


def embed_pending(
    folder: Path, domain: str, progress: Progress, embedder: Embedder | None = None
) -> int:
    """Embed what an import left over, with the store free between the batches.

    Args:
        folder: The workspace.
        domain: The domain.
        progress: Called with the texts embedded and the texts to embed.
        embedder: Makes the vectors; by default the one that the settings name, in this process.

    Returns:
        How many texts were embedded.
    """
    from localrec.graph.domain_files import load_domain
    from localrec.graph.journal import open_settled
    from localrec.index.pending_vectors import embed_in_steps, read_pending
    from localrec.workspace import OpenWorkspace

    indexes = folder / "indexes"
    if read_pending(indexes, domain) is None:
        return 0
    with OpenWorkspace(folder) as opened:  # for its models; its store stays closed
        return embed_in_steps(
            lambda: open_settled(folder, read_only=False, wait_s=_PATIENCE_S),
            indexes,
            load_domain(domain),
            embedder or opened.models.embedder,
            lambda done, total: progress("embedding texts", done, total),
        )


def wait_for_vectors(
    folder: Path, domain: str, progress: Progress, notify: Callable[[str], None] = lambda text: None
) -> None:
    """Wait while another process makes the vectors of a domain.

    Args:
        folder: The workspace.
        domain: The domain.
        progress: Called with how far that process has come.
        notify: Called once with a sentence where there is something to wait for.
    """
    from localrec.index.pending_vectors import made_elsewhere

    indexes = folder / "indexes"
    if (other := made_elsewhere(indexes, domain)) is None:
        return
    notify(f"{other.as_sentence()} Waiting for them.")
    while other is not None:
        progress("embedding texts", other.done, other.total)
        sleep(_BETWEEN_LOOKS_S)
        other = made_elsewhere(indexes, domain)
