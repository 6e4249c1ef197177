"""A training's folder: what survives a kill, what is refused, who may train in it."""

from __future__ import annotations

import os

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from localrec.foundation.errors import BusyError, InputError, UsageError
from localrec.training.jobs.training_runs import (
    StepRecord,
    TrainingData,
    continued_run,
    create_run,
    open_run,
)


class Knitting(msgspec.Struct, frozen=True, tag="knitting"):
    rows: int


DATA = TrainingData(
    fingerprint="f",
    counts={"train": 3},
    base="Tiny",
    base_fingerprint="b",
    seeds={"all": 7},
    versions={"torch": "2"},
)


@pytest.fixture
def run(tmp_path):
    return create_run(tmp_path, "scarf", Knitting(4), DATA)


def log(run, *steps):
    for step in steps:
        run.log(StepRecord(step=step, values={"loss": 1.0 / step}))


def kept(run, step, text="weights"):
    with run.checkpoint(step) as folder:
        (folder / "adapter").mkdir()
        (folder / "adapter" / "w").write_text(f"{text} {step}", encoding="utf-8")


def test_a_run_is_opened_as_it_was_begun(run):
    again = open_run(run.path)
    assert (again.kind, again.config(Knitting), again.data) == ("knitting", Knitting(4), DATA)
    assert again.state.status == "stopped"


def test_a_folder_that_is_no_run_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"no config\.json"):
        open_run(tmp_path)


@pytest.mark.parametrize("name", ["", "../out", "a/b", ".hidden", "x" * 65, "a\n"])
def test_a_name_that_is_no_folder_everywhere_is_refused(tmp_path, name):
    with pytest.raises(UsageError):
        create_run(tmp_path, name, Knitting(1), DATA)
    assert not list(tmp_path.iterdir())


def test_a_taken_name_is_refused_and_changes_nothing(run):
    with pytest.raises(UsageError, match="already"):
        create_run(run.path.parent, "scarf", Knitting(9), DATA)
    assert run.config(Knitting).rows == 4


@pytest.mark.parametrize("field", ["fingerprint", "base_fingerprint", "versions", "seeds"])
def test_a_run_is_gone_on_with_only_on_what_it_was_begun_on(run, field):
    other = {"versions": {"torch": "3"}, "seeds": {"all": 8}}.get(field, "other")
    with pytest.raises(InputError, match=field.replace("_", " ")):
        continued_run(run.path, msgspec.structs.replace(DATA, **{field: other}))
    assert continued_run(run.path, DATA).kind == "knitting"


def test_what_was_logged_behind_the_checkpoint_is_logged_again(run):
    with run.training():
        assert run.begin(6) is None
        log(run, 1, 2)
        kept(run, 2)
        log(run, 3)
    with (run.path / "metrics.jsonl").open("ab") as file:
        file.write(b'{"step":4,"val')  # killed within a line
    with run.training():
        found = run.begin(6)
        assert found is not None
        assert found.step == 2
        assert [one.step for one in run.records()] == [1, 2]
        log(run, 3)
    assert [one.values["loss"] for one in run.records()] == [1.0, 0.5, 1 / 3]


def test_a_changed_checkpoint_is_passed_over_for_the_one_before(run):
    with run.training():
        run.begin(3)
        kept(run, 1)
        kept(run, 2)
    (run.path / "checkpoints" / "step-2" / "adapter" / "w").write_text("swapped", "utf-8")
    found = open_run(run.path).latest_checkpoint()
    assert found is not None
    assert found.step == 1


def test_a_file_that_was_put_into_a_checkpoint_makes_it_none(run):
    with run.training():
        run.begin(3)
        kept(run, 1)
    (run.path / "checkpoints" / "step-1" / "optimizer.pt").write_bytes(b"\x80\x04")
    assert run.latest_checkpoint() is None


def test_a_checkpoint_that_failed_half_way_is_not_there(run):
    with run.training():
        run.begin(3)
        kept(run, 1)
        with pytest.raises(KeyboardInterrupt), run.checkpoint(2) as folder:
            (folder / "w").write_text("half", "utf-8")
            raise KeyboardInterrupt
    assert [one.name for one in (run.path / "checkpoints").iterdir()] == ["step-1"]
    found = run.latest_checkpoint()
    assert found is not None
    assert found.step == 1


def test_what_a_killed_process_left_of_a_checkpoint_goes_with_the_next_one(run):
    gone = 2**22 + 1  # a number that Linux gives to no process
    left = run.path / "checkpoints" / f"step-1.{gone}-0123abcd.tmp"
    left.mkdir(parents=True)
    with run.training():
        run.begin(3)
        kept(run, 1)
    assert [one.name for one in (run.path / "checkpoints").iterdir()] == ["step-1"]


def test_only_two_checkpoints_are_kept_and_none_of_a_finished_run(run):
    with run.training():
        run.begin(4)
        for step in (1, 2, 3):
            kept(run, step)
        names = sorted(one.name for one in (run.path / "checkpoints").iterdir())
        assert names == ["step-2", "step-3"]
        run.finish()
    assert run.state.status == "finished"
    assert run.latest_checkpoint() is None


def test_a_second_process_is_told_who_trains_here(run):
    again = open_run(run.path)
    with run.training(), pytest.raises(BusyError, match=str(os.getpid())), again.training():
        pass
    with run.training():
        pass


def test_a_run_that_was_left_is_stopped(run):
    with pytest.raises(ZeroDivisionError), run.training():
        run.begin(2)
        assert run.state.status == "running"
        raise ZeroDivisionError
    assert run.state.status == "stopped"


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=25)
@given(cut=st.integers(min_value=0, max_value=200))
def test_wherever_a_kill_tears_the_figures_whole_lines_survive(tmp_path_factory, cut):
    run = create_run(tmp_path_factory.mktemp("torn"), "r", Knitting(1), DATA)
    with run.training():
        run.begin(9)
        log(run, 1, 2, 3)
    path = run.path / "metrics.jsonl"
    content = path.read_bytes()
    path.write_bytes(content[: len(content) - cut] if cut < len(content) else b"")
    steps = [one.step for one in open_run(run.path).records()]
    assert steps == [1, 2, 3][: len(steps)]
    assert len(steps) >= path.read_bytes().count(b"\n")
