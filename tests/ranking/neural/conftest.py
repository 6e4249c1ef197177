"""A chain whose next item is known, and small baselines that learn it in a second."""

import importlib.util
import os

import pytest

from localrec.ranking.baselines.neural import make_gru4rec, make_lightgcn, make_sasrec
from localrec.ranking.baselines.neural.configs import GRU4RecConfig, LightGCNConfig, SASRecConfig

from ..planted import interactions, quiet

LINKS = 15  # items of the chain; after the last comes the first
NEVER = LINKS  # an item nobody had
PEOPLE = 30
STEPS = 9

if importlib.util.find_spec("torch") is None:
    if os.environ.get("LOCALREC_REQUIRE_MODELS"):
        raise ImportError("torch is not installed: pip install -e '.[training]'")
    collect_ignore_glob = ["test_*.py"]

SMALL = {"embedding_size": 16, "batch_size": 6, "learning_rate": 0.02, "patience": 30}
MAKERS = {
    "sasrec": lambda **more: make_sasrec(
        SASRecConfig(**{**SMALL, "epochs": 12, "length": 6, "dropout": 0.1, **more})
    ),
    "gru4rec": lambda **more: make_gru4rec(
        GRU4RecConfig(**{**SMALL, "epochs": 15, "length": 6, "state_size": 16, **more})
    ),
    "lightgcn": lambda **more: make_lightgcn(
        LightGCNConfig(**{**SMALL, "epochs": 12, "batch_size": 64, **more})
    ),
}
ALL = tuple(MAKERS)
SEQUENTIAL = ("sasrec", "gru4rec")


@pytest.fixture(scope="session")
def chain():
    """Everybody enters the chain somewhere and follows it, one link a day."""
    rows = [
        (user, (user * 4 + step) % LINKS, 5.0, step)
        for user in range(PEOPLE)
        for step in range(STEPS)
    ]
    return interactions(rows, PEOPLE, LINKS + 1)


@pytest.fixture(scope="session", params=ALL)
def fitted(request, chain):
    """Each of the baselines, fitted to the chain; not to be fitted again."""
    baseline = MAKERS[request.param]()
    baseline.fit(chain, 0, quiet)
    return baseline
