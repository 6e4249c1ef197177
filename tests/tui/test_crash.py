"""A fault of our own: the app ends with a code, a report and a terminal as it was."""

import os
import pty
import select
import subprocess
import sys
import termios

import pytest

from localrec.foundation.crash_report import CrashedError, crash_error, save_report
from localrec.foundation.errors import WorkspaceError
from localrec_tui.app import LocalrecApp

from .fake_services import FakeServices

# The real command, whose app meets a fault once it has painted; variables and error name a person.
FAULTY = """
import sys
from localrec.cli.app import run
from localrec_tui.app import LocalrecApp

def on_ready(self):
    person = "anna-the-first"
    raise ValueError(f"{person} likes gin")

LocalrecApp.on_ready = on_ready
sys.exit(run(["--workspace", sys.argv[1], "tui"]))
"""
LEAVES_THE_OTHER_SCREEN, SHOWS_THE_CURSOR = b"\x1b[?1049l", b"\x1b[?25h"


def run_in_a_terminal(*command):
    """Run a command in a terminal of its own: exit code, what it wrote, modes before and after."""
    ours, theirs = pty.openpty()
    before = termios.tcgetattr(theirs)
    child = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs)
    written = b""
    while child.poll() is None or select.select([ours], [], [], 0.1)[0]:
        if select.select([ours], [], [], 0.1)[0]:
            written += os.read(ours, 1 << 16)
    after = termios.tcgetattr(theirs)
    os.close(ours)
    os.close(theirs)
    return child.returncode, written, before, after


class TestCrash:
    def test_exits_with_a_code_and_gives_the_terminal_back(self, tmp_path):
        code, written, before, after = run_in_a_terminal(sys.executable, "-c", FAULTY, tmp_path)
        assert code == 70
        assert after == before
        *_, last = written.rpartition(LEAVES_THE_OTHER_SCREEN)
        assert SHOWS_THE_CURSOR in last
        assert b"The app ended by a fault of localrec (ValueError)." in last
        assert b"anna" not in written

    def test_leaves_a_report_that_names_places_and_nobody(self, tmp_path):
        run_in_a_terminal(sys.executable, "-c", FAULTY, tmp_path)
        [report] = (tmp_path / "logs").iterdir()
        told = report.read_text()
        assert report.name.startswith("crash-")
        assert report.stat().st_mode & 0o777 == 0o600
        assert "builtins.ValueError" in told
        assert "__main__, line 8, in on_ready" in told
        for private in ("anna", "gin", str(tmp_path)):
            assert private not in told

    def test_is_told_by_the_app_itself(self, tmp_path):
        class Faulty(LocalrecApp):
            def on_ready(self):
                raise ZeroDivisionError("oh")

        with pytest.raises(CrashedError, match="ZeroDivisionError"):
            Faulty(tmp_path, FakeServices()).run(headless=True)
        assert len(list((tmp_path / "logs").iterdir())) == 1

    def test_without_a_place_for_the_report_is_told_all_the_same(self, tmp_path, monkeypatch):
        def refuse(*arguments, **options):
            raise WorkspaceError("The folder cannot be made.")

        monkeypatch.setattr("localrec.foundation.crash_report.make_private", refuse)
        monkeypatch.setattr("localrec.foundation.crash_report.tempfile.mkdtemp", refuse)
        told = str(crash_error(tmp_path, ValueError("oh"), "The app"))
        assert "No report could be written" in told

    def test_reports_what_caused_it_too(self, tmp_path):
        try:
            try:
                raise KeyError("anna")
            except KeyError as cause:
                raise RuntimeError("of anna") from cause
        except RuntimeError as error:
            told = save_report(tmp_path, error).read_text()
        assert "builtins.RuntimeError" in told
        assert "builtins.KeyError" in told
        assert "anna" not in told


async def test_leaving_by_key_is_no_crash(open_app, tmp_path):
    async with open_app() as pilot:
        await pilot.press("ctrl+q")
    assert pilot.app.return_code == 0
    assert not (tmp_path / "logs").exists()
