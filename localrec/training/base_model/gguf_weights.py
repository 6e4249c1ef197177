"""Open a GGUF as a trainable network: its settings, and its weights as floats.

transformers can read a GGUF too, but ignores settings that it does not know: it takes every Qwen3
for one with heads of 128 and overlooks scaled rotary positions. Here each setting that changes the
network is either used or refused, and every tensor must find its place. Quantisation losses stay:
the floats are those that llama.cpp computes with.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from localrec.foundation.errors import ModelError
from localrec.llm.gguf_header import check_chat_model, read_header
from localrec.training.base_model.gguf_layout import ARCHITECTURES, Architecture, TensorLayout

if TYPE_CHECKING:
    import torch
    from gguf import GGUFReader
    from numpy.typing import NDArray
    from transformers import PreTrainedModel

_FOLDER = "Use a local Hugging Face folder of this model instead."


def open_gguf(path: Path) -> OpenGguf:
    """Open a GGUF and check that it can be trained on, without reading weights.

    Raises:
        ModelError: the file is missing, damaged, not for chat, or of another architecture.
    """
    import gguf  # an extra's

    header = read_header(path)  # bounded, so that the package never sees a crafted file
    check_chat_model(path, header)
    if header.architecture not in ARCHITECTURES:
        raise ModelError(
            f"{path} holds a {header.architecture!r} network, and adapters are trained for "
            f"{' and '.join(ARCHITECTURES)} only.",
            "Use a model such as SmolLM2 or Qwen3.",
        )
    architecture = next(one for one in ARCHITECTURES if one == header.architecture)
    return OpenGguf(path, architecture, gguf.GGUFReader(path))


class OpenGguf:
    """A GGUF with its fields at hand; made by `open_gguf`."""

    def __init__(self, path: Path, architecture: Architecture, reader: GGUFReader) -> None:
        self.path = path
        self.architecture = architecture
        self._reader = reader
        self._tensors = {tensor.name: tensor for tensor in reader.tensors}

    def text(self, key: str) -> str:
        """Return a text field; empty where the file has none."""
        value = self.field(key)
        return value if isinstance(value, str) else ""

    def field(self, key: str) -> Any:
        """Return a field of any type, lists included; None where the file has none."""
        found = self._reader.get_field(key)
        return None if found is None else found.contents()

    def network(self, device: torch.device, dtype: str) -> PreTrainedModel:
        """Build the network with its weights, in evaluation mode.

        At its highest, memory holds the network and one tensor as float32.

        Raises:
            ModelError: a setting is not understood, or a tensor has no place or is missing.
        """
        import torch  # takes seconds, and so do the others
        import transformers
        from accelerate import init_empty_weights

        made = {"llama": transformers.LlamaForCausalLM, "qwen3": transformers.Qwen3ForCausalLM}
        config = self._config()
        config.dtype = getattr(torch, dtype)
        with init_empty_weights(include_buffers=False):
            model = made[self.architecture](config)
        wanted = {
            name: tuple(tensor.shape)
            for name, tensor in model.state_dict().items()
            if not (config.tie_word_embeddings and name == "lm_head.weight")
        }
        weights = {
            name: torch.from_numpy(rows).to(device=device, dtype=config.dtype)
            for name, rows in self._weights(wanted, TensorLayout.of(config))
        }
        model.load_state_dict(weights, strict=False, assign=True)
        model.tie_weights()
        return model.to(device).eval()

    def _weights(
        self, wanted: dict[str, tuple[int, ...]], layout: TensorLayout
    ) -> Iterator[tuple[str, NDArray[np.float32]]]:
        """Yield each wanted tensor by name, float32 in transformers' order."""
        import gguf  # see open_gguf

        modules = [name.rpartition(".")[0] for name in wanted]
        names = layout.names(modules)
        sources = {
            name: f"{names[module]}.{name.rpartition('.')[2]}"
            for name, module in zip(wanted, modules, strict=True)
        }
        self._check_tensors(set(sources.values()))
        for name, source in sources.items():
            tensor = self._tensors[source]
            rows = np.array(gguf.dequantize(tensor.data, tensor.tensor_type), dtype=np.float32)
            if rows.shape != wanted[name]:
                raise self._unfit(f"tensor {source!r} is {rows.shape} and not {wanted[name]}")
            yield name, np.ascontiguousarray(layout.to_transformers(name.rpartition(".")[0], rows))

    def _check_tensors(self, wanted: set[str]) -> None:
        if missing := sorted(wanted - self._tensors.keys()):
            raise self._unfit(f"tensor {missing[0]!r} is missing")
        if left := sorted(self._tensors.keys() - wanted):
            raise self._unfit(f"it holds a tensor {left[0]!r} that has no place in such a network")

    def _config(self) -> Any:
        """Return the transformers settings of this network.

        Raises:
            ModelError: a setting is missing, or one that changes the network is not understood.
        """
        import transformers  # see network

        made = {"llama": transformers.LlamaConfig, "qwen3": transformers.Qwen3Config}
        self._check_plain()
        hidden, heads = self._number("embedding_length"), self._number("attention.head_count")
        biased = "blk.0.attn_q.bias" in self._tensors
        more = {"mlp_bias": "blk.0.ffn_up.bias" in self._tensors}
        return made[self.architecture](
            vocab_size=int(self._tensors["token_embd.weight"].shape[-1]),
            hidden_size=hidden,
            intermediate_size=self._number("feed_forward_length"),
            num_hidden_layers=self._number("block_count"),
            num_attention_heads=heads,
            num_key_value_heads=self._number("attention.head_count_kv", heads),
            head_dim=self._head_size(hidden // heads),
            max_position_embeddings=self._number("context_length"),
            rms_norm_eps=self._number("attention.layer_norm_rms_epsilon"),
            rope_parameters={
                "rope_type": "default",
                "rope_theta": self._number("rope.freq_base", 10_000.0),
            },
            tie_word_embeddings="output.weight" not in self._tensors,
            attention_bias=biased,
            bos_token_id=self.field("tokenizer.ggml.bos_token_id"),
            eos_token_id=self.field("tokenizer.ggml.eos_token_id"),
            pad_token_id=self.field("tokenizer.ggml.padding_token_id"),
            **(more if self.architecture == "llama" else {}),
        )

    def _check_plain(self) -> None:
        if "token_embd.weight" not in self._tensors:
            raise self._unfit("tensor 'token_embd.weight' is missing")
        scaling = self._setting("rope.scaling.type")
        if scaling not in (None, "none"):
            raise self._unfit(f"its rotary positions are scaled ({scaling})")
        for key in ("expert_count", "attention.sliding_window"):
            if self._setting(key):
                raise self._unfit(f"it sets {self.architecture}.{key}")

    def _head_size(self, usual: int) -> int:
        size = self._number("attention.key_length", usual)
        for key in ("attention.value_length", "rope.dimension_count"):
            if (other := self._number(key, size)) != size:
                raise self._unfit(f"its heads are of {size}, and {self.architecture}.{key} {other}")
        return size

    def _number(self, key: str, usual: float | None = None) -> Any:
        """Read a setting that must be one number for all layers."""
        value = self._setting(key)
        value = usual if value is None else value
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self._unfit(f"{self.architecture}.{key} is {value!r}, which is no number")
        return value

    def _setting(self, key: str) -> Any:
        return self.field(f"{self.architecture}.{key}")

    def _unfit(self, reason: str) -> ModelError:
        return ModelError(f"{self.path} cannot be trained on: {reason}.", _FOLDER)
