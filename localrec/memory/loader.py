"""Load a domain's shared memory and its weights from caches, or build and cache them.

The memory is the graph of users and items, the co-occurrence of items and the domain's rules. The
weights of the kinds of evidence are fitted once on held-out likes and cached beside the
co-occurrence, for as long as that is valid.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from localrec.data.arrays import Indexes
from localrec.data.interaction_matrix import InteractionMatrix
from localrec.foundation.atomic_files import short_digest
from localrec.graph.catalogue import Catalogue
from localrec.graph.store import Store
from localrec.index.cached_arrays import ArrayCache
from localrec.index.embedded_fields import EmbeddedField
from localrec.index.item_cooccurrence import count_cooccurrence, open_cooccurrence
from localrec.memory.collaborative_memory import CollaborativeMemory
from localrec.memory.configs import MemRecConfig
from localrec.memory.fusion import FusionWeights
from localrec.memory.memory_texts import MemoryTexts
from localrec.memory.memrec import DEFAULT_WEIGHTS, FEWEST_CASES, MemRec
from localrec.memory.rule_text import format_rules
from localrec.memory.rule_versions import rules_of
from localrec.memory.synthesis import domain_shares, phrases_of
from localrec.memory.user_item_graph import (
    UserItemGraph,
    open_user_item_graph,
)

_FORMAT = 1
_SEED = 11  # of the users who give up a like, and of the items it is told from
_FEWEST_LIKINGS = 3  # of a user who gives one up
_MOST_USERS = 400  # who give one up; each costs some ten milliseconds, once
_MOST_LIKINGS = 500_000  # that weights are fitted with, of as many users as have them


def load_collaborative_memory(
    store: Store, folder: Path, catalogue: Catalogue, field: EmbeddedField | None
) -> CollaborativeMemory:
    """Load the shared memory of a domain from its caches, or build and cache it.

    Args:
        store: Read only.
        folder: The workspace's `indexes/`; where it cannot be written, memory must do.
        catalogue: The domain's snapshot; item indexes are its own.
        field: The texts that items are compared by; None compares none.

    Raises:
        InputError: the domain's rules in the store are none that this localrec reads.
    """
    graph = open_user_item_graph(store, folder, catalogue, field)
    return CollaborativeMemory(
        graph=graph,
        cooccurrence=open_cooccurrence(store, folder, catalogue),
        usual=domain_shares(graph.item_features, graph.matrix.likes),
        phrases=phrases_of(catalogue.attributes, catalogue.domain),
        rules=rules_of(store, catalogue.domain.name),
    )


def memory_texts_of(graph: UserItemGraph, catalogue: Catalogue) -> MemoryTexts:
    """Return the memory texts of a domain, for a model.

    Args:
        graph: The likes of all users.
        catalogue: The snapshot that its items are numbered by.
    """
    staples = catalogue.domain.staples
    return MemoryTexts(
        graph,
        [one.name for one in catalogue.attributes],
        catalogue.names,
        np.array([one.key in staples for one in catalogue.attributes], dtype=bool),
    )


def first_half(collaborative_memory: CollaborativeMemory) -> CollaborativeMemory:
    """Build the shared memory from the first half of each user's likes."""
    likings = _in_order(collaborative_memory.graph, collaborative_memory.graph.matrix.user_count)
    place = np.arange(len(likings.item)) - likings.first[likings.user]
    early = 2 * place < np.diff(likings.first)[likings.user]
    return _made_of(collaborative_memory, likings, early)


class _Stand(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The state of the data that weights were fitted on, as hashes."""

    format: int
    cooccurrence: str = msgspec.field(name="companions")  # as caches on disk name it
    rules: str
    config: MemRecConfig

    def serves(self, now: _Stand) -> bool:
        return self == now


def load_fusion_weights(
    folder: Path, domain: str, collaborative_memory: CollaborativeMemory, config: MemRecConfig
) -> FusionWeights:
    """Load the evidence weights of a domain from the cache, or fit and cache them.

    Args:
        folder: The workspace's `indexes/`.
        domain: Name of the domain.
        collaborative_memory: Its shared memory.
        config: The kinds of evidence that count.
    """
    stem = f"weights-{short_digest(domain, msgspec.json.encode(config).decode())}"
    cache = ArrayCache(folder, stem, ("weights", "cases"), _Stand)
    rules = collaborative_memory.rules
    mark = collaborative_memory.cooccurrence.mark
    stand = _Stand(
        format=_FORMAT,
        cooccurrence=mark,
        rules="" if rules is None else short_digest(format_rules(rules)),
        config=config,
    )
    kept = cache.load(stand) if mark else None
    if kept is not None:
        told, cases = kept.arrays
        weights = dict(zip(config.kinds, told.tolist(), strict=True))
        return FusionWeights(weights=weights, cases=int(cases[0]))
    fitted = fit_fusion_weights(collaborative_memory, config)
    if mark:
        told = np.array([fitted.weights.get(kind, 0.0) for kind in config.kinds])
        cache.keep(stand, (told, np.array([fitted.cases])))
    return fitted


def fit_fusion_weights(
    collaborative_memory: CollaborativeMemory, config: MemRecConfig
) -> FusionWeights:
    """Fit the weights to find the newest like of some users, which the memory does not contain.

    With fewer people than weights can be fitted on the usual ones count.
    """
    graph = collaborative_memory.graph
    users = int(np.searchsorted(graph.matrix.first_item, _MOST_LIKINGS, side="right")) - 1
    likings = _in_order(graph, users)
    able = np.flatnonzero(np.diff(likings.first) >= _FEWEST_LIKINGS)
    drawn = np.sort(np.random.default_rng(_SEED).permutation(able)[:_MOST_USERS])
    if len(drawn) < FEWEST_CASES:
        return DEFAULT_WEIGHTS
    last = likings.first[drawn + 1] - 1
    stays = np.ones(len(likings.item), dtype=bool)
    stays[last] = False
    before = _made_of(collaborative_memory, likings, stays)
    histories = [
        likings.item[begin:end]
        for begin, end in zip(likings.first[drawn].tolist(), last.tolist(), strict=True)
    ]
    return MemRec(before, config).fit(histories, likings.item[last], drawn.astype(np.int32), _SEED)


class _Ordered(msgspec.Struct, frozen=True):
    """Likes by user, oldest first; columns of one length."""

    user: Indexes
    item: Indexes
    day: NDArray[np.float32]
    first: NDArray[np.int64]  # where each user's begin


def _in_order(graph: UserItemGraph, users: int) -> _Ordered:
    """Order the likes of the first users; their numbers are random, so they are a fair sample."""
    first = np.asarray(graph.matrix.first_item[: users + 1])
    end = int(first[-1])
    user = np.repeat(np.arange(users, dtype=np.int32), np.diff(first))
    day = np.asarray(graph.matrix.days[:end])
    order = np.lexsort((np.where(np.isnan(day), -np.inf, day), user))
    return _Ordered(user, np.asarray(graph.matrix.items[:end])[order], day[order], first)


def _made_of(
    collaborative_memory: CollaborativeMemory, likings: _Ordered, stays: NDArray[np.bool_]
) -> CollaborativeMemory:
    """Rebuild a memory from some of its likes."""
    user, item, day = likings.user[stays], likings.item[stays], likings.day[stays]
    item_features = collaborative_memory.graph.item_features
    users = len(likings.first) - 1
    matrix = InteractionMatrix.from_pairs(user, item, users, item_features.items, day)
    return msgspec.structs.replace(
        collaborative_memory,
        graph=UserItemGraph(matrix, item_features),
        cooccurrence=count_cooccurrence(
            user, item, item_features.items, collaborative_memory.cooccurrence.config
        ),
        usual=domain_shares(item_features, matrix.likes),
    )


class SharedMemory(msgspec.Struct, frozen=True):
    """The shared memory with its weights, as rankers read it.

    Args:
        collaborative_memory: The domain's shared memory.
        config: The parts of MemRec that count.
        weights: Weight of each kind of evidence.
        user_index: A user's key -> their number in the graph, -1 for a cold-start user.
    """

    collaborative_memory: CollaborativeMemory
    config: MemRecConfig
    weights: FusionWeights
    user_index: Callable[[str], int]
