"""The parsed form of large TOML is kept, and nothing that is wrong with it is ever in the way."""

from __future__ import annotations

import tomllib

import msgspec
import pytest

from localrec.foundation import parsed_toml
from localrec.foundation.parsed_toml import decode_large_toml


class Words(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Of each kind that the words of a language have."""

    ends: frozenset[str]
    spans: dict[str, tuple[int, int]]


TEXT = 'ends = ["but", "and"]\n[spans]\nwar = [1939, 1945]\n'
READ = Words(frozenset({"but", "and"}), {"war": (1939, 1945)})


@pytest.fixture
def kept(tmp_path, monkeypatch):
    """The folder of parsed forms."""
    monkeypatch.setenv("LOCALREC_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "parsed"


@pytest.fixture
def file(tmp_path, monkeypatch):
    """A file that ships with localrec."""
    monkeypatch.setattr(parsed_toml, "shipped", lambda _: tmp_path / "shipped")
    path = tmp_path / "shipped" / "words.toml"
    path.parent.mkdir()
    path.write_text(TEXT)
    return path


def test_the_same_file_is_parsed_once(kept, file, monkeypatch):
    assert decode_large_toml(file, Words) == READ
    monkeypatch.setattr(tomllib, "loads", None)
    assert decode_large_toml(file, Words) == READ


def test_a_changed_file_is_parsed_anew_and_leaves_one_copy(kept, file):
    decode_large_toml(file, Words)
    file.write_text(TEXT.replace("1939", "1914").replace("1945", "1918"))
    assert decode_large_toml(file, Words).spans == {"war": (1914, 1918)}
    assert len(list(kept.iterdir())) == 1


def test_a_file_of_a_user_leaves_no_copy_outside_its_place(kept, tmp_path):
    own = tmp_path / "taxonomy.toml"
    own.write_text(TEXT)
    assert decode_large_toml(own, Words) == READ
    assert not kept.exists()


def test_copies_of_before_are_removed(kept, file):
    before = kept.parent / "domains"
    before.mkdir(parents=True)
    (before / "ab.msgpack").write_bytes(b"somebody's own words")
    decode_large_toml(file, Words)
    assert not before.exists()


class NewerWords(Words, frozen=True):
    """The same of a later version."""

    starts: tuple[str, ...] = ("so",)


def test_a_copy_of_an_older_version_gets_the_defaults_of_the_newer(kept, file, monkeypatch):
    decode_large_toml(file, Words)
    monkeypatch.setattr(tomllib, "loads", None)
    assert decode_large_toml(file, NewerWords).starts == ("so",)


@pytest.mark.parametrize("content", [b"", b"\xc1", msgspec.msgpack.encode({"ends": 3})])
def test_a_damaged_copy_is_made_again(kept, file, content):
    decode_large_toml(file, Words)
    (copy,) = kept.iterdir()
    whole = copy.read_bytes()
    for damaged in (content, whole[:16] + content):
        copy.write_bytes(damaged)
        assert decode_large_toml(file, Words) == READ
        assert copy.read_bytes() == whole


def test_a_folder_that_takes_nothing_costs_time_alone(kept, file):
    kept.parent.write_text("in the way")
    assert decode_large_toml(file, Words) == READ


def test_a_text_that_does_not_fit_is_refused(kept, file):
    file.write_text("ends = 3")
    with pytest.raises(msgspec.ValidationError):
        decode_large_toml(file, Words)
