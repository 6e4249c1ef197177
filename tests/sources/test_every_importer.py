"""What every importer promises, whatever it reads: one class of tests over all kinds."""

from __future__ import annotations

import math
import os
import re
import stat
import tempfile
import unicodedata
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec
import pytest

from localrec.data.rows import BulkHistory, CatalogueRows, Event, HistoryRows
from localrec.foundation.errors import InputError
from localrec.graph.domain_files import load_domain
from localrec.sources import open_source, read_export, source_kinds
from localrec.sources.bulk_tables import latest_moment
from localrec.sources.protocols import HistorySource
from tests.sources.exports_of_every_kind import HOSTILE, WRITERS
from tests.sources.selected import selected
from tests.sources.zips import packed

Export = CatalogueRows | HistoryRows | BulkHistory

NOBODY = 65_534  # on every Unix the user who owns nothing
HARMFUL = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
TOKEN = re.compile(r"<\||</?[A-Za-z_]+>|\[/?[A-Z_]+\]")
SENTENCE = re.compile(r"\S.*[^.]\.", re.DOTALL)


def read(kind: str, path: Path) -> Export:
    source = open_source(kind)
    user = "anna" if getattr(source, "personal", False) else None
    return read_export(kind, path, load_domain(source.domain), user)


def deeds_of(export: Export) -> list[dict[str, Any]]:
    """The interactions as the store gets them."""
    if isinstance(export, BulkHistory):
        return sorted(selected(export), key=str)
    if isinstance(export, HistoryRows):
        return [
            {**msgspec.structs.asdict(row), "user_key": row.user, "item_key": row.item}
            for row in export.interactions
        ]
    return []


def texts_of(value: Any) -> Iterator[str]:
    """Every text in a record, however deep."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, msgspec.Struct):
        yield from texts_of(msgspec.structs.asdict(value))
    elif isinstance(value, dict):
        yield from (text for pair in value.items() for one in pair for text in texts_of(one))
    elif isinstance(value, list | tuple):
        yield from (text for one in value for text in texts_of(one))


def snapshot(folder: Path) -> list[tuple[str, int, float]]:
    """What lies below a folder: names, sizes and moments."""
    found = [(path, path.lstat()) for path in sorted(folder.rglob("*"))]
    return [(str(path), about.st_size, about.st_mtime) for path, about in found]


def nothing(path: Path) -> None:
    """Leaves the path empty."""


def an_empty_file(path: Path) -> None:
    path.touch()


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


def binary_rubbish(path: Path) -> None:
    path.write_bytes(bytes(range(256)) * 40)


TRAPS = (
    nothing,
    an_empty_file,
    an_empty_folder,
    a_loop,
    a_pipe,
    an_archive_of_nothing,
    a_truncated_archive,
    binary_rubbish,
)
# What the file is called where a kind goes by the name.
NAMES = {
    "recbole": "a.inter",
    "instructrec": "a.pkl",
    "movielens": "ratings.csv",
    "table": "films.mapping.toml",
}


def refused(kind: str, path: Path) -> None:
    """Reading must fail with one sentence and a remedy."""
    with pytest.raises(InputError) as caught:
        read(kind, path)
    message, hint = caught.value.message, caught.value.hint
    assert SENTENCE.fullmatch(message), message
    assert "\n" not in message
    assert str(path.parent) in message, message
    assert hint.endswith((".", "`", "KEY")), f"{message} | {hint}"


@pytest.mark.parametrize("kind", source_kinds())
class TestEveryKind:
    """A contract that each reader keeps."""

    def test_it_is_registered_under_its_own_name(self, kind: str) -> None:
        assert open_source(kind).kind == kind

    def test_its_domain_ships_with_localrec(self, kind: str) -> None:
        source = open_source(kind)
        assert load_domain(source.domain).name == source.domain

    def test_it_says_what_becomes_of_each_field(self, kind: str) -> None:
        fields = open_source(kind).fields
        assert fields
        assert all(field.name.strip() and field.becomes.strip() for field in fields)
        assert len({field.name for field in fields}) == len(fields)

    def test_a_sound_export_has_items_and_where_it_can_deeds(
        self, kind: str, tmp_path: Path
    ) -> None:
        export = read(kind, WRITERS[kind](tmp_path))
        assert export.items
        assert bool(deeds_of(export)) == isinstance(open_source(kind), HistorySource)

    def test_the_receipt_adds_up(self, kind: str, tmp_path: Path) -> None:
        report = read(kind, WRITERS[kind](tmp_path, HOSTILE)).report
        assert report.read == report.kept + report.merged + report.dropped
        assert report.kept > 0
        assert (report.source, report.domain) == (kind, open_source(kind).domain)

    def test_keys_are_unique_and_never_empty(self, kind: str, tmp_path: Path) -> None:
        export = read(kind, WRITERS[kind](tmp_path))
        keys = [item.key for item in export.items]
        assert all(keys)
        assert len(set(keys)) == len(keys)

    def test_every_link_is_of_a_kind_of_the_domain(self, kind: str, tmp_path: Path) -> None:
        kinds = load_domain(open_source(kind).domain).attributes
        items = read(kind, WRITERS[kind](tmp_path)).items
        assert {link.kind for item in items for link in item.links} <= kinds.keys()

    def test_every_deed_is_about_an_item_of_the_export(self, kind: str, tmp_path: Path) -> None:
        export = read(kind, WRITERS[kind](tmp_path))
        told = {str(deed["item_key"]) for deed in deeds_of(export)}
        assert told <= {item.key for item in export.items}

    def test_ratings_are_stars_and_moments_have_passed(self, kind: str, tmp_path: Path) -> None:
        for deed in deeds_of(read(kind, WRITERS[kind](tmp_path))):
            assert Event(deed["event"])
            assert deed["times"] >= 1
            rating, at = deed["rating"], deed["at"]
            assert rating is None or (math.isfinite(rating) and 0.5 <= rating <= 5)
            assert at is None or (
                isinstance(at, datetime) and at.tzinfo is None and at <= latest_moment()
            )

    def test_nothing_that_it_yields_can_steer_a_terminal_or_a_model(
        self, kind: str, tmp_path: Path
    ) -> None:
        export = read(kind, WRITERS[kind](tmp_path, HOSTILE))
        told = [export.items, deeds_of(export), export.report.problems]
        told += [getattr(export, "people", ())]
        texts = list(texts_of(told))
        assert any("Evil" in text or "evil" in text for text in texts)
        for text in texts:
            assert not {unicodedata.category(letter) for letter in text} & HARMFUL, repr(text)
            assert not TOKEN.search(text), repr(text)

    def test_reading_twice_gives_the_same(self, kind: str, tmp_path: Path) -> None:
        path = WRITERS[kind](tmp_path)
        first, second = read(kind, path), read(kind, path)
        assert first.items == second.items
        assert first.report == second.report
        assert deeds_of(first) == deeds_of(second)

    def test_reading_leaves_the_export_as_it_was(self, kind: str, tmp_path: Path) -> None:
        path = WRITERS[kind](tmp_path)
        before = snapshot(tmp_path)
        read(kind, path)
        assert snapshot(tmp_path) == before

    @pytest.mark.parametrize("lay", TRAPS)
    def test_a_trap_is_refused_with_a_remedy_and_stays_as_it_was(
        self, kind: str, lay: Callable[[Path], None], tmp_path: Path
    ) -> None:
        path = tmp_path / NAMES.get(kind, "export")
        lay(path)
        before = snapshot(tmp_path)
        refused(kind, path)
        assert snapshot(tmp_path) == before

    def test_a_file_that_may_not_be_read_is_refused(self, kind: str) -> None:
        with tempfile.TemporaryDirectory() as made:
            folder = Path(made)
            path = WRITERS[kind](folder)
            read(kind, path)  # what is imported late may lie where only root may read
            folder.chmod(0o755)
            files = [path] if path.is_file() else [one for one in path.rglob("*") if one.is_file()]
            for file in files:
                file.chmod(0)
            assert all(stat.S_IMODE(file.stat().st_mode) == 0 for file in files)
            is_root = os.geteuid() == 0
            if is_root:
                os.seteuid(NOBODY)  # root may read anything
            try:
                refused(kind, path)
            finally:
                if is_root:
                    os.seteuid(0)
