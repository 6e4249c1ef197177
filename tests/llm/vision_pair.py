"""A model that sees, small enough for a test: random weights, but every step of the real road.

The text model is a llama of one layer that knows nothing but bytes; the projector is that of LLaVA
(two linear layers behind a vision transformer), which has the fewest tensors of those that
llama.cpp knows. What such a pair writes means nothing; a grammar gives it a form.
"""

from __future__ import annotations

from pathlib import Path

import gguf
import numpy as np

TEMPLATE = (
    "{% for m in messages %}<{{ m.role }}>{{ m.content }}</{{ m.role }}>{% endfor %}"
    "{% if add_generation_prompt %}<assistant>{% endif %}"
)
WIDTH, HEADS, LAYERS = 64, 2, 1
SEEN_WIDTH, SIDE, PATCH = 32, 56, 14  # of the vision transformer; pixels


def write_text_model(
    path: Path, *, width: int = WIDTH, context: int = 2048, template: str = TEMPLATE
) -> Path:
    """A llama with a vocabulary of bytes."""
    random = np.random.default_rng(3)
    tokens = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256)), "\u2581"]
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_type("model")
    writer.add_context_length(context)
    writer.add_embedding_length(width)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(2 * width)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(width // HEADS)
    writer.add_tokenizer_model("llama")
    writer.add_token_list(tokens)
    writer.add_token_scores([0.0] * len(tokens))
    writer.add_token_types([2, 3, 3, *([6] * 256), 1])
    writer.add_add_space_prefix(False)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_chat_template(template)

    def add(name: str, *shape: int) -> None:
        writer.add_tensor(name, random.normal(0, 0.3, shape).astype(np.float32))

    add("token_embd.weight", len(tokens), width)
    add("output.weight", len(tokens), width)
    writer.add_tensor("output_norm.weight", np.ones(width, dtype=np.float32))
    for layer in range(LAYERS):
        for name in ("attn_q", "attn_k", "attn_v", "attn_output"):
            add(f"blk.{layer}.{name}.weight", width, width)
        add(f"blk.{layer}.ffn_gate.weight", 2 * width, width)
        add(f"blk.{layer}.ffn_up.weight", 2 * width, width)
        add(f"blk.{layer}.ffn_down.weight", width, 2 * width)
        for name in ("attn_norm", "ffn_norm"):
            writer.add_tensor(f"blk.{layer}.{name}.weight", np.ones(width, dtype=np.float32))
    return _written(writer, path)


def write_projector(path: Path, *, width: int = WIDTH, sees: bool = True) -> Path:
    """A projector into a text model of `width`, for pictures of `SIDE` pixels a side."""
    random = np.random.default_rng(5)
    writer = gguf.GGUFWriter(path, "clip")
    writer.add_type("mmproj")
    writer.add_bool("clip.has_vision_encoder", sees)
    writer.add_string("clip.projector_type", "mlp")
    writer.add_bool("clip.use_gelu", True)
    for field, value in {
        "embedding_length": SEEN_WIDTH,
        "feed_forward_length": 2 * SEEN_WIDTH,
        "block_count": 2,  # of which the last one is not asked
        "projection_dim": width,
        "attention.head_count": 2,
        "image_size": SIDE,
        "patch_size": PATCH,
    }.items():
        writer.add_uint32(f"clip.vision.{field}", value)
    writer.add_float32("clip.vision.attention.layer_norm_epsilon", 1e-5)
    writer.add_array("clip.vision.image_mean", [0.5, 0.5, 0.5])
    writer.add_array("clip.vision.image_std", [0.5, 0.5, 0.5])

    def add(name: str, *shape: int) -> None:
        writer.add_tensor(name, random.normal(0, 0.3, shape).astype(np.float32))

    add("v.patch_embd.weight", SEEN_WIDTH, 3, PATCH, PATCH)
    add("v.position_embd.weight", (SIDE // PATCH) ** 2, SEEN_WIDTH)
    for layer in range(2):
        for name in ("attn_q", "attn_k", "attn_v", "attn_out"):
            add(f"v.blk.{layer}.{name}.weight", SEEN_WIDTH, SEEN_WIDTH)
        add(f"v.blk.{layer}.ffn_up.weight", 2 * SEEN_WIDTH, SEEN_WIDTH)
        add(f"v.blk.{layer}.ffn_up.bias", 2 * SEEN_WIDTH)
        add(f"v.blk.{layer}.ffn_down.weight", SEEN_WIDTH, 2 * SEEN_WIDTH)
        add(f"v.blk.{layer}.ffn_down.bias", SEEN_WIDTH)
        for name in ("ln1", "ln2"):
            add(f"v.blk.{layer}.{name}.weight", SEEN_WIDTH)
            add(f"v.blk.{layer}.{name}.bias", SEEN_WIDTH)
    for number, inside in ((0, SEEN_WIDTH), (2, width)):
        add(f"mm.{number}.weight", width, inside)
        add(f"mm.{number}.bias", width)
    return _written(writer, path)


def _written(writer: gguf.GGUFWriter, path: Path) -> Path:
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path
