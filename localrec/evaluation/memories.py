"""MemRec as a system under test: a shared memory made of the training rows and nothing else.

Here are the compositions that ask no model; those that do are in `prompted.py`.

Every training row counts as a liking, as for the baselines, since every held-out row is to be
found. Weights are fitted by holding back each person's last training row: the memory they are
fitted with is made of the rest, the one that is tested of all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol, TypeVar, runtime_checkable

import msgspec
import numpy as np
from numpy.typing import NDArray

from localrec.baselines.base import Baseline, Interactions, Requests, Setting
from localrec.baselines.nearness import ItemVectors
from localrec.domains import Domain
from localrec.errors import UsageError
from localrec.explanation.evidence import Fact
from localrec.explanation.personal import Because, Company
from localrec.explanation.reasons import Reasons, counted_reasons
from localrec.graph.catalogue import Catalogue
from localrec.index.audience import Audience
from localrec.index.companions import count_companions
from localrec.memory.neighbourhood import TasteGraph, taste_graph_of
from localrec.memory.profiles import ItemTraits
from localrec.memory.rules import RuleSet
from localrec.memory.synthesis import domain_shares
from localrec.progress import Progress
from localrec.reasoning.fusion import FusionWeights
from localrec.retrieval.collaboration import Collective, Remembered
from localrec.retrieval.taste import Taste
from localrec.systems.memrec import (
    MEMREC,
    MEMREC_VECTOR,
    MemRec,
    MemRecConfig,
    VectorConfig,
    VectorMemRec,
)

Config = TypeVar("Config", bound=msgspec.Struct)

MEMORIES: dict[str, MemRecConfig | VectorConfig] = {**MEMREC, **MEMREC_VECTOR}

_FEWEST_ROWS = 3  # of a person who gives one up to fit weights on
_MOST_FITTED = 2_000  # people
_DAY_S = 86_400


class Knowledge(msgspec.Struct, frozen=True):
    """What is known of the evaluated items before anybody liked one.

    Args:
        domain: What they belong to.
        titles: Of each item, (items,).
        traits: Their attributes and vectors.
        attributes: Name of each attribute, (attributes,).
        phrases: How each attribute is said of several items, (attributes,).
        barred: Attributes that are nobody's taste, (attributes,).
        rules: The domain's.
        catalogue: The domain's snapshot, which numbers the attributes.
    """

    domain: Domain
    titles: Sequence[str]
    traits: ItemTraits
    attributes: Sequence[str]
    phrases: Sequence[str]
    barred: NDArray[np.bool_]
    rules: RuleSet
    catalogue: Catalogue


class EvaluatedThings:
    """The evaluated items, as far as reasons name them.

    Args:
        knowledge: About them.
    """

    def __init__(self, knowledge: Knowledge) -> None:
        self.domain = knowledge.domain
        self.names = knowledge.titles
        self.attributes = knowledge.catalogue.attributes
        self._traits = knowledge.traits

    def attributes_of(self, item: int) -> NDArray[np.int32]:
        """Numbers of the attributes that an item has."""
        begin, end = self._traits.first_link[item : item + 2].tolist()
        return self._traits.attribute[begin:end]


@runtime_checkable
class Sharing(Protocol):
    """A fitted system with a shared memory, which the guards look over."""

    graph: TasteGraph


class Remembering:
    """Evidence of a memory, fused by fitted weights, behind the interface of a baseline.

    Args:
        name: As it is reported.
        config: Which parts it has.
        knowledge: About the items.
    """

    def __init__(self, name: str, config: MemRecConfig, knowledge: Knowledge) -> None:
        self.name = name
        self.settings = _settings(config, knowledge)
        self._config = config
        self._knowledge = knowledge

    def fit(self, train: Interactions, seed: int, progress: Progress) -> None:
        """Count the shared memory, fit the weights without each person's last row."""
        kept, last = _without_last(train, seed)
        progress("fitting weights", 0, len(last))
        self._system = MemRec(self._collective(kept), self._config)
        histories = [kept.item[kept.rows_of(person)] for person in train.person[last].tolist()]
        weights = self._system.fit(histories, train.item[last], train.person[last], seed)
        self.weights: FusionWeights = weights
        self.settings |= {f"weight of {kind}": one for kind, one in weights.weights.items()}
        progress("counting who likes what", 0, 0)
        self._memory = self._collective(train)
        self.graph = self._memory.graph
        self._system = MemRec(self._memory, self._config, weights)

    def score(self, requests: Requests) -> NDArray[np.float32]:
        """The fused evidence, (b, items)."""
        return _scores(self._system, requests)

    def reasons(self, person: int, history: NDArray[np.int32], item: int) -> Reasons:
        """Why an item stands first for a history: counted, and by whom it may know of alone."""
        remembered = self._system.remember(*once(history), person)
        return counted_reasons(
            [facts_about(item, history, remembered, self._memory, self._knowledge)]
        )

    def _collective(self, train: Interactions) -> Collective:
        return count_collective(train, self._knowledge, write=self._config.write)


class Comparing:
    """Memories compared as vectors, behind the interface of a baseline.

    Args:
        name: As it is reported.
        config: How they are compared.
        knowledge: About the items.
    """

    def __init__(self, name: str, config: VectorConfig, knowledge: Knowledge) -> None:
        self.name = name
        self.settings = _settings(config, knowledge)
        self._config = config
        self._knowledge = knowledge

    def fit(self, train: Interactions, seed: int, progress: Progress) -> None:
        """Count the shared memory; nothing is drawn."""
        progress("counting who likes what", 0, 0)
        self._memory = count_collective(train, self._knowledge, write=self._config.write)
        self.graph = self._memory.graph
        self._system = VectorMemRec(self._memory, self._config)

    def score(self, requests: Requests) -> NDArray[np.float32]:
        """How near all memories lie to each person's, (b, items)."""
        return _scores(self._system, requests)

    def reasons(self, person: int, history: NDArray[np.int32], item: int) -> Reasons:
        """Why an item stands first for a history, counted from what was compared."""
        remembered = self._system.remember(*once(history), person)
        return counted_reasons(
            [facts_about(item, history, remembered, self._memory, self._knowledge)]
        )


def memory_config(name: str, settings: Mapping[str, Setting]) -> MemRecConfig | VectorConfig:
    """A composition by name, with some of its settings replaced.

    Raises:
        UsageError: there is no such composition or setting.
    """
    if name not in MEMORIES:
        raise UsageError(
            f'There is no system "{name}" with a memory.', f"There are: {', '.join(MEMORIES)}."
        )
    return with_settings(name, MEMORIES[name], settings)


def make_memory(name: str, settings: Mapping[str, Setting], knowledge: Knowledge) -> Baseline:
    """A composition that is still to be fitted.

    Raises:
        UsageError: there is no such composition or setting.
    """
    config = memory_config(name, settings)
    if isinstance(config, VectorConfig):
        return Comparing(name, config, knowledge)
    return Remembering(name, config, knowledge)


def with_settings(
    name: str, config: Config, settings: Mapping[str, Setting], besides: Sequence[str] = ()
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


def count_collective(train: Interactions, knowledge: Knowledge, *, write: bool) -> Collective:
    """The shared memory that training rows make; not kept up to date, it is of their first half."""
    known = train if write else _first_half(train)
    day = known.at.astype("datetime64[s]").astype(np.float64) / _DAY_S
    day[np.isnat(known.at)] = np.nan
    graph = taste_graph_of(
        known.person, known.item, day.astype(np.float32), known.people, knowledge.traits
    )
    return Collective(
        graph=graph,
        companions=count_companions(known.person, known.item, known.items),
        usual=domain_shares(knowledge.traits, np.diff(graph.first_person)),
        phrases=knowledge.phrases,
        rules=knowledge.rules,
    )


def facts_about(
    item: int,
    history: NDArray[np.int32],
    remembered: Remembered | None,
    collective: Collective,
    knowledge: Knowledge,
) -> list[Fact]:
    """What speaks for an item, counted from training rows; [] for nothing.

    Args:
        item: Its number among the evaluated ones.
        history: Oldest first; all of it counts as liked.
        remembered: What the neighbourhood says; None: nobody else may be looked at.
        collective: The shared memory.
        knowledge: About the items.
    """
    items, weights = once(history)
    graph = collective.graph
    nothing = np.zeros(len(knowledge.titles), dtype=bool)
    because = Because(
        "",
        Taste(items, weights, np.full(len(items), np.nan, dtype=np.float32), nothing, nothing),
        EvaluatedThings(knowledge),
        Audience(graph.items, graph.first_item, graph.people, graph.first_person),
        None if remembered is None else Company(collective, remembered),
    )
    alone = remembered is None
    return because.from_attributes(item) if alone else because.from_memory(item)


def traits_at(
    catalogue: Catalogue, nodes: NDArray[np.int64], vectors: ItemVectors | None
) -> ItemTraits:
    """The attributes and vectors of the evaluated items, in their order."""
    places = np.searchsorted(catalogue.node_ids, nodes)
    links = [np.unique(catalogue.attributes_of(int(place))) for place in places]
    counts = [len(link) for link in links]
    return ItemTraits(
        item=np.repeat(np.arange(len(nodes), dtype=np.int32), counts),
        attribute=np.concatenate([np.zeros(0, dtype=np.int32), *links]).astype(np.int32),
        items=len(nodes),
        attributes=len(catalogue.attributes),
        vectors=vectors,
    )


def once(history: NDArray[np.int32]) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """Each item of a history at its newest place, and equal weights."""
    _, newest = np.unique(history[::-1], return_index=True)
    places = np.sort(len(history) - 1 - newest)
    return history[places], np.ones(len(places), dtype=np.float32)


def _settings(config: msgspec.Struct, knowledge: Knowledge) -> dict[str, Setting]:
    return {**msgspec.structs.asdict(config), "rule_set": knowledge.rules.name}


def _scores(system: MemRec | VectorMemRec, requests: Requests) -> NDArray[np.float32]:
    """A line for each request, whose items count alike, (b, items)."""
    lines = [
        system.scores(*once(history), person)
        for history, person in zip(requests.histories, requests.person.tolist(), strict=True)
    ]
    return np.stack(lines)


def _without_last(train: Interactions, seed: int) -> tuple[Interactions, NDArray[np.int64]]:
    """The rows without the last of some people, drawn by the seed; and the places of these."""
    able = np.flatnonzero(np.diff(train.first_row) >= _FEWEST_ROWS)
    drawn = np.sort(np.random.default_rng(seed).permutation(able)[:_MOST_FITTED])
    last = train.first_row[drawn + 1] - 1
    stays = np.ones(len(train), dtype=bool)
    stays[last] = False
    return _only(train, lambda rows: rows[stays]), last


def _first_half(train: Interactions) -> Interactions:
    """The first half of each person's rows: what was known before half of the clicks came."""
    place = np.arange(len(train)) - train.first_row[train.person]
    early = 2 * place < np.diff(train.first_row)[train.person]
    return _only(train, lambda rows: rows[early])


def _only(train: Interactions, of: Callable[[NDArray], NDArray]) -> Interactions:
    return Interactions(
        person=of(train.person),
        item=of(train.item),
        stars=of(train.stars),
        at=of(train.at),
        people=train.people,
        items=train.items,
    )
