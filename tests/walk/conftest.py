"""The machine of the steps, and how many of them a test takes."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

STUDIES = Path(__file__).resolve().parents[2] / "scripts" / "studies"


@pytest.fixture
def walk(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """The module of the machine; its steps start no learning."""
    monkeypatch.setenv("LOCALREC_LEARN", "off")
    monkeypatch.syspath_prepend(STUDIES)
    yield importlib.import_module("store_walk")
    for name in ("store_walk", "walk_model", "walk_files", "walk_faults"):
        sys.modules.pop(name, None)


@pytest.fixture
def take_walks(walk: ModuleType) -> Callable[[int], None]:
    """Takes so many walks of fifty steps each, always the same ones."""

    def take(walks: int) -> None:
        steps = settings(
            max_examples=walks,
            stateful_step_count=50,
            derandomize=True,
            deadline=None,
            database=None,
            suppress_health_check=list(HealthCheck),
            phases=[Phase.generate],
        )
        run_state_machine_as_test(walk.WorkspaceWalk, settings=steps)

    return take
