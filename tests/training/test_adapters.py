"""Adapters beside a base: fresh, saved, loaded on the same base only, and plain LoRA only."""

import json

import pytest
import torch

from localrec.foundation.errors import ModelError, UsageError
from localrec.training.adapters.lora import (
    LINEAR_LAYERS,
    AdapterConfig,
    adapted,
    attach,
    detach,
    load_adapter,
    read_config,
    save_adapter,
    trained_on,
)
from localrec.training.base_model.loading import load_base

from .tiny_models import LAYERS, make_tiny

IDS = torch.tensor([[5, 90, 17, 41]])
SMALL = AdapterConfig(rank=4, alpha=8, dropout=0.1)


@pytest.fixture
def base(tiny):
    return load_base(tiny.gguf)


def logits_of(model):
    with torch.inference_mode():
        return model.eval()(input_ids=IDS).logits


def train_a_little(model, size=0.1):
    """Stands in for training: random second matrices."""
    torch.manual_seed(7)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if "lora_B" in name:
                parameter.normal_(0, size)


def saved(base, folder, config=SMALL):
    model = attach(base, config)
    train_a_little(model)
    save_adapter(model, base, folder)
    detach(model)
    return folder


class TestAFreshAdapter:
    def test_stands_beside_every_linear_layer_and_changes_nothing(self, tiny, base):
        before = logits_of(base.model)
        model = attach(base, SMALL)
        assert base.is_adapted
        assert torch.equal(logits_of(model), before)
        beside = {name for name, _ in model.named_parameters() if "lora_A" in name}
        assert len(beside) == LAYERS[tiny.architecture] * len(LINEAR_LAYERS)

    def test_is_all_that_learns(self, base):
        model = attach(base, SMALL)
        learns = [name for name, one in model.named_parameters() if one.requires_grad]
        assert learns
        assert all("lora_" in name for name in learns)

    def test_begins_alike_with_the_same_seed_and_leaves_the_others_alone(self, tiny):
        torch.manual_seed(3)
        expected = torch.rand(1)
        torch.manual_seed(3)
        begun = [attach(load_base(tiny.gguf), SMALL, seed).state_dict() for seed in (1, 1, 2)]
        assert torch.equal(torch.rand(1), expected)
        name = next(name for name in begun[0] if "lora_A" in name)
        assert torch.equal(begun[0][name], begun[1][name])
        assert not torch.equal(begun[0][name], begun[2][name])

    def test_is_float32_beside_a_bfloat16_base(self, tiny):
        model = attach(load_base(tiny.gguf, dtype="bfloat16"), SMALL)
        kinds = {one.dtype for name, one in model.named_parameters() if "lora_" in name}
        assert kinds == {torch.float32}

    def test_is_refused_beside_another(self, base):
        attach(base, SMALL)
        with pytest.raises(UsageError, match="Tiny has an adapter already"):
            attach(base, SMALL)

    def test_goes_away_without_a_trace(self, base, recwarn):
        before = logits_of(base.model)
        model = attach(base, SMALL)
        train_a_little(model)
        assert not torch.equal(logits_of(model), before)
        detach(model)
        assert not base.is_adapted
        assert torch.equal(logits_of(base.model), before)
        detach(attach(base, SMALL))
        assert not [one for one in recwarn if "peft" in str(one.message).lower()]


@pytest.mark.parametrize(
    ("changed", "scale"),
    [({}, 2.0), ({"rslora": True}, 4.0), ({"rank": 16}, 0.5), ({"alpha": 1.0}, 0.25)],
)
def test_the_scale_is_the_one_that_peft_multiplies_by(base, changed, scale):
    config = AdapterConfig(**{"rank": 4, "alpha": 8.0, **changed})
    model = attach(base, config)
    layer = model.get_submodule("base_model.model.model.layers.0.mlp.up_proj")
    assert config.scale == layer.scaling["default"] == scale


@pytest.mark.parametrize(
    "wrong", [{"rank": 0}, {"alpha": 0.0}, {"dropout": 1.0}, {"dropout": -0.1}, {"targets": ()}]
)
def test_impossible_settings_are_refused(wrong):
    with pytest.raises(UsageError, match="An adapter cannot have"):
        AdapterConfig(**wrong)


class TestASavedAdapter:
    def test_comes_back_as_it_was(self, base, tmp_path):
        config = AdapterConfig(rank=3, alpha=5, dropout=0.0, rslora=True)
        model = attach(base, config)
        train_a_little(model)
        expected = logits_of(model)
        save_adapter(model, base, tmp_path / "run")
        detach(model)
        assert read_config(tmp_path / "run") == config
        with adapted(base, tmp_path / "run") as again:
            assert torch.equal(logits_of(again), expected)
        assert not base.is_adapted

    def test_learns_on_only_where_that_is_asked_for(self, base, tmp_path):
        saved(base, tmp_path)
        for trainable in (True, False):
            model = load_adapter(base, tmp_path, trainable=trainable)
            learns = {name for name, one in model.named_parameters() if one.requires_grad}
            assert bool(learns) is model.training is trainable
            assert all("lora_" in name for name in learns)
            detach(model)

    def test_names_its_base_and_no_folder_of_this_machine(self, tiny, tmp_path):
        base = load_base(tiny.folder)
        saved(base, tmp_path / "run")
        assert trained_on(tmp_path / "run").fingerprint == base.fingerprint
        for file in ("adapter_config.json", "base.json"):
            assert str(tmp_path.parent) not in (tmp_path / "run" / file).read_text()

    def test_is_not_loaded_on_another_base(self, base, tiny, tmp_path):
        saved(base, tmp_path / "run")
        other = load_base(make_tiny(tiny.architecture, tmp_path, seed=1).gguf)
        with pytest.raises(ModelError, match=r"run was trained on Tiny .* is another file"):
            load_adapter(other, tmp_path / "run")
        assert not other.is_adapted


def with_setting(folder, key, value):
    path = folder / "adapter_config.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), key: value}))


@pytest.mark.parametrize(
    ("key", "value", "reason"),
    [
        ("use_dora", True, "is a DoRA adapter: .* which llama.cpp cannot do"),
        ("modules_to_save", ["lm_head"], r"whole layers along \(modules_to_save: lm_head\)"),
        ("init_lora_weights", "pissa", "began as 'pissa', which changes the base"),
        ("peft_type", "IA3", "of type 'IA3' and not LORA"),
        ("bias", "lora_only", "sets bias to 'lora_only', which is more than plain LoRA"),
        ("alpha_pattern", {"q_proj": 3}, "sets alpha_pattern"),
        ("use_qalora", True, "sets use_qalora"),
        ("layers_to_transform", [0], "sets layers_to_transform"),
        ("something_new", 1, "sets something_new"),
        ("target_modules", "all-linear", "does not list its target_modules"),
        ("r", 0, "is not usable: An adapter cannot have rank 0"),
        ("r", "many", "is not usable"),
    ],
)
def test_anything_but_plain_lora_is_refused(tiny_llama, tmp_path, key, value, reason):
    base = load_base(tiny_llama.gguf)
    saved(base, tmp_path)
    with_setting(tmp_path, key, value)
    with pytest.raises(ModelError, match=reason):
        load_adapter(base, tmp_path)
    assert not base.is_adapted


@pytest.mark.parametrize("wanted", [{"use_dora": True}, {"modules_to_save": ["lm_head"]}])
def test_what_peft_itself_writes_of_other_kinds_is_refused(tiny_llama, tmp_path, wanted):
    from peft import LoraConfig, get_peft_model

    network = load_base(tiny_llama.folder).model
    made = get_peft_model(network, LoraConfig(target_modules=["q_proj"], **wanted))
    made.save_pretrained(tmp_path)
    with pytest.raises(ModelError, match=r"DoRA adapter|modules_to_save"):
        read_config(tmp_path)


def unpickled(folder):
    (folder / "adapter_model.safetensors").rename(folder / "adapter_model.bin")


def one_more(folder):
    from safetensors.torch import load_file, save_file

    path = folder / "adapter_model.safetensors"
    save_file({**load_file(path), "lm_head.weight": torch.zeros(2)}, path)


def one_less(folder):
    from safetensors.torch import load_file, save_file

    path = folder / "adapter_model.safetensors"
    matrices = load_file(path)
    matrices.pop(sorted(matrices)[0])
    save_file(matrices, path)


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (unpickled, r"adapter_model\.bin is a pickle"),
        (lambda folder: (folder / "adapter_model.safetensors").unlink(), "cannot be read"),
        (lambda folder: (folder / "adapter_model.safetensors").write_bytes(b"no"), "cannot be"),
        (lambda folder: (folder / "base.json").unlink(), "has no base.json"),
        (lambda folder: (folder / "base.json").write_text("[]"), r"base\.json cannot be read"),
        (one_more, "holds lm_head.weight, which is not half of a LoRA pair"),
        (one_less, "lora_[AB].weight, which is not half of a LoRA pair"),
        (lambda folder: with_setting(folder, "target_modules", ["q_proj"]), "do not fit its sett"),
        (lambda folder: with_setting(folder, "r", 9), "do not fit their base"),
    ],
)
def test_a_damaged_adapter_is_refused_and_leaves_the_base_bare(tiny_llama, tmp_path, spoil, reason):
    base = load_base(tiny_llama.gguf)
    saved(base, tmp_path)
    spoil(tmp_path)
    with pytest.raises(ModelError, match=reason):
        load_adapter(base, tmp_path)
    assert not base.is_adapted
