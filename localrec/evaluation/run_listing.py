"""The runs of a workspace by name: listed, and compared as RUN:SYSTEM."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from localrec.data.records import Record

if TYPE_CHECKING:
    from localrec.evaluation.comparisons import SystemComparison


class ListedRun(msgspec.Struct, Record, frozen=True, kw_only=True):
    """A run, or a configuration that is ready to run.

    Args:
        name: Name of the run or of the configuration.
        state: "complete", "unfinished", or "ready" of a configuration.
        systems: The names of its systems.
        title: The measured task, for people.
    """

    name: str
    state: str
    systems: tuple[str, ...]
    title: str


def listed_runs(runs: Path) -> list[ListedRun]:
    """List the runs in a folder of runs."""
    from localrec.evaluation.run_folder import runs_in

    found = []
    for folder in runs_in(runs):
        figures, declared = folder.metrics(), folder.any_origin().run
        found.append(
            ListedRun(
                name=folder.path.name,
                state="complete" if figures.complete else "unfinished",
                systems=tuple(one.name for one in figures.systems),
                title=declared.title,
            )
        )
    return found


def listed_configs() -> list[ListedRun]:
    """List the configurations that ship."""
    from localrec.evaluation.configs import load_config, ready_configs

    found = []
    for path in ready_configs().values():
        declared, _ = load_config(str(path))
        systems = tuple(one.name for one in declared.systems)
        found.append(
            ListedRun(name=path.stem, state="ready", systems=systems, title=declared.title)
        )
    return found


def compare_named(ours: str, theirs: str, runs: Path) -> list[SystemComparison]:
    """Compare two runs, or a system of each, case by case.

    Args:
        ours: A run's name or folder, or RUN:SYSTEM.
        theirs: Against which.
        runs: The folder of the workspace's runs.

    Raises:
        InputError: there is no such run.
        UsageError: a system is not in it, or the runs have different cases.
    """
    from localrec.evaluation.comparisons import compare_runs
    from localrec.evaluation.run_folder import find_run

    (mine, our_system), (other, their_system) = _run_and_system(ours), _run_and_system(theirs)
    return list(compare_runs(find_run(mine, runs), find_run(other, runs), our_system, their_system))


def _run_and_system(named: str) -> tuple[str, str | None]:
    """RUN:SYSTEM; a colon further left may be a drive's."""
    run, colon, system = named.rpartition(":")
    return (run, system) if colon and not {"/", "\\"} & set(system) else (named, None)
