"""What the Runs room asks: past evaluations, their figures and cases, two of them compared.

A run's folder may be somebody else's: all of its words are cleaned before they come here. Records
here are made of what a screen shows; nothing of NumPy is loaded with them.
"""

from __future__ import annotations

from typing import Literal, Protocol

import msgspec

from localrec_tui.backend.base import Progress, Request

State = Literal["complete", "unfinished", "unreadable"]


class RunFound(msgspec.Struct, frozen=True, kw_only=True):
    """A run of the workspace.

    Args:
        name: Its folder's.
        title: What it is about; of one that cannot be read, why.
        state: How far it is.
        systems: That were measured.
        date: When it was begun, as the run says.
    """

    name: str
    title: str
    state: State
    systems: tuple[str, ...] = ()
    date: str = ""


class ConfigFound(msgspec.Struct, frozen=True, kw_only=True):
    """A configuration that ships, ready to be run."""

    name: str
    title: str
    systems: tuple[str, ...]


class Figure(msgspec.Struct, frozen=True):
    """A figure with its 95% interval; None where nothing was measured, or where there is none."""

    value: float | None
    low: float | None = None
    high: float | None = None


class SystemFound(msgspec.Struct, frozen=True, kw_only=True):
    """One system of a run.

    Args:
        name: Its name in the run.
        figures: Metric -> figure.
        cases: How many it was asked.
        seconds: To fit it, and for all its answers.
        doubts: What speaks against believing its figures, as sentences.
        settings: As sentences, too.
    """

    name: str
    figures: dict[str, Figure]
    cases: int
    seconds: tuple[float, float]
    doubts: tuple[str, ...] = ()
    settings: str = ""


class RunOpened(msgspec.Struct, frozen=True, kw_only=True):
    """A run with all its figures.

    Args:
        found: The run.
        told: What was done, as a paragraph, and how it came about.
        systems: In the order of the configuration.
        metrics: Names of all figures, the most telling first.
        falling: Those of which less is better.
    """

    found: RunFound
    told: tuple[str, ...]
    systems: tuple[SystemFound, ...]
    metrics: tuple[str, ...]
    falling: frozenset[str] = frozenset()


class CaseFound(msgspec.Struct, frozen=True, kw_only=True):
    """One case of a system, in a line.

    Args:
        id: The case's.
        about: The person's key, or the question.
        rank: Of what was to be found, from 1; 0 where it was not ranked, None where nothing was.
        remark: Faults, or what the answer broke.
        ms: Time it took.
    """

    id: str
    about: str
    rank: int | None
    remark: str
    ms: float


class CaseOpened(msgspec.Struct, frozen=True, kw_only=True):
    """All about one case: titles, each with its lines."""

    id: str
    parts: tuple[tuple[str, tuple[str, ...]], ...]


class MetricCompared(msgspec.Struct, frozen=True, kw_only=True):
    """One metric of two systems, and how it differs."""

    metric: str
    ours: Figure
    theirs: Figure
    difference: Figure
    p: float | None
    verdict: str


class Compared(msgspec.Struct, frozen=True, kw_only=True):
    """Two systems over the cases of both, named RUN:SYSTEM."""

    ours: str
    theirs: str
    cases: int
    metrics: tuple[MetricCompared, ...]


class Evaluating(Protocol):
    """The evaluations of one workspace; every call raises a `LocalrecError` where it cannot."""

    def runs(self) -> tuple[RunFound, ...]:
        """The runs of the workspace, by name; one that cannot be read is told as such."""
        ...

    def configs(self) -> tuple[ConfigFound, ...]:
        """The configurations that ship."""
        ...

    def run(self, name: str) -> RunOpened:
        """A run with its figures."""
        ...

    def cases(self, run: str, system: str) -> tuple[CaseFound, ...]:
        """The cases of a system, in the order in which they were asked."""
        ...

    def case(self, run: str, system: str, case: str) -> CaseOpened:
        """All that the run keeps of a case."""
        ...

    def compare(
        self, ours: tuple[str, str | None], theirs: tuple[str, str | None]
    ) -> tuple[Compared, ...]:
        """Two systems, each named by run and system; None: all systems that both runs have."""
        ...

    def start(self, config: str, request: Request, progress: Progress) -> None:
        """Run a configuration that ships, in a process of its own; returns when it is done.

        Raises:
            ModelCancelledError: the request was stopped; what was done is kept.
        """
        ...

    def resume(self, run: str, request: Request, progress: Progress) -> None:
        """Go on with a run that was cut short; otherwise as `start`."""
        ...

    def stop(self, request: Request) -> None:
        """Stop a run at a safe place; the second time at once. Does not wait."""
        ...

    def close(self) -> None:
        """See that what was started has ended."""
        ...
