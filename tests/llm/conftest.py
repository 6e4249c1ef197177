"""The real SmolLM2 and small GGUF files for the tests of localrec.llm."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from localrec.foundation.paths import pulled
from localrec.llm.model_process import ModelProcess


@pytest.fixture(scope="session")
def smollm2() -> Path:
    """The pulled SmolLM2; its absence fails the run where LOCALREC_REQUIRE_MODELS is set."""
    path = pulled("models") / "smollm2-135m" / "SmolLM2-135M-Instruct.Q4_1.gguf"
    if not path.is_file():
        reason = f"SmolLM2 is not at {path}: localrec models pull smollm2-135m"
        if os.environ.get("LOCALREC_REQUIRE_MODELS"):
            pytest.fail(reason)
        pytest.skip(reason)
    return path


@pytest.fixture(scope="module")
def model(smollm2: Path) -> Iterator[ModelProcess]:
    """One process per test module; tests that kill it leave it to restart."""
    with ModelProcess(smollm2) as process:
        yield process


WriteGguf = Callable[..., Path]


@pytest.fixture
def write_gguf(tmp_path: Path) -> WriteGguf:
    """Writes a tiny GGUF: fields by key, tensors by name (float32 arrays)."""

    def write(
        name: str = "tiny.gguf",
        architecture: str = "llama",
        kind: str | None = "model",
        template: str | None = "{{ messages[0].content }}",
        tensors: dict[str, tuple[int, ...]] | None = None,
        **fields: str,
    ) -> Path:
        gguf = pytest.importorskip("gguf")
        path = tmp_path / name
        writer = gguf.GGUFWriter(path, architecture)
        if kind is not None:
            writer.add_type(kind)
        writer.add_context_length(512)
        writer.add_array("tokenizer.ggml.tokens", ["<s>", "</s>", "a" * 300])
        writer.add_array("tokenizer.ggml.token_type", [3, 3, 1])
        if template is not None:
            writer.add_chat_template(template)
        for key, value in fields.items():
            writer.add_string(key.replace("__", "."), value)
        for tensor, shape in (tensors or {"token_embd.weight": (4, 8)}).items():
            writer.add_tensor(tensor, np.zeros(shape, dtype=np.float32))
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.write_tensors_to_file()
        writer.close()
        return path

    return write
