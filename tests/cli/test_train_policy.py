"""`localrec train grpo`, `refine` and `resume` from the command line, on a tiny network."""

from __future__ import annotations

import importlib.util
import json
import shutil

import pytest

from localrec.training.runs import open_run, runs_folder
from tests.training.conftest import frequented  # noqa: F401
from tests.training.tiny_models import make_tiny

pytestmark = pytest.mark.skipif(
    not importlib.util.find_spec("trl"), reason="needs localrec[training]"
)

FEW = ("--no-tools", "--no-sequential", "--candidates", 5, "--thought", 8, "--max-tokens", 8192)
SHORT = ("--groups", 1, "--steps", 1, "--validation", 2, "--requests", 6, "--workers", 1)


@pytest.fixture(scope="module")
def gguf(tmp_path_factory):
    """A tiny network with room for a conversation letter by letter."""
    return make_tiny("llama", tmp_path_factory.mktemp("tiny"), context=8192).gguf


@pytest.fixture(scope="module")
def bar(frequented, tmp_path_factory):  # noqa: F811
    """A workspace with guests, of this module's own."""
    place = tmp_path_factory.mktemp("trained") / "workspace"
    shutil.copytree(frequented, place)
    return place


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
        *("train", "refine", "first", "--searched", 4, "--steps", 1, "--name", "second"),
        *("--workspace", bar, "--json"),
    )
    assert done.code == 0, done.err
    run = open_run(runs_folder(bar) / "second")
    assert (run.kind, run.state.status) == ("refine", "finished")
    assert (run.path / "pairs.jsonl").exists()


def test_what_is_no_run_is_refused(cli, bar):
    done = cli("train", "resume", "nothing", "--workspace", bar)
    assert done.code == 1
    assert "no training run" in done.err
    assert cli("train", "refine", "nothing", "--workspace", bar).code == 1
