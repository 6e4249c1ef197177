"""Make an agent's training and validation requests from interactions (AgenticRec, appendix E).

    rows that no protocol holds out   | train 8/10                 | validation 1/10 | -
    train                             | known 8/10 | asked 2/10

Tools count rows from before the request, as when the agent is evaluated. So the training rows are
split by time once more: tools know the older ones, and the newer ones are the requests. Otherwise a
tool would know the target, and the agent would learn to trust tools that later know less. No row
that any of the three protocols holds out is used (`train_split.py`), so each protocol may evaluate
the agent.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np

from localrec.agent.tool_context import DomainKnowledge
from localrec.data.domains import Domain
from localrec.evaluation.configs import SystemConfig
from localrec.evaluation.ranking.cases import Cases, DataSplit, EvaluationProtocol, split_data
from localrec.evaluation.ranking.keyed_interactions import KeyedInteractions, read_interactions
from localrec.evaluation.ranking.reranker_answers import SEQUENTIAL, AgentAnswerer
from localrec.evaluation.ranking.system_factory import SystemFactory
from localrec.foundation.progress import Progress
from localrec.graph.domain_files import load_domain
from localrec.systems.shipped_systems import AGENTICREC_FUSED
from localrec.training.examples.train_split import shared_train_rows
from localrec.training.rl.tasks import ListRequest
from localrec.workspace import OpenWorkspace
from localrec.workspace.domain_choice import domain_of_question

_DESCRIPTION = "description"  # the text that tools read
_TOOLS_ALONE = SystemConfig(name=AGENTICREC_FUSED, kind="agent")  # fits them, asks no model


class EpisodesConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Select the requests.

    Args:
        domain: Domain of the items; None for the workspace's only one.
        candidates: Items to rank, the chosen one among them.
        history: The number of newest items that are shown.
        seed: Seed of the candidates, of the tools' sequential model, and of the order of users.
        most: Most requests to train on; 0: all.
        validation: Most requests to validate on.
        sequential: Whether SASRec is trained for the tools to ask.
    """

    domain: str | None = None
    candidates: int = 20
    history: int = 10
    seed: int = 7
    most: int = 0
    validation: int = 100
    sequential: bool = True


class Episodes:
    """Requests by number; tool contexts are built on demand.

    Args:
        acting: The agent with its fitted tools.
        cases: Cases with one positive among their candidates.
        k: The number of items in a ranking.
        descriptions: Text of each item, read beforehand: the store is closed while a model learns.
        fingerprint: Hash of the data and of its split.
    """

    def __init__(
        self,
        answerer: AgentAnswerer,
        cases: Cases,
        k: int,
        descriptions: Sequence[str],
        fingerprint: str,
    ) -> None:
        self._answerer = answerer
        self._cases = cases
        self._requests = cases.requests()
        self._k = k
        self._descriptions = descriptions
        self._reference: DomainKnowledge | None = None
        self.fingerprint = fingerprint

    def __len__(self) -> int:
        return len(self._cases)

    def request(self, number: int) -> ListRequest:
        """Return a request by its number, from 0."""
        assert self._cases.candidates is not None  # the protocol asks for some
        line = self._cases.candidates[number].tolist()
        tool_context = self._answerer.tool_context(self._requests, number)
        if self._reference is None:
            self._reference = msgspec.structs.replace(
                tool_context.reference, descriptions=self._descriptions.__getitem__
            )
        return ListRequest(
            tool_context=msgspec.structs.replace(tool_context, reference=self._reference),
            target=line.index(int(self._cases.positives[number][0])) + 1,
            k=self._k,
        )


class EpisodeSplit(msgspec.Struct, frozen=True):
    """The training and validation requests."""

    train: Episodes
    validation: Episodes

    @property
    def fingerprint(self) -> str:
        """Hash both splits."""
        return _digest(self.train.fingerprint, self.validation.fingerprint)


def open_episodes(folder: Path, config: EpisodesConfig, k: int, progress: Progress) -> EpisodeSplit:
    """Read the requests of a workspace, and close it again.

    Args:
        folder: The workspace.
        config: The selection of the requests.
        k: Numbers in a ranking.
        progress: Called with each step and its progress.

    Raises:
        InputError: people did too little to part it.
        UsageError: there is no such domain, or torch is not installed.
        LeakError: tools would know what is asked.
    """
    with OpenWorkspace(folder) as workspace:
        domain = load_domain(domain_of_question(workspace, "", config.domain))
        keyed = read_interactions(workspace.store, domain)
        protocol = _protocol(config)
        outer = split_data(shared_train_rows(keyed.interactions), protocol)
        inner = split_data(outer.train, protocol)
        texts = _descriptions(workspace, domain)

        def episodes(parted: DataSplit, cases: Cases, most: int) -> Episodes:
            chosen = _drawn(cases, most, config.seed)
            answerer = _fitted(
                SystemFactory(workspace, domain, keyed, parted), parted, config, progress
            )
            mark = _fingerprint(keyed, chosen, config, k)
            return Episodes(answerer, chosen, k, texts, mark)

        return EpisodeSplit(
            train=episodes(inner, concatenate_cases(inner.validation, inner.test), config.most),
            validation=episodes(outer, outer.validation, config.validation),
        )


def _protocol(config: EpisodesConfig) -> EvaluationProtocol:
    return EvaluationProtocol(
        split="by-time", candidates=config.candidates, history=config.history, seed=config.seed
    )


def _fitted(
    factory: SystemFactory, parted: DataSplit, config: EpisodesConfig, progress: Progress
) -> AgentAnswerer:
    answerer = factory.make(_TOOLS_ALONE, {SEQUENTIAL: config.sequential})
    assert isinstance(answerer, AgentAnswerer)  # what the bench makes of an agent
    answerer.fit(parted.train, config.seed, progress)
    factory.look_over(answerer)
    return answerer


def concatenate_cases(one: Cases, other: Cases) -> Cases:
    """Join the cases of both splits, the first ones in front; both have candidates or neither."""
    drawn = [half.candidates for half in (one, other) if half.candidates is not None]
    return Cases(
        row=np.concatenate([one.row, other.row]),
        user=np.concatenate([one.user, other.user]),
        train_user=np.concatenate([one.train_user, other.train_user]),
        histories=one.histories + other.histories,
        stars=one.stars + other.stars,
        at=one.at + other.at,
        seen_items=one.seen_items + other.seen_items,
        positives=one.positives + other.positives,
        candidates=np.concatenate(drawn) if drawn else None,
    )


def _drawn(cases: Cases, most: int, seed: int) -> Cases:
    """Draw some cases in random order; 0 takes all of them."""
    order = np.random.default_rng(seed).permutation(len(cases))
    return cases.take(order[:most] if most else order)


def _descriptions(workspace: OpenWorkspace, domain: Domain) -> list[str]:
    catalogue = workspace.context(domain.name).catalogue
    text = domain.texts.get(_DESCRIPTION)
    if text is None:
        return [""] * len(catalogue)
    return catalogue.texts(range(len(catalogue)), text)


def _fingerprint(keyed: KeyedInteractions, cases: Cases, config: EpisodesConfig, k: int) -> str:
    assert cases.candidates is not None
    lines = (cases.row, cases.candidates.astype(np.int64))
    settings = msgspec.json.encode(config).decode()
    drawn = hashlib.blake2b(b"".join(np.ascontiguousarray(one).tobytes() for one in lines))
    return _digest(keyed.fingerprint, settings, str(k), drawn.hexdigest())


def _digest(*texts: str) -> str:
    return hashlib.blake2b("\0".join(texts).encode(), digest_size=16).hexdigest()
