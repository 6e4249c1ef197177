"""Cross-entropy of loaded weights on plain English: a self-test that damaged weights do not pass.

A model whose weights are zeros, noise or in the wrong order loads without an error and answers
under a grammar like any other. What tells it from a sound one is its cross-entropy on an ordinary
text: about 3 nats per token where it models language, the logarithm of its vocabulary (10 and more)
where it does not. The adapter takes no part: the same base is tested with and without it.
"""

from __future__ import annotations

import llama_cpp.llama_cpp as native
import numpy as np

from localrec.llm.native_weights import NativeWeights

_TEXT = (
    "The sun was going down behind the hills, and the children walked home along the river. "
    "Their mother had made soup and bread for dinner, and when they had eaten, they sat by the "
    "fire and told each other what they had seen during the day."
)
_CONTEXT = 256


def cross_entropy(weights: NativeWeights) -> float:
    """The cross-entropy on a fixed text in nats per token; infinite where no logits come back.

    Raises:
        ModelError: llama.cpp lacks the memory for the small context that this takes.
    """
    tokens = _tokens(weights)
    parameters = weights.parameters(_CONTEXT)
    parameters.n_batch = parameters.n_ubatch = _CONTEXT
    context = weights.new_context(parameters, with_adapter=False)
    batch = native.llama_batch_init(len(tokens), 0, 1)
    try:
        for place, token in enumerate(tokens):
            batch.token[place], batch.pos[place] = token, place
            batch.n_seq_id[place], batch.seq_id[place][0] = 1, 0
            batch.logits[place] = 1
        batch.n_tokens = len(tokens)
        if native.llama_decode(context, batch):
            return float("inf")
        size = native.llama_vocab_n_tokens(weights.vocab)
        losses = [
            _loss(native.llama_get_logits_ith(context, place), size, following)
            for place, following in enumerate(tokens[1:])
        ]
    finally:
        native.llama_batch_free(batch)
        native.llama_free(context)
    mean = float(np.mean(losses)) if losses else float("inf")
    return mean if np.isfinite(mean) else float("inf")


def _tokens(weights: NativeWeights) -> list[int]:
    raw = _TEXT.encode()
    ids = (native.llama_token * (len(raw) + 2))()
    count = native.llama_tokenize(weights.vocab, raw, len(raw), ids, len(ids), True, False)
    return list(ids[: min(max(count, 0), _CONTEXT)])


def _loss(row: object, size: int, following: int) -> float:
    """The negative logarithm of the probability of the token that follows."""
    if not row:
        return float("inf")
    scores = np.ctypeslib.as_array(row, (size,)).astype(np.float64)
    highest = scores.max()
    return float(highest + np.log(np.exp(scores - highest).sum()) - scores[following])
