"""One domain of a workspace as one user sees it, each part opened when it is first asked for."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar

from localrec.data.domains import Domain
from localrec.foundation.errors import ModelError, WorkspaceError
from localrec.foundation.settings import Settings
from localrec.graph.store import Store
from localrec.workspace.model_pool import Models

if TYPE_CHECKING:
    from localrec.agent.tool_context import DomainKnowledge
    from localrec.data.interaction_matrix import InteractionMatrix
    from localrec.data.query import Query
    from localrec.graph.catalogue import Catalogue
    from localrec.graph.user_profile import UserProfile
    from localrec.index.embedded_fields import EmbeddedField
    from localrec.index.image_index import ImageIndex
    from localrec.index.pending_vectors import PendingVectors
    from localrec.index.protocols import Embedder
    from localrec.index.sequential import SequentialModel
    from localrec.memory.collaborative_memory import CollaborativeMemory
    from localrec.memory.configs import MemRecConfig
    from localrec.memory.loader import SharedMemory
    from localrec.retrieval.search_query import SearchQuery
    from localrec.understanding.question_roles import RoleTagger
    from localrec.understanding.vocabulary import Vocabulary

_Made = TypeVar("_Made")


class SharedIndexes:
    """The vectors of one domain, the same for every user.

    Args:
        store: Open for reading.
        folder: The folder of index files.
        settings: The workspace settings.
        models: Open the embedders.
        domain: The domain of the items.
    """

    def __init__(
        self, store: Store, folder: Path, settings: Settings, models: Models, domain: Domain
    ) -> None:
        self.store, self.folder, self.domain = store, folder, domain
        self.models = models
        self.settings = settings

    @cached_property
    def fields(self) -> dict[str, EmbeddedField]:
        """The vectors of each text of the domain.

        Raises:
            WorkspaceError: there are none.
        """
        if not self._stored_fields.get("name"):
            raise self.missing_vectors()
        return self._stored_fields

    @cached_property
    def _stored_fields(self) -> dict[str, EmbeddedField]:
        """The texts that have vectors by the model, perhaps none."""
        return {name: field for name in self.domain.texts if (field := self.open_field(name))}

    @cached_property
    def pending(self) -> PendingVectors | None:
        """Return the progress of the vectors where they are not complete."""
        from localrec.index.pending_vectors import read_pending

        return read_pending(self.folder, self.domain.name)

    @property
    def lacks_vectors(self) -> bool:
        """Whether no text has a vector and none is being made: an import was cut short."""
        return self.pending is None and not self._stored_fields.get("name")

    @property
    def has_outdated_vectors(self) -> bool:
        """Whether the vectors are those of an older embedder, which serve as long as they exist."""
        names = self._stored_fields.get("name")
        return names is not None and len(names) > 0 and names.embedder != self.models.embedder_name

    @cached_property
    def compared_by(self) -> tuple[Embedder, dict[str, EmbeddedField]]:
        """Return the vectors to compare with: by spelling where none are complete yet."""
        if self.has_outdated_vectors or (self.pending is None and not self.lacks_vectors):
            return self.models.embedder, self.fields
        from localrec.index.pending_vectors import QUICK, fields_by_spelling

        quick = {name: self._open_by(name, QUICK.name) for name in self.domain.texts}
        if not len(quick.get("name", ())):
            quick = fields_by_spelling(self.store, self.domain)
        return QUICK, quick

    def missing_vectors(self) -> WorkspaceError:
        """Return the error that tells how to make the vectors."""
        name = self.models.embedder_name
        return WorkspaceError(
            f"The texts of {self.domain.name} have no vectors by {name} yet.",
            "Make them: localrec index",
        )

    def open_field(self, name: str) -> EmbeddedField | None:
        """Open the vectors of one text; None where the domain has no such text."""
        if name not in self.domain.texts:
            return None
        return self._open_by(name, self.models.embedder_name)

    def _open_by(self, name: str, model: str) -> EmbeddedField:
        from localrec.index.embedded_fields import open_field

        return open_field(
            self.store, self.folder, self.domain.name, name, model, self.settings.index
        )

    def description_field(self) -> EmbeddedField | None:
        """Open the vectors of descriptions; None where there are none, or no embedder."""
        try:
            field = self.open_field("description")
        except ModelError:
            return None
        return field if field is not None and len(field) else None

    @cached_property
    def role_tagger(self) -> RoleTagger | None:
        """Tells what the names of a question are there for; None without the model it reads by."""
        return self.models.role_tagger

    def item_images(self) -> ImageIndex | None:
        """Open the vectors of item images; None without images or an embedder for them."""
        embedder = self.models.image_embedder
        if embedder is None:
            return None
        from localrec.index.image_index import open_image_index

        index = open_image_index(
            self.store, self.folder, self.domain.name, embedder, self.settings.index
        )
        return index if len(index.field) else None


class DomainContext:
    """The data of one domain that systems read, without the own links of hidden users.

    Args:
        indexes: The vectors of the domain.
        hidden: The users whose own links are left out.
    """

    has_users = True

    def __init__(self, indexes: SharedIndexes, hidden: frozenset[str] = frozenset()) -> None:
        self.indexes, self.store, self.domain = indexes, indexes.store, indexes.domain
        self.models, self.settings = indexes.models, indexes.settings
        self._hidden = hidden
        self._made: dict[Any, Any] = {}

    def with_models(self, models: Models) -> Self:
        """Return a context that opens other models and shares everything else."""
        other = copy(self)
        other.models = models
        return other

    def once(self, key: object, make: Callable[[], _Made]) -> _Made:
        """Return what was made under a key, and make it at the first call."""
        if key not in self._made:
            self._made[key] = make()
        made: _Made = self._made[key]
        return made

    @property
    def catalogue(self) -> Catalogue:
        """The items and attributes as arrays."""
        from localrec.graph.catalogue import Catalogue

        return self.once("catalogue", lambda: Catalogue(self.store, self.domain, self._hidden))

    @property
    def vocabulary(self) -> Vocabulary:
        """The names of items and attributes, for reading texts."""
        from localrec.understanding.vocabulary_cache import open_vocabulary

        return self.once("vocabulary", lambda: open_vocabulary(self.catalogue, self.indexes.folder))

    @property
    def fields(self) -> dict[str, EmbeddedField]:
        """The vectors of each text; raises WorkspaceError where there are none."""
        return self.indexes.fields

    @property
    def description_field(self) -> EmbeddedField | None:
        """The vectors of descriptions; None where there are none, or no embedder."""
        return self.indexes.description_field()

    def role_tagger(self) -> RoleTagger | None:
        """Open what tells the roles of a question's names; None without the model it reads by."""
        return self.indexes.role_tagger

    def item_images(self) -> ImageIndex | None:
        """Open the vectors of item images; None without images or an embedder for them."""
        return self.indexes.item_images()

    @property
    def interactions(self) -> InteractionMatrix:
        """The users' likes."""
        from localrec.index.interaction_cache import open_interaction_matrix

        return self.once(
            "interactions",
            lambda: open_interaction_matrix(self.store, self.indexes.folder, self.catalogue),
        )

    @property
    def collaborative_memory(self) -> CollaborativeMemory:
        """Return the shared memory of the domain's users: likes, co-occurrence, rules."""
        from localrec.memory.loader import load_collaborative_memory

        return self.once(
            "collaborative memory",
            lambda: load_collaborative_memory(
                self.store, self.indexes.folder, self.catalogue, self.description_field
            ),
        )

    def shared_memory(self, config: MemRecConfig) -> SharedMemory:
        """Open the collaborative memory with the fusion weights of a configuration."""
        from localrec.memory.loader import SharedMemory, first_half, load_fusion_weights

        memory = self.collaborative_memory
        weights = load_fusion_weights(self.indexes.folder, self.domain.name, memory, config)
        if not config.write:
            memory = first_half(memory)
        return SharedMemory(memory, config, weights, self.user_index_in(memory))

    @property
    def sequential_model(self) -> SequentialModel | None:
        """The trained next-item model; None where there is none or the data changed since."""
        from localrec.index.sequential_cache import open_sequential

        users = self.collaborative_memory.graph.matrix.user_nodes
        return open_sequential(self.store, self.indexes.folder, self.catalogue, users)

    @property
    def domain_knowledge(self) -> DomainKnowledge:
        """Return the domain's data for the tools of an agent."""
        from localrec.agent.context import build_domain_knowledge

        return self.once(
            "domain knowledge",
            lambda: build_domain_knowledge(
                self.catalogue, self.collaborative_memory, sequential=self.sequential_model
            ),
        )

    def user_id(self, user: str) -> int | None:
        """Return the node id of a user; None for a stranger."""
        from localrec.graph.interactions import user_node

        return user_node(self.store, self.domain.name, user) if user else None

    def user_index_in(self, memory: CollaborativeMemory) -> Callable[[str], int]:
        """Return the function from a user's key to their index in a memory, -1 for a stranger."""

        def user_index(user: str) -> int:
            user_id = self.user_id(user)
            return -1 if user_id is None else memory.graph.matrix.user_index(user_id)

        return user_index

    def memory_text(self, user: str) -> str:
        """Read the memory of a user; "" where there is none."""
        from localrec.memory.records import memory_of

        user_id = self.user_id(user)
        memory = None if user_id is None else memory_of(self.store, user_id)
        return "" if memory is None else memory.text

    def user_profile(self, user: str) -> UserProfile:
        """Read the profile of a user from the store; empty for a stranger."""
        from localrec.graph.interactions import load_user_history
        from localrec.graph.user_profile import profile_from_history, profile_from_keys

        user_id = self.user_id(user)
        if user_id is None:
            return profile_from_keys((), self.catalogue)
        return profile_from_history(load_user_history(self.store, user_id), self.catalogue)

    def shelf(self, user: str) -> tuple[str, ...]:
        """Read the keys of the components on a user's shelf; () for a stranger."""
        from localrec.graph.shelf_store import shelf_nodes
        from localrec.retrieval.shelf import shelf_attributes

        user_id = self.user_id(user)
        if user_id is None:
            return ()
        here = shelf_attributes(self.catalogue, shelf_nodes(self.store, user_id))
        return tuple(self.catalogue.attributes[index].key for index in here)

    def search_query(self, text: str, query: Query) -> SearchQuery:
        """Return a query with its text, ready for retrieval."""
        from localrec.retrieval.search_query import SearchQuery

        look = ""
        if query.seen is not None:
            from localrec.understanding.image_wishes import appearance_text

            look = appearance_text(query.seen, self.domain.singular)
        embedder, fields = self.indexes.compared_by
        return SearchQuery(text, query, self.catalogue, embedder, fields, look)
