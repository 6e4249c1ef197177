"""What a sequential network learnt of a domain, kept in `indexes/` between trainings.

Other caches are counted anew where they do not fit the store; this one comes back by training
alone. So it may be a little older than the store: until the interactions differ by more than one in
twenty it serves. New items then have no neighbours, and new people are nobody's, but their
histories can be asked like all others. A training that dies leaves what was learnt before.

Weights and people's directions are traces of people: forgetting anybody removes all of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from localrec.data.arrays import Indexes
from localrec.data.domains import Domain
from localrec.foundation.atomic_files import short_digest
from localrec.foundation.errors import WorkspaceError
from localrec.graph.catalogue import Catalogue
from localrec.graph.store import Store
from localrec.index.cached_arrays import ArrayCache
from localrec.index.protocols import VectorIndex
from localrec.index.sasrec import Floats, SasRecEncoder
from localrec.index.sequential import SequentialModel
from localrec.index.vector_cache import FieldCache
from localrec.index.vectors import BACKENDS, ExactIndex, choose_backend

DRIFT = 0.05  # of the interactions; so much newer or older may be what it learnt from
STEM = "sequential"
_FORMAT = 1
_WEIGHTS = ("items", "bias", "norms", "squares", "shifts", "distances")
_KINDS = (*_WEIGHTS, "item-nodes", "directions", "users")


class SequentialMetadata(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The data and settings of a training; only the first four fields describe the store of now.

    Args:
        format: Number of the files' format.
        domain: Name of the domain that the items belong to.
        interactions: The number of interactions with items of the domain.
        newest_import: Number of the last import at the time.
        settings: The network's settings.
        seed: Seed of the training.
        trained_at: Time of the training, UTC without a zone; tells two trainings on the same data
            apart.
    """

    format: int
    domain: str
    interactions: int
    newest_import: int
    settings: dict[str, bool | float | int | str] = {}
    seed: int = 0
    trained_at: datetime | None = None

    def serves(self, now: SequentialMetadata) -> bool:
        """Whether what was learnt then is near enough to what would be learnt now."""
        return (
            (self.format, self.domain) == (now.format, now.domain)
            and self.newest_import <= now.newest_import
            and abs(now.interactions - self.interactions) <= DRIFT * self.interactions
        )


class SequentialArtifact(msgspec.Struct, frozen=True, kw_only=True):
    """The files of a training.

    Args:
        attention: The network over the items that occurred in the training.
        item_nodes: The store's id of each of them, ascending, (n,).
        directions: Direction of each user, from `directions_of`, (users, size).
        users: The store's id of each user, (users,).
    """

    attention: SasRecEncoder
    item_nodes: NDArray[np.int64]
    directions: Floats
    users: NDArray[np.int64]


def open_sequential(
    store: Store, folder: Path, catalogue: Catalogue, users: NDArray[np.int64]
) -> SequentialModel | None:
    """Open the sequential model of a domain; None without a training that fits the store.

    Args:
        store: Read only.
        folder: The workspace's `indexes/`.
        catalogue: The domain's snapshot; item indexes are its own.
        users: Node id of each user, in the order of their numbers.
    """
    kept = _cache_of(folder, catalogue.domain.name).load(
        sequential_metadata(store, catalogue.domain)
    )
    if kept is None:
        return None
    *weights, item_nodes, directions, known_users = kept.arrays
    if not np.isin(item_nodes, catalogue.node_ids).all():
        return None  # the store of somebody else
    attention = _spread(weights, np.searchsorted(catalogue.node_ids, item_nodes), len(catalogue))

    def open_index(name: str, exact: ExactIndex) -> VectorIndex:
        return _kept_index(folder, catalogue.domain.name, f"{kept.mark} {name}", name, exact)

    return SequentialModel(attention, directions, _numbers(known_users, users), open_index)


def sequential_metadata(store: Store, domain: Domain) -> SequentialMetadata:
    """Describe the training data in the store as it is now."""
    [[interactions, newest_import]] = store.rows(
        "SELECT (SELECT count(*) FROM interaction WHERE item_id IN "
        "(SELECT node_id FROM node WHERE domain = ? AND kind = ?)), "
        "(SELECT coalesce(max(import_id), 0) FROM import_receipt)",
        [domain.name, domain.item],
    )
    return SequentialMetadata(
        format=_FORMAT,
        domain=domain.name,
        interactions=interactions,
        newest_import=newest_import,
    )


def save_sequential(folder: Path, metadata: SequentialMetadata, learnt: SequentialArtifact) -> bool:
    """Put what was learnt in the place of what was learnt before; whether the disk took it."""
    attention = learnt.attention
    weights = (getattr(attention, kind) for kind in _WEIGHTS)
    arrays = (*weights, learnt.item_nodes, learnt.directions, learnt.users)
    return bool(_cache_of(folder, metadata.domain).keep(metadata, arrays).mark)


def _cache_of(folder: Path, domain: str) -> ArrayCache[SequentialMetadata]:
    return ArrayCache(folder, f"{STEM}-{short_digest(domain)}", _KINDS, SequentialMetadata)


def _spread(weights: Sequence[Floats], places: NDArray[np.int64], count: int) -> SasRecEncoder:
    """The network over all items of a catalogue, those it learnt of at their places."""
    items, bias, *layers = weights
    wide = np.zeros((count, items.shape[1]), dtype=np.float32)
    biases, met = np.zeros(count, dtype=np.float32), np.zeros(count, dtype=bool)
    wide[places], biases[places], met[places] = items, bias, True
    return SasRecEncoder(wide, biases, met, *layers)


def _numbers(nodes: NDArray[np.int64], users: NDArray[np.int64]) -> Indexes:
    """Find the position of each node id in `users`, -1 where it has none."""
    if not len(users):
        return np.full(len(nodes), -1, dtype=np.int32)
    order = np.argsort(users)
    places = order[np.searchsorted(users, nodes, sorter=order).clip(max=len(users) - 1)]
    return np.where(users[places] == nodes, places, -1).astype(np.int32)


def _kept_index(
    folder: Path, domain: str, fingerprint: str, name: str, exact: ExactIndex
) -> VectorIndex:
    """An index over `exact`; a graph comes from its file where that fits, else it is built."""
    backend = choose_backend("auto", len(exact))
    if backend not in BACKENDS:
        return exact
    cache = FieldCache(folder, domain, name, STEM)
    cached = cache.load(fingerprint, backend)
    if cached is not None:
        return cached[1]
    index = BACKENDS[backend].build(exact)
    with suppress(OSError, WorkspaceError):  # a full disk: slower next time, not wrong
        cache.write(fingerprint, backend, exact, index)
    return index
