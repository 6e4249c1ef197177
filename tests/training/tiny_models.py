"""Networks of few small layers, each as a Hugging Face folder and as the GGUF of the same weights.

The GGUF is written here name by name, with llama.cpp's order of llama's query and key rows and its
norms of Gemma, so that it is a witness of its own for what localrec.training reads and writes.
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
# Of a Gemma: tokens with their scores, "the" made in two ways, and what is cut out first.
PIECES = {"\u2581": -9, "t": -10, "h": -11, "e": -12, "i": -13, "n": -14, "1": -15, "9": -16} | {
    "\u2581t": 0, "he": -1, "in": -2, "\u2581the": -3, "th": -4, "19": -5, "\u2581th": -6
}  # fmt: skip
CUT_FIRST = ("\n\n", "  ", "<td>")
WINDOW = 24  # tokens that a Gemma's sliding layers see
HEADS, KEY_HEADS = 4, 2
LAYERS = {"llama": 2, "qwen3": 2, "gemma3": 6}  # the sixth of a Gemma is the first without a window
RULES = {"llama": "smollm", "qwen3": "qwen2", "gemma3": "default"}
_NAMES = {"gemma3_text": "gemma3"}
_PARTS = {
    "input_layernorm": "attn_norm",
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "self_attn.q_norm": "attn_q_norm",
    "self_attn.k_norm": "attn_k_norm",
    "post_attention_layernorm": "ffn_norm",
    "pre_feedforward_layernorm": "ffn_norm",
    "post_feedforward_layernorm": "post_ffw_norm",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
}
_GEMMA_PARTS = {"post_attention_layernorm": "post_attention_norm"}
_OUTSIDE = {"model.embed_tokens": "token_embd", "model.norm": "output_norm", "lm_head": "output"}


class Tiny(NamedTuple):
    """One network in its two forms."""

    architecture: str
    folder: Path
    gguf: Path


def make_tiny(architecture: str, place: Path, seed: int = 0, context: int = 512) -> Tiny:
    """Make a network with random weights: llama untied, the others tied and with heads of 32."""
    network = _network(architecture, seed)
    path = place / f"tiny-{architecture}.gguf"
    write_tiny_gguf(path, network, context=context)
    folder = place / f"tiny-{architecture}"
    network.save_pretrained(folder)
    tokenizer, bos = tokenizer_of(open_gguf(path))
    if bos is not None:
        _open_with(tokenizer, bos)
    tokenizer.save_pretrained(folder)
    return Tiny(architecture, folder, path)


def write_tiny_gguf(
    path: Path, network: Any, rule: str | None = None, *, context: int = 512, **fields: Any
) -> Path:
    """Write a network as GGUF; `fields` are set on top, with `__` for the dots of their names."""
    import gguf

    config = network.config
    architecture = _NAMES.get(config.model_type, config.model_type)
    writer = gguf.GGUFWriter(path, architecture)
    writer.add_name("Tiny")
    writer.add_license("MIT")
    writer.add_context_length(context)
    writer.add_block_count(LAYERS[architecture])
    writer.add_embedding_length(config.hidden_size)
    writer.add_feed_forward_length(config.intermediate_size)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(KEY_HEADS)
    writer.add_key_length(config.head_dim)
    writer.add_value_length(config.head_dim)
    writer.add_rope_dimension_count(config.head_dim)
    positions = config.rope_parameters
    writer.add_rope_freq_base(positions.get("full_attention", positions)["rope_theta"])
    writer.add_layer_norm_rms_eps(config.rms_norm_eps)
    if architecture == "gemma3":
        writer.add_sliding_window(config.sliding_window)
        _add_scored_vocabulary(writer)
    else:
        _add_vocabulary(writer, rule or RULES[architecture])
    for key, value in fields.items():
        add = writer.add_string if isinstance(value, str) else writer.add_uint32
        add(key.replace("__", "."), value)
    for name, rows in network.state_dict().items():
        if not (config.tie_word_embeddings and name == "lm_head.weight"):
            writer.add_tensor(*_as_llama_cpp(architecture, name, rows.numpy()))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def _network(architecture: str, seed: int) -> Any:
    import torch
    import transformers

    made = {
        "llama": transformers.LlamaForCausalLM,
        "qwen3": transformers.Qwen3ForCausalLM,
        "gemma3": transformers.Gemma3ForCausalLM,
    }
    settings = {
        "vocab_size": len(tokens(architecture)),
        "hidden_size": 64,
        "intermediate_size": 96,
        "num_hidden_layers": LAYERS[architecture],
        "num_attention_heads": HEADS,
        "num_key_value_heads": KEY_HEADS,
        "head_dim": 16 if architecture == "llama" else 32,
        "max_position_embeddings": 512,
        "rms_norm_eps": 1e-5,
        "rope_parameters": _rotary(50_000.0),
        "tie_word_embeddings": architecture != "llama",
        # Wide enough for attention to look at some tokens more than at others.
        "initializer_range": 0.25,
        "bos_token_id": len(tokens(architecture)) - 3,
        "eos_token_id": len(tokens(architecture)) - 1,
    }
    if architecture == "gemma3":
        settings |= {
            "rope_parameters": {
                "full_attention": _rotary(50_000.0),
                "sliding_attention": _rotary(10_000.0),
            },
            "query_pre_attn_scalar": 32,
            "sliding_window": WINDOW,
            "pad_token_id": None,
        }
    torch.manual_seed(seed)
    model = made[architecture](made[architecture].config_class(**settings))
    usual = 0.0 if architecture == "gemma3" else 1.0
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if "norm" in name:  # all alike would hide one that was taken for another
                # In 256ths, so that one can be added and taken away without rounding.
                parameter.uniform_(usual - 0.5, usual + 0.5).mul_(256).round_().div_(256)
    return model.eval()


def _rotary(base: float) -> dict[str, Any]:
    return {"rope_type": "default", "rope_theta": base}


def _open_with(tokenizer: Any, bos: int) -> None:
    """Let a tokenizer put its opening token before every text, as those of folders do."""
    from tokenizers.processors import TemplateProcessing

    token = tokenizer.bos_token
    tokenizer.backend_tokenizer.post_processor = TemplateProcessing(
        single=f"{token} $A", pair=None, special_tokens=[(token, bos)]
    )


def tokens(architecture: str = "llama") -> list[str]:
    """The vocabulary: every byte, what can be made of them, and three control tokens."""
    from transformers.convert_slow_tokenizer import bytes_to_unicode

    control = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
    if architecture == "gemma3":
        return [*(f"<0x{byte:02X}>" for byte in range(256)), *PIECES, *CUT_FIRST, *control]
    merged = [merge.replace(" ", "") for merge in MERGES]
    return [*bytes_to_unicode().values(), *merged, *control]


def _add_vocabulary(writer: Any, rule: str) -> None:
    every = tokens()
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre(rule)
    writer.add_token_list(every)
    writer.add_token_types([1] * (len(every) - 3) + [3] * 3)
    writer.add_token_merges(list(MERGES))
    _add_ends(writer, len(every))


def _add_scored_vocabulary(writer: Any) -> None:
    every = tokens("gemma3")
    writer.add_tokenizer_model("llama")
    writer.add_tokenizer_pre("default")
    writer.add_token_list(every)
    writer.add_token_scores([float(PIECES.get(token, -1000)) for token in every])
    writer.add_token_types([6] * 256 + [1] * len(PIECES) + [4] * len(CUT_FIRST) + [3] * 3)
    writer.add_add_space_prefix(False)
    _add_ends(writer, len(every))


def _add_ends(writer: Any, size: int) -> None:
    writer.add_vocab_size(size)
    writer.add_bos_token_id(size - 3)
    writer.add_eos_token_id(size - 1)
    writer.add_chat_template(CHATML)


def _as_llama_cpp(architecture: str, name: str, rows: np.ndarray) -> tuple[str, np.ndarray]:
    module, _, kind = name.rpartition(".")
    if architecture == "gemma3" and module.endswith("norm"):
        rows = rows + 1
    if module in _OUTSIDE:
        return f"{_OUTSIDE[module]}.{kind}", rows
    _, _, number, part = module.split(".", 3)
    named = {**_PARTS, **(_GEMMA_PARTS if architecture == "gemma3" else {})}
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
    return f"blk.{number}.{named[part]}.{kind}", np.ascontiguousarray(rows)
