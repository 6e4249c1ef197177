"""The thing compared with: llama.cpp called by itself, with nothing of localrec around it.

It decodes as many tokens as a recorded call did: the part of the prompt that was not cached, then
one token after the other, always the likeliest. No grammar, no template, no checks. It runs in a
process of its own, as localrec's model does, because the embedder's threads would disturb it:
`python direct.py MODEL N_CTX REPACK` takes a line of JSON per call and answers with milliseconds.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from localrec.data.chat_message import Message
from localrec.data.token_usage import Usage
from localrec.foundation.machine import usable_cores
from localrec.llm.chat_model import ChatModel, Generation, LabelProbabilities

_BATCH = 512


class Call(msgspec.Struct, frozen=True):
    """One call of a model: how to make it again, what it cost, and its prompt's text."""

    role: str
    again: Callable[[], LabelProbabilities | Generation]
    usage: Usage
    wall_ms: float
    text: str


class RecordingModel:
    """A chat model that passes everything on and keeps a list of its calls."""

    def __init__(self, model: ChatModel, role: str, calls: list[Call]) -> None:
        self.name = model.name
        self._model = model
        self._role = role
        self._calls = calls

    def choose(
        self, messages: Sequence[Message], labels: Sequence[str], fixed: int = 0
    ) -> LabelProbabilities:
        return self._timed(messages, lambda: self._model.choose(messages, labels, fixed))

    def generate(self, messages: Sequence[Message], **options: Any) -> Generation:
        return self._timed(messages, lambda: self._model.generate(messages, **options))

    def count_tokens(self, text: str) -> int:
        return self._model.count_tokens(text)

    def close(self) -> None:
        self._model.close()

    def _timed(self, messages: Sequence[Message], ask: Callable[[], Any]) -> Any:
        started = time.perf_counter()
        reply = ask()
        spent = 1000 * (time.perf_counter() - started)
        text = "\n".join(message.content for message in messages)
        self._calls.append(Call(self._role, ask, reply.usage, spent, text))
        return reply


class Load(msgspec.Struct, frozen=True):
    """What a call is to cost: a text to take prompt tokens from, and how many of which kind."""

    text: str
    prompt: int
    cached: int
    generated: int


class DirectProcess:
    """llama.cpp by itself in another process; `repack` as localrec found right for this CPU."""

    def __init__(self, path: Path, n_ctx: int, *, repack: bool) -> None:
        self._process = subprocess.Popen(
            [sys.executable, __file__, str(path), str(n_ctx), str(int(repack))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )

    def time_like(self, call: Call) -> float:
        """Milliseconds for as many tokens as `call` evaluated and wrote."""
        usage = call.usage
        load = Load(call.text, usage.prompt, usage.cached, usage.generated)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(msgspec.json.encode(load) + b"\n")
        self._process.stdin.flush()
        return float(self._process.stdout.readline())

    def close(self) -> None:
        """End the process."""
        self._process.communicate()


class _DirectLlama:
    """llama.cpp's C interface on one file."""

    def __init__(self, path: Path, n_ctx: int, *, repack: bool) -> None:
        import llama_cpp.llama_cpp as native  # an extra; the rest of the benchmark runs without

        self._native = native
        self._quiet = native.llama_log_callback(lambda *_: None)
        native.llama_log_set(self._quiet, None)
        native.llama_backend_init()
        model_parameters = native.llama_model_default_params()
        model_parameters.use_extra_bufts = repack
        self._model = native.llama_model_load_from_file(os.fsencode(path), model_parameters)
        self._vocab = native.llama_model_get_vocab(self._model)
        self._size = native.llama_vocab_n_tokens(self._vocab)
        parameters = native.llama_context_default_params()
        parameters.n_ctx = n_ctx
        parameters.n_batch = parameters.n_ubatch = _BATCH
        parameters.n_threads = parameters.n_threads_batch = usable_cores()
        if not native.llama_supports_gpu_offload():  # as localrec does: the faster way to write
            parameters.flash_attn_type = native.LLAMA_FLASH_ATTN_TYPE_DISABLED
        self._context = native.llama_init_from_model(self._model, parameters)
        self._memory = native.llama_get_memory(self._context)

    def time(self, load: Load) -> float:
        """Milliseconds for the uncached part of the prompt and the tokens behind it."""
        prompt = self._tokens(load.text, load.prompt)
        self._native.llama_memory_clear(self._memory, True)
        self._decode(prompt[: load.cached])
        started = time.perf_counter()
        self._decode(prompt[load.cached :])
        token = self._likeliest()
        for _ in range(load.generated):
            self._decode([token])
            token = self._likeliest()
        return 1000 * (time.perf_counter() - started)

    def _tokens(self, text: str, count: int) -> list[int]:
        """`count` tokens of the text, begun anew where it is shorter (a template adds some)."""
        raw = text.encode()
        ids = (self._native.llama_token * (len(raw) + 2))()
        found = self._native.llama_tokenize(self._vocab, raw, len(raw), ids, len(ids), False, False)
        return list(np.resize(ids[:found], count))

    def _decode(self, tokens: Sequence[int]) -> None:
        native = self._native
        for start in range(0, len(tokens), _BATCH):
            chunk = [int(token) for token in tokens[start : start + _BATCH]]
            ids = (native.llama_token * len(chunk))(*chunk)
            if native.llama_decode(self._context, native.llama_batch_get_one(ids, len(chunk))):
                raise RuntimeError("llama.cpp failed to evaluate a prompt")

    def _likeliest(self) -> int:
        row = self._native.llama_get_logits_ith(self._context, -1)
        return int(np.ctypeslib.as_array(row, (self._size,)).argmax())


def main(path: str, n_ctx: str, repack: str) -> None:
    """Time one load per line until the input ends."""
    llama = _DirectLlama(Path(path), int(n_ctx), repack=repack == "1")
    for line in sys.stdin.buffer:
        print(llama.time(msgspec.json.decode(line, type=Load)), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
