"""Words for a training: its state, its pace, its settings, and the keys that lead on."""

from __future__ import annotations

from collections.abc import Sequence

from localrec_tui.services.trainings import (
    LoggedStep,
    TrainingPart,
    TrainingSummary,
    TrainingUpdate,
)
from localrec_tui.widgets.progress import format_duration

STATE_LABELS = {
    "finished": "✓ finished",
    "running": "▶ running",
    "stopped": "… stopped",
    "unreadable": "✗ unreadable",
}
_LATEST = 20  # steps that the pace is taken from


def trainer_label(found: TrainingSummary) -> str:
    """Where a running training was begun."""
    return "begun here" if found.is_ours else f"by process {found.holder}"


def training_state(look: TrainingUpdate, steps: Sequence[LoggedStep]) -> str:
    """Say how far a training is, how quick, and what is left of it."""
    found = look.found
    state = STATE_LABELS[found.state]
    if found.state == "running":
        state = f"{state}, {trainer_label(found)}"
    parts = [state, f"step {found.step:,} of {found.steps:,}" if found.steps else "no step yet"]
    if steps:
        latest = steps[-_LATEST:]
        pace = sum(one.seconds for one in latest) / len(latest)
        parts.append(f"{pace:,.1f} s a step")
        if found.state == "running" and found.step < found.steps:
            parts.append(f"{format_duration(pace * (found.steps - found.step))} left")
    return ", ".join(parts)


def training_way_on(look: TrainingUpdate) -> str:
    """Tell which files the training left, and the keys that use them."""
    found = look.found
    if look.exported:
        return f"U lets it play its role. Exported: {look.exported}"
    if found.state == "finished":
        return "X exports it, T tries it beside its base."
    if look.checkpoint is None:
        return "There is no checkpoint yet."
    goes_on = " G goes on behind it." if found.state == "stopped" else ""
    return f"The last checkpoint lies behind step {look.checkpoint:,}.{goes_on}"


def training_parts_text(parts: Sequence[TrainingPart]) -> str:
    """What was asked for and what it learns from, part by part."""
    return "\n\n".join(
        "\n".join([title, *(f"  {line}" for line in lines)]) for title, lines in parts
    )
