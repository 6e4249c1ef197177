"""Cases of the roles that know users: reranker, agent, memory keeper, rule maker.

The newest tenth of all rows is asked about, the tenth before it calibrates, and everything else is
known. Twenty candidates hold one that was chosen. No adapter learns from either tenth.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import msgspec
import numpy as np

from localrec.agent.limits import AgentLimits
from localrec.agent.loop import run_agent
from localrec.agent.tool_fusion import ToolFusion
from localrec.agent.tools import TOOLS
from localrec.data.arrays import Scores, unit_vectors
from localrec.data.trajectory import Trajectory
from localrec.evaluation.configs import SystemConfig
from localrec.evaluation.ranking.cases import Cases, EvaluationProtocol, split_data
from localrec.evaluation.ranking.keyed_interactions import read_interactions
from localrec.evaluation.ranking.leakage import check_split, check_store
from localrec.evaluation.ranking.metrics import hits_of, ndcg
from localrec.evaluation.ranking.reranker_answers import SEQUENTIAL, AgentAnswerer
from localrec.evaluation.ranking.system_factory import SystemFactory
from localrec.foundation.progress import Progress
from localrec.graph.domain_files import load_domain
from localrec.llm.chat_model import ChatModel
from localrec.memory.collaborative_memory import CollaborativeMemory, evidence_scores
from localrec.memory.collaborative_memory import retrieve_memory as remember
from localrec.memory.domain_statistics import domain_statistics
from localrec.memory.first_place import PLACES, rerank_first
from localrec.memory.from_log import ItemSet, build_collaborative_memory, deduplicated_history
from localrec.memory.memory_texts import MemoryTexts
from localrec.memory.memrec import NO_FACETS
from localrec.memory.model_memrec import candidate_texts, user_context
from localrec.memory.model_update import ask_user_note
from localrec.memory.rule_generation import generate_rules
from localrec.memory.rules import RuleSet
from localrec.ranking.learned.reranker_share import (
    RerankedCases,
    learn_share,
    ndcg_of_first,
    with_reranker_scores,
)
from localrec.systems.shipped_systems import AGENTICREC_FUSED, MEMREC_MODEL
from localrec.training.examples.default_order import default_scores, fitted_default
from localrec.training.role_bench.question_cases import fingerprint_of
from localrec.training.role_bench.records import PreparedModel, RoleAnswer, RoleCases
from localrec.workspace import OpenWorkspace
from localrec.workspace.domain_context import DomainContext

CANDIDATES = 20
_HISTORY, _K = 10, 10
_SWAPPED = len(PLACES)  # of the default's first candidates that a reranker may swap
_CALIBRATION = 200  # cases that a reranker's share is learnt from
_BUDGET = 2  # calls of tools, as the adapters that ship were trained
_RULED = 100  # cases over which one set of rules is measured
_TOOLS_ALONE = SystemConfig(name=AGENTICREC_FUSED, kind="agent")


class HeldOutUsers:
    """The choices of a domain's users, and the data from before them.

    Args:
        workspace: The workspace; it stays open while cases are asked.
        domain_name: Name of a domain with users.
        seed: Seed of the candidates and of the order of the cases.
        progress: Called with the step that is being fitted.
        candidates: Items to rank, the chosen one among them.

    Raises:
        InputError: people did too little to hold anything out.
        LeakError: the store tells by itself what somebody chose.
    """

    def __init__(
        self,
        workspace: OpenWorkspace,
        domain_name: str,
        seed: int,
        progress: Progress,
        candidates: int = CANDIDATES,
    ) -> None:
        self.domain, self.seed, self.candidates = load_domain(domain_name), seed, candidates
        self.context: DomainContext = workspace.context(domain_name)
        self._progress = progress
        keyed = read_interactions(workspace.store, self.domain)
        protocol = EvaluationProtocol(
            split="by-time", candidates=candidates, history=_HISTORY, seed=seed
        )
        self._parted = split_data(keyed.interactions, protocol)
        check_split(self._parted)
        check_store(workspace.store, self._parted.test, keyed)
        self._factory = SystemFactory(workspace, self.domain, keyed, self._parted)
        self.items: ItemSet = self._factory.knowledge
        self.memory: CollaborativeMemory = build_collaborative_memory(
            self._parted.train, self.items
        )
        self.texts: MemoryTexts = self.items.texts_of(self.memory)

    def test(self, count: int) -> Cases:
        """Draw cases to ask about."""
        return _drawn(self._parted.test, count, self.seed)

    def calibration(self, count: int) -> Cases:
        """Draw cases to calibrate by, from the tenth before."""
        return _drawn(self._parted.validation, count, self.seed)

    def default_scores(self, *several: Cases) -> list[Scores]:
        """Score the candidates of cases by the learnt default without its networks, (b, c) each.

        The choice stands in front.
        """
        self._progress("fitting the default", 0, 0)
        ranker = fitted_default(self._parted.train, self.items.item_features, self.seed)
        return [
            np.take_along_axis(default_scores(ranker, cases), _targets_at(cases), axis=1)
            for cases in several
        ]

    def fitted_tools(self) -> AgentAnswerer:
        """Fit an agent's tools to the known rows, without a sequential model."""
        answerer = self._factory.make(_TOOLS_ALONE, {SEQUENTIAL: False})
        assert isinstance(answerer, AgentAnswerer)  # what the factory makes of an agent
        answerer.fit(self._parted.train, self.seed, self._progress)
        return answerer


class _TopOfDefault(msgspec.Struct, frozen=True):
    """The first candidates of each case in the default's order, which a model may change.

    Args:
        cases: The cases.
        default: The default's scores of their candidates, the choice in front, (b, c).
    """

    cases: Cases
    default: Scores

    def places(self, row: int) -> np.ndarray:
        """Return the columns of the first candidates, the choice in front if it is among them."""
        first = np.argsort(-self.default[row], kind="stable")[:_SWAPPED]
        return np.sort(first)

    def holds_choice(self, row: int) -> bool:
        """Whether the choice is among the first; otherwise no swap can help or harm."""
        return int(self.places(row)[0]) == 0

    def items(self, row: int) -> list[int]:
        """Return the items at `places`."""
        found: list[int] = _targets_first(self.cases)[row, self.places(row)].tolist()
        return found


def reranker_cases(users: HeldOutUsers, count: int) -> RoleCases:
    """Make candidates in the default's order, whose first ones a model may swap.

    How far it may is a share that is learnt on other cases, as `localrec learn --reranker` learns
    it; where the model did not help there it is 0, and the default's order stands.
    """
    cases, before = users.test(count), users.calibration(_CALIBRATION)
    asked, known = map(_TopOfDefault, (cases, before), users.default_scores(cases, before))

    def by_default(number: int) -> RoleAnswer:
        return RoleAnswer(float(ndcg_of_first(asked.default[number][None])[0]))

    def prepare(model: ChatModel, adapted: bool) -> PreparedModel:
        def judged(top: _TopOfDefault, row: int) -> Scores:
            history, _ = deduplicated_history(top.cases.histories[row])
            items, own = np.array(top.items(row)), top.default[row][top.places(row)]
            by_number = np.argsort(items)  # equal scores must not tell the choice
            found = rerank_first(
                model,
                user_context(users.texts, history, NO_FACETS),
                candidate_texts(users.texts, items[by_number].tolist(), shared=False),
                own[by_number],
                singular=users.domain.singular,
            )
            scores = np.empty(len(items), dtype=np.float32)
            scores[by_number] = found.scores
            return scores

        rows = [row for row in range(len(before)) if known.holds_choice(row)]
        learnt = RerankedCases(
            np.stack([known.default[row][known.places(row)] for row in rows]),
            np.stack([judged(known, row) for row in rows]),
        )
        share = learn_share(f"{MEMREC_MODEL} {model.name}", learnt, users.seed)

        def ask(number: int) -> RoleAnswer:
            scores = judged(asked, number)
            if not asked.holds_choice(number):
                return by_default(number)
            own = asked.default[number][asked.places(number)]
            mixed = with_reranker_scores(own, scores, share.share)
            return RoleAnswer(float(ndcg_of_first(mixed[None])[0]))

        mixed = with_reranker_scores(learnt.default, learnt.reranked, share.share)
        changed = (np.argsort(-mixed, axis=1) != np.argsort(-learnt.default, axis=1)).any(axis=1)
        covers = f"With that share it changes the order of {changed.mean():.0%} of them."
        alone = f"Alone it orders the first {_SWAPPED} of {share.cases} cases with NDCG "
        told = f"{share.alone:.3f}, where the default has {share.default:.3f}."
        return PreparedModel(ask, (share.as_sentence(), alone + told, covers))

    return RoleCases(
        role="reranker",
        measure=f"NDCG of the choice among {users.candidates}; the model may swap the first "
        f"{_SWAPPED}",
        line="default without networks",
        count=len(cases),
        fingerprint=_fingerprint("reranker", cases),
        by_rules=by_default,
        prepare=prepare,
    )


def agent_cases(users: HeldOutUsers, count: int) -> RoleCases:
    """Make requests that an agent ranks with its tools; a trajectory without a ranking scores 0."""
    cases, tools = users.test(count), users.fitted_tools()
    requests = cases.requests()
    contexts = [tools.tool_context(requests, row) for row in range(len(cases))]
    targets = (_targets_at(cases)[:, 0] + 1).tolist()
    limits = AgentLimits(budget=_BUDGET, k=_K, history=_HISTORY)

    def score(number: int, trajectory: Trajectory) -> RoleAnswer:
        ranking = trajectory.ranking or ()
        return RoleAnswer(ndcg(hits_of(ranking, (targets[number],)), 1, _K) if ranking else 0.0)

    def prepare(model: ChatModel, adapted: bool) -> PreparedModel:
        return PreparedModel(
            lambda number: score(number, run_agent(model, contexts[number], TOOLS, limits, number))
        )

    return RoleCases(
        role="agent",
        measure=f"NDCG@{_K} of the choice among {users.candidates}; no ranking scores 0",
        line="fused tools",
        count=len(cases),
        fingerprint=_fingerprint("agent", cases),
        by_rules=lambda number: score(number, ToolFusion().run(contexts[number])[0]),
        prepare=prepare,
    )


def memory_cases(users: HeldOutUsers, count: int) -> RoleCases:
    """Make histories to keep in a few sentences, which alone must find the next choice."""
    cases = users.test(count)
    order = _targets_first(cases)[:, :_K]
    histories = [deduplicated_history(one)[0] for one in cases.histories]
    embedder = users.context.models.embedder

    def score(number: int, memory: str) -> RoleAnswer:
        shown = order[number].tolist()
        texts = [f"{users.texts.titles[i]}. {users.texts.of_item(i, shared=False)}" for i in shown]
        vectors = unit_vectors(np.asarray(embedder.embed([memory, *texts]), dtype=np.float32))
        near = vectors[1:] @ vectors[0]
        return RoleAnswer(float(near[0] > near[1:].max()), memory)

    def counted(number: int) -> str:
        return users.texts.of_user(histories[number])

    def prepare(model: ChatModel, adapted: bool) -> PreparedModel:
        def ask(number: int) -> RoleAnswer:
            newest = histories[number][::-1].tolist()
            liked = [(users.texts.titles[i], users.texts.of_item(i, shared=False)) for i in newest]
            return score(number, ask_user_note(model, counted(number), liked))

        return PreparedModel(ask)

    return RoleCases(
        role="memory",
        measure=f"the choice comes first among {order.shape[1]} by the memory's text alone",
        line="counted memory",
        count=len(cases),
        fingerprint=_fingerprint("memory", cases),
        by_rules=lambda number: score(number, counted(number)),
        prepare=prepare,
    )


def rule_cases(users: HeldOutUsers, count: int) -> RoleCases:
    """Make draws of a set of rules; each is measured by the neighbours that it curates."""
    cases = users.test(_RULED)
    order = _targets_first(cases)
    statistics = domain_statistics(users.context.store, users.domain)
    default = users.memory.rules

    @cache
    def score(rules: RuleSet | None) -> RoleAnswer:
        memory = msgspec.structs.replace(users.memory, rules=rules)
        gains = []
        for row in range(len(cases)):
            items, weights = deduplicated_history(cases.histories[row])
            found = remember(memory, items, weights, user=int(cases.train_user[row]))
            votes = evidence_scores(memory, items, weights, found)["votes"]
            gains.append(float(ndcg_of_first(votes[order[row]][None])[0]))
        return RoleAnswer(float(np.mean(gains)))

    def prepare(model: ChatModel, adapted: bool) -> PreparedModel:
        return PreparedModel(lambda number: score(generate_rules(model, statistics, number)))

    return RoleCases(
        role="rules",
        measure=f"NDCG of {len(cases)} choices among {users.candidates} by the curated neighbours",
        line="rules that ship",
        count=count,
        fingerprint=_fingerprint("rules", cases),
        by_rules=lambda number: score(default),
        prepare=prepare,
    )


def _drawn(cases: Cases, count: int, seed: int) -> Cases:
    """Draw cases in an order that a larger count only continues."""
    return cases.take(np.random.default_rng(seed).permutation(len(cases))[:count])


def _targets_at(cases: Cases) -> np.ndarray:
    """For each case the candidates' places in the order `_targets_first` gives, (b, c)."""
    assert cases.candidates is not None  # the protocol asks for some
    chosen = np.array([positives[0] for positives in cases.positives])
    return np.argsort(cases.candidates != chosen[:, None], axis=1, kind="stable")


def _targets_first(cases: Cases) -> np.ndarray:
    """List the candidates of each case with the choice in front, (b, c)."""
    assert cases.candidates is not None  # the protocol asks for some
    return np.take_along_axis(cases.candidates, _targets_at(cases), axis=1)


def _fingerprint(role: str, cases: Cases) -> str:
    rows: Sequence[object] = [cases.row.tolist(), _targets_first(cases).tolist()]
    return fingerprint_of(role, rows)
