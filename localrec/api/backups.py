"""Backups from Python."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from localrec.api.session import WorkspaceSession
from localrec.foundation.progress import Progress, no_progress

if TYPE_CHECKING:
    from localrec.export.backup import BackupReport


class BackupCalls(WorkspaceSession):
    """The methods of a workspace that write it into one file, and read it back.

    Example:
        `workspace.backup("monday.backup").rows["node"]` is the number of nodes in the backup.
    """

    def backup(
        self, out: str | Path, *, force: bool = False, progress: Progress = no_progress
    ) -> BackupReport:
        """Write the whole workspace into one file, and read it back against its checksums.

        Args:
            out: The file, outside the workspace.
            force: Whether a file that is there is replaced.
            progress: Called with the step, how much of it is done, and of how much.
        """
        from localrec.export.backup import back_up

        with self._warm.released():
            return back_up(self.folder, Path(out).expanduser(), force=force, progress=progress)

    def restore(
        self, path: str | Path, *, dry_run: bool = False, progress: Progress = no_progress
    ) -> BackupReport:
        """Replace the workspace by what a backup holds, after every checksum was found right.

        Args:
            path: The file that `backup` wrote.
            dry_run: Whether the backup is only checked.
            progress: Called with the step, how much of it is done, and of how much.
        """
        from localrec.export.restore import restore_backup

        with self._warm.released():
            return restore_backup(
                self.folder, Path(path).expanduser(), dry_run=dry_run, progress=progress
            )
