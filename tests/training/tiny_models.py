"""Networks of two small layers, each as a Hugging Face folder and as the GGUF of the same weights.

The GGUF is written here name by name, with llama.cpp's order of llama's query and key rows, so
that it is a witness of its own for what localrec.training reads and writes.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from localrec.training.base_model.gguf_weights import open_gguf
from localrec.training.base_model.tokenizer import tokenizer_of

CHATML = (
    "{% for message in messages %}<|im_start|>{{ message.role }}\n{{ message.content }}<|im_end|>\n"
    "{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
MERGES = ("Ġ t", "h e", "i n", "Ġt he", "1 9", "Ġ Ġ")
HEADS, KEY_HEADS, LAYERS = 4, 2, 2
RULES = {"llama": "smollm", "qwen3": "qwen2"}
_PARTS = {
    "input_layernorm": "attn_norm",
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "self_attn.q_norm": "attn_q_norm",
    "self_attn.k_norm": "attn_k_norm",
    "post_attention_layernorm": "ffn_norm",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
}
_OUTSIDE = {"model.embed_tokens": "token_embd", "model.norm": "output_norm", "lm_head": "output"}


class Tiny(NamedTuple):
    """One network in its two forms."""

    architecture: str
    folder: Path
    gguf: Path


def make_tiny(architecture: str, place: Path, seed: int = 0, context: int = 512) -> Tiny:
    """Make a network with random weights: llama untied, qwen3 tied and with heads of 32."""
    network = _network(architecture, seed)
    path = place / f"tiny-{architecture}.gguf"
    write_tiny_gguf(path, network, context=context)
    folder = place / f"tiny-{architecture}"
    network.save_pretrained(folder)
    tokenizer_of(open_gguf(path))[0].save_pretrained(folder)
    return Tiny(architecture, folder, path)


def write_tiny_gguf(
    path: Path, network: Any, rule: str | None = None, *, context: int = 512, **fields: Any
) -> Path:
    """Write a network as GGUF; `fields` are set on top, with `__` for the dots of their names."""
    import gguf

    config = network.config
    writer = gguf.GGUFWriter(path, config.model_type)
    writer.add_name("Tiny")
    writer.add_license("MIT")
    writer.add_context_length(context)
    writer.add_block_count(LAYERS)
    writer.add_embedding_length(config.hidden_size)
    writer.add_feed_forward_length(config.intermediate_size)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(KEY_HEADS)
    writer.add_key_length(config.head_dim)
    writer.add_value_length(config.head_dim)
    writer.add_rope_dimension_count(config.head_dim)
    writer.add_rope_freq_base(config.rope_parameters["rope_theta"])
    writer.add_layer_norm_rms_eps(config.rms_norm_eps)
    _add_vocabulary(writer, rule or RULES[config.model_type])
    for key, value in fields.items():
        add = writer.add_string if isinstance(value, str) else writer.add_uint32
        add(key.replace("__", "."), value)
    for name, rows in network.state_dict().items():
        if not (config.tie_word_embeddings and name == "lm_head.weight"):
            writer.add_tensor(*_as_llama_cpp(config.model_type, name, rows.numpy()))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def _network(architecture: str, seed: int) -> Any:
    import torch
    import transformers

    made = {
        "llama": (transformers.LlamaForCausalLM, transformers.LlamaConfig),
        "qwen3": (transformers.Qwen3ForCausalLM, transformers.Qwen3Config),
    }
    network, config = made[architecture]
    torch.manual_seed(seed)
    model = network(
        config(
            vocab_size=len(tokens()),
            hidden_size=64,
            intermediate_size=96,
            num_hidden_layers=LAYERS,
            num_attention_heads=HEADS,
            num_key_value_heads=KEY_HEADS,
            head_dim=16 if architecture == "llama" else 32,
            max_position_embeddings=512,
            rms_norm_eps=1e-5,
            rope_parameters={"rope_type": "default", "rope_theta": 50_000.0},
            tie_word_embeddings=architecture == "qwen3",
            # Wide enough for attention to look at some tokens more than at others.
            initializer_range=0.25,
            bos_token_id=len(tokens()) - 3,
            eos_token_id=len(tokens()) - 1,
        )
    )
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if "norm" in name:  # all ones would hide one that was taken for another
                parameter.uniform_(0.5, 1.5)
    return model.eval()


def tokens() -> list[str]:
    """The vocabulary: every byte, what the merges make, and three control tokens."""
    from transformers.convert_slow_tokenizer import bytes_to_unicode

    merged = [merge.replace(" ", "") for merge in MERGES]
    control = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
    return [*bytes_to_unicode().values(), *merged, *control]


def _add_vocabulary(writer: Any, rule: str) -> None:
    every = tokens()
    writer.add_vocab_size(len(every))
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre(rule)
    writer.add_token_list(every)
    writer.add_token_types([1] * (len(every) - 3) + [3] * 3)
    writer.add_token_merges(list(MERGES))
    writer.add_bos_token_id(len(every) - 3)
    writer.add_eos_token_id(len(every) - 1)
    writer.add_chat_template(CHATML)


def _as_llama_cpp(architecture: str, name: str, rows: np.ndarray) -> tuple[str, np.ndarray]:
    module, _, kind = name.rpartition(".")
    if module in _OUTSIDE:
        return f"{_OUTSIDE[module]}.{kind}", rows
    _, _, number, part = module.split(".", 3)
    heads = {"self_attn.q_proj": HEADS, "self_attn.k_proj": KEY_HEADS}.get(part)
    if architecture == "llama" and heads:
        size = rows.shape[0] // heads
        # Row 2i of a head is the one that transformers has in its first half at i.
        order = [
            head * size + half * size // 2 + pair
            for head in range(heads)
            for pair in range(size // 2)
            for half in range(2)
        ]
        rows = rows[order]
    return f"blk.{number}.{_PARTS[part]}.{kind}", np.ascontiguousarray(rows)
