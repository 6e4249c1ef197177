"""Register MARC, its ablations and vector-only RAG by name: `ask --system marc`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from localrec.foundation.settings import Settings
from localrec.systems.configs import RagConfig, system_config
from localrec.systems.system import SystemKind, SystemOptions
from localrec.workspace.domain_context import DomainContext

if TYPE_CHECKING:
    from localrec.data.answers import QuestionAnswerer
    from localrec.systems.item_recommender import ItemRecommender


class _Answerers:
    kinds: frozenset[SystemKind] = frozenset({"answerer"})

    def roles(self, settings: Settings, options: SystemOptions) -> tuple[str, ...]:
        return system_config(options.name, settings, without_model=options.without_model).asks_model

    def answerer(self, context: DomainContext, options: SystemOptions) -> QuestionAnswerer:
        config = system_config(options.name, context.settings, without_model=options.without_model)
        if isinstance(config, RagConfig):
            from localrec.systems.vector_rag import VectorRag

            return VectorRag(context, config)
        from localrec.systems.marc import Marc

        return Marc(context, config)

    def recommender(self, context: DomainContext, options: SystemOptions) -> ItemRecommender:
        raise NotImplementedError  # the registry refuses it before


SYSTEM = _Answerers()
