"""Store a fitted ranker on disk: a JSON file of its fields, and one file of its arrays.

Nothing is pickled, so a foreign file can hold wrong numbers but run nothing. The records are told
apart by their type annotations: an array goes into the file of arrays, a record is taken apart,
everything else goes into the JSON, which tells shape and place of each array as well. The file of
arrays is mapped and not read, so that opening takes no time at any size; the JSON knows its length,
and its name carries a mark of its contents (`index/cached_artifact.py`).
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from types import UnionType
from typing import Any, TypeVar, get_args, get_type_hints

import msgspec
import numpy as np
from numpy.typing import NDArray

from localrec.foundation.errors import InputError
from localrec.index.cached_artifact import CachedArtifact

Arrays = dict[str, NDArray[Any]]
Record = TypeVar("Record", bound=msgspec.Struct)

FORMAT = 6
_STEM, _KIND = "ranker", "arrays"
_ALIGNED = 64  # bytes; where an array may begin
_TYPES = frozenset("?bhilefdBI") | {"q", "L", "Q"}  # numbers; objects would have to be unpickled


class _Place(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The position and the type of an array in the file."""

    begin: int
    dtype: str
    shape: tuple[int, ...]

    @property
    def size(self) -> int:
        """The bytes of the array."""
        return int(np.dtype(self.dtype).itemsize * np.prod(self.shape, dtype=np.int64))


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    format: int
    mark: str
    size: int
    places: dict[str, _Place]
    plain: dict[str, Any]


def take_apart(record: msgspec.Struct, path: str = "") -> tuple[dict[str, Any], Arrays]:
    """Split a record into plain values and arrays, by their paths."""
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
    """Rebuild a record from its parts.

    Raises:
        InputError: a value is missing, or of another type, as in the files of another version.
    """
    try:
        return _put_together(record, plain, arrays, path)
    except (KeyError, TypeError, msgspec.ValidationError) as error:
        raise InputError(
            f"What was learnt of {path.strip('/') or 'the ranking'} does not fit: {error}.",
            "Learn it again: localrec learn",
        ) from error


def _put_together(record: type[Record], plain: dict[str, Any], arrays: Arrays, path: str) -> Record:
    """Rebuild a record, and raise if the parts do not fit."""
    values: dict[str, Any] = {}
    for name, hint in get_type_hints(record).items():
        if name not in record.__struct_fields__:
            continue
        place = f"{path}{name}"
        inner = _record_in(hint)
        if place in arrays:
            values[name] = arrays[place]
        elif inner is not None and plain[place] is True:
            values[name] = _put_together(inner, plain, arrays, f"{place}/")
        elif hint is float and plain[place] is None:  # JSON knows no NaN
            values[name] = float("nan")
        else:
            values[name] = msgspec.convert(plain[place], hint)
    return record(**values)


def write_artefact(folder: Path, plain: dict[str, Any], arrays: Arrays) -> None:
    """Write both files, in place of older ones.

    Raises:
        OSError: the disk does not take them; the older ones are unharmed.
    """
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    places, size = _placed(arrays)
    mark = _mark_of(arrays)
    record = msgspec.json.encode(_File(FORMAT, mark, size, places, plain))
    CachedArtifact(folder, _STEM).write(
        mark,
        {_KIND: lambda path: _save_arrays(path, arrays, places, size)},
        lambda _checksums: record,
    )


def read_artefact(folder: Path) -> tuple[dict[str, Any], Arrays] | None:
    """Read plain values and memory-mapped, read-only arrays; None where there are none.

    Raises:
        InputError: the files are damaged, or of another version.
    """
    files = CachedArtifact(folder, _STEM)
    try:
        file = msgspec.json.decode(files.sidecar_path.read_bytes(), type=_File)
        if file.format != FORMAT:
            raise ValueError("it is of another version")
        path = files.path(file.mark, _KIND)
        if path.stat().st_size != file.size:
            raise ValueError("its arrays are not whole")
        mapped = np.memmap(path, np.uint8, "r") if file.size else np.zeros(0, np.uint8)
        return file.plain, {name: _array(mapped, one) for name, one in file.places.items()}
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError, msgspec.DecodeError) as error:
        raise InputError(
            f"The learnt ranking in {folder} cannot be read: {error}.",
            "Delete the folder; it is learnt again.",
        ) from error


def read_plain(folder: Path) -> dict[str, Any] | None:
    """Read the plain values alone; None where they are missing or unreadable."""
    try:
        encoded = CachedArtifact(folder, _STEM).sidecar_path.read_bytes()
        file = msgspec.json.decode(encoded, type=_File)
    except (OSError, msgspec.DecodeError):
        return None
    return file.plain if file.format == FORMAT else None


def _record_in(hint: Any) -> type[msgspec.Struct] | None:
    """Return the record type of an annotation, alone or beside None."""
    options = get_args(hint) if isinstance(hint, UnionType) else (hint,)
    records = [one for one in options if isinstance(one, type) and issubclass(one, msgspec.Struct)]
    return records[0] if records else None


def _placed(arrays: Arrays) -> tuple[dict[str, _Place], int]:
    """Place each array in the file; return the file's length too."""
    places, end = {}, 0
    for name, array in arrays.items():
        begin = -(-end // _ALIGNED) * _ALIGNED
        places[name] = _Place(begin, array.dtype.str, array.shape)
        end = begin + array.nbytes
    return places, end


def _mark_of(arrays: Arrays) -> str:
    """Hash the contents, for the name of the file."""
    digest = hashlib.blake2b(digest_size=6)
    for name, array in arrays.items():
        digest.update(name.encode())
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()


def _save_arrays(path: Path, arrays: Arrays, places: dict[str, _Place], size: int) -> None:
    with path.open("wb") as file:
        for name, array in arrays.items():
            file.seek(places[name].begin)
            file.write(np.ascontiguousarray(array).data)
        file.truncate(size)


def _array(mapped: NDArray[np.uint8], place: _Place) -> NDArray[Any]:
    """Return one of the mapped arrays.

    Raises:
        ValueError: it does not lie in the file, or holds no numbers.
    """
    dtype = np.dtype(place.dtype)
    end = place.begin + place.size
    if dtype.char not in _TYPES or min(place.begin, *place.shape, 0) < 0 or end > len(mapped):
        raise ValueError("an array does not lie in its file")
    return np.asarray(mapped[place.begin : end]).view(dtype).reshape(place.shape)
