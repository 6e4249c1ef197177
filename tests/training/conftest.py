"""A bar with enough guests to learn from, and two tiny networks; the tests here need torch."""

import importlib.util
import os
from datetime import datetime, timedelta

import pytest

from localrec.data.rows import Event, HistoryRows, InteractionRow
from localrec.foundation.offline import switch_off_network
from localrec.graph.history_ingest import ingest_history
from localrec.llm.model_catalog import model_path, status
from tests.planted import BAR, a_report, planted_rows, planted_store

from .tiny_models import make_tiny

switch_off_network()  # as the program does: the libraries read it when they are imported
MISSING = [
    name for name in ("torch", "transformers", "peft", "trl") if not importlib.util.find_spec(name)
]
if MISSING:
    if os.environ.get("LOCALREC_REQUIRE_MODELS"):
        raise ImportError(f"{MISSING[0]} is not installed: pip install -e '.[training]'")
    collect_ignore_glob = ["test_*.py"]

DRINKS = [row.key for row in planted_rows()]
GUESTS = 60
TASTED = 10


def crowd(guests):
    """Guests who enter the menu somewhere and follow it, a drink a day."""
    interactions = tuple(
        InteractionRow(
            user=f"guest {guest}",
            item=DRINKS[(3 * guest + step) % len(DRINKS)],
            event=Event.LIKED,
            at=datetime(2024, 5, 1) + timedelta(days=step),
        )
        for guest in range(guests)
        for step in range(TASTED)
    )
    return HistoryRows(items=(), interactions=interactions, report=a_report(len(interactions)))


@pytest.fixture(scope="session")
def frequented(tmp_path_factory):
    """A workspace with all of them; only for copying."""
    folder = tmp_path_factory.mktemp("bar") / "workspace"
    with planted_store(folder) as store:
        ingest_history(store, BAR, crowd(GUESTS), None)
    (folder / "settings.toml").write_text('embedder = "hashing"\n', encoding="utf-8")
    return folder


@pytest.fixture(scope="package", params=["llama", "qwen3", "gemma3"])
def tiny(request, tmp_path_factory):
    """A tiny network as folder and GGUF, one of each architecture; only for reading."""
    return make_tiny(request.param, tmp_path_factory.mktemp("tiny"))


@pytest.fixture(scope="session")
def smollm2(require_model):
    """The pulled SmolLM2."""
    require_model("smollm2-135m")
    return model_path("smollm2-135m")


@pytest.fixture(scope="session")
def gemma():
    """The pulled Gemma 3 270M; nothing needs it, so its tests are skipped without it."""
    if (state := status("gemma-3-270m")) != "ok":
        pytest.skip(f"The model gemma-3-270m is {state}: localrec models pull gemma-3-270m")
    return model_path("gemma-3-270m")


@pytest.fixture(scope="session")
def tiny_llama(tmp_path_factory):
    """The llama alone; only for reading."""
    return make_tiny("llama", tmp_path_factory.mktemp("tiny"))
