"""The compositions of AgenticRec by name; apart from it, so that a catalogue of them is light."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from localrec.agent.bounds import LoopConfig

Mode = Literal["agent", "reasoning", "scripted", "fused"]


class AgenticConfig(LoopConfig, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One composition.

    Args:
        mode: Who acts: a model that asks tools as it likes, one without tools, one behind a
            script, or none.
    """

    mode: Mode = "agent"

    @property
    def asks_model(self) -> bool:
        """Whether it cannot do without one."""
        return self.mode != "fused"


AGENTS: Mapping[str, AgenticConfig] = {
    "agenticrec": AgenticConfig(),
    "agenticrec-reasoning": AgenticConfig(mode="reasoning"),
    "agenticrec-scripted": AgenticConfig(mode="scripted"),
    "agenticrec-fused": AgenticConfig(mode="fused"),
}
