"""Measure the systems of a run one after the other, and keep the figures after each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from localrec.evaluation.configs import QuestionSystemConfig, SystemConfig
from localrec.evaluation.run_folder import RunFolder, RunMetrics, SystemResult
from localrec.foundation.errors import LocalrecError, error_text

System = TypeVar("System", SystemConfig, QuestionSystemConfig)
Results = Mapping[str, SystemResult]


def measure_systems(
    systems: Sequence[System],
    folder: RunFolder,
    measure: Callable[[System], SystemResult],
    *,
    complete: Callable[[Results], Results] = lambda done: done,
    quotes_errors: bool = True,
) -> RunMetrics:
    """Measure every system that the folder has no figures of yet.

    A system that fails is reported with its error, and the next one is measured.

    Args:
        systems: All systems of the run, in the order of the report.
        folder: The folder of the run, begun and locked.
        measure: Measures one system.
        complete: Adds what only the results of all systems can show.
        quotes_errors: Whether the message of an unexpected error is kept beside its kind.
    """
    done = {one.name: one for one in folder.metrics().systems if not one.failed}
    for system in systems:
        if system.name in done:
            continue
        try:
            done[system.name] = measure(system)
        except LocalrecError as error:
            done[system.name] = _failed(system, str(error))
        except Exception as error:  # noqa: BLE001 - a system under test may raise anything
            text = error_text(error) if quotes_errors else type(error).__name__
            done[system.name] = _failed(system, text)
        _keep(systems, done, folder, complete=False)
    return _keep(systems, complete(done), folder, complete=True)


def _failed(system: SystemConfig | QuestionSystemConfig, text: str) -> SystemResult:
    """Report a system without figures."""
    return SystemResult(
        name=system.name,
        settings=system.settings if isinstance(system, SystemConfig) else {},
        fit_s=0.0,
        score_s=0.0,
        cases=0,
        metrics={},
        failed=text[:300],
    )


def _keep(
    systems: Sequence[System], done: Results, folder: RunFolder, *, complete: bool
) -> RunMetrics:
    results = tuple(done[system.name] for system in systems if system.name in done)
    figures = RunMetrics(complete=complete, systems=results)
    folder.write("metrics.json", figures)
    return figures
