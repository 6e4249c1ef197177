"""Measure a reranker of the product alone: it ranks a case's candidates and reports its cost.

Behind `rank --system` a reranker orders the default's candidates, and every failure has a fallback.
Here the reranker's own order is measured: a failed model fails the case, a malformed list is no
answer, and the fallback's list, which a user would see, is recorded beside it ("shown").
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Generic, TypeVar

import msgspec
import numpy as np

from localrec.agent.configs import AgenticRecConfig
from localrec.agent.reranker import AgentReranker
from localrec.agent.tool_context import ToolContext
from localrec.data.interactions import Interactions, days_of
from localrec.data.reasons import Reasons
from localrec.data.token_usage import TokenUsage
from localrec.data.trajectory import Trajectory
from localrec.evaluation.ranking.cases import Items
from localrec.evaluation.ranking.inference import RecommendationReply
from localrec.evaluation.ranking.log_contexts import LogContexts
from localrec.evaluation.ranking.zero_shot_reranker import ZeroShotReranker
from localrec.explanation.reason_builder import MemoryEvidence, ReasonBuilder
from localrec.foundation.errors import UsageError
from localrec.foundation.progress import Progress
from localrec.memory.configs import MemRecModelConfig
from localrec.memory.default_rules import default_rules
from localrec.memory.from_log import deduplicated_history
from localrec.memory.rerankers import ModelReranker, RerankRequest, RerankResult
from localrec.memory.user_item_graph import UserItemGraph
from localrec.ranking.recommender import ScoreRequests, SettingValue
from localrec.ranking.zero_shot import ZeroShotConfig
from localrec.systems.agent_systems import agent_reranker
from localrec.systems.memrec_rerankers import fallback_memory, model_reranker
from localrec.systems.profile_recommender import LogRequests
from localrec.workspace.model_pool import Models, NamedModels

MODEL = "model"  # the setting that names the model; the workspace's own where it is left out
ADAPTER = "adapter"  # the setting that names an agent's adapter, likewise
SEQUENTIAL = "sequential"  # the setting that leaves the sequential model out

AnyReranker = TypeVar("AnyReranker", ZeroShotReranker, ModelReranker, AgentReranker)
Config = TypeVar("Config", ZeroShotConfig, MemRecModelConfig, AgenticRecConfig)


class RerankerAnswerer(ABC, LogRequests, Generic[AnyReranker, Config]):
    """Rank the candidates of each request by a reranker that is fitted to a log.

    Args:
        name: The name of the system.
        contexts: Open the log for the reranker.
        models: Open the models of the workspace.
        settings: The settings that name its models, and whether it has a sequential one.
        config: Its settings.

    Attributes:
        graph: The likes that the reranker knows; missing where it looks at no other user.
        spared_s: Seconds of the fit that another system had spent already.
    """

    graph: UserItemGraph
    _reranker: AnyReranker
    spared_s = 0.0

    def __init__(
        self,
        name: str,
        contexts: LogContexts,
        models: Models,
        settings: Mapping[str, SettingValue],
        config: Config,
    ) -> None:
        super().__init__(contexts.catalogue)
        self.name = name
        self.settings: dict[str, SettingValue] = {}
        self._contexts = contexts
        self._config: Config = config
        self._sequential = bool(settings.get(SEQUENTIAL, True))
        self._models = NamedModels(
            models, str(settings.get(MODEL, "")), str(settings.get(ADAPTER, ""))
        )

    def answer(self, requests: ScoreRequests, k: int) -> Sequence[RecommendationReply]:
        """Rank all candidates of each request, best first.

        Raises:
            UsageError: there are no candidates.
            ModelError: the model failed.
        """
        check_candidates(requests.candidates)
        return [self._reply(requests, row) for row in range(len(requests))]

    def fit(self, train: Interactions, seed: int, progress: Progress) -> None:
        """Start the models, and fit the reranker to the log.

        Raises:
            ModelError: a model cannot be used.
            UsageError: torch is needed, and not installed.
        """
        self.number(train)
        self._seed = seed
        self._reranker = self._fitted(self.in_catalogue(train), seed, progress)

    @abstractmethod
    def _fitted(self, log: Interactions, seed: int, progress: Progress) -> AnyReranker:
        """Return the reranker fitted to a log's users."""

    def rerank_request(self, requests: ScoreRequests, row: int) -> RerankRequest:
        """Make the reranker's request of a case; every history item counts as liked."""
        assert requests.candidates is not None
        candidates = requests.candidates[row]
        return RerankRequest(
            user_profile=self.profile_of(requests.histories[row]),
            candidates=self.places[candidates].tolist(),
            user="" if requests.user[row] < 0 else str(requests.user[row]),
            seed=seed_of(self._seed, candidates.tolist()),
        )

    def _reply(self, requests: ScoreRequests, row: int) -> RecommendationReply:
        assert requests.candidates is not None
        started = time.perf_counter()
        found = self._reranker.rerank(self.rerank_request(requests, row))
        if found.failure is not None:
            raise found.failure
        # Of equals, whichever is shown first: candidates come shuffled.
        order = np.argsort(-found.scores, kind="stable")
        items = requests.candidates[row][order].tolist()
        spent = sum(found.spent.values(), start=TokenUsage())
        reply = RecommendationReply(
            items=items,
            ms=1000 * (time.perf_counter() - started),
            calls=spent.calls,
            prompt_tokens=spent.prompt_tokens,
            cached_tokens=spent.cached_tokens,
            new_tokens=spent.new_tokens,
            notes=found.notes,
        )
        return self._as_answer(reply, found)

    def _as_answer(self, reply: RecommendationReply, found: RerankResult) -> RecommendationReply:
        """Return the reply with its further details."""
        return reply


class ZeroShotAnswerer(RerankerAnswerer[ZeroShotReranker, ZeroShotConfig]):
    """Ask a model about the titles of a history and of its candidates."""

    def _fitted(self, log: Interactions, seed: int, progress: Progress) -> ZeroShotReranker:
        model = self._models.open(self.name)
        model.count_tokens("")
        domain = self._catalogue.domain
        reranker = ZeroShotReranker(model, self._catalogue.names, domain.plural, self._config, seed)
        if reranker.shows_neighbours:
            opened = self._contexts.open(log, seed, self._models, progress)
            reranker.graph = self.graph = opened.context.collaborative_memory.graph
        self.settings = {MODEL: model.name, **msgspec.structs.asdict(self._config)}
        return reranker

    def _as_answer(self, reply: RecommendationReply, found: RerankResult) -> RecommendationReply:
        return msgspec.structs.replace(reply, items=reply.items if len(found.scores) else None)


class MemoryAnswerer(RerankerAnswerer[ModelReranker, MemRecModelConfig]):
    """Let a model score each candidate, with the user's memory in the prompt."""

    def rerank_request(self, requests: ScoreRequests, row: int) -> RerankRequest:
        """Make the request with each history item once."""
        history, _ = deduplicated_history(requests.histories[row])
        request = super().rerank_request(requests, row)
        return msgspec.structs.replace(request, user_profile=self.profile_of(history))

    def explain(self, requests: ScoreRequests, row: int, item: int) -> Reasons:
        """Explain the first item of a history, in the model's words where facts support them.

        Raises:
            ModelError: the model failed before it was asked for a reason.
        """
        request = self.rerank_request(requests, row)
        found = self._reranker.rerank(msgspec.structs.replace(request, candidates=()))
        if found.failure is not None:
            raise found.failure
        memory, place = self._reranker.collaborative_memory, int(self.places[item])
        context = found.memory_context
        evidence = None if context is None else MemoryEvidence(memory, context)
        matrix = memory.graph.matrix
        builder = ReasonBuilder("", request.user_profile, self._catalogue, matrix, evidence)
        tell = builder.from_attributes if evidence is None else builder.from_memory
        names = [self._catalogue.names[place]]
        told = self._reranker.reasons([tell(place)], names, found.known or ())
        spent = sum(found.spent.values(), start=told.spent)
        return msgspec.structs.replace(told, spent=spent, notes=(*found.notes, *told.notes))

    def _fitted(self, log: Interactions, seed: int, progress: Progress) -> ModelReranker:
        opened = self._contexts.open(log, seed, self._models, progress)
        reranker = model_reranker(opened.context, self._config, fallback_memory(self.name))
        self.graph, self.spared_s = reranker.collaborative_memory.graph, opened.spared_s
        self.settings = {
            MODEL: self._models.opened[0],
            **msgspec.structs.asdict(self._config),
            "rule_set": default_rules(self._catalogue.domain.name).name,
        }
        return reranker


class AgentAnswerer(RerankerAnswerer[AgentReranker, AgenticRecConfig]):
    """Let an agent rank the candidates; its tools know the training rows alone.

    The answer is the agent's own ranking of its first K.
    """

    def tool_context(self, requests: ScoreRequests, row: int) -> ToolContext:
        """Return the tool context of a request, once the agent is fitted."""
        return self._reranker.tool_context(self.rerank_request(requests, row))

    def rerank_request(self, requests: ScoreRequests, row: int) -> RerankRequest:
        """Make the request with the ratings and days of its history."""
        stars, days = requests.stars[row], days_of(requests.at[row])
        profile = self.profile_of(requests.histories[row], stars)
        request = super().rerank_request(requests, row)
        return msgspec.structs.replace(request, user_profile=profile, days=days)

    def _fitted(self, log: Interactions, seed: int, progress: Progress) -> AgentReranker:
        opened = self._contexts.open(log, seed, self._models, progress, sequential=self._sequential)
        reranker = agent_reranker(opened.context, self.name, self._config)
        self.graph, self.spared_s = reranker.collaborative_memory.graph, opened.spared_s
        model = self._models.opened
        asked = {MODEL: model[0], **msgspec.structs.asdict(self._config)} if model else {}
        rules = default_rules(self._catalogue.domain.name).name
        self.settings = {**asked, SEQUENTIAL: self._sequential, "rule_set": rules}
        return reranker

    def _as_answer(self, reply: RecommendationReply, found: RerankResult) -> RecommendationReply:
        trajectory, shown = found.trajectory, reply.items
        assert isinstance(trajectory, Trajectory)  # every agent leaves one
        assert isinstance(shown, list)
        ranked = shown[: len(trajectory.ranking or ())]
        return msgspec.structs.replace(
            reply,
            items=ranked if trajectory.is_valid else None,
            notes=(),  # the fault of a trajectory is told as one
            tool_calls=trajectory.tool_calls,
            trajectory=trajectory,
            wanted=self._config.k,
            fault=trajectory.fault,
            shown=shown,
        )


def check_candidates(candidates: Items | None, who: str = "A model") -> None:
    """Refuse a request to rank all items.

    Raises:
        UsageError: they are.
    """
    if candidates is None:
        raise UsageError(
            f"{who} cannot rank all items in a prompt.",
            "Give the protocol candidates, such as: candidates = 20.",
        )


def seed_of(seed: int, candidates: Sequence[int]) -> int:
    """Return the case's own seed, so that other cases do not change its prompts."""
    return int(np.random.SeedSequence([seed, *candidates]).generate_state(1)[0])
