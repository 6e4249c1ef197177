"""MemRec as a system under test: a shared memory made of the training rows and nothing else.

Every training row counts as a liking, as for the baselines, since every held-out row is to be
found. Weights are fitted by holding back each person's last training row: the memory they are
fitted with is made of the rest, the one that is tested of all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import msgspec
import numpy as np
from numpy.typing import NDArray

from localrec.baselines.base import Interactions, Progress, Requests, Setting
from localrec.baselines.nearness import ItemVectors
from localrec.errors import UsageError
from localrec.graph.catalogue import Catalogue
from localrec.index.companions import count_companions
from localrec.memory.neighbourhood import taste_graph_of
from localrec.memory.profiles import ItemTraits
from localrec.memory.rules import RuleSet
from localrec.memory.synthesis import domain_shares
from localrec.reasoning.fusion import FusionWeights
from localrec.retrieval.collaboration import Collective
from localrec.systems.memrec import MEMREC, MemRec, MemRecConfig

_FEWEST_ROWS = 3  # of a person who gives one up to fit weights on
_MOST_FITTED = 2_000  # people
_DAY_S = 86_400


class Remembering:
    """A composition of MemRec behind the interface of a baseline.

    Args:
        name: As it is reported.
        config: Which parts it has.
        traits: Attributes and vectors of the evaluated items.
        phrases: How each attribute is said of several items.
        rules: The domain's.
    """

    def __init__(
        self,
        name: str,
        config: MemRecConfig,
        traits: ItemTraits,
        phrases: list[str],
        rules: RuleSet,
    ) -> None:
        self.name = name
        self.settings: dict[str, Setting] = {
            **msgspec.structs.asdict(config),
            "rule_set": rules.name,
        }
        self._config = config
        self._traits = traits
        self._phrases = phrases
        self._rules = rules

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
        self._system = MemRec(self._collective(train), self._config, weights)

    def score(self, requests: Requests) -> NDArray[np.float32]:
        """The fused evidence, (b, items)."""
        scores = np.empty((len(requests), self._traits.items), dtype=np.float32)
        for row, history in enumerate(requests.histories):
            items, weights = once(history)
            scores[row] = self._system.scores(items, weights, int(requests.person[row]))
        return scores

    def _collective(self, train: Interactions) -> Collective:
        known = train if self._config.write else _first_half(train)
        day = known.at.astype("datetime64[s]").astype(np.float64) / _DAY_S
        day[np.isnat(known.at)] = np.nan
        graph = taste_graph_of(
            known.person, known.item, day.astype(np.float32), known.people, self._traits
        )
        return Collective(
            graph=graph,
            companions=count_companions(known.person, known.item, known.items),
            usual=domain_shares(self._traits, np.diff(graph.first_person)),
            phrases=self._phrases,
            rules=self._rules,
        )


def memrec_config(name: str, settings: Mapping[str, Setting]) -> MemRecConfig:
    """A composition by name, with some of its settings replaced.

    Raises:
        UsageError: there is no such composition or setting.
    """
    if name not in MEMREC:
        raise UsageError(
            f'There is no system "{name}" with a memory.', f"There are: {', '.join(MEMREC)}."
        )
    fields = {**msgspec.structs.asdict(MEMREC[name]), **settings}
    try:
        return msgspec.convert(fields, MemRecConfig)
    except msgspec.ValidationError as error:
        known = ", ".join(MemRecConfig.__struct_fields__)
        raise UsageError(
            f"The settings of {name} do not fit: {error}.", f"It has these: {known}."
        ) from error


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
