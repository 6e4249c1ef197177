"""A bar with enough guests to learn from; the tests here need torch."""

import importlib.util
import os
from datetime import datetime, timedelta

import pytest

from localrec.graph.histories import ingest_history
from localrec.types import Event, History, InteractionRow
from tests.planted import BAR, a_report, planted_rows, planted_store

if importlib.util.find_spec("torch") is None:
    if os.environ.get("LOCALREC_REQUIRE_MODELS"):
        raise ImportError("torch is not installed: pip install -e '.[training]'")
    collect_ignore_glob = ["test_*.py"]

DRINKS = [row.key for row in planted_rows()]
GUESTS = 60
TASTED = 10


def crowd(guests):
    """Guests who enter the menu somewhere and follow it, a drink a day."""
    deeds = tuple(
        InteractionRow(
            user=f"guest {guest}",
            item=DRINKS[(3 * guest + step) % len(DRINKS)],
            event=Event.LIKED,
            at=datetime(2024, 5, 1) + timedelta(days=step),
        )
        for guest in range(guests)
        for step in range(TASTED)
    )
    return History(items=(), interactions=deeds, report=a_report(len(deeds)))


@pytest.fixture(scope="package")
def frequented(tmp_path_factory):
    """A workspace with all of them; only for copying."""
    folder = tmp_path_factory.mktemp("bar") / "workspace"
    with planted_store(folder) as store:
        ingest_history(store, BAR, crowd(GUESTS), None)
    (folder / "settings.toml").write_text('embedder = "hashing"\n', encoding="utf-8")
    return folder
