"""Make the memory updaters: by templates, or by a model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from localrec.data.domains import Domain
from localrec.foundation.errors import ModelError
from localrec.foundation.settings import MEMORY, RULES, Settings
from localrec.graph.domain_files import load_domain
from localrec.graph.store import Store
from localrec.memory.job_queue import Job
from localrec.memory.propagation import TemplateUpdate
from localrec.memory.records import MemoryUpdate
from localrec.memory.update_context import OpenField, UpdateContextCache
from localrec.memory.worker import LOCK, OpenStore, Reader, Update, Worker

if TYPE_CHECKING:
    from localrec.index.embedded_fields import EmbeddedField
    from localrec.llm.chat_model import ChatModel


_HOLD_S = 0.5  # opening the store for each read and write would take as long as counting does


class UpdaterParts(msgspec.Struct, frozen=True):
    """The parts of a workspace that updaters need.

    Args:
        folder: The workspace folder.
        settings: The workspace settings.
        embedder_name: Names the embedder of the vectors; raises ModelError where there is none.
    """

    folder: Path
    settings: Settings
    embedder_name: Callable[[], str]


def template_updater(parts: UpdaterParts, domain: str) -> TemplateUpdate:
    """Make the template updater of one domain, which calls no model."""
    return TemplateUpdate(open_update_contexts(parts, load_domain(domain)))


def model_updater(parts: UpdaterParts, domain: str, model: ChatModel) -> Update:
    """Make the model updater of one domain, which calls a model once for each job."""
    from localrec.memory.model_update import ModelUpdate

    return ModelUpdate(template_updater(parts, domain), model)


def updater_by_domain(parts: UpdaterParts, model: ChatModel | None) -> Update:
    """Combine the updaters of all domains; each is made at the first job of its domain."""
    updaters: dict[str, Update] = {}

    def update(job: Job, read: Reader) -> Sequence[MemoryUpdate]:
        if job.domain not in updaters:
            updaters[job.domain] = (
                template_updater(parts, job.domain)
                if model is None
                else model_updater(parts, job.domain, model)
            )
        return updaters[job.domain](job, read)

    return update


def open_memory_model(
    settings: Settings, open_model: Callable[[str], ChatModel], wanted: bool | None = None
) -> ChatModel | None:
    """Open the model that writes memories; None where templates write them.

    Args:
        settings: Bind roles to models.
        open_model: Role -> its model.
        wanted: Whether to ask a model; None asks one where the settings bind the role.

    Raises:
        ModelError: its file is not here.
    """
    bound = settings.holder_of(MEMORY) != RULES
    return open_model(MEMORY) if wanted or (wanted is None and bound) else None


def memory_worker(parts: UpdaterParts, open_store: OpenStore, model: ChatModel | None) -> Worker:
    """Make the worker for all jobs of a workspace; it opens the store only when needed.

    Args:
        parts: The parts of the workspace whose jobs are worked.
        open_store: Opens its store for the moments in which the worker reads and writes.
        model: Words memories; without one they are counted.
    """
    return Worker(
        open_store,
        updater_by_domain(parts, model),
        parts.folder / LOCK,
        cancel=getattr(model, "cancel", lambda: None),  # where there is a process to be told
        hold_s=store_hold_s(model),
    )


def store_hold_s(model: ChatModel | None) -> float:
    """Return how long the worker may keep the store open for several jobs (`Worker.hold_s`)."""
    return _HOLD_S if model is None else 0.0


def open_update_contexts(parts: UpdaterParts, domain: Domain) -> UpdateContextCache:
    """Open the contexts of domains, with users compared by the texts of their items."""
    indexes = parts.folder / "indexes"
    return UpdateContextCache(indexes, domain, _descriptions(parts, domain, indexes))


def _descriptions(parts: UpdaterParts, domain: Domain, indexes: Path) -> OpenField:
    def open_descriptions(store: Store) -> EmbeddedField | None:
        from localrec.index.embedded_fields import open_field

        if "description" not in domain.texts:
            return None
        try:
            name = parts.embedder_name()
        except ModelError:  # without an embedder users are compared by what they share alone
            return None
        field = open_field(store, indexes, domain.name, "description", name, parts.settings.index)
        return field if len(field) else None

    return open_descriptions
