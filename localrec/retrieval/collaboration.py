"""What the memory graph says of every item for one history: kinds of evidence that can be fused.

    popularity   how many like it
    companions   how it goes with the newest of the history (`index/companions.py`)
    neighbours   how near it lies as an item neighbour (`memory/neighbourhood.py`)
    votes        whether the curated people like it, each with their score
    facets       whether it has what the facets name, each with its confidence
    attributes   how its attributes match those of the history
    texts        how its text lies to the texts of the history

The last two need nobody else: they are all that an isolated memory has. Each is an array over all
items, in its own units; `reasoning/fusion.py` brings them together.
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
from localrec.memory.rules import RuleSet
from localrec.memory.synthesis import NeighbourFacet, Shares, Supporter, Synthesis, count_facets
from localrec.retrieval.base import Scores

Kind = Literal["popularity", "companions", "neighbours", "votes", "facets", "attributes", "texts"]

OWN: tuple[Kind, ...] = ("attributes", "texts")
COLLABORATIVE: tuple[Kind, ...] = ("companions", "neighbours", "votes", "facets")


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
    """Every kind of evidence for all items; without a memory only what needs none, (n,) each."""
    traits = collective.graph.traits
    found: dict[Kind, Scores] = {
        "popularity": np.log1p(collective.likes).astype(np.float32),
        "attributes": _by_attributes(items, weights, collective.graph),
        "texts": traits.cosines(
            np.arange(traits.items, dtype=np.int32), traits.mean_direction(items, weights)
        ),
    }
    if remembered is not None:
        # The root tames the few pairs that were nearly always met together.
        found["companions"] = np.sqrt(collective.companions.scores(items))
        found["neighbours"] = closeness(remembered.neighbours, traits.items)
        found["votes"] = votes(remembered.curated, collective.graph)
        found["facets"] = facet_match(remembered.synthesis.facets, collective.graph)
    return found


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


def _by_attributes(items: Indexes, weights: Scores, graph: TasteGraph) -> Scores:
    """Weighted attributes of each item times those of the history, over the item's length."""
    traits = graph.traits
    spread = np.zeros(traits.items, dtype=np.float32)
    spread[items] = weights
    products = traits.over_items(traits.over_attributes(spread) * traits.rarity**2)
    return (products / np.maximum(traits.lengths, 1e-6)).astype(np.float32)
