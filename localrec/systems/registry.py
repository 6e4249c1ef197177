"""Every system by name, for `ask --system`, batches and evaluations.

`marc` is the default. The rules or a model play each of its roles, whichever is better in
docs/results/questions.md, unless the workspace binds a model to the role.
"""

from __future__ import annotations

import msgspec

from localrec.agent.configs import AGENTS, AgenticRecConfig
from localrec.foundation.errors import UsageError
from localrec.foundation.settings import RULES, SLOTS, VISION, ModelRole, Settings
from localrec.memory.configs import (
    MEMREC,
    MEMREC_MODELS,
    MEMREC_VECTOR,
    MemRecConfig,
    MemRecModelConfig,
    MemRecVectorConfig,
)
from localrec.ranking.configs import RANKERS, EvidenceConfig
from localrec.systems.configs import (
    FALLBACK_AGENT,
    AgenticAskConfig,
    AnswererConfig,
    MarcConfig,
    RagConfig,
)

SYSTEMS: dict[str, AnswererConfig] = {
    "marc": MarcConfig(),
    "marc-model": MarcConfig(router="model", critic="model", writer="model"),
    "marc-no-graph": MarcConfig(graph=False),
    "marc-no-reflection": MarcConfig(reflection=False),
    "marc-no-graph-no-reflection": MarcConfig(graph=False, reflection=False),
    "vector-rag": RagConfig(),
    **{name: AgenticAskConfig(agent=name) for name in AGENTS},
}
# Without a model, what is left of it: the nearest texts, explained like those of any other system.
_VECTORS_ALONE = "marc-no-graph-no-reflection"

# Whoever knows of nobody else is replaced by evidence that knows of nobody else.
_STAND_INS = {
    "memrec-vector": "memrec",
    "memrec-model": "memrec",
    "memrec-model-counted": "memrec",
    "isolated-agent": "isolated-memory",
}

_FEWEST_PEOPLE = 50  # with likings: fewer teach nothing
_RANKS_FROM = 1

_COUNTERPARTS = {
    "reader": RULES,
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
_TRAINED = frozenset({"reader", "router"})  # those that speak otherwise to a model with an adapter


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
        fused = {"agent": FALLBACK_AGENT} if isinstance(config, AgenticAskConfig) else {}
        return msgspec.structs.replace(config, **_COUNTERPARTS, **fused)
    if name == "marc":
        bound = {
            _FIELD_OF_ROLE[role]: _player(settings, role)
            for role in settings.roles
            if role in _FIELD_OF_ROLE  # memory works behind the scenes, not in an answer
        }
        config = msgspec.structs.replace(config, **bound)
    # Whoever binds a model that looks at pictures wants it in every system.
    if settings.roles.get(VISION, RULES) != RULES:
        config = msgspec.structs.replace(config, vision="model")
    return config


def _player(settings: Settings, role: ModelRole) -> str:
    """Who plays a role that the settings bind."""
    field = _FIELD_OF_ROLE[role]
    if settings.roles[role] == RULES:
        return _COUNTERPARTS[field]
    return "adapter" if field in _TRAINED and role in settings.adapters else "model"


class RecommenderPlan(msgspec.Struct, frozen=True, kw_only=True):
    """What a ranker of a workspace is made of.

    Args:
        evidence: The kinds of evidence that count where no memory does.
        memory: Which of MemRec's parts count; None: the shared memory takes no part.
        fewest_people: With likings, from whom the memory may learn.
        lists_from: Liked items from which on lists follow the memory; None: never.
        ranks_from: The same for the order of given candidates.
        learned: Whether the learnt ranker decides, once there is one.
        judge: Who puts candidates in order. Where a model fails, the fused tools stand in for an
            agent, the memory for anybody else.
    """

    evidence: EvidenceConfig
    memory: MemRecConfig | None = None
    min_users: int = 0
    lists_from: int | None = 0
    ranks_from: int = 0
    learned: bool = False
    judge: MemRecVectorConfig | MemRecModelConfig | AgenticRecConfig | None = None


# Measured on development people of MovieLens 100K, strangers to the store: the memory puts the very
# next liking first among 20 more often than `auto`, from one rating shown to 80, but not a liking
# drawn from all later ones, and the first ten it puts of all films are liked less often. So `auto`
# does without it; `auto-memory` has it rank given candidates and leaves lists as they are.
_PLANS: dict[str, RecommenderPlan] = {
    **{name: RecommenderPlan(evidence=config) for name, config in RANKERS.items()},
    "auto": RecommenderPlan(evidence=RANKERS["auto"], learned=True),
    **{name: RecommenderPlan(evidence=RANKERS["auto"], memory=one) for name, one in MEMREC.items()},
    **{
        name: RecommenderPlan(evidence=RANKERS["auto"], memory=MEMREC[_STAND_INS[name]], judge=one)
        for name, one in (MEMREC_VECTOR | MEMREC_MODELS).items()
    },
    # Whatever stands in for a model here is fused of the same tools.
    **{name: RecommenderPlan(evidence=RANKERS["auto"], judge=one) for name, one in AGENTS.items()},
    "auto-memory": RecommenderPlan(
        evidence=RANKERS["auto"],
        memory=MEMREC["memrec"],
        min_users=_FEWEST_PEOPLE,
        lists_from=None,
        ranks_from=_RANKS_FROM,
    ),
    "auto-counted": RecommenderPlan(evidence=RANKERS["auto"]),
}

# How items fit the person who asks a question, whose candidates are given ones too: asked for "a
# GENRE film from the DECADE" of 300 validation items there, the memory puts them at a mean
# reciprocal rank of .13, `auto` of .11; an answer to nobody in particular has .08.
QUESTION_PLAN = msgspec.structs.replace(_PLANS["auto-memory"], lists_from=_RANKS_FROM, learned=True)


def recommender_names() -> list[str]:
    """The names of all rankers of a workspace."""
    return list(_PLANS)


def recommender_plan(name: str) -> RecommenderPlan:
    """What a named ranker of a workspace is made of, for `recommend` and `rank`.

    Raises:
        UsageError: there is no such ranker.
    """
    if name not in _PLANS:
        raise UsageError(
            f"There is no system {name!r} that ranks.", f"Systems: {', '.join(_PLANS)}."
        )
    return _PLANS[name]


def evidence_config(name: str) -> EvidenceConfig:
    """The configuration of a named ranker that needs no shared memory.

    Raises:
        UsageError: there is no such ranker.
    """
    if name not in RANKERS:
        raise UsageError(
            f"There is no system {name!r} that ranks.", f"Systems: {', '.join(RANKERS)}."
        )
    return RANKERS[name]
