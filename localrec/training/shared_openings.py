"""Log-probabilities of a group's own tokens, with the opening that its members share computed once.

    opening --+-- last token of the opening, completion of member 1
              +-- last token of the opening, completion of member 2
              +-- ...

Members of a group answer the same request, so most of their tokens are the same. Keys
and values of the opening are computed once, with their gradients, and each completion attends to
them. Nothing is approximated: the gradient is that of the members computed one by one. Of the
completions one at a time stands in memory, and is computed again when its gradient is; the
vocabulary's scores are computed behind the places where the model's own tokens stand, and nowhere
else.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch.utils.checkpoint import checkpoint
from transformers import DynamicCache

Scores = tuple[torch.Tensor, torch.Tensor]


def share_opening(prompts: torch.Tensor, mask: torch.Tensor) -> bool:
    """Whether these prompts, (b, p) with the mask of their tokens, are one and the same."""
    return len(prompts) > 1 and bool(mask.all()) and bool((prompts == prompts[0]).all())


def own_scores(
    network: Any,
    opening: torch.Tensor,
    completions: torch.Tensor,
    own: torch.Tensor,
    temperature: float,
) -> Scores:
    """How likely a group's own tokens were, and how undecided the model was before each.

    Args:
        network: A causal language model of transformers, with an adapter in its layers.
        opening: The tokens that all begin with, (p,), at least 2.
        completions: What follows in each, padded at the end, (b, c).
        own: Where a token is the model's own, (b, c).
        temperature: The scores are divided by.

    Returns:
        Logarithms of the probabilities, and entropies in nats: (b, c) each, 0 where `own` is not.
    """
    trunk = network.model(input_ids=opening[None, :-1], use_cache=True).past_key_values
    shared = [part for layer in trunk.layers for part in (layer.keys, layer.values)]
    rows = [
        _branch(network, shared, opening[-1:], completion, kept, temperature)
        for completion, kept in zip(completions, own.bool(), strict=True)
    ]
    return torch.stack([one for one, _ in rows]), torch.stack([other for _, other in rows])


def _branch(
    network: Any,
    shared: Sequence[torch.Tensor],
    last: torch.Tensor,
    completion: torch.Tensor,
    own: torch.Tensor,
    temperature: float,
) -> Scores:
    """One member, (c,) each."""
    empty = torch.zeros(len(completion), dtype=torch.float32, device=completion.device)
    if not own.any():
        return empty, empty
    length = int(own.nonzero().max()) + 1  # what follows the last own token moves nothing
    completion, kept = completion[:length], own[:length]

    def scores(*parts: torch.Tensor) -> Scores:
        # The last token stands before no other, so it is looked at and not read.
        tokens = torch.cat([last, completion[:-1]])
        hidden = network.model(
            input_ids=tokens[None], past_key_values=_cache(parts), use_cache=True
        ).last_hidden_state[0]
        told = network.lm_head(hidden[kept]).float() / temperature
        chances = told.log_softmax(dim=-1)
        said = chances.gather(1, completion[kept][:, None])[:, 0]
        return said, -(chances.detach().exp() * chances.detach()).sum(dim=-1)

    said, undecided = checkpoint(scores, *shared, use_reentrant=False)
    places = own.nonzero()[:, 0]
    return empty.index_put((places,), said), empty.index_put((places,), undecided)


def _cache(parts: Sequence[torch.Tensor]) -> DynamicCache:
    """Keys and values by layers, as the network takes them."""
    cache = DynamicCache()
    for layer, (keys, values) in enumerate(zip(parts[::2], parts[1::2], strict=True)):
        cache.update(keys, values, layer)
    return cache
