"""The harness for gold questions: ask each system of a configuration, score, report.

Answers are expensive, so each is on disk before the next question is asked, and a resumed run asks
only the missing ones. Scores follow from the answers, the gold and the store, and are computed
anew.
"""

from __future__ import annotations

import hashlib
import time
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import msgspec
import numpy as np

from localrec.data.answers import Answer
from localrec.data.domains import Domain
from localrec.data.questions import Question
from localrec.evaluation.configs import QuestionRunConfig, QuestionSystemConfig
from localrec.evaluation.provenance import Origin
from localrec.evaluation.questions.answer_scoring import (
    AnswerScore,
    answer_score_record,
    score_answer,
)
from localrec.evaluation.questions.gold import GoldQuestion, read_gold, unknown_names
from localrec.evaluation.questions.store_truth import StoreTruth
from localrec.evaluation.questions.summaries import summarise
from localrec.evaluation.run_folder import (
    QuestionRunOrigin,
    RunFolder,
    RunMetrics,
    SystemResult,
    answer_file,
    case_file,
)
from localrec.evaluation.system_loop import measure_systems
from localrec.foundation.errors import InputError
from localrec.foundation.jsonl_log import read_records, write_records
from localrec.foundation.paths import owner_only
from localrec.foundation.progress import Progress
from localrec.graph.domain_files import load_domain
from localrec.graph.store import Store
from localrec.ranking.recommender import SettingValue
from localrec.systems.configs import AnswererConfig, system_config
from localrec.systems.registry import SYSTEM_REGISTRY, SystemRegistry
from localrec.workspace import OpenWorkspace
from localrec.workspace.batch_runs import answer_batch

_WARM_UP = "warm up"

_CATALOGUE = """
    SELECT bit_xor(hash(kind, key, name, properties)) FROM node WHERE domain = $domain
    AND kind IN (SELECT unnest($kinds))
"""
_LINKS = """
    SELECT bit_xor(hash(s.kind, s.key, t.kind, t.key, e.kind, e.properties)) FROM edge e
    JOIN node s ON s.node_id = e.source_id JOIN node t ON t.node_id = e.target_id
    WHERE s.domain = $domain AND s.kind IN (SELECT unnest($kinds))
    AND t.kind IN (SELECT unnest($kinds))
"""


class _RunContext(msgspec.Struct, frozen=True, kw_only=True):
    """The data that all systems of the run share."""

    config: QuestionRunConfig
    domain: Domain
    gold: tuple[GoldQuestion, ...]
    truth: StoreTruth
    folder: RunFolder
    home: Path
    open_workspace: Callable[[Path], OpenWorkspace]
    systems: SystemRegistry
    progress: Progress


def run_question_evaluation(
    config: QuestionRunConfig,
    text: bytes,
    home: Path,
    folder: RunFolder,
    made: Origin,
    *,
    progress: Progress,
    open_workspace: Callable[[Path], OpenWorkspace] = OpenWorkspace,
    systems: SystemRegistry = SYSTEM_REGISTRY,
) -> RunMetrics:
    """Measure all systems of a configuration that are not measured yet.

    Args:
        config: Configuration of the run.
        text: The configuration as it was written, kept in the folder.
        home: Folder of the workspace; it is opened anew for each system, so that no system profits
            from texts that another one has read or embedded.
        folder: Folder of the run; it may not exist yet.
        made: Command, versions, machine.
        progress: Called with the step, how much of it is done, and of how much.
        open_workspace: Opens the folder of a workspace.
        systems: Builds the systems by name.

    Raises:
        UsageError: there is no such system, or the folder holds another run.
        InputError: there are no such questions, or nothing that they are about.
        BusyError: another process is at the same run.
    """
    with open_workspace(home) as workspace:
        for system in config.systems:
            _composition(system, workspace)
        run_context = _prepare(config, workspace, folder, progress, open_workspace, systems)
        origin = _origin(run_context, workspace, made)
    with folder.alone():
        folder.begin(text, origin)
        return measure_systems(
            config.systems,
            folder,
            partial(_measure, run_context),
            quotes_errors=config.questions.half == "dev",  # an error might quote a question
        )


def score_answers(
    folder: RunFolder, system: str, gold: Sequence[GoldQuestion], truth: StoreTruth
) -> list[AnswerScore]:
    """Score the answers of a system against gold and store, in the gold's order.

    Raises:
        InputError: its file of answers is not what it should be.
    """
    answers = {one.id: one for one in read_records(folder.path / answer_file(system), Answer)}
    return [score_answer(one, answers[one.id], truth) for one in gold if one.id in answers]


def _prepare(
    config: QuestionRunConfig,
    workspace: OpenWorkspace,
    folder: RunFolder,
    progress: Progress,
    open_workspace: Callable[[Path], OpenWorkspace],
    systems: SystemRegistry,
) -> _RunContext:
    asked = config.questions
    gold = tuple(read_gold(asked.path, asked.half))
    if not gold:
        raise InputError(f"{asked.path} has no questions of the {asked.half} half.", "Add some.")
    if asked.about not in workspace.domains():
        raise InputError(
            f"There is nothing about {asked.about!r} in {workspace.folder}.",
            f"Put it in, as by: localrec datasets pull {asked.about}",
        )
    domain = load_domain(asked.about)
    return _RunContext(
        config=config,
        domain=domain,
        gold=gold,
        truth=StoreTruth(workspace.store, domain),
        folder=folder,
        home=workspace.folder,
        open_workspace=open_workspace,
        systems=systems,
        progress=progress,
    )


def _origin(run_context: _RunContext, workspace: OpenWorkspace, made: Origin) -> QuestionRunOrigin:
    settings = workspace.settings
    return QuestionRunOrigin(
        run=run_context.config,
        fingerprint=_fingerprint(run_context, workspace.store),
        questions=len(run_context.gold),
        unknown=len(set(unknown_names(run_context.gold, run_context.truth))),
        items=len(run_context.truth.items),
        models={
            "embedder": workspace.models.embedder_name,
            "chat": settings.chat_model,
            **{str(role): name for role, name in settings.roles.items()},
        },
        made=made,
    )


def _fingerprint(run_context: _RunContext, store: Store) -> str:
    """Hash the questions, their labels and the data that they are about."""
    digest = hashlib.blake2b(msgspec.json.encode(run_context.gold), digest_size=16)
    kinds = [run_context.domain.item, *run_context.domain.attributes]
    for query in (_CATALOGUE, _LINKS):
        ((shown,),) = store.rows(query, {"domain": run_context.domain.name, "kinds": kinds})
        digest.update(str(shown).encode())
    return digest.hexdigest()


def _measure(run_context: _RunContext, system: QuestionSystemConfig) -> SystemResult:
    half = run_context.config.questions.half
    gold = _sampled(run_context.gold, system.sample, run_context.config.seed)
    with run_context.open_workspace(run_context.home) as workspace:
        settings = _settings(_composition(system, workspace), workspace)
        opening_s = _ask_rest(run_context, system, workspace, gold)
    cases = score_answers(run_context.folder, system.name, gold, run_context.truth)
    write_records(
        run_context.folder.path / case_file(system.name),
        [answer_score_record(case) for case in cases],
    )
    report = summarise(system.name, half, cases)
    return SystemResult(
        name=system.name,
        settings=settings,
        fit_s=round(opening_s, 3),
        score_s=round(sum(case.ms for case in cases) / 1000, 3),
        cases=len(cases),
        metrics=report.measures,
        faults=_faults(cases),
        per_case=case_file(system.name),
        questions=report,
    )


def _ask_rest(
    run_context: _RunContext,
    system: QuestionSystemConfig,
    workspace: OpenWorkspace,
    gold: Sequence[GoldQuestion],
) -> float:
    """Ask the questions without an answer in the folder; return the seconds of opening."""
    run_context.progress(f"opening {system.name}", 0, 0)
    started = time.perf_counter()
    context = workspace.context(run_context.domain.name)
    answerer = run_context.systems.answerer(
        context, system.catalogued, without_model=system.settings.no_model
    )
    answerer.answer(
        Question(query=_WARM_UP, id=_WARM_UP), run_context.config.k
    )  # loading is no answering
    opening_s = time.perf_counter() - started
    with owner_only():
        answer_batch(
            lambda _: answerer,
            [Question(query=one.query, id=one.id) for one in gold],
            run_context.folder.path / answer_file(system.name),
            run_context.config.k,
            lambda done, total: run_context.progress(f"asking {system.name}", done, total),
        )
    return opening_s


def _sampled(gold: Sequence[GoldQuestion], count: int, seed: int) -> list[GoldQuestion]:
    """Sample the questions in their order; a smaller sample is part of a larger one."""
    if not 0 < count < len(gold):
        return list(gold)
    drawn = np.sort(np.random.default_rng(seed).permutation(len(gold))[:count])
    return [gold[place] for place in drawn.tolist()]


def _composition(system: QuestionSystemConfig, workspace: OpenWorkspace) -> AnswererConfig:
    """List the parts of a system.

    Raises:
        UsageError: there is no such system.
    """
    return system_config(
        system.catalogued, workspace.settings, without_model=system.settings.no_model
    )


def _settings(composition: AnswererConfig, workspace: OpenWorkspace) -> dict[str, SettingValue]:
    """List the parts of a system for a report, with its models.

    Raises:
        ModelError: one of them is not here; without it another system would be measured.
    """
    parts = msgspec.structs.asdict(composition).items()
    shown = {
        name: ("yes" if value else "no") if isinstance(value, bool) else value
        for name, value in parts
    }
    return shown | {role: workspace.models.open(role).name for role in composition.asks_model}


def _faults(cases: Sequence[AnswerScore]) -> dict[str, int]:
    """Count the answers in which a stage's model failed and its fallback answered."""
    return dict(
        Counter(
            f"the model of {role.removesuffix('_failed')} failed"
            for case in cases
            for role in case.answered_by
            if role.endswith("_failed")
        )
    )
