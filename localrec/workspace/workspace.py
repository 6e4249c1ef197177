"""One workspace folder: its store, its models, and each of its domains as a user sees it.

workspace/  store.duckdb  indexes/  runs/  settings.toml     (all 0700/0600)
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from localrec.foundation.paths import make_private
from localrec.foundation.settings import Settings, load_settings
from localrec.graph.domain_files import (
    has_items_of_kind,
    is_known_domain,
    load_domain,
    use_domains_of,
)
from localrec.graph.journal import open_settled
from localrec.graph.store import Store
from localrec.workspace.domain_context import DomainContext, SharedIndexes
from localrec.workspace.model_pool import ModelPool, Models

if TYPE_CHECKING:
    from localrec.memory.updaters import UpdaterParts
    from localrec.workspace.import_service import ImportService


class OpenWorkspace:
    """Opens a workspace for reading (questions) or writing (imports); close it after use.

    A store or models that are handed in are left open.

    Args:
        folder: Its folder.
        writable: Whether something is to be stored.
        may_read: The foreign files that a bulk import reads by SQL.
        store: An open store, instead of the folder's own.
        models: Models to ask, instead of a pool for this workspace alone.
    """

    def __init__(
        self,
        folder: Path,
        *,
        writable: bool = False,
        may_read: Sequence[str] = (),
        store: Store | None = None,
        models: Models | None = None,
    ) -> None:
        self.folder = folder
        use_domains_of(folder)
        self.settings: Settings = load_settings(folder)
        self.models: Models = ModelPool(self.settings) if models is None else models
        self._writable, self._may_read = writable, may_read
        self._owns_store, self._owns_models = store is None, models is None
        if store is not None:
            self.store = store
        self._indexes: dict[str, SharedIndexes] = {}
        self._contexts: dict[tuple[str, frozenset[str]], DomainContext] = {}

    def __enter__(self) -> OpenWorkspace:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the store and stop the models that this workspace opened itself."""
        if self._owns_models:
            self.models.close()
        if self._owns_store and "store" in self.__dict__:
            self.store.close()

    @cached_property
    def store(self) -> Store:
        """The store, read-only unless the workspace was opened for writing."""
        if self._writable:
            make_private(self.folder)
        return open_settled(self.folder, read_only=not self._writable, may_read=self._may_read)

    @cached_property
    def imports(self) -> ImportService:
        """The imports into this workspace."""
        from localrec.workspace.import_service import ImportService

        indexes = self.folder / "indexes"
        return ImportService(
            self.store, self.settings, self.models, indexes, self.context, self.invalidate
        )

    @cached_property
    def updater_parts(self) -> UpdaterParts:
        """Return the parts that the updaters of memories need; the store may stay closed."""
        from localrec.memory.updaters import UpdaterParts

        return UpdaterParts(self.folder, self.settings, lambda: self.models.embedder_name)

    def domains(self) -> list[str]:
        """List the domains that have items, largest first."""
        use_domains_of(self.folder)
        rows = self.store.rows(
            "SELECT domain, kind, count(*) FROM node GROUP BY ALL ORDER BY count(*) DESC, domain"
        )
        known = [row for row in rows if is_known_domain(row[0])]
        return [domain for domain, kind, _ in known if has_items_of_kind(domain, kind)]

    def context(self, domain: str, user: str | None = None) -> DomainContext:
        """Return a domain as one user sees it: the shelves and tags of others are hidden.

        Without a user, the words of a lone user are seen, and of several users none.
        """
        from localrec.graph.node_columns import hidden_from

        hidden = hidden_from(self._users_with_own_links, user)
        if domain not in self._indexes:
            self._indexes[domain] = SharedIndexes(
                self.store,
                self.folder / "indexes",
                self.settings,
                self.models,
                load_domain(domain),
            )
        if (domain, hidden) not in self._contexts:
            self._contexts[domain, hidden] = DomainContext(self._indexes[domain], hidden)
        return self._contexts[domain, hidden]

    @cached_property
    def _users_with_own_links(self) -> frozenset[str]:
        from localrec.graph.node_columns import users_with_own_links

        return users_with_own_links(self.store)

    def invalidate(self) -> None:
        """Forget what was read, after something was stored."""
        self.__dict__.pop("_users_with_own_links", None)
        self._contexts.clear()
        self._indexes.clear()
