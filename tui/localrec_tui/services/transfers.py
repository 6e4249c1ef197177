"""Imports, exports and data sets: commands sent off for the app, and the store as it was before."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from localrec.data.rows import ImportReport
from localrec.foundation.progress import Progress
from localrec_tui.services.commands import CommandRunner
from localrec_tui.services.memory import ReadStore
from localrec_tui.services.records import (
    WORKSPACE,
    ExportChoice,
    ExportRequest,
    ImportRequest,
    RequestHandle,
)

if TYPE_CHECKING:
    from localrec.graph.store import Store
    from localrec_tui.services.import_look import FileLook

_STORE = "store.duckdb"
# Among the caches: forgetting removes all of them, and nobody else reads this one.
_BEFORE = Path("indexes") / "before-import.duckdb"
_BEFORE_THIS = Path("indexes") / "before-this-import.duckdb"  # until the import is in

# Why no import can be taken back: a sentence, and what can be done or what stays.
_NONE_YET = (
    "There is no import to take back: none was made since the app began.",
    "The key I imports a file.",
)
_TAKEN_BACK = (
    "Only the last import can be taken back, and that is done already.",
    "What came in before it stays.",
)
_NOTHING_BEFORE = (
    "The first import into an empty workspace cannot be taken back: nothing was here before it.",
    "Those after it can.",
)
_PULLED_SINCE = (
    "The last import cannot be taken back any more: a data set was pulled after it.",
    "Both stay.",
)
_FORGOTTEN_SINCE = (
    "The last import cannot be taken back any more: somebody was forgotten after it, and the copy "
    "from before went too.",
    "What came in stays.",
)


class Arrival(msgspec.Struct, frozen=True, kw_only=True):
    """An import as its receipt tells it: number, day, kind of file, how many rows, whose."""

    number: int
    day: str
    source: str
    file: str
    domain: str
    kept: int
    user: str


class ImportUndo(msgspec.Struct, frozen=True, kw_only=True):
    """What taking the last import back would undo: its file, and the words given since then."""

    file: str
    words: int


class _KeptImport(msgspec.Struct, frozen=True, kw_only=True):
    """An import that can be taken back; the workspace's own domains are those before it."""

    file: str
    at: datetime
    domains_before: tuple[str, ...]


class DatasetSummary(msgspec.Struct, frozen=True, kw_only=True):
    """A data set that can be pulled; `here`: its domain has items."""

    name: str
    title: str
    domain: str
    licence: str
    here: bool


class DatasetDetails(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of a data set beside its line in the list.

    Args:
        files: Those that are fetched, with their bytes; () where it ships.
        items: How many items its domain has here.
    """

    files: tuple[tuple[str, int], ...]
    items: int


class TransferService:
    """Sends imports, exports and pulls off as processes of their own.

    Args:
        folder: The workspace.
        read: Reads from the store.
        writing: Keeps the store for one writer of this process.
    """

    def __init__(
        self,
        folder: Path,
        read: ReadStore,
        writing: Callable[[], AbstractContextManager[None]],
    ) -> None:
        self._folder, self._read, self._writing = folder, read, writing
        self._commands = CommandRunner(folder, close_s=20.0)
        self._kept: _KeptImport | None = None
        self._why_none = _NONE_YET  # no import can be taken back, where none is kept

    def look(self, path: str) -> FileLook:
        """Look what a file is, and what must be said of it before it is read.

        Raises:
            InputError: there is no such file.
        """
        from localrec_tui.services.import_look import look_at_file

        return look_at_file(self._folder, path)

    def dry_run(
        self, wanted: ImportRequest, request: RequestHandle, progress: Progress
    ) -> ImportReport:
        """Read a file and return the receipt that an import would give; nothing changes."""
        arguments = (*_import_arguments(wanted), "--dry-run")
        return _report(self._commands.send(arguments, request, progress))

    def import_file(
        self, wanted: ImportRequest, request: RequestHandle, progress: Progress
    ) -> ImportReport:
        """Import a file; the store as it was is kept for `undo_import`.

        Where the import fails or is stopped, the one before it can still be taken back.
        """
        from localrec.workspace.own_domains import own_domain_names

        kept = self._folder / _BEFORE_THIS
        with self._writing():
            domains = tuple(own_domain_names(self._folder))
            try:
                has_copy = self._copy_store(kept)
                report = _report(self._commands.send(_import_arguments(wanted), request, progress))
            except BaseException:
                kept.unlink(missing_ok=True)
                raise
            self._drop_kept(_FORGOTTEN_SINCE if has_copy else _NOTHING_BEFORE)
            # Another process, such as a forgetting, may have swept the copy: then no way is back.
            if has_copy and kept.is_file():
                kept.replace(self._folder / _BEFORE)
                self._kept = _KeptImport(
                    file=Path(wanted.path).name,
                    at=datetime.now(UTC).replace(tzinfo=None),
                    domains_before=domains,
                )
            return report

    def import_undo(self) -> ImportUndo:
        """Look what `undo_import` would undo.

        Raises:
            UsageError: there is no import to take back.
        """
        from localrec_tui.services.store_queries import count_words_since

        kept = self._last_import()
        words = self._read(lambda store: count_words_since(store, kept.at))
        return ImportUndo(file=kept.file, words=words)

    def undo_import(self) -> None:
        """Put the store back as it was before the last import, with all that was said since gone.

        Raises:
            UsageError: there is no import to take back.
        """
        from localrec.graph.journal import sidecar_files
        from localrec.workspace.own_domains import own_domain_names, remove_domain

        with self._writing():
            kept = self._last_import()
            for name in sidecar_files(self._folder / _STORE)[1:]:  # they are of the newer store
                (self._folder / name).unlink(missing_ok=True)
            (self._folder / _BEFORE).replace(self._folder / _STORE)
            self._kept, self._why_none = None, _TAKEN_BACK
            for name in set(own_domain_names(self._folder)).difference(kept.domains_before):
                remove_domain(self._folder, name)

    def export_choices(self, user: str | None) -> tuple[ExportChoice, ...]:
        """What can go out: a user's history and profile in each domain, catalogues, all of it."""
        from localrec_tui.services.export_choices import export_choices

        return self._read(lambda store: export_choices(store, user))

    def export(self, wanted: ExportRequest, request: RequestHandle, progress: Progress) -> str:
        """Write a file; returns what is in it, in a sentence."""
        out = str(Path(wanted.out).expanduser())
        force = ["--force"] if wanted.replaces else []
        if wanted.what == WORKSPACE:
            [report] = self._commands.send(("backup", out, *force), request, progress)
            return f"The whole workspace is in {report['path']}: {report['files']:,} files."
        arguments = ["export", "--out", out, *force]
        named = {
            "--what": wanted.what or None,
            "--user": wanted.user,
            "--domain": wanted.domain,
            "--format": wanted.form,
        }
        for option, value in named.items():
            arguments += [] if value is None else [option, value]
        [report] = self._commands.send(arguments, request, progress)
        told = [f"{one['rows']:,} rows are in {one['path']}." for one in report["files"]]
        return " ".join([*told, *report["notes"]])

    def datasets(self) -> tuple[DatasetSummary, ...]:
        """The data sets that localrec knows, and whether they are here."""
        from localrec.sources.dataset_catalog import load_datasets
        from localrec_tui.services.store_queries import domain_summaries

        here = {one.name for one in self._read(domain_summaries)} if self._has_store else set()
        return tuple(
            DatasetSummary(
                name=name,
                title=one.title,
                domain=one.domain,
                licence=one.licence,
                here=one.domain in here,
            )
            for name, one in load_datasets().items()
        )

    def dataset_details(self, name: str) -> DatasetDetails:
        """Look which files a data set has, and what is here of its domain."""
        from localrec.sources.dataset_catalog import find_dataset
        from localrec_tui.services.store_queries import domain_summaries

        found = find_dataset(name)
        here = self._read(domain_summaries) if self._has_store else ()
        return DatasetDetails(
            files=tuple((one.name, one.size) for one in found.files),
            items=sum(one.items for one in here if one.name == found.domain),
        )

    def receipt(self, number: int) -> ImportReport:
        """Return the receipt of an import.

        Raises:
            InputError: it was taken back, or forgotten.
        """
        return self._read(lambda store: _receipt(store, number))

    def domain_counts(self, domain: str) -> tuple[tuple[str, int], ...]:
        """Count what is here of a domain: nodes by kind, the most first, and interactions."""
        if not self._has_store:
            return ()
        return self._read(lambda store: _domain_counts(store, domain))

    @property
    def _has_store(self) -> bool:
        return (self._folder / _STORE).is_file()

    def pull(self, name: str, request: RequestHandle, progress: Progress) -> None:
        """Fetch a data set and put it into the workspace; no import before it can be taken back.

        The store of before would lack the data set, and what was said of it.
        """
        with self._writing():
            self._drop_kept(self._why_none if self._kept is None else _PULLED_SINCE)
            self._commands.send(("datasets", "pull", name), request, progress)

    def rebuild_memories(self, request: RequestHandle, progress: Progress) -> str:
        """Build all memories anew from the histories; returns how many, in a sentence."""
        [report] = self._commands.send(("memory", "rebuild"), request, progress)
        done = sum(one["people"] + one["items"] for one in report["domains"])
        return f"{done:,} memories were counted anew."

    def arrivals(self, limit: int) -> tuple[Arrival, ...]:
        """The last imports, the newest first."""
        return self._read(lambda store: _arrivals(store, limit))

    def stop(self, request: RequestHandle) -> None:
        """Ask a transfer to end; nothing half done is kept."""
        self._commands.stop(request)

    def close(self) -> None:
        """See that whatever runs has ended; the way back ends with the app."""
        self._commands.close()
        self._drop_kept(_NONE_YET)
        (self._folder / _BEFORE_THIS).unlink(missing_ok=True)

    def _last_import(self) -> _KeptImport:
        from localrec.foundation.errors import UsageError

        if self._kept is None:
            raise UsageError(*self._why_none)
        if not (self._folder / _BEFORE).is_file():
            raise UsageError(*_FORGOTTEN_SINCE)
        return self._kept

    def _drop_kept(self, why: tuple[str, str]) -> None:
        """Let go of the way back; `why` says from now on why there is none."""
        self._kept, self._why_none = None, why
        (self._folder / _BEFORE).unlink(missing_ok=True)

    def _copy_store(self, copy: Path) -> bool:
        """Copy the store, which nobody writes now; False where there is none yet."""
        store = self._folder / _STORE
        if not store.is_file():
            return False
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.touch(mode=0o600)
        shutil.copyfile(store, copy)
        return True


def _import_arguments(wanted: ImportRequest) -> tuple[str, ...]:
    whose = () if wanted.user is None else ("--user", wanted.user)
    about = () if wanted.domain is None else ("--domain", wanted.domain, "--accept")
    return ("import", "auto", str(Path(wanted.path).expanduser()), *whose, *about)


def _report(documents: tuple[Any, ...]) -> ImportReport:
    return msgspec.convert(documents[0], ImportReport)


def _arrivals(store: Store, limit: int) -> tuple[Arrival, ...]:
    rows = store.rows(
        "SELECT import_id, \"at\", report->>'$.source', report->>'$.path', report->>'$.domain', "
        "(report->>'$.kept')::BIGINT, user_key FROM import_receipt "
        f'ORDER BY "at" DESC, import_id DESC LIMIT {int(limit)}'
    )
    return tuple(
        Arrival(
            number=number,
            day=f"{at:%Y-%m-%d}",
            source=source or "",
            file=Path(path or "").name,
            domain=domain or "",
            kept=int(kept or 0),
            user=user or "",
        )
        for number, at, source, path, domain, kept, user in rows
    )


def _receipt(store: Store, number: int) -> ImportReport:
    from localrec.foundation.errors import InputError

    rows = store.rows("SELECT report FROM import_receipt WHERE import_id = ?", [number])
    if not rows:
        raise InputError("There is no receipt of this import any more.", "Go to the room anew.")
    return msgspec.json.decode(rows[0][0], type=ImportReport)


def _domain_counts(store: Store, domain: str) -> tuple[tuple[str, int], ...]:
    counts = store.rows(
        "SELECT kind, count(*) FROM node WHERE domain = ? GROUP BY kind ORDER BY 2 DESC, 1",
        [domain],
    )
    [(said,)] = store.rows(
        "SELECT count(*) FROM interaction i JOIN node n ON n.node_id = i.item_id "
        "WHERE n.domain = ?",
        [domain],
    )
    return (*((kind, count) for kind, count in counts), *([("interactions", said)] if said else []))
