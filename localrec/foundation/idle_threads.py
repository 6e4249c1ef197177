"""Threads of numerical libraries: those with nothing to do sleep at once, and questions need one.

OpenBLAS, which comes with NumPy, starts a thread per core, and each one spins for 2**26 ticks of
the processor (30 ms of a core) after its start and after every product, in case another follows. A
single question pays for that twice and gains nothing. The network that reads a question multiplies
matrices of some twenty rows, some forty of them one after the other: shared between two threads
they take longer by the clock, and on a busy machine twice as much of the processor.
"""

from __future__ import annotations

import os

_TICKS = "16"  # as a power of two: 0.03 ms, within which products that follow on each other come
_THREADS = "OPENBLAS_NUM_THREADS"
_set_here: set[str] = set()


def let_idle_threads_sleep() -> None:
    """Tell OpenBLAS so, unless somebody told it otherwise; it hears it before NumPy is imported."""
    os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", _TICKS)


def compute_on_one_thread() -> None:
    """Tell OpenBLAS so, unless somebody told it otherwise; for a process that answers questions."""
    if _THREADS not in os.environ:
        os.environ[_THREADS] = "1"
        _set_here.add(_THREADS)


def environment_for_others() -> dict[str, str]:
    """Return the environment for a process that this one starts, which may have more to compute."""
    return {name: value for name, value in os.environ.items() if name not in _set_here}
