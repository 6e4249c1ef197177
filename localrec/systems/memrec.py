"""MemRec (Chen et al.): neighbours curated by rules, their taste as facets, a fused ranking.

A history finds its neighbours in the graph of who likes what, rules choose the few that count,
facets say what those share, and every kind of evidence that this yields is weighed by weights that
were fitted on held-out items. Each stage can be left out, which gives the ablations of the paper's
Table 4; an isolated memory is what is left without the others.

Three rankings close a composition, each a class here: `MemRec` fuses evidence, `VectorMemRec`
compares memories as vectors, and `MemRecAgent` asks a model about each candidate. Only the last
needs a model.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

import msgspec
import numpy as np

from localrec.domains import Domain
from localrec.graph.catalogue import Indexes
from localrec.llm.base import ChatModel, Usage
from localrec.memory.packing import TOKEN_BUDGET, Teller
from localrec.memory.synthesis import FacetsError, Synthesis, ask_facets
from localrec.reasoning.fusion import FusionWeights, fit_weights, standardised
from localrec.reasoning.rerank import (
    Candidate,
    Context,
    Reranked,
    rerank_by_model,
    rerank_by_vectors,
)
from localrec.retrieval.base import Scores
from localrec.retrieval.collaboration import (
    COLLABORATIVE,
    OWN,
    Collective,
    Kind,
    Portraits,
    Remembered,
    evidence,
    facet_vectors,
    memory_vectors,
    remember,
    supporters_of,
)

NEGATIVES = 49  # drawn beside each item that weights are fitted to find
FEWEST_CASES = 50  # to fit weights on
NO_FACETS = Synthesis(facets=(), edges=(), spoke="measured")  # of whoever looks at nobody else


Share = Annotated[float, msgspec.Meta(ge=0.0, le=1.0)]
Count = Annotated[int, msgspec.Meta(ge=1)]


class MemRecConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which of MemRec's parts a system has.

    Args:
        read: Look at neighbours at all; without, popularity and the person's own memory are left.
        popularity: Count how many like an item; an isolated memory does not.
        rules: Curate by the domain's rules; without, by the weight of the edges.
        write: Keep the shared memory up to date; without, it stays as it was half-way.
        neighbours: How many are kept (k of the paper).
        facets: How many at most (N_f of the paper).
    """

    read: bool = True
    popularity: bool = True
    rules: bool = True
    write: bool = True
    neighbours: Count = 16
    facets: Count = 7

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """The kinds of evidence that count."""
        shared: tuple[Kind, ...] = ("popularity",) if self.popularity else ()
        return (*shared, *(COLLABORATIVE if self.read else ()), *OWN)


MEMREC: dict[str, MemRecConfig] = {
    "memrec": MemRecConfig(),
    "memrec-no-read": MemRecConfig(read=False),
    "memrec-no-rules": MemRecConfig(rules=False),
    "memrec-no-write": MemRecConfig(write=False),
    "isolated-memory": MemRecConfig(read=False, popularity=False),
}


class VectorConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How memories are compared as vectors; chosen on MovieLens 100K's validation items.

    Args:
        rules: As in `MemRecConfig`.
        write: As in `MemRecConfig`.
        neighbours: As in `MemRecConfig`.
        facets: As in `MemRecConfig`.
        moved: How far an item's memory moves from its text towards its people.
        fading: Worth of each older item in the person's memory.
        facets_worth: What a facet of confidence 1 counts beside the person's memory.
    """

    rules: bool = True
    write: bool = True
    neighbours: Count = 16
    facets: Count = 7
    moved: Share = 0.8
    fading: Share = 0.8
    facets_worth: Share = 0.1


class AgentConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a model is told of a person before it judges candidates.

    Args:
        synthesis: Who says what the neighbours share: the "model" itself, "counted" attributes;
            or "none", where nobody else is looked at and candidates are told by what they are.
        rules: As in `MemRecConfig`.
        write: As in `MemRecConfig`.
        neighbours: As in `MemRecConfig`.
        facets: As in `MemRecConfig`.
        token_budget: Tokens of the neighbours that a model is shown.
    """

    synthesis: Literal["model", "counted", "none"] = "model"
    rules: bool = True
    write: bool = True
    neighbours: Count = 16
    facets: Count = 7
    token_budget: Annotated[int, msgspec.Meta(ge=64)] = TOKEN_BUDGET


MEMREC_VECTOR: dict[str, VectorConfig] = {"memrec-vector": VectorConfig()}
MEMREC_AGENTS: dict[str, AgentConfig] = {
    "memrec-model": AgentConfig(),
    "memrec-model-counted": AgentConfig(synthesis="counted"),
    "isolated-agent": AgentConfig(synthesis="none"),
}

# Where a workspace knows too few people to fit its own. Rounded from a fit on held-out training
# items of MovieLens 100K; facets, which that fit gave a little less than nothing, keep a little.
USUAL_WEIGHTS = FusionWeights(
    weights={
        "popularity": 0.1,
        "companions": 1.1,
        "neighbours": 0.4,
        "votes": 0.1,
        "facets": 0.05,
        "attributes": 0.2,
        "texts": 0.1,
    }
)


class MemRec:
    """Scores all items for a history.

    Args:
        collective: The domain's shared memory.
        config: Which parts it has.
        weights: Of the kinds of evidence.
    """

    def __init__(
        self, collective: Collective, config: MemRecConfig, weights: FusionWeights = USUAL_WEIGHTS
    ) -> None:
        self._collective = _ruled(collective, config.rules)
        self._config = config
        self._weights = weights

    def remember(self, items: Indexes, weights: Scores, person: int = -1) -> Remembered | None:
        """What the neighbourhood of a history says; None where nobody is looked at."""
        if not self._config.read:
            return None
        return _remembered(self._collective, self._config, items, weights, person)

    def evidence(self, items: Indexes, weights: Scores, person: int = -1) -> dict[Kind, Scores]:
        """The kinds of evidence that count, each over all items, (n,)."""
        remembered = self.remember(items, weights, person)
        found = evidence(self._collective, items, weights, remembered)
        return {kind: found[kind] for kind in self._config.kinds}

    def scores(self, items: Indexes, weights: Scores, person: int = -1) -> Scores:
        """How well each item fits, (n,).

        Args:
            items: The history, oldest first, each once, (h,).
            weights: How much each is liked, (h,).
            person: Whose history it is in the graph; -1 for a stranger.
        """
        return self._weights.fuse(self.evidence(items, weights, person)).astype(np.float32)

    def fit(
        self,
        histories: Sequence[Indexes],
        taken: Indexes,
        people: Indexes,
        seed: int,
    ) -> FusionWeights:
        """Fit the weights to find what was taken next, among evenly drawn others, and keep them.

        Args:
            histories: Oldest first, without what was taken; the shared memory must not have it.
            taken: What came next, (b,).
            people: Whose history each is in the graph, (b,).
            seed: Of the others.
        """
        if len(taken) < FEWEST_CASES:
            return self._weights
        generator = np.random.default_rng(seed)
        lines = []
        for history, item, person in zip(histories, taken.tolist(), people.tolist(), strict=True):
            found = self.evidence(history, np.ones(len(history), dtype=np.float32), person)
            values = np.stack([standardised(found[kind].astype(np.float64)) for kind in found])
            others = _others(history, item, values.shape[1], generator)
            lines.append(values[:, [item, *others]].T)
        self._weights = fit_weights(self._config.kinds, np.stack(lines), np.zeros(len(lines)))
        return self._weights


class VectorMemRec:
    """Scores all items by how near their memories lie to a person's; nothing is fitted.

    Args:
        collective: The domain's shared memory; without vectors of texts all items score alike.
        config: How they are compared.
    """

    def __init__(self, collective: Collective, config: VectorConfig) -> None:
        self._collective = _ruled(collective, config.rules)
        self._config = config
        self._memories = memory_vectors(collective.graph, config.moved)

    def remember(self, items: Indexes, weights: Scores, person: int = -1) -> Remembered:
        """What the neighbourhood of a history says, whose older items count less."""
        faded = self._faded(weights)
        return _remembered(self._collective, self._config, items, faded, person)

    def scores(
        self,
        items: Indexes,
        weights: Scores,
        person: int = -1,
        remembered: Remembered | None = None,
    ) -> Scores:
        """How well each item fits, 0 to 1, (n,).

        Args:
            items: The history, oldest first, each once, (h,).
            weights: How much each is liked, (h,).
            person: Whose history it is in the graph; -1 for a stranger.
            remembered: From `remember`, where that was asked before.
        """
        if remembered is None:
            remembered = self.remember(items, weights, person)
        facets = facet_vectors(remembered, self._collective.graph, self._memories)
        wanted = np.vstack([self._faded(weights) @ self._memories[items], facets])
        worth = self._config.facets_worth
        worths = [worth * one.confidence for one in remembered.synthesis.facets]
        found = rerank_by_vectors(wanted, [1.0, *worths], self._memories)
        return found.scores.astype(np.float32)

    def _faded(self, weights: Scores) -> Scores:
        ages = np.arange(len(weights) - 1, -1, -1)
        return (weights * np.float32(self._config.fading) ** ages).astype(np.float32)


def told_of_person(
    portraits: Portraits, items: Indexes, synthesis: Synthesis, instruction: str = ""
) -> Context:
    """What a model is told of a person before it judges candidates.

    Args:
        portraits: Memories in words.
        items: The history, oldest first, each once, (h,).
        synthesis: What the neighbours share; `NO_FACETS` where nobody else is looked at.
        instruction: What they ask for, in words.
    """
    return Context(
        memory=portraits.of_person(items),
        facets=[facet.text for facet in synthesis.facets],
        confidences=[facet.confidence for facet in synthesis.facets],
        instruction=instruction,
    )


def told_of_items(
    portraits: Portraits, items: Sequence[int], config: AgentConfig
) -> list[Candidate]:
    """What a model is told of candidates; of their people only where anybody else is looked at."""
    shared = config.synthesis != "none"
    return [
        Candidate(portraits.titles[item], portraits.of_item(item, shared=shared)) for item in items
    ]


class Known(msgspec.Struct, frozen=True, kw_only=True):
    """What an agent knows of a person before it judges.

    Args:
        context: What its model is told.
        synthesis: The facets that the model is told, with the numbers of curated neighbours.
        usage: What the model was asked for them; None where it was not.
        notes: What went otherwise than was asked for, as sentences.
    """

    context: Context
    synthesis: Synthesis
    usage: Usage | None = None
    notes: tuple[str, ...] = ()


class MemRecAgent:
    """Has a model judge candidates one by one, told what is remembered of the person.

    The paper, too, parts who manages the memory from who recommends; here an adapter that judges
    could not write.

    Args:
        model: Judges; opened by whoever closes it.
        writer: Writes facets; opened likewise, and often the same.
        collective: The domain's shared memory.
        portraits: Of the same graph.
        domain: For its nouns.
        config: What the model is told.
    """

    def __init__(
        self,
        model: ChatModel,
        writer: ChatModel,
        collective: Collective,
        portraits: Portraits,
        domain: Domain,
        config: AgentConfig,
    ) -> None:
        self._model = model
        self._writer = writer
        self._collective = _ruled(collective, config.rules)
        self._portraits = portraits
        self._domain = domain
        self._config = config

    def rank(
        self, items: Indexes, weights: Scores, candidates: Sequence[int], person: int = -1
    ) -> Reranked:
        """How likely the model holds each candidate, (c,), and what all calls cost.

        Where the facets that it wrote cannot be read, counted ones stand in and a note says so.

        Args:
            items: The history, oldest first, each once, (h,).
            weights: How much each is liked, (h,).
            candidates: Items, (c,).
            person: Whose history it is in the graph; -1 for a stranger.

        Raises:
            ModelError: the model cannot be used.
        """
        return self.judge(self.know(items, self.remember(items, weights, person)), candidates)

    def remember(self, items: Indexes, weights: Scores, person: int = -1) -> Remembered | None:
        """What the neighbourhood of a history says; None where nobody is looked at."""
        if self._config.synthesis == "none":
            return None
        return _remembered(self._collective, self._config, items, weights, person)

    def know(self, items: Indexes, remembered: Remembered | None, instruction: str = "") -> Known:
        """What the model is told of a person, for however many candidates.

        Args:
            items: The history, oldest first, each once, (h,).
            remembered: From `remember`.
            instruction: What they ask for, in words.

        Raises:
            ModelError: the model cannot be used.
        """
        synthesis, usage, notes = self._synthesis(items, remembered)
        context = told_of_person(self._portraits, items, synthesis, instruction)
        return Known(context=context, synthesis=synthesis, usage=usage, notes=notes)

    def judge(self, known: Known, candidates: Sequence[int]) -> Reranked:
        """How likely the model holds each candidate, (c,), and what all calls cost.

        Raises:
            ModelError: the model cannot be used.
        """
        told = told_of_items(self._portraits, candidates, self._config)
        # A blank would shift all candidates of one question alike: it is not asked about.
        reranked = rerank_by_model(
            self._model, known.context, told, singular=self._domain.singular, calibrated=False
        )
        return reranked.after(known.usage, known.notes)

    def _synthesis(
        self, items: Indexes, remembered: Remembered | None
    ) -> tuple[Synthesis, Usage | None, tuple[str, ...]]:
        """What the neighbours share, what it cost to be told, and what went wrong."""
        if remembered is None:
            return NO_FACETS, None, ()
        if self._config.synthesis == "counted":
            return remembered.synthesis, None, ()
        try:
            written = self._ask_facets(items, remembered)
        except FacetsError as error:
            note = f"{error.message} Counted facets stand in."
            return remembered.synthesis, error.usage, (note,)
        return written, written.usage, ()

    def _ask_facets(self, items: Indexes, remembered: Remembered) -> Synthesis:
        """Facets of the curated neighbours in the model's words; candidates are kept from it."""
        graph, curated = self._collective.graph, remembered.curated
        things = curated.neighbours.index[~curated.neighbours.is_person].tolist()
        teller = Teller(
            self._portraits.titles,
            {item: self._portraits.of_item(item) for item in things},
            graph.lately_liked,
            self._writer.count_tokens,
        )
        packed = teller.pack(curated, self._config.token_budget)
        supporters = supporters_of(curated, graph)
        written = ask_facets(
            self._writer,
            self._portraits.of_person(items),
            packed.text.split("\n") if packed.text else [],
            [supporters[place] for place in packed.places],
            self._domain,
            most=self._config.facets,
        )
        return _by_number(written, packed.places)


def _by_number(written: Synthesis, places: Sequence[int]) -> Synthesis:
    """Facets that cite lines of a prompt, citing the neighbours as they were curated, from 1."""
    facets = (
        msgspec.structs.replace(
            facet, supporters=tuple(places[number - 1] + 1 for number in facet.supporters)
        )
        for facet in written.facets
    )
    edges = (
        msgspec.structs.replace(edge, neighbour=places[edge.neighbour - 1] + 1)
        for edge in written.edges
    )
    return msgspec.structs.replace(written, facets=tuple(facets), edges=tuple(edges))


def _remembered(
    collective: Collective,
    config: MemRecConfig | VectorConfig | AgentConfig,
    items: Indexes,
    weights: Scores,
    person: int,
) -> Remembered:
    """A history's memory, as large as a system wants it."""
    return remember(
        collective,
        items,
        weights,
        person=person,
        k=config.neighbours,
        facets=config.facets,
    )


def _ruled(collective: Collective, rules: bool) -> Collective:
    return collective if rules else msgspec.structs.replace(collective, rules=None)


def _others(history: Indexes, item: int, size: int, generator: np.random.Generator) -> list[int]:
    """Items that were neither had nor taken; with few items some come twice."""
    free = np.ones(size, dtype=bool)
    free[history] = False
    free[item] = False
    pool = np.flatnonzero(free)
    if not len(pool):
        return [item] * NEGATIVES
    drawn: list[int] = generator.choice(pool, NEGATIVES, replace=len(pool) < NEGATIVES).tolist()
    return drawn
