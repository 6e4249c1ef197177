"""Embed texts with a loaded model: tokens, batches of several texts, pooled vectors."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import llama_cpp.llama_cpp as native
import numpy as np

from localrec.foundation.errors import ModelCancelledError, ModelError
from localrec.llm.native_weights import NativeWeights

_TEXTS_PER_BATCH = 16
_MEAN_POOLING = 1
_POOLINGS = (1, 2, 3)  # mean, first token, last token; a reranker's (4) gives no vector


class EmbeddingContext:
    """A context of llama.cpp that turns texts into vectors.

    Args:
        weights: The loaded model.
        longest: Longest text in tokens.
        pooling: Pooling of token vectors by the file; None takes the mean.
        should_stop: Called before each batch; True ends the call.
    """

    def __init__(
        self,
        weights: NativeWeights,
        longest: int,
        pooling: int | None,
        should_stop: Callable[[], bool],
    ) -> None:
        parameters = weights.parameters(longest)
        # An encoder sees a text at once, so a batch must have room for the longest.
        parameters.n_batch = parameters.n_ubatch = longest
        parameters.n_seq_max = _TEXTS_PER_BATCH
        parameters.kv_unified = True
        parameters.embeddings = True
        parameters.pooling_type = pooling if pooling in _POOLINGS else _MEAN_POOLING
        self._context = weights.new_context(parameters)
        self._vocab = weights.vocab
        self._size = native.llama_model_n_embd_out(weights.model)
        self._path = weights.path
        self._should_stop = should_stop

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        """Return unit vectors of `texts`, float32 of shape (texts, size); "" gives zeros.

        A text longer than the context keeps its beginning and its closing token.

        Raises:
            ModelCancelledError: `should_stop` returned True.
            ModelError: the model gives no embeddings.
        """
        room = native.llama_n_ctx(self._context)
        rows = [self._tokens_of(text, room) if text.strip() else [] for text in texts]
        vectors = np.zeros((len(rows), self._size), dtype=np.float32)
        for batch in _batches(rows, room):
            if self._should_stop():
                raise ModelCancelledError("The call was stopped.")
            vectors[batch] = self._embed_batch([rows[i] for i in batch])
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors / np.maximum(lengths, np.finfo(np.float32).tiny)

    def _tokens_of(self, text: str, room: int) -> list[int]:
        """Tokenise with the opening and closing tokens of the model, cut to `room`."""
        raw = text.encode("utf-8", "replace")
        ids = (native.llama_token * (len(raw) + 4))()
        count = native.llama_tokenize(self._vocab, raw, len(raw), ids, len(ids), True, False)
        if count <= 0:
            raise ModelError(f"{self._path} cannot tokenise a text for embedding.")
        return ids[:count] if count <= room else [*ids[: room - 1], ids[count - 1]]

    def _embed_batch(self, rows: list[list[int]]) -> np.ndarray:
        """Embed texts that together fit the context, one sequence each; vectors of any length."""
        batch = native.llama_batch_init(sum(map(len, rows)), 0, 1)
        try:
            _fill(batch, rows)
            memory = native.llama_get_memory(self._context)
            if memory:
                native.llama_memory_clear(memory, True)
            if code := native.llama_decode(self._context, batch):
                raise ModelError(f"llama.cpp failed to embed {len(rows)} texts (code {code}).")
        finally:
            native.llama_batch_free(batch)
        vectors = np.empty((len(rows), self._size), dtype=np.float32)
        for sequence in range(len(rows)):
            pooled = native.llama_get_embeddings_seq(self._context, sequence)
            if not pooled:
                raise ModelError(f"{self._path} gives no embeddings.", "Use an embedding model.")
            vectors[sequence] = np.ctypeslib.as_array(pooled, (self._size,))
        return vectors


def _fill(batch: Any, rows: list[list[int]]) -> None:
    """Write one sequence per row into a fresh batch; every token counts toward its vector."""
    at = 0
    for sequence, row in enumerate(rows):
        for position, token in enumerate(row):
            batch.token[at] = token
            batch.pos[at] = position
            batch.n_seq_id[at] = 1
            batch.seq_id[at][0] = sequence
            batch.logits[at] = 1
            at += 1
    batch.n_tokens = at


def _batches(rows: list[list[int]], room: int) -> Iterator[list[int]]:
    """Group the indexes of filled rows that together fit `room` tokens and the sequence limit."""
    batch: list[int] = []
    used = 0
    for index, row in enumerate(rows):
        if not row:
            continue
        if batch and (used + len(row) > room or len(batch) == _TEXTS_PER_BATCH):
            yield batch
            batch, used = [], 0
        batch.append(index)
        used += len(row)
    if batch:
        yield batch
