"""A reranker that shows a model titles alone: the reference of all model rerankers.

zero-shot      titles of the history and the candidates
naive-agent    the same, and all neighbours that the prompt holds, uncurated
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import msgspec
import numpy as np
from numpy.typing import NDArray

from localrec.data.token_usage import TokenUsage
from localrec.llm.chat_model import ChatModel
from localrec.llm.model_wrapper import PrefixedChatModel
from localrec.memory.curation import CuratedNeighbours
from localrec.memory.from_log import deduplicated_history
from localrec.memory.prompt_packer import PromptPacker
from localrec.memory.rerankers import RerankRequest, RerankResult
from localrec.memory.user_item_graph import UserItemGraph
from localrec.ranking.zero_shot import Mode, ZeroShotConfig, ask_label_prior, rank_zero_shot

_SHORTEST_LINE = 8  # tokens of a neighbour, at least: no more of them than can fit are counted


class NaiveConfig(ZeroShotConfig, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Configure the reranker that shows a model the raw neighbours.

    Args:
        neighbour_tokens: Tokens of the neighbours; with the titles they must fit its context.
    """

    mode: Mode = "labels"
    neighbour_tokens: Annotated[int, msgspec.Meta(ge=64)] = 1200


class ZeroShotReranker:
    """Rank candidates by asking a model about their titles.

    Args:
        model: A chat model that the caller opens and closes.
        titles: The title of each item, (n,).
        noun: The plural noun for the items.
        config: The prompt's settings.
        seed: Seed of the draw of neighbours where the prompt cannot hold all.

    Attributes:
        graph: The user-item graph that a `NaiveConfig` takes its neighbours from.
    """

    graph: UserItemGraph

    def __init__(
        self,
        model: ChatModel,
        titles: Sequence[str],
        noun: str,
        config: ZeroShotConfig,
        seed: int = 0,
    ) -> None:
        self._model, self._titles, self._noun = model, titles, noun
        self._config, self._seed = config, seed
        self._priors: dict[int, NDArray[np.float64]] = {}

    @property
    def shows_neighbours(self) -> bool:
        """Whether the model is shown what other users like."""
        return isinstance(self._config, NaiveConfig)

    def rerank(self, request: RerankRequest) -> RerankResult:
        """Score each candidate by its mean rank; no scores where the answer is no ranking.

        Raises:
            ModelError: the model failed.
        """
        ranking = rank_zero_shot(
            self._told_of_neighbours(request),
            [self._titles[item] for item in request.user_profile.items.tolist()],
            [self._titles[item] for item in request.candidates],
            self._config,
            request.seed,
            noun=self._noun,
            prior=self._prior(len(request.candidates)),
        )
        count = len(ranking.order or ())
        scores = np.zeros(count, dtype=np.float32)
        scores[list(ranking.order or ())] = -np.arange(count)
        spent = TokenUsage(
            calls=ranking.calls,
            prompt_tokens=ranking.prompt_tokens,
            cached_tokens=ranking.cached_tokens,
            new_tokens=ranking.new_tokens,
        )
        return RerankResult(
            scores=scores,
            answered_by={"rerank": "model"},
            memory_context=None,
            spent={"rerank": spent},
        )

    def _told_of_neighbours(self, request: RerankRequest) -> ChatModel:
        """Return the model for a user, with the neighbours in its prompt."""
        if not isinstance(self._config, NaiveConfig):
            return self._model
        user = int(request.user) if request.user else -1
        found = self.graph.neighbours_of(*deduplicated_history(request.items), user)
        # In a drawn order: whatever finds no room is not left out for its worth.
        drawn = np.random.default_rng(self._seed).permutation(len(found))
        some = found.rows(drawn[: self._config.neighbour_tokens // _SHORTEST_LINE])
        packer = PromptPacker(
            self._titles, {}, self.graph.matrix.newest_items, self._model.count_tokens
        )
        neighbours = CuratedNeighbours(some, some.edge_weight)
        packed = packer.pack(neighbours, self._config.neighbour_tokens)
        if not packed.text:
            return self._model
        return PrefixedChatModel(self._model, f"People and {self._noun} near me:\n{packed.text}")

    def _prior(self, count: int) -> NDArray[np.float64] | None:
        """Measure the bias of the letters once; it is no part of a case's cost."""
        if self._config.mode != "calibrated":
            return None
        if count not in self._priors:
            self._priors[count] = ask_label_prior(self._model, count, self._noun)
        return self._priors[count]
