"""The parsed form of large TOML is kept, and nothing that is wrong with it is ever in the way."""

from __future__ import annotations

import tomllib

import msgspec
import pytest

from localrec.foundation.parsed_toml import decode_large_toml


class Words(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Of each kind that the words of a language have."""

    ends: frozenset[str]
    spans: dict[str, tuple[int, int]]


TEXT = b'ends = ["but", "and"]\n[spans]\nwar = [1939, 1945]\n'
READ = Words(frozenset({"but", "and"}), {"war": (1939, 1945)})


@pytest.fixture
def kept(tmp_path, monkeypatch):
    """The folder of parsed forms."""
    monkeypatch.setenv("LOCALREC_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "domains"


def test_the_same_text_is_parsed_once(kept, monkeypatch):
    assert decode_large_toml(TEXT, Words) == READ
    monkeypatch.setattr(tomllib, "loads", None)
    assert decode_large_toml(TEXT, Words) == READ


def test_a_changed_text_is_parsed_anew(kept):
    decode_large_toml(TEXT, Words)
    changed = TEXT.replace(b"1939", b"1914").replace(b"1945", b"1918")
    assert decode_large_toml(changed, Words).spans == {"war": (1914, 1918)}


@pytest.mark.parametrize("content", [b"", b"\xc1", msgspec.msgpack.encode({"ends": 3})])
def test_a_damaged_copy_or_one_of_another_version_is_made_again(kept, content):
    decode_large_toml(TEXT, Words)
    (file,) = kept.glob("*.msgpack")
    whole = file.read_bytes()
    file.write_bytes(content)
    assert decode_large_toml(TEXT, Words) == READ
    assert file.read_bytes() == whole


def test_a_folder_that_takes_nothing_costs_time_alone(kept):
    kept.parent.write_text("in the way")
    assert decode_large_toml(TEXT, Words) == READ


def test_a_text_that_does_not_fit_is_refused(kept):
    with pytest.raises(msgspec.ValidationError):
        decode_large_toml(b"ends = 3", Words)
