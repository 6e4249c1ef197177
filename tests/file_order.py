"""In which order files of tests run when several processes share them.

A file stays within one process, so a long one that comes last has a process work alone for
minutes. How long each takes stands in tests/file_seconds.txt; a whole run writes it anew:

    scripts/test --junit-xml=run.xml; .venv/bin/python -m tests.file_order run.xml
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from xml.etree import ElementTree

import pytest

RECORD = Path(__file__).with_name("file_seconds.txt")
GUESS_S = 0.3  # what a test takes, in a file that is not recorded


def longest_first(tests: Sequence[pytest.Item], record: Path = RECORD) -> list[pytest.Item]:
    """The tests file by file, those of the longest file first; within a file as they were."""
    lines = (line.split() for line in record.read_text("utf-8").splitlines())
    recorded = {file: float(seconds) for seconds, file in lines}
    files = [test.nodeid.partition("::")[0] for test in tests]
    guessed = {file: count * GUESS_S for file, count in Counter(files).items()}
    seconds = guessed | recorded
    return sorted(tests, key=lambda test: -seconds[test.nodeid.partition("::")[0]])


def seconds_of_files(run: Path) -> Mapping[str, float]:
    """How long each file took, its fixtures included, from a run's JUnit file."""
    taken: Counter[str] = Counter()
    for case in ElementTree.parse(run).iter("testcase"):
        folders, _, rest = case.get("classname", "").partition(".test_")
        file = f"{folders}.test_{rest.partition('.')[0]}".replace(".", "/") + ".py"
        taken[file] += float(case.get("time", 0))
    return taken


def record_seconds(run: Path, record: Path = RECORD) -> None:
    """Write the record anew from a whole run's JUnit file, the longest files first."""
    taken = Counter(seconds_of_files(run)).most_common()
    lines = [f"{seconds:5.1f} {file}\n" for file, seconds in taken]
    record.write_text("".join(lines), "utf-8")


if __name__ == "__main__":
    record_seconds(Path(sys.argv[1]))
