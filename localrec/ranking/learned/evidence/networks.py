"""Sequence encoders: GRU4Rec and SASRec, trained by cross-entropy over the catalogue.

An item's embedding has a part of its own and one of each of its attributes, which rare items share.

Their scores are logits of the next item. They need an order, and torch to be trained; asking them
needs NumPy alone. Where torch is not installed, or nobody has three rows, there is no such
evidence, and the fusion does without.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, ClassVar, Literal

import msgspec
import numpy as np

from localrec.index.gru4rec import GruEncoder
from localrec.index.sasrec import SasRecEncoder
from localrec.ranking.learned.evidence.base import FitContext, Signals
from localrec.ranking.learned.interactions import Floats, Histories

if TYPE_CHECKING:
    from localrec.ranking.learned.neural.training import TrainedNetwork

FEWEST_ROWS = 300  # with a next one; fewer teach a network nothing that counting misses
_BYTES_PER_ITEM = 4 * 64 * 8  # embeddings, gradients, two moments, and their copies


class RecurrentEncoder(msgspec.Struct, frozen=True):
    """A trained GRU4Rec.

    Args:
        network: Its weights.
        attributes: Contribution of an item's attributes to its embedding, (attributes, size).
        share: Share of the planned training that was done before the time ran out, 0 to 1.
    """

    kind: ClassVar[str] = "gru"

    network: GruEncoder
    attributes: Floats
    share: float

    def signals(self, histories: Histories) -> Signals:
        """Compute the logits of the next item."""
        return {"gru": next_item_logits(self.network, histories)}


class AttentionEncoder(msgspec.Struct, frozen=True):
    """A trained SASRec.

    Args:
        network: Its weights.
        attributes: Contribution of an item's attributes to its embedding, (attributes, size).
        share: Share of the planned training that was done before the time ran out, 0 to 1.
    """

    kind: ClassVar[str] = "attention"

    network: SasRecEncoder
    attributes: Floats
    share: float

    def signals(self, histories: Histories) -> Signals:
        """Compute the logits of the next item."""
        return {"attention": next_item_logits(self.network, histories)}


def next_item_logits(network: GruEncoder | SasRecEncoder, histories: Histories) -> Floats:
    """Compute the logits of all items; unmet items get the minimum, empty histories one score."""
    met, items = network.met, [histories.items_of(row) for row in range(len(histories))]
    logits: Floats = network.states_of(items) @ network.items.T + network.bias
    if met.any():
        logits[:, ~met] = logits[:, met].min(axis=1, keepdims=True)
    logits[[not met[one].any() for one in items]] = 0.0
    return logits


def fit_gru(context: FitContext) -> RecurrentEncoder | None:
    """Train GRU4Rec; None without torch, or with too little to learn from."""
    trained = _trained("gru", context, RecurrentEncoder)
    if trained is None:
        return None
    assert isinstance(trained.network, GruEncoder)
    return RecurrentEncoder(trained.network, trained.attributes, trained.share)


def fit_attention(context: FitContext) -> AttentionEncoder | None:
    """Train SASRec; None without torch, or with too little to learn from."""
    trained = _trained("attention", context, AttentionEncoder)
    if trained is None:
        return None
    assert isinstance(trained.network, SasRecEncoder)
    return AttentionEncoder(trained.network, trained.attributes, trained.share)


def _trained(
    kind: Literal["gru", "attention"],
    context: FitContext,
    previous: type[RecurrentEncoder | AttentionEncoder],
) -> TrainedNetwork | None:
    """Train a network, from the weights of the previous fit where that was of the same class."""
    if not _can_train(context):
        return None
    # Torch takes seconds to load and is only there with the extra "training".
    from localrec.ranking.learned.neural.training import TrainedNetwork, train_network

    before, older = context.previous, None
    if isinstance(before, previous):
        older = TrainedNetwork(before.network, before.attributes, before.share)
    return train_network(kind, context, older)


def _can_train(context: FitContext) -> bool:
    steps = int(np.maximum(np.diff(context.log.first_row) - 1, 0).sum())
    fits = _BYTES_PER_ITEM * context.log.items <= context.memory_limit
    return steps >= FEWEST_ROWS and fits and find_spec("torch") is not None
