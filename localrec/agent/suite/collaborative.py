"""What other people's histories say; nobody is named, and nobody's history is told whole."""

from __future__ import annotations

import numpy as np

from localrec.agent.desk import Desk
from localrec.agent.findings import companions, remembered, standing, state
from localrec.agent.registry import Candidate, Observation, tool
from localrec.agent.wording import bare, best_of, fitted, numbers, titled
from localrec.graph.catalogue import Indexes
from localrec.retrieval.base import Scores
from localrec.retrieval.collaboration import closeness, votes

_SIMILAR = 12  # items
_PEOPLE = 24
_TOLD = 2  # people of whom a line tells
_LATELY = 2  # items that it tells
_BY_SEQUENCE = "by the order in which people took things up"
_BY_COMPANY = "by what people take up shortly before or after it"


@tool
def get_similar_items(desk: Desk, candidate: Candidate) -> Observation:
    """Tell which items go with a candidate, and which of them they have had."""
    item = int(desk.candidates[candidate - 1])
    sequential = desk.reference.sequential
    if sequential is not None:
        found, how = sequential.similar_items(item, _SIMILAR), _BY_SEQUENCE
    else:
        found, how = desk.reference.collective.companions.of(item)[0][:_SIMILAR], _BY_COMPANY
    titles = desk.reference.titles
    if not len(found):
        return Observation([f"Nothing is known to go with [{candidate}] {titled(titles[item])}"])
    had = np.isin(found, desk.history)
    named = [titled(titles[one]) for one in found[had].tolist()]
    rest = [titled(titles[one]) for one in found[~had].tolist()]
    beside = np.flatnonzero(np.isin(desk.candidates, found)).tolist()
    return Observation(
        [
            f"{len(found)} items go most with [{candidate}] {titled(titles[item])}, {how}",
            fitted(f"{len(named)} of them they have had:", named)
            if named
            else "None of them is in their history.",
            *([fitted("The others:", rest)] if rest else []),
            *([f"Among the candidates: {numbers(beside)}"] if beside else []),
        ]
    )


@tool
def get_similar_users(desk: Desk) -> Observation:
    """Tell which candidates people with a similar history took, and what else they took lately."""
    direction, sequential = state(desk), desk.reference.sequential
    if sequential is not None and direction is not None:
        people = sequential.similar_people(direction, _PEOPLE, desk.person)
        how = "their histories point the same way"
        scores = standing(desk, _taken(desk, people, damped=True))
    else:
        chosen = remembered(desk).curated
        people = chosen.neighbours.index[chosen.neighbours.is_person]
        how = "they like the same things"
        scores = standing(desk, votes(chosen, desk.reference.collective.graph))
    if not len(people):
        return Observation(["Nobody with a similar history is known."])
    counts = _taken(desk, people, damped=False)[desk.candidates]
    order = np.argsort(-counts, kind="stable").tolist()
    taken = [f"{numbers([place])} by {counts[place]:.0f}" for place in order if counts[place]]
    return Observation(
        [
            f"{len(people)} people are similar: {how}.",
            fitted("Of the candidates they took", taken)
            if taken
            else "They took none of the candidates.",
            *(_lately(desk, person) for person in people[:_TOLD].tolist()),
        ],
        scores,
    )


@tool
def likely_next(desk: Desk) -> Observation:
    """Order the candidates by where the sequence of their history leads."""
    direction, sequential = state(desk), desk.reference.sequential
    if sequential is None or direction is None:
        # Their scores are another tool's evidence and shall not count twice.
        lead = "No sequential model can tell; by what goes with their newest items"
        return Observation(
            best_of(lead, companions(desk)) or ["Nothing is known of what leads where."]
        )
    scores = standing(desk, np.vecdot(sequential.items, direction))
    return Observation(best_of("By a sequential model the likeliest next", scores), scores)


@tool
def shared_taste(desk: Desk) -> Observation:
    """Tell what people with a like taste share, how sure that is, and the candidates nearest to it.

    The scores are how near each candidate lies as a neighbour in the shared memory.
    """
    memory = remembered(desk)
    near = closeness(memory.neighbours, desk.reference.traits.items)
    scores = standing(desk, near)
    facets = [
        f"{bare(facet.text, 120)}, confidence {facet.confidence:.2f}"
        for facet in memory.synthesis.facets
    ]
    best = best_of("Nearest to what they share", scores)
    return Observation([*best, *(facets or ["Nothing that they share stands out."])], scores)


def _taken(desk: Desk, people: Indexes, *, damped: bool) -> Scores:
    """How many of some people took each item, (n,); `damped`, who takes everything says little."""
    graph = desk.reference.collective.graph
    taken = [graph.items_of(person) for person in people.tolist()]
    lengths = np.array([len(items) for items in taken])
    each = 1 / np.sqrt(np.maximum(lengths, 1)) if damped else np.ones(len(taken))
    return np.bincount(
        np.concatenate([desk.history[:0], *taken]),
        weights=np.repeat(each, lengths) if len(taken) else None,
        minlength=desk.reference.traits.items,
    ).astype(np.float32)


def _lately(desk: Desk, person: int) -> str:
    items = desk.reference.collective.graph.lately_liked(person, _LATELY).tolist()
    told = [titled(desk.reference.titles[item]) for item in items]
    return fitted("One of them lately took", told or ["nothing"])
