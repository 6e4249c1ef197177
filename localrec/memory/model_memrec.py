"""MemRec with a model: it reads memories and facets, and scores candidates.

A bare model scores them one by one; a trained one starts from the order of a ranking.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from localrec.data.arrays import Indexes, Scores
from localrec.data.domains import Domain
from localrec.data.token_usage import Usage
from localrec.llm.chat_model import ChatModel
from localrec.memory.collaborative_memory import CollaborativeMemory, MemoryContext, supporters_of
from localrec.memory.configs import MemRecModelConfig
from localrec.memory.first_place import rerank_first
from localrec.memory.memory_texts import MemoryTexts
from localrec.memory.memrec import NO_FACETS, _memory_context, _ruled
from localrec.memory.prompt_packer import PromptPacker
from localrec.memory.rerank_stage import (
    RerankCandidate,
    RerankContext,
    RerankScores,
    rerank_by_model,
)
from localrec.memory.synthesis import FacetsError, Synthesis, ask_facets


def user_context(
    memory_texts: MemoryTexts, items: Indexes, synthesis: Synthesis, instruction: str = ""
) -> RerankContext:
    """Write what a model reads about a user before it scores candidates.

    Args:
        memory_texts: Memories in words.
        items: The history, oldest first, each once, (h,).
        synthesis: Facets that the neighbours share; `NO_FACETS` where no other user is looked at.
        instruction: The user's request in words.
    """
    return RerankContext(
        memory=memory_texts.of_user(items),
        facets=[facet.text for facet in synthesis.facets],
        confidences=[facet.confidence for facet in synthesis.facets],
        instruction=instruction,
    )


def candidate_texts(
    memory_texts: MemoryTexts, items: Sequence[int], *, shared: bool
) -> list[RerankCandidate]:
    """Write what a model reads about candidates, and about their users if `shared`."""
    return [
        RerankCandidate(memory_texts.titles[item], memory_texts.of_item(item, shared=shared))
        for item in items
    ]


class UserContext(msgspec.Struct, frozen=True, kw_only=True):
    """The facts about a user that a model reads before it scores.

    Args:
        context: The context that the model is told.
        synthesis: The facets that the model is told, with the numbers of curated neighbours.
        usage: The model's calls and tokens for them; None where it was not asked.
        notes: Departures from the request, as sentences.
    """

    context: RerankContext
    synthesis: Synthesis
    usage: Usage | None = None
    notes: tuple[str, ...] = ()


class ModelMemRec:
    """Let a model score candidates one by one, with the user's memory in the prompt.

    As in the paper, one model may write the memory and another score, since an adapter that is
    trained to judge could not write.

    Args:
        model: The model that scores; the caller opens and closes it.
        writer: The model that writes facets; opened likewise, and often the same.
        collaborative_memory: The domain's shared memory.
        memory_texts: Memories in words, of the same graph.
        domain: The domain, for its nouns.
        config: The settings of the model's prompts.
    """

    def __init__(
        self,
        model: ChatModel,
        writer: ChatModel,
        collaborative_memory: CollaborativeMemory,
        memory_texts: MemoryTexts,
        domain: Domain,
        config: MemRecModelConfig,
    ) -> None:
        self._model = model
        self._writer = writer
        self._collaborative_memory = _ruled(collaborative_memory, config.rules)
        self._memory_texts = memory_texts
        self._domain = domain
        self._config = config

    def rank(
        self, items: Indexes, weights: Scores, candidates: Sequence[int], user: int = -1
    ) -> RerankScores:
        """Estimate the probability of each candidate, (c,), and count the cost of all calls.

        Where the facets that it wrote cannot be read, counted ones stand in and a note says so.

        Args:
            items: The history, oldest first, each once, (h,).
            weights: Strength of each like, (h,).
            candidates: Items, (c,).
            user: The user's number in the graph; -1 for a cold-start user.

        Raises:
            ModelError: the model cannot be used.
        """
        return self.rerank(self.know(items, self.retrieve_memory(items, weights, user)), candidates)

    def retrieve_memory(
        self, items: Indexes, weights: Scores, user: int = -1
    ) -> MemoryContext | None:
        """Retrieve the memory of a history; None where the system uses no neighbours."""
        if self._config.synthesis == "none":
            return None
        return _memory_context(self._collaborative_memory, self._config, items, weights, user)

    def know(
        self, items: Indexes, memory_context: MemoryContext | None, instruction: str = ""
    ) -> UserContext:
        """Prepare the texts about a user, for any number of candidates.

        Args:
            items: The history, oldest first, each once, (h,).
            memory_context: From `remember`.
            instruction: The user's request in words.

        Raises:
            ModelError: the model cannot be used.
        """
        synthesis, usage, notes = self._synthesis(items, memory_context)
        context = user_context(self._memory_texts, items, synthesis, instruction)
        return UserContext(context=context, synthesis=synthesis, usage=usage, notes=notes)

    def rerank(
        self, known: UserContext, candidates: Sequence[int], default: Scores | None = None
    ) -> RerankScores:
        """Estimate the probability of each candidate, (c,), and count the cost of all calls.

        Args:
            known: The texts about the user.
            candidates: Items, (c,).
            default: Scores to start from, (c,), for a model that was trained to; None: it judges
                each candidate alone.

        Raises:
            ModelError: the model cannot be used.
        """
        singular = self._domain.singular
        shared = default is None and self._config.synthesis != "none"
        told = candidate_texts(self._memory_texts, candidates, shared=shared)
        if default is not None:
            found = rerank_first(self._model, known.context, told, default, singular=singular)
            return found.after(known.usage, known.notes)
        # A blank would shift all candidates of one question alike: it is not asked about.
        reranked = rerank_by_model(
            self._model, known.context, told, singular=singular, calibrated=False
        )
        return reranked.after(known.usage, known.notes)

    def _synthesis(
        self, items: Indexes, memory_context: MemoryContext | None
    ) -> tuple[Synthesis, Usage | None, tuple[str, ...]]:
        """Summarize the neighbours' shared preferences, with the cost and any fault."""
        if memory_context is None:
            return NO_FACETS, None, ()
        if self._config.synthesis == "counted":
            return memory_context.synthesis, None, ()
        try:
            written = self._ask_facets(items, memory_context)
        except FacetsError as error:
            note = f"{error.message} Counted facets stand in."
            return memory_context.synthesis, error.usage, (note,)
        return written, written.usage, ()

    def _ask_facets(self, items: Indexes, memory_context: MemoryContext) -> Synthesis:
        """Let a model write facets of the neighbours, without showing it the candidates."""
        graph, curated = self._collaborative_memory.graph, memory_context.curated
        things = curated.neighbours.index[~curated.neighbours.is_user].tolist()
        packer = PromptPacker(
            self._memory_texts.titles,
            {item: self._memory_texts.of_item(item) for item in things},
            graph.matrix.newest_items,
            self._writer.count_tokens,
        )
        packed = packer.pack(curated, self._config.token_budget)
        supporters = supporters_of(curated, graph)
        written = ask_facets(
            self._writer,
            self._memory_texts.of_user(items),
            packed.text.split("\n") if packed.text else [],
            [supporters[place] for place in packed.places],
            self._domain,
            most=self._config.facets,
        )
        return _by_number(written, packed.places)


def _by_number(written: Synthesis, places: Sequence[int]) -> Synthesis:
    """Renumber the neighbours that facets cite, from prompt lines to curated places, from 1."""
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
