"""The script that measures systems on the gold questions."""

import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parents[2] / "scripts" / "studies" / "run.py"


def run(*arguments):
    return subprocess.run(
        [sys.executable, SCRIPT, "gold_questions", *map(str, arguments)],
        capture_output=True,
        text=True,
    )


def test_failures_of_the_test_half_are_refused_before_anything_is_asked(tmp_path):
    docs = tmp_path / "docs"
    done = run("--half", "test", "--failures", "--state", tmp_path, "--report", "--docs", docs)
    assert done.returncode == 2
    assert done.stdout == ""
    assert "dev half only" in done.stderr
    assert not docs.exists()


def test_a_system_that_does_not_exist_is_refused():
    done = run("--half", "dev", "--systems", "marc,oracle")
    assert done.returncode == 2
    assert "oracle" in done.stderr
