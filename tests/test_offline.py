"""Nothing but a pull reaches for a network: asked of every layer that could.

Each command runs with an audit hook in all of its Python processes, which records and refuses
every use of an address. Where the machine allows it (root, Linux), it runs in a network
namespace of its own as well, whose kernel counts what native code tries behind Python's back.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from localrec.data.chat_message import Message
from localrec.llm.model_catalog import model_path
from localrec.llm.model_process import ModelProcess

from .sources.book_exports import goodreads

# Loaded by every Python process that finds it on PYTHONPATH, the model's child among them.
HOOK = """
import os, sys
_LOG = os.open(os.environ["OFFLINE_LOG"], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
_USES = {"socket.connect", "socket.bind", "socket.sendto", "socket.sendmsg",
         "socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr"}

def _watch(event, details):
    if event in _USES:
        os.write(_LOG, f"used {event} {details[-1]!r}\\n".encode())
        raise PermissionError(f"{event} is not wanted here")

os.write(_LOG, f"watching {' '.join(sys.orig_argv)!r}\\n".encode())
sys.addaudithook(_watch)
"""
COUNT_AFTERWARDS = '"$@"; code=$?; cat /proc/self/net/snmp > "$OFFLINE_COUNTERS"; exit $code'
# A try that finds no route ends in OutNoRoutes, one that finds one in the others. The kernel
# counts no routeless tries over IPv6; whoever tries that tries IPv4 too.
COUNTERS = ("OutRequests", "OutNoRoutes", "ActiveOpens", "OutDatagrams")
REACH_OUT = """
import socket
for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
    with socket.socket(socket.AF_INET, kind) as one:
        try:
            one.connect(("192.0.2.1", 443))
        except OSError:
            pass
"""


def may_unshare() -> bool:
    """Whether this user may make a network namespace."""
    command = ["unshare", "--net", "true"]
    return bool(shutil.which("unshare")) and not subprocess.run(command, check=False).returncode


@dataclass
class Watched:
    """What a watched command came to."""

    finished: subprocess.CompletedProcess[str]
    watching: list[str]  # the command lines of the Python processes that were watched
    used: list[str]  # addresses they used
    counted: dict[str, int]  # packets and tries of the namespace, all programs included


@pytest.fixture(params=["hook", "namespace"])
def watched(
    request: pytest.FixtureRequest,
    tmp_path: Path,
    localrec_command: tuple[str, ...],
    run_localrec: Callable[..., subprocess.CompletedProcess[str]],
) -> Callable[..., Watched]:
    """Runs a command line of localrec under watch; `instead` runs another program."""
    (tmp_path / "hook").mkdir()
    (tmp_path / "hook" / "sitecustomize.py").write_text(HOOK, encoding="utf-8")
    log, counted = tmp_path / "offline.log", tmp_path / "counters"
    for file in (log, counted):
        file.touch()
    env = {
        "PYTHONPATH": str(tmp_path / "hook"),
        "OFFLINE_LOG": str(log),
        "OFFLINE_COUNTERS": str(counted),
    }
    wrapped_in: tuple[str, ...] = ()
    if request.param == "namespace":
        if not may_unshare():
            pytest.skip("this user may make no network namespace")
        wrapped_in = ("unshare", "--net", "sh", "-c", COUNT_AFTERWARDS, "sh")

    def call(*arguments: object) -> Watched:
        finished = run_localrec(*arguments, env=env, wrapped_in=wrapped_in)
        lines = log.read_text(encoding="utf-8").splitlines()
        return Watched(
            finished,
            [line for line in lines if line.startswith("watching")],
            [line for line in lines if line.startswith("used")],
            counters(counted.read_text(encoding="ascii")),
        )

    return call


def counters(text: str) -> dict[str, int]:
    """The counters of outgoing traffic; the kernel's table has a line of names over each of values.

    Empty without a namespace.
    """
    lines = [line.split() for line in text.splitlines()]
    found = {}
    for names, values in zip(lines[::2], lines[1::2], strict=True):
        found |= {
            f"{names[0]}{name}": int(value)
            for name, value in zip(names, values, strict=True)
            if name in COUNTERS
        }
    return found


def assert_stayed_home(watched: Watched) -> None:
    assert watched.finished.returncode == 0, watched.finished.stderr
    assert watched.watching, "the hook was not loaded, so nothing was watched"
    assert watched.used == []
    assert not [line for line in watched.watching if "pip" in line.split()]
    assert not any(watched.counted.values()), watched.counted


class TestTheWatch:
    """Without these the tests below would prove nothing."""

    @pytest.fixture
    def localrec_command(self, request: pytest.FixtureRequest) -> tuple[str, ...]:
        """Stands in for localrec: a program that tries to reach two addresses."""
        return (sys.executable, *request.param, "-c", REACH_OUT)

    @pytest.mark.parametrize("localrec_command", [()], indirect=True)
    def test_sees_what_python_tries(self, watched):
        assert [line.split()[1] for line in watched().used] == ["socket.connect"] * 2

    # Without site there is no hook: to Python this is what native code looks like.
    @pytest.mark.parametrize("localrec_command", [("-S",)], indirect=True, ids=["unhooked"])
    @pytest.mark.parametrize("watched", ["namespace"], indirect=True)
    def test_counts_what_the_hook_cannot_see(self, watched):
        reached = watched()
        assert reached.watching == []
        assert reached.counted["Ip:OutNoRoutes"] == 2


@pytest.mark.real
class TestNothingIsReached:
    @pytest.fixture
    def workspace(self, bundled_workspace: Path, tmp_path: Path) -> Path:
        """A copy of the bundled drinks that may be written to."""
        return Path(shutil.copytree(bundled_workspace, tmp_path / "workspace"))

    def test_by_a_question(self, watched, workspace):
        assert_stayed_home(watched("--workspace", workspace, "ask", "a smoky drink without gin"))

    def test_by_a_question_to_the_local_model(self, watched, workspace, require_model):
        require_model("smollm2-135m")
        answered = watched(
            *("--workspace", workspace, "--json", "ask", "a sour with gin"),
            *("--system", "marc-model", "-k", "1"),
        )
        assert_stayed_home(answered)
        assert any("localrec.llm.worker" in line for line in answered.watching)
        spoke = json.loads(answered.finished.stdout)["spoke"]
        assert "model" in spoke.values(), spoke

    def test_by_an_import(self, watched, workspace, write_drinks):
        assert_stayed_home(
            watched("--workspace", workspace, "import", "cocktails", write_drinks(5))
        )

    def test_by_describing_a_drink(
        self, watched, workspace, write_drinks, run_localrec, require_model
    ):
        require_model("smollm2-135m")
        run_localrec("--workspace", workspace, "import", "cocktails", write_drinks(1))
        described = watched("--workspace", workspace, "describe", "--limit", "1")
        assert_stayed_home(described)
        assert any("localrec.llm.worker" in line for line in described.watching)

    def test_by_a_history_and_a_list(self, watched, workspace, tmp_path):
        export = tmp_path / "goodreads_library_export.csv"
        export.write_text(goodreads({"My Rating": "5"}), encoding="utf-8")
        assert_stayed_home(
            watched("--workspace", workspace, "import", "auto", export, "--user", "anna")
        )
        assert_stayed_home(watched("--workspace", workspace, "recommend", "--user", "anna"))

    def test_by_feedback(self, watched, workspace):
        spoken = ("--workspace", workspace, "feedback", "--user", "anna")
        assert_stayed_home(watched(*spoken, "--item", "Negroni", "--rating", "4"))
        assert_stayed_home(watched(*spoken, "--undo"))

    def test_by_a_ranking(self, watched, workspace, tmp_path):
        requests = tmp_path / "requests.jsonl"
        requests.write_text('{"id": 1, "candidates": ["1", "2"]}\n', encoding="utf-8")
        files = ("--batch", requests, "--out", tmp_path / "rankings.jsonl")
        assert_stayed_home(watched("--workspace", workspace, "rank", *files))

    def test_by_a_question_of_somebody_known(self, watched, workspace, run_localrec):
        spoken = ("feedback", "--user", "anna", "--item", "Negroni", "--like")
        run_localrec("--workspace", workspace, *spoken)
        asked = watched("--workspace", workspace, "--json", "ask", "bitter", "--user", "anna")
        assert_stayed_home(asked)
        assert json.loads(asked.finished.stdout)["spoke"]["history"] == "measured"

    def test_by_the_doctor(self, watched, workspace):
        assert_stayed_home(watched("--workspace", workspace, "doctor"))

    def test_by_bundled_drinks(self, watched, workspace):
        assert_stayed_home(watched("--workspace", workspace, "datasets", "pull", "cocktails"))


@pytest.mark.real
@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="looks into /proc")
def test_the_model_process_holds_no_socket(require_model):
    require_model("smollm2-135m")
    with ModelProcess(model_path("smollm2-135m")) as model:
        model.choose([Message("user", "Gin or rum?")], ["gin", "rum"])
        children = Path(f"/proc/self/task/{os.getpid()}/children").read_text("ascii").split()
        workers = [
            child
            for child in children
            if b"localrec.llm.worker" in Path(f"/proc/{child}/cmdline").read_bytes()
        ]
        assert len(workers) == 1
        held = [str(link.readlink()) for link in Path(f"/proc/{workers[0]}/fd").iterdir()]
    assert held
    assert not [target for target in held if target.startswith("socket:")]
