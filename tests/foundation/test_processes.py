"""A process is over when it ended, whether or not its parent asked after it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from localrec.foundation.processes import is_over


@pytest.fixture
def sleeping():
    """A process that sleeps, and is asked after at the end."""
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    yield child
    child.kill()
    child.wait()


def test_a_running_process_is_not_over(sleeping):
    assert not is_over(os.getpid())
    assert not is_over(sleeping.pid)


def test_one_that_was_waited_for_is_over(sleeping):
    sleeping.kill()
    sleeping.wait()
    assert is_over(sleeping.pid)


@pytest.mark.skipif(not Path("/proc/self/stat").is_file(), reason="states are told by /proc")
def test_one_that_was_killed_is_over_before_its_parent_asks(sleeping):
    os.kill(sleeping.pid, signal.SIGKILL)
    until = time.monotonic() + 60
    while not is_over(sleeping.pid):
        assert time.monotonic() < until, "the process is still taken for running"
        time.sleep(0.01)
    assert sleeping.poll() is not None


@pytest.mark.skipif(os.name != "posix", reason="one of its number could be ended")
@pytest.mark.parametrize("number", [2**22 + 1, 2**80])
def test_a_number_that_no_process_can_have_does_no_harm(number):
    assert is_over(number) is (number < 2**31)
