"""The planted bar for memories."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from localrec.graph.store import Store
from tests.planted import planted_store


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the bar's store is."""
    return tmp_path / "workspace" / "store.duckdb"


@pytest.fixture
def bar(path: Path) -> Iterator[Store]:
    """The planted bar, open for writing."""
    with planted_store(path.parent) as store:
        yield store
