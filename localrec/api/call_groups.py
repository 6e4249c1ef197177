"""The groups of calls that a workspace has as attributes, each loaded at its first use."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from localrec.api.upkeep import UpkeepCalls

if TYPE_CHECKING:
    from localrec.api.catalogs import DatasetCalls, DomainCalls, ModelCalls
    from localrec.api.evaluating import EvaluateCalls
    from localrec.api.memories import MemoryCalls
    from localrec.api.pictures import ImageCalls
    from localrec.api.shelves import ShelfCalls
    from localrec.api.teaching import TrainCalls
    from localrec.api.upkeep import LearnCalls


class CallGroups(UpkeepCalls):
    """The calls of a workspace, grouped as the commands of the command line are."""

    @cached_property
    def shelf(self) -> ShelfCalls:
        """Return the calls for what users have at hand: list, show, add, remove, clear."""
        from localrec.api.shelves import ShelfCalls

        return ShelfCalls(self)

    @cached_property
    def memory(self) -> MemoryCalls:
        """Return the memory calls: show, history, edit, pin, unpin, jobs, run, rebuild, rules."""
        from localrec.api.memories import MemoryCalls

        return MemoryCalls(self)

    @cached_property
    def images(self) -> ImageCalls:
        """Pictures of items: add, describe, list, find."""
        from localrec.api.pictures import ImageCalls

        return ImageCalls(self)

    @cached_property
    def models(self) -> ModelCalls:
        """Local models: list, roles, pull, check, use, try_, bench."""
        from localrec.api.catalogs import ModelCalls

        return ModelCalls(self)

    @cached_property
    def datasets(self) -> DatasetCalls:
        """Data sets: list, pull."""
        from localrec.api.catalogs import DatasetCalls

        return DatasetCalls(self)

    @cached_property
    def domains(self) -> DomainCalls:
        """Domains: list, show, new, check, remove."""
        from localrec.api.catalogs import DomainCalls

        return DomainCalls(self)

    @cached_property
    def evaluate(self) -> EvaluateCalls:
        """Measure systems; list, compare, merge, export, judge what was measured."""
        from localrec.api.evaluating import EvaluateCalls

        return EvaluateCalls(self)

    @cached_property
    def train(self) -> TrainCalls:
        """Networks and adapters: sequential, adapter, export, reader, grpo, refine, resume."""
        from localrec.api.teaching import TrainCalls

        return TrainCalls(self)

    @cached_property
    def learn(self) -> LearnCalls:
        """The default ranking of each domain: learn it, status, stop, weigh a reranker."""
        from localrec.api.upkeep import LearnCalls

        return LearnCalls(self)
