"""Forgetting, start to end: mark, copy what stays, swap, sweep, and prove it.

    mark what leaves -> copy what stays -> prepare shorter runs -> journal -> swap -> look again
                                                                  ^ from here on it is done

A process that dies before the journal leaves the old state, behind it the new one; see `journal`.
Another process that has the store open is waited for briefly and then named.
"""

from __future__ import annotations

import shutil
import time
from pathlib import Path

import msgspec

from localrec.data.records import Record
from localrec.foundation.errors import UsageError, WorkspaceError
from localrec.foundation.progress import Progress
from localrec.graph.journal import (
    STORE,
    commit,
    finish_forgetting,
    open_settled,
    sidecar_files,
    staged_path,
)
from localrec.graph.store import require_store
from localrec.privacy.erasure_plan import ErasurePlan, ForgetScope, check_known
from localrec.privacy.leak_scan import PatternScanner
from localrec.privacy.store_rewrite import (
    LeakFinding,
    StoreScan,
    copy_remaining_rows,
    scan_store,
)
from localrec.privacy.sweep import (
    FileAction,
    FileScan,
    is_mentioned,
    plan_file_actions,
    prepare_rewritten,
    scan_files,
)


class LeakScanReport(msgspec.Struct, frozen=True, kw_only=True):
    """The extent of the search for traces afterwards.

    Args:
        keys: Keys looked for.
        keys_in_quotes: Those of them looked for between quotes only: short, numbers, or part of
            other words.
        texts: Notes, names and descriptions looked for; shorter ones may be anybody's.
        columns: Columns of the store whose every value was read.
        files: Files of the workspace whose every byte was read.
        bytes: Their size.
        unread: Links and unreadable files: nobody looked into these.
    """

    keys: int
    keys_in_quotes: int
    texts: int
    columns: int
    files: int
    bytes: int
    unread: tuple[str, ...]


class ForgetReceipt(msgspec.Struct, Record, frozen=True, kw_only=True):
    """The removed (or doomed) rows and files, and the traces found afterwards; no key is in it.

    Args:
        dry_run: Nothing was changed; `searched` is missing.
        rows: Rows removed per table of the store.
        files: Files removed or rewritten.
        undated: Interactions without a date, which a span of time does not cover: they stay.
        searched: The extent of the search for traces.
        found: Traces that are there after all; empty when all went well.
        namesakes: The same words in a catalogue or in the words of other users; these stay.
        adapters: Adapters trained on domains that lost something; train them again, or delete
            their folders.
        store_bytes: The store's size before and after.
        disk_bytes: Disk space that was needed for a while, on top of the files.
        seconds: Seconds of the whole run.
    """

    dry_run: bool
    rows: dict[str, int]
    files: tuple[FileAction, ...]
    undated: int
    searched: LeakScanReport | None
    found: tuple[LeakFinding, ...]
    namesakes: tuple[LeakFinding, ...]
    adapters: tuple[str, ...]
    store_bytes: tuple[int, int]
    disk_bytes: int
    seconds: float


class _Card(msgspec.Struct, frozen=True):
    """The part of an adapter's card that matters here."""

    trained_on: tuple[str, ...] = ()


class _Swap(msgspec.Struct, frozen=True):
    """One erasure, done or planned."""

    rows: dict[str, int]
    fates: list[FileAction]
    undated: int
    domains: list[str]
    search: PatternScanner
    disk_bytes: int = 0


def forget(folder: Path, scope: ForgetScope, *, dry_run: bool, progress: Progress) -> ForgetReceipt:
    """Forget a person, an item or a span of time in a whole workspace.

    Args:
        folder: The workspace.
        scope: The user, item or period to forget.
        dry_run: Only say what would go; no byte of the workspace changes.
        progress: Called with the step, how much of it is done, and of how much.

    Raises:
        BusyError: another process has the store open.
        UsageError: the scope says nothing, or two things at once, or as `refuse_nobody`.
        WorkspaceError: there is no store, or no room on the disk for its copy.
    """
    began = time.monotonic()
    refuse_nobody(folder, scope)
    path = folder / STORE
    before = path.stat().st_size
    swap = (_foresee if dry_run else _swap)(folder, scope, progress)
    values, files = (None, None) if dry_run else _look_again(folder, swap.search, progress)
    return ForgetReceipt(
        dry_run=dry_run,
        rows=swap.rows,
        files=tuple(swap.fates),
        undated=swap.undated,
        searched=_searched(swap.search, values, files) if values and files else None,
        found=(*values.found, *files.found) if values and files else (),
        namesakes=values.namesakes if values else (),
        adapters=_adapters_of(folder, swap.domains),
        store_bytes=(before, path.stat().st_size),
        disk_bytes=swap.disk_bytes,
        seconds=round(time.monotonic() - began, 3),
    )


def refuse_nobody(folder: Path, scope: ForgetScope) -> None:
    """Refuse to forget somebody or something that is nowhere; no byte of the workspace changes.

    A person who is in no row may still stand in a batch of questions: that is worth forgetting.

    Raises:
        BusyError: another process has the store open.
        UsageError: the scope says nothing, or nobody is called so; the hint names who is near.
        WorkspaceError: there is no store.
    """
    scope.check()
    require_store(folder / STORE)
    with open_settled(folder, read_only=True) as store:
        try:
            check_known(store, scope)
        except UsageError:
            if not is_mentioned(folder, PatternScanner(ErasurePlan(store, scope).patterns())):
                raise


def _foresee(folder: Path, scope: ForgetScope, progress: Progress) -> _Swap:
    with open_settled(folder, read_only=True) as store:
        return _mark(folder, ErasurePlan(store, scope), progress)


def _swap(folder: Path, scope: ForgetScope, progress: Progress) -> _Swap:
    fresh = staged_path(folder / STORE)
    try:
        with open_settled(folder, read_only=False, may_read=sidecar_files(fresh)) as store:
            _require_room(folder)
            leaving = ErasurePlan(store, scope)
            swap = _mark(folder, leaving, progress)
            copy_remaining_rows(leaving, fresh, swap.search, progress)
            prepare_rewritten(folder, swap.fates, swap.search)
            rewritten = [
                staged_path(folder / f.path) for f in swap.fates if f.action == "rewritten"
            ]
            disk_bytes = sum(path.stat().st_size for path in (fresh, *rewritten))
            commit(folder, [folder / f.path for f in swap.fates if f.action == "removed"])
    finally:
        finish_forgetting(folder)  # forwards, or backwards after a failure
    return msgspec.structs.replace(swap, disk_bytes=disk_bytes)


def _mark(folder: Path, leaving: ErasurePlan, progress: Progress) -> _Swap:
    progress("looking through files", 0, 0)
    search = PatternScanner(leaving.patterns())
    return _Swap(
        rows=leaving.counts(),
        fates=plan_file_actions(folder, search),
        undated=leaving.undated(),
        domains=leaving.domains(),
        search=search,
    )


def _look_again(
    folder: Path, search: PatternScanner, progress: Progress
) -> tuple[StoreScan, FileScan]:
    progress("looking for traces", 0, 0)
    with open_settled(folder, read_only=True) as store:
        values = scan_store(store, search)
    return values, scan_files(folder, search, values.shared)


def _searched(search: PatternScanner, values: StoreScan, files: FileScan) -> LeakScanReport:
    keys = [pattern for pattern in search.patterns if pattern.is_key]
    return LeakScanReport(
        keys=len(keys),
        keys_in_quotes=sum(pattern.quoted for pattern in keys),
        texts=len(search.patterns) - len(keys),
        columns=values.columns,
        files=files.files,
        bytes=files.bytes,
        unread=files.unread,
    )


def _adapters_of(folder: Path, domains: list[str]) -> tuple[str, ...]:
    """Names of adapters whose cards say that they learnt from one of the domains."""
    found = []
    for card in sorted(folder.glob("adapters/*/card.json")):
        try:
            learnt_from = msgspec.json.decode(card.read_bytes(), type=_Card).trained_on
        except (OSError, msgspec.MsgspecError):
            found.append(f"{card.parent.name} (its card cannot be read)")
            continue
        if set(learnt_from) & set(domains):
            found.append(card.parent.name)
    return tuple(found)


def _require_room(folder: Path) -> None:
    needed = (folder / STORE).stat().st_size
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise WorkspaceError(
            f"Forgetting writes the store anew and needs up to {needed:,} bytes; "
            f"{folder} has {free:,} left.",
            "Make room on the disk, then forget again; nothing was changed.",
        )
