"""Layers of a sentence encoder in NumPy, with LoRA (Hu et al. 2021, section 4.1).

For the role tagger the upper layers of MiniLM are run a second time, with the product of two narrow
matrices added to each of their matrices. Only the narrow ones ship; the layers themselves are read
from the embedder's own file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from localrec.foundation.errors import ModelError

Floats = NDArray[np.float32]
Linear = tuple[Floats, Floats]  # a matrix, rows from the left, and its shift
MATRICES: Final = ("mixed", "gathered", "inner", "outer")
EPSILON = np.float32(1e-12)  # BERT's own in its normalisation
_GELU = np.float32(np.sqrt(2 / np.pi))
_CUBED = np.float32(0.044715)


class EncoderLayer(msgspec.Struct, frozen=True):
    """One layer of BERT, normalised behind each half; rows come from the left.

    Args:
        heads: The number of heads of the attention.
        mixed: Queries, keys and values in one, (size, 3 * size), and their shift.
        gathered: Joins the heads, (size, size), and its shift.
        inner: First matrix of the feed-forward, (size, inner), and its shift.
        outer: Second matrix of the feed-forward, (inner, size), and its shift.
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
        states = normed(states + self._attend(states), self.norms[0], EPSILON)
        inside = gelu(states @ self.inner[0] + self.inner[1])
        return normed(states + inside @ self.outer[0] + self.outer[1], self.norms[1], EPSILON)

    def with_lora(self, lora: LayerLora) -> EncoderLayer:
        """The layer with the LoRA weights merged into its matrices.

        Raises:
            ModelError: they are for matrices of other sizes.
        """
        if any(low.shape != getattr(self, name)[0].shape for name, low in lora.items()):
            raise ModelError(
                "The LoRA weights were trained for another encoder.",
                "Train them anew: localrec train reader",
            )
        added = {
            name: (getattr(self, name)[0] + low.down @ low.up, getattr(self, name)[1])
            for name, low in lora.items()
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


class LoraWeights(msgspec.Struct, frozen=True):
    """The change that LoRA adds to a matrix: the product of two narrow ones.

    Args:
        down: (rows, rank).
        up: (rank, columns).
    """

    down: Floats
    up: Floats

    @property
    def shape(self) -> tuple[int, int]:
        """Return the shape of the product."""
        return self.down.shape[0], self.up.shape[1]


LayerLora = Mapping[str, LoraWeights]


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
