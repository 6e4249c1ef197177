"""`localrec backup` and `localrec restore`: a workspace in one file, and back."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from localrec.cli.context import command_context, console, note, progress
from localrec.foundation.errors import UsageError

if TYPE_CHECKING:
    from localrec.export.backup import BackupReport

BACKUP_EXAMPLES = """
Examples:\n\n
  localrec backup ~/localrec-backup.zip\n\n
  localrec backup ~/localrec-backup.zip --force
"""
RESTORE_EXAMPLES = """
Examples:\n\n
  localrec restore ~/localrec-backup.zip --dry-run\n\n
  localrec restore ~/localrec-backup.zip\n\n
  localrec restore ~/localrec-backup.zip --workspace ~/another --yes
"""


def backup(
    out: Annotated[Path, typer.Argument(metavar="FILE", help="The file to write.")],
    force: Annotated[
        bool, typer.Option("--force", help="Replace a file that is there already.")
    ] = False,
) -> None:
    """Write the whole workspace into one file, and read it back against its checksums.

    Caches and logs stay out. The file is for you alone, and `forget` does not reach it.
    """
    from localrec.export.backup import back_up

    context = command_context()
    with progress() as steps:
        report = back_up(context.workspace, out.expanduser(), force=force, progress=steps)
    if not context.print_json(report):
        console().print(f"Backed up {_size_text(report)} in {report.path}.", soft_wrap=True)
        _note_links(report)


def restore(
    path: Annotated[Path, typer.Argument(metavar="FILE", help="A file that backup wrote.")],
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Check the backup; change nothing.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Replace the workspace by what a backup holds, after every checksum was found right.

    People whom you forgot since the backup was made are back afterwards. The store as it was is
    kept, and `localrec doctor --go-back` returns to it.
    """
    from localrec.export.restore import restore_backup

    context = command_context()
    if not (dry_run or yes) and (context.workspace / "store.duckdb").is_file():
        _ask(context.workspace)
    with progress() as steps:
        report = restore_backup(
            context.workspace, path.expanduser(), dry_run=dry_run, progress=steps
        )
    if not context.print_json(report):
        done = "The backup is whole:" if dry_run else "Restored"
        console().print(
            f"{done} {_size_text(report)}, of {report.at:%Y-%m-%d %H:%M}.", soft_wrap=True
        )
        _note_links(report)


def _size_text(report: BackupReport) -> str:
    files = "1 file" if report.files == 1 else f"{report.files:,} files"
    return f"{files} with {report.bytes:,} bytes, each checked by its sha256"


def _note_links(report: BackupReport) -> None:
    if report.links:
        note(f"Links are not followed and not in it: {', '.join(report.links[:3])}.")


def _ask(folder: Path) -> None:
    """Have the user confirm that a workspace is replaced.

    Raises:
        UsageError: there is no terminal, or the answer was not yes.
    """
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise UsageError(
            f"Restoring replaces the workspace {folder}, and nobody is here to ask.",
            "Look with --dry-run first, then say --yes.",
        )
    if not typer.confirm(f"Replace the workspace {folder}", err=True):
        raise UsageError("Nothing was restored.")
