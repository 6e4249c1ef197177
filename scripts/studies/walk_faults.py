"""What befalls the steps of a walk: a clock that jumps, and a process that is killed half way."""

from __future__ import annotations

import contextlib
import datetime as real_datetime
import os
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import msgspec

from localrec.graph.store import Store


class ShiftedClock(real_datetime.datetime):
    """A clock that jumps: `now` is off by `shift`."""

    shift = real_datetime.timedelta()

    @classmethod
    def now(cls, tz: real_datetime.tzinfo | None = None) -> real_datetime.datetime:  # type: ignore[override]
        """The moment that the machine pretends it is."""
        return real_datetime.datetime.now(tz) + cls.shift


def set_clock(clock: type) -> None:
    """Let every module of localrec that reads the clock read this one."""
    for name, module in list(sys.modules.items()):
        if name.startswith("localrec.") and getattr(module, "datetime", clock) is not clock:
            _resolve_records(module)
            module.datetime = clock


def _resolve_records(module: ModuleType) -> None:
    """Have msgspec read the annotations of a module's records while they mean the real class."""
    for found in vars(module).values():
        if isinstance(found, type) and issubclass(found, msgspec.Struct):
            with contextlib.suppress(TypeError):  # of a record that no JSON holds
                msgspec.json.Decoder(found)


@contextlib.contextmanager
def deadly_after(after: int) -> Iterator[None]:
    """Kill this process before a statement, a sync or a move after so many of them."""
    left = after

    def deadly(function: Callable[..., object]) -> Callable[..., object]:
        def counted(*arguments: object, **options: object) -> object:
            nonlocal left
            left -= 1
            if left < 0:
                os.kill(os.getpid(), signal.SIGKILL)
            return function(*arguments, **options)

        return counted

    Store._run = deadly(Store._run)  # type: ignore[method-assign,assignment]
    os.fsync = deadly(os.fsync)  # type: ignore[assignment]
    Path.replace = deadly(Path.replace)  # type: ignore[method-assign,assignment]
    Path.unlink = deadly(Path.unlink)  # type: ignore[method-assign,assignment]
    yield
