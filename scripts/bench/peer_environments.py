"""Environments of peers that are no dependency of localrec, and processes that answer from them."""

from __future__ import annotations

import subprocess
import sysconfig
import venv
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from findings import say


def python_of(peers: Path, package: str, *others: str, seeing_ours: bool = False) -> Path:
    """Return the interpreter of a package's own environment, made where it is missing or old.

    Args:
        peers: Folder of all environments.
        package: Name and version, as pip takes them.
        *others: What goes in beside it.
        seeing_ours: Whether it may import what is installed beside localrec, such as torch, which
            would else be fetched once more; nothing of that is changed.

    Raises:
        CalledProcessError: pip cannot install it.
    """
    folder = peers / package.partition("==")[0]
    python, ready = folder / "bin" / "python", folder / "ready"
    wanted = [package, *others]
    if not ready.exists() or ready.read_text(encoding="utf-8").split() != wanted:
        venv.create(folder, with_pip=True, clear=True)
        if seeing_ours:
            (site,) = folder.glob("lib/python*/site-packages")
            (site / "ours.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
        say(f"installing {' '.join(wanted)}")
        subprocess.run([python, "-m", "pip", "install", "--quiet", *wanted], check=True)
        ready.write_text(" ".join(wanted), encoding="utf-8")
    return python


@contextmanager
def answering(python: Path, server: Path) -> Iterator[subprocess.Popen[str]]:
    """Keep a process that answers line by line."""
    process = subprocess.Popen(
        [python, server], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        yield process
    finally:
        process.communicate()


def ask_line(process: subprocess.Popen[str], line: str) -> str:
    """Hand a line to a process; return the line that it answers with."""
    if not process.stdin or not process.stdout:
        raise SystemExit("A peer has no streams.")
    process.stdin.write(line + "\n")
    process.stdin.flush()
    return process.stdout.readline()
