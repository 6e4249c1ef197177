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
from localrec.llm.gguf_header import check_chat_model, check_model, read_header
from localrec.llm.model_catalog import declared_template
from localrec.training.base_model.gguf_layout import ARCHITECTURES, Architecture, TensorLayout

if TYPE_CHECKING:
    import torch
    from gguf import GGUFReader
    from numpy.typing import NDArray
    from transformers import PreTrainedModel

# Of Gemma 3 llama.cpp has these in its code, unless a file sets them.
_GEMMA_PATTERN = 6  # one layer in so many sees all tokens, the others a window
_GEMMA_LOCAL_BASE = 10_000.0  # of the rotary positions of the others
_GEMMA_27B_LAYERS = 62  # by which llama.cpp knows the one size that scales its queries otherwise

# Settings that change the network -> the one value of each that is understood.
_NOT_UNDERSTOOD: dict[Architecture, dict[str, float | None]] = {
    "llama": {"expert_count": None, "attention.sliding_window": None},
    "qwen3": {"expert_count": None, "attention.sliding_window": None},
    "gemma3": {
        "attention.sliding_window_pattern": _GEMMA_PATTERN,
        "rope.freq_base_swa": _GEMMA_LOCAL_BASE,
        "attn_logit_softcapping": None,
        "final_logit_softcapping": None,
    },
}

_FOLDER = "Use a local Hugging Face folder of this model instead."


def open_gguf(path: Path) -> OpenGguf:
    """Open a GGUF and check that it can be trained on, without reading weights.

    Raises:
        ModelError: the file is missing, damaged, not for chat, or of another architecture.
    """
    import gguf  # an extra's

    header = read_header(path)  # bounded, so that the package never sees a crafted file
    if declared_template(path):
        check_model(path, header)
    else:
        check_chat_model(path, header)
    if header.architecture not in ARCHITECTURES:
        raise ModelError(
            f"{path} holds a {header.architecture!r} network, and adapters are trained for "
            f"{', '.join(ARCHITECTURES)} only.",
            "Use a model such as SmolLM2 or Qwen3.",
        )
    architecture = next(one for one in ARCHITECTURES if one == header.architecture)
    return OpenGguf(path, architecture, gguf.GGUFReader(path))


def network_class(architecture: Architecture) -> Any:
    """Return transformers' class of a network; `AutoModel` would follow a folder to its code."""
    import transformers  # takes seconds

    classes: dict[Architecture, Any] = {
        "llama": transformers.LlamaForCausalLM,
        "qwen3": transformers.Qwen3ForCausalLM,
        "gemma3": transformers.Gemma3ForCausalLM,
    }
    return classes[architecture]


class OpenGguf:
    """A GGUF with its fields at hand; made by `open_gguf`."""

    def __init__(self, path: Path, architecture: Architecture, reader: GGUFReader) -> None:
        self.path = path
        self.architecture = architecture
        self._reader = reader
        self._tensors = {tensor.name: tensor for tensor in reader.tensors}

    @property
    def chat_template(self) -> str:
        """The template that serves: the catalogue's for a file that has none of its own."""
        return declared_template(self.path) or self.text("tokenizer.chat_template")

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
        from accelerate import init_empty_weights

        config = self._config()
        config.dtype = getattr(torch, dtype)
        with init_empty_weights(include_buffers=False):
            model = network_class(self.architecture)(config)
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
        self._check_plain()
        hidden, heads = self._number("embedding_length"), self._number("attention.head_count")
        settings = {
            "vocab_size": int(self._tensors["token_embd.weight"].shape[-1]),
            "hidden_size": hidden,
            "intermediate_size": self._number("feed_forward_length"),
            "num_hidden_layers": self._number("block_count"),
            "num_attention_heads": heads,
            "num_key_value_heads": self._number("attention.head_count_kv", heads),
            "head_dim": self._head_size(hidden // heads),
            "max_position_embeddings": self._number("context_length"),
            "rms_norm_eps": self._number("attention.layer_norm_rms_epsilon"),
            "rope_parameters": self._positions(self._number("rope.freq_base", 10_000.0)),
            "tie_word_embeddings": "output.weight" not in self._tensors,
            "attention_bias": "blk.0.attn_q.bias" in self._tensors,
            "bos_token_id": self.field("tokenizer.ggml.bos_token_id"),
            "eos_token_id": self.field("tokenizer.ggml.eos_token_id"),
            "pad_token_id": self.field("tokenizer.ggml.padding_token_id"),
        }
        if self.architecture == "llama":
            settings["mlp_bias"] = "blk.0.ffn_up.bias" in self._tensors
        if self.architecture == "gemma3":
            settings["query_pre_attn_scalar"] = settings["head_dim"]
            settings["sliding_window"] = self._number("attention.sliding_window")
            settings["sliding_window_pattern"] = _GEMMA_PATTERN
        return network_class(self.architecture).config_class(**settings)

    def _positions(self, base: float) -> dict[str, Any]:
        """Return the settings of rotary positions; Gemma's sliding layers have a base of theirs."""
        plain = {"rope_type": "default", "rope_theta": base}
        if self.architecture != "gemma3":
            return plain
        return {
            "full_attention": plain,
            "sliding_attention": plain | {"rope_theta": _GEMMA_LOCAL_BASE},
        }

    def _check_plain(self) -> None:
        if "token_embd.weight" not in self._tensors:
            raise self._unfit("tensor 'token_embd.weight' is missing")
        scaling = self._setting("rope.scaling.type")
        if scaling not in (None, "none"):
            raise self._unfit(f"its rotary positions are scaled ({scaling})")
        for key, understood in _NOT_UNDERSTOOD[self.architecture].items():
            if (value := self._setting(key)) and value != understood:
                raise self._unfit(f"it sets {self.architecture}.{key} to {value}")
        if self.architecture == "gemma3" and self._setting("block_count") == _GEMMA_27B_LAYERS:
            raise self._unfit("the 27 billion weights of this size scale their queries otherwise")

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
