"""SASRec: predict the next item by self-attention over a history (Kang and McAuley, ICDM 2018).

Where it departs from the paper, each for quality or speed at the same size:

- cross-entropy over all items, or over some drawn for the batch, instead of one negative for each
  positive (Klenitskiy and Vasilev 2023; Petrov and Macdonald 2023);
- normalisation before each part of a block instead of behind it, and a last one at the end;
- a learnt bias for each distance between two places instead of an embedding for each place: what
  is learnt in one part of a window holds in all, so windows may be cut anywhere;
- no dropout of attention weights.
"""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from localrec.foundation.errors import UsageError
from localrec.index.sasrec import SasRecEncoder
from localrec.ranking.baselines.neural.configs import SASRecConfig
from localrec.ranking.baselines.neural.sequence_recommender import (
    SequenceNetwork,
    SequenceRecommender,
)
from localrec.ranking.baselines.neural.training_loop import ByteDropout


class SASRec(SequenceRecommender):
    """Self-attention over the newest items of a history.

    Args:
        config: The settings.

    Raises:
        UsageError: the heads do not divide the embedding.
    """

    name = "sasrec"

    def __init__(self, config: SASRecConfig) -> None:
        if config.embedding_size % config.heads:
            raise UsageError(
                f"SASRec cannot part an embedding of {config.embedding_size} numbers "
                f"among {config.heads} heads.",
                "Choose an embedding_size that is a multiple of heads.",
            )
        super().__init__(config)
        self._sizes = config

    def export(self) -> SasRecEncoder:
        """Copy the fitted network into arrays, for use without torch."""
        assert isinstance(self._network, AttentionNetwork)
        return exported(self._network, self._counts > 0)

    def _build_network(self, items: int) -> SequenceNetwork:
        return AttentionNetwork(items, self._sizes)


class AttentionNetwork(SequenceNetwork):
    """Blocks of causal self-attention and feed-forward layers.

    Args:
        items: The number of items.
        config: Sizes and dropout.
    """

    def __init__(self, items: int, config: SASRecConfig) -> None:
        size = config.embedding_size
        super().__init__(items, size, config.dropout)
        self.blocks = nn.ModuleList(
            TransformerBlock(size, config.heads, config.dropout) for _ in range(config.layers)
        )
        self.distance_bias = nn.Parameter(torch.zeros(config.layers, config.heads, config.length))
        self.norm = nn.LayerNorm(size)

    def read(self, inputs: Tensor) -> Tensor:
        """Return the states (b, t, size), t at most `length`."""
        width = inputs.shape[1]
        place = torch.arange(width, device=inputs.device)
        distance = place[:, None] - place  # (t, t): how far back the second lies from the first
        ahead = distance < 0
        states = inputs
        for block, bias in zip(self.blocks, self.distance_bias, strict=True):
            between = bias[:, distance.clamp(min=0)].masked_fill(ahead, -torch.inf)
            states = block(states, between)
        normed: Tensor = self.norm(states)
        return normed


class TransformerBlock(nn.Module):
    """One block: causal self-attention, then a feed-forward layer.

    Args:
        size: Size of a state.
        heads: The number of attention heads, each on its share of the state.
        dropout: Share of an update's numbers left out in training.
    """

    def __init__(self, size: int, heads: int, dropout: float) -> None:
        super().__init__()
        self._heads = heads
        self.attention_norm, self.inner_norm = nn.LayerNorm(size), nn.LayerNorm(size)
        self.projections = nn.Linear(size, 3 * size)
        self.gathered = nn.Linear(size, size)
        self.inner, self.outer = nn.Linear(size, size), nn.Linear(size, size)
        self.dropout = ByteDropout(dropout)

    def forward(self, states: Tensor, between: Tensor) -> Tensor:
        """Return the states (b, t, size); `between` (heads, t, t) is added before the softmax."""
        states = states + self.dropout(self._attend(self.attention_norm(states), between))
        inner = torch.relu(self.inner(self.inner_norm(states)))
        updated: Tensor = states + self.dropout(self.outer(inner))
        return updated

    def _attend(self, states: Tensor, between: Tensor) -> Tensor:
        batch, width, size = states.shape
        parted = self.projections(states).view(batch, width, 3, self._heads, -1)
        queries, keys, values = parted.permute(2, 0, 3, 1, 4)  # each (b, heads, t, size / heads)
        # By hand: torch's own attention takes a slower road when the bias is to be learnt.
        attention = queries @ (keys * keys.shape[-1] ** -0.5).transpose(-1, -2)
        weights = (attention + between).softmax(dim=-1)
        joined = (weights @ values).transpose(1, 2).reshape(batch, width, size)
        update: Tensor = self.gathered(joined)
        return update


def exported(network: AttentionNetwork, met: NDArray[np.bool_]) -> SasRecEncoder:
    """Return a network's weights in the order of the NumPy encoder.

    Args:
        network: On any device.
        met: Whether each item occurred in training, (items,).
    """
    size = network.norm.normalized_shape[0]
    norms, squares, shifts = [], [], []
    for block in network.blocks:
        assert isinstance(block, TransformerBlock)
        norms += [block.attention_norm, block.inner_norm]
        linears = (block.projections, block.gathered, block.inner, block.outer)
        # Queries, keys and values are one matrix there. Torch multiplies from the right.
        weights = torch.cat([linear.weight for linear in linears]).view(6, size, size)
        squares.append(_copied(weights.transpose(1, 2)))
        shifts.append(_copied(torch.cat([linear.bias for linear in linears]).view(6, size)))
    norms.append(network.norm)
    return SasRecEncoder(
        items=_copied(network.embedding.weight[: network.items]),
        bias=_copied(network.bias),
        met=met.copy(),
        norms=np.stack([[_copied(norm.weight), _copied(norm.bias)] for norm in norms]),
        squares=np.stack(squares),
        shifts=np.stack(shifts),
        distances=_copied(network.distance_bias),
    )


def _copied(weights: Tensor) -> NDArray[np.float32]:
    copy: NDArray[np.float32] = weights.detach().cpu().contiguous().numpy().copy()
    return copy
