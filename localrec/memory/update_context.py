"""The data of a domain that memory updates read: catalogue, likes and rules.

A context is kept over many jobs, so that a job reads only its own user from the store. It is
opened again after an import, a forgetting, new rules, or when more than one interaction in a
hundred is new. Until then it may lack a few new rows of other users; a job's own rows are always
read fresh.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from localrec.data.arrays import Indexes
from localrec.data.domains import Domain
from localrec.data.item_features import ItemFeatures
from localrec.graph.catalogue import Catalogue
from localrec.graph.interactions import USER
from localrec.graph.store import Store
from localrec.index.embedded_fields import EmbeddedField
from localrec.memory.curation import curate
from localrec.memory.rule_versions import rules_of
from localrec.memory.rules import RuleSet
from localrec.memory.salient_attributes import UserLinks, no_links
from localrec.memory.user_item_graph import UserItemGraph, open_user_item_graph

MAX_HISTORY_ITEMS = 100  # newest liked items that a taste is counted from
MAX_ITEM_USERS = 50  # users that an item's memory is counted from
_DRIFT = 0.01

OpenField = Callable[[Store], EmbeddedField | None]


class _Stamp(msgspec.Struct, frozen=True):
    """The state of the store that a context was read from."""

    interactions: int
    newest_import: int
    rules: int

    def holds(self, now: _Stamp, seen: int) -> bool:
        """Whether the context is still valid; `seen` is the number of interactions then."""
        news = now.interactions - self.interactions
        same = msgspec.structs.replace(now, interactions=self.interactions)
        # Fewer than a while ago: somebody may have been forgotten, so nothing of then may stay.
        return self == same and now.interactions >= seen and news <= _DRIFT * self.interactions


class UpdateContext:
    """The data of a domain for memory updates.

    Args:
        catalogue: The domain's items.
        graph: The likes of all users, with the texts that users are compared by.
        item_features: The attributes that the catalogue gives to items; those of users' own
        shelves
            are not among them, though they are among `graph.traits`.
        shelves: Key of a user -> items and attributes that they linked themselves.
        rules: The rules that score neighbours.
    """

    def __init__(
        self,
        catalogue: Catalogue,
        graph: UserItemGraph,
        item_features: ItemFeatures,
        shelves: dict[str, tuple[Indexes, Indexes]],
        rules: RuleSet,
    ) -> None:
        self.catalogue, self.graph, self.item_features = catalogue, graph, item_features
        self.shelves, self.rules = shelves, rules

    @cached_property
    def is_staple(self) -> NDArray[np.bool_]:
        """Attributes in nearly every item, which describe none: the staples, (attributes,)."""
        staples = set(self.catalogue.domain.staples)
        return np.array([one.key in staples for one in self.catalogue.attributes], dtype=bool)

    def titles(self, items: Iterable[int]) -> list[str]:
        """Names of items by catalogue index."""
        return [self.catalogue.names[item] for item in items]

    def node_ids(self, items: Iterable[int]) -> tuple[int, ...]:
        """Node ids of items by catalogue index."""
        return tuple(int(self.catalogue.node_ids[item]) for item in items)

    def indexes_of(self, nodes: Iterable[int]) -> list[int]:
        """Return the catalogue indexes of node ids; ids of other nodes are left out."""
        wanted = np.array(list(nodes), dtype=np.int64)
        return [int(one) for one in self.catalogue.indexes_of(wanted)]

    def nearest_users(self, user_id: int, liked: Sequence[int], many: int) -> list[NearUser]:
        """Return the users nearest to a history by the rules, nearest first.

        Args:
            user_id: Node id of the person, who is not their own neighbour.
            liked: Their liked items by catalogue index, newest first.
            many: The most users to return.
        """
        items = np.array(liked[::-1], dtype=np.int32)
        graph = self.graph
        ones = np.ones(len(items), dtype=np.float32)
        curated = curate(
            graph.neighbours_of(items, ones, exclude_user=graph.matrix.user_index(user_id)),
            self.rules,
        ).neighbours
        users = np.flatnonzero(curated.is_user)[:many].tolist()
        user_nodes = graph.matrix.user_nodes
        return [
            NearUser(int(user_nodes[curated.index[one]]), float(curated.edge_weight[one]))
            for one in users
        ]

    def audience_of(self, item: int) -> list[int]:
        """Return numbers in `graph` of users who like an item: an even sample, always the same."""
        first = self.graph.matrix.first_user
        begin, end = int(first[item]), int(first[item + 1])
        users = self.graph.matrix.users[begin : min(end, begin + MAX_ITEM_USERS)]
        return [int(one) for one in users]

    def own_links(self, users: Iterable[tuple[int, str]]) -> UserLinks:
        """Links that users made for themselves; users as node ids and keys."""
        found = [(user_id, *self.shelves[key]) for user_id, key in users if key in self.shelves]
        if not found:
            return no_links()
        return UserLinks(
            np.concatenate([np.full(len(items), user_id) for user_id, items, _ in found]),
            np.concatenate([items for _, items, _ in found]),
            np.concatenate([attributes for _, _, attributes in found]),
        )


class NearUser(msgspec.Struct, frozen=True):
    """A neighbour: the node id of a user, and the similarity, 0 to 1."""

    user_id: int
    weight: float


class UpdateContextCache:
    """Return the context of a domain, reading it again only after a change of the store.

    Args:
        folder: The workspace's `indexes/`.
        domain: The domain of the context.
        open_field: Opens the texts that users are compared by; None compares none.
    """

    def __init__(
        self, folder: Path, domain: Domain, open_field: OpenField = lambda store: None
    ) -> None:
        self._folder, self._domain, self._open_field = folder, domain, open_field
        self._kept: UpdateContext | None = None
        self._stamp: _Stamp | None = None
        self._seen = 0
        self.openings = 0  # how often there was something to read

    def __call__(self, store: Store) -> UpdateContext:
        """Return the current context of the store."""
        now = _stamp_of(store, self._domain)
        if self._kept is None or self._stamp is None or not self._stamp.holds(now, self._seen):
            self._kept, self._stamp = self._open(store), now
            self.openings += 1
        self._seen = now.interactions
        return self._kept

    def _open(self, store: Store) -> UpdateContext:
        catalogue = Catalogue(store, self._domain)
        graph = open_user_item_graph(store, self._folder, catalogue, self._open_field(store))
        return UpdateContext(
            catalogue, graph, *_links_of(store, catalogue), rules_of(store, self._domain.name)
        )


def _stamp_of(store: Store, domain: Domain) -> _Stamp:
    [row] = store.rows(
        "SELECT (SELECT count(*) FROM interaction), "
        "(SELECT coalesce(max(import_id), 0) FROM import_receipt), "
        "(SELECT coalesce(max(version), 0) FROM rule_set WHERE domain = ?)",
        [domain.name],
    )
    return _Stamp(*row)


def _links_of(
    store: Store, catalogue: Catalogue
) -> tuple[ItemFeatures, dict[str, tuple[Indexes, Indexes]]]:
    """Split the links of items into the catalogue's and the users' own."""
    columns = store.columns(
        "SELECT DISTINCT source_id, target_id, coalesce(properties->>'$.by', '') AS person "
        "FROM edge WHERE kind IN (SELECT unnest($relations)) AND source_id IN "
        "(SELECT node_id FROM node WHERE domain = $domain AND kind = $item) "
        "ORDER BY source_id, target_id, person",
        {
            "relations": [spec.edge for spec in catalogue.domain.attributes.values()],
            "domain": catalogue.domain.name,
            "item": catalogue.domain.item,
        },
    )
    attribute_ids = np.array([one.node_id for one in catalogue.attributes], dtype=np.int64)
    sources = np.asarray(columns["source_id"], dtype=np.int64)
    targets = np.asarray(columns["target_id"], dtype=np.int64)
    item = np.searchsorted(catalogue.node_ids, sources).astype(np.int32)
    attribute = np.searchsorted(attribute_ids, targets).astype(np.int32)
    user = np.asarray(columns["person"], dtype=object)
    public = user == ""
    pairs = item.astype(np.int64) * max(len(attribute_ids), 1) + attribute
    own = ~public & ~np.isin(pairs, pairs[public])
    item_features = ItemFeatures(
        item=item[public],
        attribute=attribute[public],
        items=len(catalogue),
        attributes=len(attribute_ids),
    )
    order = np.argsort(user[own].astype(str), kind="stable")
    keys, first = np.unique(user[own].astype(str)[order], return_index=True)
    parts = zip(
        keys.tolist(),
        np.split(item[own][order], first[1:]),
        np.split(attribute[own][order], first[1:]),
        strict=False,  # of nothing, numpy makes one empty part
    )
    return item_features, {key: (items, attributes) for key, items, attributes in parts}


def user_key_of(store: Store, user_id: int) -> str:
    """Return the key of a user by node id; "" where the user no longer exists."""
    rows = store.rows("SELECT key FROM node WHERE node_id = ? AND kind = ?", [user_id, USER])
    return str(rows[0][0]) if rows else ""
