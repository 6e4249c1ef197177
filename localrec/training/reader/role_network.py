"""The role tagger's network in torch, and its training; `question_roles.py` asks it in NumPy."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.functional import (
    cross_entropy,
    dropout,
    gelu,
    layer_norm,
    linear,
    scaled_dot_product_attention,
)

from localrec.foundation.progress import Progress
from localrec.index.encoder_layers import (
    EPSILON,
    MATRICES,
    EncoderLayer,
    LayerLora,
    LoraWeights,
)
from localrec.training.reader.role_states import NO_LABEL, ReadQuestions, RoleConfig
from localrec.understanding.question_roles import (
    FARTHEST,
    PLACE,
    ROLES,
    Floats,
    RoleLayer,
    RoleNetwork,
    distances_between,
)

_WARM_UP = 0.06  # of the steps
_WEIGHT_DECAY = 0.02
_INNER = 2  # times the size, in the feed-forward


class AttentionLayer(nn.Module):
    """One layer, as `RoleLayer` asks it."""

    def __init__(self, size: int, heads: int, rate: float) -> None:
        super().__init__()
        self.rate = rate
        self.norms = nn.ModuleList([nn.LayerNorm(size), nn.LayerNorm(size)])
        self.mixed, self.gathered = nn.Linear(size, 3 * size), nn.Linear(size, size)
        self.inner, self.outer = nn.Linear(size, _INNER * size), nn.Linear(_INNER * size, size)
        self.distances = nn.Parameter(torch.zeros(heads, 2 * FARTHEST + 1))

    def forward(self, states: Tensor, mask: Tensor) -> Tensor:
        """States (b, t, size) from such; `mask` (b, t) says which are tokens."""
        batch, count, size = states.shape
        heads = len(self.distances)
        mixed = self.mixed(self.norms[0](states)).reshape(batch, count, 3, heads, size // heads)
        queries, keys, values = mixed.permute(2, 0, 3, 1, 4)
        bias = self.distances[:, torch.from_numpy(distances_between(count))][None]
        bias = bias.masked_fill(~mask[:, None, None, :], -1e9)
        rate = self.rate if self.training else 0.0
        found = scaled_dot_product_attention(queries, keys, values, bias, dropout_p=rate)
        joined = self.gathered(found.transpose(1, 2).reshape(batch, count, size))
        states = states + dropout(joined, rate, self.training)
        inside = self.outer(torch.relu(self.inner(self.norms[1](states))))
        return states + dropout(inside, rate, self.training)

    def take(self, layer: RoleLayer) -> None:
        """Go on from the weights of a layer."""
        for mine, norm in zip(self.norms, layer.norms, strict=True):
            _put_norm(mine, norm)
        for name in ("mixed", "gathered", "inner", "outer"):
            _put_linear(getattr(self, name), getattr(layer, name))
        self.distances.copy_(torch.from_numpy(layer.distances))

    def in_numpy(self) -> RoleLayer:
        """The same layer for NumPy."""
        return RoleLayer(
            norms=np.stack([_norm(one) for one in self.norms]),
            mixed=_linear(self.mixed),
            gathered=_linear(self.gathered),
            inner=_linear(self.inner),
            outer=_linear(self.outer),
            distances=_array(self.distances),
        )


class LoraLayer(nn.Module):
    """A frozen layer of the encoder, and LoRA weights that learn.

    Args:
        layer: Layer of the encoder.
        rank: Rank of the LoRA weights.
    """

    norms: Tensor

    def __init__(self, layer: EncoderLayer, rank: int) -> None:
        super().__init__()
        self.heads = layer.heads
        for name in MATRICES:
            matrix, shift = getattr(layer, name)
            self.register_buffer(name, torch.tensor(matrix.T))  # a copy: it may be mapped
            self.register_buffer(f"{name}_shift", torch.tensor(shift))
        self.register_buffer("norms", torch.tensor(layer.norms))
        self.down, self.up = nn.ParameterDict(), nn.ParameterDict()
        for name in MATRICES:
            rows, columns = getattr(layer, name)[0].shape
            self.down[name] = nn.Parameter(torch.randn(rank, rows) / math.sqrt(rows))
            self.up[name] = nn.Parameter(torch.zeros(columns, rank))

    def forward(self, states: Tensor, mask: Tensor) -> Tensor:
        """States (b, t, size) from such; `mask` (b, t) says which are tokens."""
        batch, count, size = states.shape
        mixed = self._times("mixed", states).reshape(batch, count, 3, self.heads, -1)
        queries, keys, values = mixed.permute(2, 0, 3, 1, 4)
        found = scaled_dot_product_attention(queries, keys, values, mask[:, None, None, :])
        joined = found.transpose(1, 2).reshape(batch, count, size)
        states = self._normed(0, states + self._times("gathered", joined))
        inside = gelu(self._times("inner", states), approximate="tanh")
        return self._normed(1, states + self._times("outer", inside))

    def take(self, lora: LayerLora) -> None:
        """Go on from LoRA weights of the same rank."""
        for name, low in lora.items():
            self.down[name].copy_(torch.from_numpy(np.ascontiguousarray(low.down.T)))
            self.up[name].copy_(torch.from_numpy(np.ascontiguousarray(low.up.T)))

    def in_numpy(self) -> LayerLora:
        """The LoRA weights for NumPy."""
        return {
            name: LoraWeights(_transposed(self.down[name]), _transposed(self.up[name]))
            for name in MATRICES
        }

    def _times(self, name: str, states: Tensor) -> Tensor:
        merged = getattr(self, name) + self.up[name] @ self.down[name]
        return linear(states, merged, getattr(self, f"{name}_shift"))

    def _normed(self, half: int, states: Tensor) -> Tensor:
        scale, shift = self.norms[half]
        return layer_norm(states, scale.shape, scale, shift, float(EPSILON))


class TorchRoleNetwork(nn.Module):
    """The network, as `RoleNetwork` asks it.

    Args:
        wide: Numbers in a state of the encoder.
        cues: Tokens with a vector of their own.
        config: Sizes and dropout.
        upper: The encoder's upper layers, where they get LoRA weights; states then come from
            before them.
    """

    def __init__(
        self, wide: int, cues: int, config: RoleConfig, upper: Sequence[EncoderLayer] = ()
    ) -> None:
        super().__init__()
        self.rate = config.dropout
        self.upper = nn.ModuleList([LoraLayer(one, config.rank) for one in upper])
        self.first = nn.Linear(wide, config.size)
        self.cues = nn.Embedding(cues + 1, config.size, padding_idx=0)
        self.layers = nn.ModuleList(
            [
                AttentionLayer(config.size, config.heads, config.dropout)
                for _ in range(config.layers)
            ]
        )
        self.last_norm = nn.LayerNorm(config.size)
        self.last = nn.Linear(config.size, len(ROLES))
        nn.init.normal_(self.cues.weight, std=0.1)
        with torch.no_grad():
            self.cues.weight[0] = 0.0

    def forward(self, states: Tensor, rows: Tensor, mask: Tensor) -> Tensor:
        """Scores (b, t, roles) of states (b, t, wide), rows of cues (b, t) and a mask (b, t)."""
        if self.training:  # a cue is forgotten now and then, so that its state counts too
            rows = rows * (torch.rand(rows.shape) > 2 * self.rate)
        for layer in self.upper:
            states = layer(states, mask)
        states = self.first(dropout(states, self.rate, self.training)) + self.cues(rows)
        for layer in self.layers:
            states = layer(states, mask)
        scores: Tensor = self.last(self.last_norm(states))
        return scores

    def take(self, network: RoleNetwork) -> None:
        """Go on from the weights of a network of the same sizes."""
        with torch.no_grad():
            for mine, lora in zip(self.upper, network.lora, strict=False):
                mine.take(lora)  # type: ignore[operator]
            _put_linear(self.first, network.first)
            self.cues.weight.copy_(torch.from_numpy(network.cues))
            for mine, layer in zip(self.layers, network.layers, strict=True):
                mine.take(layer)  # type: ignore[operator]
            _put_norm(self.last_norm, network.last_norm)
            _put_linear(self.last, network.last)

    def in_numpy(self, cue_rows: NDArray[np.int32], encoder: str) -> RoleNetwork:
        """The same network for NumPy."""
        return RoleNetwork(
            encoder=encoder,
            first=_linear(self.first),
            cue_rows=cue_rows,
            cues=_array(self.cues.weight),
            layers=tuple(layer.in_numpy() for layer in self.layers),  # type: ignore[operator]
            last_norm=_norm(self.last_norm),
            last=_linear(self.last),
            lora=tuple(layer.in_numpy() for layer in self.upper),  # type: ignore[operator]
        )


def fit_network(
    read: ReadQuestions,
    cue_rows: NDArray[np.int32],
    encoder: str,
    config: RoleConfig,
    progress: Progress,
    start: RoleNetwork | None = None,
    upper: Sequence[EncoderLayer] = (),
) -> RoleNetwork:
    """Train a network on questions that were read; equal seeds give equal networks.

    Args:
        read: The questions.
        cue_rows: Row of its own vector for each token; those of `start` where one is given.
        encoder: Name of what read them.
        config: Settings of the training.
        progress: Called with each step and its progress.
        start: A network to go on from, of the sizes of the settings.
        upper: The encoder's upper layers, where they get LoRA weights.
    """
    torch.manual_seed(config.seed)
    network = TorchRoleNetwork(read.states.shape[1], int(cue_rows.max()), config, upper)
    if start is not None:
        network.take(start)
    weights = torch.ones(len(ROLES))
    weights[PLACE["other"]] = config.other_weight
    optimizer = torch.optim.AdamW(
        network.parameters(), lr=config.learning_rate, weight_decay=_WEIGHT_DECAY
    )
    steps = config.epochs * math.ceil(len(read) / config.batch_size)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min(1.0, (step + 1) / (_WARM_UP * steps), 1.02 - step / steps)
    )
    random_ = np.random.default_rng(config.seed)
    network.train()
    done = 0
    for _ in range(config.epochs):
        for batch in _batches(read, config.batch_size, random_):
            states, rows, labels, mask = _padded(read, batch, cue_rows)
            scores = network(states, rows, mask).flatten(0, 1)
            loss = cross_entropy(scores, labels.flatten(), weights, ignore_index=NO_LABEL)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            done += 1
            if done % 20 == 0 or done == steps:
                progress(f"training, loss {loss.item():.3f}", done, steps)
    return network.eval().in_numpy(cue_rows, encoder)


def _batches(
    read: ReadQuestions, size: int, random_: np.random.Generator
) -> Iterator[NDArray[np.int64]]:
    """Questions of like length together, in any order."""
    lengths = np.diff(read.starts) + random_.uniform(0, 4, len(read))
    by_length = np.argsort(lengths)
    cut = [by_length[start : start + size] for start in range(0, len(read), size)]
    for place in random_.permutation(len(cut)):
        yield cut[place]


def _padded(
    read: ReadQuestions, batch: NDArray[np.int64], cue_rows: NDArray[np.int32]
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """States (b, t, wide), rows of cues, labels and which are tokens, each (b, t)."""
    begins, ends = read.starts[batch], read.starts[batch + 1]
    shape = len(batch), int((ends - begins).max())
    states = np.zeros((*shape, read.states.shape[1]), dtype=np.float32)
    rows = np.zeros(shape, dtype=np.int64)
    labels = np.full(shape, NO_LABEL, dtype=np.int64)
    mask = np.zeros(shape, dtype=np.bool_)
    for row, (begin, end) in enumerate(zip(begins, ends, strict=True)):
        states[row, : end - begin] = read.states[begin:end]
        rows[row, : end - begin] = cue_rows[read.ids[begin:end]]
        labels[row, : end - begin] = read.labels[begin:end]
        mask[row, : end - begin] = True
    return tuple(map(torch.from_numpy, (states, rows, labels, mask)))  # type: ignore[return-value]


def _array(tensor: Tensor) -> Floats:
    return tensor.detach().numpy().astype(np.float32)


def _transposed(tensor: Tensor) -> Floats:
    return np.ascontiguousarray(_array(tensor).T)


def _linear(layer: nn.Linear) -> tuple[Floats, Floats]:
    """Matrix and shift; rows come from the left."""
    return np.ascontiguousarray(_array(layer.weight).T), _array(layer.bias)


def _put_linear(layer: nn.Linear, weights: tuple[Floats, Floats]) -> None:
    layer.weight.copy_(torch.from_numpy(np.ascontiguousarray(weights[0].T)))
    layer.bias.copy_(torch.from_numpy(weights[1]))


def _put_norm(layer: nn.Module, norm: Floats) -> None:
    layer.weight.copy_(torch.from_numpy(norm[0]))  # type: ignore[operator]
    layer.bias.copy_(torch.from_numpy(norm[1]))  # type: ignore[operator]


def _norm(layer: nn.Module) -> Floats:
    return np.stack([_array(layer.weight), _array(layer.bias)])  # type: ignore[arg-type]
