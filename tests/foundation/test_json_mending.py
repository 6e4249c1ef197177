"""JSON of programs that are no writers of JSON is read; what is broken is told in plain words."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from localrec.foundation.bounded_files import FileLimits, read_json
from localrec.foundation.errors import InputError
from localrec.foundation.json_mending import mended

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inside: st.lists(inside) | st.dictionaries(st.text(), inside),
)


def read(path: Path, content: bytes) -> Any:
    path.write_bytes(content)
    return read_json(path, FileLimits(), Any)


@given(PLAIN)
def test_sound_json_is_left_alone(value: Any) -> None:
    written = json.dumps(value, ensure_ascii=False).encode()
    assert mended(written) == written


def test_commas_behind_the_last_entry_and_numbers_that_are_none_pass(tmp_path: Path) -> None:
    content = b'[{"a": NaN, "b": "x,]", "c": -Infinity,}, ["NaN",],\n]'
    assert read(tmp_path / "a.json", content) == [{"a": None, "b": "x,]", "c": None}, ["NaN"]]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig", "cp1252"])
def test_json_in_other_encodings_is_read(tmp_path: Path, encoding: str) -> None:
    assert read(tmp_path / "a.json", '["Amélie"]'.encode(encoding)) == ["Amélie"]


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b'[{"a": 1}, {"a"', "it ends in the middle, as if it were cut off"),
        (b'{"a" 1}', "there is a fault at byte 5"),
        (b"[" * 100_000, "it is nested too deep"),
    ],
)
def test_what_is_broken_is_told_in_plain_words(tmp_path: Path, content: bytes, told: str) -> None:
    with pytest.raises(InputError) as refusal:
        read(tmp_path / "a.json", content)
    assert told in refusal.value.message
