"""The self-test of a model: files made from the real SmolLM2, with weights that say nothing."""

from __future__ import annotations

import os
import random
import shutil
import signal
from pathlib import Path

import pytest

from localrec.data.chat_message import Message
from localrec.foundation.errors import ModelCrashedError, ModelError
from localrec.llm import model_process
from localrec.llm.model_process import ModelProcess
from localrec.llm.self_test import MOST_NATS, remember, remembered

HELLO = [Message("user", "Hello")]


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of pulled files of its own, where nothing is remembered."""
    monkeypatch.setenv("LOCALREC_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "models" / "self-tests"


HEADER = 4 << 20  # bytes of the file before which the vocabulary lies


def zeroed(data: bytearray) -> None:
    data[:] = bytes(len(data))


def shuffled(data: bytearray) -> None:
    """The same bytes in another order."""
    blocks = [data[at : at + 4096] for at in range(0, len(data), 4096)]
    random.Random(1).shuffle(blocks)
    data[:] = b"".join(blocks)


@pytest.fixture
def damaged(smollm2: Path, tmp_path: Path):
    """Make a copy of SmolLM2 whose weights went through a function."""

    def make(change) -> Path:
        path = Path(shutil.copy(smollm2, tmp_path / f"{change.__name__}.gguf"))
        with path.open("r+b") as file:
            file.seek(HEADER)
            data = bytearray(file.read())
            change(data)
            file.seek(HEADER)
            file.write(data)
        return path

    return make


@pytest.mark.parametrize("change", [zeroed, shuffled])
def test_a_model_whose_weights_say_nothing_is_refused_and_told(damaged, change):
    path = damaged(change)
    with ModelProcess(path, self_test=True) as model:
        with pytest.raises(ModelError, match="cannot predict plain English") as told:
            model.generate(HELLO, max_tokens=1)
        assert not model.is_running
    assert "name another model" in told.value.hint
    assert remembered(path) is not None


def test_a_sound_model_passes_by_far_and_is_tested_once(smollm2, cache, monkeypatch):
    with ModelProcess(smollm2, self_test=True) as model:
        assert model.count_tokens("gin") > 0
    found = remembered(smollm2)
    assert found is not None
    assert found.nats is not None
    assert 1 < found.nats < MOST_NATS - 2
    assert [path.stat().st_mode & 0o077 for path in cache.iterdir()] == [0]
    monkeypatch.setattr(model_process, "remember", lambda *_: pytest.fail("tested twice"))
    with ModelProcess(smollm2, self_test=True) as model:
        assert model.count_tokens("gin") > 0


def test_a_failed_test_is_remembered_until_the_file_changes(smollm2, tmp_path):
    path = Path(shutil.copy(smollm2, tmp_path / "own.gguf"))
    remember(path, float("inf"))
    with (
        ModelProcess(path, self_test=True) as model,
        pytest.raises(ModelError, match="is infinite"),
    ):
        model.count_tokens("gin")
    os.utime(path, (1, 1))
    with ModelProcess(path, self_test=True) as model:
        assert model.count_tokens("gin") > 0


def test_a_cache_that_cannot_be_written_stops_no_model(smollm2, cache):
    cache.parent.mkdir(parents=True)
    cache.write_text("a file in the way")
    with ModelProcess(smollm2, self_test=True) as model:
        assert model.count_tokens("gin") > 0


@pytest.fixture
def stopped(smollm2: Path):
    """A running model whose process is stopped, and which may be silent for a moment only."""
    with ModelProcess(smollm2) as model:
        model.count_tokens("gin")
        model._child._silence_s = 0.2
        os.kill(model._child._process.pid, signal.SIGSTOP)
        yield model


class TestAModelThatHangs:
    def test_is_stopped_and_named_and_the_next_call_works(self, stopped):
        pid = stopped._child._process.pid
        with pytest.raises(ModelCrashedError, match=r"did not move for 0\.2 seconds") as told:
            stopped.generate(HELLO, max_tokens=1)
        assert "Ask again" in told.value.hint
        assert stopped.count_tokens("gin") > 0
        assert stopped._child._process.pid != pid

    def test_is_stopped_also_where_it_reads_no_long_question(self, stopped):
        with pytest.raises(ModelCrashedError, match="did not move"):
            stopped.count_tokens("gin " * 100_000)

    def test_is_not_one_that_tells_that_it_moves(self, monkeypatch):
        from localrec.llm import protocol, worker

        class StillRunning:
            def should_stop(self):
                return False

        told, clock = [], iter((0.0, 0.5, 1.2, 1.9, 2.5))
        monkeypatch.setattr(worker.time, "monotonic", lambda: next(clock))
        server = worker._Server(StillRunning(), told.append)
        for _ in range(4):
            assert not server._should_stop()
        assert told == [protocol.MovedReply()] * 2
