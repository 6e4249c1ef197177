"""A small cinema whose answers are known: even films are horror, odd ones comedies.

Person p of forty likes six films of camp p % 2, one a day. The first twelve films are from the
fifties, the others from the nineties; nobody took "Clue".
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import msgspec
import numpy as np

from localrec.agent.context import build_tool_context
from localrec.agent.observation_text import title_text, unquoted
from localrec.agent.tool_context import DomainKnowledge, SequenceEncoder, ToolContext
from localrec.agent.tool_registry import Observation, Tool
from localrec.data.interaction_matrix import InteractionMatrix
from localrec.data.item_features import ItemFeatures
from localrec.graph.catalogue import Attribute
from localrec.graph.domain_files import load_domain
from localrec.index.item_cooccurrence import count_cooccurrence
from localrec.memory.collaborative_memory import CollaborativeMemory
from localrec.memory.default_rules import default_rules
from localrec.memory.memory_texts import MemoryTexts
from localrec.memory.synthesis import domain_shares
from localrec.memory.user_item_graph import UserItemGraph

TITLES = (
    *("Alien", "Airplane", "Psycho", "Big", "Jaws", "Babe", "Vertigo", "Clue", "The Birds", "Elf"),
    *("Carrie", "Hot Shots", "Misery", "Spy", "Saw", "Toys", "Halloween", "Antz", "Scream", "Dave"),
    *("The Fly", "Junior", "Leprechaun", "Sister Act"),
)
FILMS, PEOPLE, EACH = len(TITLES), 40, 6
UNSEEN = TITLES.index("Clue")
TODAY = 20_000.0
NAMES = ("horror", "comedy")


class Compass:
    """A sequential model that points to the camp of the newest film."""

    items = np.eye(2, dtype=np.float32)[np.arange(FILMS) % 2] * np.linspace(
        1.0, 2.0, FILMS, dtype=np.float32
    ).reshape(-1, 1)

    def state_of(self, history):
        return np.eye(2, dtype=np.float32)[history[-1] % 2]

    def similar_items(self, item, k):
        camp = np.arange(item % 2, FILMS, 2, dtype=np.int32)
        return camp[camp != item][:k]

    def similar_users(self, state, k, user=-1):
        camp = np.arange(int(state[1]), PEOPLE, 2, dtype=np.int32)
        return camp[camp != user][:k]


def make_reference(
    titles: Sequence[str] = TITLES,
    names: Sequence[str] = NAMES,
    description: str = "",
    sequential: SequenceEncoder | None = None,
) -> DomainKnowledge:
    """The cinema, under any titles and names."""
    films = np.arange(FILMS, dtype=np.int32)
    vectors = np.zeros((FILMS, 3), dtype=np.float32)
    vectors[films, films % 2] = 1.0
    vectors[:, 2] = np.linspace(0.0, 0.6, FILMS)
    item_features = ItemFeatures(films, films % 2, FILMS, 2, vectors)
    drawn = np.random.default_rng(5)
    seen = [film for film in range(FILMS) if film != UNSEEN]
    taken = [
        drawn.permutation([film for film in seen if film % 2 == user % 2])[:EACH]
        for user in range(PEOPLE)
    ]
    user = np.repeat(np.arange(PEOPLE, dtype=np.int32), EACH)
    item = np.concatenate(taken).astype(np.int32)
    day = np.tile(TODAY - np.arange(EACH)[::-1], PEOPLE).astype(np.float32)
    graph = UserItemGraph(
        InteractionMatrix.from_pairs(user, item, PEOPLE, item_features.items, day), item_features
    )
    domain = load_domain("movies")
    return DomainKnowledge(
        domain=domain,
        titles=titles,
        item_features=item_features,
        attributes=[Attribute(place, "genre", name, name) for place, name in enumerate(names)],
        years=np.where(films < FILMS // 2, 1950 + films % 10, 1990 + films % 10).astype(np.int32),
        descriptions=lambda item: description,
        collaborative_memory=CollaborativeMemory(
            graph=graph,
            cooccurrence=count_cooccurrence(user, item, FILMS),
            usual=domain_shares(item_features, graph.matrix.likes),
            phrases=[f"films that are {name}" for name in names],
            rules=default_rules("movies"),
        ),
        memory_texts=MemoryTexts(
            graph,
            list(map(unquoted, names)),
            list(map(title_text, titles)),
            np.zeros(2, dtype=bool),
        ),
        sequential=sequential,
        path=lambda one, other: (
            f"each is {unquoted(names[one % 2])}" if one % 2 == other % 2 else ""
        ),
    )


def a_desk(reference: DomainKnowledge | None = None, **changed: object) -> ToolContext:
    """Somebody who saw four horror films and a comedy; eight candidates, 1, 3, 5 and 7 horror."""
    known = build_tool_context(
        reference or make_reference(),
        [0, 2, 3, 4, 6],
        [8, 9, 10, 11, 12, UNSEEN, 14, 13],
        stars=[5.0, 4.0, 2.0, 3.5, 4.5],
        days=[TODAY - 40, TODAY - 40, TODAY - 3, TODAY - 3, TODAY - 1 / 6],
        now=TODAY,
    )
    return msgspec.structs.replace(known, **changed)


def without_history(tool_context: ToolContext) -> ToolContext:
    """The same for a stranger."""
    return msgspec.structs.replace(
        tool_context,
        history=tool_context.history[:0],
        stars=tool_context.stars[:0],
        strengths=tool_context.strengths[:0],
        days=tool_context.days[:0],
        now=np.nan,
    )


def everything_said(
    tool: Tool, tool_context: ToolContext, titles: Sequence[str] = TITLES
) -> list[Observation]:
    """What a tool says to each call that it may get."""
    values = {"candidate": range(1, len(tool_context.candidates) + 1), "text": titles}
    choices = [values.get(one.kind, one.words) for one in tool.parameters]
    names = [one.name for one in tool.parameters]
    return [
        tool.observe(
            tool_context,
            tool.checked(dict(zip(names, chosen, strict=True)), len(tool_context.candidates)),
        )
        for chosen in itertools.product(*choices)
    ]
