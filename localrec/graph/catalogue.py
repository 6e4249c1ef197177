"""One domain's items and attributes as arrays: the snapshot that questions are answered from.

Read once per process with a handful of set-based queries and thrown away with it; the store stays
the truth. Items and attributes are numbered 0..n-1 and 0..m-1 here ("index"), masks are boolean
arrays over items. Asking for everything below a family, or for all items with any of a set of
attributes, is then array work of microseconds instead of a join.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, lru_cache, partial

import msgspec
import numpy as np
from numpy.typing import NDArray

from localrec.data.arrays import Indexes, Mask, csr_rows
from localrec.data.domains import Domain
from localrec.foundation.text_matching import roots
from localrec.graph.flag_values import FlagValues
from localrec.graph.item_families import ItemFamilies
from localrec.graph.item_texts import ItemTexts
from localrec.graph.node_columns import edge_not_from
from localrec.graph.store import Store
from localrec.graph.taxonomy import FLAVOURED_WITH, IS_A, taxonomy_of


class Attribute(msgspec.Struct, frozen=True):
    """An attribute node: its kind, key and display name."""

    node_id: int
    kind: str
    key: str
    name: str


class LinkDetail(msgspec.Struct, frozen=True):
    """One edge of an item as the catalogue wrote it."""

    attribute: int  # index of the attribute
    relation: str
    as_written: str
    value: str | None


class AttributeFamilies:
    """The attributes of a domain with the broader attributes above them.

    Args:
        store: The store that the edges are read from.
        domain: The domain of the attributes.
        index_of: Node id of an attribute -> its index; edges of other nodes are left out.
    """

    def __init__(self, store: Store, domain: Domain, index_of: Mapping[int, int]) -> None:
        self._parents: dict[int, list[int]] = {}
        self._children: dict[int, list[int]] = {}
        self._flavoured: dict[int, list[int]] = {}
        rows = store.rows(
            "SELECT e.source_id, e.target_id, e.kind FROM edge e "
            "JOIN node n ON n.node_id = e.source_id "
            "WHERE n.domain = ? AND e.kind IN (?, ?) ORDER BY e.rowid",
            [domain.name, IS_A, FLAVOURED_WITH],
        )
        for source, target, kind in rows:
            if source not in index_of or target not in index_of:
                continue
            child, parent = index_of[source], index_of[target]
            if kind == IS_A:
                self._parents.setdefault(child, []).append(parent)
                self._children.setdefault(parent, []).append(child)
            else:
                self._flavoured.setdefault(parent, []).append(child)

    def below(self, attribute: int, barring: bool = False) -> tuple[int, ...]:
        """Return an attribute and everything below it; `barring` also follows flavours."""
        seen = {attribute}
        queue = [attribute]
        for current in queue:
            children = self._children.get(current, ())
            flavoured = self._flavoured.get(current, ()) if barring else ()
            for child in (*children, *flavoured):
                if child not in seen:
                    seen.add(child)
                    queue.append(child)
        return tuple(sorted(seen))

    def parents(self, attributes: Iterable[int]) -> list[int]:
        """Return the families directly above the given attributes, each once."""
        return list(dict.fromkeys(p for one in attributes for p in self._parents.get(one, ())))

    def ancestors(self, attributes: Iterable[int]) -> set[int]:
        """Return all families above the given attributes, without the attributes themselves."""
        seen: set[int] = set()
        queue = list(attributes)
        for current in queue:
            for parent in self._parents.get(current, ()):
                if parent not in seen:
                    seen.add(parent)
                    queue.append(parent)
        return seen


class Catalogue:
    """Items, attributes, links and families of one domain, in memory.

    Args:
        store: The store that they are read from.
        domain: The domain of the items.
        without: People whose own links, their shelves and tags, are left out, and with them the
            attributes that nothing else is said to have.
    """

    def __init__(self, store: Store, domain: Domain, without: Iterable[str] = ()) -> None:
        self.domain = domain
        self._store = store
        self._is_told = edge_not_from(without)
        self._relations = [spec.edge for spec in domain.attributes.values()]
        self._load_items()
        self._load_attributes()
        self._load_links()
        families = AttributeFamilies(store, domain, self._attribute_by_id)
        self.parents, self.ancestors = families.parents, families.ancestors
        self.below = lru_cache(maxsize=4096)(families.below)
        self.items_with = lru_cache(maxsize=256)(self._items_with)
        self.families_of = lru_cache(maxsize=65_536)(self._families_of)

    def __len__(self) -> int:
        return len(self.keys)

    def attribute_index(self, kind: str, key: str) -> int | None:
        """Index of an attribute by kind and key."""
        return self._attribute_of.get((kind, key))

    def item_index(self, key: str) -> int | None:
        """Index of an item by key."""
        return self._item_of.get(key)

    def items_named(self, key: str, *, exactly: bool) -> list[int]:
        """Indexes of the items named like the item `key`, itself included.

        A catalogue may hold one name twice. Not `exactly` also takes names that contain it.
        """
        index = self._item_of.get(key)
        if index is None:
            return []
        name = self._name_roots[index]
        return list(self._items_of_name[name]) if exactly else self.items_titled(name)

    def items_titled(self, name: tuple[str, ...]) -> list[int]:
        """Indexes of the items whose names hold some words, given as roots, side by side."""
        return [
            item
            for other, items in self._items_of_name.items()
            if len(other) >= len(name)
            and any(other[i : i + len(name)] == name for i in range(len(other)))
            for item in items
        ]

    @cached_property
    def _name_roots(self) -> list[tuple[str, ...]]:
        return [roots(name) or (name.casefold(),) for name in self.names]

    @cached_property
    def _items_of_name(self) -> dict[tuple[str, ...], list[int]]:
        items: dict[tuple[str, ...], list[int]] = {}
        for item, name in enumerate(self._name_roots):
            items.setdefault(name, []).append(item)
        return items

    def is_had(self, attribute: int) -> bool:
        """Whether any item has an attribute, by its index, or one below it."""
        return bool(self.items_with(self.below(attribute)).any())

    @cached_property
    def items_saying(self) -> Callable[[tuple[str, ...]], Mask]:
        """Marks the items that say some words, given as roots, side by side."""
        texts = ItemTexts(self._store, self.domain, self.names, self.node_ids.tolist())
        phrases = [f" {' '.join(roots(one.name))} " for one in self.attributes]
        return lru_cache(maxsize=256)(partial(texts.saying, phrases, self.items_with))

    def use_of(self, attribute: int) -> int:
        """Return how many items have an attribute, by its index, or one below it."""
        return int(self.items_with(self.below(attribute)).sum())

    def first_item_with(self, attributes: Sequence[int]) -> str | None:
        """Key of the oldest item that has one of these, None without any."""
        (having,) = self.items_with(tuple(attributes)).nonzero()
        years = self.numbers.get("year", np.zeros(len(self)))[having]
        oldest = having[np.argsort(np.nan_to_num(years, nan=np.inf), kind="stable")]
        return self.keys[oldest[0]] if len(oldest) else None

    def share_within(self, number: str, low: float, high: float) -> float:
        """Return the share of the items whose number lies between bounds."""
        values = self.numbers[number]
        return float(np.mean((values >= low) & (values <= high))) if len(values) else 0.0

    def indexes_of(self, node_ids: NDArray[np.int64]) -> Indexes:
        """Item indexes of node ids; ids that are no item of this domain are left out."""
        places = np.searchsorted(self.node_ids, node_ids)
        places = np.minimum(places, max(len(self.node_ids) - 1, 0))
        known = self.node_ids[places] == node_ids if len(self.node_ids) else places < 0
        return places[known].astype(np.int32)

    def components_of(self, item: int) -> Indexes:
        """Attribute indexes of an item's components, in the catalogue's order."""
        mine = self._links_of(item)
        return self._link_attribute[mine][self._link_is_component[mine]]

    def attributes_of(self, item: int) -> Indexes:
        """Attribute indexes of all an item's links."""
        return self._link_attribute[self._links_of(item)]

    def shared_components(self, components: Sequence[int]) -> NDArray[np.int32]:
        """For every item, how many of `components` (attribute indexes) it contains, shape (n,).

        A brand and its generic name count as one thing.
        """
        things = {int(self.identity[one]) for one in components}
        spellings = [one for thing in sorted(things) for one in self._spellings_of[thing]]
        return np.bincount(self._items_linked(spellings), minlength=len(self)).astype(np.int32)

    def component_use(self, items: Indexes) -> NDArray[np.int32]:
        """For every attribute, how many of `items` contain it as a component, shape (m,)."""
        links = csr_rows(self._first_link, items)
        mine = links[self._link_is_component[links]]
        used = self.identity[self._link_attribute[mine]]
        return np.bincount(used, minlength=len(self.attributes)).astype(np.int32)

    def score_by_attributes(self, weights: NDArray[np.float64]) -> NDArray[np.float32]:
        """Sum of the weights (m,) of each item's attributes over the root of their number, (n,)."""
        told = weights[self._link_attribute]
        sums = np.bincount(self._link_item, weights=told, minlength=len(self))
        return (sums / np.sqrt(np.diff(self._first_link).clip(min=1))).astype(np.float32)

    @cached_property
    def uses(self) -> NDArray[np.int64]:
        """Count the items that have each attribute itself, (m,)."""
        return np.diff(self._first_item)

    @cached_property
    def rarity(self) -> NDArray[np.float64]:
        """log(items / items that have it) of each attribute, (m,); 0 where none has it."""
        return np.where(self.uses > 0, np.log(max(len(self), 1) / self.uses.clip(min=1)), 0.0)

    def details(self, items: Sequence[int]) -> dict[int, list[LinkDetail]]:
        """The links of a few items with the catalogue's own spelling and values, from the store."""
        if not items:
            return {}
        found: dict[int, list[LinkDetail]] = {item: [] for item in items}
        rows = self._store.rows(
            "SELECT source_id, target_id, kind, told->>'$.as_written', told->>'$.value' FROM ("
            "SELECT source_id, target_id, kind, arg_min(properties, rowid) AS told, "
            "min(rowid) AS place FROM edge e WHERE source_id IN (SELECT unnest(?)) "
            f"AND kind IN (SELECT unnest(?)) AND {self._is_told} GROUP BY ALL) ORDER BY place",
            [[int(self.node_ids[item]) for item in items], self._relations],
        )
        for source, target, relation, written, value in rows:
            item = int(np.searchsorted(self.node_ids, source))
            index = self._attribute_by_id[target]
            name = written or self.attributes[index].name
            found[item].append(LinkDetail(index, relation, name, value))
        return found

    def texts(self, items: Sequence[int], name: str) -> list[str]:
        """A text of a few items, their name or a property, from the store; "" where it is none."""
        if name == "name":  # no property, but a column of its own
            return [self.names[item] for item in items]
        wanted = [int(self.node_ids[item]) for item in items]
        rows = self._store.rows(
            "SELECT node_id, json_extract_string(properties, ?) FROM node "
            "WHERE node_id IN (SELECT unnest(?))",
            [f"$.{name}", wanted],
        )
        found = dict(rows)
        return [found[node] or "" for node in wanted]

    def _items_with(self, attributes: tuple[int, ...]) -> Mask:
        """Mask of the items that are linked to any of these attributes."""
        mask = np.zeros(len(self), dtype=bool)
        mask[self._items_linked(attributes)] = True
        return mask

    def _items_linked(self, attributes: Sequence[int]) -> Indexes:
        """The items of all links to these attributes, one entry a link."""
        first = self._first_item
        slices = [self._items_by_attribute[first[one] : first[one + 1]] for one in attributes]
        return np.concatenate(slices) if slices else np.zeros(0, dtype=np.int32)

    def _families_of(self, item: int) -> frozenset[int]:
        """All families above an item's components."""
        return frozenset(self.ancestors(int(index) for index in self.components_of(item)))

    @cached_property
    def item_families(self) -> ItemFamilies:
        """The families above the components of items, to compare many at once."""
        component = self.domain.kind_of("component")
        above = [
            self.ancestors((index,)) if one.kind == component else ()
            for index, one in enumerate(self.attributes)
        ]
        return ItemFamilies.of(self._first_link, self._link_attribute, above)

    def none(self) -> Mask:
        """A mask of no item."""
        return np.zeros(len(self), dtype=bool)

    def every(self) -> Mask:
        """A mask of all items."""
        return np.ones(len(self), dtype=bool)

    def _links_of(self, item: int) -> slice:
        return slice(int(self._first_link[item]), int(self._first_link[item + 1]))

    def _load_items(self) -> None:
        numbers = ", ".join(
            f"coalesce(TRY_CAST(properties->>'$.{name}' AS DOUBLE), 'nan')"
            for name in self.domain.numbers
        )
        flags = ", ".join(f"coalesce(properties->>'$.{name}', '')" for name in self.domain.flags)
        extra = "".join(f", {part}" for part in (numbers, flags) if part)
        columns = self._store.columns(
            f"SELECT node_id, key, name{extra} FROM node "
            "WHERE domain = ? AND kind = ? ORDER BY node_id",
            [self.domain.name, self.domain.item],
        )
        values = list(columns.values())
        self.node_ids = np.asarray(values[0], dtype=np.int64)
        self.keys: list[str] = list(values[1])
        self.names: list[str] = list(values[2])
        self._item_of = {key: index for index, key in enumerate(self.keys)}
        rest = values[3:]
        self.numbers = {
            name: np.asarray(rest[place], dtype=np.float64)
            for place, name in enumerate(self.domain.numbers)
        }
        self.flags = {
            name: FlagValues.of(rest[len(self.numbers) + place])
            for place, name in enumerate(self.domain.flags)
        }

    def _load_attributes(self) -> None:
        rows = self._store.rows(
            "SELECT node_id, kind, key, name FROM node "
            "WHERE domain = ? AND kind IN (SELECT unnest(?)) AND node_id NOT IN ("
            "SELECT target_id FROM edge e WHERE kind IN (SELECT unnest(?)) "
            f"GROUP BY target_id HAVING NOT bool_or({self._is_told})) ORDER BY node_id",
            [self.domain.name, list(self.domain.attributes), self._relations],
        )
        self.attributes = [Attribute(*row) for row in rows]
        self._attribute_by_id = {one.node_id: i for i, one in enumerate(self.attributes)}
        self._attribute_of = {(one.kind, one.key): i for i, one in enumerate(self.attributes)}

    @cached_property
    def staples(self) -> frozenset[int]:
        """Attribute indexes of the domain's staples and all below them."""
        component = self.domain.kind_of("component") or ""
        named = (self._attribute_of.get((component, name)) for name in self.domain.staples)
        return frozenset(one for index in named if index is not None for one in self.below(index))

    @cached_property
    def identity(self) -> Indexes:
        """Attribute index -> index of what it is a brand or spelling of, itself for most; (m,)."""
        identity = np.arange(len(self.attributes), dtype=np.int32)
        for index, one in enumerate(self.attributes):
            concept = taxonomy_of(self.domain, one.kind).concept_of(one.name)
            identity[index] = self._attribute_of.get((one.kind, concept or ""), index)
        return identity

    @cached_property
    def _spellings_of(self) -> dict[int, list[int]]:
        """Map the identity of an attribute to all attributes that share it, brands included."""
        spellings: dict[int, list[int]] = {}
        for index, thing in enumerate(self.identity):
            spellings.setdefault(int(thing), []).append(index)
        return spellings

    def _load_links(self) -> None:
        columns = self._store.columns(
            "SELECT source_id, target_id FROM edge e WHERE kind IN (SELECT unnest(?)) "
            f"AND {self._is_told} "
            "AND source_id IN (SELECT node_id FROM node WHERE domain = ? AND kind = ?) "
            # What a catalogue and several people say alike is one link.
            "GROUP BY source_id, target_id ORDER BY source_id, min(rowid)",
            [self._relations, self.domain.name, self.domain.item],
        )
        attribute_ids = np.array([one.node_id for one in self.attributes], dtype=np.int64)
        self._link_item: Indexes = _places(self.node_ids, columns["source_id"])
        self._link_attribute: Indexes = _places(attribute_ids, columns["target_id"])
        component = self.domain.kind_of("component")
        is_component = np.array([one.kind == component for one in self.attributes], dtype=bool)
        self._link_is_component = (
            is_component[self._link_attribute] if len(self._link_attribute) else is_component[:0]
        )
        self._first_link = np.searchsorted(self._link_item, np.arange(len(self) + 1))
        by_attribute = np.argsort(self._link_attribute, kind="stable")
        self._items_by_attribute: Indexes = self._link_item[by_attribute]
        self._first_item = np.searchsorted(
            self._link_attribute[by_attribute], np.arange(len(self.attributes) + 1)
        )
        self.component_counts = np.bincount(
            self._link_item, weights=self._link_is_component, minlength=len(self)
        ).astype(np.int32)


def _places(sorted_ids: NDArray[np.int64], wanted: NDArray[np.int64]) -> Indexes:
    """Find the position of each of `wanted` in `sorted_ids`."""
    return np.asarray(np.searchsorted(sorted_ids, wanted), dtype=np.int32)
