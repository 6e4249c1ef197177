"""The baselines by name: how to make each one, and the settings to tune.

The search spaces suit data from thousands to millions of interactions. A baseline's config decides
which values are allowed, and the defaults.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from localrec.foundation.errors import UsageError
from localrec.foundation.plugins import RECOMMENDERS, find_plugin, list_plugins
from localrec.ranking.baselines.content_similarity import (
    ContentSimilarity,
    ContentSimilarityConfig,
    ItemVectors,
)
from localrec.ranking.baselines.ease import EASE, EASEConfig
from localrec.ranking.baselines.item_knn import ItemKNN, ItemKNNConfig
from localrec.ranking.baselines.matrix_factorization import Als, AlsConfig, Bpr, BprConfig
from localrec.ranking.baselines.naive_bayes import NaiveBayes, NaiveBayesConfig
from localrec.ranking.baselines.neural import make_gru4rec, make_lightgcn, make_sasrec
from localrec.ranking.baselines.neural.configs import GRU4RecConfig, LightGCNConfig, SASRecConfig
from localrec.ranking.baselines.popularity import Popularity, PopularityConfig
from localrec.ranking.baselines.random_order import RandomOrder, RandomOrderConfig
from localrec.ranking.baselines.tuning import ChoiceSpace, NumericSpace, SearchSpace, Settings
from localrec.ranking.recommender import Recommender


class BaselineEntry(msgspec.Struct, frozen=True, kw_only=True):
    """One baseline.

    Args:
        config: The record its settings are read into.
        make: From that record, and the items' text vectors where `needs_vectors`.
        space: The settings that may vary when it is tuned.
        needs_vectors: Whether it ranks by texts.
    """

    config: type[msgspec.Struct]
    make: Callable[..., Recommender]
    space: SearchSpace = {}
    needs_vectors: bool = False


BASELINES: dict[str, BaselineEntry] = {
    "random": BaselineEntry(config=RandomOrderConfig, make=RandomOrder),
    "popularity": BaselineEntry(
        config=PopularityConfig,
        make=Popularity,
        space={
            "half_life_days": ChoiceSpace((0.0, 3.0, 7.0, 14.0, 30.0, 90.0, 180.0, 365.0, 1000.0))
        },
    ),
    "item-knn": BaselineEntry(
        config=ItemKNNConfig,
        make=ItemKNN,
        space={
            "neighbours": NumericSpace(5, 1000, whole=True),
            "shrinkage": NumericSpace(0.0, 300.0, scale="linear"),
        },
    ),
    "ease": BaselineEntry(
        config=EASEConfig, make=EASE, space={"regularization": NumericSpace(1.0, 10_000.0)}
    ),
    "als": BaselineEntry(
        config=AlsConfig,
        make=Als,
        space={
            "embedding_size": ChoiceSpace((8, 16, 32, 64, 128, 256)),
            "regularization": NumericSpace(0.01, 300.0),
            "alpha": NumericSpace(0.5, 50.0),
            "epochs": NumericSpace(5, 30, scale="linear", whole=True),
        },
    ),
    "bpr": BaselineEntry(
        config=BprConfig,
        make=Bpr,
        space={
            "embedding_size": ChoiceSpace((8, 16, 32, 64, 128, 256)),
            "learning_rate": NumericSpace(0.002, 0.1),
            "regularization": NumericSpace(0.0005, 0.1),
            "epochs": NumericSpace(20, 300, whole=True),
        },
    ),
    "lightgcn": BaselineEntry(
        config=LightGCNConfig,
        make=make_lightgcn,
        space={
            "embedding_size": ChoiceSpace((32, 64, 128)),
            "layers": ChoiceSpace((1, 2, 3)),
            "temperature": NumericSpace(0.05, 0.4),
            "learning_rate": NumericSpace(0.001, 0.02),
        },
    ),
    "gru4rec": BaselineEntry(
        config=GRU4RecConfig,
        make=make_gru4rec,
        space={
            "embedding_size": ChoiceSpace((32, 64, 128)),
            "state_size": ChoiceSpace((64, 128)),
            "dropout": NumericSpace(0.1, 0.6, scale="linear"),
            "learning_rate": NumericSpace(0.001, 0.02),
        },
    ),
    "sasrec": BaselineEntry(
        config=SASRecConfig,
        make=make_sasrec,
        space={
            "embedding_size": ChoiceSpace((32, 64, 128)),
            "layers": ChoiceSpace((1, 2)),
            "dropout": NumericSpace(0.1, 0.6, scale="linear"),
            "learning_rate": NumericSpace(0.001, 0.02),
        },
    ),
    "vector": BaselineEntry(
        config=ContentSimilarityConfig,
        make=ContentSimilarity,
        space={"recent": ChoiceSpace((0, 1, 2, 3, 5, 10, 20, 50, 100))},
        needs_vectors=True,
    ),
    "naive-bayes": BaselineEntry(
        config=NaiveBayesConfig,
        make=NaiveBayes,
        space={"liked_from": ChoiceSpace((0.5, 2.0, 3.0, 3.5, 4.0, 4.5, 5.0))},
    ),
}


def find_baseline(name: str) -> BaselineEntry:
    """Return the entry of a baseline: of this catalogue, or registered by another package.

    Raises:
        UsageError: there is no such baseline.
        PluginError: the package that registers it is broken.
    """
    if name in BASELINES:
        return BASELINES[name]
    plugin = find_plugin(RECOMMENDERS, name)
    if plugin is None:
        known = ", ".join([*BASELINES, *list_plugins(RECOMMENDERS)])
        raise UsageError(f'There is no baseline "{name}".', f"There are: {known}.")
    entry: BaselineEntry = plugin.load()
    return entry


def make_baseline(
    name: str, settings: Settings | None = None, vectors: ItemVectors | None = None
) -> Recommender:
    """Make a baseline that is not fitted yet.

    Args:
        name: A key of `BASELINES`, or what a package registers.
        settings: Settings that differ from the defaults.
        vectors: Texts of the items as vectors, (items, size), zeros for an item without a text;
            only some baselines need them.

    Raises:
        UsageError: an unknown name or setting, a setting out of bounds, or vectors are missing.
    """
    entry = find_baseline(name)
    config = _config_of(name, entry, settings or {})
    if not entry.needs_vectors:
        return entry.make(config)
    if vectors is None:
        raise UsageError(
            f"The baseline {name} ranks by the texts of items, but no vectors of them were given.",
            "Embed the items first, or leave it out of the run.",
        )
    return entry.make(config, vectors)


def _config_of(name: str, entry: BaselineEntry, settings: Settings) -> Any:
    try:
        return msgspec.convert(dict(settings), entry.config)
    except msgspec.ValidationError as error:
        known = ", ".join(entry.config.__struct_fields__) or "none"
        raise UsageError(
            f"The settings of the baseline {name} do not fit: {error}.",
            f"It has these: {known}.",
        ) from error
