"""Common code of SASRec and GRU4Rec: a network that reads a history and predicts the next item.

Each user's training items are cut into windows of at most `length`, in every epoch at another
place, so that each item is a target once in an epoch, after contexts of all lengths. One pass over
a window learns from all its places at once: m interactions cost m predictions, whereas RecBole
lays out every prefix of every history and pays for each with a pass of its own.

Windows stand at the left and are filled up at the right. A network that only looks back never meets
the filling before it has read all there is, so no mask for it is needed. Items serve as input and
as output with the same embedding.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from math import log

import msgspec
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from localrec.data.interactions import Interactions
from localrec.data.reasons import Reasons
from localrec.foundation.progress import Progress
from localrec.ranking.baselines.neural.configs import GRU4RecConfig, SASRecConfig
from localrec.ranking.baselines.neural.training_loop import (
    ByteDropout,
    TrainingResult,
    ValidationSplit,
    hold_out,
    ndcg_of,
    reproducible,
    torch_threads,
    train_network,
)
from localrec.ranking.history_reasons import no_reason
from localrec.ranking.next_item_windows import NO_TARGET, batches_of, cut_windows
from localrec.ranking.recommender import ScoreRequests, SettingValue

_SCORED_AT_ONCE = 256  # histories

Window = tuple[Tensor, Tensor]  # items and the next items, both (b, t)


class SequenceNetwork(nn.Module, ABC):
    """Input and output embeddings; a subclass adds the layers between them.

    Args:
        items: The number of items; number `items` is the padding.
        size: Size of an embedding, and of a state.
        dropout: Share of the embeddings' numbers left out in training.
    """

    def __init__(self, items: int, size: int, dropout: float) -> None:
        super().__init__()
        self.items = items
        self.embedding = nn.Embedding(items + 1, size, padding_idx=items)
        nn.init.normal_(self.embedding.weight, std=0.02)
        self.bias = nn.Parameter(torch.zeros(items))
        self.dropout = ByteDropout(dropout)

    def forward(self, items: Tensor) -> Tensor:
        """Return the states (b, t, size) after each of the items (b, t)."""
        states: Tensor = self.read(self.dropout(self.embedding(items)))
        return states

    @abstractmethod
    def read(self, inputs: Tensor) -> Tensor:
        """Return the states (b, t, size) from embeddings of that shape, causally."""

    def scores(self, states: Tensor) -> Tensor:
        """Return the logits (n, items) of the next item from states (n, size)."""
        return functional.linear(states, self.embedding.weight[: self.items], self.bias)

    def sampled_scores(self, states: Tensor, targets: Tensor, negatives: int) -> Tensor:
        """Return logits (n, 1 + negatives): the target's, then those of shared random negatives.

        The drawn ones stand for the whole catalogue, hence the summand; one that happens to be
        the target does not count.
        """
        drawn = torch.randint(self.items, (negatives,), device=states.device)
        own = (states * self.embedding(targets)).sum(dim=1) + self.bias[targets]
        share = log(self.items / negatives)
        others = functional.linear(states, self.embedding(drawn), self.bias[drawn] + share)
        others.masked_fill_(targets[:, None] == drawn, -torch.inf)
        return torch.cat([own[:, None], others], dim=1)


class SequenceRecommender(ABC):
    """Score all items after the newest `length` items of a history.

    -inf for items that nobody had. An empty history gets the popularity of the training data.

    Args:
        config: The settings.
    """

    name: str

    def __init__(self, config: SASRecConfig | GRU4RecConfig) -> None:
        self.settings: dict[str, SettingValue] = msgspec.to_builtins(config)
        self._config = config

    @abstractmethod
    def _build_network(self, items: int) -> SequenceNetwork:
        """Build a network with fresh weights."""

    def fit(self, train: Interactions, seed: int, progress: Progress) -> None:
        """Train with early stopping on the last item of some users."""
        config = self._config
        kept, held_out = hold_out(train, config.validation_people, seed)
        generator = np.random.default_rng(seed)
        with reproducible(seed, config.threads) as device:
            network = self._build_network(train.items).to(device)
            training = train_network(
                self.name,
                network,
                config,
                lambda: draw_batches(kept, config.length, config.batch_size, generator, device),
                lambda window: loss_of(network, window, config.negatives),
                lambda: self._validate(network, held_out),
                progress,
            )
        counts = np.bincount(train.item, minlength=train.items).astype(np.float32)
        self._network, self._counts, self.training = network, counts, training

    training: TrainingResult

    def score(self, requests: ScoreRequests) -> NDArray[np.float32]:
        """Return the logits, (b, items); the popularity for an empty history."""
        with torch_threads(self._config.threads):
            scores = score_histories(self._network, requests.histories, self._config.length)
        empty = np.array([not len(history) for history in requests.histories], dtype=bool)
        scores[empty] = self._counts
        scores[:, self._counts == 0] = -np.inf
        return scores

    def explain(self, requests: ScoreRequests, row: int, item: int) -> Reasons:
        """Say that there is no reason for one item: order and items of a history act together."""
        return no_reason(f"{self.name} reads a history as a whole; no item of it is the reason.")

    def _validate(self, network: SequenceNetwork, held_out: ValidationSplit) -> float:
        histories = held_out.requests.histories
        return ndcg_of(score_histories(network, histories, self._config.length), held_out)


def loss_of(network: SequenceNetwork, window: Window, negatives: int) -> Tensor:
    """Average the cross-entropy of the next items, over all items or over sampled negatives."""
    items, next_items = window
    counts = next_items != NO_TARGET
    states, targets = network(items)[counts], next_items[counts]
    if not 0 < negatives < network.items:
        return functional.cross_entropy(network.scores(states), targets)
    logits = network.sampled_scores(states, targets, negatives)
    return functional.cross_entropy(logits, torch.zeros_like(targets))


def score_histories(
    network: SequenceNetwork, histories: Sequence[NDArray[np.int32]], length: int
) -> NDArray[np.float32]:
    """Compute the logits (b, items) after each history; meaningless for an empty one."""
    device = network.bias.device
    scores = np.empty((len(histories), network.items), dtype=np.float32)
    for begin in range(0, len(histories), _SCORED_AT_ONCE):
        part = [history[-length:] for history in histories[begin : begin + _SCORED_AT_ONCE]]
        items = np.full((len(part), length), network.items, dtype=np.int64)
        for row, history in enumerate(part):
            items[row, : len(history)] = history
        last = torch.tensor([max(0, len(history) - 1) for history in part], device=device)
        with torch.inference_mode():
            states = network(torch.from_numpy(items).to(device))
            newest = states[torch.arange(len(part), device=device), last]
            scores[begin : begin + len(part)] = network.scores(newest).cpu().numpy()
    return scores


def draw_batches(
    train: Interactions,
    length: int,
    batch_size: int,
    generator: np.random.Generator,
    device: torch.device,
) -> list[Window]:
    """Yield all windows of an epoch in random batches, on the device."""
    windows = cut_windows(train, length, generator, filling=train.items)
    return [
        (torch.from_numpy(items).to(device), torch.from_numpy(next_items).to(device))
        for items, next_items in batches_of(windows, batch_size, generator)
    ]
