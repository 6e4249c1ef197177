"""The groups of calls that a workspace has as attributes, each loaded at its first use."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from localrec.api.session import WorkspaceSession

if TYPE_CHECKING:
    from localrec.api.catalogs import DatasetCalls, DomainCalls, ModelCalls
    from localrec.api.memories import MemoryCalls
    from localrec.api.pictures import ImageCalls
    from localrec.api.shelves import ShelfCalls


class CallGroups(WorkspaceSession):
    """What a workspace can do, ordered as the command line is."""

    @cached_property
    def shelf(self) -> ShelfCalls:
        """What users have at hand: list, show, add, remove, clear."""
        from localrec.api.shelves import ShelfCalls

        return ShelfCalls(self)

    @cached_property
    def memory(self) -> MemoryCalls:
        """What is remembered: show, history, edit, pin, unpin, jobs, run, rebuild, rules."""
        from localrec.api.memories import MemoryCalls

        return MemoryCalls(self)

    @cached_property
    def images(self) -> ImageCalls:
        """Pictures of items: add, describe, list, find."""
        from localrec.api.pictures import ImageCalls

        return ImageCalls(self)

    @cached_property
    def models(self) -> ModelCalls:
        """Local models: list, roles, pull, check, use."""
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
