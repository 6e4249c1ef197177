"""Train the sequence networks with torch, which nothing that answers a question imports.

Each user's rows are cut into windows of at most `LENGTH`, in every epoch at another place, and one
pass over a window learns from all its places at once: cross-entropy of the next item over all items
or, in a large catalogue, over some drawn for the batch. The learning rate rises, then falls to 0 by
the last step. A small store gets as many epochs as make the steps that a network needs; a large one
gets no more than its places allow, be it a part of an epoch. Where the time runs out the steps that
are left are given up, and the rate falls the faster. Going on from older weights takes a part of
the steps.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal, TypeVar

import msgspec
import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from localrec.data.interactions import Interactions
from localrec.data.item_features import ItemFeatures
from localrec.index.gru4rec import LENGTH, GruEncoder
from localrec.index.sasrec import SasRecEncoder
from localrec.ranking.learned.evidence.base import FitContext, check_stop
from localrec.ranking.learned.interactions import Floats, Mask
from localrec.ranking.learned.neural.item_table import ItemTable
from localrec.ranking.learned.neural.training_state import (
    Batch,
    BatchStream,
    NetworkCheckpoint,
    Position,
)
from localrec.ranking.next_item_windows import (
    NO_TARGET,
    batches_of,
    cut_windows,
    learning_rate_at,
)

_NOT_DRAWN = -1
_TIMED_STEPS = 10  # before the time that a step takes is known

Layer = TypeVar("Layer", bound=nn.Module)


class TrainingConfig(msgspec.Struct, frozen=True, kw_only=True):
    """Configure the training of a network.

    Args:
        size: Size of an embedding.
        state_size: Size of the recurrent unit's state.
        blocks: The number of attention blocks.
        heads: The number of attention heads.
        dropout: Share of numbers left out of embeddings and updates in training.
        learning_rate: The highest learning rate.
        weight_decay: AdamW's pull of the weights to 0.
        warm_up: Share of the steps in which the learning rate rises.
        epochs: Passes over the rows, where they make enough steps.
        fewest_steps: A small store gets more passes until it has made so many steps.
        most_epochs: Never more passes than this.
        most_places: Never more places than this are learnt from, all passes together.
        batches: Batches aimed at in an epoch; the batch size follows within 16 to 64.
        negatives: Items drawn for a batch in a catalogue of more than four times as many.
        continued: Share of the steps that a training takes where it continues from older weights.
    """

    size: int = 64
    state_size: int = 128
    blocks: int = 2
    heads: int = 2
    dropout: float = 0.3
    learning_rate: float = 0.005
    weight_decay: float = 0.01
    warm_up: float = 0.15
    epochs: int = 12
    fewest_steps: int = 600
    most_epochs: int = 40
    most_places: int = 6_000_000
    batches: int = 300
    negatives: int = 512
    continued: float = 0.34


class _Network(nn.Module):
    """Embeddings on the way in and out; a subclass adds the layers between them."""

    def __init__(self, items: int, side: ItemFeatures, config: TrainingConfig) -> None:
        super().__init__()
        self.items, self.share = items, config.dropout
        self.table = ItemTable(items, side, config.size)
        self.bias = nn.Parameter(torch.zeros(items))

    def drop(self, values: Tensor) -> Tensor:
        return functional.dropout(values, self.share, self.training)

    def loss(self, items: Tensor, targets: Tensor, negatives: int) -> Tensor:
        counts = targets != NO_TARGET
        targets = targets[counts]
        if self.items <= 4 * negatives:
            table = self.table.whole()
            logits = functional.linear(self(table[items])[counts], table, self.bias)
            return functional.cross_entropy(logits, targets)
        drawn = torch.randperm(self.items)[:negatives]
        given, wanted, others = self._looked_up(items.ravel(), targets, drawn)
        states = self(given.view(*items.shape, -1))[counts]
        own = (states * wanted).sum(dim=1) + self.bias[targets]
        # The drawn ones stand for the whole catalogue, hence the summand.
        shift = self.bias[drawn] + math.log(self.items / negatives)
        logits = functional.linear(states, others, shift)
        place = torch.full((self.items,), _NOT_DRAWN)
        place[drawn] = torch.arange(negatives)
        rows = torch.nonzero(place[targets] != _NOT_DRAWN).squeeze(1)
        logits[rows, place[targets[rows]]] = -torch.inf
        return functional.softplus(logits.logsumexp(dim=1) - own).mean()

    def _looked_up(self, *parts: Tensor) -> tuple[Tensor, ...]:
        """Look up the embeddings of several lists of items, each item once."""
        different, places = torch.unique(torch.cat(parts), return_inverse=True)
        return self.table(different)[places].split([len(one) for one in parts])


class _Recurrent(_Network):
    """A gated recurrent unit and a projection back to the size of an embedding."""

    def __init__(self, items: int, side: ItemFeatures, config: TrainingConfig) -> None:
        super().__init__(items, side, config)
        self.unit = nn.GRU(config.size, config.state_size, batch_first=True)
        self.out = nn.Linear(config.state_size, config.size)

    def _gates(self) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Compute the gates from the input and the state, then add both biases."""
        weights: list[Tensor] = [one.detach() for one in self.unit.parameters()]
        return weights[0], weights[1], weights[2], weights[3]

    def forward(self, embeddings: Tensor) -> Tensor:
        states, _ = self.unit(self.drop(embeddings))
        projected: Tensor = self.out(self.drop(states))
        return projected

    def exported(self, met: Mask) -> GruEncoder:
        given, held, shift_in, shift_back = self._gates()
        return GruEncoder(
            items=_copied(self.table.whole()),
            bias=_copied(self.bias),
            met=met,
            gates_in=_copied(given.T),
            gates_back=_copied(held.T),
            shift_in=_copied(shift_in),
            shift_back=_copied(shift_back),
            out=_copied(self.out.weight.T),
            shift_out=_copied(self.out.bias),
        )

    def take_over(self, older: GruEncoder) -> None:
        _put(self.bias, older.bias)
        given, held, shift_in, shift_back = self._gates()
        _put(given, older.gates_in.T)
        _put(held, older.gates_back.T)
        _put(shift_in, older.shift_in)
        _put(shift_back, older.shift_back)
        _put(self.out.weight, older.out.T)
        _put(self.out.bias, older.shift_out)


class _Block(nn.Module):
    """Causal self-attention, then a feed-forward layer, each with a residual connection."""

    def __init__(self, config: TrainingConfig) -> None:
        super().__init__()
        size = config.size
        self.norms = nn.ModuleList([nn.LayerNorm(size), nn.LayerNorm(size)])
        self.linears = nn.ModuleList([nn.Linear(size, size) for _ in range(6)])
        self.distances = nn.Parameter(torch.zeros(config.heads, LENGTH))

    def attended(self, states: Tensor) -> Tensor:
        batch, width, size = states.shape
        heads = len(self.distances)
        normed = self.norms[0](states)
        queries, keys, values = (
            linear(normed).view(batch, width, heads, -1).transpose(1, 2)
            for linear in self.linears[:3]
        )
        distance = torch.arange(width)[:, None] - torch.arange(width)
        between = self.distances[:, distance.clamp(min=0)].masked_fill(distance < 0, -torch.inf)
        attention = queries @ keys.transpose(2, 3) * (size // heads) ** -0.5 + between
        joined = (attention.softmax(dim=-1) @ values).transpose(1, 2).reshape(batch, width, size)
        gathered: Tensor = self.linears[3](joined)
        return gathered

    def transformed(self, states: Tensor) -> Tensor:
        inner = torch.relu(self.linears[4](self.norms[1](states)))
        outer: Tensor = self.linears[5](inner)
        return outer


class _Attention(_Network):
    """Blocks of self-attention and a final norm."""

    def __init__(self, items: int, side: ItemFeatures, config: TrainingConfig) -> None:
        super().__init__(items, side, config)
        self.blocks = nn.ModuleList([_Block(config) for _ in range(config.blocks)])
        self.norm = nn.LayerNorm(config.size)

    def forward(self, embeddings: Tensor) -> Tensor:
        states = self.drop(embeddings)
        for block in self._blocks():
            states = states + self.drop(block.attended(states))
            states = states + self.drop(block.transformed(states))
        normed: Tensor = self.norm(states)
        return normed

    def _blocks(self) -> list[_Block]:
        return _of_type(self.blocks, _Block)

    def _norms(self) -> list[nn.LayerNorm]:
        norms = [norm for one in self._blocks() for norm in _of_type(one.norms, nn.LayerNorm)]
        return [*norms, self.norm]

    def exported(self, met: Mask) -> SasRecEncoder:
        blocks = self._blocks()
        linears = [_of_type(block.linears, nn.Linear) for block in blocks]
        return SasRecEncoder(
            items=_copied(self.table.whole()),
            bias=_copied(self.bias),
            met=met,
            norms=np.stack([[_copied(n.weight), _copied(n.bias)] for n in self._norms()]),
            squares=np.stack([[_copied(one.weight.T) for one in some] for some in linears]),
            shifts=np.stack([[_copied(one.bias) for one in some] for some in linears]),
            distances=np.stack([_copied(b.distances) for b in blocks]),
        )

    def take_over(self, older: SasRecEncoder) -> None:
        _put(self.bias, older.bias)
        for norm, (scale, shift) in zip(self._norms(), older.norms, strict=True):
            _put(norm.weight, scale)
            _put(norm.bias, shift)
        for number, block in enumerate(self._blocks()):
            _put(block.distances, older.distances[number])
            for place, linear in enumerate(_of_type(block.linears, nn.Linear)):
                _put(linear.weight, older.squares[number, place].T)
                _put(linear.bias, older.shifts[number, place])


class TrainedNetwork(msgspec.Struct, frozen=True):
    """A trained network, and whether its training reached the end.

    Args:
        network: Its weights.
        attributes: Contribution of an item's attributes to its embedding, to continue from,
            (attributes, size).
        share: Share of the planned steps that were made, 0 to 1; below 1 where time ran out.
    """

    network: GruEncoder | SasRecEncoder
    attributes: Floats
    share: float


def train_network(
    kind: Literal["gru", "attention"],
    context: FitContext,
    older: TrainedNetwork | None = None,
    config: TrainingConfig | None = None,
) -> TrainedNetwork:
    """Train one network on a log; continue an interrupted training from its checkpoint.

    Args:
        kind: Name of the network, one of the two.
        context: The log, seed, threads, time allowed, progress and stop flag.
        older: Weights to go on from, of a catalogue that began like this one.
        config: The settings; None: the defaults.

    Raises:
        FitStoppedError: the stop flag went up.
    """
    config = config or TrainingConfig()
    with _reproducible(context.seed, context.threads):
        network_of = _Recurrent if kind == "gru" else _Attention
        network = network_of(context.log.items, context.side, config)
        if older is not None:
            network.table.take_over(older.network.items, older.attributes)
            network.take_over(older.network)  # type: ignore[arg-type]
        share = _train(network, kind, context, config, continued=older is not None)
        return TrainedNetwork(
            network.exported(context.log.popularity > 0),
            _copied(network.table.of_attributes.weight),
            share,
        )


def _train(
    network: _Network, kind: str, context: FitContext, config: TrainingConfig, *, continued: bool
) -> float:
    """Train in place from a checkpoint; return the share of finished steps."""
    generator = np.random.default_rng(context.seed)
    batch_size, planned = _plan(context.log, config, generator, continued=continued)
    optimizer = torch.optim.AdamW(
        network.parameters(), lr=config.learning_rate, weight_decay=config.weight_decay, fused=True
    )

    def epoch(drawn: np.random.Generator) -> Iterator[Batch]:
        for items, targets in batches_of(
            cut_windows(context.log, LENGTH, drawn), batch_size, drawn
        ):
            yield torch.from_numpy(items), torch.from_numpy(targets)

    stream = BatchStream(epoch, generator)
    checkpoint = NetworkCheckpoint(context.checkpoint, context.mark, network, optimizer, stream)
    kept = checkpoint.resume()
    steps, began = planned, time.process_time() - kept.spent
    network.train()
    for step, (items, targets) in enumerate(stream, start=kept.step):
        check_stop(context)
        if step >= _TIMED_STEPS:
            spent = time.process_time() - began
            steps = max(step, int(min(steps, context.seconds * step / spent)))
        if step % _TIMED_STEPS == 0:
            context.progress(f"training {kind}", step, steps)
        if step >= steps:
            break
        for group in optimizer.param_groups:
            group["lr"] = config.learning_rate * learning_rate_at(step / steps, config.warm_up)
        optimizer.zero_grad()
        network.loss(items, targets, config.negatives).backward()
        nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimizer.step()
        checkpoint.keep(Position(step + 1, time.process_time() - began))
    checkpoint.done()
    context.progress(f"training {kind}", steps, steps)
    return steps / planned


def _plan(
    log: Interactions, config: TrainingConfig, generator: np.random.Generator, *, continued: bool
) -> tuple[int, int]:
    """Plan the windows of a batch and the number of steps."""
    next_items = cut_windows(log, LENGTH, generator)[1]
    places = max(1, int(np.count_nonzero(next_items != NO_TARGET)))
    windows = max(1, len(next_items))
    batch_size = int(2 ** np.clip(np.round(np.log2(windows / config.batches)), 4, 6))
    steps_each = -(-windows // batch_size)
    epochs = min(config.most_epochs, max(config.epochs, -(-config.fewest_steps // steps_each)))
    epochs_allowed = min(float(epochs), config.most_places / places)
    share = config.continued if continued else 1.0
    return batch_size, max(1, round(epochs_allowed * share * steps_each))


@contextmanager
def _reproducible(seed: int, threads: int) -> Iterator[None]:
    """Set torch's seed and threads inside the block."""
    state, before = torch.get_rng_state(), torch.get_num_threads()
    torch.manual_seed(seed)
    torch.set_num_threads(threads)
    try:
        yield
    finally:
        torch.set_rng_state(state)
        torch.set_num_threads(before)


def _of_type(modules: nn.ModuleList, kind: type[Layer]) -> list[Layer]:
    """Cast the modules of a list, since torch only says that they are modules."""
    return [one for one in modules if isinstance(one, kind)]


def _put(target: Tensor, values: Floats) -> None:
    """Copy older weights in; new rows keep their fresh values."""
    source = torch.from_numpy(np.array(values))  # a copy, since kept weights cannot be written
    with torch.no_grad():
        target[tuple(slice(0, many) for many in source.shape)] = source


def _copied(weights: Tensor) -> Floats:
    copy: Floats = weights.detach().contiguous().numpy().copy()
    return copy
