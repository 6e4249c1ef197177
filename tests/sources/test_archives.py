"""Archives: what is refused before a byte is unpacked, and what is read."""

from __future__ import annotations

import os
import struct
import zipfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from localrec.foundation.bounded_files import FileLimits
from localrec.foundation.errors import InputError
from localrec.sources import detect_kind
from localrec.sources.archives import open_archive
from localrec.sources.delimited_tables import DelimitedTable
from tests.sources.zips import flipped, linked, locked, packed

GOOD = {"ratings.csv": "Name,Rating\nHeat,4.5\n", "likes/films.csv": "Name\nAlien\n"}
SERVICE = "No service makes such an archive: download the export from the service itself."
AS_DOWNLOADED = "Name the archive as it was downloaded, or the folder it was unpacked to."
BROKEN = (
    "{path} is a damaged zip archive: its table of contents is missing or broken. "
    "It was probably cut short on the way; download it again."
)
DISTRUST = "{{path}} cannot be trusted: {} in it {}. " + SERVICE


def overlapping() -> bytes:
    """Two entries of the table of contents that point at the same packed bytes."""
    content = bytearray(packed({"aaaa": b"x" * 1000, "bbbb": b"x" * 1000}))
    entry = content.rfind(b"PK\x01\x02")
    content[entry + 42 : entry + 46] = struct.pack("<L", 0)
    return bytes(content)


def renamed(old: str, new: str) -> bytes:
    return packed({old: "x"}).replace(old.encode(), new.encode())


def huge_contents() -> bytes:
    content = bytearray(packed({"a.csv": "x"}) + b"\0" * (5 << 20))
    end = content.rfind(b"PK\x05\x06")
    record = bytearray(content[end : end + 22])
    record[12:20] = struct.pack("<LL", 5 << 20, 0)
    return bytes(content + record)


BAD = {
    "a truncated one": (packed(GOOD)[:-30], BROKEN),
    "only its beginning": (packed(GOOD)[:60], BROKEN),
    "a table of contents of megabytes": (huge_contents(), BROKEN),
    "an empty file": (b"", "{path} is empty. Export it again."),
    "an empty zip": (
        packed({}),
        "{path} is an empty zip archive, not an export in a zip archive. " + AS_DOWNLOADED,
    ),
    "a pickle": (
        b"\x80\x04cos\nsystem\n(S'true'\ntR.",
        "{path} is a Python pickle, not an export in a zip archive. " + AS_DOWNLOADED,
    ),
    "a plain table": (
        b"Name,Rating\nHeat,4.5\n",
        "{path} is a plain text file, not an export in a zip archive. " + AS_DOWNLOADED,
    ),
    "a path upwards": (
        packed({"../../x.csv": "x"}),
        DISTRUST.format("'../../x.csv'", "is a path that leads elsewhere"),
    ),
    "a path upwards in the middle": (
        packed({"a/../../x.csv": "x"}),
        DISTRUST.format("'a/../../x.csv'", "is a path that leads elsewhere"),
    ),
    "an absolute path": (
        packed({"/etc/x.csv": "x"}),
        DISTRUST.format("'/etc/x.csv'", "is a path from another place"),
    ),
    "a drive letter": (
        packed({"C:/x.csv": "x"}),
        DISTRUST.format("'C:/x.csv'", "is a path from another place"),
    ),
    "backslashes": (
        renamed("a_x.csv", "a\\x.csv"),
        DISTRUST.format(repr("a\\x.csv"), "is a path from another place"),
    ),
    "a name that moves the cursor": (
        renamed("a_x.csv", "a\x1bx.csv"),
        DISTRUST.format("'a.csv'", "has a name with control characters"),
    ),
    "a name cut by NUL": (
        renamed("a_x.csv", "a\0x.csv"),
        DISTRUST.format("'ax.csv'", "has a name with control characters"),
    ),
    "a link": (
        linked(GOOD, "diary.csv", "/etc/passwd"),
        DISTRUST.format("'diary.csv'", "is a link or device"),
    ),
    "a password": (
        locked(packed(GOOD)),
        DISTRUST.format("'ratings.csv'", "is locked with a password"),
    ),
    "another compression": (
        packed(GOOD, zipfile.ZIP_LZMA),
        DISTRUST.format("'ratings.csv'", "is packed in a way that is not read here (14)"),
    ),
    "a name twice": (
        packed({"a.csv": "x", "A.csv": "y"}),
        DISTRUST.format("'A.csv'", "is there twice"),
    ),
    "a bomb": (
        packed({"a.csv": b"a" * (40 << 20)}),
        DISTRUST.format("'a.csv'", "unpacks to more than the 16,777,216 bytes allowed"),
    ),
    "a bomb in many pieces": (
        packed({f"{place}.csv": b"a" * (9 << 20) for place in range(4)}),
        "{path} unpacks to more than the 16,777,216 bytes allowed. "
        "If it is no zip bomb, unpack it and import the folder.",
    ),
    "files that share their bytes": (
        overlapping(),
        "{path} cannot be trusted: files in it share their bytes, as in a zip bomb. " + SERVICE,
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_a_bad_archive_is_refused_with_its_message(tmp_path: Path, case: str) -> None:
    content, message = BAD[case]
    path = tmp_path / "export.zip"
    path.write_bytes(content)
    with pytest.raises(InputError) as refused, open_archive(path, FileLimits()):
        pass
    assert str(refused.value) == message.format(path=path)


def test_a_table_of_contents_is_never_read_beyond_its_limit(tmp_path: Path) -> None:
    path = tmp_path / "export.zip"
    path.write_bytes(huge_contents())
    with pytest.raises(InputError) as refused, open_archive(path, FileLimits()):
        pass
    assert "too large" in str(refused.value.__cause__)


def names_of(path: Path, *known: str) -> list[str]:
    with open_archive(path, FileLimits(), known) as archive:
        return list(archive.members)


def unpack(folder: Path, files: dict[str, str]) -> Path:
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content)
    return folder


def test_members_are_read_from_an_archive_and_from_its_folder_alike(tmp_path: Path) -> None:
    path = tmp_path / "export.zip"
    path.write_bytes(packed(GOOD))
    for home in (path, unpack(tmp_path / "folder", GOOD)):
        with open_archive(home, FileLimits()) as archive:
            assert list(archive.members) == ["likes/films.csv", "ratings.csv"]
            table = DelimitedTable(archive.members["ratings.csv"])
            assert [cells for _, cells in table.rows()] == [{"Name": "Heat", "Rating": "4.5"}]


def test_a_folder_around_everything_and_system_droppings_do_not_count(tmp_path: Path) -> None:
    path = tmp_path / "export.zip"
    wrapped = {f"my films/{name}": content for name, content in GOOD.items()}
    path.write_bytes(packed({**wrapped, "__MACOSX/my films/._x": "x", "my films/.DS_Store": "x"}))
    assert names_of(path) == ["likes/films.csv", "ratings.csv"]


def test_a_folder_that_belongs_to_the_export_stays(tmp_path: Path) -> None:
    path = tmp_path / "export.zip"
    path.write_bytes(packed({"likes/films.csv": "x"}))
    assert names_of(path, "likes") == ["likes/films.csv"]


def test_links_in_a_folder_are_passed_over(tmp_path: Path) -> None:
    secret = tmp_path / "secret.csv"
    secret.write_text("Name\nx\n")
    folder = unpack(tmp_path / "folder", GOOD)
    (folder / "diary.csv").symlink_to(secret)
    (folder / "more").symlink_to(tmp_path)
    assert names_of(folder) == ["likes/films.csv", "ratings.csv"]


def test_a_member_whose_bytes_changed_is_damaged(tmp_path: Path) -> None:
    path = tmp_path / "export.zip"
    content = packed({"a.csv": "Name,Rating\nHeat,4.5\n"}, zipfile.ZIP_STORED)
    path.write_bytes(content.replace(b"Heat", b"Boat"))
    with (
        open_archive(path, FileLimits()) as archive,
        pytest.raises(InputError, match=r"export\.zip/a\.csv is damaged"),
    ):
        DelimitedTable(archive.members["a.csv"])


def test_an_archive_of_a_later_version_is_refused_in_a_sentence(tmp_path: Path) -> None:
    content = bytearray(packed(GOOD))
    for sign, place in ((b"PK\x03\x04", 4), (b"PK\x01\x02", 6)):
        content[content.find(sign) + place] = 200  # "version needed to extract"
    path = tmp_path / "export.zip"
    path.write_bytes(content)
    for read in (lambda: detect_kind(path), lambda: open_archive(path, FileLimits()).__enter__()):
        with pytest.raises(InputError):
            read()


def test_an_archive_inside_the_archive_stays_shut(tmp_path: Path) -> None:
    path = tmp_path / "export.zip"
    path.write_bytes(packed({"a.csv": packed(GOOD)}))
    with (
        open_archive(path, FileLimits()) as archive,
        pytest.raises(InputError, match=r"a\.csv is a zip archive, not a table"),
    ):
        DelimitedTable(archive.members["a.csv"])


def test_a_pipe_and_nothing_are_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.zip")
    for name, cause in (("pipe.zip", "is not a file"), ("none.zip", "No such file")):
        with (
            pytest.raises(InputError, match=cause),
            open_archive(tmp_path / name, FileLimits()),
        ):
            pass


def read_all(path: Path) -> None:
    with open_archive(path, FileLimits()) as archive:
        for member in archive.members.values():
            with member.open(FileLimits()) as stream:
                stream.read()


GOOD_BYTES = packed(GOOD)


@settings(deadline=None)
@given(st.lists(st.integers(0, 1 << 14), max_size=4), st.integers(0, len(GOOD_BYTES)))
def test_broken_bytes_are_read_or_refused_with_a_sentence(
    tmp_path_factory: pytest.TempPathFactory, places: list[int], kept: int
) -> None:
    content = GOOD_BYTES
    for place in places:
        content = flipped(content, place)
    path = tmp_path_factory.mktemp("zip") / "export.zip"
    path.write_bytes(content[:kept] if kept % 3 == 0 else content)
    try:
        read_all(path)
    except InputError as error:
        assert str(path) in error.message


def test_every_single_flipped_bit_is_read_or_refused(tmp_path: Path) -> None:
    path = tmp_path / "export.zip"
    refused = 0
    for place in range(len(GOOD_BYTES)):
        path.write_bytes(flipped(GOOD_BYTES, place))
        try:
            read_all(path)
        except InputError:
            refused += 1
    assert refused > len(GOOD_BYTES) // 2
