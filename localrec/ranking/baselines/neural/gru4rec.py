"""GRU4Rec: predict the next item by a gated recurrent network (Hidasi et al., ICLR 2016).

With the later findings: cross-entropy over all items (or some drawn for the batch) instead of
pairwise losses, one embedding for input and output (Hidasi and Karatzoglou, CIKM 2018; Petrov and
Macdonald 2022 measure what they are worth). Sessions are not known, so a history is one.
"""

from __future__ import annotations

from torch import Tensor, nn

from localrec.ranking.baselines.neural.configs import GRU4RecConfig
from localrec.ranking.baselines.neural.sequence_recommender import (
    SequenceNetwork,
    SequenceRecommender,
)
from localrec.ranking.baselines.neural.training_loop import ByteDropout


class GRU4Rec(SequenceRecommender):
    """Gated recurrent units over the newest items of a history.

    Args:
        config: The settings.
    """

    name = "gru4rec"

    def __init__(self, config: GRU4RecConfig) -> None:
        super().__init__(config)
        self._sizes = config

    def _build_network(self, items: int) -> SequenceNetwork:
        return RecurrentNetwork(items, self._sizes)


class RecurrentNetwork(SequenceNetwork):
    """Recurrent layers, and a projection back to the embedding size.

    Args:
        items: The number of items.
        config: Sizes and dropout.
    """

    def __init__(self, items: int, config: GRU4RecConfig) -> None:
        super().__init__(items, config.embedding_size, config.dropout)
        self.recurrent = nn.GRU(
            config.embedding_size, config.state_size, config.layers, batch_first=True
        )
        self.state_dropout = ByteDropout(config.dropout)
        self.projection = nn.Linear(config.state_size, config.embedding_size)

    def read(self, inputs: Tensor) -> Tensor:
        """Return the states (b, t, embedding_size)."""
        memory_context, _ = self.recurrent(inputs)
        states: Tensor = self.projection(self.state_dropout(memory_context))
        return states
