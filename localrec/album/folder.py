"""What lies in a folder of pictures: plain files only, each by its path below the folder.

Links are told of and not followed, so that nothing outside of the folder is ever read. Hidden files
and what systems leave behind are passed over.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import msgspec

from localrec.errors import InputError

_MOST = 200_000  # files
_LEFT_BEHIND = frozenset({"thumbs.db", "desktop.ini", "__macosx"})


class FoundFile(msgspec.Struct, frozen=True):
    """A file: its path, and that path below the folder with `/` between the parts."""

    path: Path
    name: str


def files_below(folder: Path) -> tuple[list[FoundFile], list[FoundFile]]:
    """Plain files and links below a folder, each sorted by name.

    Raises:
        InputError: no such folder, or one with too many files to be meant.
    """
    if not folder.is_dir():
        kind = "is a file, not a folder" if folder.exists() else "does not exist"
        raise InputError(f"{folder} {kind}.", "Name the folder that the pictures lie in.")
    files: list[FoundFile] = []
    links: list[FoundFile] = []
    for path in _walk(folder):
        found = FoundFile(path, path.relative_to(folder).as_posix())
        (links if path.is_symlink() else files).append(found)
        if len(files) > _MOST:
            raise InputError(
                f"{folder} holds more than {_MOST:,} files.", "Name the folder of pictures itself."
            )
    return (
        sorted(files, key=lambda one: one.name),
        sorted(links, key=lambda one: one.name),
    )


def _walk(folder: Path) -> Iterator[Path]:
    """Every file and every link below a folder; no link is entered."""
    for parent, folders, names in os.walk(folder):
        here = Path(parent)
        folders[:] = [name for name in folders if _is_somebodys(name)]
        yield from (here / name for name in names if _is_somebodys(name))
        yield from (here / name for name in folders if (here / name).is_symlink())


def _is_somebodys(name: str) -> bool:
    return not name.startswith(".") and name.casefold() not in _LEFT_BEHIND
