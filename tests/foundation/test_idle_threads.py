"""The program tells OpenBLAS to let idle threads sleep, before OpenBLAS is loaded."""

import os
import subprocess
import sys

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
