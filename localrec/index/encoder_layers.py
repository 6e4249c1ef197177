"""Layers of a sentence encoder in NumPy, and low-rank changes to them.

The upper layers of MiniLM are asked once more for what the role tagger wants to know: as they are
but for a product of two narrow matrices added to each of their matrices (LoRA, Hu et al. 2021,
section 4.1). Only the narrow ones ship; the layers are read from the embedder's own file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Linear = tuple[Floats, Floats]  # a matrix, rows from the left, and its shift
MATRICES: Final = ("mixed", "gathered", "inner", "outer")
_EPSILON = np.float32(1e-12)  # BERT's own in its normalisation
_GELU = np.float32(np.sqrt(2 / np.pi))
_CUBED = np.float32(0.044715)


class EncoderLayer(msgspec.Struct, frozen=True):
    """One layer of BERT, normalised behind each half; rows come from the left.

    Args:
        heads: Of the attention.
        mixed: Queries, keys and values in one, (size, 3 * size), and their shift.
        gathered: Joins the heads, (size, size), and its shift.
        inner: Of the feed-forward, (size, inner), and its shift.
        outer: (inner, size), and its shift.
        norms: Scale and shift behind the attention, then behind the feed-forward, (2, 2, size).
    """

    heads: int
    mixed: Linear
    gathered: Linear
    inner: Linear
    outer: Linear
    norms: Floats

    def run(self, states: Floats) -> Floats:
        """States (n, size) from such."""
        states = normed(states + self._attend(states), self.norms[0], _EPSILON)
        inside = gelu(states @ self.inner[0] + self.inner[1])
        return normed(states + inside @ self.outer[0] + self.outer[1], self.norms[1], _EPSILON)

    def changed(self, change: Mapping[str, LowRank]) -> EncoderLayer:
        """The layer with a low-rank change added to each matrix that has one."""
        added = {
            name: (getattr(self, name)[0] + low.down @ low.up, getattr(self, name)[1])
            for name, low in change.items()
        }
        return msgspec.structs.replace(self, **added)

    def _attend(self, states: Floats) -> Floats:
        count, size = states.shape
        mixed = states @ self.mixed[0] + self.mixed[1]
        queries, keys, values = mixed.reshape(count, 3, self.heads, -1).transpose(1, 2, 0, 3)
        near = queries @ keys.swapaxes(1, 2) * np.float32((size // self.heads) ** -0.5)
        joined = (softmax(near) @ values).transpose(1, 0, 2).reshape(count, size)
        gathered: Floats = joined @ self.gathered[0] + self.gathered[1]
        return gathered


class LowRank(msgspec.Struct, frozen=True):
    """A change to a matrix: the product of two narrow ones.

    Args:
        down: (rows, rank).
        up: (rank, columns).
    """

    down: Floats
    up: Floats


LayerChange = Mapping[str, LowRank]


def run_layers(layers: Sequence[EncoderLayer], states: Floats) -> Floats:
    """States (n, size) behind all layers, from those before the first."""
    for layer in layers:
        states = layer.run(states)
    return states


def gelu(values: Floats) -> Floats:
    """The activation of BERT in its form with the hyperbolic tangent."""
    inside = _GELU * (values + _CUBED * values * values * values)
    result: Floats = np.float32(0.5) * values * (1 + np.tanh(inside))
    return result


def normed(states: Floats, norm: Floats, epsilon: np.float32) -> Floats:
    """Each state with mean 0 and variance 1, then scaled and shifted."""
    centred = states - states.mean(axis=-1, keepdims=True)
    spread = np.sqrt((centred * centred).mean(axis=-1, keepdims=True) + epsilon)
    result: Floats = centred / spread * norm[0] + norm[1]
    return result


def softmax(scores: Floats) -> Floats:
    """Shares that add up to 1 along the last axis."""
    raised = np.exp(scores - scores.max(axis=-1, keepdims=True))
    shares: Floats = raised / raised.sum(axis=-1, keepdims=True)
    return shares
