"""A pattern is found in every form a program writes it in, wherever it lies, and counted once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from localrec.privacy.leak_scan import LeakPattern, PatternScanner, key_pattern, text_patterns

NOTE = 'Théodora said "never again"\\, twice'


@pytest.mark.parametrize(
    "written",
    [
        NOTE.encode(),
        NOTE.encode("utf-16-le"),
        NOTE.encode("utf-16"),
        json.dumps({"note": NOTE}).encode(),
        json.dumps({"note": NOTE}, ensure_ascii=False).encode(),
    ],
)
def test_a_text_is_found_as_programs_write_it(written):
    search = PatternScanner(text_patterns([NOTE]))
    assert search.in_bytes(b"\x00before" + written + b"after")
    assert not search.in_bytes(written[: len(written) // 2])


@pytest.mark.parametrize(
    ("key", "quoted"),
    [("annabelle", False), ("ann", True), ("196", True), ("1234567890", True), ("u1234", False)],
)
def test_short_keys_and_numbers_are_found_between_quotes_only(key, quoted):
    pattern = key_pattern(key)
    assert pattern.quoted is quoted
    search = PatternScanner([pattern])
    assert search.in_bytes(f'{{"user":"{key}"}}'.encode())[pattern] == 1
    assert search.in_bytes(f'{{"user":"{key}"}}'.encode("utf-16-le"))[pattern] == 1
    assert bool(search.in_bytes(f"x{key}x".encode())) is not quoted
    assert search.in_texts([key])[pattern] == 1  # a whole value


@pytest.mark.parametrize("key", ["a", "ab", "7"])
@pytest.mark.parametrize(
    "written", ['{{"by":"{}"}}', '["{}"]', '"{}"', "id,'\"{}\"'", 'user="{}"\n', '<p k="{}"/>']
)
def test_a_short_key_is_found_where_it_was_written_on_purpose(key, written):
    text = written.format(key)
    for code in ("utf-8", "utf-16", "utf-16-le", "utf-8-sig"):
        assert PatternScanner([key_pattern(key)]).in_bytes(text.encode(code)), code


@pytest.mark.parametrize("around", [(b"\x07", b" "), (b" ", b"\xc3"), (b"x", b"y")])
def test_a_short_key_is_not_found_where_bytes_came_about_by_chance(around):
    before, behind = around
    assert not PatternScanner([key_pattern("a")]).in_bytes(before + b'"a"' + behind)


def test_texts_that_may_be_anybodys_are_not_looked_for():
    assert text_patterns(["Loved it!", "", "Loved it at the harbour", "Loved it!"]) == [
        LeakPattern("Loved it at the harbour")
    ]


@given(
    before=st.binary(max_size=40),
    after=st.binary(max_size=40),
    keys=st.lists(st.text(min_size=1, max_size=12), min_size=1, max_size=5, unique=True),
)
def test_every_needle_is_found_at_every_place(before, after, keys):
    search = PatternScanner([LeakPattern(key) for key in keys])
    for key in keys:
        assert search.in_bytes(before + key.encode("utf-8", "surrogatepass") + after)[
            LeakPattern(key)
        ]


@pytest.mark.parametrize("size", [16, 17, 50, 64, 4096])
def test_a_file_is_searched_across_the_borders_of_its_blocks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int
):
    monkeypatch.setattr("localrec.privacy.leak_scan._BLOCK", size)
    patterns = [key_pattern("annab"), *text_patterns(["a text of some length"])]
    for lead in range(0, 70, 3):
        path = tmp_path / f"{lead}"
        path.write_bytes(b"." * lead + b"annab" + b"-" * 30 + b"a text of some length" + b"annab")
        assert PatternScanner(patterns).in_file(path) == {patterns[0]: 2, patterns[1]: 1}


def test_nothing_is_found_where_nothing_is_looked_for(tmp_path):
    (tmp_path / "file").write_bytes(b"annabelle" * 100)
    assert not PatternScanner([]).in_file(tmp_path / "file")
    assert (
        not PatternScanner([key_pattern("annabelle")]).without([key_pattern("annabelle")]).patterns
    )
