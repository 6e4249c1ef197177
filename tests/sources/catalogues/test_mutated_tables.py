"""Mutated catalogues are read without losing a row in silence, or refused in a sentence."""

from __future__ import annotations

from pathlib import Path

STUDIES = Path(__file__).resolve().parents[3] / "scripts" / "studies"


def test_no_mutated_table_raises_or_loses_a_row(monkeypatch):
    monkeypatch.syspath_prepend(STUDIES)
    import fuzz_tables

    figures = fuzz_tables.fuzz(120, seed=7)
    assert figures.harmful == []
    assert figures.outcomes["read"] > figures.outcomes.get("refused", 0)
    rows = figures.rows
    assert rows["read"] == rows["kept"] + rows["merged"] + rows["dropped"]
