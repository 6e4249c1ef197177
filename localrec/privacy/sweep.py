"""What becomes of each file of a workspace, and the last look at all of them.

Caches, logs and half-written files go whole: they come back by themselves or by training again, or
nobody misses them. So do copies of the store, which hold what is forgotten.
Of runs and batches (JSON lines) the lines go that mention the forgotten; any other file of `runs/`
that does goes whole. Everything else is a person's own: it is left alone, searched at the end, and
named in the receipt if a trace is in it. Links are not followed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import msgspec

from localrec.foundation.atomic_files import sync
from localrec.foundation.paths import owner_only
from localrec.graph.journal import STORE, files_in, sidecar_files, staged_path
from localrec.privacy.leak_scan import LeakPattern, PatternScanner
from localrec.privacy.store_rewrite import LeakFinding, leak_findings

_DISPOSABLE_FOLDERS = ("indexes", "logs", "spill", "backups")
_DISPOSABLE_ENDINGS = (".log", ".part", ".tmp")
_LINES_AT_ONCE = 1 << 20  # bytes


class FileAction(msgspec.Struct, frozen=True, kw_only=True):
    """A file that goes, or loses lines: its path in the workspace, "removed" or "rewritten"."""

    path: str
    action: str
    bytes: int
    lines: int = 0


class FileScan(msgspec.Struct, frozen=True, kw_only=True):
    """The traces in all bytes of a workspace; `unread` are links and unreadable files."""

    files: int
    bytes: int
    found: tuple[LeakFinding, ...]
    unread: tuple[str, ...]


def plan_file_actions(folder: Path, search: PatternScanner) -> list[FileAction]:
    """Plan the action for each file; files that stay as they are, are left out."""
    fates = (_fate(folder, path, search) for path in files_in(folder) if not _is_store(path))
    return [fate for fate in fates if fate is not None]


def is_mentioned(folder: Path, search: PatternScanner) -> bool:
    """Whether a run, a batch or their name mentions what is searched for."""
    return any(
        not _is_disposable(folder, path) and _fate(folder, path, search) is not None
        for path in files_in(folder)
        if not _is_store(path)
    )


def prepare_rewritten(folder: Path, fates: list[FileAction], search: PatternScanner) -> None:
    """Write the shorter versions of files that lose lines beside them, on disk when it returns."""
    for fate in fates:
        if fate.action != "rewritten":
            continue
        path = folder / fate.path
        with owner_only(), staged_path(path).open("wb") as file:
            file.writelines(line for line, hit in _judged_lines(path, search) if not hit)
        sync(staged_path(path))


def scan_files(folder: Path, search: PatternScanner, shared: frozenset[LeakPattern]) -> FileScan:
    """Look for traces in the bytes and the name of every file.

    Args:
        folder: The workspace.
        search: The patterns to look for.
        shared: Needles that the store's file holds by right; SQL has told those apart.
    """
    found: Counter[tuple[str, LeakPattern]] = Counter()
    unread: list[str] = []
    count = size = 0
    for path in files_in(folder):
        place = path.relative_to(folder).as_posix()
        if path.is_symlink():
            unread.append(place)
            continue
        try:
            hits = (search.without(shared) if path.name == STORE else search).in_file(path)
            size += path.stat().st_size
            count += 1
        except OSError:
            unread.append(place)
            continue
        for pattern, times in (hits + _in_name(folder, path, search)).items():
            found[place, pattern] += times
    return FileScan(files=count, bytes=size, found=leak_findings(found), unread=tuple(unread))


def _fate(folder: Path, path: Path, search: PatternScanner) -> FileAction | None:
    place = path.relative_to(folder)
    size = path.lstat().st_size

    def fate(action: str, lines: int = 0) -> FileAction:
        return FileAction(path=place.as_posix(), action=action, bytes=size, lines=lines)

    if _is_disposable(folder, path):
        return fate("removed")
    if path.is_symlink() or not (place.parts[0] == "runs" or path.suffix == ".jsonl"):
        return None
    if _in_name(folder, path, search):
        return fate("removed")
    if not search.in_file(path):
        return None
    if path.suffix != ".jsonl":
        return fate("removed")
    return fate("rewritten", sum(hit for _, hit in _judged_lines(path, search)))


def _is_disposable(folder: Path, path: Path) -> bool:
    topmost = path.relative_to(folder).parts[0]
    return topmost in _DISPOSABLE_FOLDERS or path.name.endswith(_DISPOSABLE_ENDINGS)


def _judged_lines(path: Path, search: PatternScanner) -> Iterator[tuple[bytes, bool]]:
    """Each line of a file, and whether it mentions the forgotten."""
    with path.open("rb") as file:
        while lines := file.readlines(_LINES_AT_ONCE):
            suspicious = bool(search.in_bytes(b"".join(lines)))
            for line in lines:
                yield line, suspicious and bool(search.in_bytes(line))


def _in_name(folder: Path, path: Path, search: PatternScanner) -> Counter[LeakPattern]:
    parts = path.relative_to(folder).parts
    return search.in_texts({*parts, *(Path(part).stem for part in parts)})


def _is_store(path: Path) -> bool:
    return path.name in {Path(name).name for name in sidecar_files(Path(STORE))}
