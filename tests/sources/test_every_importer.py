"""What every importer promises, whatever it reads: one class of tests over all kinds."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from localrec.data.rows import BulkHistory
from localrec.sources import source_kinds
from localrec.testing import SourceContract
from localrec.testing.sources import Export, snapshot
from tests.sources.exports_of_every_kind import WRITERS
from tests.sources.selected import selected
from tests.sources.zips import packed

NOBODY = 65_534  # on every Unix the user who owns nothing


def an_empty_folder(path: Path) -> None:
    path.mkdir()


def a_loop(path: Path) -> None:
    path.symlink_to(path)


def a_pipe(path: Path) -> None:
    os.mkfifo(path)


def an_archive_of_nothing(path: Path) -> None:
    path.write_bytes(packed({}))


def a_truncated_archive(path: Path) -> None:
    path.write_bytes(packed({"ratings.csv": "Date,Name\n" * 100})[:60])


TRAPS = (
    an_empty_folder,
    a_loop,
    a_pipe,
    an_archive_of_nothing,
    a_truncated_archive,
)
# What the file is called where a kind goes by the name.
NAMES = {
    "recbole": "a.inter",
    "instructrec": "a.pkl",
    "movielens": "ratings.csv",
    "table": "films.mapping.toml",
}


class TestEveryKind(SourceContract):
    """The contract of readers, over all that ship."""

    @pytest.fixture(autouse=True, params=source_kinds())
    def of_kind(self, request: pytest.FixtureRequest) -> None:
        self.kind = request.param
        self.damaged_name = NAMES.get(self.kind, "export")

    def write_example(self, folder: Path, name: str | None = None) -> Path:
        return WRITERS[self.kind](folder) if name is None else WRITERS[self.kind](folder, name)

    def interactions_of(self, export: Export) -> list[dict[str, Any]]:
        if isinstance(export, BulkHistory):
            return sorted(selected(export), key=str)
        return super().interactions_of(export)

    @pytest.mark.parametrize("lay", TRAPS)
    def test_a_trap_is_refused_with_a_remedy_and_stays_as_it_was(
        self, lay: Callable[[Path], None], tmp_path: Path
    ) -> None:
        path = tmp_path / self.damaged_name
        lay(path)
        before = snapshot(tmp_path)
        self.require_refusal(path)
        assert snapshot(tmp_path) == before

    def test_a_file_that_may_not_be_read_is_refused(self) -> None:
        with tempfile.TemporaryDirectory() as made:
            folder = Path(made)
            path = self.write_example(folder)
            self.read(path)  # what is imported late may lie where only root may read
            folder.chmod(0o755)
            files = [path] if path.is_file() else [one for one in path.rglob("*") if one.is_file()]
            for file in files:
                file.chmod(0)
            assert all(stat.S_IMODE(file.stat().st_mode) == 0 for file in files)
            is_root = os.geteuid() == 0
            if is_root:
                os.seteuid(NOBODY)  # root may read anything
            try:
                self.require_refusal(path)
            finally:
                if is_root:
                    os.seteuid(0)
