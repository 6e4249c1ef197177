"""An exported adapter read back is the adapter that was exported."""

import pytest
import torch

from localrec.foundation.errors import ModelError
from localrec.training.adapters.gguf_export import AdapterMetadata, write_adapter
from localrec.training.adapters.gguf_import import exported_config, load_exported
from localrec.training.adapters.lora import AdapterConfig, adapted, attach, detach, save_adapter
from localrec.training.base_model.loading import load_base

from .test_adapters import train_a_little
from .tiny_models import make_tiny

CARD = AdapterMetadata(name="tiny agent", role="agent", licence="Apache-2.0")
TOKENS = torch.tensor([[5, 9, 3, 7, 11, 4, 8]])


@pytest.fixture
def base(tiny):
    return load_base(tiny.gguf)


def exported(base, tiny, folder, **config):
    """A folder with a trained adapter, and the same as GGUF."""
    model = attach(base, AdapterConfig(**{"rank": 4, "alpha": 8.0, **config}))
    train_a_little(model, 0.1)
    save_adapter(model, base, folder / "run")
    detach(model)
    write_adapter(folder / "run", base, tiny.gguf, folder / "a.gguf", CARD)
    return folder / "run", folder / "a.gguf"


def said(model):
    with torch.inference_mode():
        return model(input_ids=TOKENS).logits


@pytest.mark.parametrize("rslora", [False, True])
def test_what_it_changes_is_what_the_folder_changes(base, tiny, tmp_path, rslora):
    folder, file = exported(base, tiny, tmp_path, rslora=rslora)
    bare = said(base.model)
    with adapted(base, folder) as model:
        wanted = said(model)
    model = load_exported(base, file)
    found = said(model)
    detach(model)
    assert (wanted - bare).abs().max() > 0.1
    assert torch.allclose(found, wanted, atol=0.005)  # the file is float16
    assert not base.is_adapted


def test_its_matrices_alone_are_trained_on(base, tiny, tmp_path):
    _, file = exported(base, tiny, tmp_path)
    model = load_exported(base, file, trainable=True)
    learnt = {name for name, one in model.named_parameters() if one.requires_grad}
    detach(model)
    assert learnt
    assert all("lora_" in name for name in learnt)
    assert exported_config(file) == AdapterConfig(rank=4, alpha=8.0)


def test_one_of_another_base_is_refused(base, tiny, tmp_path):
    _, file = exported(base, tiny, tmp_path)
    (tmp_path / "other").mkdir()
    other = load_base(make_tiny("llama", tmp_path / "other", seed=9).gguf)
    with pytest.raises(ModelError, match="another model"):
        load_exported(other, file)
    assert not other.is_adapted


def test_a_model_is_no_adapter(base, tiny):
    with pytest.raises(ModelError, match="no adapter"):
        load_exported(base, tiny.gguf)


def test_one_that_lacks_a_matrix_is_refused(base, tiny, tmp_path, monkeypatch):
    from localrec.training.adapters import gguf_import as module

    _, file = exported(base, tiny, tmp_path)
    whole = module._weights
    monkeypatch.setattr(module, "_weights", lambda *of: dict(list(whole(*of).items())[1:]))
    with pytest.raises(ModelError, match="missing or too many"):
        load_exported(base, file)
    assert not base.is_adapted
