"""A fitted ranker on disk: one JSON file that says what it is, and one NPZ file of arrays.

Nothing is pickled, so a foreign file can hold wrong numbers but run nothing. The records are told
apart by their type annotations: an array goes into the NPZ under its path, a record is taken apart,
everything else goes into the JSON. Both files are written beside and renamed; the JSON, which holds
the checksum of the arrays, comes last.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import UnionType
from typing import Any, TypeVar, get_args, get_type_hints
from zipfile import BadZipFile

import msgspec
import numpy as np
from numpy.typing import NDArray

from localrec.foundation.errors import InputError

Arrays = dict[str, NDArray[Any]]
Record = TypeVar("Record", bound=msgspec.Struct)

FORMAT = 1
_ARRAYS, _RECORD = "ranker.npz", "ranker.json"


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    format: int
    checksum: str
    plain: dict[str, Any]


def take_apart(record: msgspec.Struct, path: str = "") -> tuple[dict[str, Any], Arrays]:
    """Plain values and arrays of a record by their paths."""
    plain: dict[str, Any] = {}
    arrays: Arrays = {}
    for name in record.__struct_fields__:
        value, place = getattr(record, name), f"{path}{name}"
        if isinstance(value, np.ndarray):
            arrays[place] = value
        elif isinstance(value, msgspec.Struct):
            inner_plain, inner_arrays = take_apart(value, f"{place}/")
            plain |= inner_plain
            plain[place] = True  # it is there
            arrays |= inner_arrays
        else:
            plain[place] = msgspec.to_builtins(value)
    return plain, arrays


def put_together(
    record: type[Record], plain: dict[str, Any], arrays: Arrays, path: str = ""
) -> Record:
    """The record that was taken apart.

    Raises:
        KeyError: a value is missing.
        msgspec.ValidationError: a value is of another type.
    """
    values: dict[str, Any] = {}
    for name, hint in get_type_hints(record).items():
        if name not in record.__struct_fields__:
            continue
        place = f"{path}{name}"
        inner = _record_in(hint)
        if place in arrays:
            values[name] = arrays[place]
        elif inner is not None and plain[place] is True:
            values[name] = put_together(inner, plain, arrays, f"{place}/")
        elif hint is float and plain[place] is None:  # JSON knows no NaN
            values[name] = float("nan")
        else:
            values[name] = msgspec.convert(plain[place], hint)
    return record(**values)


def write_artefact(folder: Path, plain: dict[str, Any], arrays: Arrays) -> None:
    """Put both files in the place of older ones.

    Raises:
        OSError: the disk does not take them; the older ones are unharmed.
    """
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    checksum = _replace(folder / _ARRAYS, lambda path: _save_arrays(path, arrays))
    encoded = msgspec.json.encode(_File(FORMAT, checksum, plain))
    _replace(folder / _RECORD, lambda path: path.write_bytes(encoded))


def read_artefact(folder: Path) -> tuple[dict[str, Any], Arrays] | None:
    """Plain values and arrays; None where there are none.

    Raises:
        InputError: the files are damaged, or of another version.
    """
    try:
        file = msgspec.json.decode((folder / _RECORD).read_bytes(), type=_File)
        if file.format != FORMAT or file.checksum != _checksum(folder / _ARRAYS):
            raise ValueError("the two files do not belong together")
        with np.load(folder / _ARRAYS, allow_pickle=False) as stored:
            return file.plain, {name: stored[name] for name in stored.files}
    except FileNotFoundError:
        return None
    except (ValueError, BadZipFile, msgspec.DecodeError) as error:
        raise InputError(
            f"The learnt ranking in {folder} cannot be read: {error}.",
            "Delete the folder; it is learnt again.",
        ) from error


def _record_in(hint: Any) -> type[msgspec.Struct] | None:
    """The record that an annotation names, alone or beside None."""
    options = get_args(hint) if isinstance(hint, UnionType) else (hint,)
    records = [one for one in options if isinstance(one, type) and issubclass(one, msgspec.Struct)]
    return records[0] if records else None


def _save_arrays(path: Path, arrays: Arrays) -> None:
    with path.open("wb") as file:
        np.savez(file, **arrays)  # type: ignore[arg-type]


def _replace(path: Path, save: Callable[[Path], object]) -> str:
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f"{path.name}.", suffix=".tmp")
    os.close(handle)
    beside = Path(name)
    try:
        save(beside)
        with beside.open("rb+") as file:
            os.fsync(file.fileno())
        checksum = _checksum(beside)
        beside.replace(path)
    except BaseException:  # Ctrl+C included: no half file may pile up
        beside.unlink(missing_ok=True)
        raise
    return checksum


def _checksum(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
