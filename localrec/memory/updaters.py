"""Make what updates memories: by templates, or by a model."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from localrec.data.domains import Domain
from localrec.foundation.errors import ModelError
from localrec.foundation.settings import MEMORY, RULES
from localrec.graph.domain_files import load_domain
from localrec.graph.store import Store
from localrec.memory.job_queue import Job
from localrec.memory.propagation import TemplateUpdate
from localrec.memory.records import MemoryUpdate
from localrec.memory.update_context import OpenField, UpdateContextCache
from localrec.memory.worker import LOCK, OpenStore, Reader, Update, Worker

if TYPE_CHECKING:
    from localrec.foundation.settings import Settings
    from localrec.index.embedded_fields import EmbeddedField
    from localrec.llm.chat_model import ChatModel


_HOLD_S = 0.5  # opening the store for each read and write would take as long as counting does


class UpdaterWorkspace(Protocol):
    """What is needed of a workspace."""

    @property
    def folder(self) -> Path:
        """Where it lies."""
        ...

    @property
    def settings(self) -> Settings:
        """What its owner chose."""
        ...

    @property
    def embedder_name(self) -> str:
        """The name on its vectors."""
        ...


class ModelUpdaterWorkspace(UpdaterWorkspace, Protocol):
    """A workspace that opens models, too."""

    def open_model(self, role: str, name: str = "") -> ChatModel:
        """The model that plays a role; raises ModelError where its file is not here."""
        ...


def template_updater(workspace: UpdaterWorkspace, domain: str) -> TemplateUpdate:
    """The updater for the jobs of one domain that calls no model."""
    return TemplateUpdate(open_update_contexts(workspace, load_domain(domain)))


def model_updater(workspace: UpdaterWorkspace, domain: str, model: ChatModel) -> Update:
    """The updater for the jobs of one domain that calls a model once for each."""
    from localrec.memory.model_update import ModelUpdate

    return ModelUpdate(template_updater(workspace, domain), model)


def updater_by_domain(workspace: UpdaterWorkspace, model: ChatModel | None) -> Update:
    """The updaters of all domains as one, each made when a job of its domain comes."""
    updaters: dict[str, Update] = {}

    def update(job: Job, read: Reader) -> Sequence[MemoryUpdate]:
        if job.domain not in updaters:
            updaters[job.domain] = (
                template_updater(workspace, job.domain)
                if model is None
                else model_updater(workspace, job.domain, model)
            )
        return updaters[job.domain](job, read)

    return update


def open_memory_model(
    workspace: ModelUpdaterWorkspace, wanted: bool | None = None
) -> ChatModel | None:
    """The model that words memories, or None where they are counted.

    Args:
        workspace: Opens it.
        wanted: Whether a model is to do it; None asks one where the settings bind it to that.

    Raises:
        ModelError: its file is not here.
    """
    bound = workspace.settings.roles.get(MEMORY, RULES) != RULES
    return workspace.open_model(MEMORY) if wanted or (wanted is None and bound) else None


def memory_worker(
    workspace: UpdaterWorkspace, open_store: OpenStore, model: ChatModel | None
) -> Worker:
    """The worker for all jobs of a workspace, whose own store stays closed meanwhile.

    Args:
        workspace: Whose jobs.
        open_store: Opens its store for the moments in which the worker reads and writes.
        model: Words memories; without one they are counted.
    """
    return Worker(
        open_store,
        updater_by_domain(workspace, model),
        workspace.folder / LOCK,
        cancel=getattr(model, "cancel", lambda: None),  # where there is a process to be told
        hold_s=store_hold_s(model),
    )


def store_hold_s(model: ChatModel | None) -> float:
    """How long the worker may hold the store for several jobs (`Worker.hold_s`)."""
    return _HOLD_S if model is None else 0.0


def open_update_contexts(workspace: UpdaterWorkspace, domain: Domain) -> UpdateContextCache:
    """The surroundings of a domain, people compared by the texts that describe items."""
    indexes = workspace.folder / "indexes"
    return UpdateContextCache(indexes, domain, _descriptions(workspace, domain, indexes))


def _descriptions(workspace: UpdaterWorkspace, domain: Domain, indexes: Path) -> OpenField:
    def open_descriptions(store: Store) -> EmbeddedField | None:
        from localrec.index.embedded_fields import open_field

        if "description" not in domain.texts:
            return None
        try:
            name = workspace.embedder_name
        except ModelError:  # without an embedder people are compared by what they share alone
            return None
        field = open_field(
            store, indexes, domain.name, "description", name, workspace.settings.index
        )
        return field if len(field) else None

    return open_descriptions
