"""Build a GGUF's tokeniser for transformers; refuse one that differs from llama.cpp's.

A GGUF names the rule that splits texts before its merges apply, and llama.cpp has that rule in
code. transformers ignores the names that it does not know, SmolLM's among them, and would then
train on other tokens than are served. Text is not normalised, since llama.cpp does not.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from localrec.foundation.errors import ModelError

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

    from localrec.training.base_model.gguf_weights import OpenGguf

_CONTROL, _USER_DEFINED = 3, 4  # tokenizer.ggml.token_type
_CONTRACTIONS = "'s|'t|'re|'ve|'m|'ll|'d"
_GPT2 = rf"{_CONTRACTIONS}| ?\p{{L}}+| ?\p{{N}}+| ?[^\s\p{{L}}\p{{N}}]+|\s+(?!\S)|\s+"
_REST = r" ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
_QWEN2 = rf"(?i:{_CONTRACTIONS})|[^\r\n\p{{L}}\p{{N}}]?\p{{L}}+|\p{{N}}|{_REST}"
_LLAMA3 = rf"(?i:{_CONTRACTIONS})|[^\r\n\p{{L}}\p{{N}}]?\p{{L}}+|\p{{N}}{{1,3}}|{_REST}"

# tokenizer.ggml.pre -> the expressions that part a text, one after the other.
_SPLITS = {
    "smollm": (r"\p{N}", _GPT2),
    "gpt-2": (_GPT2,),
    "qwen2": (_QWEN2,),
    "llama-bpe": (_LLAMA3,),
}


def tokenizer_of(opened: OpenGguf) -> tuple[PreTrainedTokenizerFast, int | None]:
    """Build the tokeniser with the chat template, and the token that begins every prompt.

    Raises:
        ModelError: its kind is not known here, so other tokens might come out than are served.
    """
    from transformers import PreTrainedTokenizerFast  # takes seconds

    kind, rule = opened.text("tokenizer.ggml.model"), opened.text("tokenizer.ggml.pre")
    if kind != "gpt2" or rule not in _SPLITS:
        raise ModelError(
            f"{opened.path} cuts texts by a rule that training does not know ({kind}, {rule}).",
            f"Known are gpt2 with {', '.join(_SPLITS)}; or use a local Hugging Face folder.",
        )
    tokens: list[str] = opened.field("tokenizer.ggml.tokens") or []
    named = {
        f"{ours}_token": tokens[number]
        for ours, theirs in (("bos", "bos"), ("eos", "eos"), ("pad", "padding"))
        if (number := opened.field(f"tokenizer.ggml.{theirs}_token_id")) is not None
        and number < len(tokens)
    }
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "tokenizer.json"
        file.write_text(json.dumps(_description(opened, tokens, rule)), encoding="utf-8")
        tokenizer = PreTrainedTokenizerFast(
            tokenizer_file=str(file),
            chat_template=opened.text("tokenizer.chat_template"),
            clean_up_tokenization_spaces=False,
            **named,
        )
    wants_bos = opened.field("tokenizer.ggml.add_bos_token")
    if wants_bos is None:
        wants_bos = rule == "llama-bpe"  # llama.cpp's default
    return tokenizer, tokenizer.bos_token_id if wants_bos else None


def _description(opened: OpenGguf, tokens: list[str], rule: str) -> dict[str, Any]:
    """Describe the tokeniser as a tokenizer.json does."""
    kinds = opened.field("tokenizer.ggml.token_type") or []
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True}
    return {
        "version": "1.0",
        "added_tokens": [
            _added(number, token, special=kind == _CONTROL)
            for number, (token, kind) in enumerate(zip(tokens, kinds, strict=True))
            if kind in (_CONTROL, _USER_DEFINED)
        ],
        "pre_tokenizer": {
            "type": "Sequence",
            "pretokenizers": [
                *(
                    {
                        "type": "Split",
                        "pattern": {"Regex": expression},
                        "behavior": "Isolated",
                        "invert": False,
                    }
                    for expression in _SPLITS[rule]
                ),
                {**byte_level, "use_regex": False},
            ],
        },
        "decoder": {**byte_level, "use_regex": True},
        "model": {
            "type": "BPE",
            "vocab": {token: number for number, token in enumerate(tokens)},
            "merges": [merge.split(" ", 1) for merge in opened.field("tokenizer.ggml.merges")],
            # Llama 3 takes a word that is a token whole, whatever the merges would make of it.
            "ignore_merges": rule == "llama-bpe",
        },
    }


def _added(number: int, token: str, *, special: bool) -> dict[str, Any]:
    return {
        "id": number,
        "content": token,
        "single_word": False,
        "lstrip": False,
        "rstrip": False,
        "normalized": False,
        "special": special,
    }
