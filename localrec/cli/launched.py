"""Commands that train, as one process or as one of several that were launched together."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from localrec.cli.context import Steps, progress

if TYPE_CHECKING:
    from localrec.progress import Progress
    from localrec.training.ranks import Ranks


@contextmanager
def launched(device: str, workspace: Path) -> Iterator[tuple[Ranks, Progress]]:
    """A block in which this process trains with its fellows; the leader alone shows progress.

    Args:
        device: Where training was asked for.
        workspace: Its folder.

    Raises:
        UsageError: the processes cannot train together.
    """
    from localrec.training.ranks import joined_ranks

    with joined_ranks(device, workspace) as ranks:
        if not ranks.leads:
            yield ranks, Steps()  # without a bar it is silent
            return
        with progress() as steps:
            yield ranks, steps
