"""Tools that report other users' histories, without a name and never a whole history."""

from __future__ import annotations

import numpy as np

from localrec.agent.features import (
    cooccurrence,
    memory_context,
    sequence_state,
    standardized_among_items,
)
from localrec.agent.observation_text import (
    best_candidates,
    candidate_numbers,
    fit_lines,
    title_text,
    unquoted,
)
from localrec.agent.tool_context import ToolContext
from localrec.agent.tool_registry import Candidate, Observation, tool
from localrec.data.arrays import Indexes, Scores
from localrec.memory.collaborative_memory import neighbour_evidence, vote_evidence

_SIMILAR = 12  # items
_PEOPLE = 24
_TOLD = 2  # users of whom a line tells
_LATELY = 2  # items that it tells
_BY_SEQUENCE = "by the order in which people took things up"
_BY_COMPANY = "by what people take up shortly before or after it"


@tool
def get_similar_items(tool_context: ToolContext, candidate: Candidate) -> Observation:
    """Tell which items go with a candidate, and which of them they have had."""
    item = int(tool_context.candidates[candidate - 1])
    sequential = tool_context.reference.sequential
    if sequential is not None:
        found, how = sequential.similar_items(item, _SIMILAR), _BY_SEQUENCE
    else:
        found, how = (
            tool_context.reference.collaborative_memory.cooccurrence.of(item)[0][:_SIMILAR],
            _BY_COMPANY,
        )
    titles = tool_context.reference.titles
    if not len(found):
        return Observation(
            [f"Nothing is known to go with [{candidate}] {title_text(titles[item])}"]
        )
    is_seen = np.isin(found, tool_context.history)
    named = [title_text(titles[one]) for one in found[is_seen].tolist()]
    rest = [title_text(titles[one]) for one in found[~is_seen].tolist()]
    beside = np.flatnonzero(np.isin(tool_context.candidates, found)).tolist()
    return Observation(
        [
            f"{len(found)} items go most with [{candidate}] {title_text(titles[item])}, {how}",
            fit_lines(f"{len(named)} of them they have had:", named)
            if named
            else "None of them is in their history.",
            *([fit_lines("The others:", rest)] if rest else []),
            *([f"Among the candidates: {candidate_numbers(beside)}"] if beside else []),
        ]
    )


@tool
def get_similar_users(tool_context: ToolContext) -> Observation:
    """Tell which candidates people with a similar history took, and what else they took lately."""
    direction, sequential = sequence_state(tool_context), tool_context.reference.sequential
    if sequential is not None and direction is not None:
        users = sequential.similar_users(direction, _PEOPLE, tool_context.user)
        how = "their histories point the same way"
        scores = standardized_among_items(tool_context, _taken(tool_context, users, damped=True))
    else:
        chosen = memory_context(tool_context).curated
        users = chosen.neighbours.index[chosen.neighbours.is_user]
        how = "they like the same things"
        scores = standardized_among_items(
            tool_context, vote_evidence(chosen, tool_context.reference.collaborative_memory.graph)
        )
    if not len(users):
        return Observation(["Nobody with a similar history is known."])
    counts = _taken(tool_context, users, damped=False)[tool_context.candidates]
    order = np.argsort(-counts, kind="stable").tolist()
    taken = [
        f"{candidate_numbers([place])} by {counts[place]:.0f}" for place in order if counts[place]
    ]
    return Observation(
        [
            f"{len(users)} people are similar: {how}.",
            fit_lines("Of the candidates they took", taken)
            if taken
            else "They took none of the candidates.",
            *(_lately(tool_context, user) for user in users[:_TOLD].tolist()),
        ],
        scores,
    )


@tool
def likely_next(tool_context: ToolContext) -> Observation:
    """Order the candidates by where the sequence of their history leads."""
    direction, sequential = sequence_state(tool_context), tool_context.reference.sequential
    if sequential is None or direction is None:
        # Their scores are another tool's evidence and shall not count twice.
        lead = "No sequential model can tell; by what goes with their newest items"
        return Observation(
            best_candidates(lead, cooccurrence(tool_context))
            or ["Nothing is known of what leads where."]
        )
    scores = standardized_among_items(tool_context, np.vecdot(sequential.items, direction))
    return Observation(best_candidates("By a sequential model the likeliest next", scores), scores)


@tool
def shared_taste(tool_context: ToolContext) -> Observation:
    """Tell what people with a like taste share, how sure that is, and the candidates nearest to it.

    The scores are how near each candidate lies as a neighbour in the shared memory.
    """
    memory = memory_context(tool_context)
    near = neighbour_evidence(memory.neighbours, tool_context.reference.item_features.items)
    scores = standardized_among_items(tool_context, near)
    facets = [
        f"{unquoted(facet.text, 120)}, confidence {facet.confidence:.2f}"
        for facet in memory.synthesis.facets
    ]
    best = best_candidates("Nearest to what they share", scores)
    return Observation([*best, *(facets or ["Nothing that they share stands out."])], scores)


def _taken(tool_context: ToolContext, users: Indexes, *, damped: bool) -> Scores:
    """Count the given users of each item, (n,); `damped` gives users of many items less weight."""
    graph = tool_context.reference.collaborative_memory.graph
    taken = [graph.matrix.items_of(user) for user in users.tolist()]
    lengths = np.array([len(items) for items in taken])
    each = 1 / np.sqrt(np.maximum(lengths, 1)) if damped else np.ones(len(taken))
    return np.bincount(
        np.concatenate([tool_context.history[:0], *taken]),
        weights=np.repeat(each, lengths) if len(taken) else None,
        minlength=tool_context.reference.item_features.items,
    ).astype(np.float32)


def _lately(tool_context: ToolContext, user: int) -> str:
    items = tool_context.reference.collaborative_memory.graph.matrix.newest_items(
        user, _LATELY
    ).tolist()
    told = [title_text(tool_context.reference.titles[item]) for item in items]
    return fit_lines("One of them lately took", told or ["nothing"])
