"""The limits of an agent's run; they stand alone so that a configuration loads no loop."""

from __future__ import annotations

from typing import Annotated

import msgspec


class AgentLimits(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Limit one run of an agent.

    Args:
        budget: Calls of tools; one more makes the trajectory invalid.
        k: Numbers in the ranking; all where there are fewer candidates.
        thought_characters: Length of a thought, where a grammar holds it.
        temperature: 0 takes the likeliest token.
        history: Only so many of the newest items are shown.
    """

    budget: Annotated[int, msgspec.Meta(ge=0, le=100)] = 10
    k: Annotated[int, msgspec.Meta(ge=1, le=1000)] = 10
    thought_characters: Annotated[int, msgspec.Meta(ge=8, le=2000)] = 160
    temperature: Annotated[float, msgspec.Meta(ge=0.0, le=5.0)] = 0.0
    history: Annotated[int, msgspec.Meta(ge=1, le=1000)] = 20
