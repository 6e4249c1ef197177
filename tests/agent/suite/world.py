"""A small cinema whose answers are known: even films are horror, odd ones comedies.

Person p of forty likes six films of camp p % 2, one a day. The first twelve films are from the
fifties, the others from the nineties; nobody took "Clue".
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import msgspec
import numpy as np

from localrec.agent.desk import Desk, Reference, Sequential
from localrec.agent.registry import Observation, Tool
from localrec.agent.setting_out import desk_of
from localrec.agent.wording import bare, titled
from localrec.domains import load_domain
from localrec.graph.catalogue import Attribute
from localrec.index.companions import count_companions
from localrec.memory.neighbourhood import taste_graph_of
from localrec.memory.profiles import ItemTraits
from localrec.memory.rule_sets import default_rules
from localrec.memory.synthesis import domain_shares
from localrec.retrieval.collaboration import Collective, Portraits

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

    def similar_people(self, state, k, person=-1):
        camp = np.arange(int(state[1]), PEOPLE, 2, dtype=np.int32)
        return camp[camp != person][:k]


def make_reference(
    titles: Sequence[str] = TITLES,
    names: Sequence[str] = NAMES,
    description: str = "",
    sequential: Sequential | None = None,
) -> Reference:
    """The cinema, under any titles and names."""
    films = np.arange(FILMS, dtype=np.int32)
    vectors = np.zeros((FILMS, 3), dtype=np.float32)
    vectors[films, films % 2] = 1.0
    vectors[:, 2] = np.linspace(0.0, 0.6, FILMS)
    traits = ItemTraits(films, films % 2, FILMS, 2, vectors)
    drawn = np.random.default_rng(5)
    seen = [film for film in range(FILMS) if film != UNSEEN]
    taken = [
        drawn.permutation([film for film in seen if film % 2 == person % 2])[:EACH]
        for person in range(PEOPLE)
    ]
    person = np.repeat(np.arange(PEOPLE, dtype=np.int32), EACH)
    item = np.concatenate(taken).astype(np.int32)
    day = np.tile(TODAY - np.arange(EACH)[::-1], PEOPLE).astype(np.float32)
    graph = taste_graph_of(person, item, day, PEOPLE, traits)
    domain = load_domain("movies")
    return Reference(
        domain=domain,
        titles=titles,
        traits=traits,
        attributes=[Attribute(place, "genre", name, name) for place, name in enumerate(names)],
        years=np.where(films < FILMS // 2, 1950 + films % 10, 1990 + films % 10).astype(np.int32),
        descriptions=lambda item: description,
        collective=Collective(
            graph=graph,
            companions=count_companions(person, item, FILMS),
            usual=domain_shares(traits, np.diff(graph.first_person)),
            phrases=[f"films that are {name}" for name in names],
            rules=default_rules("movies"),
        ),
        portraits=Portraits(
            graph, list(map(bare, names)), list(map(titled, titles)), np.zeros(2, dtype=bool)
        ),
        sequential=sequential,
        path=lambda one, other: f"each is {bare(names[one % 2])}" if one % 2 == other % 2 else "",
    )


def a_desk(reference: Reference | None = None, **changed: object) -> Desk:
    """Somebody who saw four horror films and a comedy; eight candidates, 1, 3, 5 and 7 horror."""
    known = desk_of(
        reference or make_reference(),
        [0, 2, 3, 4, 6],
        [8, 9, 10, 11, 12, UNSEEN, 14, 13],
        stars=[5.0, 4.0, 2.0, 3.5, 4.5],
        days=[TODAY - 40, TODAY - 40, TODAY - 3, TODAY - 3, TODAY - 1 / 6],
        now=TODAY,
    )
    return msgspec.structs.replace(known, **changed)


def without_history(desk: Desk) -> Desk:
    """The same for a stranger."""
    return msgspec.structs.replace(
        desk,
        history=desk.history[:0],
        stars=desk.stars[:0],
        strengths=desk.strengths[:0],
        days=desk.days[:0],
        now=np.nan,
    )


def everything_said(tool: Tool, desk: Desk, titles: Sequence[str] = TITLES) -> list[Observation]:
    """What a tool says to each call that it may get."""
    values = {"candidate": range(1, len(desk.candidates) + 1), "text": titles}
    choices = [values.get(one.kind, one.words) for one in tool.parameters]
    names = [one.name for one in tool.parameters]
    return [
        tool.observe(
            desk, tool.checked(dict(zip(names, chosen, strict=True)), len(desk.candidates))
        )
        for chosen in itertools.product(*choices)
    ]
