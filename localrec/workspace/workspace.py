"""One workspace folder, and the stages it hands out, each opened when it is first asked for.

workspace/  store.duckdb  indexes/  runs/  settings.toml     (all 0700/0600)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import copy
from dataclasses import replace
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Self, cast

from localrec.data.domains import Domain
from localrec.data.model_calls import ModelCall
from localrec.data.rows import BulkHistory, CatalogueRows, HistoryRows, ImportReport
from localrec.foundation.errors import (
    CutShortError,
    ModelError,
    UsageError,
    WorkspaceError,
)
from localrec.foundation.paths import make_private
from localrec.foundation.progress import Progress, no_progress
from localrec.foundation.settings import RERANKER, Settings, load_settings
from localrec.graph.domain_files import known_domains, load_domain
from localrec.graph.store import Store
from localrec.privacy.journal import open_settled
from localrec.workspace.model_pool import ModelPool, Models, RecordingModels

if TYPE_CHECKING:
    from collections.abc import Sequence

    from localrec.agent.configs import AgenticRecConfig
    from localrec.agent.tool_context import DomainKnowledge
    from localrec.data.arrays import Scores
    from localrec.data.evidence import Fact
    from localrec.data.interaction_matrix import InteractionMatrix
    from localrec.data.reasons import Reasons
    from localrec.graph.catalogue import Catalogue
    from localrec.index.embedded_fields import EmbeddedField
    from localrec.index.image_index import ImageIndex
    from localrec.index.sequential import SequentialModel
    from localrec.item_images.folder_import import ImageImportReport
    from localrec.llm.chat_model import ChatModel
    from localrec.memory.collaborative_memory import CollaborativeMemory
    from localrec.memory.configs import MemRecConfig
    from localrec.memory.loader import SharedMemory
    from localrec.memory.rerankers import Reranker
    from localrec.memory.updaters import UpdaterParts
    from localrec.ranking.configs import EvidenceConfig
    from localrec.retrieval.user_profile import UserProfile
    from localrec.systems.auto import EvidenceRecommender, ScoredItems
    from localrec.systems.configs import AgenticAskConfig
    from localrec.systems.question_answerer import QuestionAnswerer
    from localrec.systems.question_context import QuestionContext
    from localrec.systems.registry import RecommenderPlan


@contextmanager
def _after_the_rows() -> Iterator[None]:
    """What follows stored rows can be made again from them, so neither Ctrl+C nor a missing model
    may sound as if the rows were lost.
    """
    try:
        yield
    except KeyboardInterrupt as stop:
        raise CutShortError(
            "interrupted; the rows are stored, but what is computed from them is not complete.",
            "Complete it: localrec index",
        ) from stop
    except ModelError as error:
        raise ModelError(
            f"The rows are stored, but their texts have no vectors yet. {error.message}",
            f"{error.hint} and then: localrec index".lstrip(),
        ) from error


class Workspace:
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
        self._may_read = may_read
        self.settings: Settings = load_settings(folder)
        self._writable = writable
        self.models: Models = ModelPool(self.settings) if models is None else models
        self._owns = (store is None, models is None)
        if store is not None:
            self.store = store
        self._owner: Workspace = self  # whose view this is
        self._views: dict[frozenset[str], Workspace] = {}
        self._forget_what_was_read()

    def _forget_what_was_read(self) -> None:
        self._stages: dict[str, QuestionContext] = {}
        self._fields: dict[str, dict[str, EmbeddedField]] = {}
        self._catalogues: dict[str, Catalogue] = {}
        self._audiences: dict[str, InteractionMatrix] = {}
        self._collaborative_memories: dict[str, CollaborativeMemory] = {}
        self._references: dict[str, DomainKnowledge] = {}

    def __enter__(self) -> Workspace:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the store and stop the models."""
        owns_store, owns_models = self._owns
        if owns_models:
            self.models.close()
        if owns_store and "store" in self.__dict__:
            self.store.close()

    def seen_by(self, user: str | None) -> Self:
        """The workspace as one person sees it: others' shelves and tags are no attributes there.

        It stands on the same store and the same models, which stay this one's to close. Nobody in
        particular (None) sees what a lone person told, and of several people's words none.
        """
        from localrec.graph.node_columns import users_hidden_from

        return self._without(users_hidden_from(self.store, user))

    def _without(self, hidden: frozenset[str]) -> Self:
        owner = cast("Self", self._owner)
        if hidden == owner._hidden:
            return owner
        if hidden not in self._views:
            view = copy(owner)
            view._hidden = hidden
            view._forget_what_was_read()
            self._views[hidden] = view
        return cast("Self", self._views[hidden])

    @cached_property
    def _hidden(self) -> frozenset[str]:
        """The people whose own links are left out; at first as nobody in particular sees it."""
        from localrec.graph.node_columns import users_hidden_from

        return users_hidden_from(self.store, None)

    @cached_property
    def store(self) -> Store:
        """The store, read-only unless the workspace was opened for writing."""
        if self._writable:
            make_private(self.folder)
        return open_settled(self.folder, read_only=not self._writable, may_read=self._may_read)

    def pictures(self, domain_name: str) -> ImageIndex | None:
        """A domain's items by their pictures; None without a model for it, or without pictures."""
        if self.models.image_embedder is None:
            return None
        from localrec.index.image_index import open_image_index

        folder, backend = self.folder / "indexes", self.settings.index
        index = open_image_index(
            self.store, folder, domain_name, self.models.image_embedder, backend
        )
        return index if len(index.field) else None

    @cached_property
    def updater_parts(self) -> UpdaterParts:
        """What the updaters of memories need of this workspace, whose store may stay closed."""
        from localrec.memory.updaters import UpdaterParts

        return UpdaterParts(self.folder, self.settings, lambda: self.models.embedder_name)

    def domains(self) -> list[str]:
        """The domains that have items, largest first."""
        names = known_domains()
        rows = self.store.rows(
            "SELECT domain, kind, count(*) FROM node WHERE domain IN (SELECT unnest(?)) "
            "GROUP BY ALL ORDER BY count(*) DESC",
            [names],
        )
        return [domain for domain, kind, _ in rows if kind == load_domain(domain).item]

    def catalogue(self, domain_name: str) -> Catalogue:
        """One domain's items and attributes as arrays."""
        from localrec.graph.catalogue import Catalogue

        if domain_name not in self._catalogues:
            domain = load_domain(domain_name)
            self._catalogues[domain_name] = Catalogue(self.store, domain, self._hidden)
        return self._catalogues[domain_name]

    def fields(self, domain_name: str) -> dict[str, EmbeddedField]:
        """The texts of one domain that have vectors: name of the text -> its vectors.

        Raises:
            WorkspaceError: there are none.
        """
        if self._owner is not self:  # they are the same whoever looks
            return self._owner.fields(domain_name)
        if domain_name not in self._fields:
            domain = load_domain(domain_name)
            fields = {name: field for name in domain.texts if (field := self._field(domain, name))}
            if not fields.get("name"):
                raise WorkspaceError(
                    f"The texts of {domain.name} have no vectors by "
                    f"{self.models.embedder_name} yet.",
                    "Make them: localrec index",
                )
            self._fields[domain_name] = fields
        return self._fields[domain_name]

    def audience(self, domain_name: str) -> InteractionMatrix:
        """Who liked what in one domain."""
        from localrec.index.interaction_cache import open_interaction_matrix

        if domain_name not in self._audiences:
            self._audiences[domain_name] = open_interaction_matrix(
                self.store, self.folder / "indexes", self.catalogue(domain_name)
            )
        return self._audiences[domain_name]

    def personal(self, domain_name: str, ranker: str = "auto") -> EvidenceRecommender:
        """A ranker by name, ready for the people of one domain.

        Raises:
            UsageError: there is no such ranker.
            ModelError: it asks a model that is not here, or does not start.
            WorkspaceError: it compares memories as vectors, and there are none.
        """
        from localrec.systems.registry import recommender_plan

        return self._ranker(domain_name, recommender_plan(ranker), ranker)

    def _ranker(
        self, domain_name: str, plan: RecommenderPlan, name: str = ""
    ) -> EvidenceRecommender:
        from localrec.agent.configs import AgenticRecConfig
        from localrec.systems.auto import EvidenceRecommender
        from localrec.systems.memrec import MemoryRecommender

        field = self.description_field(domain_name) if plan.evidence.nearness else None
        parts = (self.catalogue(domain_name), self.audience(domain_name), field, plan.evidence)
        config = plan.memory
        if plan.judge is not None:
            from localrec.systems.reranking import RerankingRecommender

            if isinstance(plan.judge, AgenticRecConfig):
                agent = self._agent(domain_name, name, plan.judge, self.models.open)
                return RerankingRecommender(*parts, agent)
            return RerankingRecommender(*parts, self._judge(domain_name, plan))
        if config is None or self.audience(domain_name).user_count < plan.min_users:
            counted = EvidenceRecommender(*parts)
        else:
            counted = MemoryRecommender(
                *parts,
                lambda: self._shared_memory(domain_name, config),
                lists_from=plan.lists_from,
                ranks_from=plan.ranks_from,
            )
        return self._learned(domain_name, parts, counted) if plan.learned else counted

    def _learned(
        self,
        domain_name: str,
        parts: tuple[Catalogue, InteractionMatrix, EmbeddedField | None, EvidenceConfig],
        counted: EvidenceRecommender,
    ) -> EvidenceRecommender:
        """The learnt ranker in front of counted evidence."""
        from localrec.graph.interactions import user_node
        from localrec.ranking.learned.stored import open_ranking
        from localrec.systems.learned import LearnedRecommender

        return LearnedRecommender(
            *parts,
            counted=counted,
            open_ranking=lambda: open_ranking(self.folder / "indexes", parts[0]),
            user_node=lambda user: user_node(self.store, domain_name, user),
        )

    def collaborative_memory(self, domain_name: str) -> CollaborativeMemory:
        """What the people of a domain share: who likes what, what goes together, the rules."""
        from localrec.memory.loader import load_collaborative_memory

        if domain_name not in self._collaborative_memories:
            self._collaborative_memories[domain_name] = load_collaborative_memory(
                self.store,
                self.folder / "indexes",
                self.catalogue(domain_name),
                self.description_field(domain_name),
            )
        return self._collaborative_memories[domain_name]

    def _judge(self, domain_name: str, plan: RecommenderPlan) -> Reranker:
        """Who puts candidates in order; models are started, so that one that is not here is told.

        Raises:
            ModelError: a model is not here, or does not start, or the adapter is for another.
            WorkspaceError: memories are to be compared as vectors, and there are none.
        """
        from localrec.explanation.model_reasons import write_reasons
        from localrec.memory.configs import MemRecModelConfig, MemRecVectorConfig
        from localrec.memory.loader import memory_texts_of
        from localrec.memory.memrec import MemRec
        from localrec.memory.rerankers import ModelReranker, RerankRequest, VectorReranker
        from localrec.understanding.vocabulary import Vocabulary

        collaborative_memory, config = self.collaborative_memory(domain_name), plan.judge
        user_index = self._user_index(domain_name, collaborative_memory)
        if isinstance(config, MemRecVectorConfig):
            if collaborative_memory.graph.item_features.vectors is None:
                raise WorkspaceError(
                    f"The texts of {domain_name} have no vectors by "
                    f"{self.models.embedder_name} yet.",
                    "Make them: localrec index",
                )
            return VectorReranker(collaborative_memory, config, user_index)
        assert isinstance(config, MemRecModelConfig) and plan.memory is not None
        model, writer = self.models.open(RERANKER), self.models.open("writer")
        for one in (model, writer):
            one.count_tokens("")
        catalogue, memory_config = self.catalogue(domain_name), plan.memory

        @cache
        def vocabulary() -> Vocabulary:
            return Vocabulary(catalogue)

        def reasons(
            model: ChatModel,
            facts: Sequence[Sequence[Fact]],
            names: Sequence[str],
            known: Sequence[str],
        ) -> Reasons:
            return write_reasons(model, facts, names, vocabulary(), known=known)

        @cache
        def fallback() -> MemRec:
            memory = self._shared_memory(domain_name, memory_config)
            return MemRec(memory.collaborative_memory, memory.config, memory.weights)

        def fused(asked: RerankRequest) -> Scores:
            scores = fallback().scores(asked.items, asked.weights, user_index(asked.user))
            return scores[list(asked.candidates)]

        return ModelReranker(
            model,
            writer,
            collaborative_memory,
            memory_texts_of(collaborative_memory.graph, catalogue),
            catalogue.domain,
            config,
            user_index=user_index,
            fallback=fused,
            write_reasons=reasons,
        )

    def _agent(
        self,
        domain_name: str,
        name: str,
        config: AgenticRecConfig,
        open_model: Callable[[str], ChatModel],
    ) -> Reranker:
        """An agent as a judge; a model is started, so that one that is not here is told.

        Raises:
            ModelError: the model is not here, or does not start.
        """
        from localrec.agent.reranker import AgentReranker
        from localrec.graph.interactions import user_node
        from localrec.memory.records import memory_of
        from localrec.understanding.query_parser import parse_query
        from localrec.understanding.vocabulary import Vocabulary

        @cache  # only an instruction needs its words
        def vocabulary() -> Vocabulary:
            return Vocabulary(self.catalogue(domain_name))

        def profile_of(user: str) -> str:
            user_id = user_node(self.store, domain_name, user) if user else None
            memory = None if user_id is None else memory_of(self.store, user_id)
            return "" if memory is None else memory.text

        model = open_model("agent") if config.asks_model else None
        if model is not None:
            model.count_tokens("")
        reference = self.reference(domain_name)
        return AgentReranker(
            name,
            config,
            model,
            reference,
            self.catalogue(domain_name),
            user_index=self._user_index(domain_name, reference.collaborative_memory),
            profile_of=profile_of,
            read=lambda instruction: parse_query(instruction, vocabulary()),
        )

    def _user_index(
        self, domain_name: str, collaborative_memory: CollaborativeMemory
    ) -> Callable[[str], int]:
        """A person's key -> their number in the graph, -1 for a stranger."""
        from localrec.graph.interactions import user_node

        def user_index(user: str) -> int:
            user_id = user_node(self.store, domain_name, user) if user else None
            return -1 if user_id is None else collaborative_memory.graph.matrix.user_index(user_id)

        return user_index

    def sequential(self, domain_name: str) -> SequentialModel | None:
        """What `train sequential` learnt of a domain, its people called as in `collective`.

        None where nothing was trained, or too long ago.
        """
        from localrec.index.sequential_cache import open_sequential

        users = self.collaborative_memory(domain_name).graph.matrix.user_nodes
        return open_sequential(
            self.store, self.folder / "indexes", self.catalogue(domain_name), users
        )

    def reference(self, domain_name: str) -> DomainKnowledge:
        """What an agent's tools know of a domain; of a sequential model what `train` learnt."""
        from localrec.agent.context import build_domain_knowledge

        if domain_name not in self._references:
            self._references[domain_name] = build_domain_knowledge(
                self.catalogue(domain_name),
                self.collaborative_memory(domain_name),
                sequential=self.sequential(domain_name),
            )
        return self._references[domain_name]

    def _shared_memory(self, domain_name: str, config: MemRecConfig) -> SharedMemory:
        from localrec.memory.loader import SharedMemory, first_half, load_fusion_weights

        collaborative_memory = self.collaborative_memory(domain_name)
        weights = load_fusion_weights(
            self.folder / "indexes", domain_name, collaborative_memory, config
        )
        if not config.write:
            collaborative_memory = first_half(collaborative_memory)
        user_index = self._user_index(domain_name, collaborative_memory)
        return SharedMemory(collaborative_memory, config, weights, user_index)

    def user_profile(self, domain_name: str, user: str) -> UserProfile:
        """A person's taste, fresh from the store; empty for a stranger."""
        from localrec.graph.interactions import load_user_history, user_node
        from localrec.retrieval.user_profile import profile_from_history, profile_from_keys

        catalogue = self.catalogue(domain_name)
        user_id = user_node(self.store, domain_name, user)
        if user_id is None:
            return profile_from_keys((), catalogue)
        return profile_from_history(load_user_history(self.store, user_id), catalogue)

    def shelf(self, domain_name: str, user: str) -> tuple[str, ...]:
        """Keys of the components on a person's stored shelf; () for a stranger."""
        from localrec.graph.interactions import user_node
        from localrec.graph.shelf_store import shelf_nodes
        from localrec.retrieval.shelf import shelf_attributes

        catalogue = self.catalogue(domain_name)
        user_id = user_node(self.store, domain_name, user)
        if user_id is None:
            return ()
        here = shelf_attributes(catalogue, shelf_nodes(self.store, user_id))
        return tuple(catalogue.attributes[index].key for index in here)

    def stages(self, domain_name: str) -> QuestionContext:
        """Everything needed to answer about one domain."""
        if domain_name not in self._stages:
            self._stages[domain_name] = self._open_stages(load_domain(domain_name))
        return self._stages[domain_name]

    def choose_domain(
        self, question: str, wanted: str | None = None, *, pictured: bool = False
    ) -> str:
        """The domain a question is about: the one asked for, else the one whose words it uses.

        A question with a picture is about a domain that knows what its items look like.

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
        if pictured:
            seeable = [name for name in present if load_domain(name).kind_of("colour")]
            present = seeable or present
        if len(present) == 1:
            return present[0]
        return max(present, key=lambda name: self._words_known(question, name))

    def choose_person_domain(self, user: str, wanted: str | None = None) -> str:
        """The domain a list is for: the one asked for, else the one the person did most in.

        Raises:
            WorkspaceError: there is no catalogue yet.
            UsageError: the domain asked for has no items.
        """
        present = self.domains()
        if wanted is not None or len(present) < 2:
            return self.choose_domain("", wanted)
        return next(iter(self._domains_of(user)), present[0])

    def choose_undo_domain(self, user: str, wanted: str | None = None) -> str:
        """The domain of a person's newest feedback, unless one is asked for.

        Raises:
            WorkspaceError: there is no catalogue yet.
            UsageError: the domain asked for has no items.
        """
        if wanted is None:
            from localrec.foundation.text import clean_name
            from localrec.graph.interactions import FEEDBACK, USER

            newest = self.store.rows(
                "SELECT n.domain FROM node n JOIN interaction i ON i.user_id = n.node_id "
                "WHERE n.kind = ? AND n.key = ? AND i.source = ? "
                'ORDER BY i."at" DESC, i.rowid DESC LIMIT 1',
                [USER, clean_name(user), FEEDBACK],
            )
            if newest:
                return str(newest[0][0])
        return self.choose_person_domain(user, wanted)

    def choose_ranked_domain(self, keys: Sequence[str], wanted: str | None = None) -> str:
        """The domain that knows most of some item keys, unless one is asked for.

        Raises:
            WorkspaceError: there is no catalogue yet.
            UsageError: the domain asked for has no items.
        """
        present = self.domains()
        if wanted is not None or len(present) < 2:
            return self.choose_domain("", wanted)
        return max(
            present,
            key=lambda name: sum(self.catalogue(name).item_index(key) is not None for key in keys),
        )

    def find_item(
        self, named: str, wanted: str | None = None, user: str | None = None
    ) -> tuple[str, int, str]:
        """An item by key or name: its domain, node id and name.

        Where several domains have it, the one that `user` did most in is meant, else the largest.

        Raises:
            WorkspaceError: there is no catalogue yet.
            UsageError: no such item, or several; the hint names the nearest.
        """
        from localrec.graph.item_lookup import find_item

        if wanted or not (present := self.domains()):
            domains = [self.choose_domain("", wanted)]
        else:
            domains = list(dict.fromkeys([*self._domains_of(user or ""), *present]))
        return find_item(self.store, [load_domain(name) for name in domains], named)

    def system(
        self,
        name: str,
        domain: str,
        *,
        without_model: bool = False,
        calls: list[ModelCall] | None = None,
    ) -> QuestionAnswerer:
        """A system by name, ready to answer about one domain.

        Args:
            name: A key of `systems.catalog.SYSTEMS`.
            domain: What it is asked about.
            without_model: Every role by its deterministic counterpart.
            calls: Where all that models are asked goes on record; None: nowhere.

        Raises:
            UsageError: there is no such system.
        """
        from localrec.systems.configs import AgenticAskConfig, RagConfig
        from localrec.systems.marc import Marc
        from localrec.systems.registry import system_config
        from localrec.systems.vector_rag import VectorRag

        config = system_config(name, self.settings, without_model=without_model)
        stages = self.stages(domain)
        if calls is not None:
            recorded = RecordingModels(self.models, calls)
            stages = replace(stages, open_model=recorded.open, open_vision=recorded.open_vision)
        if isinstance(config, RagConfig):
            return VectorRag(stages, config)
        if isinstance(config, AgenticAskConfig):
            return self._agentic_ask(domain, stages, config)
        return Marc(stages, config)

    def _agentic_ask(
        self, domain: str, stages: QuestionContext, config: AgenticAskConfig
    ) -> QuestionAnswerer:
        """A system whose answers an agent puts in order; its model is opened as `stages` do."""
        from localrec.agent.configs import AGENTS
        from localrec.systems.agenticrec import AgenticAnswerer  # whoever asks no agent loads none

        def open_reranker(agent: str) -> Reranker:
            return self._agent(domain, agent, AGENTS[agent], stages.open_model)

        return AgenticAnswerer(stages, config, open_reranker)

    def take_in(
        self, table: CatalogueRows, domain: Domain, progress: Progress = no_progress
    ) -> None:
        """Write imported rows and embed their texts; the rows in one transaction.

        A missing embedding model is no reason to lose the import: `embed` can follow later.

        Raises:
            ModelError: there is no embedder; the rows are stored.
            CutShortError: Ctrl+C after the rows were stored.
        """
        from localrec.graph.item_ingest import ingest_items

        ingest_items(
            self.store, domain, table.items, table.report, lambda step: progress(step, 0, 0)
        )
        with _after_the_rows():
            self.embed(domain, progress)

    def take_in_history(
        self,
        history: HistoryRows | BulkHistory,
        domain: Domain,
        user: str | None,
        progress: Progress = no_progress,
        *,
        embed: bool = True,
    ) -> ImportReport:
        """Write what people did, count who liked what, and embed new items' texts.

        The rows are one transaction; what follows can be made later from the store. Without
        `embed` the vectors wait for `embed` to be called.

        Returns:
            The receipt as it was stored.

        Raises:
            ModelError: there is no embedder; the rows are stored.
            CutShortError: Ctrl+C after the rows were stored.
        """
        from localrec.graph.history_ingest import ingest_bulk, ingest_history

        def step(what: str) -> None:
            progress(what, 0, 0)

        if isinstance(history, BulkHistory):
            report = ingest_bulk(self.store, domain, history, step)
        else:
            report = ingest_history(self.store, domain, history, user, step)
        self._forget_what_was_read()
        self._views.clear()
        self.__dict__.pop("_hidden", None)
        with _after_the_rows():
            step("counting who liked what")
            self.audience(domain.name)
            if embed:
                self.embed(domain, progress)
        return report

    def embed(self, domain: Domain, progress: Progress = no_progress) -> int:
        """Bring vectors and index files in line with the texts; returns how many were embedded."""
        from localrec.index.embedded_fields import open_field, update_embeddings

        count = update_embeddings(
            self.store,
            domain,
            self.models.embedder,
            lambda done, total: progress("embedding texts", done, total),
        )
        indexes = self.folder / "indexes"
        for number, field in enumerate(domain.texts):
            progress("building indexes", number, len(domain.texts))
            open_field(
                self.store,
                indexes,
                domain.name,
                field,
                self.models.embedder_name,
                self.settings.index,
            )
        self.embed_pictures(domain, progress)
        return count

    def take_in_pictures(
        self,
        folder: Path,
        domain: Domain,
        *,
        column: str | None = None,
        dry_run: bool = False,
        progress: Progress = no_progress,
    ) -> ImageImportReport:
        """Take in a folder of pictures of items, all that fit or none, and embed them.

        Raises:
            InputError: no such folder or column, or no file in it that shows an item.
            ModelError: what embeds pictures does not fit; the pictures are stored.
            CutShortError: Ctrl+C; whether before or after the pictures were stored, it says.
        """
        from localrec.item_images.folder_import import import_images

        report = import_images(
            self.store, domain, folder, column=column, dry_run=dry_run, progress=progress
        )
        if not dry_run:
            with _after_the_rows():
                self.embed_pictures(domain, progress)
        return report

    def embed_pictures(self, domain: Domain, progress: Progress = no_progress) -> int:
        """The same of the items' pictures; 0 where the settings name no model for them."""
        from localrec.graph.image_store import count_item_images

        if not self.settings.pictures or not count_item_images(self.store, domain):
            return 0
        from localrec.index.image_index import update_image_embeddings

        assert self.models.image_embedder is not None
        count = update_image_embeddings(
            self.store,
            domain,
            self.models.image_embedder,
            lambda done, total: progress("embedding pictures", done, total),
        )
        self.pictures(domain.name)  # builds the index
        return count

    def _domains_of(self, user: str) -> list[str]:
        """The domains a person did anything in, those they did most in first."""
        from localrec.foundation.text import clean_name
        from localrec.graph.interactions import USER

        rows = self.store.rows(
            "SELECT n.domain FROM node n JOIN interaction i ON i.user_id = n.node_id "
            "WHERE n.kind = ? AND n.key = ? GROUP BY 1 ORDER BY count(*) DESC, 1",
            [USER, clean_name(user)],
        )
        return [str(domain) for (domain,) in rows]

    def _field(self, domain: Domain, name: str) -> EmbeddedField | None:
        """The vectors of one text of a domain; None where the domain has no such text."""
        from localrec.index.embedded_fields import open_field

        if name not in domain.texts:
            return None
        return open_field(
            self.store,
            self.folder / "indexes",
            domain.name,
            name,
            self.models.embedder_name,
            self.settings.index,
        )

    def description_field(self, domain_name: str) -> EmbeddedField | None:
        """The vectors of the descriptions of items; None where there are none, or no embedder."""
        try:
            field = self._field(load_domain(domain_name), "description")
        except ModelError:
            return None
        return field if field is not None and len(field) else None

    def _open_stages(self, domain: Domain) -> QuestionContext:
        from localrec.systems.question_context import QuestionContext, score_for_question
        from localrec.systems.registry import QUESTION_PLAN
        from localrec.understanding.vocabulary import Vocabulary

        catalogue = self.catalogue(domain.name)

        @cache  # it opens the shared memory, once, and not before somebody is named
        def ranker() -> EvidenceRecommender:
            return self._ranker(domain.name, QUESTION_PLAN)

        def fit_of(user: str) -> ScoredItems:
            return score_for_question(ranker(), user, self.user_profile(domain.name, user))

        return QuestionContext(
            catalogue=catalogue,
            vocabulary=Vocabulary(catalogue),
            embedder=self.models.embedder,
            fields=self.fields(domain.name),
            open_model=self.models.open,
            fit_of=fit_of,
            shelf_of=lambda user: self.shelf(domain.name, user),
            open_vision=self.models.open_vision,
            open_pictures=lambda: self.pictures(domain.name),
        )

    def _words_known(self, question: str, domain: str) -> int:
        from localrec.understanding.query_parser import parse_query
        from localrec.understanding.shelf_reader import asks_for_shelf

        intent = parse_query(question, self.stages(domain).vocabulary)
        named = len(intent.constraints) + len(intent.flags) + len(intent.ranges)
        # "What can I make tonight?" names nothing; only some domains have things that are made.
        makes = bool(load_domain(domain).staples) and asks_for_shelf(question)
        return 2 * named + 3 * (intent.target is not None) + 3 * makes - len(intent.unknown)
