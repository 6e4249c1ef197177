"""Read the truth about items from the store, independently of the answers.

It uses nothing of `retrieval`, `understanding` or the catalogue's arrays: the code below resolves
names, closes families and finds edges, straight from the tables and the domain's taxonomy. So an
error of the product shows as a failure here, instead of agreeing with itself. The price is two
hundred lines of repeated work.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import lru_cache

import msgspec

from localrec.data.domains import Domain
from localrec.data.evidence import Evidence
from localrec.graph.store import Store

Words = tuple[str, ...]
Node = tuple[str, str]  # attribute kind and key

_IS_A = "IS_A"
_FLAVOURED_WITH = "FLAVOURED_WITH"


class StoreEdge(msgspec.Struct, frozen=True):
    """One edge of an item, with the catalogue's own spelling and detail."""

    relation: str
    node: Node
    written: str
    value: str | None


class StoreItem(msgspec.Struct, frozen=True):
    """An item with all its edges, and their attributes."""

    key: str
    name: str
    properties: dict[str, object]
    links: tuple[StoreEdge, ...]
    nodes: frozenset[Node]


class StoreTruth:
    """One domain of a store: its items, names and families.

    Example:
        `StoreTruth(store, load_domain("cocktails")).items_named("Negroni")[0].key` is "negroni".

    Args:
        store: Open for reading.
        domain: The domain's declaration; its taxonomy counts beside the store's own IS_A edges.
    """

    def __init__(self, store: Store, domain: Domain) -> None:
        self.domain = domain
        self._spellings: dict[Words, set[Node]] = defaultdict(set)
        self._children: dict[Node, set[Node]] = defaultdict(set)
        self._flavoured: dict[Node, set[Node]] = defaultdict(set)
        by_id = self._read_attributes(store)
        self._read_taxonomy()
        self._read_families(store, by_id)
        self.items = {item.key: item for item in _items_of(store, domain, by_id)}
        self._by_name: dict[Words, list[StoreItem]] = defaultdict(list)
        for item in self.items.values():
            self._by_name[words_of(item.name)].append(item)
        # Every item is held against every demand of every question, so these are asked often.
        self._requested = lru_cache(maxsize=4096)(self._requested_nodes)
        self._excluded = lru_cache(maxsize=4096)(self._excluded_nodes)

    def resolve(self, name: str, kind: str | None = None) -> set[Node]:
        """Find the attributes that a name or another spelling of it means; plurals count too.

        Args:
            name: As a person writes it.
            kind: Only attributes of this kind; None for all.
        """
        for words in dict.fromkeys((words_of(name), singular_words(words_of(name)))):
            found = {node for node in self._spellings.get(words, ()) if kind in (None, node[0])}
            if found:
                return found
        return set()

    def kind_of_all(self, names: tuple[str, ...]) -> str | None:
        """Return the kind in which all names are known, components first; None without one."""
        component = self.domain.kind_of("component")
        kinds = sorted(self.domain.attributes, key=lambda kind: kind != component)
        return next((kind for kind in kinds if all(self.resolve(n, kind) for n in names)), None)

    def items_named(self, name: str) -> list[StoreItem]:
        """Find every item of that name: a catalogue may hold it twice."""
        return self._by_name.get(words_of(name), [])

    def is_a_name(self, words: Words) -> bool:
        """Whether these words name an attribute or an item."""
        return words in self._spellings or words in self._by_name

    def below(self, nodes: Iterable[Node], *, barring: bool = False) -> frozenset[Node]:
        """The nodes with everything under them; `barring` also takes what is flavoured so."""
        seen = set(nodes)
        queue = list(seen)
        for node in queue:
            under = self._children[node] | (self._flavoured[node] if barring else set())
            queue.extend(under - seen)
            seen |= under
        return frozenset(seen)

    def has_any(self, item: StoreItem, kind: str | None, names: tuple[str, ...]) -> bool:
        """Whether an item has one of the named attributes of a kind, or one below it."""
        return not item.nodes.isdisjoint(self._requested(names, kind))

    def has_excluded(self, item: StoreItem, name: str) -> bool:
        """Whether an item has an excluded attribute; a garnish of that name counts.

        Args:
            item: The item.
            name: A component, else whatever bears the name; `glass: coupe` asks for that kind.
        """
        return not item.nodes.isdisjoint(self._excluded(name))

    def has_edge(self, edge: Evidence) -> bool:
        """Whether an edge that an answer cites is in the store, the taxonomy or the properties."""
        if edge.relation == _IS_A:
            sources, targets = self.resolve(edge.source), self.resolve(edge.target)
            return any(self._children[target] & sources for target in targets)
        return any(_has_fact(item, edge, self.domain) for item in self.items_named(edge.source))

    def _requested_nodes(self, names: tuple[str, ...], kind: str | None) -> frozenset[Node]:
        return self.below(node for name in names for node in self.resolve(name, kind))

    def _excluded_nodes(self, name: str) -> frozenset[Node]:
        kind, _, rest = name.partition(": ")
        component, garnish = self.domain.kind_of("component"), self.domain.kind_of("garnish")
        if rest and kind in self.domain.attributes:
            excluded = self.resolve(rest, kind)
        else:
            excluded = self.resolve(name, component) or self.resolve(name)
        everything = self.below(excluded, barring=True)
        if garnish is None:
            return everything
        return everything | self.below((garnish, key) for of, key in everything if of == component)

    def _read_attributes(self, store: Store) -> dict[int, Node]:
        by_id: dict[int, Node] = {}
        for node_id, kind, key, name in store.rows(
            "SELECT node_id, kind, key, name FROM node WHERE domain = ? AND kind <> ?",
            [self.domain.name, self.domain.item],
        ):
            if kind in self.domain.attributes:
                by_id[node_id] = (kind, key)
                self._add_spellings((kind, key), (key, name))
        return by_id

    def _read_taxonomy(self) -> None:
        for kind, concepts in self.domain.taxonomy.items():
            for name, concept in concepts.items():
                self._add_spellings((kind, name), (name, *concept.also, *concept.ask))
                for parent in concept.parents:
                    self._children[kind, parent].add((kind, name))

    def _read_families(self, store: Store, by_id: dict[int, Node]) -> None:
        for source, target, relation in store.rows(
            "SELECT source_id, target_id, kind FROM edge WHERE kind IN (?, ?)",
            [_IS_A, _FLAVOURED_WITH],
        ):
            if source in by_id and target in by_id:
                under = self._children if relation == _IS_A else self._flavoured
                under[by_id[target]].add(by_id[source])

    def _add_spellings(self, node: Node, names: Iterable[str]) -> None:
        for name in names:
            words = words_of(name)
            if words:
                self._spellings[words].add(node)


def words_of(text: str) -> Words:
    """Split a text into words: lower case, without accents and apostrophes."""
    decomposed = unicodedata.normalize("NFKD", re.sub("['’‘`´]", "", text).casefold())
    plain = "".join(mark for mark in decomposed if not unicodedata.combining(mark))
    return tuple(re.findall(r"[a-z0-9]+", plain))


def singular_words(words: Words) -> Words:
    """Split a text into words without English plural endings."""
    return tuple(_singular(word) for word in words)


def _singular(word: str) -> str:
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if word.endswith(("ches", "shes", "sses", "xes")):
        return word[:-2]
    is_plural = len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is"))
    return word[:-1] if is_plural else word


def _items_of(store: Store, domain: Domain, by_id: dict[int, Node]) -> Iterator[StoreItem]:
    links: dict[int, list[StoreEdge]] = defaultdict(list)
    relations = {spec.edge for spec in domain.attributes.values()}
    for source, target, relation, written, value, name in store.rows(
        "SELECT e.source_id, e.target_id, e.kind, e.properties->>'$.as_written', "
        "e.properties->>'$.value', n.name FROM edge e JOIN node n ON n.node_id = e.target_id "
        "WHERE n.domain = ?",
        [domain.name],
    ):
        if relation in relations and target in by_id:
            links[source].append(StoreEdge(relation, by_id[target], written or name, value))
    for node_id, key, name, properties in store.rows(
        "SELECT node_id, key, name, properties FROM node WHERE domain = ? AND kind = ?",
        [domain.name, domain.item],
    ):
        yield StoreItem(
            key,
            name,
            msgspec.json.decode(properties),
            tuple(links[node_id]),
            frozenset(link.node for link in links[node_id]),
        )


def _has_fact(item: StoreItem, edge: Evidence, domain: Domain) -> bool:
    if edge.relation in domain.texts:
        named = domain.texts[edge.relation]
        return edge.target == (item.name if named == "name" else item.properties.get(named))
    if edge.relation in domain.flags:
        return item.properties.get(edge.relation) == edge.target
    if edge.relation in domain.numbers:
        value = item.properties.get(edge.relation)
        return isinstance(value, int | float) and f"{value:g}" == edge.target
    return any(
        (link.relation, link.written, link.value) == (edge.relation, edge.target, edge.value)
        for link in item.links
    )
