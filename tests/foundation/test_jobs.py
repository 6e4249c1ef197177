"""Commands that are sent off: what they tell, how they fail, and that each of them ends."""

import io
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from localrec.foundation import jobs
from localrec.foundation.errors import BusyError, CutShortError, LocalrecError
from localrec.foundation.jobs import CommandJob
from localrec.foundation.private_arguments import ARGUMENTS_VARIABLE, hide, unhide
from localrec.foundation.progress_lines import ProgressMessage, ProgressWriter, parse_progress

# A command as others are, but for what it does: it tells that it began, and waits to be ended.
WAITS = """
import sys, time
from localrec.foundation.parent_watch import exit_with_parent
from localrec.foundation.progress_lines import ProgressWriter
exit_with_parent()
tell = ProgressWriter()
try:
    tell("waiting", 1, 3)
    time.sleep(60)
except KeyboardInterrupt:
    sys.stderr.write("localrec: cut short; what was done is kept.\\n")
    sys.exit(130)
"""
DEAF = """
import signal, sys, time
signal.signal(signal.SIGINT, signal.SIG_IGN)
signal.signal(signal.SIGTERM, signal.SIG_IGN)
print('["deaf", 0, 0]', file=sys.stderr, flush=True)
print('{"what": "deaf", "done": 0, "total": 0}', file=sys.stderr, flush=True)
time.sleep(60)
"""
FAILS = """
import sys
print("a note", file=sys.stderr)
print("localrec: Process 7 holds the store. Try again.", file=sys.stderr)
sys.exit(3)
"""
# Starts a job, says which process it is, and is killed without a chance to end it.
SENDER = """
import sys, time
from pathlib import Path
from localrec.foundation import jobs
jobs._program = lambda: [sys.executable, "-c", sys.argv[1]]
job = jobs.CommandJob(Path("."), ())
print(job._process.pid, flush=True)
job.follow(lambda step: print(step.what, flush=True))
"""


@pytest.fixture
def send(monkeypatch, tmp_path):
    """Sends a script instead of localrec, and sees that it ends with the test."""
    sent = []

    def send(script):
        monkeypatch.setattr(jobs, "_program", lambda: [sys.executable, "-c", script])
        sent.append(CommandJob(tmp_path, ()))
        return sent[-1]

    yield send
    for errand in sent:
        errand.close(0)


def exists(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{pid}/stat")  # a zombie is no more than its exit code
    return not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] != "Z"


def test_a_command_of_localrec_brings_its_json(tmp_path):
    [models] = CommandJob(tmp_path, ("models", "list")).follow(lambda step: None)
    assert "smollm2-135m" in {model["name"] for model in models}


def test_a_command_that_fails_does_so_in_its_own_words(tmp_path):
    errand = CommandJob(tmp_path, ("models", "check", "zorg.gguf"))
    with pytest.raises(LocalrecError, match=r"^There is no model file zorg\.gguf"):
        errand.follow(lambda step: None)


@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="looks into /proc")
def test_the_list_of_processes_shows_no_more_than_the_command(send, tmp_path, monkeypatch):
    waits = [sys.executable, "-c", WAITS]
    monkeypatch.setattr(jobs, "_program", lambda: waits)
    job = CommandJob(tmp_path, ("export", "--user", "Alma Kowalski", "--out", "secret.csv"))
    started = jobs.start_in_background(tmp_path, ("learn", "--domain", "alma's shelf"))
    try:
        for pid in (job._process.pid, started):
            shown = Path(f"/proc/{pid}/cmdline").read_bytes().decode()
            assert not any(one in shown for one in ("Alma", "alma", "secret", tmp_path.name))
            assert shown.split("\0")[-2] in {"export", "learn"}
            assert Path(f"/proc/{pid}/environ").stat().st_mode & 0o077 == 0
    finally:
        os.kill(started, signal.SIGKILL)
        os.waitpid(started, 0)
        job.close(0)


@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="looks into /proc")
@pytest.mark.parametrize(
    ("words", "shown"),
    [
        (["ask", "a drink for Alma", "--user", "Alma"], ["ask"]),
        (["--workspace", "/home/Alma", "ask", "gin"], []),
        (["ask"], ["ask"]),
    ],
)
def test_what_somebody_typed_shows_no_more_than_the_command(words, shown):
    program = (
        "import sys\nfrom localrec.foundation.private_arguments import cover\n"
        "cover()\nprint(open('/proc/self/cmdline').read())\nprint(sys.argv[1:])"
    )
    told = subprocess.run(
        [sys.executable, "-c", program, *words], capture_output=True, text=True, check=True
    ).stdout
    listed, kept = told.rstrip("\n").rsplit("\n", 1)
    assert [word for word in listed.split("\0")[3:] if word.strip()] == shown
    assert kept == str(words)


def test_what_a_command_starts_does_not_find_its_hidden_arguments(monkeypatch):
    monkeypatch.setenv(ARGUMENTS_VARIABLE, hide(["export", "--user", "ana"])[ARGUMENTS_VARIABLE])
    assert unhide(["export"]) == ["export", "--user", "ana"]
    assert unhide(["doctor"]) == ["doctor"]


@pytest.mark.parametrize("written", ["no JSON", "7", "[7]", '["forget", "--yes"]'])
def test_hidden_arguments_of_somebody_else_are_not_heard(monkeypatch, written):
    monkeypatch.setenv(ARGUMENTS_VARIABLE, written)
    assert unhide(["doctor"]) == ["doctor"]
    monkeypatch.setenv(ARGUMENTS_VARIABLE, '["doctor", "--repair"]')
    assert unhide(["doctor", "--json"]) == ["doctor", "--json"]


def test_a_failure_keeps_its_kind(send):
    with pytest.raises(BusyError, match=r"^Process 7 holds the store\."):
        send(FAILS).follow(lambda step: None)


def test_a_stop_lets_the_command_end_by_itself(send):
    errand, heard = send(WAITS), []

    def stop_at_once(step):
        heard.append(step)
        errand.stop()

    with pytest.raises(CutShortError, match=r"^cut short; what was done is kept\.$"):
        errand.follow(stop_at_once)
    assert heard == [ProgressMessage("waiting", 1, 3)]
    assert not errand.is_running


def test_a_command_that_hears_nothing_is_killed(send, monkeypatch):
    monkeypatch.setattr(jobs, "_KILL_PATIENCE_S", 0.05)
    errand = send(DEAF)
    with pytest.raises(LocalrecError, match="was ended by SIGKILL"):
        errand.follow(lambda step: errand.close(0.05))


def test_closing_from_another_thread_ends_the_following(send):
    errand, begun = send(WAITS), threading.Event()
    ends = []

    def follow():
        try:
            errand.follow(lambda step: begun.set())
        except LocalrecError as error:
            ends.append(type(error))

    follower = threading.Thread(target=follow)
    follower.start()
    assert begun.wait(60)
    errand.close()
    follower.join(60)
    assert ends == [CutShortError]


def test_a_command_ends_with_a_sender_that_was_killed():
    sender = subprocess.Popen(
        [sys.executable, "-c", SENDER, WAITS], stdout=subprocess.PIPE, text=True
    )
    pid = int(sender.stdout.readline())
    assert sender.stdout.readline() == "waiting\n"
    assert exists(pid)
    sender.send_signal(signal.SIGKILL)
    sender.wait()
    while exists(pid):  # the time limit of the test is the bound
        time.sleep(0.01)


class TestSteps:
    def test_are_few_and_end_with_the_last(self, capsys):
        tell = ProgressWriter()
        for done in range(1001):
            tell("counting", done, 1000)
        lines = capsys.readouterr().err.encode().splitlines()
        assert len(lines) < 100
        assert parse_progress(lines[0]) == ProgressMessage("counting", 0, 1000)
        assert parse_progress(lines[-1]) == ProgressMessage("counting", 1000, 1000)

    @pytest.mark.parametrize("line", [b"a note", b'{"what": 1}', b"\xff", b"[]", b""])
    def test_are_told_from_everything_else(self, line):
        assert parse_progress(line) is None


def test_a_step_that_nobody_hears_any_more_stops_nothing(monkeypatch):
    reads, writes = os.pipe()
    os.close(reads)
    # Unbuffered below, or what could not be written would be tried again when the file is closed.
    with os.fdopen(writes, "wb", buffering=0) as raw:
        monkeypatch.setattr(sys, "stderr", io.TextIOWrapper(raw, write_through=True))
        ProgressWriter()("training", 1, 3)
        monkeypatch.undo()
