"""Build the inputs of an agent's tools: domain data once, a tool context for each request.

Items have the catalogue's numbers, or those of an evaluated log; attributes always have the
catalogue's numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from localrec.agent.observation_text import title_text, unquoted
from localrec.agent.tool_context import (
    DomainKnowledge,
    RequestConstraint,
    SequenceEncoder,
    ToolContext,
)
from localrec.data.arrays import Indexes
from localrec.graph.catalogue import Catalogue
from localrec.graph.user_profile import preferences_of_stars
from localrec.memory.collaborative_memory import CollaborativeMemory
from localrec.memory.memory_texts import MemoryTexts

_DESCRIPTION = "description"
_SHARED = 3  # attributes that a path names


def build_domain_knowledge(
    catalogue: Catalogue,
    collaborative_memory: CollaborativeMemory,
    *,
    places: Indexes | None = None,
    sequential: SequenceEncoder | None = None,
) -> DomainKnowledge:
    """Collect the data of a domain that tools read.

    Args:
        catalogue: The domain's snapshot.
        collaborative_memory: The shared memory of its users.
        places: Catalogue index of each item of the collective; None: they are the catalogue's.
        sequential: Embeddings of the collective's items and people, where some were trained.
    """
    own = np.arange(len(catalogue), dtype=np.int32) if places is None else places
    titles = [catalogue.names[place] for place in own.tolist()]
    is_staple = np.zeros(len(catalogue.attributes), dtype=bool)
    is_staple[list(catalogue.staples)] = True
    names = [unquoted(one.name) for one in catalogue.attributes]
    return DomainKnowledge(
        domain=catalogue.domain,
        titles=titles,
        item_features=collaborative_memory.graph.item_features,
        attributes=catalogue.attributes,
        years=_years(catalogue)[own],
        descriptions=_descriptions(catalogue, own),
        collaborative_memory=collaborative_memory,
        memory_texts=MemoryTexts(
            collaborative_memory.graph, names, list(map(title_text, titles)), is_staple
        ),
        sequential=sequential,
        path=_paths(catalogue, own),
    )


def build_tool_context(
    reference: DomainKnowledge,
    history: Sequence[int] | Indexes,
    candidates: Sequence[int] | Indexes,
    *,
    stars: ArrayLike | None = None,
    strengths: ArrayLike | None = None,
    days: ArrayLike | None = None,
    now: float = np.nan,
    user: int = -1,
    profile: str = "",
    instruction: str = "",
    demands: Sequence[RequestConstraint] = (),
) -> ToolContext:
    """Build the context of one request; of repeated items the newest interaction counts.

    Args:
        reference: The domain's data.
        history: Items, oldest first, (h,).
        candidates: Items, (c,).
        stars: Stars that the user gave each item of the history, nan where none, (h,); None: no
            item has stars.
        strengths: Strength of each like, -1 to 1, (h,); None: by the stars, 1 without stars.
        days: Days of the interactions since 1970, nan where unknown, (h,); None: all unknown.
        now: Day of the request; nan where that is unknown.
        user: The user's number in the collective graph; -1 for a cold-start user.
        profile: The user's memory in words.
        instruction: The user's request in words.
        demands: The constraints of that request which the graph can check.
    """
    items = np.asarray(history, dtype=np.int32)
    _, last = np.unique(items[::-1], return_index=True)
    kept = np.sort(len(items) - 1 - last)
    given = _column(stars, len(items)).astype(np.float32)
    liked = preferences_of_stars(given) if strengths is None else _column(strengths, len(items))
    return ToolContext(
        reference=reference,
        history=items[kept],
        stars=given[kept],
        strengths=liked[kept].astype(np.float32),
        days=_column(days, len(items))[kept],
        now=now,
        candidates=np.asarray(candidates, dtype=np.int32),
        user=user,
        profile=profile,
        instruction=instruction,
        demands=demands,
    )


def _column(values: ArrayLike | None, length: int) -> NDArray[np.float64]:
    if values is None:
        return np.full(length, np.nan)
    return np.asarray(values, dtype=np.float64)


def _years(catalogue: Catalogue) -> NDArray[np.int32]:
    """Return the year of each item of a catalogue, 0 where the domain or the item has none."""
    for name, spec in catalogue.domain.numbers.items():
        if spec.kind == "year":
            return np.nan_to_num(catalogue.numbers[name]).astype(np.int32)
    return np.zeros(len(catalogue), dtype=np.int32)


def _descriptions(catalogue: Catalogue, own: Indexes) -> Callable[[int], str]:
    text = catalogue.domain.texts.get(_DESCRIPTION)

    def describe(item: int) -> str:
        return catalogue.texts([int(own[item])], text)[0] if text else ""

    return describe


def _paths(catalogue: Catalogue, own: Indexes) -> Callable[[int, int], str]:
    def path(one: int, other: int) -> str:
        here = set(catalogue.attributes_of(int(own[one])).tolist()) - catalogue.staples
        there = set(catalogue.attributes_of(int(own[other])).tolist()) - catalogue.staples
        return _by_attributes(catalogue, here & there) or _by_families(catalogue, here, there)

    return path


def _by_attributes(catalogue: Catalogue, shared: set[int]) -> str:
    """List the attributes that two items share, the rarest first."""
    kinds = catalogue.domain.attributes
    rarest = sorted(shared, key=lambda one: (-catalogue.rarity[one], one))[:_SHARED]
    told = [catalogue.attributes[one] for one in rarest]
    return ", ".join("each " + kinds[one.kind].says.format(name=unquoted(one.name)) for one in told)


def _by_families(catalogue: Catalogue, here: set[int], there: set[int]) -> str:
    """Find the narrowest family of any attribute of each item."""

    def with_families(attributes: set[int]) -> set[int]:
        return attributes | catalogue.ancestors(attributes)

    def within(family: int, attributes: set[int]) -> str:
        own = min(one for one in attributes if family in with_families({one}))
        return unquoted(catalogue.attributes[own].name)

    common = with_families(here) & with_families(there)
    if not common:
        return ""
    family = min(common, key=lambda one: (len(catalogue.below(one)), one))
    narrow = f"{within(family, here)} of the one and {within(family, there)} of the other"
    return f"{narrow} belong to {unquoted(catalogue.attributes[family].name)}"
