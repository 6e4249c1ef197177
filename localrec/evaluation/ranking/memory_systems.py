"""MemRec as a system under test: a shared memory made of the training rows and nothing else.

Here are the compositions that ask no model; those that do are in `prompted.py`.

Every training row counts as a liking, as for the baselines, since every held-out row is to be
found. Weights are fitted by holding back each person's last training row: the memory they are
fitted with is made of the rest, the one that is tested of all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol, TypeVar, runtime_checkable

import msgspec
import numpy as np
from numpy.typing import NDArray

from localrec.data.domains import Domain
from localrec.data.evidence import Fact
from localrec.data.interaction_matrix import InteractionMatrix
from localrec.data.interactions import Interactions
from localrec.data.item_features import ItemFeatures
from localrec.data.reasons import Reasons, template_reasons
from localrec.explanation.reason_builder import MemoryEvidence, ReasonBuilder
from localrec.foundation.errors import UsageError
from localrec.foundation.progress import Progress
from localrec.graph.catalogue import Catalogue
from localrec.graph.user_profile import UserProfile
from localrec.index.item_cooccurrence import count_cooccurrence
from localrec.memory.collaborative_memory import CollaborativeMemory, MemoryContext
from localrec.memory.configs import MEMREC, MEMREC_VECTOR, MemRecConfig, MemRecVectorConfig
from localrec.memory.memrec import MemRec, VectorMemRec
from localrec.memory.rules import RuleSet
from localrec.memory.synthesis import domain_shares
from localrec.memory.user_item_graph import UserItemGraph
from localrec.ranking.baselines.content_similarity import ItemVectors
from localrec.ranking.fusion import FusionWeights
from localrec.ranking.recommender import Recommender, ScoreRequests, SettingValue

Config = TypeVar("Config", bound=msgspec.Struct)

MEMORIES: dict[str, MemRecConfig | MemRecVectorConfig] = {**MEMREC, **MEMREC_VECTOR}

_FEWEST_ROWS = 3  # of a person who gives one up to fit weights on
_MOST_FITTED = 2_000  # people


class ItemMetadata(msgspec.Struct, frozen=True):
    """What is known of the evaluated items before anybody liked one.

    Args:
        domain: What they belong to.
        titles: Of each item, (items,).
        item_features: Their attributes and vectors.
        attributes: Name of each attribute, (attributes,).
        phrases: How each attribute is said of several items, (attributes,).
        barred: Attributes that are nobody's taste, (attributes,).
        rules: The domain's.
        catalogue: The domain's snapshot, which numbers the attributes.
    """

    domain: Domain
    titles: Sequence[str]
    item_features: ItemFeatures
    attributes: Sequence[str]
    phrases: Sequence[str]
    barred: NDArray[np.bool_]
    rules: RuleSet
    catalogue: Catalogue


class EvaluatedItemCatalog:
    """The evaluated items, as far as reasons name them.

    Args:
        knowledge: About them.
    """

    def __init__(self, knowledge: ItemMetadata) -> None:
        self.domain = knowledge.domain
        self.names = knowledge.titles
        self.attributes = knowledge.catalogue.attributes
        self._traits = knowledge.item_features

    def attributes_of(self, item: int) -> NDArray[np.int32]:
        """Numbers of the attributes that an item has."""
        begin, end = self._traits.first_link[item : item + 2].tolist()
        return self._traits.attribute[begin:end]


@runtime_checkable
class SharedMemorySystem(Protocol):
    """A fitted system with a shared memory, which the guards look over."""

    graph: UserItemGraph


class MemRecScorer:
    """Evidence of a memory, fused by fitted weights, behind the interface of a baseline.

    Args:
        name: As it is reported.
        config: Which parts it has.
        knowledge: About the items.
    """

    def __init__(self, name: str, config: MemRecConfig, knowledge: ItemMetadata) -> None:
        self.name = name
        self.settings = _settings(config, knowledge)
        self._config = config
        self._knowledge = knowledge

    def fit(self, train: Interactions, seed: int, progress: Progress) -> None:
        """Count the shared memory, fit the weights without each person's last row."""
        kept, last = _without_last(train, seed)
        progress("fitting weights", 0, len(last))
        self._system = MemRec(self._collaborative_memory(kept), self._config)
        histories = [kept.item[kept.rows_of(person)] for person in train.user[last].tolist()]
        weights = self._system.fit(histories, train.item[last], train.user[last], seed)
        self.weights: FusionWeights = weights
        self.settings |= {f"weight of {kind}": one for kind, one in weights.weights.items()}
        progress("counting who likes what", 0, 0)
        self._memory = self._collaborative_memory(train)
        self.graph = self._memory.graph
        self._system = MemRec(self._memory, self._config, weights)

    def score(self, requests: ScoreRequests) -> NDArray[np.float32]:
        """The fused evidence, (b, items)."""
        return _scores(self._system, requests)

    def explain(self, requests: ScoreRequests, row: int, item: int) -> Reasons:
        """Why an item stands first for a history: counted, and by whom it may know of alone."""
        person, history = int(requests.user[row]), requests.histories[row]
        memory_context = self._system.retrieve_memory(*deduplicated_history(history), person)
        return template_reasons(
            [evidence_for(item, history, memory_context, self._memory, self._knowledge)]
        )

    def _collaborative_memory(self, train: Interactions) -> CollaborativeMemory:
        return build_collaborative_memory(train, self._knowledge, write=self._config.write)


class VectorMemorySystem:
    """Memories compared as vectors, behind the interface of a baseline.

    Args:
        name: As it is reported.
        config: How they are compared.
        knowledge: About the items.
    """

    def __init__(self, name: str, config: MemRecVectorConfig, knowledge: ItemMetadata) -> None:
        self.name = name
        self.settings = _settings(config, knowledge)
        self._config = config
        self._knowledge = knowledge

    def fit(self, train: Interactions, seed: int, progress: Progress) -> None:
        """Count the shared memory; nothing is drawn."""
        progress("counting who likes what", 0, 0)
        self._memory = build_collaborative_memory(train, self._knowledge, write=self._config.write)
        self.graph = self._memory.graph
        self._system = VectorMemRec(self._memory, self._config)

    def score(self, requests: ScoreRequests) -> NDArray[np.float32]:
        """How near all memories lie to each person's, (b, items)."""
        return _scores(self._system, requests)

    def explain(self, requests: ScoreRequests, row: int, item: int) -> Reasons:
        """Why an item stands first for a history, counted from what was compared."""
        person, history = int(requests.user[row]), requests.histories[row]
        memory_context = self._system.retrieve_memory(*deduplicated_history(history), person)
        return template_reasons(
            [evidence_for(item, history, memory_context, self._memory, self._knowledge)]
        )


def memory_config(
    name: str, settings: Mapping[str, SettingValue]
) -> MemRecConfig | MemRecVectorConfig:
    """A composition by name, with some of its settings replaced.

    Raises:
        UsageError: there is no such composition or setting.
    """
    if name not in MEMORIES:
        raise UsageError(
            f'There is no system "{name}" with a memory.', f"There are: {', '.join(MEMORIES)}."
        )
    return with_settings(name, MEMORIES[name], settings)


def make_memory(
    name: str, settings: Mapping[str, SettingValue], knowledge: ItemMetadata
) -> Recommender:
    """A composition that is still to be fitted.

    Raises:
        UsageError: there is no such composition or setting.
    """
    config = memory_config(name, settings)
    if isinstance(config, MemRecVectorConfig):
        return VectorMemorySystem(name, config, knowledge)
    return MemRecScorer(name, config, knowledge)


def with_settings(
    name: str, config: Config, settings: Mapping[str, SettingValue], besides: Sequence[str] = ()
) -> Config:
    """A system's configuration with some of its fields replaced.

    Args:
        name: The system's, for the error.
        config: What it begins with.
        settings: Field -> value.
        besides: Settings that it has and that are no fields.

    Raises:
        UsageError: no such field, or a value that does not fit.
    """
    changed = {one: value for one, value in settings.items() if one not in besides}
    try:
        return msgspec.convert({**msgspec.structs.asdict(config), **changed}, type(config))
    except msgspec.ValidationError as error:
        known = ", ".join((*besides, *config.__struct_fields__))
        raise UsageError(
            f"The settings of {name} do not fit: {error}.", f"It has these: {known}."
        ) from error


def build_collaborative_memory(
    train: Interactions, knowledge: ItemMetadata, *, write: bool
) -> CollaborativeMemory:
    """The shared memory that training rows make; not kept up to date, it is of their first half."""
    known = train if write else _first_half(train)
    graph = UserItemGraph(InteractionMatrix.from_log(known), knowledge.item_features)
    return CollaborativeMemory(
        graph=graph,
        companions=count_cooccurrence(known.user, known.item, known.items),
        usual=domain_shares(knowledge.item_features, graph.matrix.likes),
        phrases=knowledge.phrases,
        rules=knowledge.rules,
    )


def evidence_for(
    item: int,
    history: NDArray[np.int32],
    memory_context: MemoryContext | None,
    collaborative_memory: CollaborativeMemory,
    knowledge: ItemMetadata,
) -> list[Fact]:
    """What speaks for an item, counted from training rows; [] for nothing.

    Args:
        item: Its number among the evaluated ones.
        history: Oldest first; all of it counts as liked.
        memory_context: What the neighbourhood says; None: nobody else may be looked at.
        collaborative_memory: The shared memory.
        knowledge: About the items.
    """
    items, _ = deduplicated_history(history)
    reason_builder = ReasonBuilder(
        "",
        UserProfile.from_history(items, len(knowledge.titles)),
        EvaluatedItemCatalog(knowledge),
        collaborative_memory.graph.matrix,
        None if memory_context is None else MemoryEvidence(collaborative_memory, memory_context),
    )
    alone = memory_context is None
    return reason_builder.from_attributes(item) if alone else reason_builder.from_memory(item)


def item_features_at(
    catalogue: Catalogue, nodes: NDArray[np.int64], vectors: ItemVectors | None
) -> ItemFeatures:
    """The attributes and vectors of the evaluated items, in their order."""
    places = np.searchsorted(catalogue.node_ids, nodes)
    links = [np.unique(catalogue.attributes_of(int(place))) for place in places]
    counts = [len(link) for link in links]
    return ItemFeatures(
        item=np.repeat(np.arange(len(nodes), dtype=np.int32), counts),
        attribute=np.concatenate([np.zeros(0, dtype=np.int32), *links]).astype(np.int32),
        items=len(nodes),
        attributes=len(catalogue.attributes),
        vectors=vectors,
    )


def deduplicated_history(
    history: NDArray[np.int32],
) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """Each item of a history at its newest place, and equal weights."""
    _, newest = np.unique(history[::-1], return_index=True)
    places = np.sort(len(history) - 1 - newest)
    return history[places], np.ones(len(places), dtype=np.float32)


def _settings(config: msgspec.Struct, knowledge: ItemMetadata) -> dict[str, SettingValue]:
    return {**msgspec.structs.asdict(config), "rule_set": knowledge.rules.name}


def _scores(system: MemRec | VectorMemRec, requests: ScoreRequests) -> NDArray[np.float32]:
    """A line for each request, whose items count alike, (b, items)."""
    lines = [
        system.scores(*deduplicated_history(history), person)
        for history, person in zip(requests.histories, requests.user.tolist(), strict=True)
    ]
    return np.stack(lines)


def _without_last(train: Interactions, seed: int) -> tuple[Interactions, NDArray[np.int64]]:
    """The rows without the last of some people, drawn by the seed; and the places of these."""
    able = np.flatnonzero(np.diff(train.first_row) >= _FEWEST_ROWS)
    drawn = np.sort(np.random.default_rng(seed).permutation(able)[:_MOST_FITTED])
    last = train.first_row[drawn + 1] - 1
    stays = np.ones(len(train), dtype=bool)
    stays[last] = False
    return train.select(stays), last


def _first_half(train: Interactions) -> Interactions:
    """The first half of each person's rows: what was known before half of the clicks came."""
    place = np.arange(len(train)) - train.first_row[train.user]
    early = 2 * place < np.diff(train.first_row)[train.user]
    return train.select(early)
