"""Named configurations of AgenticRec; they stand alone so that listing them loads no agent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from localrec.agent.limits import AgentLimits

AgentMode = Literal["agent", "reasoning", "scripted", "fused"]


class AgenticRecConfig(AgentLimits, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Configure one AgenticRec system.

    Args:
        mode: The way to act: "agent" asks tools as its model likes, "reasoning" has no tools,
            "scripted" follows a script, "fused" has no model.
    """

    mode: AgentMode = "agent"

    @property
    def asks_model(self) -> bool:
        """Whether the system needs a language model."""
        return self.mode != "fused"


AGENTS: Mapping[str, AgenticRecConfig] = {
    "agenticrec": AgenticRecConfig(),
    "agenticrec-reasoning": AgenticRecConfig(mode="reasoning"),
    "agenticrec-scripted": AgenticRecConfig(mode="scripted"),
    "agenticrec-fused": AgenticRecConfig(mode="fused"),
}
