"""Read and write private files: JSON records, and content that replaces a file whole."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path
from typing import TypeVar

import msgspec

from localrec.foundation.atomic_files import sync, write_atomically
from localrec.foundation.errors import InputError

Record = TypeVar("Record", bound=msgspec.Struct)

# What decoding raises of a text that is no record: a field's name in broken UTF-8 and brackets
# nested by the thousand, in an unknown field, are no DecodeError.
UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


def read_record(path: Path, shape: type[Record], part_of: str, remedy: str) -> Record:
    """Read one record from a JSON file.

    Args:
        path: The file.
        shape: The record's class.
        part_of: The whole that the file belongs to, for the error, such as "a run".
        remedy: The remedy for a file that cannot be used.

    Raises:
        InputError: the file is missing or holds something else.
    """
    try:
        return msgspec.json.decode(path.read_bytes(), type=shape)
    except (OSError, *UNREADABLE) as error:
        raise InputError(f"{path} is no part of {part_of}: {error}.", remedy) from error


def write_record(path: Path, record: msgspec.Struct, indent: int = 1) -> None:
    """Write one record as a JSON file, whole or not at all."""
    replace_file(path, msgspec.json.format(msgspec.json.encode(record), indent=indent) + b"\n")


def replace_file(path: Path, content: bytes) -> None:
    """Write a file that only its owner can read, whole or not at all; it survives a power cut."""
    write_atomically(path, content)
    sync(path.parent)


def sha256_of(path: Path) -> str:
    """Hash a file of any size."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def installed_versions(packages: Iterable[str]) -> dict[str, str]:
    """Look up the versions of packages without importing them; missing ones are left out."""
    found = {}
    for name in packages:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found
