"""Where the chunks of a run are worked off: in this process, unless another engine is put in.

An engine keeps the order of the chunks and brings back each result once, so that a run's files are
the same whoever did the work.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Protocol, TypeVar

Chunk = TypeVar("Chunk")
Result = TypeVar("Result")


class Engine(Protocol):
    """Maps a function over chunks."""

    name: str

    def map(self, work: Callable[[Chunk], Result], chunks: Iterable[Chunk]) -> Iterator[Result]:
        """The results in the order of the chunks, each as soon as it and all before are there."""
        ...


class Local:
    """In this process; a chunk starts when the result before was taken."""

    name = "local"

    def map(self, work: Callable[[Chunk], Result], chunks: Iterable[Chunk]) -> Iterator[Result]:
        """One after the other."""
        return map(work, chunks)
