"""How long work tells how far it has come."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[str, int, int], None]  # what is done, so many, of so many (0: unknown)


def no_progress(what: str, done: int, total: int) -> None:
    """No progress shown."""
