"""One workspace folder, and the stages it hands out, each opened when it is first asked for.

workspace/  store.duckdb  indexes/  runs/  settings.toml     (all 0700/0600)
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from localrec.domains import Domain, load_domain, shipped_domains
from localrec.errors import InputError, UsageError, WorkspaceError
from localrec.graph.store import Store
from localrec.paths import make_private
from localrec.settings import RULES, Settings, load_settings
from localrec.types import SourceTable

if TYPE_CHECKING:
    from localrec.index.base import Embedder
    from localrec.llm.base import ChatModel
    from localrec.systems.marc import Marc
    from localrec.systems.stages import Stages

Progress = Callable[[str, int, int], None]  # what is done, so many, of so many (0: unknown)


def _silent(what: str, done: int, total: int) -> None:
    """No progress shown."""


class Workspace:
    """Opens a workspace for reading (questions) or writing (imports); close it after use."""

    def __init__(self, folder: Path, *, writable: bool = False) -> None:
        self.folder = folder
        self.settings: Settings = load_settings(folder)
        self._writable = writable
        self._stages: dict[str, Stages] = {}
        self._models: dict[str, ChatModel] = {}

    def __enter__(self) -> Workspace:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the store and stop the models."""
        for model in self._models.values():
            model.close()
        self._models.clear()
        if "store" in self.__dict__:
            self.store.close()

    @cached_property
    def store(self) -> Store:
        """The store, read-only unless the workspace was opened for writing."""
        if self._writable:
            make_private(self.folder)
        return Store.open_(self.folder / "store.duckdb", read_only=not self._writable)

    @cached_property
    def embedder(self) -> Embedder:
        """What embeds texts here, as the settings name it."""
        from localrec.index.embedders import open_embedder  # onnxruntime: 0.2 s

        return open_embedder(self.settings.embedder, open_gguf=self._open_gguf)

    def domains(self) -> list[str]:
        """The domains that have items, largest first."""
        names = list(shipped_domains())
        rows = self.store.rows(
            "SELECT domain, kind, count(*) FROM node WHERE domain IN (SELECT unnest(?)) "
            "GROUP BY ALL ORDER BY count(*) DESC",
            [names],
        )
        return [domain for domain, kind, _ in rows if kind == load_domain(domain).item]

    def stages(self, domain_name: str) -> Stages:
        """Everything needed to answer about one domain."""
        if domain_name not in self._stages:
            self._stages[domain_name] = self._open_stages(load_domain(domain_name))
        return self._stages[domain_name]

    def choose_domain(self, question: str, wanted: str | None = None) -> str:
        """The domain a question is about: the one asked for, else the one whose words it uses.

        Raises:
            WorkspaceError: there is no catalogue yet.
            UsageError: the domain asked for has no items.
        """
        present = self.domains()
        if not present:
            raise WorkspaceError(
                f"There is no catalogue in {self.folder} yet.",
                "Put one in: localrec datasets pull cocktails",
            )
        if wanted is not None:
            if wanted not in present:
                raise UsageError(
                    f"There is nothing about {wanted!r} here.", f"There is: {', '.join(present)}."
                )
            return wanted
        if len(present) == 1:
            return present[0]
        return max(present, key=lambda name: self._words_known(question, name))

    def system(self, name: str, domain: str, *, without_model: bool = False) -> Marc:
        """A system by name, ready to answer about one domain."""
        from localrec.systems.catalog import system_config
        from localrec.systems.marc import Marc

        config = system_config(name, self.settings, without_model=without_model)
        return Marc(self.stages(domain), config)

    def take_in(self, table: SourceTable, domain: Domain, progress: Progress = _silent) -> None:
        """Write imported rows and embed their texts; the rows in one transaction.

        A missing embedding model is no reason to lose the import: `embed` can follow later.
        """
        from localrec.graph.ingest import ingest_items

        ingest_items(
            self.store, domain, table.items, table.report, lambda step: progress(step, 0, 0)
        )
        self.embed(domain, progress)

    def embed(self, domain: Domain, progress: Progress = _silent) -> int:
        """Bring vectors and index files in line with the texts; returns how many were embedded."""
        from localrec.index.build import open_field, update_embeddings

        count = update_embeddings(
            self.store,
            domain,
            self.embedder,
            lambda done, total: progress("embedding texts", done, total),
        )
        indexes = self.folder / "indexes"
        for number, field in enumerate(domain.texts):
            progress("building indexes", number, len(domain.texts))
            open_field(
                self.store, indexes, domain.name, field, self.embedder.name, self.settings.index
            )
        return count

    def _open_stages(self, domain: Domain) -> Stages:
        from localrec.graph.catalogue import Catalogue
        from localrec.index.build import open_field
        from localrec.systems.stages import Stages
        from localrec.understanding.vocabulary import Vocabulary

        catalogue = Catalogue(self.store, domain)
        indexes = self.folder / "indexes"
        fields = {
            field: open_field(
                self.store, indexes, domain.name, field, self.embedder.name, self.settings.index
            )
            for field in domain.texts
        }
        if not len(fields["name"]):
            raise WorkspaceError(
                f"The texts of {domain.name} have no vectors by {self.embedder.name} yet.",
                "Make them: localrec index",
            )
        return Stages(catalogue, Vocabulary(catalogue), self.embedder, fields, self.open_model)

    def open_model(self, role: str) -> ChatModel:
        """The model that plays a role, started when it is first asked something.

        Raises:
            ModelError: its file is not here.
        """
        from localrec.llm.catalog import model_path
        from localrec.llm.client import ModelProcess

        bound = self.settings.roles.get(role, RULES)  # type: ignore[call-overload]
        name = self.settings.chat_model if bound == RULES else bound
        if name not in self._models:
            path = Path(name) if name.endswith(".gguf") else model_path(name)
            self._models[name] = ModelProcess(path, n_threads=self.settings.threads or None)
        return self._models[name]

    def _open_gguf(self, path: Path) -> ModelProcess:
        from localrec.llm.client import ModelProcess

        if not path.is_file():
            raise InputError(f"There is no file {path}.", "Name another embedder in settings.toml.")
        model = ModelProcess(path)
        self._models[f"embedder:{path}"] = model
        return model

    def _words_known(self, question: str, domain: str) -> int:
        from localrec.understanding.intent import parse_intent

        intent = parse_intent(question, self.stages(domain).vocabulary)
        named = len(intent.constraints) + len(intent.flags) + len(intent.ranges)
        return 2 * named + 3 * (intent.target is not None) - len(intent.unknown)


if TYPE_CHECKING:
    from localrec.llm.client import ModelProcess
