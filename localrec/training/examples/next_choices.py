"""Make a reranker's lists from users' next choices.

    rows that no protocol holds out     known 8/10              | chosen 2/10

Memories and the default ranking are learnt from the known rows, as when a reranker is evaluated; a
user's prompt holds the rows before the choice. The choice stands among candidates, of which the
default's first make a list:

    open_next_choices       drawn as an evaluation draws them
    open_catalogue_choices  the default's own first 20 of all that the user has not met

Any of the three protocols may evaluate an adapter, since its held-out rows are not used
(`train_split.py`). Every fourth user occurs in the validation half alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import msgspec
import numpy as np
from numpy.typing import NDArray

from localrec.data.arrays import Scores
from localrec.data.domains import Domain
from localrec.data.interactions import Interactions
from localrec.evaluation.ranking.cases import Cases, DataSplit, EvaluationProtocol, split_data
from localrec.evaluation.ranking.keyed_interactions import KeyedInteractions, read_interactions
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
from localrec.ranking.learned.ranker import FusedRanker
from localrec.training.examples.default_order import (
    CatalogueTop,
    default_scores,
    disagreements,
    fitted_default,
    top_of_catalogue,
)
from localrec.training.examples.episodes import concatenate_cases
from localrec.training.examples.example import Half, half_of
from localrec.training.examples.reranker import LISTED, RankedList
from localrec.training.examples.train_split import shared_train_rows
from localrec.workspace import OpenWorkspace

_FEWEST_USERS = 4  # fewer cannot be parted
_UNDISPUTED = 0.1  # weight of a choice about which no evidence disagrees, beside 1 + 0.1
_FEWEST_SHOWN = 2  # of one there is nothing to put first
CANDIDATES = 20  # among which a choice stands, at most


class NextChoices:
    """The lists of a domain's users.

    Args:
        cases: Choices with their times, each with candidates.
        default: The default's scores of the candidates, minus infinity of what is none, (b, c).
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
        lists = map(self.ranked_list, order.tolist())
        return (one for one in lists if one is not None)

    def ranked_list(self, case: int) -> RankedList | None:
        """Make the list of a choice; None where that is not among the default's first.

        Args:
            case: Number of the choice, from 0.
        """
        assert self._cases.candidates is not None  # the protocol asks for some
        places = first_places(self._default[case])
        places = places[np.isfinite(self._default[case][places])]
        first = self._cases.candidates[case][places].tolist()
        choice = int(self._cases.positives[case][0])
        if choice not in first or len(first) < _FEWEST_SHOWN:
            return None
        items, _ = deduplicated_history(self._cases.histories[case])
        return RankedList(
            context=user_context(self._memory_texts, items, NO_FACETS),
            candidates=candidate_texts(self._memory_texts, first, shared=False),
            default=self._default[case][places],
            choice=first.index(choice),
            singular=self._singular,
            split_keys=(f"person {self._cases.user[case]}",),
        )


class ChosenRows(msgspec.Struct, frozen=True, kw_only=True):
    """Users' choices, and everything that was learnt from the rows before them.

    Args:
        cases: The choices.
        knowledge: About the items.
        memory: Collaborative memory.
        default: The learnt default without its networks.
        seed: Seed of the default, and of the order of the choices.
    """

    cases: Cases
    knowledge: ItemSet
    memory: CollaborativeMemory
    default: FusedRanker
    seed: int


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
    workspace: OpenWorkspace, domain_name: str, seed: int, progress: Progress
) -> NextChoices | None:
    """Read the next choices of a domain's users among drawn candidates; None of too few users.

    Args:
        workspace: Open for reading; it may be closed again behind this.
        domain_name: One that has items.
        seed: Seed of the candidates and of their order.
        progress: Called with each step and its progress.

    Raises:
        LeakError: the store tells by itself what somebody chose.
    """

    def protocol(rows: Interactions) -> EvaluationProtocol:
        return choice_protocol(rows, seed)

    known = chosen_rows(workspace, domain_name, protocol, progress)
    if known is None:
        return None
    scores = default_scores(known.default, known.cases)
    return NextChoices(known.cases, scores, known.knowledge, known.memory, seed)


def open_catalogue_choices(
    workspace: OpenWorkspace,
    domain_name: str,
    seed: int,
    progress: Progress,
    *,
    most: int = 0,
    curriculum: bool = False,
) -> NextChoices | None:
    """Read the next choices of a domain's users among the default's own first 20 items.

    The default ranks all items that a user has not met; choices that are not among its first 20 are
    left out. None where users are too few to split.

    Args:
        workspace: Open for reading; it may be closed again behind this.
        domain_name: One that has items.
        seed: Seed of the order of the choices.
        progress: Called with each step and its progress.
        most: Choices that are drawn and ranked by the default; 0: all.
        curriculum: Whether those about which the evidence disagrees come earlier.

    Raises:
        LeakError: the store tells by itself what somebody chose.
    """

    def protocol(rows: Interactions) -> EvaluationProtocol:
        return EvaluationProtocol(split="by-time", seed=seed)

    known = chosen_rows(workspace, domain_name, protocol, progress, most)
    if known is None:
        return None
    top = top_of_catalogue(known.default, known.cases, CANDIDATES, progress)
    return catalogue_choices(known, top, curriculum=curriculum)


def catalogue_choices(
    known: ChosenRows, top: CatalogueTop, *, curriculum: bool = False
) -> NextChoices:
    """Put each choice among the default's first items of the catalogue.

    Args:
        known: The choices, and the default that ranked the catalogue for each.
        top: Its first items.
        curriculum: Whether choices about which the evidence disagrees come earlier.
    """
    cases, disputed = msgspec.structs.replace(known.cases, candidates=top.items), None
    if curriculum:
        asked = np.flatnonzero(top.places < LISTED)  # the others make no list
        shown = np.tile(np.arange(min(LISTED, top.items.shape[1])), (len(asked), 1))
        disputed = np.zeros(len(cases), dtype=np.float32)
        disputed[asked] = disagreements(known.default, cases.take(asked), shown)
    return NextChoices(cases, top.scores, known.knowledge, known.memory, known.seed, disputed)


def chosen_rows(
    workspace: OpenWorkspace,
    domain_name: str,
    protocol: Callable[[Interactions], EvaluationProtocol],
    progress: Progress,
    most: int = 0,
) -> ChosenRows | None:
    """Split the rows that no protocol holds out by time, and learn from the older ones.

    Args:
        workspace: Open for reading.
        domain_name: One that has items.
        protocol: Makes the split of the rows, whose seed is that of everything else.
        progress: Called with each step and its progress.
        most: Choices that are drawn; 0: all.

    Returns:
        None where too few users chose anything.

    Raises:
        LeakError: the store tells by itself what somebody chose.
    """
    domain = load_domain(domain_name)
    try:
        keyed = read_interactions(workspace.store, domain)
        rows = shared_train_rows(keyed.interactions)
        wanted = protocol(rows)
        parted = split_data(rows, wanted)
    except (InputError, UsageError):
        return None
    every = concatenate_cases(parted.validation, parted.test)
    drawn = np.random.default_rng(wanted.seed).permutation(len(every))[:most]
    cases = every.take(drawn) if most else every
    if len(np.unique(cases.user)) < _FEWEST_USERS:
        return None
    check_split(parted)
    check_store(workspace.store, every, keyed)
    return learnt_before(workspace, domain, keyed, parted, cases, wanted.seed, progress)


def learnt_before(
    workspace: OpenWorkspace,
    domain: Domain,
    keyed: KeyedInteractions,
    parted: DataSplit,
    cases: Cases,
    seed: int,
    progress: Progress,
) -> ChosenRows:
    """Learn memories and the default from the known rows of a split, for some of its cases.

    Args:
        workspace: Open for reading.
        domain: Domain of the items.
        keyed: All interactions.
        parted: Their split; the rows to learn from are known.
        cases: Choices that it holds out.
        seed: Seed of the default, and of the order of the choices.
        progress: Called with each step and its progress.
    """
    progress("counting who likes what", 0, 0)
    knowledge = SystemFactory(workspace, domain, keyed, parted).knowledge
    memory = build_collaborative_memory(parted.train, knowledge)
    progress("fitting the default", 0, 0)
    default = fitted_default(parted.train, knowledge.item_features, seed)
    return ChosenRows(cases=cases, knowledge=knowledge, memory=memory, default=default, seed=seed)


def choice_protocol(rows: Interactions, seed: int) -> EvaluationProtocol:
    """Split by time; a small catalogue has fewer candidates that its users never met."""
    unmet = rows.items - int(np.bincount(rows.user).max(initial=0))
    candidates = max(LISTED, min(CANDIDATES, unmet))
    return EvaluationProtocol(split="by-time", candidates=candidates, seed=seed)
