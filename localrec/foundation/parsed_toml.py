"""Reads large files of TOML, whose parsed form is kept: Python's parser takes long for them."""

from __future__ import annotations

import contextlib
import hashlib
import shutil
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from localrec.foundation.atomic_files import write_atomically
from localrec.foundation.errors import WorkspaceError
from localrec.foundation.paths import make_private, pulled, shipped

_Read = TypeVar("_Read")
_MARK_BYTES = 16


def decode_large_toml(path: Path, kind: type[_Read]) -> _Read:
    """Parse a file of TOML as a type, or take what was kept when the same file was parsed before.

    Kept are files that ship with localrec alone, one copy of each: the cache lies outside the
    workspace and holds nothing of a user's, such as the words of a domain of their own.

    Raises:
        OSError: it cannot be read.
        ValueError: it is no TOML, or does not fit the type.
    """
    text = path.read_bytes()
    if not _is_shipped(path):
        return msgspec.convert(_tables(text), kind)
    mark = hashlib.blake2b(text, digest_size=_MARK_BYTES).digest()
    name = hashlib.blake2b(str(path.resolve()).encode(), digest_size=_MARK_BYTES).hexdigest()
    kept = pulled("parsed") / f"{name}.msgpack"
    try:
        found = kept.read_bytes()
        if found[:_MARK_BYTES] == mark:
            return msgspec.msgpack.decode(found[_MARK_BYTES:], type=kind)
    except (OSError, msgspec.DecodeError):
        pass  # not there, or cut short: a cache is only a cache
    tables = _tables(text)
    # A folder that takes nothing costs time, not the answer.
    with contextlib.suppress(OSError, WorkspaceError):
        make_private(kept.parent)
        # The tables as they stand: a type that changes its defaults finds them as good as new.
        write_atomically(kept, mark + msgspec.msgpack.encode(tables))
        # Where copies lay before, those of users' own domains among them.
        shutil.rmtree(pulled("domains"), ignore_errors=True)
    return msgspec.convert(tables, kind)


def _tables(text: bytes) -> dict[str, Any]:
    import tomllib  # compiles patterns for a millisecond

    return tomllib.loads(text.decode("utf-8"))


def _is_shipped(path: Path) -> bool:
    """Whether a file is part of localrec: of its package, or of the data that come with it."""
    place = path.resolve()
    homes = (Path(__file__).resolve().parents[1], shipped("datasets").resolve())
    return any(place.is_relative_to(home) for home in homes)
