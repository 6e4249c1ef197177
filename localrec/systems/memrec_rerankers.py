"""MemRec with a reranker, a model or vectors of memories: `--system memrec-model`.

For a list the measured evidence proposes candidates. Where a model fails, the fused evidence of the
shared memory orders them.
"""

from __future__ import annotations

from collections.abc import Sequence

from localrec.data.arrays import Scores
from localrec.data.evidence import Fact
from localrec.data.reasons import Reasons
from localrec.explanation.model_reasons import write_reasons
from localrec.foundation.settings import RERANKER, Settings
from localrec.llm.chat_model import ChatModel
from localrec.memory.collaborative_memory import CollaborativeMemory
from localrec.memory.configs import (
    MEMREC,
    MEMREC_MODELS,
    MEMREC_VECTOR,
    MemRecConfig,
    MemRecModelConfig,
    MemRecVectorConfig,
)
from localrec.memory.loader import first_half, memory_texts_of
from localrec.memory.memrec import MemRec
from localrec.memory.rerankers import ModelReranker, RerankRequest, VectorReranker
from localrec.systems.log_memory_recommender import LogMemoryRecommender
from localrec.systems.reranking import RerankingRecommender
from localrec.systems.system import RecommenderSystem, SystemOptions
from localrec.systems.weighted_reranking import (
    WeightedReranking,
    weighted_reranking,
)
from localrec.workspace.domain_context import DomainContext


def fallback_memory(name: str) -> MemRecConfig:
    """Return the memory that orders candidates where a model fails.

    A system that reads nothing of other users is replaced by evidence that reads nothing of them.
    """
    return MEMREC["isolated-memory" if name == "isolated-agent" else "memrec"]


def vector_reranker(context: DomainContext, config: MemRecVectorConfig) -> VectorReranker:
    """Make a reranker that compares memories as vectors.

    Raises:
        WorkspaceError: there are no vectors.
    """
    memory = _written(context, config.write)
    if memory.graph.item_features.vectors is None:
        raise context.indexes.missing_vectors()
    return VectorReranker(memory, config, context.user_index_in(memory))


def model_reranker(
    context: DomainContext, config: MemRecModelConfig, fallback: MemRecConfig
) -> ModelReranker:
    """Make a reranker with a model; start it now, so that a missing one is reported.

    Raises:
        ModelError: a model is not here, or does not start, or the adapter is for another.
    """
    memory = _written(context, config.write)
    user_index = context.user_index_in(memory)
    model = context.models.open(RERANKER)
    writer = context.models.open("writer", "", None)  # its adapter has another prompt
    for one in (model, writer):
        one.count_tokens("")

    def reasons(
        model: ChatModel,
        facts: Sequence[Sequence[Fact]],
        names: Sequence[str],
        known: Sequence[str],
    ) -> Reasons:
        return write_reasons(model, facts, names, context.vocabulary, known=known)

    def open_memrec() -> MemRec:
        shared = context.shared_memory(fallback)
        return MemRec(shared.collaborative_memory, shared.config, shared.weights)

    def fused(request: RerankRequest) -> Scores:
        memrec = context.once(("memrec", fallback), open_memrec)
        scores = memrec.scores(request.items, request.weights, user_index(request.user))
        return scores[list(request.candidates)]

    return ModelReranker(
        model,
        writer,
        memory,
        memory_texts_of(memory.graph, context.catalogue),
        context.domain,
        config,
        user_index=user_index,
        fallback=fused,
        trained=bool(context.models.adapter_of(RERANKER)),
        write_reasons=reasons,
    )


def _written(context: DomainContext, write: bool) -> CollaborativeMemory:
    memory = context.collaborative_memory
    return memory if write else first_half(memory)


class VectorRecommender(LogMemoryRecommender, WeightedReranking):
    """Order candidates by their memories as vectors; fitted to a log, score all items so."""


class _MemRecRerankers(RecommenderSystem):
    def roles(self, settings: Settings, options: SystemOptions) -> tuple[str, ...]:
        return () if options.name in MEMREC_VECTOR else (RERANKER, "writer")

    def recommender(self, context: DomainContext, options: SystemOptions) -> RerankingRecommender:
        name = options.name
        if name in MEMREC_VECTOR:
            config = options.configured(MEMREC_VECTOR[name])
            made = weighted_reranking(
                context, name, lambda seen: vector_reranker(seen, config), "", VectorRecommender
            )
            made.memory_config = config
            return made
        told, fallback = options.configured(MEMREC_MODELS[name]), fallback_memory(name)
        model = context.models.open(RERANKER).name

        def reranker_of(seen: DomainContext) -> ModelReranker:
            return model_reranker(seen, told, fallback)

        return weighted_reranking(context, name, reranker_of, model, WeightedReranking)


SYSTEM = _MemRecRerankers()
