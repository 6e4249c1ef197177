"""Long files of tests run first where several processes share them."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from .file_order import longest_first, record_seconds

RUN = """<testsuites><testsuite>
<testcase classname="tests.test_short" name="test_a" time="0.1" />
<testcase classname="tests.room.test_medium" name="test_b" time="9.0" />
<testcase classname="tests.room.test_long.TestThing" name="test_c" time="30.4" />
<testcase classname="tests.room.test_long" name="test_d" time="30" />
</testsuite></testsuites>"""


class Collected(NamedTuple):
    """A test as pytest names it."""

    nodeid: str


@pytest.fixture
def record(tmp_path):
    """What is recorded of the run."""
    (tmp_path / "run.xml").write_text(RUN, "utf-8")
    record_seconds(tmp_path / "run.xml", tmp_path / "seconds.txt")
    return tmp_path / "seconds.txt"


def test_a_run_records_the_seconds_of_its_files(record):
    assert record.read_text("utf-8").splitlines() == [
        " 60.4 tests/room/test_long.py",
        "  9.0 tests/room/test_medium.py",
        "  0.1 tests/test_short.py",
    ]


def test_files_come_by_their_seconds_and_new_ones_by_how_many_tests_they_have(record):
    names = (
        *("tests/test_short.py::test_a", "tests/room/test_medium.py::test_b"),
        "tests/test_new.py::test_z",
        *("tests/room/test_long.py::TestThing::test_c", "tests/room/test_long.py::test_d"),
        "tests/test_new.py::test_y",
    )
    tests = longest_first([Collected(name) for name in names], record)
    assert [test.nodeid.partition("test_")[2] for test in tests] == [
        *("long.py::TestThing::test_c", "long.py::test_d"),
        *("medium.py::test_b", "new.py::test_z", "new.py::test_y", "short.py::test_a"),
    ]
