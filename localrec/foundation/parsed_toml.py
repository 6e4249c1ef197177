"""Reads large files of TOML, whose parsed form is kept: Python's parser takes long for them."""

from __future__ import annotations

import contextlib
import hashlib
from typing import TypeVar

import msgspec

from localrec.foundation.atomic_files import write_atomically
from localrec.foundation.errors import WorkspaceError
from localrec.foundation.paths import make_private, pulled

_Read = TypeVar("_Read")


def decode_large_toml(text: bytes, kind: type[_Read]) -> _Read:
    """Parse TOML as a type, or take what was kept when the same text was parsed before.

    Raises:
        ValueError: it is no TOML, or does not fit the type.
    """
    mark = hashlib.blake2b(text, digest_size=16).hexdigest()
    kept = pulled("domains") / f"{mark}.msgpack"
    try:
        return msgspec.msgpack.decode(kept.read_bytes(), type=kind)
    except (OSError, msgspec.DecodeError):
        pass  # not there, or of another version: a cache is only a cache
    import tomllib  # compiles patterns for a millisecond

    parsed = msgspec.convert(tomllib.loads(text.decode("utf-8")), kind)
    # A folder that takes nothing costs time, not the answer.
    with contextlib.suppress(OSError, WorkspaceError):
        make_private(kept.parent)
        write_atomically(kept, msgspec.msgpack.encode(parsed))
    return parsed
