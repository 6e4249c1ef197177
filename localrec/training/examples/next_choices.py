"""Make a reranker's lists from users' next choices.

    rows that no protocol holds out     known 8/10              | chosen 2/10

Memories and the default ranking are learnt from the known rows, as when a reranker is evaluated; a
user's prompt holds the rows before the choice. The choice stands among candidates that are drawn as
an evaluation draws them, and the default's first of these make a list. Any of the three protocols
may evaluate an adapter, since its held-out rows are not used (`train_split.py`).

Every fourth user occurs in the validation half alone.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from localrec.data.arrays import Scores
from localrec.data.interactions import Interactions
from localrec.evaluation.ranking.cases import Cases, EvaluationProtocol, split_data
from localrec.evaluation.ranking.keyed_interactions import read_interactions
from localrec.evaluation.ranking.leakage import check_split, check_store
from localrec.evaluation.ranking.system_factory import SystemFactory
from localrec.foundation.errors import InputError, UsageError
from localrec.foundation.progress import Progress
from localrec.graph.domain_files import load_domain
from localrec.memory.collaborative_memory import CollaborativeMemory
from localrec.memory.first_place import first_places
from localrec.memory.from_log import ItemSet, build_collaborative_memory, deduplicated_history
from localrec.memory.memrec import NO_FACETS
from localrec.memory.model_memrec import candidate_texts, user_context
from localrec.training.examples.default_order import (
    default_scores,
    disagreements,
    fitted_default,
)
from localrec.training.examples.episodes import concatenate_cases
from localrec.training.examples.example import Half, half_of
from localrec.training.examples.reranker import LISTED, RankedList
from localrec.training.examples.train_split import shared_train_rows
from localrec.workspace import OpenWorkspace

_FEWEST_USERS = 4  # fewer cannot be parted
_UNDISPUTED = 0.1  # weight of a choice about which no evidence disagrees, beside 1 + 0.1
_CANDIDATES = 20  # among which a choice stands, at most


class NextChoices:
    """The lists of a domain's users.

    Args:
        cases: Choices with their times, each among candidates.
        default: The default's scores of the candidates, (b, c).
        knowledge: About the items.
        collaborative_memory: Collaborative memory before any of the choices.
        seed: Seed of their order.
        disagreement: How much the kinds of evidence disagree about each, 0 to 1, (b,); the more,
            the earlier it comes. None: in random order.
    """

    def __init__(
        self,
        cases: Cases,
        default: Scores,
        knowledge: ItemSet,
        collaborative_memory: CollaborativeMemory,
        seed: int,
        disagreement: Scores | None = None,
    ) -> None:
        self._cases, self._default = cases, default
        self._disagreement = disagreement
        self._singular = knowledge.domain.singular
        self._seed = seed
        self._memory_texts = knowledge.texts_of(collaborative_memory)

    def examples(self, half: Half) -> Iterator[RankedList]:
        """List the examples of one half in random order, or those to learn from as drawn.

        Choices that are not among the default's first are left out.
        """
        users = half_of(np.unique(self._cases.user).tolist(), half)
        theirs = np.flatnonzero(np.isin(self._cases.user, users))
        random = np.random.default_rng(self._seed)
        if self._disagreement is None or half == "validation":
            order = random.permutation(theirs)
        else:
            order = drawn_order(theirs, self._disagreement[theirs], random)
        return map(self._list, (case for case in order.tolist() if self._choice(case) is not None))

    def _first(self, case: int) -> tuple[list[int], Scores]:
        """Return the default's first candidates, best first, and their scores."""
        assert self._cases.candidates is not None  # the protocol asks for some
        places = first_places(self._default[case])
        return self._cases.candidates[case][places].tolist(), self._default[case][places]

    def _choice(self, case: int) -> int | None:
        """Return the place of the choice among the first; None if it is not among them."""
        items, choice = self._first(case)[0], int(self._cases.positives[case][0])
        return items.index(choice) if choice in items else None

    def _list(self, case: int) -> RankedList:
        items, _ = deduplicated_history(self._cases.histories[case])
        first, scores = self._first(case)
        choice = self._choice(case)
        assert choice is not None  # others are left out
        return RankedList(
            context=user_context(self._memory_texts, items, NO_FACETS),
            candidates=candidate_texts(self._memory_texts, first, shared=False),
            default=scores,
            choice=choice,
            singular=self._singular,
            split_keys=(f"person {self._cases.user[case]}",),
        )


def drawn_order(
    cases: NDArray[np.intp], disagreement: Scores, random: np.random.Generator
) -> NDArray[np.intp]:
    """Draw all cases one after another, by weights that rise with their disagreement, (b,).

    Where all kinds of evidence disagree a case is drawn eleven times as likely as where none does.

    Args:
        cases: Numbers of the cases, (b,).
        disagreement: How much the evidence disagrees about each, 0 to 1, (b,).
        random: Draws them.
    """
    times = random.exponential(size=len(cases)) / (_UNDISPUTED + disagreement)
    return cases[np.argsort(times, kind="stable")]


def open_next_choices(
    workspace: OpenWorkspace,
    domain_name: str,
    seed: int,
    progress: Progress,
    *,
    most: int = 0,
    curriculum: bool = False,
) -> NextChoices | None:
    """Read the next choices of a domain's users; None where they are too few to split.

    Args:
        workspace: Open for reading; it may be closed again behind this.
        domain_name: One that has items.
        seed: Seed of the candidates and of their order.
        progress: Called with each step and its progress.
        most: Choices that are drawn and scored by the default; 0: all.
        curriculum: Whether those about which the evidence disagrees come earlier.

    Raises:
        LeakError: the store tells by itself what somebody chose.
    """
    domain = load_domain(domain_name)
    try:
        keyed = read_interactions(workspace.store, domain)
        rows = shared_train_rows(keyed.interactions)
        parted = split_data(rows, choice_protocol(rows, seed))
    except (InputError, UsageError):
        return None
    chosen = concatenate_cases(parted.validation, parted.test)
    if len(np.unique(chosen.user)) < _FEWEST_USERS:
        return None
    check_split(parted)
    check_store(workspace.store, chosen, keyed)
    if most:
        chosen = chosen.take(np.random.default_rng(seed).permutation(len(chosen))[:most])
    progress("counting who likes what", 0, 0)
    knowledge = SystemFactory(workspace, domain, keyed, parted).knowledge
    collaborative_memory = build_collaborative_memory(parted.train, knowledge)
    progress("fitting the default", 0, 0)
    default = fitted_default(parted.train, knowledge.item_features, seed)
    scores = default_scores(default, chosen)
    disputed = None
    if curriculum:
        disputed = disagreements(default, chosen, np.stack([first_places(one) for one in scores]))
    return NextChoices(chosen, scores, knowledge, collaborative_memory, seed, disputed)


def choice_protocol(rows: Interactions, seed: int) -> EvaluationProtocol:
    """Split by time; a small catalogue has fewer candidates that its users never met."""
    unmet = rows.items - int(np.bincount(rows.user).max(initial=0))
    candidates = max(LISTED, min(_CANDIDATES, unmet))
    return EvaluationProtocol(split="by-time", candidates=candidates, seed=seed)
