"""The baselines by name: how each is made, and what may vary when it is tuned.

The spaces are wide enough for data from thousands to millions of interactions. A baseline's own
config has the last word on what is allowed and on the defaults.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from localrec.baselines.base import Baseline
from localrec.baselines.ease import Ease, EaseConfig
from localrec.baselines.factors import Als, AlsConfig, Bpr, BprConfig
from localrec.baselines.item_neighbours import ItemNeighbours, ItemNeighboursConfig
from localrec.baselines.naive_bayes import NaiveBayes, NaiveBayesConfig
from localrec.baselines.nearness import ItemVectors, Nearness, NearnessConfig
from localrec.baselines.neural import make_gru4rec, make_lightgcn, make_sasrec
from localrec.baselines.neural.configs import GRU4RecConfig, LightGCNConfig, SASRecConfig
from localrec.baselines.popularity import Popularity, PopularityConfig
from localrec.baselines.random_order import RandomOrder, RandomOrderConfig
from localrec.baselines.tuning import Choice, Range, Settings, Space
from localrec.errors import UsageError


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One baseline.

    Args:
        config: The record its settings are read into.
        make: From that record, and the items' text vectors where `needs_vectors`.
        space: What may vary when it is tuned.
        needs_vectors: Whether it ranks by texts.
    """

    config: type[msgspec.Struct]
    make: Callable[..., Baseline]
    space: Space = {}
    needs_vectors: bool = False


BASELINES: dict[str, Entry] = {
    "random": Entry(config=RandomOrderConfig, make=RandomOrder),
    "popularity": Entry(
        config=PopularityConfig,
        make=Popularity,
        space={"half_life_days": Choice((0.0, 3.0, 7.0, 14.0, 30.0, 90.0, 180.0, 365.0, 1000.0))},
    ),
    "item-knn": Entry(
        config=ItemNeighboursConfig,
        make=ItemNeighbours,
        space={
            "neighbours": Range(5, 1000, whole=True),
            "shrinkage": Range(0.0, 300.0, scale="linear"),
        },
    ),
    "ease": Entry(config=EaseConfig, make=Ease, space={"regularization": Range(1.0, 10_000.0)}),
    "als": Entry(
        config=AlsConfig,
        make=Als,
        space={
            "embedding_size": Choice((8, 16, 32, 64, 128, 256)),
            "regularization": Range(0.01, 300.0),
            "alpha": Range(0.5, 50.0),
            "epochs": Range(5, 30, scale="linear", whole=True),
        },
    ),
    "bpr": Entry(
        config=BprConfig,
        make=Bpr,
        space={
            "embedding_size": Choice((8, 16, 32, 64, 128, 256)),
            "learning_rate": Range(0.002, 0.1),
            "regularization": Range(0.0005, 0.1),
            "epochs": Range(20, 300, whole=True),
        },
    ),
    "lightgcn": Entry(
        config=LightGCNConfig,
        make=make_lightgcn,
        space={
            "embedding_size": Choice((32, 64, 128)),
            "layers": Choice((1, 2, 3)),
            "temperature": Range(0.05, 0.4),
            "learning_rate": Range(0.001, 0.02),
        },
    ),
    "gru4rec": Entry(
        config=GRU4RecConfig,
        make=make_gru4rec,
        space={
            "embedding_size": Choice((32, 64, 128)),
            "state_size": Choice((64, 128)),
            "dropout": Range(0.1, 0.6, scale="linear"),
            "learning_rate": Range(0.001, 0.02),
        },
    ),
    "sasrec": Entry(
        config=SASRecConfig,
        make=make_sasrec,
        space={
            "embedding_size": Choice((32, 64, 128)),
            "layers": Choice((1, 2)),
            "dropout": Range(0.1, 0.6, scale="linear"),
            "learning_rate": Range(0.001, 0.02),
        },
    ),
    "vector": Entry(
        config=NearnessConfig,
        make=Nearness,
        space={"recent": Choice((0, 1, 2, 3, 5, 10, 20, 50, 100))},
        needs_vectors=True,
    ),
    "naive-bayes": Entry(
        config=NaiveBayesConfig,
        make=NaiveBayes,
        space={"liked_from": Choice((0.5, 2.0, 3.0, 3.5, 4.0, 4.5, 5.0))},
    ),
}


def make_baseline(
    name: str, settings: Settings | None = None, vectors: ItemVectors | None = None
) -> Baseline:
    """A baseline that is still to be fitted.

    Args:
        name: A key of `BASELINES`.
        settings: What differs from the defaults.
        vectors: Texts of the items as vectors, (items, size), zeros for an item without a text;
            only some baselines need them.

    Raises:
        UsageError: an unknown name or setting, a setting out of bounds, or vectors are missing.
    """
    entry = BASELINES.get(name)
    if entry is None:
        raise UsageError(f'There is no baseline "{name}".', f"There are: {', '.join(BASELINES)}.")
    config = _config_of(name, entry, settings or {})
    if not entry.needs_vectors:
        return entry.make(config)
    if vectors is None:
        raise UsageError(
            f"The baseline {name} ranks by the texts of items, but no vectors of them were given.",
            "Embed the items first, or leave it out of the run.",
        )
    return entry.make(config, vectors)


def _config_of(name: str, entry: Entry, settings: Settings) -> Any:
    try:
        return msgspec.convert(dict(settings), entry.config)
    except msgspec.ValidationError as error:
        known = ", ".join(entry.config.__struct_fields__) or "none"
        raise UsageError(
            f"The settings of the baseline {name} do not fit: {error}.",
            f"It has these: {known}.",
        ) from error
