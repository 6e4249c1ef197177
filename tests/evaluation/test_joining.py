"""Runs that were begun alike, joined: as if one had measured it all."""

import json

import msgspec
import pytest

from localrec.evaluation.merge import merge_runs
from localrec.evaluation.run_folder import RunFolder
from localrec.foundation.errors import BusyError, InputError, UsageError

from .crowd import config, measure, plant, rows


@pytest.fixture
def parts(crowd, tmp_path):
    """Two runs of a system each."""
    for name in ("popularity", "random"):
        measure(crowd, tmp_path / name, config(name))
    return [RunFolder(tmp_path / name) for name in ("popularity", "random")]


def timeless(result):
    """Figures without what differs each time."""
    metrics = {name: figure for name, figure in result.metrics.items() if name != "ms"}
    return msgspec.structs.replace(result, metrics=metrics, fit_s=0.0, score_s=0.0)


def without_times(path):
    return [{**json.loads(line), "ms": None} for line in path.read_bytes().splitlines()]


def test_what_is_joined_is_what_one_run_would_have_measured(crowd, parts, tmp_path):
    whole = measure(crowd, tmp_path / "whole", config("popularity", "random"))
    joined = merge_runs(parts, RunFolder(tmp_path / "joined"))
    assert joined.complete
    assert [timeless(one) for one in joined.systems] == [timeless(one) for one in whole.systems]
    for name in ("cases-popularity.jsonl", "cases-random.jsonl"):
        both = [without_times(tmp_path / run / name) for run in ("joined", "whole")]
        assert both[0] == both[1]


def test_a_joined_run_goes_on_with_further_systems_in_any_order(crowd, parts, tmp_path):
    before = merge_runs(parts, RunFolder(tmp_path / "joined"))
    after = measure(crowd, tmp_path / "joined", config("random", "fake", "popularity"))
    assert [one.name for one in after.systems] == ["random", "fake", "popularity"]
    assert {one.name: one for one in before.systems}.items() <= {
        one.name: one for one in after.systems
    }.items()


def test_what_a_part_has_not_finished_is_left_out(crowd, parts, tmp_path):
    (parts[1].path / "metrics.json").unlink()
    joined = merge_runs(parts, RunFolder(tmp_path / "joined"))
    assert [one.name for one in joined.systems] == ["popularity"]
    assert not (tmp_path / "joined" / "cases-random.jsonl").exists()


@pytest.mark.parametrize("changed", [{"seed": 8}, {"k": [1, 20]}])
def test_runs_that_were_begun_otherwise_are_not_joined(crowd, parts, tmp_path, changed):
    measure(crowd, tmp_path / "other", config("fake", **changed))
    with pytest.raises(UsageError, match="begun otherwise"):
        merge_runs([parts[0], RunFolder(tmp_path / "other")], RunFolder(tmp_path / "joined"))
    assert not (tmp_path / "joined").exists()


def test_runs_on_other_data_are_not_joined(parts, tmp_path):
    other = plant(tmp_path / "w", rows(users=30))
    measure(other, tmp_path / "other", config("fake"))
    with pytest.raises(UsageError, match="begun otherwise"):
        merge_runs([parts[0], RunFolder(tmp_path / "other")], RunFolder(tmp_path / "joined"))


def test_a_system_comes_from_one_run_alone(crowd, parts, tmp_path):
    measure(crowd, tmp_path / "again", config("fake", "popularity"))
    with pytest.raises(UsageError, match="popularity was measured by two"):
        merge_runs([parts[0], RunFolder(tmp_path / "again")], RunFolder(tmp_path / "joined"))


def test_a_run_that_is_there_is_not_written_over(parts, tmp_path):
    before = (parts[1].path / "metrics.json").read_bytes()
    with pytest.raises(UsageError, match="holds a run already"):
        merge_runs(parts, parts[1])
    assert (parts[1].path / "metrics.json").read_bytes() == before


def test_a_run_that_is_worked_at_is_not_joined(parts, tmp_path):
    with parts[1].alone(), pytest.raises(BusyError):
        merge_runs(parts, RunFolder(tmp_path / "joined"))
    assert not (tmp_path / "joined").exists()


@pytest.mark.parametrize("planted", [b"", b"#!/bin/sh\n", b'{"id": "1"}\n'])
def test_cases_that_are_none_are_not_taken_over(parts, tmp_path, planted):
    (parts[1].path / "cases-random.jsonl").write_bytes(planted)
    with pytest.raises(InputError):
        merge_runs(parts, RunFolder(tmp_path / "joined"))
    assert not (tmp_path / "joined").exists()


def test_figures_of_a_system_that_nobody_asked_for_are_refused(parts, tmp_path):
    figures = (parts[1].path / "metrics.json").read_text()
    (parts[1].path / "metrics.json").write_text(figures.replace('"random"', '"planted"'))
    with pytest.raises(InputError, match="planted, which it did not ask for"):
        merge_runs(parts, RunFolder(tmp_path / "joined"))
    assert not (tmp_path / "joined").exists()


def test_a_join_that_was_killed_is_done_again(parts, tmp_path, monkeypatch):
    into = RunFolder(tmp_path / "joined")
    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(RunFolder, "begin", killed)
        merge_runs(parts, into)
    assert merge_runs(parts, into).complete


def killed(*_):
    raise KeyboardInterrupt
