"""The random steps of the walk, over a store with a fault put back in."""

from __future__ import annotations

import pytest


@pytest.mark.timeout(900)
def test_the_walk_finds_the_fault_of_two_forgettings_where_its_mend_is_taken_out(
    take_walks, monkeypatch
):
    def forgetful(store):
        """As it once was: a sequence nothing was drawn from begins anew."""
        for name, last in store.rows("SELECT sequence_name, last_value FROM duckdb_sequences()"):
            store.execute(f"CREATE OR REPLACE SEQUENCE fresh.{name} START {(last or 0) + 1}")

    monkeypatch.setattr("localrec.privacy.store_rewrite._copy_sequences", forgetful)
    with pytest.raises(AssertionError):
        take_walks(24)  # ends with the first that finds it
