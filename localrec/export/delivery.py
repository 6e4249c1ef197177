"""Write files so that each appears complete, or not at all.

All content is written into parts beside the targets, readable by the owner alone (0600), and
renamed at the end, once all are written. An error or Ctrl+C removes the parts, and those of a
process that was killed go with the next command at the same workspace; existing targets stay as
they were.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from localrec.foundation.atomic_files import atomic_file, temporary_path
from localrec.foundation.errors import InputError, UsageError
from localrec.foundation.unfinished_parts import noted


@contextmanager
def deliver(targets: Sequence[Path], *, force: bool, workspace: Path) -> Iterator[list[Path]]:
    """Yield an empty file for each target, and move them into place at the end of the block.

    Args:
        targets: Paths of the files; their folders exist.
        force: Existing files may be replaced.
        workspace: A folder in which nothing is put: there `--force` could replace the store, and
            forgetting a user would come upon files it does not know.

    Raises:
        UsageError: a target exists and `force` was not given, or lies in the workspace.
        InputError: a target is a link, a folder or a device, or its folder takes no files.
    """
    for target in targets:
        _check(target, force=force, workspace=workspace)
    # Named before they are made: Ctrl+C in between must not leave one that nobody knows of.
    parts = [temporary_path(target.parent.resolve() / target.name) for target in targets]
    with noted(parts, workspace), ExitStack() as placing:
        # The stack is left from its end: the first target is placed first.
        for part, target in reversed(list(zip(parts, targets, strict=True))):
            _begin(placing, part, target)
        yield parts


def _check(target: Path, *, force: bool, workspace: Path) -> None:
    if target.is_symlink():
        # Renaming would replace the link, writing through it a file that nobody named.
        raise InputError(f"{target} is a link to another file.", "Name that file itself.")
    if target.exists() and not target.is_file():
        raise InputError(f"{target} is not a plain file.", "Name another one.")
    if target.resolve().is_relative_to(workspace.resolve()):
        raise UsageError(f"{target} lies in the workspace itself.", "Name a place outside of it.")
    if target.exists() and not force:
        raise UsageError(f"{target} exists already.", "Name another file, or add --force.")
    if not target.parent.is_dir():
        raise InputError(f"The folder {target.parent} does not exist.", "Make it first.")


def _begin(placing: ExitStack, part: Path, target: Path) -> None:
    """Create an empty part, which the stack moves into place or removes."""
    try:
        placing.enter_context(atomic_file(target, beside=part))
    except OSError as error:
        raise InputError(
            f"Nothing can be written into {part.parent}: {error.strerror}.", "Name another place."
        ) from error
