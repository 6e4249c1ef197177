"""Run chunks of work in this process, or by another engine.

An engine keeps the order of the chunks and returns each result once, so that every engine writes
the same files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Literal, TypeVar

from localrec.engines.protocol import Chunk, Engine, Result
from localrec.foundation.errors import UsageError

EngineName = Literal["local", "ray"]
_One = TypeVar("_One")


class LocalEngine:
    """Run chunks in this process; each starts when the previous result was taken.

    Example:
        `list(LocalEngine().map(len, ["ab", "c"]))` is `[2, 1]`.
    """

    name = "local"
    redone = 0

    def map(self, work: Callable[[Chunk], Result], chunks: Iterable[Chunk]) -> Iterator[Result]:
        """Map one chunk after the other."""
        return map(work, chunks)


@contextmanager
def open_engine(
    name: EngineName, workers: int | None = None, address: str | None = None
) -> Iterator[Engine]:
    """Open the engine of that name inside the block; its processes end with the block.

    With Ray, what is printed inside the block goes to stderr.

    Args:
        name: `ray` needs the extra of that name.
        workers: The number of chunks that run at a time; by default one for each core.
        address: Address of a running Ray cluster; by default one is started on this machine.

    Raises:
        UsageError: workers or an address for the local engine, no Ray, or no such cluster.
        LocalrecError: Ray does not start.
    """
    if name == "ray":
        from localrec.engines.ray_engine import open_ray  # it knows the way to a network

        with open_ray(workers, address) as engine:
            yield engine
        return
    if workers is not None or address is not None:
        raise UsageError(
            "The local engine has neither workers nor an address.", "Add --engine ray."
        )
    yield LocalEngine()


def chunks_of(batch: Sequence[_One], size: int) -> list[Sequence[_One]]:
    """Split a batch into chunks of `size`, the last of which may be smaller."""
    return [batch[start : start + size] for start in range(0, len(batch), size)]
