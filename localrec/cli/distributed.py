"""Commands that train, as one process or as one of several that were launched together."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from localrec.cli.context import ProgressBar, progress

if TYPE_CHECKING:
    from localrec.foundation.progress import Progress
    from localrec.training.jobs.distributed import DistributedContext


@contextmanager
def distributed_training(
    device: str, workspace: Path
) -> Iterator[tuple[DistributedContext, Progress]]:
    """A block in which this process trains with its fellows; the leader alone shows progress.

    Args:
        device: The requested device.
        workspace: Its folder.

    Raises:
        UsageError: the processes cannot train together.
    """
    from localrec.training.jobs.distributed import join_process_group

    with join_process_group(device, workspace) as ranks:
        if not ranks.is_main:
            yield ranks, ProgressBar()  # without a bar it is silent
            return
        with progress() as steps:
            yield ranks, steps
