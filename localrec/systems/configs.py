"""What a system that answers questions is made of, and who plays its parts.

Apart from the systems, so that one can be named without loading all that it is made of.
"""

from __future__ import annotations

import msgspec

from localrec.agent.configs import AGENTS
from localrec.foundation.settings import RULES

FALLBACK_AGENT = "agenticrec-fused"  # who stands in for an agent whose model cannot be asked


class MarcConfig(msgspec.Struct, frozen=True, kw_only=True):
    """One composition of MARC's stages.

    Args:
        graph: Retrieve through the graph; without it by vectors alone.
        reflection: Up to three rounds; without it one.
        reader: Who reads a question: "rules", or "adapter" for a model that was trained for it.
        router: "rules", "model", or "adapter" for a model that was trained for it.
        critic: "measured" or "model".
        writer: "template" or "model".
        vision: Who looks at a picture: "measured" without a model, or "model".
    """

    graph: bool = True
    reflection: bool = True
    reader: str = RULES
    router: str = RULES
    critic: str = "measured"
    writer: str = "template"
    vision: str = "measured"

    @property
    def asks_model(self) -> tuple[str, ...]:
        """The roles that a chat model plays, as the settings name them."""
        played = {
            "slots": self.reader,
            "router": self.router,
            "reflector": self.critic,
            "writer": self.writer,
        }
        return tuple(role for role, who in played.items() if who in ("model", "adapter"))


class AgenticAskConfig(MarcConfig, frozen=True, kw_only=True):
    """MARC's stages, with an agent that puts in order what they found.

    Args:
        agent: Name of its composition among `systems.agents.AGENTS`.
    """

    agent: str

    @property
    def asks_model(self) -> tuple[str, ...]:
        """The roles that a model plays."""
        return (*super().asks_model, *(("agent",) if AGENTS[self.agent].asks_model else ()))


class RagConfig(msgspec.Struct, frozen=True, kw_only=True):
    """Vector-only retrieval with a model that picks.

    Args:
        passages: Nearest texts that the model chooses among.
    """

    passages: int = 10

    @property
    def asks_model(self) -> tuple[str, ...]:
        """The roles that a model plays."""
        return ("selector",)


AnswererConfig = MarcConfig | RagConfig  # an AgenticAskConfig is a MarcConfig
