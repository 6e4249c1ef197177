from __future__ import annotations

import struct
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from localrec.foundation.errors import ModelError
from localrec.llm.gguf_header import (
    _BLOCKS,
    check_adapter,
    check_chat_model,
    check_model,
    read_header,
)


def test_a_header_tells_architecture_context_template_and_shapes(write_gguf):
    header = read_header(write_gguf(tensors={"output.weight": (3, 5)}))
    assert header.architecture == "llama"
    assert header.kind == "model"
    assert header.context_length == 512
    assert header.has_chat_template
    assert header.tensors == {"output.weight": (5, 3)}


@pytest.mark.parametrize(
    ("template", "knows"),
    [
        ("{{ messages[0].content }}", False),
        ('{{ "<tools>" }}<tool_call>{"name": 1, "arguments": 2}</tool_call>', True),
        ('<tools><tool_call>{"name": 1, "arguments": 2}<function=look_up>', False),
        ("{% if tools %}Functions: {{ tools }} arguments{% endif %}", False),
    ],
)
def test_a_header_tells_whether_the_template_calls_tools_as_json(write_gguf, template, knows):
    assert read_header(write_gguf(template=template)).supports_tools is knows


def test_a_missing_file_is_named_with_its_remedy(tmp_path):
    with pytest.raises(ModelError, match=r"no model file .*gone\.gguf") as failure:
        read_header(tmp_path / "gone.gguf")
    assert "models pull" in failure.value.hint


def test_a_folder_is_no_model(tmp_path):
    with pytest.raises(ModelError, match="not a file"):
        read_header(tmp_path)


def test_foreign_bytes_are_no_gguf(tmp_path):
    path = tmp_path / "photo.gguf"
    path.write_bytes(b"\x89PNG" + bytes(1000))
    with pytest.raises(ModelError, match=r"photo\.gguf .*letters GGUF"):
        read_header(path)


def test_every_truncation_is_refused(write_gguf):
    path = write_gguf()
    whole = path.read_bytes()
    for length in range(len(whole) - 128, 0, -7):
        path.write_bytes(whole[:length])
        with pytest.raises(ModelError, match=r"cut short|letters GGUF"):
            read_header(path)


def test_a_file_without_the_end_of_its_weights_is_refused(write_gguf):
    path = write_gguf(tensors={"a": (64, 64), "b": (64, 64)})
    path.write_bytes(path.read_bytes()[:-4096])
    with pytest.raises(ModelError, match="cut short: tensor 'b'"):
        read_header(path)


@pytest.mark.parametrize("counts", [(2**63, 0), (0, 2**63), (1, 65_000), (200_000, 1)])
def test_hostile_counts_end_at_once(tmp_path, counts):
    path = tmp_path / "hostile.gguf"
    path.write_bytes(b"GGUF" + struct.pack("<IQQ", 3, *counts))
    with pytest.raises(ModelError):
        read_header(path)


@pytest.mark.parametrize("kind", [4, 8, 9, 77])
def test_a_hostile_array_length_ends_at_once(tmp_path, kind):
    path = tmp_path / "hostile.gguf"
    field = struct.pack("<Q", 1) + b"k" + struct.pack("<IIQ", 9, kind, 2**62)
    path.write_bytes(b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + field)
    with pytest.raises(ModelError):
        read_header(path)


@pytest.mark.parametrize("version", [0, 1, 4, 0x03000000])
def test_other_versions_and_byte_orders_are_refused(tmp_path, version):
    path = tmp_path / "old.gguf"
    path.write_bytes(b"GGUF" + struct.pack("<IQQ", version, 0, 0))
    with pytest.raises(ModelError, match="version"):
        read_header(path)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=150)
@given(at=st.integers(0, 600), replacement=st.binary(min_size=1, max_size=12))
def test_no_damage_brings_anything_but_a_model_error(write_gguf, at, replacement):
    path = write_gguf(name="fuzzed.gguf")
    raw = bytearray(path.read_bytes())
    raw[at : at + len(replacement)] = replacement
    path.write_bytes(raw)
    try:
        read_header(path)
    except ModelError as error:
        assert "\n" not in error.message


def test_a_model_without_a_template_is_refused_for_questions_only(write_gguf):
    path = write_gguf(template=None)
    header = read_header(path)
    check_model(path, header)
    with pytest.raises(ModelError, match=r"tiny\.gguf carries no chat template"):
        check_chat_model(path, header)


def test_an_adapter_cannot_stand_for_a_model(write_gguf):
    path = write_gguf(kind="adapter")
    with pytest.raises(ModelError, match="is an adapter"):
        check_model(path, read_header(path))


BASE = {"blk.0.attn_q.weight": (6, 8)}
PAIR = {"blk.0.attn_q.weight.lora_a": (2, 8), "blk.0.attn_q.weight.lora_b": (6, 2)}


class TestAdapters:
    def check(self, write_gguf, tensors, architecture="llama", kind="adapter"):
        model = write_gguf("base.gguf", tensors=BASE)
        path = write_gguf("lora.gguf", architecture=architecture, kind=kind, tensors=tensors)
        check_adapter(path, read_header(path), read_header(model))

    def test_one_that_fits_is_taken(self, write_gguf):
        self.check(write_gguf, PAIR)

    def test_another_architecture_is_refused(self, write_gguf):
        with pytest.raises(ModelError, match=r"lora\.gguf adapts a 'qwen2' network"):
            self.check(write_gguf, PAIR, architecture="qwen2")

    def test_a_model_is_no_adapter(self, write_gguf):
        with pytest.raises(ModelError, match="whole model"):
            self.check(write_gguf, PAIR, kind="model")

    @pytest.mark.parametrize(
        ("tensors", "reason"),
        [
            ({"blk.0.attn_q.weight.lora_a": (2, 8)}, "not half of a LoRA pair"),
            ({"blk.9.x.lora_a": (2, 8), "blk.9.x.lora_b": (6, 2)}, "no tensor 'blk.9.x'"),
            ({**PAIR, "blk.0.attn_q.weight.lora_a": (2, 16)}, "where the model's tensor is"),
            ({**PAIR, "blk.0.attn_q.weight.lora_b": (12, 2)}, "where the model's tensor is"),
        ],
    )
    def test_other_layers_and_sizes_are_refused(self, write_gguf, tensors, reason):
        with pytest.raises(ModelError, match=reason):
            self.check(write_gguf, tensors)


def test_tensor_sizes_agree_with_the_gguf_package():
    constants = pytest.importorskip("gguf.constants")
    theirs = {int(kind): size for kind, size in constants.GGML_QUANT_SIZES.items()}
    assert {kind: theirs[kind] for kind in _BLOCKS if kind in theirs} == _BLOCKS


@pytest.mark.real
def test_smollm2_is_described_as_it_is(smollm2: Path):
    header = read_header(smollm2)
    assert (header.architecture, header.context_length) == ("llama", 8192)
    assert header.tensors["token_embd.weight"] == (576, 49152)
    check_chat_model(smollm2, header)
