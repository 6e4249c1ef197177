"""Exported adapters: llama.cpp does with the file what torch does with the folder, or no file."""

import json
import shutil

import pytest
import torch

from localrec.foundation.errors import ModelError
from localrec.llm.gguf_header import check_adapter, read_header
from localrec.training.adapters import gguf_export
from localrec.training.adapters.gguf_export import AdapterMetadata, export_adapter
from localrec.training.adapters.lora import AdapterConfig, attach, detach, save_adapter
from localrec.training.base_model.gguf_layout import TensorLayout
from localrec.training.base_model.loading import load_base

from .test_adapters import train_a_little, with_setting
from .tiny_models import make_tiny

CARD = AdapterMetadata(name="tiny router", role="router", licence="Apache-2.0")


def trained(base, folder, size=0.1, **config):
    model = attach(base, AdapterConfig(**{"rank": 4, "alpha": 8, **config}))
    train_a_little(model, size)
    save_adapter(model, base, folder)
    detach(model)
    return folder


@pytest.fixture
def base(tiny):
    return load_base(tiny.gguf)


@pytest.fixture
def run(base, tmp_path):
    """A folder with a trained adapter."""
    return trained(base, tmp_path / "run")


def assert_alike(agreement):
    """Nothing is quantised here but what llama.cpp remembers of a prompt, which is float16."""
    assert agreement.same_best > 0.9  # random weights bring near ties
    assert agreement.effect > agreement.spread / 3
    assert agreement.base_gap < agreement.spread / 200
    assert agreement.gap < agreement.effect / 100


def test_an_exported_adapter_does_in_llama_cpp_what_it_does_in_torch(tiny, base, run, tmp_path):
    assert_alike(export_adapter(run, base, tiny.gguf, tmp_path / "adapters" / "a.gguf", CARD))


def test_an_adapter_that_learnt_next_to_nothing_is_exact_as_well(tiny, base, tmp_path):
    folder = trained(base, tmp_path / "run", size=1e-6)
    agreement = export_adapter(folder, base, tiny.gguf, tmp_path / "a.gguf", CARD)
    assert agreement.strength > 1000
    assert_alike(agreement)


def test_a_fresh_adapter_is_exported_as_one_that_changes_nothing(tiny, base, tmp_path):
    folder = trained(base, tmp_path / "run", size=0.0)
    agreement = export_adapter(folder, base, tiny.gguf, tmp_path / "a.gguf", CARD)
    assert (agreement.effect, agreement.strength) == (0, 1)
    assert agreement.gap == pytest.approx(agreement.base_gap)


@pytest.mark.parametrize("rslora", [True, False])
def test_the_strength_is_that_of_its_own_kind(tiny, base, tmp_path, rslora):
    folder = trained(base, tmp_path / "run", rslora=rslora, rank=16, alpha=6)
    assert_alike(export_adapter(folder, base, tiny.gguf, tmp_path / "a.gguf", CARD))


def test_one_trained_from_a_folder_is_compared_with_the_gguf_that_serves(tiny, tmp_path):
    base = load_base(tiny.folder)
    folder = trained(base, tmp_path / "run")
    assert_alike(export_adapter(folder, base, tiny.gguf, tmp_path / "a.gguf", CARD))
    fields = fields_of(tmp_path / "a.gguf")
    assert fields["localrec.trained_on.sha256"] == base.fingerprint
    assert fields["localrec.base.sha256"] == load_base(tiny.gguf).fingerprint


def fields_of(path):
    gguf = pytest.importorskip("gguf")
    return {key: field.contents() for key, field in gguf.GGUFReader(path).fields.items()}


def test_the_file_says_what_it_is_and_fits_its_base(tiny, base, run, tmp_path):
    out = tmp_path / "router.gguf"
    export_adapter(run, base, tiny.gguf, out, CARD)
    check_adapter(out, read_header(out), read_header(tiny.gguf))
    fields = fields_of(out)
    assert fields["adapter.type"] == "lora"
    assert fields["general.name"] == "tiny router"
    assert fields["general.license"] == "Apache-2.0"
    assert fields["general.base_model.0.name"] == "Tiny"
    assert fields["localrec.role"] == "router"
    assert fields["localrec.base.licence"] == "MIT"
    assert fields["localrec.base.sha256"] == base.fingerprint
    assert not any(str(tmp_path) in str(value) for value in fields.values())


class TestAnErrorInTheExportIsCaught:
    """Each of them loads in llama.cpp without a word."""

    @pytest.fixture
    def refused(self, tiny, base, run, tmp_path):
        """Exports over an older file, which must survive the refusal."""
        out = tmp_path / "a.gguf"

        def call(folder=run):
            out.write_bytes(b"the one before")
            with pytest.raises(ModelError, match="does something else in llama"):
                export_adapter(folder, base, tiny.gguf, out, CARD)
            assert out.read_bytes() == b"the one before"
            assert [one.name for one in tmp_path.glob("*.gguf*")] == ["a.gguf"]
            assert not base.is_adapted

        return call

    def test_rows_in_the_other_order(self, tiny, refused, monkeypatch):
        unturned = lambda layout, module, rows: rows  # noqa: E731
        turned = unturned if tiny.architecture == "llama" else as_in_llama
        monkeypatch.setattr(TensorLayout, "to_llama_cpp", turned)
        refused()

    def test_key_rows_alone_in_the_other_order(self, tiny, refused, monkeypatch):
        right = TensorLayout.to_llama_cpp

        def wrong(layout, module, rows):
            if not module.endswith("k_proj"):
                return right(layout, module, rows)
            return rows if tiny.architecture == "llama" else as_in_llama(layout, module, rows)

        monkeypatch.setattr(TensorLayout, "to_llama_cpp", wrong)
        refused()

    def test_the_plain_strength_for_rslora(self, base, refused, monkeypatch, tmp_path):
        monkeypatch.setattr(gguf_export, "_alpha_of_llama_cpp", lambda config: config.alpha)
        refused(trained(base, tmp_path / "rs", rslora=True))

    def test_a_layer_left_out(self, refused, monkeypatch):
        right = gguf_export._tensors

        def wrong(folder, layout):
            tensors = right(folder, layout)
            return {name: rows for name, rows in tensors.items() if "blk.1.ffn_up" not in name}

        monkeypatch.setattr(gguf_export, "_tensors", wrong)
        refused()


def unturned(layout, module, rows):
    return rows


def as_in_llama(layout, module, rows):
    heads = {"q_proj": layout.heads, "k_proj": layout.key_heads}.get(module.rpartition(".")[2])
    if heads is None:
        return rows
    return rows.reshape(heads, 2, -1, rows.shape[1]).swapaxes(1, 2).reshape(rows.shape)


def test_another_model_in_the_place_of_the_base_is_refused(tiny, base, run, tmp_path):
    other = make_tiny(tiny.architecture, tmp_path, seed=1)
    with pytest.raises(ModelError, match="something else than the base of the adapter"):
        export_adapter(run, base, other.gguf, tmp_path / "a.gguf", CARD)
    assert not (tmp_path / "a.gguf").exists()


def test_other_tokens_than_the_serving_ones_are_refused(tiny_llama, tmp_path):
    folder = shutil.copytree(tiny_llama.folder, tmp_path / "copy")
    path = folder / "tokenizer.json"
    rules = json.loads(path.read_text())
    rules["model"]["merges"] = rules["model"]["merges"][:1]
    path.write_text(json.dumps(rules))
    base = load_base(folder)
    run = trained(base, tmp_path / "run")
    with pytest.raises(ModelError, match="cuts a text into other tokens"):
        export_adapter(run, base, tiny_llama.gguf, tmp_path / "a.gguf", CARD)


@pytest.mark.parametrize(
    ("key", "value", "reason"),
    [
        ("use_dora", True, "is a DoRA adapter"),
        ("modules_to_save", ["lm_head"], "brings whole layers along"),
        ("rank_pattern", {"q_proj": 2}, "sets rank_pattern"),
    ],
)
def test_what_llama_cpp_cannot_compute_is_not_written(
    tiny, base, run, tmp_path, key, value, reason
):
    with_setting(run, key, value)
    with pytest.raises(ModelError, match=reason):
        export_adapter(run, base, tiny.gguf, tmp_path / "a.gguf", CARD)
    assert not list(tmp_path.glob("*.gguf*"))


def test_rows_come_back_from_the_order_of_llama_cpp():
    layout = TensorLayout(architecture="llama", layers=1, heads=3, key_heads=1)
    rows = torch.arange(48).reshape(24, 2).numpy()
    turned = layout.to_llama_cpp("layers.0.self_attn.q_proj", rows)
    assert turned[:4, 0].tolist() == [0, 8, 2, 10]
    assert (layout.to_transformers("layers.0.self_attn.q_proj", turned) == rows).all()
    assert layout.to_llama_cpp("layers.0.mlp.up_proj", rows) is rows


def test_norms_of_a_gemma_come_back_from_llama_cpp():
    layout = TensorLayout(architecture="gemma3", layers=1, heads=3, key_heads=1)
    rows = torch.arange(8).numpy()
    assert (layout.to_llama_cpp("layers.0.self_attn.q_norm", rows) == rows + 1).all()
    assert (layout.to_transformers("layers.0.self_attn.q_norm", rows + 1) == rows).all()
    assert layout.to_transformers("layers.0.self_attn.q_proj", rows) is rows


@pytest.mark.real
def test_an_adapter_of_the_pulled_gemma_agrees(gemma, tmp_path):
    base = load_base(gemma)
    assert base.licence == "gemma"
    folder = trained(base, tmp_path / "run", size=0.02, rank=8, alpha=16)
    agreement = export_adapter(folder, base, gemma, tmp_path / "a.gguf", CARD)
    assert agreement.base_gap < agreement.spread / 10
    assert agreement.gap < 2 * agreement.base_gap


@pytest.mark.real
class TestSmolLM2:
    """Its matrices are quantised, so llama.cpp rounds what goes into each product as well."""

    def test_an_adapter_of_the_serving_file_agrees(self, smollm2, tmp_path, monkeypatch):
        base = load_base(smollm2)
        assert base.licence == "apache-2.0"
        folder = trained(base, tmp_path / "run", size=0.02, rank=8, alpha=16)
        out = tmp_path / "a.gguf"
        agreement = export_adapter(folder, base, smollm2, out, CARD)
        assert agreement.base_gap < agreement.spread / 10
        assert agreement.gap < 2 * agreement.base_gap
        monkeypatch.setattr(TensorLayout, "to_llama_cpp", unturned)
        with pytest.raises(ModelError, match="does something else"):
            export_adapter(folder, base, smollm2, out, CARD)
