"""The same run on Ray: the same figures, whatever happens to its workers, and nobody else hears."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from localrec.engines.execution import LocalEngine, open_engine
from localrec.evaluation.run_folder import RunFolder
from localrec.foundation.errors import UsageError

ROOT = Path(__file__).parents[2]
MAIN = "import sys; from tests.evaluation.ray_runs import main; main(*sys.argv[1:])"
# The program itself, but for its systems.
SLOW = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
from localrec.evaluation.ranking import ranking_harness
from tests.evaluation.crowd import Fakes
ranking_harness.run_ranking_evaluation.__kwdefaults__["workbench"] = Fakes
from localrec.cli.app import main
main()
"""
SLOW_RUN = """
name = "slow"
data = {domain = "movies"}
chunk = 1
systems = [{name = "slow"}]
"""


@pytest.fixture(scope="module")
def out(tmp_path_factory):
    """Holds the runs `local` and `ray`, once there is `found`."""
    return tmp_path_factory.mktemp("runs")


@pytest.fixture(scope="module")
def found(crowd, out):
    """What one start of Ray, which takes seconds, came to."""
    ended = subprocess.run(
        [sys.executable, "-c", MAIN, crowd, out],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    return json.loads(ended.stdout)


@pytest.mark.timeout(600)
class TestTwoWorkers:
    def test_give_every_case_as_the_local_engine_does(self, found, out):
        def cases(folder):
            files = sorted((out / folder).glob("cases-*.jsonl"))
            return {one.name: re.sub(rb'"ms":[\d.]+', b"", one.read_bytes()) for one in files}

        assert len(cases("local")) == 4
        assert cases("ray") == cases("local")

    def test_give_every_figure_but_the_times(self, found, out):
        def figures(folder):
            told = json.loads((out / folder / "metrics.json").read_bytes())
            for system in told["systems"]:
                system["fit_s"] = system["score_s"] = system["metrics"]["ms"] = None
            return told

        assert [one["failed"] for one in figures("ray")["systems"]] == [""] * 4
        assert figures("ray") == figures("local")

    def test_are_told_of_in_the_origin(self, found, out):
        engines = [RunFolder(out / one).origin().engine for one in ("local", "ray")]
        assert engines == ["local", "ray"]

    def test_are_replaced_when_lost_and_their_chunk_is_done_again(self, found, out):
        assert (out / "grave").exists()
        assert found["redone"] >= 1

    def test_rank_requests_into_the_file_that_one_process_writes(self, found):
        ours, theirs = found["rankings"]
        assert theirs == ours
        assert len({json.loads(line)["ranking"][0] for line in ours.splitlines()}) > 5

    def test_lose_no_ranking_where_one_of_them_is_killed(self, found, out):
        assert (out / "grave-of-rank").exists()
        assert found["ranked_again"] >= 1
        assert len(found["rankings"][1].splitlines()) == 60

    def test_give_each_text_the_vector_of_one_process(self, found):
        ours, theirs = found["vectors"]
        assert theirs == ours
        assert len(ours) > 40
        assert found["chunks_of_texts"] > 1

    def test_are_given_up_on_when_lost_every_time(self, found):
        kind, said = found["deadly"]
        assert kind == "LocalrecError"
        assert "lost its Ray worker 2 times" in said

    def test_have_what_the_work_raised_raised_here(self, found):
        assert found["raised"] == ["InputError", "Chunk 1 is no good. Take another."]

    def test_refuse_what_no_other_process_can_have(self, found):
        kind, said = found["locked"]
        assert kind == "UsageError"
        assert "a local model in a process of its own" in said
        assert said.endswith("Use --engine local.")

    def test_keep_the_order_and_do_not_run_far_ahead(self, found):
        assert found["order"] == [one * one for one in range(20)]
        assert 1 <= found["ahead"] <= 25

    def test_sum_with_as_many_threads_and_may_write_to_their_copies(self, found):
        ours, theirs = found["threads"]
        assert ours == theirs != []
        assert found["writable"] == [True]

    def test_can_be_those_of_a_cluster_that_stays_when_its_guest_leaves(self, found):
        out, complaint, still_runs = found["joined"]
        assert out == "[1, 2, 3, 4, 5]", complaint
        assert still_runs

    def test_are_heard_by_nobody_but_this_machine(self, found):
        assert found["listening"] == ["127.0.0.1"]
        assert not found["dashboard"]
        assert not found["reports_use"]

    def test_keep_their_files_for_the_owner_and_leave_none(self, found):
        assert found["mode"] == 0o700
        assert (found["left_over"], found["children"]) == ([], 0)

    def test_leave_no_token_behind(self, found):
        assert [name for name in found["set"] if "AUTH" in name or "CLUSTER" in name] == []


@pytest.mark.timeout(600)
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks into /proc")
def test_ctrl_c_ends_what_was_started_and_keeps_what_was_done(crowd, tmp_path):
    (tmp_path / "slow.toml").write_text(SLOW_RUN, encoding="utf-8")
    cases, arguments = tmp_path / "run" / "cases-slow.jsonl", ["evaluate", "run"]
    arguments += [tmp_path / "slow.toml", "--out", tmp_path / "run", "--engine", "ray"]
    with subprocess.Popen(
        [sys.executable, "-c", SLOW, "--workspace", crowd, *arguments, "--workers", "2"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        until = time.monotonic() + 200
        while not (cases.is_file() and cases.stat().st_size):
            assert time.monotonic() < until and process.poll() is None, process.communicate()
            time.sleep(0.02)
        # A terminal sends it to all of a session's processes.
        os.killpg(process.pid, signal.SIGINT)
        out, told = process.communicate(timeout=100)
    assert (process.returncode, out) == (130, ""), told
    assert "keeps what was done so far" in told
    assert 0 < len(cases.read_bytes().splitlines()) < 40
    assert running_in_session(process.pid) == []


def running_in_session(session):
    """Command lines of the processes of a session, those that have ended left out."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
            if int(fields[3]) == session and fields[0] != "Z":
                found.append((folder / "cmdline").read_bytes())
        except OSError:  # it has ended meanwhile
            continue
    return found


def test_the_local_engine_has_neither_workers_nor_an_address():
    with open_engine("local") as engine:
        assert isinstance(engine, LocalEngine)
        assert list(engine.map(abs, [-1, 2])) == [1, 2]
    for options in ({"workers": 2}, {"address": "auto"}):
        with pytest.raises(UsageError, match="neither workers nor an address"):
            open_engine("local", **options).__enter__()


def test_without_ray_the_remedy_is_told(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(UsageError, match=r"pip install 'localrec\[ray\]'"):
        open_engine("ray").__enter__()
