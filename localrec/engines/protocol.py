"""The protocol of an engine, which maps chunks of work in order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Protocol, TypeVar

Chunk = TypeVar("Chunk")


Result = TypeVar("Result")


class Engine(Protocol):
    """Maps a function over chunks.

    Args:
        name: Kept with an evaluation.
        redone: The number of chunks that were run again because their worker was lost.
    """

    name: str
    redone: int

    def map(self, work: Callable[[Chunk], Result], chunks: Iterable[Chunk]) -> Iterator[Result]:
        """Yield the results in the order of the chunks, each as soon as all before it are there.

        What `work` raises is raised here. What is under way when the iterator is closed is lost.
        """
        ...
