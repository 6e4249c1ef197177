"""MiniLM computed in 8 bits: near to the floats, and one vector for a text in any company."""

from __future__ import annotations

import numpy as np
import pytest

from localrec.foundation.errors import ModelError
from localrec.foundation.paths import pulled
from localrec.index import minilm_layers
from localrec.index.embedder_self_test import TRIPLES, count_right
from localrec.index.embedders import MiniLmEmbedder
from localrec.index.minilm_int8 import SIGNED, UNSIGNED, overflows
from localrec.index.onnx_files import open_session
from localrec.index.onnx_writer import MICROSOFT, GraphWriter
from localrec.index.prepared_models import GraphRewrite

TEXTS = [
    *(text for triple in TRIPLES for text in triple),
    *("gin", "é", "日本のウイスキー", "the story of a long voyage to the north " * 12),
]
onnxruntime = pytest.importorskip("onnxruntime")
pytestmark = pytest.mark.real


@pytest.fixture(scope="module")
def folder(require_model):
    require_model("minilm-int8")
    return pulled("models") / "minilm-int8"


@pytest.fixture(scope="module")
def minilm(folder):
    return MiniLmEmbedder(folder)


@pytest.fixture(scope="module")
def in_floats(folder):
    """The same file as it was pulled."""
    embedder = MiniLmEmbedder(folder)
    embedder.__dict__["_session"] = open_session(folder / "model.onnx", 1, "Pull it.")
    return embedder


def test_its_vectors_are_near_to_those_of_the_floats(minilm, in_floats):
    cosines = np.vecdot(minilm.embed(TEXTS), in_floats.embed(TEXTS))
    assert np.median(cosines) > 0.997
    assert 0.99 < cosines.min() < cosines.max() < 0.99999


def test_it_tells_meanings_apart_as_the_floats_do(minilm, in_floats):
    assert count_right(minilm.embed) >= count_right(in_floats.embed) == 7


def test_a_text_has_the_same_vector_alone_and_beside_long_ones(minilm):
    together = minilm.embed(TEXTS)
    alone = np.vstack([minilm.embed([text]) for text in TEXTS])
    assert np.abs(together - alone).max() < 1e-5


def test_the_same_texts_have_the_same_vectors_to_the_last_bit(minilm, folder):
    assert np.array_equal(minilm.embed(TEXTS), minilm.embed(TEXTS))
    assert np.array_equal(minilm.embed(TEXTS), MiniLmEmbedder(folder).embed(TEXTS))


def test_the_middle_lies_as_near_to_the_floats_as_the_last_states(folder, minilm):
    model = folder / "model.onnx"
    with_middle = GraphRewrite(
        "middle", lambda path: minilm_layers.with_outputs(path.read_bytes(), ["layer_norm_6"])
    )
    floats = onnxruntime.InferenceSession(with_middle.write(model))
    told = minilm.read("a smoky drink without whiskey")
    ids = told.ids[None]
    inputs = {"input_ids": ids, "attention_mask": ids * 0 + 1, "token_type_ids": ids * 0}
    (middle,) = floats.run(["layer_norm_6"], inputs)
    cosines = np.vecdot(told.middle, middle[0]) / (
        np.linalg.norm(told.middle, axis=1) * np.linalg.norm(middle[0], axis=1)
    )
    assert told.middle.shape == told.states.shape == (ids.shape[1], 384)
    assert cosines.min() > 0.995


def test_where_products_overflow_unsigned_weights_give_the_same_bits(folder, minilm):
    unsigned, signed = UNSIGNED.write(folder / "model.onnx"), minilm._session
    ids = minilm.read("a smoky drink").ids[None]
    inputs = {"input_ids": ids, "attention_mask": ids * 0 + 1, "token_type_ids": ids * 0}
    found = onnxruntime.InferenceSession(unsigned).run(["last_hidden_state"], inputs)
    assert np.array_equal(found, signed.run(["last_hidden_state"], inputs))


def test_a_processor_that_adds_in_16_bits_is_found_out(monkeypatch):
    class Saturating:
        def __init__(self, *told, **named): ...

        def run(self, outputs, inputs):
            return [np.full((64, 64), 32 * 32_767, dtype=np.int32)]

    monkeypatch.setattr(onnxruntime, "InferenceSession", Saturating)
    assert overflows()


def test_a_file_that_is_another_model_is_refused(tmp_path):
    (tmp_path / "model.onnx").write_bytes(b"\x08\x07\x12" * 99)
    with pytest.raises(ModelError, match="is not a model that can be read"):
        open_session(tmp_path / "model.onnx", 1, "Pull it.", rewrite=SIGNED)


def test_a_graph_that_was_written_is_run():
    graph = GraphWriter()
    graph.constant("two", np.array([[2.0, -2.0]], dtype=np.float32))
    graph.node("Mul", ["read", "two"], "doubled")
    graph.node("ReduceMax", ["doubled"], "largest", axes=[1], keepdims=0)
    graph.node("Gelu", ["doubled"], "smooth", domain=MICROSOFT)
    graph.node("LayerNormalization", ["doubled", "ones"], "normed", epsilon=0.5)
    graph.constant("ones", np.ones(2, dtype=np.float32))
    told = ("float32", ("rows", 2))
    model = graph.model(
        {"read": told}, {"largest": ("float32", ("rows",)), "smooth": told, "normed": told}
    )
    rows = np.array([[1, 3], [200, -1]], dtype=np.float32)
    largest, smooth, normed = onnxruntime.InferenceSession(model).run(None, {"read": rows})
    assert largest.tolist() == [2, 400]
    assert smooth[:, 0] == pytest.approx([1.9545, 400], abs=1e-3)
    assert normed[0] == pytest.approx(np.array([4, -4]) / np.sqrt(16.5))
