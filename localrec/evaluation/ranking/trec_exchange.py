"""Export a run's rankings as TREC files, and import a TREC run as a run.

A topic is a case, so an imported system is scored on the same cases as ours, and stands beside them
in `evaluate compare`. A run's files keep the first items of each list, up to its longest measured
length. An imported file does not tell which items were candidates, so the only requirements of a
list are enough items without repetition.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np

from localrec.evaluation.configs import Name, SystemConfig
from localrec.evaluation.provenance import Origin
from localrec.evaluation.ranking import metrics
from localrec.evaluation.ranking.inference import CaseResult
from localrec.evaluation.ranking.scoring import parts_of, values_of
from localrec.evaluation.ranking.trec import (
    TrecRun,
    ranked_items,
    read_trec_run,
    write_qrels,
    write_trec_run,
)
from localrec.evaluation.run_folder import RunFolder, RunMetrics, RunOrigin, SystemResult, case_file
from localrec.evaluation.statistics import ratio_estimate
from localrec.foundation.errors import InputError, UsageError
from localrec.foundation.paths import make_private

QRELS = "qrels"


def export_trec(run: RunFolder, out: Path) -> list[Path]:
    """Write the rankings of every system of a run, and the judgements; return the files.

    Args:
        run: A ranking run.
        out: A folder, made where it is not there.

    Raises:
        UsageError: a file exists already, or nothing was measured.
        InputError: it is a question run.
    """
    ranking_origin(run)
    systems = [one.name for one in run.metrics().systems if not one.failed]
    if not systems:
        raise UsageError(f"{run.path} has measured nothing yet.", "Let the run finish.")
    files = [out / QRELS, *(out / f"{name}.run" for name in systems)]
    if taken := [path for path in files if path.exists()]:
        raise UsageError(f"{taken[0]} exists already.", "Name another folder with --out.")
    make_private(out)
    outcomes = {name: run.outcomes(name) for name in systems}
    asked = {one.id: one for said in outcomes.values() for one in said}
    write_qrels(files[0], {id_: dict.fromkeys(one.targets, 1) for id_, one in asked.items()})
    for name, file in zip(systems, files[1:], strict=True):
        rankings = {one.id: ranked_items(_named(one)) for one in outcomes[name] if _named(one)}
        write_trec_run(file, TrecRun(tag=name, rankings=rankings))
    return files


def import_trec_run(
    reference: RunFolder, path: Path, folder: RunFolder, made: Origin
) -> RunMetrics:
    """Score an imported TREC run on the cases of a run, as a run of its own.

    Args:
        reference: Folder of the run whose cases are the topics of the file.
        path: The TREC run file; its tag becomes the system's name.
        folder: Folder of the new run.
        made: Command, versions, machine.

    Raises:
        InputError: the file is no run, its tag names no system, or it has other topics.
        UsageError: the folder holds another run already.
    """
    origin = ranking_origin(reference)
    trec_run = read_trec_run(path)
    cases = _cases(reference)
    strange = [topic for topic in trec_run.rankings if topic not in cases]
    if strange:
        raise InputError(
            f"{path} has {len(strange):,} topics that are no cases of {reference.path.name}.",
            "Topics are the ids of its cases; localrec evaluate export writes them.",
        )
    name = _name_of(path, trec_run.tag)
    config = msgspec.structs.replace(origin.run, systems=(SystemConfig(name=name),))
    declared = msgspec.structs.replace(origin, run=config, made=made, engine="a TREC run file")
    outcomes = [_judged(case, trec_run, max(config.lengths)) for case in cases.values()]
    result = _result(name, outcomes, config.lengths, config.protocol.has_several_targets)
    with folder.alone():
        text = f"# A TREC run file, judged by the cases of {reference.path.name}.\n"
        folder.begin(text.encode(), declared)
        if not folder.outcomes(name):
            folder.append(name, outcomes)
        figures = RunMetrics(complete=True, systems=(result,))
        folder.write("metrics.json", figures)
    return figures


def ranking_origin(run: RunFolder) -> RunOrigin:
    """Read the origin of a ranking run.

    Raises:
        InputError: it is a run over questions, or none.
    """
    if run.asks_questions:
        raise InputError(
            f"{run.path} is a question run, which ranks nothing.", "Name a ranking run."
        )
    return run.origin()


def _cases(run: RunFolder) -> dict[str, CaseResult]:
    """Collect every case that any system of a run was asked."""
    names = [one.name for one in run.metrics().systems if not one.failed]
    return {one.id: one for name in reversed(names) for one in run.outcomes(name)}


def _named(one: CaseResult) -> list[str]:
    """List the items of a list without unknown and repeated ones."""
    return list(dict.fromkeys(item for item in one.top if item))


def _judged(case: CaseResult, trec_run: TrecRun, k: int) -> CaseResult:
    """Score an imported list on a case."""
    items = [one.item for one in trec_run.rankings.get(case.id, ())]
    target = case.targets[0]
    hits = metrics.hits_of(items[:k], case.targets)
    return CaseResult(
        id=case.id,
        user=case.user,
        targets=case.targets,
        first=items.index(target) + 1 if target in items else 0,
        tied=1,
        hits=tuple((np.flatnonzero(hits) + 1).tolist()),
        pool=case.pool,
        top=tuple(items[:k]),
        ms=0.0,
        faults=metrics.faults_of(items, frozenset(items), min(k, case.pool)),
    )


def _result(
    name: str, outcomes: Sequence[CaseResult], lengths: Sequence[int], several: bool
) -> SystemResult:
    """Compute the figures that the cases alone determine."""
    users = [one.user for one in outcomes]
    values = values_of(outcomes, lengths, several=several)
    faults: dict[str, int] = {}
    for one in outcomes:
        for fault in one.faults:
            faults[fault] = faults.get(fault, 0) + 1
    return SystemResult(
        name=name,
        settings={},
        fit_s=0.0,
        score_s=0.0,
        cases=len(outcomes),
        metrics={one: ratio_estimate(parts_of(column, users)) for one, column in values.items()},
        faults=faults,
        per_case=case_file(name),
    )


def _name_of(path: Path, tag: str) -> str:
    try:
        return msgspec.convert(tag.lower(), Name)
    except msgspec.ValidationError as error:
        raise InputError(
            f"The tag of {path} cannot name a system.",
            "Tags are letters, digits, dots, dashes and underscores, at most 64.",
        ) from error
