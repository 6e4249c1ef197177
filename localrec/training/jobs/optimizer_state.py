"""Schedule Adam's learning rate, and save its state as plain numbers.

torch would pickle the state of an optimiser; here a safetensors file holds the two moments of each
weight under its name, and the training's step is the number of updates.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from localrec.foundation.errors import InputError

if TYPE_CHECKING:
    import torch

_MOMENTS = ("exp_avg", "exp_avg_sq")


def rate_at(step: int, steps: int, highest: float, warmup: float) -> float:
    """Compute the learning rate of a step from 1: linear warm-up, then linear decay to zero."""
    rising = max(1, round(warmup * steps))
    if step <= rising:
        return highest * step / rising
    return highest * (steps - step + 1) / (steps - rising + 1)


def save_moments(
    optimiser: torch.optim.Optimizer, learnt: Mapping[str, torch.Tensor], path: Path
) -> None:
    """Write the moments of all weights, by their names."""
    from safetensors.torch import save_file  # an extra's

    state = optimiser.state
    moments = {
        f"{name}.{moment}": state[weight][moment].contiguous().cpu()
        for name, weight in learnt.items()
        for moment in _MOMENTS
    }
    save_file(moments, path)


def load_moments(
    optimiser: torch.optim.Optimizer, learnt: Mapping[str, torch.Tensor], path: Path, step: int
) -> None:
    """Give an optimiser the moments that were saved behind a step.

    Raises:
        InputError: the file is missing or damaged, or of other weights.
    """
    import torch
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    try:
        moments = load_file(path)
        for name, weight in learnt.items():
            state: dict[str, Any] = {"step": torch.tensor(float(step))}
            for moment in _MOMENTS:
                state[moment] = moments[f"{name}.{moment}"].to(weight.device)
            optimiser.state[weight] = state
    except (OSError, SafetensorError, KeyError) as error:
        raise InputError(f"{path} cannot be used: {error}.", "Begin a new run.") from error
