"""Merge runs that began alike, so that their systems can be compared.

An engine cannot distribute systems that ask a local model, and each takes hours. Two commands, or
two machines, can measure different systems; the merged run is the same as if one had measured all.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from contextlib import ExitStack

import msgspec

from localrec.evaluation.configs import SystemConfig
from localrec.evaluation.ranking.ranking_harness import with_doubts
from localrec.evaluation.ranking.trec_exchange import ranking_origin
from localrec.evaluation.run_folder import (
    RunFolder,
    RunMetrics,
    RunOrigin,
    SystemResult,
    case_file,
    rationale_file,
    trajectory_file,
)
from localrec.foundation.errors import InputError, UsageError


def merge_runs(runs: Sequence[RunFolder], into: RunFolder) -> RunMetrics:
    """Write one run with the systems of several runs, in their order.

    What a part has not measured to its end is left out; a run of the configuration that names all
    systems goes on with it.

    Args:
        runs: The parts.
        into: The folder of the new run.

    Raises:
        UsageError: they differ in more than their systems, a system is in two of them, nothing was
            measured, or the folder holds a run already.
        InputError: one is a run over questions, or none, or its files do not belong together.
        BusyError: one of them is being worked at.
    """
    if (into.path / "origin.json").exists():
        raise UsageError(f"{into.path} holds a run already.", "Name another folder with --out.")
    origins = [ranking_origin(run) for run in runs]
    measured = [[one for one in run.metrics().systems if not one.failed] for run in runs]
    _check(runs, origins, measured)
    origin = _joined(origins, measured)
    with ExitStack() as held:
        for run, systems in zip(runs, measured, strict=True):
            held.enter_context(run.alone())
            _check_cases(run, systems)
        held.enter_context(into.alone())
        for run, systems in zip(runs, measured, strict=True):
            _copy(run, systems, into)
        results = with_doubts({one.name: one for systems in measured for one in systems})
        figures = RunMetrics(complete=True, systems=tuple(results.values()))
        into.write("metrics.json", figures)
        parts = ", ".join(run.path.name for run in runs)
        text = f"# Joined from {parts}; origin.json tells what was asked for.\n"
        into.begin(text.encode(), origin)  # last: without it there is no run yet
    return figures


def _check(
    runs: Sequence[RunFolder],
    origins: Sequence[RunOrigin],
    measured: Sequence[Sequence[SystemResult]],
) -> None:
    first, *others = origins
    for run, other in zip(runs[1:], others, strict=True):
        if _apart_from_systems(other, first) != first:
            raise UsageError(
                f"{run.path.name} was begun otherwise than {runs[0].path.name}: in its data, its "
                "protocol, its seed or its versions.",
                "Only runs that differ in their systems alone can be joined.",
            )
    names = [one.name for systems in measured for one in systems]
    if not names:
        raise UsageError("None of these runs has measured anything yet.", "Let one finish.")
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise UsageError(
            f"{', '.join(twice)} was measured by two of these runs.",
            "Join runs of different systems.",
        )


def _apart_from_systems(origin: RunOrigin, like: RunOrigin) -> RunOrigin:
    """Copy an origin with all fields that may differ from another."""
    run = msgspec.structs.replace(
        origin.run, systems=like.run.systems, name=like.run.name, title=like.run.title
    )
    here, there = origin.made.versions, like.made.versions
    agree = all(here[one] == there[one] for one in here.keys() & there.keys())
    made = like.made if agree else origin.made
    return msgspec.structs.replace(origin, run=run, made=made, engine=like.engine)


def _joined(origins: Sequence[RunOrigin], measured: Sequence[Sequence[SystemResult]]) -> RunOrigin:
    """Return the first origin, with the systems and versions of all."""
    first = origins[0]
    declared = tuple(
        _declared(origin, system)
        for origin, systems in zip(origins, measured, strict=True)
        for system in systems
    )
    versions: dict[str, str] = {}
    for origin in origins:
        versions |= origin.made.versions
    return msgspec.structs.replace(
        first,
        run=msgspec.structs.replace(first.run, systems=declared),
        made=msgspec.structs.replace(first.made, versions=versions),
    )


def _declared(origin: RunOrigin, system: SystemResult) -> SystemConfig:
    for one in origin.run.systems:
        if one.name == system.name:
            return one
    raise InputError(
        f"The run {origin.run.name} has figures of {system.name}, which it did not ask for.",
        "One of its files was changed; measure it again.",
    )


def _check_cases(run: RunFolder, systems: Sequence[SystemResult]) -> None:
    """Check the cases of a run before they are copied; it may come from another machine."""
    for system in systems:
        cases, acted = len(run.outcomes(system.name)), len(run.trajectories(system.name))
        if cases != system.cases or acted not in (0, cases):
            raise InputError(
                f"{run.path} has not all cases of {system.name} that it counts.",
                "One of its files was changed; measure it again.",
            )


def _copy(run: RunFolder, systems: Sequence[SystemResult], into: RunFolder) -> None:
    for system in systems:
        for named in (case_file, trajectory_file, rationale_file):
            file = run.path / named(system.name)
            if file.is_file():
                shutil.copyfile(file, into.path / file.name)
