"""Systems under test that put each case to a chat model: a list out of what it is told.

    zero-shot               titles of the history and the candidates, nothing else
    naive-agent             the same, and all neighbours that the prompt holds, uncurated
    isolated-agent          the person's own memory, as in iAgent; each candidate judged alone
    memrec-model            that, and what curated neighbours share, in the model's own words
    memrec-model-counted    the same with counted facets, a call less

A ranking that the model writes otherwise than it was asked to is an answer without items, and costs
what it cost; for facets that it writes so, counted ones stand in, and the case's notes say so. A
model that cannot be started fails the system when it is fitted.

Where the agents depart from MemRec's: a candidate is judged by the probability of "yes" instead of
a number that the model writes, candidates are kept from the model while it writes facets, and no
system changes its memory while it is tested.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Annotated

import msgspec
import numpy as np
from numpy.typing import NDArray

from localrec.data.interactions import Interactions
from localrec.data.reasons import Reasons
from localrec.evaluation.ranking.cases import Items
from localrec.evaluation.ranking.inference import ListAnswerer, RecommendationReply
from localrec.explanation.model_reasons import write_reasons
from localrec.foundation.errors import UsageError
from localrec.foundation.progress import Progress
from localrec.foundation.settings import RERANKER
from localrec.llm.chat_model import ChatModel
from localrec.llm.model_wrapper import PrefixedChatModel
from localrec.memory.configs import MEMREC_MODELS, MemRecModelConfig
from localrec.memory.curation import CuratedNeighbours
from localrec.memory.default_rules import default_rules
from localrec.memory.from_log import ItemSet, build_collaborative_memory, deduplicated_history
from localrec.memory.model_memrec import ModelMemRec
from localrec.memory.prompt_packer import PromptPacker
from localrec.ranking.recommender import ScoreRequests, SettingValue
from localrec.ranking.zero_shot import (
    Mode,
    ZeroShotConfig,
    ask_label_prior,
    check_count,
    rank_zero_shot,
)
from localrec.systems.log_memory import memory_facts
from localrec.systems.system import SystemOptions
from localrec.understanding.vocabulary import Vocabulary

MODEL = "model"  # the setting that names the model; the workspace's own where it is left out
_SHORTEST_LINE = 8  # tokens of a neighbour, at least: no more of them than can fit are counted


class CandidateAnswerer(ABC):
    """Ranks the candidates of one request after the other."""

    def answer(self, requests: ScoreRequests, k: int) -> Sequence[RecommendationReply]:
        """Rank all candidates of each request, best first.

        Raises:
            UsageError: there are no candidates.
            ModelError: the model failed.
        """
        check_candidates(requests.candidates)
        assert requests.candidates is not None
        lines = enumerate(requests.candidates.tolist())
        return [self._ask(requests, row, line) for row, line in lines]

    @abstractmethod
    def _ask(
        self, requests: ScoreRequests, row: int, candidates: Sequence[int]
    ) -> RecommendationReply:
        """Rank the candidates of one of the requests."""


class ZeroShotRecommender(CandidateAnswerer):
    """Ranks the candidates of a case by asking a model about their titles.

    Args:
        model: Opened by whoever closes it.
        titles: Of each evaluated item, (items,).
        noun: What the items are, in the plural.
        config: How the model is asked.
    """

    name = "zero-shot"

    def __init__(
        self, model: ChatModel, titles: Sequence[str], noun: str, config: ZeroShotConfig
    ) -> None:
        self._model = model
        self._titles = titles
        self._noun = noun
        self._config = config
        self.settings: dict[str, SettingValue] = {
            MODEL: model.name,
            **msgspec.structs.asdict(config),
        }
        self._priors: dict[int, NDArray[np.float64]] = {}

    def fit(self, train: Interactions, seed: int, progress: Progress) -> None:
        """Learn nothing: start the model, and keep the seed of the orders.

        Raises:
            ModelError: the model cannot be used.
        """
        self._seed = seed
        self._model.count_tokens("")

    def _ask(
        self, requests: ScoreRequests, row: int, candidates: Sequence[int]
    ) -> RecommendationReply:
        started = time.perf_counter()
        person, history = int(requests.user[row]), requests.histories[row]
        ranking = rank_zero_shot(
            self._briefed(person, history),
            [self._titles[item] for item in history.tolist()],
            [self._titles[item] for item in candidates],
            self._config,
            seed_of(self._seed, candidates),
            noun=self._noun,
            prior=self._prior(len(candidates)),
        )
        order = ranking.order
        return RecommendationReply(
            items=None if order is None else [candidates[place] for place in order],
            ms=1000 * (time.perf_counter() - started),
            calls=ranking.calls,
            prompt_tokens=ranking.prompt_tokens,
            cached_tokens=ranking.cached_tokens,
            new_tokens=ranking.new_tokens,
        )

    def _briefed(self, person: int, history: Items) -> ChatModel:
        """Whom to ask about a person; the model, told of nothing but titles."""
        return self._model

    def _prior(self, count: int) -> NDArray[np.float64] | None:
        """What the letters get by themselves; asked once, and no part of a case's cost."""
        if self._config.mode != "calibrated":
            return None
        if count not in self._priors:
            self._priors[count] = ask_label_prior(self._model, count, self._noun)
        return self._priors[count]


class NaiveConfig(ZeroShotConfig, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a model is asked that is shown neighbours as they come.

    Args:
        neighbour_tokens: Tokens of the neighbours; with the titles they must fit its context.
    """

    mode: Mode = "labels"
    neighbour_tokens: Annotated[int, msgspec.Meta(ge=64)] = 1200


class NaiveAgent(ZeroShotRecommender):
    """Shows a model all neighbours that its prompt holds, uncurated, beside history and candidates.

    Args:
        model: Opened by whoever closes it.
        knowledge: About the items.
        config: How the model is asked.
    """

    name = "naive-agent"

    def __init__(self, model: ChatModel, knowledge: ItemSet, config: NaiveConfig) -> None:
        super().__init__(model, knowledge.names, knowledge.domain.plural, config)
        self._knowledge = knowledge
        self._neighbour_tokens = config.neighbour_tokens

    def fit(self, train: Interactions, seed: int, progress: Progress) -> None:
        """Count who likes what, and start the model.

        Raises:
            ModelError: the model cannot be used.
        """
        super().fit(train, seed, progress)
        self.graph = build_collaborative_memory(train, self._knowledge).graph

    def _briefed(self, person: int, history: Items) -> ChatModel:
        found = self.graph.neighbours_of(*deduplicated_history(history), person)
        # In a drawn order: whatever finds no room is not left out for its worth.
        drawn = np.random.default_rng(self._seed).permutation(len(found))
        some = found.rows(drawn[: self._neighbour_tokens // _SHORTEST_LINE])
        teller = PromptPacker(
            self._titles, {}, self.graph.matrix.newest_items, self._model.count_tokens
        )
        packed = teller.pack(CuratedNeighbours(some, some.edge_weight), self._neighbour_tokens)
        if not packed.text:
            return self._model
        domain = self._knowledge.domain
        return PrefixedChatModel(self._model, f"People and {domain.plural} near me:\n{packed.text}")


class MemoryPromptedReranker(CandidateAnswerer):
    """Has a model judge each candidate of a case, told what a memory says of the person.

    Args:
        name: As it is reported.
        model: Judges; opened by whoever closes it.
        writer: Writes facets and reasons; opened likewise, and often the same.
        knowledge: About the items.
        config: What the model is told.
    """

    def __init__(
        self,
        name: str,
        model: ChatModel,
        writer: ChatModel,
        knowledge: ItemSet,
        config: MemRecModelConfig,
    ) -> None:
        self.name = name
        self.settings: dict[str, SettingValue] = {
            MODEL: model.name,
            **msgspec.structs.asdict(config),
            "rule_set": default_rules(knowledge.domain.name).name,
        }
        self._model = model
        self._writer = writer
        self._knowledge = knowledge
        self._config = config

    def fit(self, train: Interactions, seed: int, progress: Progress) -> None:
        """Count the shared memory, and start the models; nothing is drawn.

        Raises:
            ModelError: a model cannot be used.
        """
        for one in (self._model, self._writer):
            one.count_tokens("")
        progress("counting who likes what", 0, 0)
        known = self._knowledge
        collaborative_memory = build_collaborative_memory(train, known, write=self._config.write)
        self.graph = collaborative_memory.graph
        memory_texts = known.texts_of(collaborative_memory)
        self._agent = ModelMemRec(
            self._model,
            self._writer,
            collaborative_memory,
            memory_texts,
            known.domain,
            self._config,
        )
        self._memory = collaborative_memory

    def explain(self, requests: ScoreRequests, row: int, item: int) -> Reasons:
        """Why an item stands first for a history, in the model's words where facts carry them.

        Raises:
            ModelError: the model failed before it was asked for a reason.
        """
        person, history = int(requests.user[row]), requests.histories[row]
        items, weights = deduplicated_history(history)
        memory_context = self._agent.retrieve_memory(items, weights, person)
        known = self._agent.know(items, memory_context)
        facts = memory_facts(item, history, memory_context, self._memory, self._knowledge)
        told = write_reasons(
            self._writer,
            [facts],
            [self._knowledge.names[item]],
            self._vocabulary,
            known=known.context.lines,
        )
        spent = told.spent if known.usage is None else told.spent.and_for(known.usage)
        return msgspec.structs.replace(told, spent=spent, notes=(*known.notes, *told.notes))

    @cached_property
    def _vocabulary(self) -> Vocabulary:
        return Vocabulary(self._knowledge.catalogue)

    def _ask(
        self, requests: ScoreRequests, row: int, candidates: Sequence[int]
    ) -> RecommendationReply:
        started = time.perf_counter()
        person, history = int(requests.user[row]), requests.histories[row]
        reranked = self._agent.rank(*deduplicated_history(history), candidates, person)
        # Of equals, whichever is shown first: candidates come shuffled.
        order = np.argsort(-reranked.scores, kind="stable").tolist()
        return RecommendationReply(
            items=[candidates[place] for place in order],
            ms=1000 * (time.perf_counter() - started),
            calls=reranked.calls,
            prompt_tokens=reranked.prompt_tokens,
            cached_tokens=reranked.cached_tokens,
            new_tokens=reranked.new_tokens,
            notes=reranked.notes,
        )


PromptConfig = ZeroShotConfig | MemRecModelConfig

PROMPTED: dict[str, PromptConfig] = {
    "zero-shot": ZeroShotConfig(),
    "naive-agent": NaiveConfig(),
    **MEMREC_MODELS,
}


def prompted_config(name: str, settings: Mapping[str, SettingValue]) -> PromptConfig:
    """The settings of a system without the model's name, read.

    Raises:
        UsageError: there is no such system or setting.
    """
    if name not in PROMPTED:
        raise UsageError(
            f'There is no system "{name}" that asks a model.', f"There are: {', '.join(PROMPTED)}."
        )
    return SystemOptions(name, settings=settings).configured(PROMPTED[name], (MODEL,))


def make_prompted(
    name: str,
    settings: Mapping[str, SettingValue],
    open_model: Callable[[str], ChatModel],
    knowledge: ItemSet,
) -> ListAnswerer:
    """A system that asks a model, still to be fitted.

    Args:
        name: A key of `PROMPTED`.
        settings: What differs from its defaults.
        open_model: Role -> the model that plays it, opened by whoever closes it.
        knowledge: About the items.

    Raises:
        UsageError: there is no such system or setting.
        ModelError: there is no such model, or the role's adapter is for another.
    """
    config = prompted_config(name, settings)
    if isinstance(config, MemRecModelConfig):
        return MemoryPromptedReranker(
            name, open_model(RERANKER), open_model("writer"), knowledge, config
        )
    model = open_model(name)
    if isinstance(config, NaiveConfig):
        return NaiveAgent(model, knowledge, config)
    return ZeroShotRecommender(model, knowledge.names, knowledge.domain.plural, config)


def check_pool(candidates: Items | None, config: PromptConfig) -> None:
    """See that a prompt can hold all that is to be ranked.

    Raises:
        UsageError: it cannot.
    """
    check_candidates(candidates)
    if candidates is not None and isinstance(config, ZeroShotConfig):
        check_count(candidates.shape[1], config)


def check_candidates(candidates: Items | None, who: str = "A model") -> None:
    """See that not all items are to be ranked.

    Raises:
        UsageError: they are.
    """
    if candidates is None:
        raise UsageError(
            f"{who} cannot rank all items in a prompt.",
            "Give the protocol candidates, such as: candidates = 20.",
        )


def seed_of(seed: int, candidates: Sequence[int]) -> int:
    """The case's own: it is shown in the same orders whatever else is asked with it."""
    return int(np.random.SeedSequence([seed, *candidates]).generate_state(1)[0])
