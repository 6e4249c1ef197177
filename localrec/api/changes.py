"""The calls that change a workspace, or write what it holds to a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from localrec.api.session import WorkspaceSession
from localrec.foundation.progress import Progress, no_progress

if TYPE_CHECKING:
    from localrec.api.writing import Verdict
    from localrec.data.rows import ImportReport
    from localrec.export.exporter import ExportReport
    from localrec.graph.interactions import FeedbackRecord
    from localrec.privacy.forget import ForgetReceipt


class ChangeCalls(WorkspaceSession):
    """The methods of a workspace that give feedback, import, forget and export.

    Example:
        `workspace.feedback("anna", "Negroni", "like").item` is the item that the feedback is on.
    """

    def feedback(
        self,
        user: str,
        item: str,
        verdict: Verdict | None = None,
        *,
        stars: float | None = None,
        reason: str | None = None,
        domain: str | None = None,
        new_user: bool = True,
    ) -> FeedbackRecord:
        """Store what a user thinks of an item; it counts in the very next list.

        Args:
            user: The user's key; a new one makes a new user.
            item: The key or name of the item.
            verdict: The user's verdict; or give stars.
            stars: 0.5 to 5.
            reason: The reason in the user's words.
            domain: The domain of the item, where several have one of that name.
            new_user: Whether a key that nobody has makes a new user though somebody's is spelt
                nearly so; False refuses it, which helps where people type their names.
        """
        from localrec.api.writing import give_feedback, require_meant

        with self._written() as opened:
            require_meant(opened.store, user, is_new=new_user)
            return give_feedback(opened, user, item, verdict, stars, reason, domain)

    def undo_feedback(self, user: str, item: str | None = None) -> FeedbackRecord:
        """Take back the newest feedback of a user, or the newest on an item."""
        from localrec.api.writing import take_back_feedback

        with self._written() as opened:
            return take_back_feedback(opened, user, item)

    def import_file(
        self,
        path: str | Path,
        kind: str = "auto",
        *,
        user: str | None = None,
        domain: str | None = None,
        new_user: bool = True,
        dry_run: bool = False,
        progress: Progress = no_progress,
    ) -> ImportReport:
        """Read a catalogue or somebody's export: all of it, or nothing of a bad file.

        Args:
            path: The file, archive or folder.
            kind: One of the kinds of `localrec import --help`; "auto" looks at the file.
            user: Key of the user whose export it is, where the file does not say.
            domain: The domain of the items; by default that of the kind.
            new_user: As for `feedback`.
            dry_run: Whether only the receipt is made.
            progress: Called with the step, how much of it is done, and of how much.
        """
        from localrec.api.writing import read_import, require_meant, store_import

        found = read_import(Path(path).expanduser(), kind, user, domain)
        if dry_run:
            return msgspec.structs.replace(found.rows.report, dry_run=True)
        with self._written(found.files) as opened:
            require_meant(opened.store, user, is_new=new_user)
            return store_import(opened, found, user, progress)

    def forget(
        self,
        *,
        user: str | None = None,
        item: str | None = None,
        since: str | None = None,
        domain: str | None = None,
        dry_run: bool = False,
        progress: Progress = no_progress,
    ) -> ForgetReceipt:
        """Remove a user, an item or a span of time from everything, and look for traces afterwards.

        Args:
            user: The user's key; with `since` only what they did from then on.
            item: The item's key, alone.
            since: A date such as "2026-10-01" (UTC).
            domain: Only there; everywhere by default.
            dry_run: Whether nothing is changed.
            progress: Called with the step, how much of it is done, and of how much.
        """
        from localrec.privacy.erasure_plan import parse_forget_scope
        from localrec.privacy.forget import forget

        scope = parse_forget_scope(user, item, since, domain)
        with self._warm.released():
            return forget(self.folder, scope, dry_run=dry_run, progress=progress)

    def export(self, out: str | Path, **options: Any) -> ExportReport:
        """Write a history, profile, catalogue or list to a file, as the command does.

        Args:
            out: The file; for the format recbole a folder.
            options: what, user, domain, split, history and force as in `localrec export --help`;
                form for --format, and listed for --from.
        """
        from localrec.export.exporter import run_export
        from localrec.export.plan import plan_export

        plan = plan_export(Path(out).expanduser(), **options)
        with self._warm.lease() as opened:
            return run_export(opened.store, plan)
