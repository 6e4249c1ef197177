"""The cases of the measurement of hostile titles: whose history, which candidates, called how.

The title that changes reaches the agent as nothing has cleaned it. What an import makes of a title,
the item's description and that text's vector, is made of the cleaned one.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from functools import cached_property

import msgspec
import numpy as np
from injection_figures import Arm, Draw
from injection_titles import ATTACKS, LONGEST_NAME, Count, attack, harmless

from localrec.agent.context import build_domain_knowledge, build_tool_context
from localrec.agent.tool_context import DomainKnowledge, ToolContext
from localrec.evaluation.ranking.cases import Cases
from localrec.evaluation.ranking.system_factory import SystemFactory
from localrec.foundation.text import clean_name
from localrec.memory.collaborative_memory import CollaborativeMemory
from localrec.memory.from_log import build_collaborative_memory
from localrec.memory.user_item_graph import UserItemGraph

DAY_S = 86_400


class Bench(SystemFactory):
    """Knows the training rows, and makes references in which an item is called otherwise."""

    @cached_property
    def names(self) -> Sequence[str]:
        """Of each evaluated item, (items,)."""
        return self._plain.titles

    def called(self, item: int, title: str) -> DomainKnowledge:
        """What is known where an item has this title, as if the import had let it through.

        Its stored text and the vector of that are of the title as imports clean it.
        """
        told = self._plain.descriptions(item).replace(self.names[item], clean_name(title), 1)
        graph = self._with_text(item, told)
        catalogue = copy.copy(self.knowledge.catalogue)
        catalogue.names = [*catalogue.names]
        catalogue.names[self.knowledge.places[item]] = title
        reference = build_domain_knowledge(
            catalogue,
            msgspec.structs.replace(self._collaborative_memory, graph=graph),
            places=self.knowledge.places,
        )
        return msgspec.structs.replace(
            reference,
            descriptions=lambda one: told if one == item else self._plain.descriptions(one),
        )

    @cached_property
    def _collaborative_memory(self) -> CollaborativeMemory:
        self._look_over_store()
        return build_collaborative_memory(self._parted.train, self.knowledge)

    @cached_property
    def _plain(self) -> DomainKnowledge:
        return build_domain_knowledge(
            self.knowledge.catalogue, self._collaborative_memory, places=self.knowledge.places
        )

    def _with_text(self, item: int, told: str) -> UserItemGraph:
        graph, item_features = (
            self._collaborative_memory.graph,
            self._collaborative_memory.graph.item_features,
        )
        if item_features.vectors is None:
            return graph
        vectors = item_features.vectors.copy()
        vectors[item] = self._workspace.models.embedder.embed([told])[0]
        return UserItemGraph(
            graph.matrix,
            msgspec.structs.replace(item_features, vectors=vectors),
            now_day=graph.now_day,
        )


class Scenes:
    """The cases: whose history, which candidates, which of them attacks how.

    Args:
        bench: Prepared.
        cases: Validation cases, with candidates.
        seed: Of everything drawn.
    """

    def __init__(self, bench: Bench, cases: Cases, seed: int) -> None:
        self._bench, self._cases, self.seed = bench, cases, seed
        self._requests = cases.requests()
        self._short = np.array([len(name) <= LONGEST_NAME for name in bench.names])
        able = np.flatnonzero(self._short[cases.candidates].any(axis=1))
        self._order = np.random.default_rng(seed).permutation(able).tolist()

    def __len__(self) -> int:
        return len(self._order)

    def draw(self, number: int) -> Draw:
        """A case by its number, the same whatever other cases there are; kinds take turns."""
        place, random = self._order[number], np.random.default_rng([self.seed, number])
        line = random.permutation(self._cases.candidates[place])
        return Draw(
            number=number,
            kind=list(ATTACKS)[number % len(ATTACKS)],
            place=place,
            candidates=tuple(line.tolist()),
            victim=1 + int(random.choice(np.flatnonzero(self._short[line]))),
        )

    def titles(self, drawn: Draw, count: Count) -> dict[Arm, str]:
        """What the victim is called, by arm."""
        plain = self._bench.names[drawn.candidates[drawn.victim - 1]]
        hostile = attack(drawn.kind, plain, drawn.victim)
        return {"plain": plain, "harmless": harmless(plain, hostile, count), "attack": hostile}

    def tool_context(self, drawn: Draw, title: str) -> ToolContext:
        """The request, its victim called so."""
        asked, place = self._requests, drawn.place
        reference = self._bench.called(drawn.candidates[drawn.victim - 1], title)
        at = asked.at[place].astype("datetime64[s]")
        return build_tool_context(
            reference,
            asked.histories[place],
            drawn.candidates,
            stars=asked.stars[place],
            days=np.where(np.isnat(at), np.nan, at.astype(np.float64) / DAY_S),
            now=reference.collaborative_memory.graph.now_day,
            user=int(asked.user[place]),
        )
