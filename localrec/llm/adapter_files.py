"""Find adapters, read their roles, and check that they fit a model.

An adapter says in its file which roles it was trained for and, by hash, with which model file. On
any other it would load, where the sizes agree, and answer nonsense; so another is refused.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from localrec.foundation.errors import ModelError, UsageError
from localrec.foundation.paths import shipped
from localrec.llm.gguf_header import GgufHeader, check_adapter, read_header
from localrec.llm.model_catalog import find_model, load_catalog, model_path


def shipped_adapters() -> dict[str, Path]:
    """List the adapters that ship with localrec: name -> file."""
    return {path.stem: path for path in sorted((shipped("models") / "adapters").glob("*.gguf"))}


def adapter_path(named: str) -> Path:
    """Find the file of an adapter by the name of a shipped one or by its path.

    Raises:
        ModelError: there is none.
    """
    known = shipped_adapters()
    if named in known:
        return known[named]
    if not named.endswith(".gguf") or not Path(named).is_file():
        raise ModelError(
            f"There is no adapter {named!r}.",
            f"Name a GGUF file, or one of: {', '.join(known) or '(none ships)'}.",
        )
    return Path(named)


def is_adapter(named: str) -> bool:
    """Whether a name or a GGUF file is an adapter and not a model.

    Raises:
        ModelError: the file is no usable GGUF.
    """
    if named in shipped_adapters():
        return True
    return named.endswith(".gguf") and read_header(Path(named)).kind == "adapter"


def fitting_adapter(named: str, role: str, model: Path) -> Path:
    """Find the file of an adapter and check that it fits the role and the model.

    Raises:
        ModelError: there is none, or it is another model's.
        UsageError: it was trained for another role.
    """
    check_role(named, role)
    path = adapter_path(named)
    header = _ours(path)
    check_adapter(path, header, read_header(model))
    if header.made_for != _hash_of(model):
        raise ModelError(
            f"{path.name} was trained for another model than {model.name}.",
            "Use it with its own, or train one for this model: localrec train adapter "
            f"{role} --base {model.name}",
        )
    return path


def check_role(named: str, role: str) -> None:
    """Refuse an adapter in a role that it was not trained for.

    Raises:
        UsageError: see above.
        ModelError: there is no such adapter, or it does not say.
    """
    own = roles_of(named)
    if role not in own:
        raise UsageError(
            f"{named} was trained for {' and '.join(own)}, and not for {role}.",
            f"localrec models use {own[0]} {named}",
        )


def base_of(named: str) -> str:
    """Name the model of the catalogue that an adapter was trained for.

    Raises:
        ModelError: there is no such adapter, or its model is not in the catalogue.
    """
    header = _ours(adapter_path(named))
    for name, model in load_catalog().items():
        if model.files[0].sha256 == header.made_for:
            return name
    raise ModelError(
        f"{named} was trained for a model that is not in the catalogue.",
        "Bind the model to the role first: localrec models use ROLE MODEL.gguf",
    )


def roles_of(named: str) -> tuple[str, ...]:
    """Return the roles that an adapter was trained for.

    Raises:
        ModelError: there is none, or it does not say.
    """
    return tuple(_ours(adapter_path(named)).role.split(","))


def _ours(path: Path) -> GgufHeader:
    header = read_header(path)
    if header.kind != "adapter" or not header.role or not header.made_for:
        raise ModelError(
            f"{path} does not say which role it plays and with which model.",
            "Export one that was trained here: localrec train export RUN",
        )
    return header


def _hash_of(model: Path) -> str:
    """Return the SHA-256 of a model file; the hash of a pulled file is known from its check."""
    for name in load_catalog():
        declared = find_model(name)
        try:
            if declared.kind == "chat" and model_path(name) == model:
                return declared.files[0].sha256
        except ModelError:  # not pulled
            continue
    with model.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
