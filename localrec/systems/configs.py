"""Configure systems that answer questions, and name the models of their roles."""

from __future__ import annotations

import msgspec

from localrec.foundation.errors import UsageError
from localrec.foundation.settings import RULES, SLOTS, VISION, ModelRole, Settings
from localrec.systems.shipped_systems import AGENT_NAMES, AGENTICREC_FUSED, MARC, MARC_MODEL

TAGGER = "tagger"  # rules, and a network that ships and tells what names are there for


class MarcConfig(msgspec.Struct, frozen=True, kw_only=True):
    """Configure the stages of MARC.

    Args:
        graph: Retrieve through the graph; without it by vectors alone.
        reflection: Up to three rounds; without it one.
        reader: Reader of a question: "tagger" for rules and a small network, "rules", or "adapter".
        router: "rules", "model", or "adapter" for a model that was trained for it.
        critic: "measured", "model", or "adapter" for a model that was trained for it.
        writer: "template", "model", or "adapter" for a model that was trained for it.
        vision: Reader of a picture: "measured" without a model, or "model".
    """

    graph: bool = True
    reflection: bool = True
    reader: str = TAGGER
    router: str = RULES
    critic: str = "measured"
    writer: str = "template"
    vision: str = "measured"

    @property
    def asks_model(self) -> tuple[str, ...]:
        """List the roles of chat models, as the settings name them."""
        played = {
            "slots": self.reader,
            "router": self.router,
            "reflector": self.critic,
            "writer": self.writer,
        }
        return tuple(role for role, who in played.items() if who in ("model", "adapter"))


class AgenticAskConfig(MarcConfig, frozen=True, kw_only=True):
    """Configure MARC with an agent that orders the retrieved items.

    Args:
        agent: Name of its composition among `systems.agents.AGENTS`.
    """

    agent: str

    @property
    def asks_model(self) -> tuple[str, ...]:
        """List the roles of models."""
        from localrec.agent.configs import AGENTS

        return (*super().asks_model, *(("agent",) if AGENTS[self.agent].asks_model else ()))


class RagConfig(msgspec.Struct, frozen=True, kw_only=True):
    """Configure vector-only retrieval with a model that selects items.

    Args:
        passages: Nearest texts that the model chooses among.
    """

    passages: int = 10

    @property
    def asks_model(self) -> tuple[str, ...]:
        """List the roles of models."""
        return ("selector",)


AnswererConfig = MarcConfig | RagConfig  # an AgenticAskConfig is a MarcConfig

SYSTEMS: dict[str, AnswererConfig] = {
    MARC: MarcConfig(),
    "marc-tagger": MarcConfig(),  # as it was called before it was the default
    "marc-rules": MarcConfig(reader=RULES),
    MARC_MODEL: MarcConfig(router="model", critic="model", writer="model"),
    "marc-no-graph": MarcConfig(graph=False),
    "marc-no-reflection": MarcConfig(reflection=False),
    "marc-no-graph-no-reflection": MarcConfig(graph=False, reflection=False),
    "vector-rag": RagConfig(),
    **{name: AgenticAskConfig(agent=name) for name in AGENT_NAMES},
}
_VECTORS_ALONE = "marc-no-graph-no-reflection"  # what is left of vector-rag without a model

_COUNTERPARTS = {
    "reader": TAGGER,
    "router": RULES,
    "critic": "measured",
    "writer": "template",
    "vision": "measured",
}
_FIELD_OF_ROLE: dict[ModelRole, str] = {
    SLOTS: "reader",
    "router": "router",
    "reflector": "critic",
    "writer": "writer",
}
# Those that speak otherwise to a model with an adapter.
_TRAINED = frozenset({"reader", "router", "critic", "writer"})


def system_config(name: str, settings: Settings, *, without_model: bool) -> AnswererConfig:
    """The configuration of a named system in a workspace.

    Args:
        name: A key of `SYSTEMS`.
        settings: The workspace's; a role bound to a model there is played by it in `marc`.
        without_model: Every role by its deterministic counterpart (`--no-model`).

    Raises:
        UsageError: there is no such system.
    """
    if name not in SYSTEMS:
        raise UsageError(f"There is no system {name!r}.", f"Systems: {', '.join(SYSTEMS)}.")
    config = SYSTEMS[_VECTORS_ALONE if without_model and name == "vector-rag" else name]
    if isinstance(config, RagConfig):
        return config
    if without_model:
        agent = {"agent": AGENTICREC_FUSED} if isinstance(config, AgenticAskConfig) else {}
        reader = {"reader": RULES} if config.reader == RULES else {}
        return msgspec.structs.replace(config, **(_COUNTERPARTS | agent | reader))
    if name == "marc":
        bound = {
            _FIELD_OF_ROLE[role]: _player(settings, role)
            for role in _FIELD_OF_ROLE  # memory works behind the scenes, not in an answer
            if role in settings.roles or settings.holder_of(role) != RULES
        }
        config = msgspec.structs.replace(config, **bound)
    if settings.holder_of(VISION) != RULES:
        config = msgspec.structs.replace(config, vision="model")  # wanted in every system
    return config


def _player(settings: Settings, role: ModelRole) -> str:
    """Return the player of a role in the settings."""
    field = _FIELD_OF_ROLE[role]
    if settings.holder_of(role) == RULES:
        return _COUNTERPARTS[field]
    return "adapter" if field in _TRAINED and role in settings.adapters else "model"
