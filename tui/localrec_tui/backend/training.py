"""What the Training room asks: trainings as they go, new ones, and what came of them.

A training's folder may be somebody else's: all of its words are cleaned before they come here.
"""

from __future__ import annotations

from typing import Literal, Protocol

import msgspec

from localrec_tui.backend.base import Progress, Request
from localrec_tui.backend.growing import Place
from localrec_tui.backend.plans import Plan, Trainee

State = Literal["finished", "running", "stopped", "unreadable"]
Part = tuple[str, tuple[str, ...]]  # a title, and its lines


class TrainingFound(msgspec.Struct, frozen=True, kw_only=True):
    """A training of the workspace.

    Args:
        name: Its folder's.
        state: How far it is; one that says it runs while nobody holds its lock was killed.
        kind: "grpo", "refine" or "adapter"; "" where it cannot be read.
        role: That its adapter plays.
        step: The last one that was done.
        steps: Of all; 0 before the first.
        base: The model that is trained.
        begun: Day and time, here.
        holder: The number of the process that trains now; None where none does.
        is_ours: Whether this app started that one.
        remark: Of one that cannot be read, why.
    """

    name: str
    state: State
    kind: str = ""
    role: str = ""
    step: int = 0
    steps: int = 0
    base: str = ""
    begun: str = ""
    holder: int | None = None
    is_ours: bool = False
    remark: str = ""


ListMark = tuple[tuple[object, ...], ...]  # changes with any training


class TrainingsFound(msgspec.Struct, frozen=True):
    """All trainings, the newest first; `mark`: of how they were, for the next look."""

    found: tuple[TrainingFound, ...]
    mark: ListMark


class StepLogged(msgspec.Struct, frozen=True):
    """What was measured at a step, which took so many seconds; None is no number."""

    step: int
    values: dict[str, float | None]
    seconds: float


class LookMark(msgspec.Struct, frozen=True):
    """How a training's folder was at a look, and up to where its steps were read."""

    folder: tuple[object, ...]
    place: Place | None


class Look(msgspec.Struct, frozen=True, kw_only=True):
    """A training as it is now.

    Args:
        found: The training.
        steps: Those behind the look before.
        is_anew: Whether these are all there are, whatever was seen before.
        checkpoint: The step behind which it can be gone on with; None where there is none.
        exported: The adapter as a file; "" where it was not exported.
        mark: For the next look.
    """

    found: TrainingFound
    steps: tuple[StepLogged, ...]
    is_anew: bool
    checkpoint: int | None
    exported: str
    mark: LookMark


class Estimated(msgspec.Struct, frozen=True, kw_only=True):
    """What a training will take.

    Args:
        memory: Bytes at its highest.
        available: Bytes that the device has; None where nobody knows.
        step_s: Seconds of a step.
        total_s: Seconds of all.
    """

    memory: int
    available: int | None
    step_s: float
    total_s: float


class Exported(msgspec.Struct, frozen=True):
    """An adapter as a file, and what for."""

    file: str
    role: str
    base: str


class SideSaid(msgspec.Struct, frozen=True, kw_only=True):
    """What one side said to a question.

    Args:
        name: Of the model, with its adapter.
        figures: Label -> its share, or criterion -> its points of a hundred; {} where it writes.
        lines: What it wrote, or ranked.
        fault: Why it came to no answer; "" where it did.
        ms: Milliseconds.
    """

    name: str
    figures: dict[str, float]
    lines: tuple[str, ...]
    fault: str
    ms: float


class BothSaid(msgspec.Struct, frozen=True):
    """One question to the base alone, and to the base with the adapter."""

    question: str
    bare: SideSaid
    adapted: SideSaid


class Training(Protocol):
    """The trainings of one workspace; every call raises a `LocalrecError` where it cannot.

    What takes long is a process of its own, and returns when that has ended; it raises
    `ModelCancelledError` where the request was stopped.
    """

    def trainings(self, mark: ListMark | None = None) -> TrainingsFound | None:
        """All of them; None where nothing changed since `mark`."""
        ...

    def trainees(self) -> tuple[Trainee, ...]:
        """What can be trained here."""
        ...

    def about(self, name: str) -> tuple[Part, ...]:
        """What a training was asked for, and what it learns from; never changes."""
        ...

    def look(self, name: str, mark: LookMark | None = None) -> Look | None:
        """A training with the steps it did since `mark`; None where nothing changed."""
        ...

    def estimate(self, plan: Plan, request: Request, heard: Progress) -> Estimated:
        """What a training would take, by a short step that is tried.

        Raises:
            UsageError: it does not fit this machine, or a library is missing; says what to do.
        """
        ...

    def start(self, plan: Plan, name: str, request: Request, heard: Progress) -> None:
        """Train; what was done is kept when it is stopped."""
        ...

    def resume(self, name: str, request: Request, heard: Progress) -> None:
        """Go on with a training that was stopped; otherwise as `start`."""
        ...

    def export(self, name: str, request: Request, heard: Progress) -> Exported:
        """Write what a finished training came to as a file."""
        ...

    def ask(self, name: str, question: str, request: Request, heard: Progress) -> BothSaid:
        """Ask the adapter of a finished training and its bare base; exports it first."""
        ...

    def stop(self, request: Request) -> None:
        """Stop at a safe place; the second time at once. Does not wait."""
        ...

    def close(self) -> None:
        """See that what was started has ended."""
        ...
