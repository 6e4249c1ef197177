"""Threads of numerical libraries that have nothing to do sleep at once.

OpenBLAS, which comes with NumPy, starts a thread per core, and each one spins for 2**26 ticks of
the processor (30 ms of a core) after its start and after every product, in case another follows. A
single question pays for that twice and gains nothing. How many threads there are, and so what they
compute, stays as it is.
"""

from __future__ import annotations

import os

_TICKS = "16"  # as a power of two: 0.03 ms, within which products that follow on each other come


def let_idle_threads_sleep() -> None:
    """Tell OpenBLAS so, unless somebody told it otherwise; it hears it before NumPy is imported."""
    os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", _TICKS)
