"""Imports, exports and data sets: commands sent off for the app, and the store as it was before."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from contextlib import AbstractContextManager
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


class Arrival(msgspec.Struct, frozen=True, kw_only=True):
    """An import as its receipt tells it: number, day, kind of file, how many rows, whose."""

    number: int
    day: str
    source: str
    file: str
    domain: str
    kept: int
    user: str


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
        self._domains_before: tuple[str, ...] = ()  # the workspace's own, before the last import

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
        """Import a file; the store as it was is kept for `undo_import`."""
        from localrec.workspace.own_domains import own_domain_names

        with self._writing():
            self._keep_store()
            self._domains_before = tuple(own_domain_names(self._folder))
            return _report(self._commands.send(_import_arguments(wanted), request, progress))

    def can_undo_import(self) -> bool:
        """Whether the store as it was before the last import is still kept."""
        return (self._folder / _BEFORE).is_file()

    def undo_import(self) -> None:
        """Put the store back as it was before the last import, with all that was said since gone.

        Raises:
            UsageError: nothing was imported here, or it was forgotten since.
        """
        from localrec.foundation.errors import UsageError
        from localrec.workspace.own_domains import own_domain_names, remove_domain

        if not self.can_undo_import():
            raise UsageError("There is no import to take back.", "I imports something.")
        with self._writing():
            (self._folder / _BEFORE).replace(self._folder / _STORE)
            for name in set(own_domain_names(self._folder)).difference(self._domains_before):
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
        """Fetch a data set and put it into the workspace."""
        with self._writing():
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
        (self._folder / _BEFORE).unlink(missing_ok=True)

    def _keep_store(self) -> None:
        """Copy the store, which nobody writes now; where there is none, there is no way back."""
        before, store = self._folder / _BEFORE, self._folder / _STORE
        before.unlink(missing_ok=True)
        if store.is_file():
            before.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(store, before)
            before.chmod(0o600)


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
