"""Register AgenticRec and its configurations by name, for questions, lists and rankings."""

from __future__ import annotations

from localrec.agent.configs import AGENTS, AgenticRecConfig
from localrec.agent.reranker import AgentReranker
from localrec.data.query import Query
from localrec.foundation.settings import Settings
from localrec.systems.agenticrec import AgenticAnswerer
from localrec.systems.configs import AgenticAskConfig, system_config
from localrec.systems.judged import JudgedRecommender, judged_recommender
from localrec.systems.reranking import RerankingRecommender
from localrec.systems.system import SystemKind, SystemOptions
from localrec.understanding.query_parser import parse_query
from localrec.workspace.domain_context import DomainContext


class _Agents:
    kinds: frozenset[SystemKind] = frozenset({"answerer", "recommender"})

    def roles(self, settings: Settings, options: SystemOptions) -> tuple[str, ...]:
        return self._config(settings, options).asks_model

    def answerer(self, context: DomainContext, options: SystemOptions) -> AgenticAnswerer:
        config = self._config(context.settings, options)
        return AgenticAnswerer(context, config, lambda agent: agent_reranker(context, agent))

    def recommender(self, context: DomainContext, options: SystemOptions) -> RerankingRecommender:
        name = options.name
        model = context.models.open("agent").name if AGENTS[name].asks_model else ""
        return judged_recommender(
            context, name, lambda seen: agent_reranker(seen, name), model, JudgedRecommender
        )

    def _config(self, settings: Settings, options: SystemOptions) -> AgenticAskConfig:
        config = system_config(options.name, settings, without_model=options.without_model)
        assert isinstance(config, AgenticAskConfig)
        return config


def agent_reranker(
    context: DomainContext, name: str, config: AgenticRecConfig | None = None
) -> AgentReranker:
    """Make an agent that reranks; start its model now, so that a missing one is reported.

    Args:
        context: The domain.
        name: The name of the composition.
        config: Its settings; None for those of the name.

    Raises:
        ModelError: the model is not here, or does not start.
    """
    config = config or AGENTS[name]
    model = context.models.open("agent") if config.asks_model else None
    if model is not None:
        model.count_tokens("")
    knowledge = context.domain_knowledge

    def read(instruction: str) -> Query:
        return parse_query(instruction, context.vocabulary)

    return AgentReranker(
        name,
        config,
        model,
        knowledge,
        context.catalogue,
        user_index=context.user_index_in(knowledge.collaborative_memory),
        profile_of=context.memory_text,
        read=read,
    )


SYSTEM = _Agents()
