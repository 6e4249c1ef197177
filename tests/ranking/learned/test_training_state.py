"""A killed training of a network goes on where it was, and ends in the same weights."""

import numpy as np
import pytest

pytest.importorskip("torch")

from localrec.ranking.learned.artefact import read_artefact, take_apart
from localrec.ranking.learned.evidence.base import FitContext, FitStoppedError
from localrec.ranking.learned.fitting import fit_or_read
from localrec.ranking.learned.neural import training_state
from tests.ranking.learned.planted import chained_log, nothing_known

STOP_AT = 41


@pytest.fixture(autouse=True)
def every_step_is_kept(monkeypatch):
    monkeypatch.setattr(training_state, "_EVERY_S", 0.0)


def context(should_stop=lambda: False):
    log = chained_log()
    return FitContext(
        log=log,
        side=nothing_known(log.items),
        seed=3,
        memory_limit=1 << 30,
        threads=1,
        progress=lambda *_: None,
        should_stop=should_stop,
    )


def stopping_at(step):
    asked = []

    def should_stop():
        asked.append(1)
        return len(asked) > step

    return should_stop


def kill_at(step, kind, folder, mark="m"):
    with pytest.raises(FitStoppedError):
        fit_or_read(kind, context(stopping_at(step)), folder, mark)


def steps_kept(folder):
    return read_artefact(folder / "training")[0]["step"]


def arrays(fitted):
    return take_apart(fitted)[1]


@pytest.mark.parametrize("kind", ["gru", "attention"])
def test_a_killed_training_ends_in_the_weights_of_one_that_was_not(kind, tmp_path):
    whole = arrays(fit_or_read(kind, context(), tmp_path / "whole", "m"))
    kill_at(STOP_AT, kind, tmp_path / "killed")
    assert (tmp_path / "killed" / "training").exists()
    resumed = arrays(fit_or_read(kind, context(), tmp_path / "killed", "m"))
    assert whole.keys() == resumed.keys()
    assert all(np.array_equal(whole[name], resumed[name]) for name in whole)
    assert not (tmp_path / "killed" / "training").exists()


def test_a_resumed_training_makes_only_the_steps_that_were_left(tmp_path):
    kill_at(STOP_AT, "gru", tmp_path)
    made = steps_kept(tmp_path)
    assert made == STOP_AT
    kill_at(1, "gru", tmp_path)
    assert steps_kept(tmp_path) == made + 1


def test_what_was_kept_of_other_rows_is_not_taken_up(tmp_path):
    kill_at(STOP_AT, "gru", tmp_path, "of other rows")
    kill_at(1, "gru", tmp_path)
    assert steps_kept(tmp_path) == 1


@pytest.mark.parametrize("content", [b"", b"no json", b"{}"])
def test_a_damaged_file_costs_only_what_it_held(tmp_path, content):
    (tmp_path / "training").mkdir()
    (tmp_path / "training" / "ranker.json").write_bytes(content)
    whole = arrays(fit_or_read("gru", context(), tmp_path / "whole", "m"))
    found = arrays(fit_or_read("gru", context(), tmp_path, "m"))
    assert all(np.array_equal(whole[name], found[name]) for name in whole)
