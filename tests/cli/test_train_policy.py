"""`localrec train grpo`, `refine` and `resume` from the command line, on a tiny network."""

from __future__ import annotations

import importlib.util
import json

import pytest

from localrec.training.jobs.training_runs import open_run, runs_folder
from localrec.training.rl.policy_config import RefineConfig

pytestmark = pytest.mark.skipif(
    not importlib.util.find_spec("trl"), reason="needs localrec[training]"
)

FEW = (
    *("--no-tools", "--no-sequential", "--candidates", 5),
    *("--max-thought-chars", 8, "--max-tokens", 8192),
)
SHORT = ("--prompts-per-step", 1, "--steps", 1, "--validation", 2, "--requests", 6, "--workers", 1)


def grpo(cli, bar, gguf, *more):
    return cli("train", "grpo", "--base", gguf, *FEW, *SHORT, *more, "--workspace", bar, "--json")


def test_an_estimate_is_data_and_begins_nothing(cli, bar, gguf):
    done = grpo(cli, bar, gguf, "--estimate")
    assert done.code == 0, done.err
    found = json.loads(done.out)
    assert found["memory_bytes"] > 0
    assert found["is_measured"]
    assert not runs_folder(bar).exists()


def test_a_run_is_trained_refined_and_not_gone_on_with_once_it_is_over(cli, bar, gguf):
    done = grpo(cli, bar, gguf, "--name", "first")
    assert done.code == 0, done.err
    found = json.loads(done.out)
    assert (found["run"], found["state"]["status"]) == ("first", "finished")
    assert 0 <= found["last"]["values"]["validation_score"] <= 1

    assert grpo(cli, bar, gguf, "--name", "first").code == 2
    again = cli("train", "resume", "first", "--workspace", bar)
    assert (again.code, "came to its end" in again.err) == (2, True)

    done = cli(
        *("train", "refine", "first", "--mine-requests", 4, "--steps", 1, "--name", "second"),
        *("--workspace", bar, "--json"),
    )
    assert done.code == 0, done.err
    run = open_run(runs_folder(bar) / "second")
    assert (run.kind, run.state.status) == ("refine", "finished")
    assert (run.path / "pairs.jsonl").exists()


def test_an_exported_adapter_is_refined_and_trained_on_by_its_file(
    cli, bar, gguf, tmp_path, monkeypatch
):
    if not (runs_folder(bar) / "first").exists():
        assert grpo(cli, bar, gguf, "--name", "first").code == 0
    file = tmp_path / "first.gguf"
    done = cli("train", "export", "first", "--out", file, "--workspace", bar)
    assert done.code == 0, done.err
    assert str(tmp_path.parent) not in file.with_suffix(".json").read_text()

    done = grpo(cli, bar, gguf, "--name", "again", "--init-adapter", file)
    assert done.code == 0, done.err
    done = cli("train", "export", "again", "--out", tmp_path / "again.gguf", "--workspace", bar)
    assert done.code == 0, done.err
    card = json.loads((tmp_path / "again.json").read_text())
    assert card["settings"]["start"] == "first"
    first = json.loads(file.with_suffix(".json").read_text())

    # The base of a tiny network is in no catalogue.
    refine = ("--mine-requests", 4, "--steps", 1, "--workspace", bar, "--json")
    done = cli("train", "refine", file, *refine)
    assert (done.code, "not in the catalogue" in done.err) == (1, True)
    monkeypatch.setattr("localrec.training.rl.refine_from.base_of", lambda _: str(gguf))
    # Whoever passed it on has named another model.
    planted = {**first["settings"], "serving": str(tmp_path / "planted.gguf")}
    file.with_suffix(".json").write_text(json.dumps({**first, "settings": planted}))
    done = cli("train", "refine", file, "--name", "third", *refine)
    assert done.code == 0, done.err
    third = open_run(runs_folder(bar) / "third")
    assert third.state.status == "finished"
    assert third.config(RefineConfig).serving == ""

    file.with_suffix(".json").write_text("{}")
    done = cli("train", "refine", file, *refine)
    assert (done.code, "card" in done.err) == (1, True)


def test_what_is_no_run_is_refused(cli, bar):
    done = cli("train", "resume", "nothing", "--workspace", bar)
    assert done.code == 1
    assert "no training run" in done.err
    assert cli("train", "refine", "nothing", "--workspace", bar).code == 1
