"""The training loop of the neural baselines: one learning-rate cycle, and the best epoch kept.

The last item of each user is held out. After every epoch the network ranks all unseen items for
these users (NDCG@10). Training ends when that has not grown for `patience` epochs; the weights of
the best epoch stay. Without users to hold out, the last weights stay.

A fit sets torch's seed, threads and deterministic algorithms, and restores all three, also when it
is interrupted. The same seed gives the same weights on the same machine, torch and number of
threads; elsewhere sums are rounded differently. Nothing is written to disk or read from a network.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

import msgspec
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from localrec.data.interactions import Interactions
from localrec.foundation.progress import Progress
from localrec.ranking.baselines.neural.configs import NeuralConfig
from localrec.ranking.next_item_windows import learning_rate_at
from localrec.ranking.recommender import ScoreRequests

K = 10
LARGEST_GRADIENT = 1.0  # longer ones are cut: a few early batches would undo the warm-up
FEWEST_ROWS = 3  # of a user who gives up their last: two are left to learn a step from
_BYTE = 256

Batch = TypeVar("Batch")


class ValidationSplit(msgspec.Struct, frozen=True):
    """The validation data of a training.

    Args:
        requests: Histories of the validation users, without their last item.
        items: The last item of each, (b,) int32.
    """

    requests: ScoreRequests
    items: NDArray[np.int32]


class TrainingResult(msgspec.Struct, frozen=True, kw_only=True):
    """The record of a training.

    Args:
        epochs: So many were done.
        best_epoch: The one whose weights stayed, from 1.
        losses: Mean loss of each epoch.
        qualities: NDCG@10 after each epoch, NaN where nobody was kept back.
    """

    epochs: int
    best_epoch: int
    losses: tuple[float, ...]
    qualities: tuple[float, ...]


def hold_out(train: Interactions, users: int, seed: int) -> tuple[Interactions, ValidationSplit]:
    """Hold out the last item of at most `people` users, drawn by the seed."""
    rows = np.diff(train.first_row)
    able = np.flatnonzero(rows >= FEWEST_ROWS)
    drawn = np.random.default_rng(seed).permutation(able)[:users]
    chosen = np.sort(drawn).astype(np.int32)
    last = train.first_row[chosen + 1] - 1
    stays = np.ones(len(train), dtype=bool)
    stays[last] = False
    kept = train.select(stays)
    histories = tuple(kept.item[kept.rows_of(user)] for user in chosen)
    return kept, ValidationSplit(ScoreRequests(chosen, histories), train.item[last])


def ndcg_of(scores: NDArray[np.float32], held_out: ValidationSplit) -> float:
    """Average NDCG@10 of the held-out items among all unseen ones; NaN without users.

    An item that ties with others stands behind them, and so does one whose score is not a number:
    a network that says nothing, or that diverged, earns nothing.
    """
    if not len(held_out.items):
        return math.nan
    own = np.take_along_axis(scores, held_out.items[:, None].astype(np.int64), axis=1)
    ahead = np.count_nonzero(~(scores < own), axis=1) - 1
    for row, history in enumerate(held_out.requests.histories):
        seen = np.setdiff1d(history, held_out.items[row])
        ahead[row] -= np.count_nonzero(~(scores[row, seen] < own[row]))
    gains = np.where(ahead < K, 1.0 / np.log2(ahead + 2.0), 0.0)
    return float(gains.mean())


def choose_device() -> torch.device:
    """Choose CUDA where there is a GPU, else the CPU."""
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


@contextmanager
def torch_threads(count: int) -> Iterator[None]:
    """Limit torch's threads inside the block."""
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)


@contextmanager
def reproducible(seed: int, threads: int) -> Iterator[torch.device]:
    """Yield the training device, seeded and deterministic; the old settings come back."""
    device = choose_device()
    before = torch.are_deterministic_algorithms_enabled()
    deterministic: Any = torch.utils.deterministic  # what it holds is put there at run time
    filled = deterministic.fill_uninitialized_memory
    if device.type == "cuda":
        # cuBLAS reads it when it starts, and is deterministic only with it.
        os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
    with torch.random.fork_rng(), torch_threads(threads):
        torch.manual_seed(seed)
        torch.use_deterministic_algorithms(True)
        # It guards against reading what was never written; nothing here does, and it costs time.
        deterministic.fill_uninitialized_memory = False
        try:
            yield device
        finally:
            torch.use_deterministic_algorithms(before)
            deterministic.fill_uninitialized_memory = filled


def train_network(
    name: str,
    network: nn.Module,
    config: NeuralConfig,
    draw_batches: Callable[[], Sequence[Batch]],
    loss_of: Callable[[Batch], Tensor],
    validate: Callable[[], float],
    progress: Progress,
) -> TrainingResult:
    """Train a network in place.

    Args:
        name: Said with the progress, which is counted in epochs.
        network: Left in evaluation mode with the weights of the best epoch.
        config: Epochs, patience, learning rate and its course.
        draw_batches: The batches of one epoch.
        loss_of: A scalar to descend.
        validate: Scores the network in evaluation mode; NaN: nothing is held out.
        progress: Called after each epoch; what it raises ends the training.
    """
    optimizer = torch.optim.AdamW(
        network.parameters(),
        lr=0.0,
        betas=(0.9, 0.98),
        weight_decay=config.weight_decay,
        fused=True,  # one pass over the weights; a sixth of a step goes into it otherwise
    )
    losses: list[float] = []
    qualities: list[float] = []
    best_epoch, best_weights = 0, _copy_weights(network)
    progress(name, 0, config.epochs)
    for epoch in range(config.epochs):
        losses.append(_descend(network, optimizer, draw_batches(), loss_of, config, epoch))
        network.eval()
        qualities.append(validate())
        if not qualities[-1] <= max(qualities[:best_epoch], default=-math.inf):  # NaN: newest wins
            best_epoch, best_weights = epoch + 1, _copy_weights(network)
        progress(name, epoch + 1, config.epochs)
        if epoch + 1 - best_epoch >= config.patience:
            break
    network.load_state_dict(best_weights)
    return TrainingResult(
        epochs=len(losses),
        best_epoch=best_epoch,
        losses=tuple(losses),
        qualities=tuple(qualities),
    )


def _descend(
    network: nn.Module,
    optimizer: torch.optim.Optimizer,
    batches: Sequence[Batch],
    loss_of: Callable[[Batch], Tensor],
    config: NeuralConfig,
    epoch: int,
) -> float:
    """Train one epoch; return the mean loss."""
    network.train()
    total = 0.0
    for place, batch in enumerate(batches):
        done = (epoch + (place + 1) / len(batches)) / config.epochs
        for group in optimizer.param_groups:
            group["lr"] = config.learning_rate * learning_rate_at(done, config.warm_up)
        optimizer.zero_grad()
        loss = loss_of(batch)
        loss.backward()
        nn.utils.clip_grad_norm_(network.parameters(), LARGEST_GRADIENT)
        optimizer.step()
        total += loss.item()
    return total / max(1, len(batches))


def _copy_weights(network: nn.Module) -> dict[str, Tensor]:
    return {name: weight.detach().clone() for name, weight in network.state_dict().items()}


class ByteDropout(nn.Module):
    """Dropout with one random byte for each number, so probabilities are rounded to 1/256.

    On a CPU torch's own spends more time on drawing than a small network on everything else.
    """

    def __init__(self, share: float) -> None:
        super().__init__()
        self._dropped = min(round(share * _BYTE), _BYTE - 1)

    def forward(self, values: Tensor) -> Tensor:
        """Zero some values and scale the others up; outside training change nothing."""
        if not self.training or not self._dropped:
            return values
        words = torch.empty(-(-values.numel() // 8), dtype=torch.int64, device=values.device)
        drawn = words.random_(-(2**63), None).view(torch.uint8)[: values.numel()]
        kept = (drawn >= self._dropped).view(values.shape).to(values.dtype)
        return values * kept.mul_(_BYTE / (_BYTE - self._dropped))
