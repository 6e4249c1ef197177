"""Every system by name, for `ask --system`, batches and evaluations.

`marc` is the default: each of its roles is played by whoever docs/evaluation.md measured to be
better, unless the workspace binds a model to the role.
"""

from __future__ import annotations

import msgspec

from localrec.errors import UsageError
from localrec.settings import RULES, Settings
from localrec.systems.composition import Composition, MarcConfig, RagConfig
from localrec.systems.personal import RANKERS, PersonalConfig

SYSTEMS: dict[str, Composition] = {
    "marc": MarcConfig(),
    "marc-model": MarcConfig(router="model", critic="model", writer="model"),
    "marc-no-graph": MarcConfig(graph=False),
    "marc-no-reflection": MarcConfig(reflection=False),
    "marc-no-graph-no-reflection": MarcConfig(graph=False, reflection=False),
    "vector-rag": RagConfig(),
}
# Without a model, what is left of it: the nearest texts, explained like those of any other system.
_VECTORS_ALONE = "marc-no-graph-no-reflection"

_COUNTERPARTS = {"router": RULES, "critic": "measured", "writer": "template"}
_FIELD_OF_ROLE = {"router": "router", "reflector": "critic", "writer": "writer"}


def system_config(name: str, settings: Settings, *, without_model: bool) -> Composition:
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
        return msgspec.structs.replace(config, **_COUNTERPARTS)
    if name == "marc":
        bound = {
            _FIELD_OF_ROLE[role]: "model" if model != RULES else _COUNTERPARTS[_FIELD_OF_ROLE[role]]
            for role, model in settings.roles.items()
        }
        config = msgspec.structs.replace(config, **bound)
    return config


def personal_config(name: str) -> PersonalConfig:
    """The configuration of a named ranker, for `recommend` and `rank`.

    Raises:
        UsageError: there is no such ranker.
    """
    if name not in RANKERS:
        raise UsageError(
            f"There is no system {name!r} that ranks.", f"Systems: {', '.join(RANKERS)}."
        )
    return RANKERS[name]
