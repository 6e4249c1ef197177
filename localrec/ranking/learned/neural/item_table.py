"""Embeddings of items: each item's own, and those of its attributes.

    e_i = own_i + sum of a_t over the attributes t of item i / sqrt(how many they are)

A rare item is met too seldom to learn an embedding; what it shares with others is met often. Of an
item without attributes its own embedding is all there is, so a store without any trains the plain
network. What is exported is the finished table, and asking a network costs no more with attributes.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from localrec.data.item_features import ItemFeatures
from localrec.ranking.learned.interactions import Floats

_SPREAD = 0.02  # standard deviation of fresh embeddings


class ItemTable(nn.Module):
    """Look up embeddings of items, and take them over from an older table.

    Args:
        items: The number of items.
        side: The attributes of the items, or of the first of them.
        size: Size of an embedding.
    """

    def __init__(self, items: int, side: ItemFeatures, size: int) -> None:
        super().__init__()
        self.items = items
        self.own = nn.Embedding(items, size)
        nn.init.normal_(self.own.weight, std=_SPREAD)
        self.of_attributes = nn.Embedding(side.attributes, size)
        nn.init.normal_(self.of_attributes.weight, std=_SPREAD)
        counts = np.zeros(items, dtype=np.int64)
        known = min(items, side.items)
        counts[:known] = np.diff(side.first_link)[:known]
        first = np.concatenate([[0], np.cumsum(counts)])
        self._links = torch.from_numpy(side.attribute[: first[-1]].astype(np.int64))
        self._first, self._counts = torch.from_numpy(first[:-1]), torch.from_numpy(counts)
        self._worth = self._counts.clamp(min=1).to(torch.float32).rsqrt()

    def forward(self, items: Tensor) -> Tensor:
        """Look up the embeddings of some items, (n,) to (n, size)."""
        own: Tensor = self.own(items)
        return own + self._shared(items) if len(self._links) else own

    def whole(self) -> Tensor:
        """Compute the embeddings of all items, (items, size)."""
        table: Tensor = self(torch.arange(self.items))
        return table

    def take_over(self, items: Floats, attributes: Floats) -> None:
        """Continue from an older table, of the first items; new items keep fresh embeddings.

        Args:
            items: The finished embeddings, (older items, size).
            attributes: Embeddings of the attributes; where they are not as many as now, their
                numbers mean others, and only the finished embeddings are taken over.
        """
        with torch.no_grad():
            if attributes.shape == self.of_attributes.weight.shape:
                self.of_attributes.weight.copy_(torch.from_numpy(np.array(attributes)))
            else:
                self.of_attributes.weight.zero_()
            older = torch.arange(len(items))
            shared = self(older) - self.own(older)
            self.own.weight[: len(items)] = torch.from_numpy(np.array(items)) - shared

    def _shared(self, items: Tensor) -> Tensor:
        """Sum the weighted embeddings of the attributes of some items, (n, size)."""
        counts = self._counts[items]
        begins = counts.cumsum(0) - counts
        owner = torch.repeat_interleave(counts)
        places = torch.arange(len(owner)) + (self._first[items] - begins)[owner]
        return functional.embedding_bag(
            self._links[places],
            self.of_attributes.weight,
            begins,
            mode="sum",
            per_sample_weights=self._worth[items][owner],
        )
