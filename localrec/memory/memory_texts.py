"""The memories of users and items as text, for prompts and vectors."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from localrec.data.arrays import Indexes
from localrec.memory.prompt_packer import TITLES
from localrec.memory.salient_attributes import count_salient_attributes
from localrec.memory.sentences import as_sentences, item_sentence, join_names, user_sentence
from localrec.memory.user_item_graph import UserItemGraph

_AUDIENCE = 50  # users that an item's memory in words is counted from


class MemoryTexts:
    """Write memory texts from counts.

    Args:
        graph: The likes of all users.
        attributes: Names of all attributes, (attributes,).
        titles: Names of all items, (n,).
        is_staple: Attributes that are nobody's taste, as a domain's staples, (attributes,).
    """

    def __init__(
        self,
        graph: UserItemGraph,
        attributes: Sequence[str],
        titles: Sequence[str],
        is_staple: NDArray[np.bool_],
    ) -> None:
        self.graph, self.titles = graph, titles
        self._attributes, self._is_staple = attributes, is_staple
        self._audiences: dict[int, str] = {}

    def of_user(self, items: Indexes) -> str:
        """Describe a user by their items' shared attributes and the newest titles; "" without any.

        Args:
            items: Oldest first, each once, (h,).
        """
        newest = [self.titles[item] for item in items[::-1][:TITLES].tolist()]
        return as_sentences([user_sentence(self._salient_names(items), newest)])

    def of_item(self, item: int, *, shared: bool = True) -> str:
        """Describe an item and, if `shared`, what its users like.

        What they like is counted once for an item, without itself.
        """
        item_features = self.graph.item_features
        links = item_features.attribute[
            int(item_features.first_link[item]) : int(item_features.first_link[item + 1])
        ]
        own = join_names(
            [self._attributes[one] for one in links.tolist() if not self._is_staple[one]]
        )
        return as_sentences([own, self._audience_size(item) if shared else ""])

    def _audience_size(self, item: int) -> str:
        if item not in self._audiences:
            graph = self.graph
            users_of_item = graph.matrix.users_of(item)
            # Users are numbered in no order, so that the first of them are an even sample.
            liked = [graph.matrix.items_of(user) for user in users_of_item[:_AUDIENCE].tolist()]
            items = np.concatenate([np.zeros(0, dtype=np.int32), *liked])
            self._audiences[item] = item_sentence(self._salient_names(items[items != item]))
        return self._audiences[item]

    def _salient_names(self, items: Indexes) -> list[str]:
        one_subject = np.zeros(len(items), dtype=np.int64)
        salient_attributes = count_salient_attributes(
            one_subject, items, self.graph.item_features, self._is_staple
        )
        return [self._attributes[taste.attribute] for taste in salient_attributes.get(0, [])]
