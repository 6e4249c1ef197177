from __future__ import annotations

import hashlib
import shutil

import pytest

from localrec.data.chat_message import Message
from localrec.foundation.errors import ModelError
from localrec.llm import model_catalog, model_process
from localrec.llm.chat_template import ChatTemplate
from localrec.llm.gguf_header import check_chat_model, read_header

WEIGHTS = b"weights"
BASE = "gemma-3-270m"


@pytest.fixture
def two_files(tmp_path, monkeypatch):
    """A catalogue with one model of two files, and the folder where they belong."""
    files = "".join(
        f'[[models.toy.files]]\nname = "{name}"\nrequirement = "toy==1"\nmember = "toy/{name}"\n'
        f'size = {len(WEIGHTS)}\nsha256 = "{hashlib.sha256(WEIGHTS).hexdigest()}"\n'
        for name in ("model.onnx", "tokenizer.json")
    )
    head = '[models.toy]\ntitle = "Toy"\nkind = "embedder"\nlicence = "MIT"\nroles = ["embedder"]\n'
    (tmp_path / "catalog.toml").write_text(head + files)
    monkeypatch.setattr(model_catalog, "shipped", lambda name: tmp_path)
    monkeypatch.setenv("LOCALREC_CACHE", str(tmp_path / "cache"))
    model_catalog.load_catalog.cache_clear()
    yield tmp_path / "cache" / "models" / "toy"
    model_catalog.load_catalog.cache_clear()


def test_the_shipped_catalogue_is_complete():
    models = model_catalog.load_catalog()
    assert {model.kind for model in models.values() if model.default} == {"chat", "embedder"}
    for model in models.values():
        assert model.licence
        for file in model.files:
            assert len(bytes.fromhex(file.sha256)) == 32
            assert file.size == sum(one.size for one in file.parts or (file,))
            for one in file.parts or (file,):
                assert "==" in one.requirement
                assert len(bytes.fromhex(one.sha256)) == 32


def test_a_base_model_is_asked_by_the_template_that_the_catalogue_declares(write_gguf, monkeypatch):
    bare = write_gguf(template=None)
    with pytest.raises(ModelError, match="no chat template"):
        check_chat_model(bare, read_header(bare))
    monkeypatch.setenv("LOCALREC_CACHE", str(bare.parent / "cache"))
    path = model_catalog.model_folder(BASE) / model_catalog.find_model(BASE).files[0].name
    template = ChatTemplate(model_catalog.declared_template(path))
    asked = [Message("system", "Be brief."), Message("user", "Gin?"), Message("assistant", "Yes.")]
    prompt = "".join(one.text for one in template.render([*asked, Message("user", "Rum?")]))
    assert prompt == "Be brief.\n\nGin?\nYes.\n\nRum?\n"
    assert model_catalog.declared_template(bare) == ""
    path.parent.mkdir(parents=True)
    shutil.copy(bare, path)
    assert (
        model_process._ModelFiles(path, 512, 1, None, 1.0, None).checked_header().has_chat_template
    )


def test_status_goes_from_missing_over_damaged_to_ok(two_files):
    assert model_catalog.status("toy") == "missing"
    two_files.mkdir(parents=True)
    (two_files / "model.onnx").write_bytes(WEIGHTS)
    assert model_catalog.status("toy") == "damaged"
    (two_files / "tokenizer.json").write_bytes(WEIGHTS)
    assert model_catalog.status("toy") == "ok"
    (two_files / "tokenizer.json").write_bytes(WEIGHTS[::-1])
    assert model_catalog.status("toy") == "damaged"


def test_the_path_is_that_of_the_first_file_once_it_is_there(two_files):
    with pytest.raises(ModelError) as failure:
        model_catalog.model_path("toy")
    assert failure.value.hint == "localrec models pull toy"
    two_files.mkdir(parents=True)
    (two_files / "model.onnx").write_bytes(WEIGHTS)
    assert model_catalog.model_path("toy") == two_files / "model.onnx"


def test_an_unknown_name_lists_the_known(two_files):
    with pytest.raises(ModelError, match=r"gpt") as failure:
        model_catalog.status("gpt")
    assert "toy" in failure.value.hint


@pytest.mark.parametrize("text", ["[models.x]\ntitle = 1\n", "not toml", "[other]\n"])
def test_a_catalogue_that_cannot_be_read_is_named(tmp_path, text):
    path = tmp_path / "bad.toml"
    path.write_text(text)
    with pytest.raises(ModelError, match=r"bad\.toml is not a model catalogue"):
        model_catalog.load_catalog(path)


def test_any_file_can_be_looked_into(tmp_path, write_gguf):
    assert "GGUF model llama, context 512, chat template" in model_catalog.check(write_gguf())
    assert "adapter" in model_catalog.check(write_gguf("lora.gguf", kind="adapter"))
    onnx = tmp_path / "model.onnx"
    onnx.write_bytes(b"\x08\x08" + bytes(20))
    assert "format 8" in model_catalog.check(onnx)
    for content in (b"", b"<html>"):
        onnx.write_bytes(content)
        with pytest.raises(ModelError, match="not an ONNX"):
            model_catalog.check(onnx)
    with pytest.raises(ModelError, match="no model file"):
        model_catalog.check(tmp_path / "gone.onnx")


@pytest.mark.real
def test_the_pulled_smollm2_is_the_one_in_the_catalogue(smollm2):
    assert model_catalog.model_path("smollm2-135m") == smollm2
    assert model_catalog.status("smollm2-135m") == "ok"
