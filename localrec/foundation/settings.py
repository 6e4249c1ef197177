"""A workspace's settings: `settings.toml`, typed, each field explained, unknown keys refused."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path
from typing import Literal

import msgspec

from localrec.foundation.atomic_files import write_atomically
from localrec.foundation.disk_errors import disk_trouble
from localrec.foundation.errors import InputError, UsageError

ModelRole = Literal[
    "router", "reflector", "writer", "memory", "vision", "slots", "agent", "reranker"
]
ROLES: tuple[ModelRole, ...] = (
    "router",
    "reflector",
    "writer",
)  # those that take part in an answer
MEMORY: ModelRole = "memory"  # works behind the scenes: `localrec memory run`
VISION: ModelRole = (
    "vision"  # looks at pictures; a file of its own kind, and its projector beside it
)
AGENT: ModelRole = (
    "agent"  # ranks with tools: `rank --system agenticrec`, `ask --system agenticrec`
)
RERANKER: ModelRole = "reranker"  # judges candidates one by one: `rank --system memrec-model`
SLOTS: ModelRole = "slots"  # reads a question; it takes an adapter that was trained for it
PICTURES = "pictures"  # embeds pictures: a pair of encoders, no chat model
SETTINGS_FILE = "settings.toml"  # in a workspace
RULES = "rules"  # a role bound to this is played without a model
LEARN_SWITCH = "LOCALREC_LEARN"  # "off": no ranking is learnt but by `localrec learn`


class Settings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The settings of one workspace.

    Args:
        roles: Role -> model name of the catalogue, path of a GGUF, or "rules" for the
            deterministic counterpart. A role that is not listed has the holder that
            `localrec models list --roles` shows, with the figure that it was chosen by.
        adapters: Role -> adapter that the model in it was trained with: the name of one that ships,
            or the path of a GGUF.
        figures: Role -> how its holder came out against the rules, where `models bench --adopt`
            bound it; a role that was bound by hand has none.
        projector: GGUF that turns pictures into what the model in the role "vision" reads (mmproj).
        chat_model: The model that `ask --system marc-model` and unbound roles use.
        embedder: The model that embeds texts: "minilm-int8", "st:/folder", "gguf:/file".
        pictures: The model that embeds pictures and the words they are found by: a folder with a
            pair of ONNX encoders, or such a model of the catalogue. Empty: none.
        index: Nearest-vector backend: "auto", "exact" or "hnsw".
        threads: CPU threads of the chat model; 0 takes all.
    """

    roles: dict[ModelRole, str] = {}
    adapters: dict[ModelRole, str] = {}
    figures: dict[ModelRole, str] = {}
    projector: str = ""
    chat_model: str = "smollm2-135m"
    embedder: str = "minilm-int8"
    pictures: str = ""
    index: str = "auto"
    threads: int = 0

    def holder_of(self, role: str) -> str:
        """Return who plays a role: a model, or "rules"; a role that is not bound has its default.

        The defaults stand in `models/roles.toml`, each with the figure that it was chosen by.
        """
        from localrec.foundation.role_holders import shipped_holders

        shipped = shipped_holders().get(role)
        return self.roles.get(role) or (RULES if shipped is None else shipped.holder)  # type: ignore[call-overload]


def learning_is_on() -> bool:
    """Whether a better ranking may be learnt without being asked for."""
    return os.environ.get(LEARN_SWITCH, "").casefold() != "off"


def load_settings(folder: Path) -> Settings:
    """The settings of a workspace; the defaults where it has none.

    Raises:
        InputError: the file is no TOML, or has an unknown or wrong field.
        WorkspaceError: the workspace is no folder, or the file may not be read.
    """
    path = folder / SETTINGS_FILE
    try:
        with disk_trouble():
            text = path.read_text(encoding="utf-8")
        return msgspec.convert(tomllib.loads(text), Settings)
    except FileNotFoundError:
        return Settings()
    except (ValueError, msgspec.ValidationError) as error:  # also of numbers without an end
        raise InputError(
            f"{path} cannot be used: {error}.", "Mend the line, or delete the file."
        ) from error


def save_settings(folder: Path, settings: Settings) -> None:
    """Write the settings in one step, so that a crash leaves the old or the new file."""
    lines = [
        f"{name} = {_toml(value)}"
        for name in ("chat_model", "projector", "embedder", "pictures", "index", "threads")
        if (value := getattr(settings, name)) != getattr(Settings(), name)
    ]
    if settings.roles:
        lines += ["", "[roles]", *(f"{role} = {_toml(n)}" for role, n in settings.roles.items())]
    for table in ("adapters", "figures"):
        if entries := getattr(settings, table):
            lines += ["", f"[{table}]", *(f"{role} = {_toml(n)}" for role, n in entries.items())]
    write_atomically(folder / SETTINGS_FILE, ("\n".join(lines) + "\n").encode())


def bind_role(settings: Settings, role: str, name: str) -> Settings:
    """The settings with a role played by a model (or by "rules"), without any adapter.

    Raises:
        UsageError: there is no such role.
    """
    if role == "chat":
        return msgspec.structs.replace(settings, chat_model=name)
    known = (*ROLES, MEMORY, VISION, SLOTS, AGENT, RERANKER)
    if role not in known:
        raise UsageError(f"There is no role {role!r}.", f"Roles: chat, {', '.join(known)}.")
    return msgspec.structs.replace(
        settings,
        roles={**settings.roles, role: name},
        adapters={other: one for other, one in settings.adapters.items() if other != role},
        figures={other: one for other, one in settings.figures.items() if other != role},
    )


def bind_adapter(settings: Settings, role: str, model: str, adapter: str) -> Settings:
    """The settings with a role played by a model and the adapter that was trained for it.

    Raises:
        UsageError: there is no such role.
    """
    bound = bind_role(settings, role, model)
    return msgspec.structs.replace(bound, adapters={**bound.adapters, role: adapter})


def with_figure(settings: Settings, role: ModelRole, figure: str) -> Settings:
    """The settings with the figure by which a role's holder was chosen."""
    return msgspec.structs.replace(settings, figures={**settings.figures, role: figure})


def bind_vision(settings: Settings, model: str, projector: str) -> Settings:
    """The settings with a model that looks at pictures, and the projector made for it."""
    return msgspec.structs.replace(bind_role(settings, VISION, model), projector=projector)


def bind_pictures(settings: Settings, model: str) -> Settings:
    """The settings with what embeds pictures; "" for nothing."""
    return msgspec.structs.replace(settings, pictures=model)


def _toml(value: str | int) -> str:
    if isinstance(value, int):
        return str(value)
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
