"""What is known of items: one by its title, or all candidates side by side."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from localrec.agent.desk import Desk, Reference
from localrec.agent.findings import standing
from localrec.agent.opening import quoted
from localrec.agent.registry import Observation, Title, tool
from localrec.agent.search import find_title
from localrec.agent.wording import bare, best_of, fitted, numbers, titled, wrapped
from localrec.graph.catalogue import Indexes
from localrec.retrieval.collaboration import attribute_match

By = Literal["category", "year", "popularity"]

_LONGEST_DESCRIPTION = 160
_SAME_TIME = 2  # years before or after
_ROLES = ("component", "category")  # of attributes that say what kind of thing an item is


@tool
def item_info_search(desk: Desk, title: Title) -> Observation:
    """Look an item up by its title: what it is, how many like it, what its description says."""
    found = find_title(desk, title)
    if found is None:
        return Observation(["Nothing here is called so."])
    reference, item = desk.reference, found.item
    year = int(reference.years[item])
    names = [bare(reference.attributes[one].name) for one in attributes_of(reference, item)]
    lead = f"{titled(reference.titles[item])}{f' ({year})' if year else ''}{_place(desk, item)}"
    lines = [] if found.is_exact else ["Nothing is called exactly so; this is the nearest title."]
    lines.append(fitted(f"{lead}:", names or ["no attributes are known"]))
    lines.append(_liked_by(int(reference.collective.likes[item])))
    if description := reference.descriptions(item):
        lines.append(f"It is described as {quoted(description, _LONGEST_DESCRIPTION)}")
    if found.others:
        lines.append(f"So many others are called the same: {found.others}")
    return Observation(lines)


@tool
def candidates_analyze(desk: Desk, by: By) -> Observation:
    """Compare all candidates by what kind they are, by their years or by how many like them."""
    return _ANALYSES[by](desk)


def attributes_of(reference: Reference, item: int) -> list[int]:
    """Attributes of an item."""
    traits = reference.traits
    links = slice(int(traits.first_link[item]), int(traits.first_link[item + 1]))
    return traits.attribute[links].tolist()


def counted(reference: Reference, items: Indexes) -> dict[int, list[int]]:
    """Attribute -> places of those of some items that have it; only what says of which kind."""
    kinds = reference.domain.attributes
    places: dict[int, list[int]] = {}
    for place, item in enumerate(items.tolist()):
        for one in attributes_of(reference, item):
            if kinds[reference.attributes[one].kind].role in _ROLES:
                places.setdefault(one, []).append(place)
    return places


def _by_category(desk: Desk) -> Observation:
    reference = desk.reference
    groups = counted(reference, desk.candidates)
    had = {one: len(places) for one, places in counted(reference, desk.history).items()}
    liked = np.ones(len(desk.history), dtype=np.float32)
    matches = attribute_match(desk.history, liked, reference.collective.graph)
    scores = standing(desk, matches)
    lines = [
        fitted(
            f"{bare(reference.attributes[one].name)}, {had.get(one, 0)} of their "
            f"{len(desk.history)}:",
            [numbers([place]) for place in groups[one]],
        )
        for one in sorted(groups, key=lambda one: (-had.get(one, 0), -len(groups[one]), one))
    ]
    best = best_of("By all attributes most like their history", scores)
    return Observation([*best, *lines], scores)


def _by_year(desk: Desk) -> Observation:
    years = desk.reference.years
    told = years[desk.candidates]
    dated = [place for place in np.argsort(told, kind="stable").tolist() if told[place]]
    lines = wrapped(
        "By year:",
        [f"{told[place]} {numbers([place])}" for place in dated] or ["none of them is known"],
    )
    mine = years[desk.history]
    mine = mine[mine > 0]
    if not len(mine):
        return Observation(["The years of their history are unknown.", *lines])
    usual = np.percentile(mine, [25, 75]).astype(int).tolist()
    scores = standing(desk, _contemporaries(years, mine))
    return Observation(
        [
            f"Half of their history is from {usual[0]} to {usual[1]}.",
            *best_of("From the years they know best", scores),
            *lines,
        ],
        scores,
    )


def _by_popularity(desk: Desk) -> Observation:
    likes = desk.reference.collective.likes
    order = np.argsort(-likes[desk.candidates], kind="stable").tolist()
    told = [f"{numbers([place])} {likes[desk.candidates[place]]}" for place in order]
    lines = wrapped("How many people like each, most first:", told)
    return Observation(lines, standing(desk, np.log1p(likes)))


_ANALYSES: Mapping[By, Callable[[Desk], Observation]] = {
    "category": _by_category,
    "year": _by_year,
    "popularity": _by_popularity,
}


def _contemporaries(years: Indexes, mine: Indexes) -> NDArray[np.float64]:
    """Share of a history that is from about the year of each item; nan of unknown years, (n,)."""
    first = int(min(years[years > 0].min(), mine.min())) - _SAME_TIME
    counts = np.bincount(mine - first, minlength=int(years.max()) - first + 1 + _SAME_TIME)
    near = np.convolve(counts, np.ones(2 * _SAME_TIME + 1), mode="same") / len(mine)
    return np.where(years > 0, near[np.maximum(years - first, 0)], np.nan)


def _place(desk: Desk, item: int) -> str:
    """What an item is on this desk."""
    for place in np.flatnonzero(desk.candidates == item).tolist():
        return f", candidate [{place + 1}]"
    for place in np.flatnonzero(desk.history == item).tolist():
        stars = float(desk.stars[place])
        return ", in their history" + ("" if np.isnan(stars) else f", {stars:g} of 5 stars")
    return ", neither a candidate nor in their history"


def _liked_by(people: int) -> str:
    return "One person likes it." if people == 1 else f"{people or 'No'} people like it."
