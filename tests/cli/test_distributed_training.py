"""Two processes that were launched together train what one process trains."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from datetime import timedelta

import pytest

from localrec.training.jobs.distributed import SINGLE_PROCESS, join_process_group
from localrec.training.jobs.training_runs import open_run, runs_folder

pytestmark = pytest.mark.skipif(
    not importlib.util.find_spec("trl"), reason="needs localrec[training]"
)

ADAPTER = (
    *("train", "adapter", "router", "--train", "25", "--validation", "8", "--batch", "6"),
    *("--threads", "1"),
)
GRPO = (
    *("train", "grpo", "--no-tools", "--no-sequential", "--candidates", "5"),
    *("--max-thought-chars", "8"),
    *("--max-tokens", "8192", "--prompts-per-step", "2", "--steps", "2", "--validation", "2"),
    *("--requests", "6", "--workers", "1", "--learning-rate", "1e-3"),
)


def launch(bar, size, *command):
    """Run a command in so many processes, as a launcher does; what each of them said."""
    beside = {"WORLD_SIZE": size, "LOCAL_WORLD_SIZE": size} if size > 1 else {}
    processes = [
        subprocess.Popen(
            [sys.executable, "-m", "localrec", "--workspace", str(bar), *map(str, command)],
            env={
                **os.environ,
                "OMP_NUM_THREADS": "1",
                **{name: str(value) for name, value in beside.items()},
                **({"RANK": str(rank), "LOCAL_RANK": str(rank)} if beside else {}),
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for rank in range(size)
    ]
    said = [process.communicate(timeout=300) for process in processes]
    assert [process.returncode for process in processes] == [0] * size, said
    return said


def weights(run):
    from localrec.training.adapters.lora import read_weights

    return read_weights(run.adapter)


@pytest.mark.parametrize(
    ("command", "logged"),
    [(ADAPTER, {"loss", "accuracy"}), (GRPO, {"reward", "valid", "tokens", "gradient"})],
    ids=["adapter", "grpo"],
)
def test_two_train_what_one_trains_and_the_leader_alone_speaks(bar, gguf, command, logged):
    import torch

    name = command[1]
    launch(bar, 1, *command, "--base", gguf, "--name", f"{name}-one")
    (_, heard), (silent, nothing) = launch(
        bar, 2, *command, "--base", gguf, "--name", f"{name}-two"
    )
    assert "about" in heard
    assert (silent, nothing) == ("", "")
    one, two = (open_run(runs_folder(bar) / f"{name}-{which}") for which in ("one", "two"))
    assert two.state.status == "finished"
    for by_one, by_two in zip(one.records(), two.records(), strict=True):
        assert by_two.step == by_one.step
        for figure in logged:  # of both processes together
            assert by_two.values[figure] == pytest.approx(by_one.values[figure], rel=1e-3)
    alone, together = weights(one), weights(two)
    assert any(bool(weight.abs().max() > 0) for key, weight in alone.items() if "lora_B" in key)
    for key, weight in alone.items():
        assert torch.allclose(weight, together[key], atol=1e-4), key
    assert not list(bar.glob(".launched-by-*"))


def test_groups_that_cannot_be_shared_out_are_refused(gguf):
    from localrec.foundation.errors import UsageError
    from localrec.training.jobs.distributed import DistributedContext
    from localrec.training.rl.grpo_trainer import PolicyTraining
    from localrec.training.rl.policy_config import GrpoConfig

    config = GrpoConfig(base="tiny", groups=3)
    with pytest.raises(UsageError) as refused:
        PolicyTraining(*[None] * 3, config, *[None] * 3, (None, 0), DistributedContext(0, 2))
    assert "--prompts-per-step 4" in refused.value.hint


def test_processes_on_several_machines_are_refused(monkeypatch, tmp_path):
    from localrec.foundation.errors import UsageError

    for name, value in {"WORLD_SIZE": "4", "LOCAL_WORLD_SIZE": "2", "RANK": "0"}.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(UsageError, match="one machine"), join_process_group("cpu", tmp_path):
        pass


def test_whoever_waits_for_others_in_vain_is_told_so(monkeypatch, tmp_path):
    from localrec.foundation.errors import UsageError

    monkeypatch.setattr("localrec.training.jobs.distributed._ARRIVAL", timedelta(seconds=1))
    for name, value in {"WORLD_SIZE": "2", "LOCAL_WORLD_SIZE": "2", "RANK": "0"}.items():
        monkeypatch.setenv(name, value)
    with (
        pytest.raises(UsageError, match="not all of them came"),
        join_process_group("cpu", tmp_path),
    ):
        pass
    assert not list(tmp_path.iterdir())
    assert os.environ["WORLD_SIZE"] == "2"


def test_one_process_is_alone(monkeypatch, tmp_path):
    monkeypatch.delenv("WORLD_SIZE", raising=False)
    with join_process_group("cpu", tmp_path) as ranks:
        assert ranks is SINGLE_PROCESS
    assert ranks.is_main
    assert ranks.share([1, 2, 3]) == [1, 2, 3]
    assert ranks.total([1.0, 2]) == [1.0, 2]
    assert ranks.mean({"reward": 0.5, "loss": None}) == {"reward": 0.5, "loss": None}
    assert (ranks.any(True), ranks.any(False)) == (True, False)
    assert ranks.device("cuda") == "cuda"
