"""Who plays which role in a workspace: models, adapters, rules; read, bound, checked."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from localrec.data.records import Record
from localrec.foundation.errors import UsageError
from localrec.foundation.paths import make_private
from localrec.foundation.role_holders import shipped_holders
from localrec.foundation.settings import (
    PICTURES,
    RULES,
    SLOTS,
    VISION,
    Settings,
    bind_adapter,
    bind_pictures,
    bind_role,
    bind_vision,
    load_settings,
    save_settings,
)
from localrec.llm.adapter_files import base_of, check_role, fitting_adapter, is_adapter
from localrec.llm.gguf_header import check_chat_model, check_projector, read_header
from localrec.llm.model_catalog import check, find_model, load_catalog, model_file


class PlayedRole(msgspec.Struct, Record, frozen=True, kw_only=True):
    """A role, who plays it, and by which figure they were chosen.

    Args:
        role: The role's name.
        holder: A model, or "rules".
        adapter: The adapter that plays it on the model; "" for none.
        bound_here: Whether this workspace says so; else localrec does.
        figure: The figure that the holder was chosen by, as a phrase.
        measured: The page that has the figure, of a default.
    """

    role: str
    holder: str
    adapter: str
    bound_here: bool
    figure: str
    measured: str


def played_roles(settings: Settings) -> list[PlayedRole]:
    """List who plays each role by the settings of a workspace."""
    held = []
    for role, shipped in shipped_holders().items():
        bound = role in settings.roles
        figure = settings.figures.get(role, "bound by hand") if bound else shipped.figure  # type: ignore[call-overload]
        held.append(
            PlayedRole(
                role=role,
                holder=settings.holder_of(role),
                adapter=settings.adapters.get(role, ""),  # type: ignore[call-overload]
                bound_here=bound,
                figure=figure,
                measured="" if bound else shipped.measured,
            )
        )
    return held


def use_model(folder: Path, role: str, name: str, projector: Path | None = None) -> str:
    """Let a model play a role in a workspace, after a look into every file that is named.

    Args:
        folder: The workspace.
        role: The role; a bare model, an adapter of the role, or "rules" plays it.
        name: A model or adapter, a GGUF file (for pictures a folder), or "rules" for none.
        projector: For vision: the file that was published with the model.

    Returns:
        The name as it was bound.

    Raises:
        UsageError: there is no such role, or the model cannot play it.
        ModelError: it is not here, or its file is damaged.
    """
    settings = _with_role_bound(load_settings(folder), role, name, projector)
    make_private(folder)
    save_settings(folder, settings)
    return str(Path(name).resolve()) if name.endswith(".gguf") else name


def with_adapter_bound(settings: Settings, role: str, adapter: str) -> Settings:
    """Return the settings with an adapter in its role, beside the model it was trained for.

    A model that plays the role already is kept, so it has to be that one.

    Raises:
        UsageError: there is no such role, or the adapter was trained for another.
        ModelError: it was trained for another model, or for none that is here.
    """
    check_role(adapter, role)
    playing = settings.holder_of(role)
    model = base_of(adapter) if playing == RULES else playing
    fitting_adapter(adapter, role, model_file(model))
    if adapter.endswith(".gguf"):
        adapter = str(Path(adapter).resolve())
    return bind_adapter(settings, role, model, adapter)


def adapters_of_roles(named: Sequence[str], model: Path) -> dict[str, Path]:
    """Read "ROLE=ADAPTER" texts: role -> file, each checked to fit role and model.

    Raises:
        UsageError: a text names no role or no adapter, or the adapter is for another role.
        ModelError: it was trained for another model.
    """
    found = {}
    for one in named:
        role, equals, adapter = one.partition("=")
        if not equals or not adapter:
            raise UsageError(
                f"{one!r} names no role.", "Write it so: --adapter router=question-router"
            )
        found[role] = fitting_adapter(adapter, role, model)
    return found


def _with_role_bound(settings: Settings, role: str, name: str, projector: Path | None) -> Settings:
    if role == PICTURES:
        return bind_pictures(settings, "" if name == RULES else _checked_encoders(name))
    if role == VISION and name != RULES:
        return bind_vision(settings, *_checked_pair(name, projector))
    if projector is not None:
        raise UsageError("--projector goes with vision.", "localrec models use vision --help")
    if is_adapter(name):
        return with_adapter_bound(settings, role, name)
    return bind_role(settings, role, _checked_model(role, name))


def _checked_model(role: str, name: str) -> str:
    """Return a name of the catalogue, or the path of a file that is a model."""
    if role == SLOTS and name != RULES:
        raise UsageError(
            "A bare model cannot read questions.", "Train it to: localrec train adapter slots"
        )
    if name.endswith(".gguf"):
        check(Path(name))
        return str(Path(name).resolve())
    if name != RULES and find_model(name).kind != "chat":
        raise UsageError(f"{name} makes vectors and plays no role.", "Name a chat model.")
    if role == "chat" and name == RULES:
        raise UsageError("The chat model cannot be rules.", "Name a model, or use --no-model.")
    return name


def _checked_pair(name: str, projector: Path | None) -> tuple[str, str]:
    """Return the paths of a model that sees and of its projector, their headers read."""
    if projector is None or not name.endswith(".gguf"):
        raise UsageError(
            "A model that looks at pictures is two files, and none is in the catalogue.",
            "localrec models use vision MODEL.gguf --projector MMPROJ.gguf",
        )
    check_chat_model(Path(name), read_header(Path(name)))
    check_projector(projector, read_header(projector))
    return str(Path(name).resolve()), str(projector.resolve())


def _checked_encoders(name: str) -> str:
    """Return a model of the catalogue, or the path of a folder whose encoders fit."""
    from localrec.index.clip import ClipPair

    known = load_catalog().get(name)
    if known is not None:
        if known.kind != "pictures":
            raise UsageError(f"{name} embeds no pictures.", "Name a folder: localrec help pictures")
        return name
    folder = Path(name).expanduser().resolve()
    ClipPair(folder)
    return str(folder)
