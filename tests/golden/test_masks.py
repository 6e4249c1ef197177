"""The golden tests themselves: what they overlook, and that they overlook nothing else."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from .masks import differences, masked, told
from .program import CHECKOUT
from .questions import ranking_differences
from .words import help_as_text, help_of_text, with_words

HOME = Path("/tmp/golden-home")
TODAY = f"{datetime.now(UTC):%Y-%m-%d}"
LIST = [["a", 2.0], ["b", 1.0], ["c", 0.5]]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"timings_ms": {"ranking": 1.5}}, {"timings_ms": {"ranking": "<number>"}}),
        ({"ms": {"value": 0.2, "n": 30}}, {"ms": {"value": "<number>", "n": 30}}),
        (
            {"fit_s": 1, "store_bytes": [1, 2]},
            {"fit_s": "<number>", "store_bytes": ["<number>"] * 2},
        ),
        (
            {"machine": "a desk", "versions": {"numpy": "2"}},
            {"machine": "<machine>", "versions": "<machine>"},
        ),
        (f"{HOME}/w and {CHECKOUT}/models", "<home>/w and <localrec>/models"),
        (f"{TODAY}T10:11:12.5Z", "<now>"),
        ("took 12.5 ms, 3 MB, 2.0.0, 0123456789ab", "took <time>, <bytes>, <version>, <hash>"),
        ([{"what": "library torch 2.13.0"}, {"what": "Python"}], [{"what": "Python"}]),
    ],
)
def test_what_is_volatile_is_masked(value: Any, expected: Any) -> None:
    assert masked(value, HOME) == expected


@pytest.mark.parametrize(
    "lines",
    [
        ["Times: router 1.5 ms, ", "writer 2 ms"],
        ["Times: router 12345.5", "ms, writer 2.25 ms"],
        ["Times: router 1.5 ms, writer 2 ms "],
    ],
)
def test_where_a_line_of_times_is_wrapped_does_not_count(lines: list[str]) -> None:
    expected = ["Times: router <time>, writer <time>", "No model was asked."]
    assert masked([*lines, "No model was asked."], HOME) == expected


@pytest.mark.parametrize(
    "value",
    [
        {"score": 0.5, "rank": 1, "terms": 3, "version": 2, "versions": [1, 2]},
        "a crime film from the 1990s, 4.5 stars, on 2021-03-09T10:00:00",
        "Shake for 10 seconds with 30 ml of gin.",
    ],
)
def test_everything_else_stays(value: Any) -> None:
    assert masked(value, HOME) == value


@pytest.mark.parametrize(
    ("expected", "actual", "where"),
    [
        ({"a": 1}, {"a": 2}, "a"),
        ({"a": 1}, {}, "a"),
        ({}, {"a": 1}, "a"),
        ({"a": [1, 2]}, {"a": [1]}, "a"),
        ({"a": {"b": "x"}}, {"a": {"b": "y"}}, "a.b"),
        ({"a": [0.5]}, {"a": [0.501]}, "a[0]"),
        ({"a": True}, {"a": 1}, "a"),
        ({"a": 0}, {"a": None}, "a"),
    ],
)
def test_a_difference_is_told_with_its_place(expected: Any, actual: Any, where: str) -> None:
    assert told(differences(expected, actual)).startswith(f"{where}: ")


def test_noise_of_processors_is_no_difference() -> None:
    assert not told(differences({"score": 0.63281}, {"score": 0.63284}))


@pytest.mark.parametrize(
    ("ranked", "complaint"),
    [
        ([["b", 1.0], ["a", 2.0], ["c", 0.5]], "another order from place 1"),
        ([["a", 2.0], ["b", 1.1], ["c", 0.5]], "b had 1.0, has 1.1"),
        ([["a", 2.0], ["b", 1.0]], "other candidates"),
    ],
)
def test_a_changed_ranking_is_told(ranked: list[Any], complaint: str) -> None:
    assert complaint in told(ranking_differences({"r1": LIST}, {"r1": ranked}))


def test_only_items_with_equal_scores_may_change_places() -> None:
    tied = [["a", 1.0], ["b", 1.0]]
    assert not told(ranking_differences({"r1": tied}, {"r1": tied[::-1]}))


def test_a_request_that_is_gone_is_told() -> None:
    assert told(ranking_differences({"r1": LIST}, {})) == "request r1: is gone"


def test_help_survives_its_document() -> None:
    shown = {"localrec": ["Usage", "", " end"], "localrec ask": [" Usage"]}
    assert help_of_text(help_as_text(shown)) == shown


def test_a_word_that_was_known_stays_known() -> None:
    assert with_words({"ask": ["--old"]}, {"ask": ["--new"]}) == {"ask": ["--new", "--old"]}
