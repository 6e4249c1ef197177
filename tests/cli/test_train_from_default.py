"""`localrec train from-default` from the command line, on a tiny network."""

from __future__ import annotations

import importlib.util
import json

import pytest

from localrec.training.jobs.training_runs import open_run, runs_folder
from localrec.training.rl.from_default import FromDefaultConfig

pytestmark = pytest.mark.skipif(
    not importlib.util.find_spec("peft"), reason="needs localrec[training]"
)

SMALL = ("--train", 6, "--validation", 4, "--epochs", 1, "--batch", 3, "--threads", 1)


@pytest.fixture
def from_default(cli, bar, gguf):
    def call(*more):
        return cli("train", "from-default", "--base", gguf, *SMALL, *more, "--workspace", bar)

    return call


def test_an_estimate_is_data_and_begins_nothing(from_default, bar):
    done = from_default("--estimate", "--json")
    assert done.code == 0, done.err
    assert json.loads(done.out)["total_seconds"] > 0
    assert not runs_folder(bar).exists()


def test_a_run_says_what_it_gained_and_how_sure_a_change_must_be(from_default, cli, bar, tmp_path):
    done = from_default("--name", "first", "--upper-layers", 1, "--no-curriculum", "--json")
    assert done.code == 0, done.err
    found = json.loads(done.out)
    assert found["trained"]["steps"] == 2
    assert found["verifier"]["cases"] == 4
    run = open_run(runs_folder(bar) / "first")
    assert (run.kind, run.state.status) == ("from-default", "finished")
    config = run.config(FromDefaultConfig)
    assert (config.role, config.curriculum, config.upper_layers) == ("reranker", False, 1)
    out = tmp_path / "first.gguf"
    done = cli("train", "export", "first", "--out", out, "--workspace", bar, "--json")
    assert done.code == 0, done.err
    assert json.loads(done.out)["card"]["role"] == "reranker"  # serves as one that was taught
    again = cli("train", "resume", "first", "--workspace", bar)
    assert (again.code, "came to its end" in again.err) == (2, True)


def test_a_run_that_was_stopped_is_resumed(from_default, cli, bar, monkeypatch):
    from localrec.training.rl import from_default as training

    def stopped(*_, **__):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(training, "train", stopped)
        from_default("--name", "second")
    done = cli("train", "resume", "second", "--workspace", bar)
    assert done.code == 0, done.err
    assert "calibrating requests" in " ".join(done.out.split())
    assert open_run(runs_folder(bar) / "second").state.status == "finished"


def test_a_finished_run_is_refined_and_keeps_its_requests(from_default, cli, bar):
    assert from_default("--name", "third", "--upper-layers", 1).code == 0
    done = cli("train", "from-default", "--refine", "third", "--name", "fourth", "--epochs", 2,
               "--workspace", bar, "--json")  # fmt: skip
    assert done.code == 0, done.err
    assert json.loads(done.out)["verifier"]["cases"] == 4
    config = open_run(runs_folder(bar) / "fourth").config(FromDefaultConfig)
    assert (config.refine, config.epochs, config.train, config.upper_layers) == ("third", 2, 6, 1)
    assert config.threads == 1


def test_a_refinement_that_was_stopped_is_resumed(from_default, cli, bar, monkeypatch):
    from localrec.training.rl import from_default as training

    def stopped(*_, **__):
        raise KeyboardInterrupt

    assert from_default("--name", "fifth").code == 0
    with monkeypatch.context() as patched:
        patched.setattr(training, "train", stopped)
        cli("train", "from-default", "--refine", "fifth", "--name", "sixth", "--workspace", bar)
    done = cli("train", "resume", "sixth", "--workspace", bar)
    assert done.code == 0, done.err
    assert open_run(runs_folder(bar) / "sixth").state.status == "finished"


def test_a_refinement_takes_no_requests_or_base_of_its_own(from_default, bar):
    assert from_default("--name", "seventh").code == 0
    done = from_default("--refine", "seventh", "--name", "eighth")
    assert done.code == 2
    assert "takes base, train, validation from seventh" in " ".join(done.err.split())
    assert not (runs_folder(bar) / "eighth").exists()
