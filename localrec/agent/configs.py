"""The compositions of AgenticRec by name; apart from it, so that a catalogue of them is light."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from localrec.agent.limits import AgentLimits

AgentMode = Literal["agent", "reasoning", "scripted", "fused"]


class AgenticRecConfig(AgentLimits, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One composition.

    Args:
        mode: Who acts: a model that asks tools as it likes, one without tools, one behind a
            script, or none.
    """

    mode: AgentMode = "agent"

    @property
    def asks_model(self) -> bool:
        """Whether it cannot do without one."""
        return self.mode != "fused"


AGENTS: Mapping[str, AgenticRecConfig] = {
    "agenticrec": AgenticRecConfig(),
    "agenticrec-reasoning": AgenticRecConfig(mode="reasoning"),
    "agenticrec-scripted": AgenticRecConfig(mode="scripted"),
    "agenticrec-fused": AgenticRecConfig(mode="fused"),
}
