"""A run's folder: killed runs go on where they were, and only as they were begun."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import msgspec
import pytest

from localrec.evaluation.comparisons import compare_runs
from localrec.evaluation.run_folder import RunFolder, find_run, runs_in
from localrec.foundation.errors import BusyError, InputError, UsageError

from .crowd import MADE, config, measure, plant, rows

ROOT = Path(__file__).parents[2]
PROGRAM = "import sys; from tests.evaluation.crowd import main; main(*sys.argv[1:])"


def lines(path):
    """Cases without the times, which nobody can repeat."""
    return [{**json.loads(line), "ms": None} for line in path.read_bytes().splitlines()]


def test_a_run_killed_at_any_time_goes_on_and_ends_as_if_it_had_not_been(crowd, tmp_path):
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    measure(crowd, whole, config("slow", chunk=4))
    cases = killed / "cases-slow.jsonl"
    process = subprocess.Popen([sys.executable, "-c", PROGRAM, str(crowd), str(killed)], cwd=ROOT)
    deadline = time.monotonic() + 60
    while not (cases.is_file() and cases.stat().st_size) and time.monotonic() < deadline:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    kept = cases.read_bytes()
    assert 0 < kept.count(b"\n") < 40
    assert not (killed / "metrics.json").exists()
    torn = cases.stat().st_size - 20  # as a kill in the midst of a line would leave it
    with cases.open("r+b") as file:
        file.truncate(torn)
    kept = kept[: kept[:torn].rfind(b"\n") + 1]
    measure(crowd, killed, config("slow", chunk=4))
    assert cases.read_bytes().startswith(kept)
    assert lines(cases) == lines(whole / "cases-slow.jsonl")
    figures = [RunFolder(one).metrics().systems[0].metrics for one in (whole, killed)]
    assert {**figures[0], "ms": None} == {**figures[1], "ms": None}


def test_what_is_measured_is_not_measured_again(crowd, tmp_path, monkeypatch):
    measure(crowd, tmp_path / "run", config("popularity", "fake"))
    before = (tmp_path / "run" / "metrics.json").read_bytes()
    monkeypatch.setattr("localrec.evaluation.ranking.ranking_harness.ask_rest", None)
    measure(crowd, tmp_path / "run", config("popularity", "fake"))
    assert (tmp_path / "run" / "metrics.json").read_bytes() == before


def test_a_system_that_failed_is_tried_again(crowd, tmp_path, monkeypatch):
    assert measure(crowd, tmp_path / "run", config("nofit")).systems[0].failed
    monkeypatch.setattr("tests.evaluation.crowd.NoFit.fit", lambda *_: None)
    monkeypatch.setattr(
        "tests.evaluation.crowd.NoFit.score", lambda self, asked: [[1.0] * 40] * len(asked)
    )
    assert not measure(crowd, tmp_path / "run", config("nofit")).systems[0].failed


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"seed": 8}, "another state of: configuration"),
        ({"protocol": {"candidates": 5}}, "another state of: configuration"),
        ({"k": [1, 20]}, "another state of: configuration"),
    ],
)
def test_a_run_is_gone_on_with_only_as_it_was_begun(crowd, tmp_path, changed, said):
    measure(crowd, tmp_path / "run", config("popularity"))
    with pytest.raises(UsageError, match=said):
        measure(crowd, tmp_path / "run", config("popularity", **changed))


def test_further_systems_join_a_run_and_what_was_measured_stays(crowd, tmp_path):
    out = tmp_path / "run"
    before = measure(crowd, out, config("popularity"))
    joined = measure(crowd, out, config("random", "popularity"))
    assert [one.name for one in joined.systems] == ["random", "popularity"]
    assert joined.systems[1] == before.systems[0]
    assert [one.name for one in RunFolder(out).origin().run.systems] == ["random", "popularity"]


def test_a_system_does_not_leave_a_run(crowd, tmp_path):
    measure(crowd, tmp_path / "run", config("popularity", "random"))
    with pytest.raises(UsageError, match="another state of: configuration"):
        measure(crowd, tmp_path / "run", config("popularity"))


def test_a_run_is_not_gone_on_with_on_other_data(crowd, tmp_path):
    measure(crowd, tmp_path / "run", config("popularity"))
    other = plant(tmp_path / "other", rows(users=30))
    with pytest.raises(UsageError, match="another state of: data"):
        measure(other, tmp_path / "run", config("popularity"))


def test_a_run_is_not_gone_on_with_under_other_versions(crowd, tmp_path, monkeypatch):
    measure(crowd, tmp_path / "run", config("popularity"))
    begun_with(monkeypatch, localrec="1")
    with pytest.raises(UsageError, match="another state of: versions"):
        measure(crowd, tmp_path / "run", config("popularity"))


def test_a_package_that_came_since_is_told_and_one_that_went_is_not_forgotten(
    crowd, tmp_path, monkeypatch
):
    out = tmp_path / "run"
    for versions in ({"scipy": "1"}, {"torch": "2"}, {}):
        begun_with(monkeypatch, localrec="0", **versions)
        measure(crowd, out, config("popularity"))
    made = RunFolder(out).origin().made
    assert made.versions == {"localrec": "0", "scipy": "1", "torch": "2"}


def begun_with(monkeypatch, **versions):
    made = msgspec.structs.replace(MADE, versions=versions)
    monkeypatch.setattr("tests.evaluation.crowd.MADE", made)


def test_a_run_keeps_how_it_was_made(crowd, tmp_path):
    measure(crowd, tmp_path / "run", config("popularity", title="Who is liked"))
    origin = RunFolder(tmp_path / "run").origin()
    assert (origin.users, origin.items, origin.interactions) == (40, 40, 400)
    assert (origin.train, origin.validation, origin.test) == (320, 40, 40)
    assert origin.made == MADE
    assert len(origin.fingerprint) == 32
    assert (tmp_path / "run").stat().st_mode & 0o077 == 0
    assert (tmp_path / "run" / "cases-popularity.jsonl").stat().st_mode & 0o077 == 0


def test_two_processes_do_not_write_one_run(tmp_path):
    folder = RunFolder(tmp_path / "run")
    with (
        folder.alone(),
        pytest.raises(BusyError, match="Another process is writing"),
        RunFolder(tmp_path / "run").alone(),
    ):
        pass


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"shopping list", "no case"),
        (b'{"id":"1"}\n', "line 1 is no case"),
        (b"\n", "line 1 is no case"),
    ],
)
def test_a_foreign_file_of_cases_is_left_alone(crowd, tmp_path, content, said):
    out = tmp_path / "run"
    measure(crowd, out, config("popularity"))
    (out / "metrics.json").unlink()
    (out / "cases-popularity.jsonl").write_bytes(content)
    (found,) = measure(crowd, out, config("popularity")).systems
    assert said in found.failed
    assert (out / "cases-popularity.jsonl").read_bytes() == content


def test_a_foreign_folder_is_no_run(tmp_path):
    with pytest.raises(InputError, match="There is no run 'x'"):
        find_run("x", tmp_path)
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "origin.json").write_text("{}", encoding="utf-8")
    with pytest.raises(InputError, match="is no part of a run"):
        find_run("x", tmp_path).origin()
    assert [run.path.name for run in runs_in(tmp_path)] == ["x"]


@pytest.fixture(scope="module")
def runs(crowd, tmp_path_factory):
    """Two runs of one protocol that share a system, and one of another protocol."""
    home = tmp_path_factory.mktemp("runs")
    ten = {"candidates": 10}
    measure(crowd, home / "a", config("ease", "random", protocol=ten))
    measure(crowd, home / "b", config("popularity", "random", protocol=ten))
    measure(crowd, home / "c", config("ease", "random"))
    return RunFolder(home / "a"), RunFolder(home / "b"), RunFolder(home / "c")


class TestAComparison:
    def verdicts(self, *arguments):
        (found,) = compare_runs(*arguments)
        return {one.metric: one.compared.verdict for one in found.metrics}

    def test_tells_better_from_worse(self, runs):
        one, _, _ = runs
        assert self.verdicts(one, one, "ease", "random")["NDCG@10"] == "better"
        assert self.verdicts(one, one, "random", "ease")["NDCG@10"] == "worse"

    def test_of_a_system_with_itself_is_not_separable(self, runs):
        one, other, _ = runs
        found = self.verdicts(one, other, None, None)  # random is in both
        assert set(found.values()) == {"not separable"}

    def test_has_the_figures_of_both_and_their_difference(self, runs):
        one, other, _ = runs
        (found,) = compare_runs(one, other, "ease", "popularity")
        line = {each.metric: each for each in found.metrics}["H@5"]
        figures = {
            each.name: each.metrics for each in (*one.metrics().systems, *other.metrics().systems)
        }
        assert (line.ours, line.theirs) == (figures["ease"]["H@5"], figures["popularity"]["H@5"])
        gap = line.ours.value - line.theirs.value
        assert line.compared.difference.value == pytest.approx(gap, abs=2e-4)

    def test_needs_the_same_cases(self, runs):
        one, other, full = runs
        with pytest.raises(UsageError, match="the protocol differ"):
            compare_runs(one, full, None, None)
        with pytest.raises(UsageError, match="a has measured ease, random"):
            compare_runs(one, other, "bpr", None)
        with pytest.raises(UsageError, match="no better than itself"):
            compare_runs(one, one, None, None)

    def test_needs_whole_runs(self, runs, tmp_path):
        one, other, _ = runs
        half = RunFolder(tmp_path / "half")
        half.begin(b"", other.origin())
        half.write("metrics.json", other.metrics())
        half.append("random", other.outcomes("random")[:7])
        with pytest.raises(UsageError, match="has 7 cases of random, but was asked"):
            compare_runs(one, half, "random", None)


def test_metrics_come_back_as_they_were(crowd, tmp_path):
    found = measure(crowd, tmp_path / "run", config("ease"))
    read = RunFolder(tmp_path / "run").metrics()
    assert msgspec.to_builtins(read) == msgspec.to_builtins(found)
