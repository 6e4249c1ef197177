"""The warm helper: the same answers as a command of its own, for its owner alone, and never old."""

from __future__ import annotations

import ast
import json
import os
import socket
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from localrec.cli import warm_socket
from localrec.cli.start import SERVED, workspace_in
from localrec.cli.warm_server import serve
from localrec.cli.warm_socket import WarmRequest, send
from localrec.foundation.progress import no_progress
from localrec.privacy.forget import ForgetScope, forget
from localrec.workspace import OpenWorkspace, warm_workspace
from localrec.workspace.warm_workspace import WarmWorkspace
from tests.planted import planted_store

LOG = "served.log"
# A helper that writes down which command lines it runs.
SERVE = """
import sys
from pathlib import Path
from localrec.cli import warm_server
run = warm_server._run
def told(request, connection, streams):
    with open(sys.argv[2], "a") as log:
        print(*request.arguments, file=log, flush=True)
    return run(request, connection, streams)
warm_server._run = told
warm_server.serve(Path(sys.argv[1]), float(sys.argv[3]))
"""

pytestmark = pytest.mark.skipif(not hasattr(os, "getuid"), reason="needs Unix sockets")


@pytest.fixture
def workspace(workspace_path):
    planted_store(workspace_path).close()
    (workspace_path / "settings.toml").write_text('embedder = "hashing"\n')
    run_cold("index", "--workspace", workspace_path)
    with OpenWorkspace(workspace_path) as opened:
        liked = opened.context(opened.domains()[0]).catalogue.keys[0]
    rated = ("--item", liked, "--rating", "5", "--workspace", workspace_path)
    assert run_cold("feedback", "--user", "anna", *rated).returncode == 0
    return workspace_path


@pytest.fixture
def log(tmp_path):
    return tmp_path / LOG


@pytest.fixture
def helper(workspace, log):
    with started(workspace, log, 60) as process:
        wait_for(lambda: warm_socket.is_there(str(workspace)), process)
        yield process
        process.terminate()


def started(workspace, log, idle_s):
    command = [sys.executable, "-c", SERVE, workspace, log, str(idle_s)]
    return subprocess.Popen([str(part) for part in command], env=dict(os.environ))


def wait_for(is_so, process):
    deadline = time.monotonic() + 120
    while not is_so():
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.02)


def run_start(*arguments, **options):
    """Run a command line as a user would, who does not know of the helper."""
    # Readline sets COLUMNS behind Python's back, and a child would inherit that.
    options.setdefault("env", dict(os.environ))
    return subprocess.run(
        [sys.executable, "-m", "localrec", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        **options,
    )


def run_cold(*arguments):
    return run_start(*arguments, env={**os.environ, "LOCALREC_NOT_SHARED": "1"})


def served(log):
    return log.read_text().splitlines() if log.exists() else []


def without_times(text):
    found = json.loads(text)
    found.pop("timings_ms", None)
    return found


class TestAnswers:
    @pytest.mark.parametrize(
        "line",
        [
            ("ask", "a gin drink"),
            ("ask", "a gin drink", "--explain"),
            ("ask", "a drink with unicorn", "-k", "1"),
            ("ask", ""),
            ("ask", "gin", "-k", "0"),
            ("recommend", "--user", "anna"),
            ("recommend", "--user", "nobody"),
        ],
    )
    def test_are_those_of_a_command_of_its_own(self, workspace, helper, log, line):
        warm = run_start(*line, "--workspace", workspace)
        assert len(served(log)) == 1
        cold = run_cold(*line, "--workspace", workspace)
        assert len(served(log)) == 1, "another environment is not served"
        if "--explain" not in line:  # which tells times
            assert warm.stdout == cold.stdout
        assert (warm.returncode, warm.stderr) == (cold.returncode, cold.stderr)
        assert bool(warm.stdout) == bool(cold.stdout)

    def test_are_the_same_as_json(self, workspace, helper, log):
        line = ("--json", "ask", "a gin drink", "--workspace", workspace)
        warm, cold = run_start(*line), run_cold(*line)
        assert without_times(warm.stdout) == without_times(cold.stdout)
        assert len(served(log)) == 1

    def test_go_where_the_command_line_writes(self, workspace, helper, log, tmp_path):
        with (tmp_path / "out.txt").open("w") as out:
            line = [sys.executable, "-m", "localrec", "ask", "a gin drink"]
            subprocess.run(
                [*line, "--workspace", workspace], stdout=out, check=True, env=dict(os.environ)
            )
        assert "gin" in (tmp_path / "out.txt").read_text()
        assert len(served(log)) == 1

    def test_come_from_the_folder_that_is_named_where_one_stands(self, workspace, helper, log):
        found = run_start("--workspace", workspace.name, "ask", "gin", cwd=workspace.parent)
        assert found.returncode == 0
        assert len(served(log)) == 1


class TestWhatChanged:
    def test_a_rating_is_in_the_next_list(self, workspace, helper, log):
        line = ("--json", "recommend", "--user", "anna", "--workspace", workspace)
        before = run_start(*line)
        item = json.loads(before.stdout)["items"][0]["key"]
        told = run_start(
            *("feedback", "--user", "anna", "--item", item, "--rating", "5"),
            *("--workspace", workspace),
        )
        assert told.returncode == 0, told.stderr
        after = run_start(*line)
        assert item not in [one["key"] for one in json.loads(after.stdout)["items"]]
        assert len(served(log)) == 2

    def test_who_was_forgotten_is_unknown_at_once(self, workspace, helper, log):
        line = ("recommend", "--user", "anna", "--workspace", workspace)
        assert "anna" not in run_start(*line).stderr
        gone = run_start("forget", "--user", "anna", "--yes", "--workspace", workspace)
        assert gone.returncode == 0, gone.stderr
        assert "anna" in run_start(*line).stderr  # nobody knows her
        assert len(served(log)) == 2

    def test_a_busy_workspace_opens_its_store_anew_between_requests(self, workspace, monkeypatch):
        monkeypatch.setattr(warm_workspace, "REQUESTS_PER_CONNECTION", 3)
        warm = WarmWorkspace(workspace, hold_s=3600)
        try:
            connections, catalogues = [], []
            for _ in range(5):
                with warm.lease() as opened:
                    catalogues.append(opened.context(opened.domains()[0]).catalogue)
                    connections.append(warm._store._open)
            assert connections[0] is connections[2] is not connections[3] is connections[4]
            assert catalogues[0] is catalogues[4]  # what was read serves on
        finally:
            warm.close()

    def test_a_request_keeps_its_connection_to_its_end(self, workspace, monkeypatch):
        monkeypatch.setattr(warm_workspace, "REQUESTS_PER_CONNECTION", 1)
        warm = WarmWorkspace(workspace, hold_s=3600)
        try:
            with warm.lease():
                connection = warm._store._open
                with warm.lease() as inner:
                    assert inner.domains()
                assert warm._store._open is connection is not None
            assert warm._store._open is None
        finally:
            warm.close()

    def test_what_was_forgotten_leaves_the_memory_although_nobody_asks(self, workspace):
        warm = WarmWorkspace(workspace, hold_s=0)
        try:
            with warm.lease() as opened:
                assert opened.context(opened.domains()[0], "anna").catalogue
            warm.drop_if_changed()
            assert warm._opened is not None
            with warm.released():
                forget(workspace, ForgetScope(user="anna"), dry_run=False, progress=no_progress)
            warm.drop_if_changed()
            assert warm._opened is None
        finally:
            warm.close()


class TestWhoIsServed:
    @pytest.mark.parametrize(
        ("line", "served"),
        [
            ("--workspace w ask gin", True),
            ("ask gin --workspace=w --json", True),
            ("recommend --user anna --workspace w", True),
            ("ask gin --workspace w --system marc-model", False),
            ("ask --batch=q.jsonl --out a.jsonl --workspace w", False),
            ("--workspace here ask -", False),
            ("ask gin --image a.png --workspace w", False),
            ("ask --plain --workspace w", False),
            ("ask --help --workspace w", False),
            ("rank --workspace w", False),
            ("forget --user ask --workspace w", False),
            ("--workspace ask sql", False),
        ],
    )
    def test_is_a_question_or_a_list_without_a_model(self, line, served):
        assert (workspace_in(line.split()) is not None) == served

    def test_is_found_by_the_variable_too(self, monkeypatch):
        monkeypatch.setenv("LOCALREC_WORKSPACE", "here")
        assert workspace_in(["ask", "gin"]) == "here"

    def test_is_nobody_with_other_code(self, workspace, helper, log):
        asked = WarmRequest(kind="run", code="of tomorrow", arguments=("ask", "gin"))
        with Path(os.devnull).open("w") as nowhere:
            assert send(str(workspace), asked, (nowhere.fileno(), nowhere.fileno())) is None
        assert helper.wait(60) == 0  # it makes room for one with that code
        assert served(log) == []

    def test_is_nobody_where_a_socket_was_left_over(self, workspace):
        left = socket.socket(socket.AF_UNIX)
        before = Path.cwd()
        os.chdir(workspace)
        try:
            left.bind(warm_socket.NAME)
        finally:
            os.chdir(before)
            left.close()
        answered = run_start("ask", "gin", "--workspace", workspace)
        assert (answered.returncode, answered.stderr) == (0, "")

    def test_and_half_a_request_harms_nobody(self, workspace, helper, log):
        for content in (b"", b"\xff" * 4, b"\x00\x00\x00\x04run", os.urandom(64)):
            with socket.socket(socket.AF_UNIX) as stranger:
                before = Path.cwd()
                os.chdir(workspace)
                try:
                    stranger.connect(warm_socket.NAME)
                finally:
                    os.chdir(before)
                stranger.sendall(content)
        assert run_start("ask", "gin", "--workspace", workspace).returncode == 0
        assert len(served(log)) == 1


class TestTheSocket:
    def test_is_for_its_owner_alone(self, workspace, helper):
        found = (workspace / warm_socket.NAME).lstat()
        assert stat.S_ISSOCK(found.st_mode)
        assert stat.S_IMODE(found.st_mode) == 0o600
        assert found.st_uid == os.getuid()

    def test_is_no_network_and_no_other_module_makes_one(self):
        tree = ast.parse(Path(warm_socket.__file__).read_text("utf-8"))
        calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
        made = [ast.unparse(one) for one in calls if ast.unparse(one.func) == "socket.socket"]
        assert made
        assert set(made) == {"socket.socket(socket.AF_UNIX)"}
        assert "create_" not in Path(warm_socket.__file__).read_text("utf-8")

    def test_is_the_only_one_of_the_helper(self, helper):
        links = [link.readlink() for link in Path(f"/proc/{helper.pid}/fd").glob("*")]
        held = {str(link)[8:-1] for link in links if str(link).startswith("socket:")}
        for kind in ("tcp", "tcp6", "udp", "udp6"):
            table = Path(f"/proc/{helper.pid}/net/{kind}")
            rows = table.read_text().splitlines()[1:] if table.exists() else []
            assert held.isdisjoint(row.split()[9] for row in rows)

    def test_may_have_a_long_path(self, tmp_path):
        deep = tmp_path / ("a" * 100) / ("b" * 100)
        deep.mkdir(parents=True)
        listener = warm_socket.listen(str(deep))
        assert warm_socket.is_there(str(deep))
        listener.close()
        assert not warm_socket.is_there(str(deep))

    def test_goes_when_nobody_asks_for_a_while(self, workspace, log):
        with started(workspace, log, 0.1) as process:
            assert process.wait(120) == 0
        assert not warm_socket.is_there(str(workspace))

    def test_is_not_what_forgetting_stumbles_over(self, workspace, helper):
        gone = run_start("forget", "--user", "anna", "--yes", "--json", "--workspace", workspace)
        assert gone.returncode == 0, gone.stderr
        assert json.loads(gone.stdout)["searched"]["unread"] == []


class TestTheCommand:
    def test_starts_one_tells_and_ends_it(self, workspace):
        line = ("--workspace", workspace, "warm")
        assert "There is no warm helper" in run_start(*line, "--status").stderr
        first = run_start(*line)
        try:
            assert first.returncode == 0, first.stderr
            assert "until nobody asks for 30 minutes" in first.stderr
            assert "there already" in run_start(*line).stderr
            assert json.loads(run_start(*line, "--status", "--json").stdout) == {"running": True}
        finally:
            ended = run_start(*line, "--stop")
        assert "has ended" in ended.stderr
        assert not warm_socket.is_there(str(workspace))
        assert "There was no warm helper" in run_start(*line, "--stop").stderr

    def test_refuses_a_workspace_without_a_catalogue(self, workspace_path):
        refused = run_start("--workspace", workspace_path, "warm")
        assert refused.returncode == 1
        assert "localrec datasets pull cocktails" in refused.stderr

    def test_and_a_second_helper(self, workspace, helper):
        with pytest.raises(Exception, match="Another process"):
            serve(workspace, 1)


def test_asking_the_helper_loads_nothing_of_the_program(workspace, helper):
    code = (
        "import sys\nfrom localrec.cli import start\n"
        f"sys.argv[1:] = ['ask', 'gin', '--workspace', {str(workspace)!r}]\n"
        "start._leave = lambda code: print(code, *sys.modules, file=sys.stderr)\nstart.main()"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    exit_code, *loaded = told.stderr.split()
    assert exit_code == "0"
    assert "gin" in told.stdout
    assert {"typer", "rich", "numpy", "msgspec", "localrec.cli.app"}.isdisjoint(loaded)
    assert set(SERVED) == {"ask", "recommend"}
