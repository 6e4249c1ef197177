"""Compute the common prefix of several sequences once.

    prefix --+-- the rest of sequence 1
             +-- the rest of sequence 2
             +-- ...

Examples of an agent share the description of its tools, and trajectories of a group share their
whole request. Keys and values of the prefix are computed once, with their gradients, and the rest
attends to them. Nothing is approximated: the gradient equals that of separate sequences.

`PrefixCache` serves a caller with a loss of each sequence: its gradient is taken at once, and the
prefix's at the end of all. `completion_scores` serves TRL, which needs one loss of all sequences:
one completion at a time is in memory, and is computed again for its gradient. The logits of the
vocabulary are computed only where the model's own tokens follow.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

import torch
from torch.utils.checkpoint import checkpoint
from transformers import DynamicCache

Scores = tuple[torch.Tensor, torch.Tensor]


class PrefixCache:
    """Keys and values of the tokens that several sequences share.

    Args:
        network: A causal language model of transformers.
        tokens: At least 1.
    """

    def __init__(self, network: Any, tokens: Sequence[int]) -> None:
        read = torch.tensor([tokens], device=network.device)
        self._computed = _parts(_computed_cache(network, read))
        self._lent = [part.detach().requires_grad_(part.requires_grad) for part in self._computed]

    def __len__(self) -> int:
        return self._lent[0].shape[2]

    def before(self, sequences: int) -> DynamicCache:
        """Return the attention memory of the prefix for several sequences."""
        return _cache([part.expand(sequences, -1, -1, -1) for part in self._lent])

    def learn(self) -> None:
        """Backpropagate once what the gradients of all sequences sum to here."""
        moved = [
            (part, lent.grad)
            for part, lent in zip(self._computed, self._lent, strict=True)
            if lent.grad is not None
        ]
        if moved:
            torch.autograd.backward([part for part, _ in moved], [grad for _, grad in moved])


def cache_argument(network: Any) -> str:
    """Name the argument, and the output, of a network that holds a cache.

    transformers 5.24 renamed it to `cache` and warns of the old name.
    """
    known = inspect.signature(network.model.forward).parameters
    return "cache" if "cache" in known else "past_key_values"


def have_same_prompt(prompts: torch.Tensor, mask: torch.Tensor) -> bool:
    """Whether these prompts, (b, p) with the mask of their tokens, are equal."""
    return len(prompts) > 1 and bool(mask.all()) and bool((prompts == prompts[0]).all())


def completion_scores(
    network: Any,
    prefix: torch.Tensor,
    completions: torch.Tensor,
    loss_mask: torch.Tensor,
    temperature: float,
) -> Scores:
    """Compute the log-probabilities and entropies of a group's own tokens.

    Args:
        network: A causal language model of transformers, with an adapter in its layers.
        prefix: The tokens that all begin with, (p,), at least 2.
        completions: Tokens after the prefix in each, padded at the end, (b, c).
        loss_mask: Whether each token is the model's own, (b, c).
        temperature: The scores are divided by.

    Returns:
        Logarithms of the probabilities, and entropies in nats: (b, c) each, 0 where `own` is not.
    """
    shared = _parts(_computed_cache(network, prefix[None, :-1]))
    rows = [
        _branch(network, shared, prefix[-1:], completion, kept, temperature)
        for completion, kept in zip(completions, loss_mask.bool(), strict=True)
    ]
    return torch.stack([one for one, _ in rows]), torch.stack([other for _, other in rows])


def _branch(
    network: Any,
    shared: Sequence[torch.Tensor],
    last: torch.Tensor,
    completion: torch.Tensor,
    loss_mask: torch.Tensor,
    temperature: float,
) -> Scores:
    """Return the scores of one member, (c,) each."""
    empty = torch.zeros(len(completion), dtype=torch.float32, device=completion.device)
    if not loss_mask.any():
        return empty, empty
    length = int(loss_mask.nonzero().max()) + 1  # what follows the last own token moves nothing
    completion, kept = completion[:length], loss_mask[:length]

    def scores(*parts: torch.Tensor) -> Scores:
        # The last token stands before no other, so it is looked at and not read.
        tokens = torch.cat([last, completion[:-1]])
        behind = {cache_argument(network): _cache(parts)}
        read = network.model(input_ids=tokens[None], use_cache=True, **behind)
        hidden = read.last_hidden_state[0]
        logits = network.lm_head(hidden[kept]).float() / temperature
        chances = logits.log_softmax(dim=-1)
        said = chances.gather(1, completion[kept][:, None])[:, 0]
        return said, -(chances.detach().exp() * chances.detach()).sum(dim=-1)

    said, undecided = checkpoint(scores, *shared, use_reentrant=False)
    places = loss_mask.nonzero()[:, 0]
    return empty.index_put((places,), said), empty.index_put((places,), undecided)


def _computed_cache(network: Any, tokens: torch.Tensor) -> DynamicCache:
    """Compute the cache of tokens, (1, t).

    A network's own cache would forget what lies before the window of its sliding layers, and no
    longer count the tokens; so each layer gets one that keeps all, and the mask has the window.
    """
    name = cache_argument(network)
    read = network.model(input_ids=tokens, use_cache=True, **{name: DynamicCache()})
    return getattr(read, name)


def _parts(cache: DynamicCache) -> list[torch.Tensor]:
    """List keys and values by turns, layer by layer."""
    layers: Sequence[Any] = cache.layers  # there are kinds that have neither
    return [part for layer in layers for part in (layer.keys, layer.values)]


def _cache(parts: Sequence[torch.Tensor]) -> DynamicCache:
    """Return keys and values by layers, as the network takes them."""
    cache = DynamicCache()
    for layer, (keys, values) in enumerate(zip(parts[::2], parts[1::2], strict=True)):
        cache.update(keys, values, layer)
    return cache
