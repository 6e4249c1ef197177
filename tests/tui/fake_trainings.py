"""Trainings in a workspace, finished, stopped and damaged, and errands that wait."""

from __future__ import annotations

import math
import os
from datetime import datetime
from pathlib import Path

import msgspec

from localrec.foundation.jsonl_log import write_records
from localrec.foundation.progress import Progress
from localrec.training.jobs.training_runs import (
    Status,
    StepRecord,
    TrainingData,
    TrainingRun,
    TrainingState,
    create_run,
    runs_folder,
)
from localrec.training.rl.policy_config import GrpoConfig
from localrec.training.sft.sft_data import SupervisedConfig
from localrec_tui.services.records import RequestHandle
from localrec_tui.services.training_plans import TrainingPlan
from localrec_tui.services.trainings import (
    AdapterAnswers,
    ExportedAdapter,
    SideAnswer,
    TrainingEstimate,
    TrainingService,
)

from .recorder import Recorder

STEPS = 300
GRPO = GrpoConfig(base="small-chat")
ROUTER = SupervisedConfig(role="router", base="small-chat")
ESTIMATED = TrainingEstimate(
    memory=2_100_000_000, available=8_000_000_000, step_s=12.5, total_s=7_500
)
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
    state = TrainingState(status=status, step=done, steps=STEPS)
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


def logged(config: msgspec.Struct, step: int) -> StepRecord:
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
    return StepRecord(step=step, values={**values, **(found if looks else {})}, seconds=12.5)


class FakeTrainingService(Recorder, TrainingService):
    """Reads real folders; what takes long only waits."""

    def estimate(
        self, plan: TrainingPlan, request: RequestHandle, on_progress: Progress
    ) -> TrainingEstimate:
        self._do("estimate", plan.command, request, on_progress)
        return ESTIMATED

    def start(
        self, plan: TrainingPlan, name: str, request: RequestHandle, on_progress: Progress
    ) -> None:
        self._do("start", f"{name}: {plan.command}", request, on_progress)

    def resume(self, name: str, request: RequestHandle, on_progress: Progress) -> None:
        self._do("resume", name, request, on_progress)

    def export(self, name: str, request: RequestHandle, on_progress: Progress) -> ExportedAdapter:
        self._do("export", name, request, on_progress)
        return ExportedAdapter(f"/desk/{name}.gguf", "router", "Small Chat")

    def ask(
        self, name: str, question: str, request: RequestHandle, on_progress: Progress
    ) -> AdapterAnswers:
        self._do("ask", f"{name}: {question}", request, on_progress)
        labels = ("colour", "glass", "ingredient", "similar")
        bare, adapted = (
            SideAnswer(
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
        return AdapterAnswers(question, bare, adapted)

    def stop(self, request: RequestHandle) -> None:
        self.told.append(("stop", ""))
        super().stop(request)

    def _do(self, what: str, name: str, request: RequestHandle, on_progress: Progress) -> None:
        self.told.append((what, name))
        on_progress("training", 3, STEPS)
        self._wait(request)
        self._trip()
