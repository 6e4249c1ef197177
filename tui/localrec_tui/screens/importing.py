"""The way of a file into the workspace: its path, what it is, a look at its rows, the import."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from textual.message import Message

from localrec.data.rows import ImportReport
from localrec.foundation.errors import InputError
from localrec.foundation.progress import Progress
from localrec_tui.screens.choice import ChoiceDialog, ChoiceItem
from localrec_tui.screens.own_catalogue import OwnCatalogueDialog
from localrec_tui.screens.path import PathDialog
from localrec_tui.screens.receipt import ReceiptDialog
from localrec_tui.screens.text import TextDialog
from localrec_tui.screens.user import UserDialog, UserScreen
from localrec_tui.services.import_look import FileKind, FileLook, domain_name_of
from localrec_tui.services.records import DomainSummary, ImportRequest, RequestHandle
from localrec_tui.widgets.task_panel import TaskPanel
from localrec_tui.workers import run_in_thread

_ITEMS, _MINE = "items", "mine"


class ImportingScreen(UserScreen):
    """A room that brings files in, with a `TaskPanel`; nothing changes before the last Enter."""

    @dataclass
    class FileSeen(Message):
        """What a file is was found out."""

        found: FileLook

    @dataclass
    class FileMissed(Message):
        """A path leads to no file: what was typed, and why it did not do."""

        path: str
        fault: str

    @dataclass
    class ImportForeseen(Message):
        """What an import would keep."""

        wanted: ImportRequest
        report: ImportReport

    @dataclass
    class Transferred(Message):
        """Something came in or went out; what, in a sentence."""

        sentence: str

    def __init__(self) -> None:
        super().__init__()
        self._domains: tuple[DomainSummary, ...] = ()

    def action_import_file(self) -> None:
        """Choose a file, then look what it holds."""
        if not self._tasks.is_busy():
            self._ask_path()

    def show_status(self, status: str) -> None:
        """Show a sentence below what runs."""
        self._tasks.show_status(status)

    # --- what it is ---

    def _ask_path(self, typed: str = "", fault: str = "") -> None:
        title, hint = "Which file comes in?", "~/Downloads/letterboxd-anna.zip"
        dialog = PathDialog(title, hint, Path.home(), typed, fault)
        self.app.push_screen(dialog, self._path_entered)

    def _path_entered(self, path: str | None) -> None:
        if path is None:
            return
        transfers = self.app.services.transfers

        def look() -> Message:
            try:
                return self.FileSeen(transfers.look(path))
            except InputError as error:
                return self.FileMissed(path, f"{error.message} {error.hint}")

        self.show_status("Looking what it is …")
        run_in_thread(self, "looking at a file", look)

    def on_importing_screen_file_missed(self, message: FileMissed) -> None:
        """Ask again, with what was typed in the line; who has left the room reads why."""
        self.show_status("" if self.is_active else message.fault)
        if self.is_active:
            self._ask_path(message.path, message.fault)

    def on_importing_screen_file_seen(self, message: FileSeen) -> None:
        """Ask what the file does not tell."""
        found = message.found
        self.show_status("")
        if found.kind is FileKind.EXPORT:
            self._ask_whose(found, None)
        elif found.kind is FileKind.TABLE:
            self._ask_name(found)
        elif found.kind is FileKind.EITHER:
            self._ask_what(found)
        elif found.kind is FileKind.HISTORY:
            self._ask_about(found, lambda domain: self._foresee(found, None, domain))
        else:
            self._foresee(found, None, None)

    def _ask_what(self, found: FileLook) -> None:
        """Ask whether the rows of a table are things, or what one person did with them."""

        def picked(what: str | None) -> None:
            if what == _ITEMS:
                self._ask_name(found)
            elif what == _MINE:
                self._ask_about(found, lambda domain: self._ask_whose(found, domain))

        choices = [
            ChoiceItem(_ITEMS, "a catalogue", "each row is a thing that can be recommended"),
            ChoiceItem(_MINE, "what one person did", "each row is a rating or a visit of theirs"),
        ]
        title = f"What is {Path(found.path).name}, with {found.rows:,} rows?"
        self.app.push_screen(ChoiceDialog(title, choices, ""), picked)

    def _ask_name(self, found: FileLook) -> None:
        def named(name: str | None) -> None:
            if name is not None:
                self._foresee(found, None, name)

        self.app.push_screen(OwnCatalogueDialog(found), named)

    def _ask_about(self, found: FileLook, on_domain: Callable[[str], None]) -> None:
        """Ask what the things are that people did something with, unless the file tells."""
        if found.domain and found.kind is FileKind.HISTORY:
            on_domain(found.domain)
            return
        known = ", ".join(one.name for one in self._domains) or "books"
        dialog = TextDialog("What is it about?", f"{known}, or a new word such as board-games")

        def named(name: str | None) -> None:
            if name:
                on_domain(domain_name_of(name))

        self.app.push_screen(dialog, named)

    def _ask_whose(self, found: FileLook, domain: str | None) -> None:
        """What one person did needs their name."""
        if self.app.user is not None:
            self._foresee(found, self.app.user, domain)
            return

        def named(user: str | None) -> None:
            if user:
                self.app.user = user
                self._foresee(found, user, domain)

        self.app.push_screen(UserDialog(None, nobody=False), named)

    # --- a look, then the import ---

    def _foresee(self, found: FileLook, user: str | None, domain: str | None) -> None:
        wanted = ImportRequest(path=found.path, user=user, domain=domain)
        transfers = self.app.services.transfers

        def work(request: RequestHandle, progress: Progress) -> Message:
            return self.ImportForeseen(wanted, transfers.dry_run(wanted, request, progress))

        self._begin(f"Reading {Path(found.path).name}", work)

    def on_importing_screen_import_foreseen(self, message: ImportForeseen) -> None:
        """Show what would be kept; Enter takes it in."""

        def decided(takes_it: bool | None) -> None:
            if takes_it:
                self._import(message.wanted)
            else:
                self.show_status("Nothing was imported.")

        self.app.push_screen(ReceiptDialog(message.report), decided)

    def _import(self, wanted: ImportRequest) -> None:
        transfers = self.app.services.transfers
        name = Path(wanted.path).name

        def work(request: RequestHandle, progress: Progress) -> Message:
            report = transfers.import_file(wanted, request, progress)
            told = f"{report.kept:,} rows of {name} are in. Z takes that back"
            if wanted.user is None:
                return self.Transferred(f"{told}; Home has questions to begin with.")
            return self.Transferred(f"{told}; in Memory, B works it into what is remembered.")

        self._begin(f"Importing {name}", work)

    def _begin(self, what: str, work: Callable[[RequestHandle, Progress], Message]) -> None:
        stop = self.app.services.transfers.stop
        self._tasks.begin(what, work, stop, "Stopped; nothing half done was kept.")

    @property
    def _tasks(self) -> TaskPanel:
        return self.query_one(TaskPanel)
