"""The same workspace for asynchronous programs: each call runs in a thread of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Self, cast

from localrec.api.call_group import CallGroup
from localrec.api.workspace import Workspace
from localrec.workspace.warm_workspace import HOLD_S


class AsyncWorkspace:
    """Awaits what `Workspace` does; calls are served one after another.

        async with AsyncWorkspace("~/recommender") as workspace:
            answer = await workspace.ask("something like a Negroni, but lighter")

    Every public method of `Workspace` is here under its name, with its arguments; so are the groups
    of calls: `await workspace.shelf.add("anna", "gin")`.

    Args:
        folder: The workspace folder; by default the one that the command line uses.
        hold_s: Seconds that the store stays open after a call.
    """

    def __init__(self, folder: str | Path | None = None, *, hold_s: float = HOLD_S) -> None:
        self._workspace = Workspace(folder, hold_s=hold_s)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await asyncio.to_thread(self._workspace.close)

    def __getattr__(self, name: str) -> Any:
        found = None if name.startswith("_") else getattr(self._workspace, name, None)
        if not isinstance(found, CallGroup) and not callable(found):
            raise AttributeError(f"'AsyncWorkspace' object has no attribute {name!r}")
        return _awaited(found)


class _AsyncCalls:
    """Awaits the calls of a group, and the group itself where it can be called."""

    def __init__(self, group: CallGroup) -> None:
        self._group = group

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return _awaited(getattr(self._group, name))

    async def __call__(self, *arguments: Any, **options: Any) -> Any:
        return await asyncio.to_thread(
            cast("Callable[..., Any]", self._group), *arguments, **options
        )


def _awaited(found: Any) -> Any:
    return _AsyncCalls(found) if isinstance(found, CallGroup) else partial(asyncio.to_thread, found)
