"""The harness for rankings: tune, fit, check for leaks, ask and score each system of a run.

All systems take the same steps. A failure is reported in the figures and stops no other system;
finished work is on disk, and a killed run continues where it was.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

import msgspec
import numpy as np

from localrec.data.domains import Domain
from localrec.engines.execution import LocalEngine
from localrec.engines.protocol import Engine
from localrec.evaluation.configs import RunConfig, SystemConfig
from localrec.evaluation.explanations.rationales import Explain, write_rationales
from localrec.evaluation.provenance import Origin
from localrec.evaluation.ranking.cases import Cases, DataSplit, split_data
from localrec.evaluation.ranking.given_negatives import with_given_negatives
from localrec.evaluation.ranking.inference import (
    CaseResult,
    EvaluatedSystem,
    InferenceContext,
    ListAnswerer,
    candidate_scores,
    run_cases,
)
from localrec.evaluation.ranking.keyed_interactions import KeyedInteractions, read_interactions
from localrec.evaluation.ranking.leakage import (
    Suspicion,
    check_split,
    implausibly_good,
    probe_with_decoys,
)
from localrec.evaluation.ranking.metrics import ndcgs, tied_ranks
from localrec.evaluation.ranking.reranker_answers import MemoryAnswerer, RerankerAnswerer
from localrec.evaluation.ranking.scoring import ItemFacts, figures_of, read_facts
from localrec.evaluation.ranking.splits import Rows
from localrec.evaluation.ranking.system_factory import SystemFactory
from localrec.evaluation.run_folder import (
    RunFolder,
    RunMetrics,
    RunOrigin,
    SystemResult,
    case_file,
    rationale_file,
)
from localrec.evaluation.system_loop import measure_systems
from localrec.foundation.progress import Progress
from localrec.graph.domain_files import load_domain
from localrec.ranking.baselines.tuning import TuningResult, tune
from localrec.ranking.recommender import Recommender, SettingValue
from localrec.workspace import OpenWorkspace

TUNED_FOR = 10  # validation's NDCG at this length decides


class RunContext(msgspec.Struct, frozen=True, kw_only=True):
    """The data that all systems of a run share.

    Args:
        config: Configuration of the run.
        domain: Domain of the items.
        keyed: All interactions.
        parted: The interactions, split by the protocol.
        inference: Settings of all cases.
        facts: Facts about the items.
        systems: Makes the systems.
        folder: Folder of the run.
        engine: Runs the chunks.
        progress: Called with each step and its progress.
    """

    config: RunConfig
    domain: Domain
    keyed: KeyedInteractions
    parted: DataSplit
    inference: InferenceContext
    facts: ItemFacts
    systems: SystemFactory
    folder: RunFolder
    engine: Engine
    progress: Progress


class _Fitted(msgspec.Struct, frozen=True):
    """A fitted system and the record of its fit; `spared_s` is part of `fit_s`."""

    system: EvaluatedSystem
    fit_s: float
    spared_s: float
    search: TuningResult | None


def run_ranking_evaluation(
    config: RunConfig,
    text: bytes,
    workspace: OpenWorkspace,
    folder: RunFolder,
    made: Origin,
    *,
    engine: Engine | None = None,
    progress: Progress,
    workbench: Callable[
        [OpenWorkspace, Domain, KeyedInteractions, DataSplit], SystemFactory
    ] = SystemFactory,
) -> RunMetrics:
    """Measure all systems of a configuration that are not measured yet.

    Args:
        config: Configuration of the run.
        text: The configuration as it was written, kept in the folder.
        workspace: Open for reading.
        folder: Folder of the run; it may not exist yet.
        made: Command, versions, machine.
        engine: Works the chunks of cases off; by default this process.
        progress: Called with each step and its progress.
        workbench: Makes the systems.

    Raises:
        UsageError: the folder holds another run, or a system or setting does not exist.
        InputError: the data is missing, or too small for the protocol.
        LeakError: the split itself leaks.
        BusyError: another process is at the same run.
    """
    progress("reading the data", 0, 0)
    context = _prepare(config, workspace, folder, engine or LocalEngine(), progress, workbench)
    with folder.alone():
        folder.begin(text, _origin(context, made))
        return measure_systems(
            config.systems, folder, partial(_measure, context), complete=with_doubts
        )


def _prepare(
    config: RunConfig,
    workspace: OpenWorkspace,
    folder: RunFolder,
    engine: Engine,
    progress: Progress,
    workbench: Callable[[OpenWorkspace, Domain, KeyedInteractions, DataSplit], SystemFactory],
) -> RunContext:
    domain_name, source = config.data.where()
    domain = load_domain(domain_name)
    keyed = read_interactions(workspace.store, domain, source)
    parted = split_data(keyed.interactions, config.protocol)
    if config.protocol.negatives:
        named = Path(config.protocol.negatives)
        parted = with_given_negatives(parted, keyed, named, config.protocol.seed)
    check_split(parted)
    systems = workbench(workspace, domain, keyed, parted)
    for system in config.systems:
        systems.check(system)
    inference = InferenceContext(
        user_keys=keyed.user_keys,
        item_keys=keyed.item_keys,
        keep_known=config.protocol.known == "ranked",
        k=max(config.k),
        seed=config.seed,
    )
    return RunContext(
        config=config,
        domain=domain,
        keyed=keyed,
        parted=parted,
        inference=inference,
        facts=read_facts(workspace.store, domain, keyed, parted),
        systems=systems,
        folder=folder,
        engine=engine,
        progress=progress,
    )


def _origin(context: RunContext, made: Origin) -> RunOrigin:
    rows, parted = context.keyed.interactions, context.parted
    return RunOrigin(
        run=context.config,
        protocol=str(context.config.protocol),
        fingerprint=context.keyed.fingerprint,
        users=rows.users,
        items=rows.items,
        interactions=len(rows),
        train=len(parted.train),
        validation=len(parted.validation),
        test=len(parted.test),
        made=made,
        engine=context.engine.name,
    )


def _measure(context: RunContext, system: SystemConfig) -> SystemResult:
    fitted = _fit(context, system)
    cases = _sampled(context.parted.test, system.sample, context.config.seed)
    few = context.config.probe
    if system.kind in ("model", "agent"):
        few = min(few, len(cases) // 10)
    doubt = probe_with_decoys(
        fitted.system, cases, context.keyed, context.inference, few, context.config.seed
    )
    outcomes = ask_rest(context, system.name, fitted.system, cases)
    _have_reasons_told(context, system.name, fitted.system, outcomes)
    return _result(context, system, fitted, outcomes, doubt)


def _have_reasons_told(
    context: RunContext, name: str, system: EvaluatedSystem, outcomes: Sequence[CaseResult]
) -> None:
    """Write rationales for some cases of a system that explains, where the run keeps them."""
    wanted = context.config.rationales and context.systems.has_rationales(name, system)
    if wanted and (explain := _explain_of(system)):
        drawn = _sampled(context.parted.test, context.config.rationales, context.config.seed)
        path = context.folder.path / rationale_file(name)
        write_rationales(explain, path, drawn, outcomes, context.inference, context.progress)


def _explain_of(system: EvaluatedSystem) -> Explain | None:
    """Every recommender explains; of those that answer with lists, the one with a memory does."""
    if isinstance(system, ListAnswerer):
        return system.explain if isinstance(system, MemoryAnswerer) else None
    return system.explain


def _sampled(cases: Cases, count: int, seed: int) -> Cases:
    """Sample cases in their order; a smaller sample is part of a larger one."""
    if not 0 < count < len(cases):
        return cases
    return cases.take(np.sort(np.random.default_rng(seed).permutation(len(cases))[:count]))


def _fit(context: RunContext, system: SystemConfig) -> _Fitted:
    search = _search(context, system)
    settings = search.best.settings if search else system.settings
    made = context.systems.make(system, settings)
    context.progress(f"fitting {system.name}", 0, 0)
    started = time.perf_counter()
    made.fit(context.parted.train, context.config.seed, context.progress)
    fit_s = time.perf_counter() - started
    context.systems.look_over(made)
    spared_s = made.spared_s if isinstance(made, RerankerAnswerer) else 0.0
    return _Fitted(made, fit_s + spared_s, spared_s, search)


def _search(context: RunContext, system: SystemConfig) -> TuningResult | None:
    """Tune once where the configuration asks for it; a resumed run reads the result."""
    if not system.trials:
        return None
    name = f"search-{system.name}.json"
    if (context.folder.path / name).is_file():
        return context.folder.read(name, TuningResult)

    def make(drawn: Mapping[str, SettingValue]) -> Recommender:
        made = context.systems.make(system, {**drawn, **system.settings})
        assert not isinstance(
            made, ListAnswerer
        )  # `check` has seen to it: only baselines are tuned
        return made

    search = tune(
        make,
        {
            setting: values
            for setting, values in context.systems.space(system).items()
            if setting not in system.settings
        },
        context.parted.train,
        lambda baseline: validation_score(baseline, context.parted.validation, context.config),
        budget=system.trials,
        seed=context.config.seed,
        progress=context.progress,
    )
    context.folder.write(name, search)
    return search


def validation_score(baseline: Recommender, cases: Cases, config: RunConfig) -> float:
    """Compute the mean NDCG of some cases, which decides between settings."""
    gains = []
    for places in chunks_of(len(cases), config.chunk):
        chunk = cases.take(places)
        scores = np.asarray(baseline.score(chunk.requests()), dtype=np.float32)
        ranked, positive = candidate_scores(
            scores, chunk, keep_known=config.protocol.known == "ranked"
        )
        gains.append(ndcgs(tied_ranks(ranked, positive), TUNED_FOR))
    return float(np.concatenate(gains).mean()) if gains else float("nan")


def ask_rest(
    context: RunContext, name: str, system: EvaluatedSystem, cases: Cases
) -> list[CaseResult]:
    """Ask the cases missing in the folder, a chunk at a time; return all results, in order.

    Chunks are cut the same way whatever is done already, and asked whole: scores may depend in
    their last digit on what they are computed together with.
    """
    inference = context.inference
    context.folder.mend(name)
    done = {one.id: one for one in context.folder.outcomes(name)}
    ids = [str(row) for row in cases.row.tolist()]
    waiting = [
        places
        for places in chunks_of(len(cases), context.config.chunk)
        if any(ids[place] not in done for place in places.tolist())
    ]

    def work(places: Rows) -> list[CaseResult]:
        return run_cases(system, cases.take(places), inference)

    context.progress(f"asking {name}", len(done), len(cases))
    for outcomes in context.engine.map(work, waiting):
        fresh = [one for one in outcomes if one.id not in done]
        context.folder.append(name, fresh)
        # What agents did is on disk: thousands of trajectories are not to be held.
        done.update((one.id, msgspec.structs.replace(one, trajectory=None)) for one in fresh)
        context.progress(f"asking {name}", len(done), len(cases))
    return [done[one] for one in ids]


def chunks_of(count: int, size: int) -> list[Rows]:
    """Split the places 0..count - 1 into chunks of `size`."""
    return [np.arange(start, min(start + size, count)) for start in range(0, count, size)]


def _result(
    context: RunContext,
    system: SystemConfig,
    fitted: _Fitted,
    outcomes: Sequence[CaseResult],
    doubt: Suspicion | None,
) -> SystemResult:
    cases = context.parted.test
    histories = {
        str(row): history for row, history in zip(cases.row.tolist(), cases.histories, strict=True)
    }
    return SystemResult(
        name=system.name,
        settings=dict(fitted.system.settings),
        fit_s=round(fitted.fit_s, 3),
        spared_s=round(fitted.spared_s, 3),
        score_s=round(sum(one.ms for one in outcomes) / 1000, 3),
        cases=len(outcomes),
        metrics=figures_of(
            outcomes,
            context.config.lengths,
            context.facts,
            histories,
            several=context.config.protocol.has_several_targets,
        ),
        faults=dict(Counter(fault for one in outcomes for fault in one.faults)),
        suspicions=() if doubt is None else (doubt,),
        search=fitted.search,
        per_case=case_file(system.name),
    )


def with_doubts(done: Mapping[str, SystemResult]) -> dict[str, SystemResult]:
    """Mark implausibly good results, which show only beside all others."""
    firsts = {name: one.metrics["H@1"] for name, one in done.items() if "H@1" in one.metrics}
    doubts = implausibly_good(firsts)
    return {
        name: msgspec.structs.replace(one, suspicions=(*one.suspicions, doubts[name]))
        if name in doubts and doubts[name] not in one.suspicions
        else one
        for name, one in done.items()
    }
