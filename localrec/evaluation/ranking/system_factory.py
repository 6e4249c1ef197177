"""Make the systems of a run: baselines, the product's rankers, and models.

No system receives held-out rows: baselines and rankers see the training rows, models see histories,
and the leakage checks examine all other data of the store (titles, attributes, text vectors).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Protocol, runtime_checkable

from localrec.data.domains import Domain
from localrec.evaluation.configs import SystemConfig
from localrec.evaluation.ranking.cases import DataSplit
from localrec.evaluation.ranking.inference import EvaluatedSystem
from localrec.evaluation.ranking.keyed_interactions import KeyedInteractions
from localrec.evaluation.ranking.leakage import (
    check_graph,
    check_interactions,
    check_store,
    check_train,
)
from localrec.evaluation.ranking.log_contexts import LogContexts
from localrec.evaluation.ranking.reranker_answers import (
    AgentAnswerer,
    MemoryAnswerer,
    RerankerAnswerer,
    ZeroShotAnswerer,
    check_candidates,
)
from localrec.evaluation.ranking.reranker_configs import agent_config, check_pool, reranker_config
from localrec.foundation.errors import UsageError
from localrec.memory.configs import (
    MEMREC,
    MEMREC_VECTOR,
    MemRecConfig,
    MemRecModelConfig,
    MemRecVectorConfig,
)
from localrec.memory.from_log import ItemSet
from localrec.memory.user_item_graph import UserItemGraph
from localrec.ranking.baselines.catalog import find_baseline, make_baseline
from localrec.ranking.baselines.tuning import SearchSpace
from localrec.ranking.recommender import SettingValue
from localrec.systems.profile_recommender import ProfileRecommender
from localrec.systems.registry import SYSTEM_REGISTRY
from localrec.systems.system import SystemOptions
from localrec.workspace import OpenWorkspace
from localrec.workspace.log_context import LogContext

MEMORIES: dict[str, MemRecConfig | MemRecVectorConfig] = {**MEMREC, **MEMREC_VECTOR}


@runtime_checkable
class SharedMemorySystem(Protocol):
    """A fitted system with a shared memory, for the leakage checks."""

    graph: UserItemGraph


class SystemFactory:
    """Make the systems of one run.

    Args:
        workspace: Open for reading.
        domain: The domain of the items.
        keyed: All interactions, for the keys and node ids of items.
        parted: The rows that may be learnt from, and those that may not be known.
    """

    def __init__(
        self, workspace: OpenWorkspace, domain: Domain, keyed: KeyedInteractions, parted: DataSplit
    ) -> None:
        self._workspace = workspace
        self._domain = domain
        self._keyed = keyed
        self._parted = parted
        self._store_is_clean = False

    def check(self, system: SystemConfig) -> None:
        """Check that a system can be made, before the run starts.

        Raises:
            UsageError: there is no such system or setting, or it cannot be tuned, or cannot rank
                what the protocol asks for.
        """
        checks: dict[str, Callable[[SystemConfig], None]] = {
            "baseline": self._check_baseline,
            "ranker": self._check_ranker,
            "memory": self._check_memory,
            "model": self._check_model,
            "agent": self._check_agent,
        }
        checks[system.kind](system)

    def space(self, system: SystemConfig) -> SearchSpace:
        """Return the search space of a system."""
        return find_baseline(system.catalogued).space

    def make(self, system: SystemConfig, settings: Mapping[str, SettingValue]) -> EvaluatedSystem:
        """Make a system that is not fitted yet.

        Raises:
            UsageError: a setting does not fit, or there are no vectors of texts.
            LeakError: the store tells of what is held out.
            ModelError: there is no such model.
        """
        makers: dict[str, Callable[[str, Mapping[str, SettingValue]], EvaluatedSystem]] = {
            "baseline": self._make_baseline,
            "ranker": self._make_ranker,
            "memory": self._make_ranker,
            "model": self._make_model,
            "agent": self._make_agent,
        }
        return makers[system.kind](system.catalogued, settings)

    def look_over(self, system: EvaluatedSystem) -> None:
        """Check a fitted system for leaks.

        Raises:
            LeakError: more than the training rows.
        """
        check_train(self._parted.train, self._parted.test)
        if isinstance(system, ProfileRecommender):
            check_interactions(system.interactions, self._parted.train, system.places)
        if isinstance(system, SharedMemorySystem):
            train = self._parted.train
            if isinstance(system, RerankerAnswerer):
                train = system.in_catalogue(train)
            check_graph(system.graph, train)

    def has_rationales(self, name: str, made: EvaluatedSystem) -> bool:
        """Whether the run keeps the reasons of a system: of those with a shared memory."""
        return isinstance(made, SharedMemorySystem)

    @cached_property
    def knowledge(self) -> ItemSet:
        """Return the item data besides the training rows."""
        return ItemSet.of_log(
            self._context.catalogue, self._context.description_field, self._keyed.interactions
        )

    @cached_property
    def _context(self) -> LogContext:
        """Return the items, without the users who liked them."""
        return LogContext(self._workspace.context(self._domain.name).indexes)

    def _check_baseline(self, system: SystemConfig) -> None:
        if not find_baseline(system.catalogued).needs_vectors:
            make_baseline(system.catalogued, system.settings)

    def _make_baseline(self, name: str, settings: Mapping[str, SettingValue]) -> EvaluatedSystem:
        if not find_baseline(name).needs_vectors:
            return make_baseline(name, settings)
        self._look_over_store()
        return make_baseline(name, settings, self.knowledge.item_features.vectors)

    def _check_ranker(self, system: SystemConfig) -> None:
        SYSTEM_REGISTRY.get(system.catalogued, "recommender")
        if system.settings or system.trials:
            raise UsageError(
                f"The ranker {system.name} has nothing to set or to tune.",
                "Leave settings and trials out.",
            )

    def _make_ranker(self, name: str, settings: Mapping[str, SettingValue]) -> EvaluatedSystem:
        self._look_over_store()
        return SYSTEM_REGISTRY.recommender(self._context, name, settings)

    def _check_memory(self, system: SystemConfig) -> None:
        memory_config(system.catalogued, system.settings)
        if system.trials:
            raise UsageError(
                f"The system {system.name} fits itself, or has nothing to fit.",
                "Leave trials out.",
            )

    def _check_model(self, system: SystemConfig) -> None:
        config = reranker_config(system.catalogued, system.settings)
        check_pool(self._parted.test.candidates, config)
        if system.trials:
            raise UsageError(
                f"The system {system.name} asks a model, which takes too long to tune.",
                "Leave trials out.",
            )

    def _make_model(self, name: str, settings: Mapping[str, SettingValue]) -> EvaluatedSystem:
        self._look_over_store()
        models, config = self._workspace.models, reranker_config(name, settings)
        if isinstance(config, MemRecModelConfig):
            return MemoryAnswerer(name, self._log_contexts, models, settings, config)
        return ZeroShotAnswerer(name, self._log_contexts, models, settings, config)

    def _check_agent(self, system: SystemConfig) -> None:
        agent_config(system.catalogued, system.settings)
        check_candidates(self._parted.test.candidates, "An agent")
        if system.trials:
            raise UsageError(
                f"The agent {system.name} takes too long to tune, or has nothing to tune.",
                "Leave trials out.",
            )

    def _make_agent(self, name: str, settings: Mapping[str, SettingValue]) -> EvaluatedSystem:
        self._look_over_store()
        models, config = self._workspace.models, agent_config(name, settings)
        return AgentAnswerer(name, self._log_contexts, models, settings, config)

    def _look_over_store(self) -> None:
        if not self._store_is_clean:
            check_store(self._workspace.store, self._parted.test, self._keyed)
            self._store_is_clean = True

    @cached_property
    def _log_contexts(self) -> LogContexts:
        """The data that the run's rerankers share."""
        return LogContexts(self._context.indexes, self._context.catalogue)


def memory_config(
    name: str, settings: Mapping[str, SettingValue]
) -> MemRecConfig | MemRecVectorConfig:
    """Return a MemRec configuration by name, with some settings replaced.

    Raises:
        UsageError: there is no such composition or setting.
    """
    if name not in MEMORIES:
        raise UsageError(
            f'There is no system "{name}" with a memory.', f"There are: {', '.join(MEMORIES)}."
        )
    return SystemOptions(name, settings=settings).configured(MEMORIES[name])
