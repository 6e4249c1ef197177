"""Adapters by name and by file: for their own role and their own base, and for nothing else."""

import pytest

from localrec.foundation.errors import ModelError, UsageError
from localrec.llm.adapter_files import adapter_path, base_of, fitting_adapter, is_adapter, roles_of

gguf = pytest.importorskip("gguf")


def write_adapter(path, *, role="router", made_for="", width=4):
    """Two matrices beside one tensor, with what ours say about themselves."""
    import numpy as np

    writer = gguf.GGUFWriter(path, "llama")
    writer.add_type("adapter")
    writer.add_string("adapter.type", "lora")
    writer.add_float32("adapter.lora.alpha", 1.0)
    if role:
        writer.add_string("localrec.role", role)
        writer.add_string("localrec.base.sha256", made_for)
    writer.add_tensor("blk.0.attn_q.weight.lora_a", np.zeros((1, width), np.float32))
    writer.add_tensor("blk.0.attn_q.weight.lora_b", np.zeros((width, 1), np.float32))
    close(writer)
    return path


def write_model(path, fill=0.0):
    import numpy as np

    writer = gguf.GGUFWriter(path, "llama")
    writer.add_tensor("blk.0.attn_q.weight", np.full((4, 4), fill, np.float32))
    close(writer)
    return path


def close(writer):
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def hash_of(path):
    import hashlib

    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.fixture
def model(tmp_path):
    return write_model(tmp_path / "model.gguf")


@pytest.fixture
def adapter(tmp_path, model):
    return write_adapter(tmp_path / "router.gguf", made_for=hash_of(model))


def test_an_adapter_is_found_by_its_path_and_knows_its_role(adapter, model):
    assert fitting_adapter(str(adapter), "router", model) == adapter
    assert roles_of(str(adapter)) == ("router",)
    assert is_adapter(str(adapter))
    assert not is_adapter(str(model))
    assert not is_adapter("smollm2-135m")


def test_another_model_of_the_same_size_is_refused(adapter, tmp_path):
    other = write_model(tmp_path / "other.gguf", fill=1.0)
    with pytest.raises(ModelError, match=r"trained for another model than other\.gguf"):
        fitting_adapter(str(adapter), "router", other)


def test_a_model_of_another_size_is_refused(tmp_path, model):
    wide = write_adapter(tmp_path / "wide.gguf", made_for=hash_of(model), width=8)
    with pytest.raises(ModelError, match="does not fit the model"):
        fitting_adapter(str(wide), "router", model)


def test_another_role_is_refused(adapter, model):
    with pytest.raises(UsageError, match="was trained for router, and not for slots"):
        fitting_adapter(str(adapter), "slots", model)


def test_an_adapter_that_does_not_say_what_it_is_for_is_refused(tmp_path, model):
    stranger = write_adapter(tmp_path / "stranger.gguf", role="")
    with pytest.raises(ModelError, match="does not say which role"):
        fitting_adapter(str(stranger), "router", model)


def test_a_base_outside_of_the_catalogue_has_to_be_named(adapter):
    with pytest.raises(ModelError, match="not in the catalogue"):
        base_of(str(adapter))


def test_the_base_of_the_catalogue_is_known_by_its_hash(tmp_path):
    from localrec.llm.model_catalog import find_model

    made_for = find_model("smollm2-135m").files[0].sha256
    assert base_of(str(write_adapter(tmp_path / "a.gguf", made_for=made_for))) == "smollm2-135m"


def test_an_adapter_of_several_roles_plays_each_and_no_other(tmp_path, model):
    both = str(write_adapter(tmp_path / "a.gguf", role="router,slots", made_for=hash_of(model)))
    assert roles_of(both) == ("router", "slots")
    assert fitting_adapter(both, "slots", model) == fitting_adapter(both, "router", model)
    with pytest.raises(UsageError, match="was trained for router and slots, and not for reranker"):
        fitting_adapter(both, "reranker", model)


def test_an_unknown_name_is_refused():
    with pytest.raises(ModelError, match="There is no adapter 'nobody'"):
        adapter_path("nobody")
