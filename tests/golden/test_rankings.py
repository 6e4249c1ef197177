"""Lists and answers over MovieLens 100K are those that were recorded."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from .masks import differences, require_same
from .program import MOVIELENS
from .questions import RANKED_BY, ranking_differences
from .record import golden, recorded_films

pytestmark = pytest.mark.real


@pytest.fixture(scope="module")
def films(home_with: Callable[[str, str], Path]) -> dict[str, Any]:
    return recorded_films(home_with(*MOVIELENS))


@pytest.mark.parametrize("system", RANKED_BY)
def test_two_hundred_requests_are_ranked_as_they_were(system: str, films: dict[str, Any]) -> None:
    expected = golden(f"rankings-{system}")["rankings"]
    assert len(expected) == 200
    require_same(ranking_differences(expected, films[system]["rankings"]))


@pytest.mark.parametrize("system", RANKED_BY)
def test_the_first_ranking_tells_what_it_told(system: str, films: dict[str, Any]) -> None:
    expected = golden(f"rankings-{system}")["first"]
    require_same(differences(expected, films[system]["first"]))


def test_questions_about_films_are_answered_as_they_were(films: dict[str, Any]) -> None:
    require_same(differences(golden("answers-films"), films["answers"]))
