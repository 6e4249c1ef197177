"""Make a reranker's lists from users' next choices.

    rows that no protocol holds out     known 8/10              | chosen 2/10

Memories are counted from the known rows, as when a reranker is evaluated; a user's prompt holds the
rows before the choice. The other candidates are drawn as an evaluation draws them, in the order of
the fallback without a model. Any of the three protocols may evaluate an adapter, since its held-out
rows are not used (`train_split.py`).

Every fourth user occurs in the validation half alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import cycle
from typing import NamedTuple

import numpy as np

from localrec.data.arrays import Scores
from localrec.evaluation.ranking.cases import Cases, EvaluationProtocol, split_data
from localrec.evaluation.ranking.keyed_interactions import read_interactions
from localrec.evaluation.ranking.leakage import check_split, check_store
from localrec.evaluation.ranking.system_factory import SystemFactory
from localrec.foundation.errors import InputError, UsageError
from localrec.foundation.progress import Progress
from localrec.graph.domain_files import load_domain
from localrec.memory.collaborative_memory import CollaborativeMemory
from localrec.memory.configs import MEMREC_MODELS, MemRecModelConfig
from localrec.memory.from_log import ItemSet, build_collaborative_memory, deduplicated_history
from localrec.memory.memrec import NO_FACETS, MemRec
from localrec.memory.model_memrec import candidate_texts, user_context
from localrec.systems.memrec_rerankers import fallback_memory
from localrec.systems.shipped_systems import ISOLATED_AGENT, MEMREC_MODEL_COUNTED
from localrec.training.examples.episodes import concatenate_cases
from localrec.training.examples.example import Half, half_of
from localrec.training.examples.reranker import LISTED, RightList
from localrec.training.examples.train_split import shared_train_rows
from localrec.workspace import OpenWorkspace

_SYSTEMS = (MEMREC_MODEL_COUNTED, ISOLATED_AGENT)  # told of others, and told of nobody else
_FEWEST_USERS = 4  # fewer cannot be parted


class _Way(NamedTuple):
    """One way to rank candidates: the model's prompt, and the fallback."""

    prompt_config: MemRecModelConfig
    fallback: MemRec


class NextChoices:
    """The right lists of a domain's users.

    Args:
        cases: Choices with their times, each among `LISTED` candidates.
        knowledge: About the items.
        collaborative_memory: Collaborative memory before any of the choices.
        seed: Seed of their order.
    """

    def __init__(
        self,
        cases: Cases,
        knowledge: ItemSet,
        collaborative_memory: CollaborativeMemory,
        seed: int,
    ) -> None:
        self._cases = cases
        self._singular = knowledge.domain.singular
        self._seed = seed
        self._memory_texts = knowledge.texts_of(collaborative_memory)
        self._ways = [_way(name, collaborative_memory) for name in _SYSTEMS]

    def examples(self, half: Half) -> Iterator[RightList]:
        """List the examples of one half in random order, each way of ranking by turns."""
        users = half_of(np.unique(self._cases.user).tolist(), half)
        theirs = np.flatnonzero(np.isin(self._cases.user, users))
        order = np.random.default_rng(self._seed).permutation(theirs).tolist()
        return map(self._list, order, cycle(self._ways))

    def _list(self, case: int, way: _Way) -> RightList:
        items, weights = deduplicated_history(self._cases.histories[case])
        train_user = int(self._cases.train_user[case])
        memory_context = way.fallback.retrieve_memory(items, weights, train_user)
        synthesis = NO_FACETS if memory_context is None else memory_context.synthesis
        scores = way.fallback.scores(items, weights, train_user)
        ranked = self._ranked(case, scores)
        return RightList(
            context=user_context(self._memory_texts, items, synthesis),
            candidates=candidate_texts(self._memory_texts, ranked, way.prompt_config),
            singular=self._singular,
            split_keys=(f"person {self._cases.user[case]}",),
        )

    def _ranked(self, case: int, scores: Scores) -> list[int]:
        """Put the choice first and the others behind it in the order of the fallback."""
        assert self._cases.candidates is not None  # the protocol asks for some
        choice = int(self._cases.positives[case][0])
        others = [one for one in self._cases.candidates[case].tolist() if one != choice]
        return [choice, *sorted(others, key=lambda one: -scores[one])]


def open_next_choices(
    workspace: OpenWorkspace, domain_name: str, seed: int, progress: Progress
) -> NextChoices | None:
    """Read the next choices of a domain's users; None where they are too few to split.

    Args:
        workspace: Open for reading; it may be closed again behind this.
        domain_name: One that has items.
        seed: Seed of the candidates and of their order.
        progress: Called with each step and its progress.

    Raises:
        LeakError: the store tells by itself what somebody chose.
    """
    domain = load_domain(domain_name)
    try:
        keyed = read_interactions(workspace.store, domain)
        parted = split_data(shared_train_rows(keyed.interactions), _protocol(seed))
    except (InputError, UsageError):
        return None
    chosen = concatenate_cases(parted.validation, parted.test)
    if len(np.unique(chosen.user)) < _FEWEST_USERS:
        return None
    check_split(parted)
    check_store(workspace.store, chosen, keyed)
    progress("counting who likes what", 0, 0)
    knowledge = SystemFactory(workspace, domain, keyed, parted).knowledge
    collaborative_memory = build_collaborative_memory(parted.train, knowledge)
    return NextChoices(chosen, knowledge, collaborative_memory, seed)


def _protocol(seed: int) -> EvaluationProtocol:
    return EvaluationProtocol(split="by-time", candidates=LISTED, seed=seed)


def _way(name: str, collaborative_memory: CollaborativeMemory) -> _Way:
    return _Way(MEMREC_MODELS[name], MemRec(collaborative_memory, fallback_memory(name)))
