"""A bar in a store, and a second process that does what a test tells it to."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from localrec.graph.store import Store
from tests.planted import planted_store

RunElsewhere = Callable[..., subprocess.Popen[str]]

_PREAMBLE = """
import signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have switched it off
from pathlib import Path

def halt(*_, **__):
    print("halted", flush=True)
    time.sleep(120)
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where a store may be made."""
    return tmp_path / "workspace" / "store.duckdb"


@pytest.fixture
def bar(path: Path) -> Iterator[Store]:
    """The planted bar, open for writing."""
    with planted_store(path.parent) as store:
        yield store


@pytest.fixture
def elsewhere() -> Iterator[RunElsewhere]:
    """Runs code in a process of its own until it prints `halted`; the code may call `halt()`."""
    with ExitStack() as running:

        def start(code: str, *arguments: object) -> subprocess.Popen[str]:
            process = running.enter_context(
                subprocess.Popen(
                    [sys.executable, "-c", _PREAMBLE + code, *map(str, arguments)],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    text=True,
                )
            )
            running.callback(process.kill)
            assert process.stdout is not None
            assert process.stdout.readline() == "halted\n", process.communicate()[1]
            return process

        yield start
