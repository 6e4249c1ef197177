"""Call llama.cpp: the only module that does so, within the model's own process.

It stands on the C interface, not on `llama_cpp.Llama`: that class takes a NULL grammar or adapter
for a good one (and crashes at the next token), copies a vocabulary-wide row per prompt token and
has no lock. Here every pointer is checked, and a call can be stopped in the middle of a prompt.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import llama_cpp.llama_cpp as native
import numpy as np

from localrec.foundation.errors import ModelCancelledError, ModelError
from localrec.llm.native_embedding import EmbeddingContext
from localrec.llm.native_fluency import cross_entropy
from localrec.llm.native_grammar import Grammar
from localrec.llm.native_weights import NativeWeights

BATCH = 512  # tokens per llama_decode; on a GPU, where nothing else can stop it, also the grain
_ABORTABLE = 8  # below this many tokens a decode is over before a callback per graph node pays


class NativeModel:
    """A loaded GGUF with one context for chat and, once asked for, one for embedding.

    Not thread-safe; only `should_stop` is read while a call runs.

    Args:
        path: The model file, its header already checked.
        n_ctx: Context size in tokens, a multiple of 256.
        n_threads: CPU threads; None takes all this process may use.
        embedding_context: Longest text to embed, in tokens.
        pooling: Pooling of token vectors by the file; None takes the mean.
        repack: Let llama.cpp rearrange the weights for this CPU's matrix instructions; off where
            these are announced but trap (AMX, see `client`).
        adapter: LoRA file, its header already checked, or None.
        adapter_scale: Strength of the adapter.
        template: Jinja source for a file without a chat template of its own; "" for none.
        should_stop: Called while a prompt is evaluated; True ends it.

    Raises:
        ModelError: llama.cpp does not take the model or the adapter.
    """

    def __init__(
        self,
        path: Path,
        *,
        n_ctx: int,
        n_threads: int | None,
        embedding_context: int,
        pooling: int | None,
        repack: bool,
        adapter: Path | None,
        adapter_scale: float,
        template: str,
        should_stop: Callable[[], bool],
    ) -> None:
        self._path, self._template = path, template
        self._embedding_size = embedding_context
        self._pooling = pooling
        self._should_stop = should_stop
        self._weights = NativeWeights(path, n_threads, repack, adapter, adapter_scale, should_stop)
        self._vocab = self._weights.vocab
        self._vocabulary_size = native.llama_vocab_n_tokens(self._vocab)
        self.n_ctx = n_ctx
        self._abort = native.ggml_abort_callback(lambda _: should_stop())
        self._never_abort = native.ggml_abort_callback(0)
        self._chat: Any = None
        self._embedder: EmbeddingContext | None = None
        self.live: list[int] = []  # the tokens whose attention memory the chat context holds
        self._ahead = 0  # positions that a picture took among them

    @property
    def threads(self) -> int:
        """CPU threads of every context."""
        return self._weights.threads

    @property
    def handle(self) -> Any:
        """llama.cpp's model, for a projector."""
        return self._weights.model

    @property
    def context(self) -> Any:
        """llama.cpp's context for chat, for a projector."""
        return self._chat_context()

    @property
    def position(self) -> int:
        """Return the position of the next token."""
        return len(self.live) + self._ahead

    def move_to(self, position: int) -> None:
        """Continue at a position after an image, which has no tokens to evaluate again.

        What is live is then good for one call; `forget` has to end it.
        """
        self._ahead = position - len(self.live)

    def forget(self) -> None:
        """Clear the context, images too."""
        native.llama_memory_clear(native.llama_get_memory(self._chat_context()), True)
        self.live.clear()
        self._ahead = 0

    # --- text and tokens ---

    def tokens_of(self, text: str, *, special: bool = False) -> list[int]:
        """Tokenise `text`; control tokens are read in it only with `special`."""
        raw = text.encode("utf-8", "replace")
        room = len(raw) + 2
        ids = (native.llama_token * room)()
        count = native.llama_tokenize(self._vocab, raw, len(raw), ids, room, False, special)
        if count < 0:
            raise ModelError(f"{self._path} cannot tokenise a text of {len(raw)} bytes.")
        return ids[:count]

    def bytes_of(self, token: int) -> bytes:
        """Return the bytes of a token; a control token has none."""
        buffer = ctypes.create_string_buffer(256)
        count = native.llama_token_to_piece(self._vocab, token, buffer, 256, 0, False)
        return buffer.raw[: max(count, 0)]

    def check_tokens(self, tokens: Sequence[int]) -> None:
        """Refuse ids that no token has.

        Raises:
            ModelError: see above.
        """
        if strange := [one for one in tokens if not 0 <= one < self._vocabulary_size]:
            raise ModelError(
                f"{self._path} has {self._vocabulary_size} tokens, so {strange[0]} is none of them."
            )

    def is_end(self, token: int) -> bool:
        """Whether the model ends its answer with this token."""
        return bool(native.llama_vocab_is_eog(self._vocab, token))

    @property
    def chat_template(self) -> str:
        """Jinja source of the file's own chat template, else of the one it was opened with."""
        source = native.llama_model_chat_template(self._weights.model, None)
        return source.decode("utf-8", "replace") if source else self._template

    @property
    def bos(self) -> int | None:
        """The token that must begin every prompt, where the model wants one."""
        wanted = native.llama_vocab_get_add_bos(self._vocab)
        return native.llama_vocab_bos(self._vocab) if wanted else None

    def special_text(self, name: str) -> str:
        """Return the text of the `bos` or `eos` token; empty where the model has none."""
        token = getattr(native, f"llama_vocab_{name}")(self._vocab)
        text = native.llama_vocab_get_text(self._vocab, token) if token >= 0 else None
        return text.decode("utf-8", "replace") if text else ""

    # --- evaluating a prompt ---

    def warm_up(self) -> None:
        """Evaluate two tokens and forget them: pages the weights in and tries the CPU's kernels.

        An instruction that this machine does not carry out ends the process here, while loading,
        and not during the first question.
        """
        if native.llama_get_memory(self._chat_context()):
            self.evaluate([0, 0])
            self.keep_first(0)
        else:  # an encoder, which only embeds
            self.embed(["warm up"])

    def cross_entropy(self) -> float:
        """The cross-entropy of the bare weights on a plain text, in nats per token."""
        return cross_entropy(self._weights)

    def keep_first(self, count: int) -> int:
        """Keep the first `count` tokens of the context; return the number really kept.

        A recurrent model cannot drop a tail and keeps none.
        """
        if count < len(self.live):
            memory = native.llama_get_memory(self._chat_context())
            if not native.llama_memory_seq_rm(memory, 0, count, -1):
                native.llama_memory_clear(memory, True)
                count = 0
            del self.live[count:]
        return len(self.live)

    def evaluate(self, tokens: Sequence[int]) -> None:
        """Append `tokens` to the context; then the logits after the last are readable.

        Raises:
            ModelCancelledError: `should_stop` said so; the live tokens are a prefix of what was
                asked and the context is sound.
            ModelError: llama.cpp failed.
        """
        context = self._chat_context()
        long = len(tokens) > _ABORTABLE
        native.llama_set_abort_callback(context, self._abort if long else self._never_abort, None)
        for start in range(0, len(tokens), BATCH):
            if self._should_stop():
                raise ModelCancelledError("The call was stopped.")
            self._decode(context, tokens[start : start + BATCH])

    def _decode(self, context: Any, chunk: Sequence[int]) -> None:
        code = self._decode_one(context, chunk) if not self._ahead else self._decode_behind(chunk)
        if code == 0:
            self.live.extend(chunk)
            return
        # What was evaluated of the chunk stays in memory; only the known part may.
        memory = native.llama_get_memory(context)
        if self._ahead:
            self.forget()
        elif not native.llama_memory_seq_rm(memory, 0, len(self.live), -1):
            native.llama_memory_clear(memory, True)
            self.live.clear()
        if code == 2:
            raise ModelCancelledError("The call was stopped.")
        raise ModelError(
            f"llama.cpp failed to evaluate {len(chunk)} tokens (code {code}).",
            "A smaller context may help: its memory may be exhausted.",
        )

    def _decode_one(self, context: Any, chunk: Sequence[int]) -> int:
        ids = (native.llama_token * len(chunk))(*chunk)
        return int(native.llama_decode(context, native.llama_batch_get_one(ids, len(chunk))))

    def _decode_behind(self, chunk: Sequence[int]) -> int:
        """Decode after an image, whose positions llama.cpp does not count by itself."""
        batch = native.llama_batch_init(len(chunk), 0, 1)
        try:
            for at, token in enumerate(chunk):
                batch.token[at] = token
                batch.pos[at] = self.position + at
                batch.n_seq_id[at] = 1
                batch.seq_id[at][0] = 0
                batch.logits[at] = at == len(chunk) - 1
            batch.n_tokens = len(chunk)
            return int(native.llama_decode(self._chat_context(), batch))
        finally:
            native.llama_batch_free(batch)

    def logits(self) -> np.ndarray:
        """Return the scores of every next token, float32 of shape (vocabulary,).

        A view into llama.cpp's memory, good until the next evaluation.
        """
        row = native.llama_get_logits_ith(self._chat_context(), -1)
        if not row:
            raise ModelError(f"{self._path} gives no logits, so it cannot answer questions.")
        return np.ctypeslib.as_array(row, (self._vocabulary_size,))

    # --- states of prefixes ---

    def state_size(self) -> int:
        """Return the bytes that `save_state` would take now."""
        return int(native.llama_state_seq_get_size(self._chat_context(), 0))

    def save_state(self) -> bytearray | None:
        """Save the attention memory of the context; None where llama.cpp gives none."""
        state = bytearray(self.state_size())
        view = (ctypes.c_uint8 * len(state)).from_buffer(state)
        written = native.llama_state_seq_get_data(self._chat_context(), view, len(state), 0)
        return state if written == len(state) else None

    def load_state(self, tokens: Sequence[int], state: bytearray) -> bool:
        """Restore a saved state in place of the context; return False where it does not fit."""
        context = self._chat_context()
        native.llama_memory_clear(native.llama_get_memory(context), True)
        view = (ctypes.c_uint8 * len(state)).from_buffer(state)
        taken = native.llama_state_seq_set_data(context, view, len(state), 0)
        self.live = list(tokens) if taken else []
        return bool(taken)

    # --- grammar ---

    @contextmanager
    def grammar(self, source: str) -> Iterator[Grammar]:
        """Open a GBNF grammar at its start, for one answer.

        Raises:
            ModelError: llama.cpp does not parse it.
        """
        # llama.cpp takes an empty grammar for no grammar, and the answer would run free.
        sampler = source.strip() and native.llama_sampler_init_grammar(
            self._vocab, source.encode(), b"root"
        )
        if not sampler:
            raise ModelError(
                "The grammar for this answer is not valid GBNF.", "This is a fault in localrec."
            )
        try:
            yield Grammar(sampler)
        finally:
            native.llama_sampler_free(sampler)

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        """Return unit vectors of `texts`, see `EmbeddingContext.embed`."""
        if self._embedder is None:
            self._embedder = EmbeddingContext(
                self._weights, self._embedding_size, self._pooling, self._should_stop
            )
        return self._embedder.embed(texts)

    def _chat_context(self) -> Any:
        if self._chat is None:
            parameters = self._weights.parameters(self.n_ctx)
            parameters.n_batch = parameters.n_ubatch = min(BATCH, self.n_ctx)
            self._chat = self._weights.new_context(parameters)
        return self._chat
