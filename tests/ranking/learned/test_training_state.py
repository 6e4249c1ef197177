"""A killed training of a network goes on where it was, and ends in the same weights."""

import signal
import subprocess
import sys

import numpy as np
import pytest

pytest.importorskip("torch")

from localrec.ranking.learned.artefact import read_artefact, take_apart
from localrec.ranking.learned.evidence.base import FitContext, FitStoppedError
from localrec.ranking.learned.fitting import fit_or_read
from localrec.ranking.learned.neural import training, training_state
from tests.ranking.learned.planted import chained_log, group_side

STOP_AT = 41
SMALL = training.TrainingConfig(size=8, state_size=8, blocks=1, epochs=1, fewest_steps=60)


def keep_every_step(patch):
    """Train a small network whose state is kept at each step."""
    patch.setattr(training_state, "_EVERY_S", 0.0)
    patch.setattr(training, "TrainingConfig", lambda: SMALL)


@pytest.fixture(autouse=True)
def every_step_is_kept(monkeypatch):
    keep_every_step(monkeypatch)


def context(should_stop=lambda: False, progress=lambda *_: None):
    log = chained_log()
    return FitContext(
        log=log,
        side=group_side(log.items),
        seed=3,
        memory_limit=1 << 30,
        threads=1,
        progress=progress,
        should_stop=should_stop,
    )


def stopping_at(step):
    asked = []

    def should_stop():
        asked.append(1)
        return len(asked) > step

    return should_stop


def stop_at(step, kind, folder, mark="m"):
    with pytest.raises(FitStoppedError):
        fit_or_read(kind, context(stopping_at(step)), folder, mark)


def steps_kept(folder):
    return read_artefact(folder / "training")[0]["step"]


def arrays(fitted):
    return take_apart(fitted)[1]


def whole(kind, folder):
    return arrays(fit_or_read(kind, context(), folder / "whole", "m"))


@pytest.mark.parametrize("kind", ["gru", "attention"])
def test_a_stopped_training_ends_in_the_weights_of_one_that_was_not(kind, tmp_path):
    expected = whole(kind, tmp_path)
    stop_at(STOP_AT, kind, tmp_path / "stopped")
    assert (tmp_path / "stopped" / "training").exists()
    resumed = arrays(fit_or_read(kind, context(), tmp_path / "stopped", "m"))
    assert expected.keys() == resumed.keys()
    assert all(np.array_equal(expected[name], resumed[name]) for name in expected)
    assert not (tmp_path / "stopped" / "training").exists()


_KILLED = """
import os, pathlib, signal, sys
import pytest
from localrec.ranking.learned.fitting import fit_or_read
from tests.ranking.learned.test_training_state import context, keep_every_step

def tell(what, done, total):
    if done >= 40:
        os.kill(os.getpid(), signal.SIGKILL)

keep_every_step(pytest.MonkeyPatch())
fit_or_read("gru", context(progress=tell), pathlib.Path(sys.argv[1]), "m")
"""


def test_a_training_killed_by_the_system_loses_no_step_and_changes_no_weight(tmp_path):
    folder = tmp_path / "killed"
    killed = subprocess.run([sys.executable, "-c", _KILLED, str(folder)], check=False)
    assert killed.returncode == -signal.SIGKILL
    assert steps_kept(folder) == 40
    expected, resumed = whole("gru", tmp_path), arrays(fit_or_read("gru", context(), folder, "m"))
    assert all(np.array_equal(expected[name], resumed[name]) for name in expected)
    assert not (folder / "training").exists()


def test_a_resumed_training_makes_only_the_steps_that_were_left(tmp_path):
    stop_at(STOP_AT, "gru", tmp_path)
    made = steps_kept(tmp_path)
    assert made == STOP_AT
    stop_at(1, "gru", tmp_path)
    assert steps_kept(tmp_path) == made + 1


def test_what_was_kept_of_other_rows_is_not_taken_up(tmp_path):
    stop_at(STOP_AT, "gru", tmp_path, "of other rows")
    stop_at(1, "gru", tmp_path)
    assert steps_kept(tmp_path) == 1


@pytest.mark.parametrize("content", [b"", b"no json", b"{}"])
def test_a_damaged_file_costs_only_what_it_held(tmp_path, content):
    (tmp_path / "training").mkdir()
    (tmp_path / "training" / "ranker.json").write_bytes(content)
    expected = whole("gru", tmp_path)
    found = arrays(fit_or_read("gru", context(), tmp_path, "m"))
    assert all(np.array_equal(expected[name], found[name]) for name in expected)
