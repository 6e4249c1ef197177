"""Trainings in a workspace, finished, stopped and damaged, and errands that wait."""

from __future__ import annotations

import math
import os
import threading
from datetime import datetime
from pathlib import Path

import msgspec

from localrec.errors import LocalrecError, ModelCancelledError
from localrec.evaluation.ledger import write_records
from localrec.training.lessons import SupervisedConfig
from localrec.training.policies import GrpoConfig
from localrec.training.runs import (
    Logged,
    State,
    Status,
    TrainingData,
    TrainingRun,
    create_run,
    runs_folder,
)
from localrec_tui.backend.base import Progress, Request
from localrec_tui.backend.plans import Plan
from localrec_tui.backend.training import BothSaid, Estimated, Exported, SideSaid
from localrec_tui.backend.trainings import LocalTrainings

STEPS = 300
GRPO = GrpoConfig(base="small-chat")
ROUTER = SupervisedConfig(role="router", base="small-chat")
ESTIMATED = Estimated(memory=2_100_000_000, available=8_000_000_000, step_s=12.5, total_s=7_500)
_DATA = TrainingData(
    fingerprint="f" * 32,
    counts={"train": 1_200, "validation": 120},
    base="Small\x1b[2J Chat",
    base_fingerprint="b" * 64,
    seeds={"training": 7},
    versions={"torch": "2.13.0"},
)


def plant_training(
    workspace: Path,
    name: str,
    config: msgspec.Struct = GRPO,
    *,
    done: int = STEPS,
    status: Status = "finished",
    day: int = 1,
) -> TrainingRun:
    """A training of 300 steps that did so many, begun in the evening of a day of November."""
    run = create_run(runs_folder(workspace), name, config, _DATA)
    state = State(status=status, step=done, steps=STEPS)
    (run.path / "state.json").write_bytes(msgspec.json.encode(state))
    write_records(run.path / "metrics.jsonl", [logged(config, step) for step in range(1, done + 1)])
    if status != "finished":
        (run.path / "checkpoints" / f"step-{done}").mkdir(parents=True)
    begun = datetime(2026, 11, day, 20, 15).timestamp()
    os.utime(run.path / "config.json", (begun, begun))
    return run


def plant_three(workspace: Path) -> None:
    """A finished router, a GRPO that was stopped, and a folder that is damaged."""
    plant_training(workspace, "router-1", ROUTER, day=2)
    plant_training(workspace, "grpo-1", done=120, status="stopped", day=3)
    damaged = plant_training(workspace, "torn", day=1)
    (damaged.path / "data.json").write_text('{"fingerprint": "\\u001b[2J"')


def logged(config: msgspec.Struct, step: int) -> Logged:
    """What a training that learns logs at a step; every twentieth looks at the validation half."""
    learnt, unrest = step / STEPS, math.sin(step * 1.7) / 12
    looks = step % 20 == 0
    values: dict[str, float | None]
    if isinstance(config, GrpoConfig):
        values = {
            "reward": 0.25 + 0.4 * learnt + unrest,
            "share_without_signal": 0.5 - 0.3 * learnt + unrest,
            "tokens_written": 180 - 60 * learnt + 100 * unrest,
            "tool_calls": 1.5 + unrest,
            "loss": None,
        }
        found = {"validation_hit1": 0.2 + 0.3 * learnt, "validation_score": 0.4 + 0.3 * learnt}
    else:
        values = {"loss": 1.4 * math.exp(-3 * learnt) + abs(unrest), "accuracy": 0.25 + learnt / 2}
        found = {"validation_loss": 1.2 - learnt, "validation_accuracy": 0.3 + 0.6 * learnt}
    return Logged(step=step, values={**values, **(found if looks else {})}, seconds=12.5)


class PlantedTrainings(LocalTrainings):
    """Reads real folders; what takes long only waits.

    Attributes:
        goes_on: Cleared, what takes long waits until it is set, or the request is stopped.
        trouble: What the next one ends with.
        told: What was estimated, begun, gone on with, exported, asked and stopped.
    """

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.goes_on = threading.Event()
        self.goes_on.set()
        self.trouble: LocalrecError | None = None
        self.told: list[tuple[str, str]] = []

    def estimate(self, plan: Plan, request: Request, heard: Progress) -> Estimated:
        self._do("estimate", plan.command, request, heard)
        return ESTIMATED

    def start(self, plan: Plan, name: str, request: Request, heard: Progress) -> None:
        self._do("start", f"{name}: {plan.command}", request, heard)

    def resume(self, name: str, request: Request, heard: Progress) -> None:
        self._do("resume", name, request, heard)

    def export(self, name: str, request: Request, heard: Progress) -> Exported:
        self._do("export", name, request, heard)
        return Exported(f"/desk/{name}.gguf", "router", "Small Chat")

    def ask(self, name: str, question: str, request: Request, heard: Progress) -> BothSaid:
        self._do("ask", f"{name}: {question}", request, heard)
        labels = ("colour", "glass", "ingredient", "similar")
        bare, adapted = (
            SideSaid(
                name=model,
                figures=dict(zip(labels, shares, strict=True)),
                lines=(),
                fault="",
                ms=ms,
            )
            for model, shares, ms in (
                ("small-chat", (0.3, 0.25, 0.25, 0.2), 84.0),
                ("small-chat+router-1", (0.01, 0.02, 0.03, 0.94), 91.0),
            )
        )
        return BothSaid(question, bare, adapted)

    def stop(self, request: Request) -> None:
        self.told.append(("stop", ""))
        request.stopped.set()
        self.goes_on.set()

    def _do(self, what: str, name: str, request: Request, heard: Progress) -> None:
        self.told.append((what, name))
        heard("training", 3, STEPS)
        self.goes_on.wait(10)
        if request.stopped.is_set():
            raise ModelCancelledError("Stopped.")
        trouble, self.trouble = self.trouble, None
        if trouble is not None:
            raise trouble
