"""Whole sessions say, write and leave on disk what they did when they were recorded."""

from __future__ import annotations

from typing import Any

import pytest

from .masks import differences, require_same
from .program import golden_environment
from .record import SESSIONS, golden, recorded_session

NAMES = tuple(SESSIONS)
RECORDED = {name: golden(f"session-{name}") for name in NAMES}
LINES = [(name, line) for name in NAMES for line in RECORDED[name]]


@pytest.fixture(scope="module")
def sessions(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Each session, run once."""
    ended = {}
    for name in NAMES:
        with golden_environment(tmp_path_factory.mktemp(f"golden-{name}")) as folder:
            ended[name] = recorded_session(name, folder)
    return ended


@pytest.mark.parametrize(("session", "line"), LINES, ids=[f"{one}: {two}" for one, two in LINES])
def test_a_command_says_what_it_said(session: str, line: str, sessions: dict[str, Any]) -> None:
    actual = sessions[session]["commands"].get(line, "was not run")
    require_same(differences(RECORDED[session][line], actual))


@pytest.mark.parametrize("session", NAMES)
def test_nothing_is_run_that_was_not_recorded(session: str, sessions: dict[str, Any]) -> None:
    assert list(sessions[session]["commands"]) == list(RECORDED[session])


@pytest.mark.parametrize("part", ["files", "shapes", "tables"])
@pytest.mark.parametrize("session", NAMES)
def test_the_same_lies_on_disk_afterwards(
    session: str, part: str, sessions: dict[str, Any]
) -> None:
    expected, actual = golden(f"disk-{session}")[part], sessions[session]["disk"][part]
    require_same(differences(expected, actual, part))


@pytest.mark.parametrize("command", ["ask", "recommend", "rank"])
def test_no_system_that_once_was_known_is_refused(command: str, sessions: dict[str, Any]) -> None:
    known = sessions["bar"]["systems"][command]
    assert set(golden("words")[f"localrec {command} --system"]) <= set(known)
