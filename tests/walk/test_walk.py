"""Three hundred random steps over a workspace, each held against a model of the store."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

STUDIES = Path(__file__).resolve().parents[2] / "scripts" / "studies"


@pytest.fixture
def walk(monkeypatch):
    """The module of the machine; its steps start no learning."""
    monkeypatch.setenv("LOCALREC_LEARN", "off")
    monkeypatch.syspath_prepend(STUDIES)
    import store_walk

    yield store_walk
    for name in ("store_walk", "walk_model"):
        sys.modules.pop(name, None)


def of(walks: int, steps: int, **more: object) -> settings:
    return settings(
        max_examples=walks,
        stateful_step_count=steps,
        derandomize=True,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
        **more,
    )


@pytest.mark.timeout(900)
def test_after_each_of_300_steps_the_store_is_what_the_model_says(walk):
    run_state_machine_as_test(walk.WorkspaceWalk, settings=of(6, 50, phases=[Phase.generate]))
    assert any(kind.endswith("killed") for kind in walk.counts)


@pytest.mark.timeout(900)
def test_the_walk_finds_the_fault_of_two_forgettings_where_its_mend_is_taken_out(walk, monkeypatch):
    def forgetful(store):
        """As it once was: a sequence nothing was drawn from begins anew."""
        for name, last in store.rows("SELECT sequence_name, last_value FROM duckdb_sequences()"):
            store.execute(f"CREATE OR REPLACE SEQUENCE fresh.{name} START {(last or 0) + 1}")

    monkeypatch.setattr("localrec.privacy.store_rewrite._copy_sequences", forgetful)
    with pytest.raises(AssertionError):
        run_state_machine_as_test(walk.WorkspaceWalk, settings=of(6, 50, phases=[Phase.generate]))
