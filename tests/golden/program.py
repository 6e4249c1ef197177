"""The one door: the program `localrec`, run inside this process as its own command would."""

from __future__ import annotations

import contextlib
import gc
import io
import os
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import typer

from localrec.cli.app import main
from localrec.cli.commands import whole_program
from localrec.foundation import jobs
from localrec.foundation.patience import PATIENCE

HERE = Path(__file__).parent
INPUTS = HERE / "inputs"
FILES = HERE / "files"
CHECKOUT = HERE.parent.parent
EMBEDDER = ("models", "minilm-int8")
MOVIELENS = ("datasets", "ml-100k")
_ENVIRONMENT = {"COLUMNS": "100", "LINES": "40", "TERM": "dumb", "NO_COLOR": "1"}
_DISTURBING = ("LOCALREC_WORKSPACE", "FORCE_COLOR", "CLICOLOR_FORCE", "PY_COLORS")


class Ended(NamedTuple):
    """The exit code of one command, and what it wrote."""

    code: int
    out: str
    err: str


def command_tree() -> Any:
    """The program as a tree of Click commands."""
    return typer.main.get_command(whole_program())


def run_program(*arguments: str, folder: Path) -> Ended:
    """Run one command line in `folder`, with nobody at the keyboard."""
    out, err = _Stream(), _Stream()
    with (
        contextlib.chdir(folder),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        _put_in_place(stdin=io.StringIO(), argv=["localrec", *arguments]),
    ):
        try:
            main()
            code = 0
        except SystemExit as ended:
            code = int(ended.code or 0)
    return Ended(code, out.written(), err.written())


@contextlib.contextmanager
def golden_environment(home: Path, *wanted: tuple[str, str]) -> Iterator[Path]:
    """Lend `home` with a cache in which only the `wanted` of the pulled files lie, as links.

    A machine with more models gives the same answers, and no process in the background makes
    vectors while questions are answered: `index` does it before. The program changes its whole
    process: what it writes is private, and it tells for whom it waits. The first holds from the
    beginning here, and all of it ends with the environment, so that no other test meets it.
    """
    before, umask = dict(os.environ), os.umask(0o077)
    patience, garbage = replace(PATIENCE), gc.get_threshold()
    start, cache = jobs.start_in_background, home / "cache"
    pulled = Path(before.get("LOCALREC_CACHE") or _default_cache())
    for kind, name in wanted:
        (cache / kind).mkdir(parents=True)
        if (pulled / kind / name).is_dir():
            (cache / kind / name).symlink_to(pulled / kind / name, target_is_directory=True)
    for name in _DISTURBING:
        os.environ.pop(name, None)
    os.environ.update(_ENVIRONMENT, LOCALREC_CACHE=str(cache))
    jobs.start_in_background = lambda *_, **__: 0
    try:
        yield home
    finally:
        jobs.start_in_background = start
        os.umask(umask)
        PATIENCE.wait_s, PATIENCE.tell = patience.wait_s, patience.tell
        gc.set_threshold(*garbage)
        os.environ.clear()
        os.environ.update(before)


def is_pulled(home: Path, kind: str, name: str) -> bool:
    """Tell whether the model or data set lies in the cache of `golden_environment`."""
    return (home / "cache" / kind / name).is_dir()


def _default_cache() -> str:
    import platformdirs

    return platformdirs.user_cache_dir("localrec")


class _Stream(io.TextIOWrapper):
    """A stream in memory that also takes bytes, as stdout does."""

    def __init__(self) -> None:
        super().__init__(io.BytesIO(), encoding="utf-8", write_through=True, newline="")

    def written(self) -> str:
        """Return all that was written."""
        self.flush()
        return self.buffer.getvalue().decode("utf-8")  # type: ignore[attr-defined]

    def close(self) -> None:
        """Keep what was written; a broken pipe is no case here."""


@contextlib.contextmanager
def _put_in_place(**parts: Any) -> Iterator[None]:
    """Replace attributes of `sys` for as long as the block runs."""
    before = {name: getattr(sys, name) for name in parts}
    try:
        for name, part in parts.items():
            setattr(sys, name, part)
        yield
    finally:
        for name, part in before.items():
            setattr(sys, name, part)
