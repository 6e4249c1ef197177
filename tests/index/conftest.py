"""A small planted store, and the real MiniLM where it has been pulled."""

import os

import pytest

from localrec.foundation.errors import ModelError
from localrec.graph.store import Store
from localrec.index.embedders import open_embedder

from .planted import put


@pytest.fixture
def store(tmp_path):
    """Three drinks (one with a blank description), one ingredient, one person."""
    with Store.open_(tmp_path / "store.duckdb") as opened:
        put(opened, 1, "drink", "Negroni", "Bitter and red.")
        put(opened, 2, "drink", "Piña Colada 🍍", "Sweet, créamy, très blanc.")
        put(opened, 3, "drink", "Mystery", "  \n ")
        put(opened, 4, "ingredient", "Campari")
        put(opened, 5, "user", "Ana")
        yield opened


@pytest.fixture(scope="session")
def minilm():
    """The pulled MiniLM; where LOCALREC_REQUIRE_MODELS is set, its absence is a failure."""
    try:
        return open_embedder()
    except ModelError as error:
        if os.environ.get("LOCALREC_REQUIRE_MODELS"):
            raise
        pytest.skip(str(error))
