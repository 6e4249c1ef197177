"""Build a GGUF's tokeniser for transformers; refuse one that differs from llama.cpp's.

A GGUF of kind `gpt2` names the rule that splits texts before its merges apply, and llama.cpp has
that rule in code. transformers ignores the names that it does not know, SmolLM's among them, and
would then train on other tokens than are served. Text is not normalised, since llama.cpp does not.

One of kind `llama`, as Gemma has it, is never split and has no merges: of all pairs of neighbours
the one goes together whose token scores highest. So each way to part a token is a merge here, in
the order of the tokens' scores. Spaces are a mark of their own, and letters without a token bytes.
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

_SCORED = "llama"  # tokenizer.ggml.model of a tokeniser that goes by scores
_SPACE = "\u2581"  # stands for a space in its tokens
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
    _check_known(opened, kind, rule)
    tokens: list[str] = opened.field("tokenizer.ggml.tokens") or []
    named = {
        f"{ours}_token": tokens[number]
        for ours, theirs in (("bos", "bos"), ("eos", "eos"), ("pad", "padding"))
        if (number := opened.field(f"tokenizer.ggml.{theirs}_token_id")) is not None
        and number < len(tokens)
    }
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "tokenizer.json"
        file.write_text(json.dumps(_description(opened, tokens, kind, rule)), encoding="utf-8")
        tokenizer = PreTrainedTokenizerFast(
            tokenizer_file=str(file),
            chat_template=opened.chat_template,
            clean_up_tokenization_spaces=False,
            **named,
        )
    wants_bos = opened.field("tokenizer.ggml.add_bos_token")
    if wants_bos is None:
        wants_bos = kind == _SCORED or rule == "llama-bpe"  # llama.cpp's default
    return tokenizer, tokenizer.bos_token_id if wants_bos else None


def _check_known(opened: OpenGguf, kind: str, rule: str) -> None:
    """Refuse a kind of tokeniser, or a rule of it, that is not known here."""
    if kind == _SCORED and opened.field("tokenizer.ggml.add_space_prefix") is not False:
        raise ModelError(
            f"{opened.path} puts a space before each text, which training does not know.",
            "Use a local Hugging Face folder of this model instead.",
        )
    if kind != _SCORED and (kind != "gpt2" or rule not in _SPLITS):
        raise ModelError(
            f"{opened.path} cuts texts by a rule that training does not know ({kind}, {rule}).",
            f"Known are gpt2 with {', '.join(_SPLITS)}, and {_SCORED}; or use a local Hugging Face "
            "folder.",
        )


def _description(opened: OpenGguf, tokens: list[str], kind: str, rule: str) -> dict[str, Any]:
    """Describe the tokeniser as a tokenizer.json does."""
    types = opened.field("tokenizer.ggml.token_type") or []
    added = [
        _added(number, token, special=type_ == _CONTROL)
        for number, (token, type_) in enumerate(zip(tokens, types, strict=True))
        if type_ in (_CONTROL, _USER_DEFINED)
    ]
    of_kind = _of_scores(opened, tokens) if kind == _SCORED else _of_merges(opened, rule)
    of_kind["model"] |= {
        "type": "BPE",
        "vocab": {token: number for number, token in enumerate(tokens)},
    }
    return {"version": "1.0", "added_tokens": added, **of_kind}


def _of_merges(opened: OpenGguf, rule: str) -> dict[str, Any]:
    """Describe what is special to kind `gpt2`: bytes as letters, a split, merges."""
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True}
    splits = [
        {
            "type": "Split",
            "pattern": {"Regex": expression},
            "behavior": "Isolated",
            "invert": False,
        }
        for expression in _SPLITS[rule]
    ]
    return {
        "pre_tokenizer": {
            "type": "Sequence",
            "pretokenizers": [*splits, {**byte_level, "use_regex": False}],
        },
        "decoder": {**byte_level, "use_regex": True},
        "model": {
            "merges": [merge.split(" ", 1) for merge in opened.field("tokenizer.ggml.merges")],
            # Llama 3 takes a word that is a token whole, whatever the merges would make of it.
            "ignore_merges": rule == "llama-bpe",
        },
    }


def _of_scores(opened: OpenGguf, tokens: list[str]) -> dict[str, Any]:
    """Describe what is special to kind `llama`: marked spaces, scores, bytes for the rest."""
    scores = opened.field("tokenizer.ggml.scores") or []
    known = set(tokens)
    ways = [
        (-score, token[:cut], token[cut:])
        for token, score in zip(tokens, scores, strict=True)
        for cut in range(1, len(token))
        if token[:cut] in known and token[cut:] in known
    ]
    ways.sort(key=lambda way: way[0])
    space = {"String": _SPACE}
    return {
        "normalizer": {"type": "Replace", "pattern": {"String": " "}, "content": _SPACE},
        "decoder": {
            "type": "Sequence",
            "decoders": [
                {"type": "Replace", "pattern": space, "content": " "},
                {"type": "ByteFallback"},
                {"type": "Fuse"},
            ],
        },
        "model": {"merges": [way[1:] for way in ways], "byte_fallback": True},
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
