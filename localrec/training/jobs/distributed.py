"""Train one adapter in several processes, such as one for each GPU.

    accelerate launch --num_processes 4 -m localrec train grpo --device cuda ...

The launcher starts the same command several times and tells each process its place by environment
variables. Each process does its share of a step and the gradients are averaged, so all optimisers
do the same and no weights are sent. The first process alone writes into the run's folder.

Processes exchange numbers and JSON, over the loopback device of one machine; they find each other
by a file in the workspace. The variables are removed before other libraries see them: TRL trains in
each process as if it were alone, and this module averages.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from localrec.foundation.errors import UsageError
from localrec.foundation.paths import make_private
from localrec.training.jobs.training_runs import Checkpoint, TrainingRun, open_run
from localrec.training.libraries import training_libraries

if TYPE_CHECKING:
    import torch

_RANK, _SIZE, _HERE = "RANK", "WORLD_SIZE", "LOCAL_RANK"
_LAUNCHED = (_RANK, _SIZE, _HERE, "LOCAL_WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT")
_LOOPBACK = ("GLOO_SOCKET_IFNAME", "NCCL_SOCKET_IFNAME")
_ARRIVAL = timedelta(minutes=2)  # they were started at once
_PATIENCE = timedelta(hours=12)  # the others wait while the leader validates
_Value = TypeVar("_Value")


class DistributedContext:
    """The place of this process in the process group.

    Args:
        rank: From 0; that of the leader.
        size: The number of processes.
        device: Number of this process's GPU.
    """

    def __init__(self, rank: int = 0, size: int = 1, device: int = 0) -> None:
        self.rank = rank
        self.size = size
        self._device = device

    @property
    def is_main(self) -> bool:
        """Whether this process writes what is kept."""
        return self.rank == 0

    def device(self, wanted: str) -> str:
        """Return the device of this process for a requested device."""
        several = self.size > 1 and wanted == "cuda"
        return f"cuda:{self._device}" if several else wanted

    def share(self, all_of_them: list[_Value]) -> list[_Value]:
        """Return this process's part; neighbours stay together, since they may share a prefix."""
        begin, end = (len(all_of_them) * at // self.size for at in (self.rank, self.rank + 1))
        return all_of_them[begin:end]

    def holding(self, run: TrainingRun) -> AbstractContextManager[None]:
        """Hold the lock of a run in the main process inside the block.

        Raises:
            BusyError: another training does.
        """
        return run.training() if self.is_main else nullcontext()

    def created(self, path: Path, create: Callable[[], TrainingRun]) -> TrainingRun:
        """Create a new run in the main process.

        Args:
            path: Folder of the run.
            create: Makes it.
        """
        made = create() if self.is_main else None
        self.wait()
        return made or open_run(path)

    def begin(self, run: TrainingRun, steps: int) -> Checkpoint | None:
        """Prepare a run for this many steps; return the common checkpoint."""
        checkpoint = run.begin(steps) if self.is_main else None
        self.wait()
        return checkpoint if self.is_main else run.latest_checkpoint()

    def wait(self) -> None:
        """Wait for all processes."""
        if self.size > 1:
            self._gathered(None)

    def agreed(self, found: list[float]) -> list[float]:
        """Return the values of the main process."""
        return list(self._gathered(found)[0])

    def total(self, found: Iterable[float]) -> list[float]:
        """Add figures up over all processes."""
        return [sum(column) for column in zip(*self._gathered(list(found)), strict=True)]

    def mean(self, figures: Mapping[str, float | None]) -> dict[str, float | None]:
        """Average figures over all processes; None where one process has none."""
        gathered = self._gathered(dict(figures))
        found: dict[str, float | None] = {}
        for name in figures:
            values = [value for one in gathered if (value := one[name]) is not None]
            found[name] = sum(values) / len(values) if len(values) == len(gathered) else None
        return found

    def any(self, found: bool) -> bool:
        """Whether the value is true in any process."""
        return any(self._gathered(found))

    def add_gradients(self, weights: Iterable[torch.Tensor], *, divided_by: int = 1) -> None:
        """Average the gradients of all processes.

        Args:
            weights: The same in all processes, in the same order.
            divided_by: Divisor of the sum.
        """
        if self.size == 1:
            return
        import torch
        import torch.distributed as distributed

        learnt = list(weights)
        for one in learnt:
            if one.grad is None:
                one.grad = torch.zeros_like(one)
        together = torch.cat([one.grad.flatten() for one in learnt if one.grad is not None])
        distributed.all_reduce(together)
        together /= divided_by
        for one, part in zip(learnt, together.split([w.numel() for w in learnt]), strict=True):
            one.grad = part.view_as(one)

    def _gathered(self, found: Any) -> list[Any]:
        """Gather a value from every process, in order, as JSON."""
        if self.size == 1:
            return [found]
        import torch
        import torch.distributed as distributed

        mine = torch.frombuffer(bytearray(msgspec.json.encode(found)), dtype=torch.uint8)
        lengths = [torch.zeros(1, dtype=torch.long) for _ in range(self.size)]
        distributed.all_gather(lengths, torch.tensor([len(mine)]))
        longest = max(int(one) for one in lengths)
        padded = torch.nn.functional.pad(mine, (0, longest - len(mine)))
        gathered = [torch.zeros(longest, dtype=torch.uint8) for _ in range(self.size)]
        distributed.all_gather(gathered, padded)
        return [
            msgspec.json.decode(bytes(one[: int(length)].tolist()))
            for one, length in zip(gathered, lengths, strict=True)
        ]


SINGLE_PROCESS = DistributedContext()


@contextmanager
def join_process_group(device: str, folder: Path) -> Iterator[DistributedContext]:
    """Join the processes of a common launch, if there are several, inside the block.

    Args:
        device: The requested device.
        folder: Folder in which the processes meet; no other user can write there.

    Raises:
        UsageError: they are spread over machines, there is no GPU for each, or one never came.
    """
    size = _number(_SIZE, 1)
    if size == 1:
        yield SINGLE_PROCESS
        return
    rank, here = _number(_RANK, 0), _number(_HERE, 0)
    if _number("LOCAL_WORLD_SIZE", size) != size:
        raise UsageError(
            "The processes of a training have to run on one machine.",
            "Launch it with --num_machines 1.",
        )
    with training_libraries():
        import torch
        import torch.distributed as distributed
    if device != "cpu" and here >= torch.cuda.device_count():
        raise UsageError(
            f"{size} processes were launched for {torch.cuda.device_count()} GPUs.",
            "Launch one for each: --num_processes N",
        )
    launched = {name: os.environ.pop(name) for name in _LAUNCHED if name in os.environ}
    for name in _LOOPBACK:
        os.environ.setdefault(name, "lo0" if sys.platform == "darwin" else "lo")
    # One launcher started them all, so its number names a place of their own.
    port = launched.get("MASTER_PORT", "")
    meeting = make_private(folder) / f".launched-by-{os.getppid()}-{_number_in(port, 0)}"
    try:
        store = distributed.FileStore(str(meeting), size)
        _gather(store, rank, size)
        distributed.init_process_group(
            # What is told goes over gloo, gradients on GPUs over NCCL.
            "gloo" if device == "cpu" else "cpu:gloo,cuda:nccl",
            store=store,
            rank=rank,
            world_size=size,
            timeout=_PATIENCE,
        )
        try:
            yield DistributedContext(rank, size, here)
        finally:
            distributed.destroy_process_group()
    finally:
        os.environ.update(launched)
        if rank == 0:
            meeting.unlink(missing_ok=True)


def _gather(store: Any, rank: int, size: int) -> None:
    """Wait for all processes, for a limited time."""
    store.set(f"here-{rank}", "")
    try:
        store.wait([f"here-{one}" for one in range(size)], _ARRIVAL)
    except RuntimeError as error:  # "Wait timeout", from a store of files
        raise UsageError(
            f"{_SIZE} says that {size} processes train together, and not all of them came.",
            f"Launch them with accelerate launch or torchrun; to train alone, unset {_SIZE}.",
        ) from error


def _number(name: str, otherwise: int) -> int:
    return _number_in(os.environ.get(name, ""), otherwise)


def _number_in(text: str, otherwise: int) -> int:
    return int(text) if text.isdecimal() else otherwise
