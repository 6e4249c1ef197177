"""The program tells OpenBLAS how to use threads, before OpenBLAS is loaded."""

import os
import subprocess
import sys

import pytest

NAME = "OPENBLAS_THREAD_TIMEOUT"
# Ends where commands begin, and tells what they would find.
PROGRAM = f"""
import os, sys
from localrec.cli import app
app.run = lambda arguments: print("numpy" in sys.modules, os.environ["{NAME}"]) or 0
app.main()
"""


def found_by_commands(**environment: str) -> list[str]:
    """Whether NumPy is there already, and what stands in the environment."""
    others = {name: value for name, value in os.environ.items() if name != NAME}
    told = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env={**others, **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return told.stdout.split()


def test_idle_threads_are_told_to_sleep_before_numpy_starts_them():
    assert found_by_commands() == ["False", "16"]


def test_what_a_person_told_openblas_holds():
    assert found_by_commands(**{NAME: "26"}) == ["False", "26"]


THREADS = "OPENBLAS_NUM_THREADS"
TELLING = f"""
import os, sys
from localrec.cli import app
from localrec.foundation.idle_threads import environment_for_others
app.run = lambda _: print(os.environ.get("{THREADS}"), environment_for_others().get("{THREADS}"))
sys.argv = ["localrec", *sys.argv[1:]]
app.main()
"""


def threads_of(command: str, **environment: str) -> list[str]:
    """The threads of a command and of those that it starts."""
    others = {name: value for name, value in os.environ.items() if name != THREADS}
    done = subprocess.run(
        [sys.executable, "-c", TELLING, command],
        env={**others, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout.split()


@pytest.mark.parametrize("command", ["ask", "tui", "mcp", "warm"])
def test_a_question_is_computed_on_one_thread_and_what_it_starts_on_all(command):
    assert threads_of(command) == ["1", "None"]


def test_what_learns_computes_on_all_threads():
    assert threads_of("learn") == ["None", "None"]


def test_threads_that_a_person_gave_hold_for_all():
    assert threads_of("ask", **{THREADS: "3"}) == ["3", "3"]
