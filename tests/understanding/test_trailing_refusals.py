"""Refusals behind a name, negations that ask all the same, and what was met already."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from localrec.data.query import Query
from localrec.understanding.state_phrases import find_state


def _barred(query: Query) -> set[str]:
    return {key for one in query.constraints if one.excluded for key in one.any_of}


@pytest.mark.parametrize(
    "question",
    [
        "gin is strictly off the menu",
        "gin would give my wife hives",
        "gin we never drink",
        "gin? no way.",
        "if there is gin in it I walk",
        "give gin a miss",
        "something sour with gin nowhere near it",
        "anything bar gin",
        "a ginless sour",
        "gin? not that, thanks",
    ],
)
def test_a_name_is_refused_by_what_follows_it(read: Callable[[str], Query], question: str) -> None:
    assert "gin" in _barred(read(question))


@pytest.mark.parametrize(
    "question",
    [
        "I can't get enough of gin",
        "don't skip the gin",
        "gin doesn't have to be in it",
        "I own far too many bottles of gin",
    ],
)
def test_some_negations_ask_all_the_same(read: Callable[[str], Query], question: str) -> None:
    assert "gin" not in _barred(read(question))


def test_a_name_is_not_refused_by_what_is_kept_away_from_somebody(
    read: Callable[[str], Query],
) -> None:
    query = read("keep rum away from me, something with gin")
    assert _barred(query) == {"rum"}


def test_what_was_met_is_refused_after_a_refusal():
    assert find_state("none of the ones i already rated".split()).met is False
    assert find_state("the ones i already rated".split()).met is True
