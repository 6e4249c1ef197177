"""The self-test of an embedder: MiniLM, and files made of it whose weights say nothing."""

from __future__ import annotations

import shutil

import numpy as np
import pytest

from localrec.foundation.errors import ModelError
from localrec.foundation.paths import pulled
from localrec.index import embedder_self_test
from localrec.index.embedder_self_test import TRIPLES, count_right, require_meaning
from localrec.index.embedders import HashingEmbedder, MiniLmEmbedder


@pytest.fixture
def pulled_folder(require_model):
    require_model("minilm-int8")
    return pulled("models") / "minilm-int8"


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """A folder of pulled files of its own, where nothing is remembered."""
    monkeypatch.setenv("LOCALREC_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "models" / "self-tests"


@pytest.fixture
def with_weights(pulled_folder, tmp_path, cache):
    """Makes MiniLM anew with other weights in its large matrices."""
    onnx = pytest.importorskip("onnx")

    def make(changed):
        model = onnx.load(str(pulled_folder / "model.onnx"))
        for one in model.graph.initializer:
            weights = onnx.numpy_helper.to_array(one)
            if weights.size >= 1000:
                one.CopyFrom(onnx.numpy_helper.from_array(changed(weights), one.name))
        folder = tmp_path / "damaged"
        folder.mkdir()
        onnx.save(model, str(folder / "model.onnx"))
        shutil.copy(pulled_folder / "tokenizer.json", folder)
        return folder

    return make


def shuffled(weights):
    rng = np.random.default_rng(5)
    return rng.permutation(weights.ravel()).reshape(weights.shape)


def test_minilm_finds_most_texts_in_other_words(pulled_folder, cache):
    assert count_right(MiniLmEmbedder(pulled_folder).embed) >= MiniLmEmbedder.MEANINGS
    assert len(list(cache.glob("embedder-*.json"))) == 1


def test_spelling_finds_none_of_them():
    assert count_right(HashingEmbedder().embed) <= 1


@pytest.mark.parametrize("change", [shuffled, np.zeros_like])
def test_weights_that_say_nothing_are_refused_at_the_first_text(with_weights, change):
    embedder = MiniLmEmbedder(with_weights(change))
    for _ in range(2):  # the second time from memory
        with pytest.raises(ModelError, match="does not tell meanings apart") as refused:
            embedder.embed(["gin"])
    assert "localrec models pull minilm-int8" in str(refused.value)


def rows_of(right):
    """Vectors by which so many texts are nearest to what says the same."""

    def embed(texts):
        rows = np.eye(len(texts), dtype=np.float32)
        for place in range(right):
            rows[3 * place + 1] = rows[3 * place]
        for place in range(right, len(TRIPLES)):
            rows[3 * place + 2] = rows[3 * place]
        return rows

    return embed


def test_what_was_found_is_remembered_until_the_file_changes(tmp_path, cache):
    model = tmp_path / "model.onnx"
    model.write_bytes(b"weights")
    require_meaning([model], rows_of(8), "Pull it.")
    require_meaning([model], rows_of(0), "Pull it.")  # not asked again
    model.write_bytes(b"other weights")
    with pytest.raises(ModelError, match="finds 0 in other words, a sound one at least 2"):
        require_meaning([model], rows_of(0), "Pull it.")


def test_a_model_of_another_language_may_get_few_right(tmp_path, cache):
    model = tmp_path / "model.gguf"
    model.write_bytes(b"weights")
    require_meaning([model], rows_of(embedder_self_test.FEWEST), "Name another.")
