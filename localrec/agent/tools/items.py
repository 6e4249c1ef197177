"""Tools that describe items: one by its title, or all candidates together."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from localrec.agent.features import standardized_among_items
from localrec.agent.observation_text import (
    best_candidates,
    candidate_numbers,
    fit_lines,
    title_text,
    unquoted,
    wrapped,
)
from localrec.agent.prompts import quoted
from localrec.agent.title_search import find_title
from localrec.agent.tool_context import DomainKnowledge, ToolContext
from localrec.agent.tool_registry import Observation, Title, tool
from localrec.data.arrays import Indexes
from localrec.memory.collaborative_memory import attribute_evidence

By = Literal["category", "year", "popularity"]

_LONGEST_DESCRIPTION = 160
_SAME_TIME = 2  # years before or after
_ROLES = ("component", "category")  # of attributes that say what kind of thing an item is


@tool
def item_info_search(tool_context: ToolContext, title: Title) -> Observation:
    """Look an item up by its title: what it is, how many like it, what its description says."""
    found = find_title(tool_context, title)
    if found is None:
        return Observation(["Nothing here is called so."])
    reference, item = tool_context.reference, found.item
    year = int(reference.years[item])
    names = [unquoted(reference.attributes[one].name) for one in attributes_of(reference, item)]
    dated = f" ({year})" if year else ""
    lead = f"{title_text(reference.titles[item])}{dated}{_place(tool_context, item)}"
    lines = [] if found.is_exact else ["Nothing is called exactly so; this is the nearest title."]
    lines.append(fit_lines(f"{lead}:", names or ["no attributes are known"]))
    lines.append(_liked_by(int(reference.collaborative_memory.likes[item])))
    if description := reference.descriptions(item):
        lines.append(f"It is described as {quoted(description, _LONGEST_DESCRIPTION)}")
    if found.others:
        lines.append(f"So many others are called the same: {found.others}")
    return Observation(lines)


@tool
def candidates_analyze(tool_context: ToolContext, by: By) -> Observation:
    """Compare all candidates by what kind they are, by their years or by how many like them."""
    return _ANALYSES[by](tool_context)


def attributes_of(reference: DomainKnowledge, item: int) -> list[int]:
    """Return the attributes of an item."""
    item_features = reference.item_features
    links = slice(int(item_features.first_link[item]), int(item_features.first_link[item + 1]))
    return item_features.attribute[links].tolist()


def count_attributes(reference: DomainKnowledge, items: Indexes) -> dict[int, list[int]]:
    """Map each attribute of a descriptive kind to the places of the given items that have it."""
    kinds = reference.domain.attributes
    places: dict[int, list[int]] = {}
    for place, item in enumerate(items.tolist()):
        for one in attributes_of(reference, item):
            if kinds[reference.attributes[one].kind].role in _ROLES:
                places.setdefault(one, []).append(place)
    return places


def _by_category(tool_context: ToolContext) -> Observation:
    reference = tool_context.reference
    groups = count_attributes(reference, tool_context.candidates)
    seen = {
        one: len(places)
        for one, places in count_attributes(reference, tool_context.history).items()
    }
    liked = np.ones(len(tool_context.history), dtype=np.float32)
    matches = attribute_evidence(tool_context.history, liked, reference.collaborative_memory.graph)
    scores = standardized_among_items(tool_context, matches)
    lines = [
        fit_lines(
            f"{unquoted(reference.attributes[one].name)}, {seen.get(one, 0)} of their "
            f"{len(tool_context.history)}:",
            [candidate_numbers([place]) for place in groups[one]],
        )
        for one in sorted(groups, key=lambda one: (-seen.get(one, 0), -len(groups[one]), one))
    ]
    best = best_candidates("By all attributes most like their history", scores)
    return Observation([*best, *lines], scores)


def _by_year(tool_context: ToolContext) -> Observation:
    years = tool_context.reference.years
    told = years[tool_context.candidates]
    dated = [place for place in np.argsort(told, kind="stable").tolist() if told[place]]
    lines = wrapped(
        "By year:",
        [f"{told[place]} {candidate_numbers([place])}" for place in dated]
        or ["none of them is known"],
    )
    mine = years[tool_context.history]
    mine = mine[mine > 0]
    if not len(mine):
        return Observation(["The years of their history are unknown.", *lines])
    usual = np.percentile(mine, [25, 75]).astype(int).tolist()
    scores = standardized_among_items(tool_context, _contemporaries(years, mine))
    return Observation(
        [
            f"Half of their history is from {usual[0]} to {usual[1]}.",
            *best_candidates("From the years they know best", scores),
            *lines,
        ],
        scores,
    )


def _by_popularity(tool_context: ToolContext) -> Observation:
    likes = tool_context.reference.collaborative_memory.likes
    order = np.argsort(-likes[tool_context.candidates], kind="stable").tolist()
    told = [
        f"{candidate_numbers([place])} {likes[tool_context.candidates[place]]}" for place in order
    ]
    lines = wrapped("How many people like each, most first:", told)
    return Observation(lines, standardized_among_items(tool_context, np.log1p(likes)))


_ANALYSES: Mapping[By, Callable[[ToolContext], Observation]] = {
    "category": _by_category,
    "year": _by_year,
    "popularity": _by_popularity,
}


def _contemporaries(years: Indexes, mine: Indexes) -> NDArray[np.float64]:
    """Compute the share of the history near the year of each item, (n,); NaN for unknown years."""
    first = int(min(years[years > 0].min(), mine.min())) - _SAME_TIME
    counts = np.bincount(mine - first, minlength=int(years.max()) - first + 1 + _SAME_TIME)
    near = np.convolve(counts, np.ones(2 * _SAME_TIME + 1), mode="same") / len(mine)
    return np.where(years > 0, near[np.maximum(years - first, 0)], np.nan)


def _place(tool_context: ToolContext, item: int) -> str:
    """Say whether an item is a candidate, in the history, or neither."""
    for place in np.flatnonzero(tool_context.candidates == item).tolist():
        return f", candidate [{place + 1}]"
    for place in np.flatnonzero(tool_context.history == item).tolist():
        stars = float(tool_context.stars[place])
        return ", in their history" + ("" if np.isnan(stars) else f", {stars:g} of 5 stars")
    return ", neither a candidate nor in their history"


def _liked_by(users: int) -> str:
    return "One person likes it." if users == 1 else f"{users or 'No'} people like it."
