"""The gold questions about drinks are answered as they were, with the real embedder."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from .masks import differences, require_same
from .program import EMBEDDER
from .record import compared, golden_drinks, recorded_drinks

QUESTIONS = golden_drinks()

pytestmark = pytest.mark.real


@pytest.fixture(scope="module")
def answers(home_with: Callable[[str, str], Path]) -> dict[str, Any]:
    return recorded_drinks(home_with(*EMBEDDER))


def test_the_questions_are_those_that_were_recorded(answers: dict[str, Any]) -> None:
    assert list(answers) == list(QUESTIONS)


@pytest.mark.parametrize("part", ["task", "intent", "items", "near", "relaxed", "message", "words"])
def test_every_question_is_answered_as_it_was(part: str, answers: dict[str, Any]) -> None:
    expected = compared(part, QUESTIONS)
    actual = {one: answers[one].get(part) for one in expected}
    require_same(differences(expected, actual, part))
