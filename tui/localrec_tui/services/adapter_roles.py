"""What an exported adapter may do here: its roles, who has them now, and the figures of both."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec

# What a training logs of its validation half -> how a sentence says it, the first that is there.
_FIGURES = {
    "validation_accuracy": "{:.3f} of its validation answers right",
    "validation_hit1": "H@1 {:.3f} on its validation half",
    "validation_score": "{:.3f} points on its validation half",
}
_NO_FIGURE = "nothing was measured of it yet"


class RoleOffer(msgspec.Struct, frozen=True, kw_only=True):
    """A role that an adapter can take, who has it now, and by which figure they were chosen."""

    role: str
    holder: str
    figure: str


class AdapterOffer(msgspec.Struct, frozen=True, kw_only=True):
    """An exported adapter: its file, how it did in its own training, the roles it can take."""

    file: str
    figure: str
    roles: tuple[RoleOffer, ...]


def adapter_offer(
    workspace: Path, file: Path, roles: str, steps: Iterable[Mapping[str, float | None]]
) -> AdapterOffer:
    """Read who has the roles of an adapter in a workspace.

    Args:
        workspace: Where the roles are played.
        file: The exported adapter.
        roles: That it was trained for, parted by commas.
        steps: What its training logged, step by step.

    Raises:
        UsageError: it was not exported yet.
    """
    from localrec.foundation.errors import UsageError
    from localrec.foundation.settings import load_settings
    from localrec.workspace.model_roles import played_roles

    if not file.is_file():
        raise UsageError(
            f"{file.stem} was not exported yet.", "Leave this with Esc; X exports it, then U."
        )
    wanted = roles.split(",")
    held = (one for one in played_roles(load_settings(workspace)) if one.role in wanted)
    offers = tuple(
        RoleOffer(role=one.role, holder=one.adapter or one.holder, figure=one.figure)
        for one in held
    )
    return AdapterOffer(file=str(file), figure=_figure_text(steps), roles=offers)


def _figure_text(steps: Iterable[Mapping[str, float | None]]) -> str:
    """Say the last figure of the validation half that was logged."""
    latest: dict[str, float] = {}
    for values in steps:
        latest |= {name: value for name, value in values.items() if value is not None}
    return next(
        (told.format(latest[name]) for name, told in _FIGURES.items() if name in latest),
        _NO_FIGURE,
    )
