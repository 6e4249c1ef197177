"""What the memory graph says for one history: evidence that can be fused, vectors, words.

Evidence comes in kinds:

    popularity   how many like it
    companions   how it goes with the newest of the history (`index/companions.py`)
    neighbours   how near it lies as an item neighbour (`memory/neighbourhood.py`)
    votes        whether the curated people like it, each with their score
    facets       whether it has what the facets name, each with its confidence
    attributes   how its attributes match those of the history
    texts        how its text lies to the texts of the history

The last two need nobody else: they are all that an isolated memory has. Each is an array over all
items, in its own units; `reasoning/fusion.py` brings them together.

Memories as vectors (`memory_vectors`) are compared and not fused; memories in words (`Portraits`)
are for a model to read. Both are made of the graph alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from localrec.graph.catalogue import Indexes
from localrec.index.companions import Companions
from localrec.memory.curation import FLOOR, Curated, curate
from localrec.memory.neighbourhood import Neighbours, TasteGraph
from localrec.memory.packing import TITLES
from localrec.memory.profiles import Floats
from localrec.memory.rules import RuleSet
from localrec.memory.synthesis import NeighbourFacet, Shares, Supporter, Synthesis, count_facets
from localrec.memory.tastes import count_tastes
from localrec.memory.wording import listed, own_sentence, shared_sentence, told
from localrec.retrieval.base import Scores

Kind = Literal["popularity", "companions", "neighbours", "votes", "facets", "attributes", "texts"]

_SHARE_OF_DISLIKED = 0.5  # of an item's company: disliked things were taken up too

OWN: tuple[Kind, ...] = ("attributes", "texts")
COLLABORATIVE: tuple[Kind, ...] = ("companions", "neighbours", "votes", "facets")

_AUDIENCE = 50  # people that an item's memory in words is counted from


class Collective(msgspec.Struct, frozen=True):
    """All that is shared by the people of a domain.

    Args:
        graph: Who likes what.
        companions: What goes together.
        usual: Share of all likings that go to items with each attribute, (attributes,).
        phrases: How each attribute is said of several items, (attributes,).
        rules: How neighbours are scored; None: by their edges alone.
    """

    graph: TasteGraph
    companions: Companions
    usual: Shares
    phrases: Sequence[str]
    rules: RuleSet | None

    @property
    def likes(self) -> NDArray[np.int64]:
        """How many people like each item, (n,)."""
        return np.diff(self.graph.first_person)


class Remembered(msgspec.Struct, frozen=True):
    """The collaborative memory of one history, without a model.

    Args:
        neighbours: All that were found.
        curated: The few that count.
        synthesis: What those have in common.
    """

    neighbours: Neighbours
    curated: Curated
    synthesis: Synthesis


def remember(
    collective: Collective,
    items: Indexes,
    weights: Scores,
    *,
    person: int = -1,
    k: int = 16,
    facets: int = 7,
) -> Remembered:
    """Find, curate and summarise the neighbours of a history (Stage-R without a model).

    Args:
        collective: The domain's.
        items: The history, oldest first, each once, (h,).
        weights: How much each is liked, (h,).
        person: Whose history it is in the graph; -1 for a stranger.
        k: Neighbours that are kept.
        facets: Facets at most.
    """
    graph = collective.graph
    neighbours = graph.neighbours_of(items, weights, person)
    floor = min(FLOOR, k // 2)
    curated = curate(neighbours, collective.rules, k, floor, floor)
    supporters = supporters_of(curated, graph)
    synthesis = count_facets(supporters, graph.traits, collective.usual, collective.phrases, facets)
    return Remembered(neighbours, curated, synthesis)


def supporters_of(curated: Curated, graph: TasteGraph) -> list[Supporter]:
    """The curated neighbours by the items that stand for them, in order."""
    chosen = curated.neighbours
    told = zip(
        chosen.is_person.tolist(), chosen.index.tolist(), curated.scores.tolist(), strict=True
    )
    return [
        Supporter(graph.items_of(index) if is_person else np.array([index], dtype=np.int32), score)
        for is_person, index, score in told
    ]


def evidence(
    collective: Collective, items: Indexes, weights: Scores, remembered: Remembered | None
) -> dict[Kind, Scores]:
    """Every kind of evidence for all items; without a memory only what needs none, (n,) each.

    Args:
        collective: The domain's.
        items: The history, oldest first, each once, (h,).
        weights: How much each is liked; attributes and texts of what has less than 0 repel, (h,).
        remembered: What the neighbourhood says; None where it was not looked at.
    """
    traits = collective.graph.traits
    found: dict[Kind, Scores] = {
        "popularity": np.log1p(collective.likes).astype(np.float32),
        "attributes": attribute_match(items, weights, collective.graph),
        "texts": traits.cosines(
            np.arange(traits.items, dtype=np.int32), traits.mean_direction(items, weights)
        ),
    }
    if remembered is not None:
        found["companions"] = company(collective.companions, items, weights)
        found["neighbours"] = closeness(remembered.neighbours, traits.items)
        found["votes"] = votes(remembered.curated, collective.graph)
        found["facets"] = facet_match(remembered.synthesis.facets, collective.graph)
    return found


def company(companions: Companions, items: Indexes, weights: Scores) -> Scores:
    """How strongly each item goes with the newest of a history, the disliked counting half, (n,).

    The root tames the few pairs that were nearly always met together.
    """
    shares = np.where(weights < 0, _SHARE_OF_DISLIKED, 1.0).astype(np.float32)
    return np.sqrt(companions.scores(items, shares))


def closeness(neighbours: Neighbours, size: int) -> Scores:
    """Logarithm of each item neighbour's edge weight, -inf for what is none, (n,)."""
    near = np.full(size, -np.inf, dtype=np.float32)
    things = ~neighbours.is_person
    near[neighbours.index[things]] = np.log(np.maximum(neighbours.edge_weight[things], 1e-6))
    return near


def votes(curated: Curated, graph: TasteGraph) -> Scores:
    """Sum of the scores of the curated people who like each item, over the root of how many
    items they like: whoever likes everything says little, (n,).
    """
    tally = np.zeros(graph.traits.items, dtype=np.float32)
    people = curated.neighbours.is_person
    told = zip(curated.neighbours.index[people].tolist(), curated.scores[people], strict=True)
    for person, score in told:
        theirs = graph.items_of(person)
        tally[theirs] += score / np.sqrt(np.float32(len(theirs)))
    return tally


def facet_match(facets: Sequence[NeighbourFacet], graph: TasteGraph) -> Scores:
    """Sum of the confidences of the facets that each item has, over the root of its attributes."""
    traits = graph.traits
    worth = np.zeros(traits.attributes, dtype=np.float32)
    for facet in facets:
        if facet.attribute is not None:
            worth[facet.attribute] = facet.confidence
    many = np.diff(traits.first_link).clip(min=1)
    return (traits.over_items(worth) / np.sqrt(many)).astype(np.float32)


def attribute_match(items: Indexes, weights: Scores, graph: TasteGraph) -> Scores:
    """Weighted attributes of each item times those of the history, over the item's length."""
    traits = graph.traits
    spread = np.zeros(traits.items, dtype=np.float32)
    spread[items] = weights
    products = traits.over_items(traits.over_attributes(spread) * traits.rarity**2)
    return (products / np.maximum(traits.lengths, 1e-6)).astype(np.float32)


def memory_vectors(graph: TasteGraph, moved: float) -> Floats:
    """Each item's memory as a vector of length 1, or 0 where nothing is known, (n, size).

    It is the direction of its text, moved towards the mean of what the people who like it like.

    Args:
        graph: Who likes what.
        moved: How far, from 0 (its text alone) to 1 (its people alone).
    """
    traits = graph.traits
    if traits.vectors is None:
        return np.zeros((traits.items, 0), dtype=np.float32)
    texts = np.where(traits.embedded[:, None], traits.vectors - traits.centre, 0.0)
    people = np.zeros(texts.shape, dtype=np.float32)
    for item in np.flatnonzero(np.diff(graph.first_person)).tolist():
        fans = graph.people[int(graph.first_person[item]) : int(graph.first_person[item + 1])]
        people[item] = graph.profiles.directions[fans].sum(axis=0, dtype=np.float32)
    return directions(
        (1.0 - moved) * directions(texts.astype(np.float32)) + moved * directions(people)
    )


def facet_vectors(remembered: Remembered, graph: TasteGraph, memories: Floats) -> Floats:
    """Mean memory of the items that each facet's supporters stand for, (facets, size).

    (The words of a facet were compared as vectors too: on second-last ratings of MovieLens 100K
    they put the item first among 20 less often than no facets at all.)

    Args:
        remembered: Of one history.
        graph: Who likes what.
        memories: From `memory_vectors`.
    """
    supporters = supporters_of(remembered.curated, graph)
    means = [
        np.concatenate([memories[supporters[number - 1].items] for number in facet.supporters])
        for facet in remembered.synthesis.facets
    ]
    none = np.zeros((0, memories.shape[1]), dtype=np.float32)
    return directions(np.stack([mean.mean(axis=0) for mean in means]) if means else none)


def directions(vectors: Floats) -> Floats:
    """Vectors brought to length 1; zeros stay zeros, (m, size)."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)


class Portraits:
    """Memories in words, told from counts.

    Args:
        graph: Who likes what.
        attributes: Names of all attributes, (attributes,).
        titles: Names of all items, (n,).
        barred: Attributes that are nobody's taste, as a domain's staples, (attributes,).
    """

    def __init__(
        self,
        graph: TasteGraph,
        attributes: Sequence[str],
        titles: Sequence[str],
        barred: NDArray[np.bool_],
    ) -> None:
        self.graph, self.titles = graph, titles
        self._attributes, self._barred = attributes, barred
        self._audiences: dict[int, str] = {}

    def of_person(self, items: Indexes) -> str:
        """What a history has in common, and its newest titles; "" of an empty one.

        Args:
            items: Oldest first, each once, (h,).
        """
        newest = [self.titles[item] for item in items[::-1][:TITLES].tolist()]
        return told([own_sentence(self._tastes(items), newest)])

    def of_item(self, item: int, *, shared: bool = True) -> str:
        """What an item is like and, where that is `shared`, what its people like.

        What they like is counted once for an item, without itself.
        """
        traits = self.graph.traits
        links = traits.attribute[int(traits.first_link[item]) : int(traits.first_link[item + 1])]
        own = listed([self._attributes[one] for one in links.tolist() if not self._barred[one]])
        return told([own, self._audience(item) if shared else ""])

    def _audience(self, item: int) -> str:
        if item not in self._audiences:
            graph = self.graph
            fans = graph.people[int(graph.first_person[item]) : int(graph.first_person[item + 1])]
            # People are numbered in no order, so that the first of them are an even sample.
            liked = [graph.items_of(person) for person in fans[:_AUDIENCE].tolist()]
            items = np.concatenate([np.zeros(0, dtype=np.int32), *liked])
            self._audiences[item] = shared_sentence(self._tastes(items[items != item]))
        return self._audiences[item]

    def _tastes(self, items: Indexes) -> list[str]:
        one_subject = np.zeros(len(items), dtype=np.int64)
        tastes = count_tastes(one_subject, items, self.graph.traits, self._barred)
        return [self._attributes[taste.attribute] for taste in tastes.get(0, [])]
