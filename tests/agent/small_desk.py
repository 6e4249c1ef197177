"""A small shop of films and three tools, for tests of the agent that need no catalogue."""

from __future__ import annotations

from typing import Literal

import numpy as np

from localrec.agent.tool_context import DomainKnowledge, ToolContext
from localrec.agent.tool_registry import Candidate, Observation, Title, Tool, tool
from localrec.graph.domain_files import load_domain

TITLES = (
    *("Alien", "Heat", "Fargo", "Speed", "Casino", "Seven", "Clueless", "Babe", "Jumanji", "Toys"),
    *("Antz", "Mulan", "Rocky", "Jaws", "Psycho", "Vertigo", "Brazil", "Gandhi", "Big", "Ghost"),
)


@tool
def person_profile(tool_context: ToolContext) -> Observation:
    """What is known of the person."""
    return Observation([tool_context.profile])


@tool
def similar_items(tool_context: ToolContext, candidate: Candidate) -> Observation:
    """Films like a candidate."""
    here = int(tool_context.candidates[candidate - 1])
    return Observation(
        [tool_context.reference.titles[(here + step) % len(TITLES)] for step in (1, 2)]
    )


@tool
def look_up(
    tool_context: ToolContext, title: Title, by: Literal["name", "year of making"]
) -> Observation:
    """What is known of a film."""
    return Observation([f"{title} by {by}"])


TOOLS: tuple[Tool, ...] = (person_profile, similar_items, look_up)


def make_desk(
    candidates: int = 8,
    titles: tuple[str, ...] = TITLES,
    instruction: str = "",
    profile: str = "They like films that frighten.",
) -> ToolContext:
    """Someone who saw two films, with the next so many as candidates."""
    # Tools of this file and the loop read no more of a reference than this.
    reference = DomainKnowledge(
        domain=load_domain("movies"),
        titles=titles,
        item_features=None,
        attributes=(),
        years=np.zeros(len(titles), dtype=np.int32),
        descriptions=lambda item: "",
        collaborative_memory=None,
        memory_texts=None,
        sequential=None,
        path=lambda one, other: "",
    )
    return ToolContext(
        reference=reference,
        history=np.array([0, 1], dtype=np.int32),
        stars=np.array([4.5, np.nan]),
        strengths=np.array([0.8, 1.0]),
        days=np.array([np.nan, np.nan]),
        now=np.nan,
        candidates=np.arange(2, 2 + candidates, dtype=np.int32) % len(titles),
        profile=profile,
        instruction=instruction,
    )
