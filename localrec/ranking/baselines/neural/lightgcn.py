"""LightGCN: embeddings propagated over the interaction graph (He et al., SIGIR 2020).

    e_u(k+1) = sum over the items i of u of e_i(k) / sqrt(|u| |i|),  and likewise for e_i(k+1)

Scores compare the means of e(0), ..., e(layers). The loss is not the paper's BPR but a softmax of
cosines over one positive and the batch's negatives, which reaches more in fewer epochs (Wu et al.,
"On the Effectiveness of Sampled Softmax Loss", TOIS 2024).

A user's embedding is computed from the history of the request: from layer 1 on it is a sum over
their items. For a trained history this equals the embedding of the training; newer items count at
once, and an unknown user lacks only e_u(0).
"""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from localrec.data.interaction_matrix import InteractionMatrix
from localrec.data.interactions import Interactions
from localrec.foundation.progress import Progress
from localrec.ranking.baselines.neural.configs import LightGCNConfig
from localrec.ranking.baselines.neural.training_loop import (
    TrainingResult,
    hold_out,
    ndcg_of,
    reproducible,
    train_network,
)
from localrec.ranking.history_reasons import ExplainedByHistory
from localrec.ranking.recommender import ScoreRequests, SettingValue

Pairs = tuple[Tensor, Tensor]  # users and items, both (b,)


class LightGCN(ExplainedByHistory):
    """Score items by the cosine of embeddings; -inf for items without interactions.

    An empty history of someone who was trained on leaves their e_u(0) only; a stranger's finds all
    items alike.

    Args:
        config: The settings.
    """

    name = "lightgcn"
    training: TrainingResult

    def __init__(self, config: LightGCNConfig) -> None:
        self.settings: dict[str, SettingValue] = msgspec.to_builtins(config)
        self._config = config

    def fit(self, train: Interactions, seed: int, progress: Progress) -> None:
        """Train with early stopping on the last item of some users."""
        config = self._config
        kept, held_out = hold_out(train, config.validation_people, seed)
        generator = np.random.default_rng(seed)
        with reproducible(seed, config.threads) as device:
            network = GraphNetwork(InteractionMatrix.from_log(kept), config, device)
            training = train_network(
                self.name,
                network,
                config,
                lambda: draw_pairs(kept, config.batch_size, generator, device),
                network.loss_of,
                lambda: ndcg_of(network.snapshot().score(held_out.requests), held_out),
                progress,
            )
            self._snapshot = network.snapshot()
        self.training = training
        self._unseen = np.bincount(train.item, minlength=train.items) == 0

    def score(self, requests: ScoreRequests) -> NDArray[np.float32]:
        """Compute the cosines, (b, items)."""
        scores = self._snapshot.score(requests)
        scores[:, self._unseen] = -np.inf
        return scores


class TrainedEmbeddings(msgspec.Struct, frozen=True):
    """The embeddings of a trained network, for scoring.

    Args:
        users: e_u(0), (users, size).
        item_messages: Message of an item to the users who have it: e_i(0) + ... + e_i(layers - 1),
            over sqrt(|i|), (items, size).
        items: Directions of the items' means, (items, size).
    """

    users: NDArray[np.float32]
    item_messages: NDArray[np.float32]
    items: NDArray[np.float32]

    def score(self, requests: ScoreRequests) -> NDArray[np.float32]:
        """Compute the cosines, (b, items); 0 for a user without known items."""
        own = np.zeros((len(requests), self.users.shape[1]), dtype=np.float32)
        known = requests.user >= 0
        own[known] = self.users[requests.user[known]]
        for row, history in enumerate(requests.histories):
            if len(history):
                interactions = np.unique(history)
                own[row] += self.item_messages[interactions].sum(axis=0) / np.float32(
                    np.sqrt(len(interactions))
                )
        lengths = np.linalg.norm(own, axis=1, keepdims=True)
        lengths[lengths == 0] = 1.0
        scores: NDArray[np.float32] = own / lengths @ self.items.T
        return scores


class PropagationGraph(msgspec.Struct, frozen=True):
    """Edges both ways between users, who come first, and items, sorted by receiver.

    Args:
        sender: Sender of each edge, (edges,) int64.
        first: Offset of each receiver's edges, (users + items,) int64.
        weight: 1 / sqrt(|u| |i|) of each edge, (edges,).
    """

    sender: Tensor
    first: Tensor
    weight: Tensor


class GraphPropagation(torch.autograd.Function):
    """One propagation step: each node's weighted sum of its neighbours, (nodes, size).

    The graph is symmetric, so the gradient takes the same step. As an embedding bag it is as fast
    as a sparse matrix, and on every device the same sum in the same order.
    """

    @staticmethod
    def forward(context: Any, nodes: Tensor, graph: PropagationGraph) -> Tensor:
        """Compute one step."""
        context.graph = graph
        return functional.embedding_bag(
            graph.sender, nodes, graph.first, mode="sum", per_sample_weights=graph.weight
        )

    @staticmethod
    def backward(context: Any, *gradients: Tensor) -> tuple[Tensor, None]:
        """Compute the gradient, which is the same step."""
        return GraphPropagation.forward(context, gradients[0].contiguous(), context.graph), None


class GraphNetwork(nn.Module):
    """Embeddings of users and items, and the graph between them.

    Args:
        interactions: The interactions to learn from.
        config: Sizes and loss.
        device: The device of the graph.
    """

    def __init__(
        self, interactions: InteractionMatrix, config: LightGCNConfig, device: torch.device
    ) -> None:
        super().__init__()
        self._config = config
        self._items_of, self._users_of = interactions.user_likes, interactions.likes
        self._graph = build_propagation_graph(interactions, device)
        nodes = len(self._items_of) + len(self._users_of)
        self.embedding = nn.Embedding(nodes, config.embedding_size, device=device)
        nn.init.normal_(self.embedding.weight, std=0.1)

    def layers(self) -> list[Tensor]:
        """Return e(0), ..., e(layers), each (users + items, size)."""
        reached: list[Tensor] = [self.embedding.weight]
        for _ in range(self._config.layers):
            reached.append(GraphPropagation.apply(reached[-1], self._graph))
        return reached

    def loss_of(self, pairs: Pairs) -> Tensor:
        """Average the cross-entropy of each pair's item among all items, or among drawn ones."""
        config, users, items = self._config, len(self._items_of), len(self._users_of)
        user, item = pairs
        directions = functional.normalize(torch.stack(self.layers()).sum(dim=0))
        takers, taken = directions[user], directions[users + item]
        if not 0 < config.negatives < items:
            return functional.cross_entropy(
                takers @ directions[users:].T / config.temperature, item
            )
        drawn = torch.randint(items, (config.negatives,), device=item.device)
        own = (takers * taken).sum(dim=1, keepdim=True)
        others = takers @ directions[users + drawn].T
        others = others.masked_fill(item[:, None] == drawn, -torch.inf)
        logits = torch.cat([own, others], dim=1) / config.temperature
        return functional.cross_entropy(logits, torch.zeros_like(item))

    def snapshot(self) -> TrainedEmbeddings:
        """Copy the current embeddings."""
        users = len(self._items_of)
        with torch.no_grad():
            layers = torch.stack(self.layers()).cpu()
        items = layers[:, users:]
        roots = torch.from_numpy(np.sqrt(self._users_of).astype(np.float32))[:, None]
        messages = items[:-1].sum(dim=0) / roots.clamp(min=1.0)
        return TrainedEmbeddings(
            users=layers[0, :users].numpy(),
            item_messages=(messages * (roots > 0)).numpy(),  # nothing was learnt of what nobody had
            items=functional.normalize(items.sum(dim=0)).numpy(),
        )


def build_propagation_graph(
    interactions: InteractionMatrix, device: torch.device
) -> PropagationGraph:
    """Build the edges of the interactions, in both directions."""
    items_of, users_of = interactions.user_likes, interactions.likes
    users = np.arange(len(items_of)).repeat(items_of)  # of the edges by user
    items = np.arange(len(users_of)).repeat(users_of)  # of the edges by item
    weight = np.concatenate(
        [
            1.0 / np.sqrt(items_of[users] * users_of[interactions.items]),
            1.0 / np.sqrt(users_of[items] * items_of[interactions.users]),
        ]
    )
    sender = np.concatenate(
        [interactions.items.astype(np.int64) + len(items_of), interactions.users]
    )
    first = np.concatenate(
        [interactions.first_item[:-1], interactions.first_user[:-1] + len(users)]
    )
    return PropagationGraph(
        sender=torch.from_numpy(sender).to(device),
        first=torch.from_numpy(first).to(device),
        weight=torch.from_numpy(weight.astype(np.float32)).to(device),
    )


def draw_pairs(
    train: Interactions, batch_size: int, generator: np.random.Generator, device: torch.device
) -> list[Pairs]:
    """Yield all interactions of an epoch in random batches."""
    order = generator.permutation(len(train))
    batches = (order[at : at + batch_size] for at in range(0, len(order), batch_size))
    return [
        (
            torch.from_numpy(train.user[rows].astype(np.int64)).to(device),
            torch.from_numpy(train.item[rows].astype(np.int64)).to(device),
        )
        for rows in batches
    ]
