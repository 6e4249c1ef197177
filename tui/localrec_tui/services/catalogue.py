"""Serves the Browse room: pages of the catalogue, steps through the graph, a user's shelf.

Records here are made of what a screen shows; nothing of NumPy or DuckDB is loaded with them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, TypeVar

import msgspec

from localrec_tui.services.memory import ReadStore
from localrec_tui.services.records import RequestHandle, Verdict

if TYPE_CHECKING:
    from localrec.data.domains import Domain
    from localrec.graph.name_completion import NameCompletion
    from localrec.graph.name_search import NameSearch
    from localrec.graph.neighbours import GraphNode, NeighbourEdge
    from localrec.graph.pagination import ItemSelection, PageCursor, PageRow
    from localrec.graph.store import Store
    from localrec.retrieval.shelf import ShelfReport
    from localrec.workspace import OpenWorkspace

BY_NAME = "name"  # a sort order of every domain, as `graph.pagination` calls it


class CatalogueView(msgspec.Struct, frozen=True, kw_only=True):
    """A view of the catalogue: a domain, a search and an order.

    Args:
        domain: Its items.
        typed: Words that stand in their names or in those of their attributes; what fits them best
            comes first.
        having: Node id of an attribute that all of them have; None for no such demand.
        order: One of `Domain`'s numbers, or as `graph.pagination` names it.
        descending: The other way round.
        user: Who looks: others' shelves and tags are not shown to them.
    """

    domain: str
    typed: str = ""
    having: int | None = None
    order: str = BY_NAME
    descending: bool = False
    user: str | None = None


class PageTurn(msgspec.Struct, frozen=True, kw_only=True):
    """Which page: behind or before a row, the last one, or else the first."""

    behind: PageCursor | None = None
    before: PageCursor | None = None
    last: bool = False


class CataloguePage(msgspec.Struct, frozen=True, kw_only=True):
    """One page, with what the user said of its items; with the first one `total`, of all items."""

    rows: tuple[PageRow, ...]
    total: int | None = None
    verdicts: dict[str, Verdict] = {}


class CatalogueLayout(msgspec.Struct, frozen=True, kw_only=True):
    """The columns of a domain, and its sort orders."""

    kinds: tuple[str, ...]
    orders: tuple[str, ...]


class NodeView(msgspec.Struct, frozen=True, kw_only=True):
    """A node of the graph, with its edges and the items that have it.

    Args:
        domain: The node's domain.
        node: Item or attribute.
        steps: Its edges.
        items: Some items that have this attribute, by name.
        total: How many have it.
        verdicts: What the user said of the items among these, by their keys.
    """

    domain: str
    node: GraphNode
    steps: tuple[NeighbourEdge, ...]
    items: tuple[GraphNode, ...] = ()
    total: int = 0
    verdicts: dict[str, Verdict] = {}


class ShelfComponent(msgspec.Struct, frozen=True):
    """Something that can be on a shelf."""

    node_id: int
    name: str


class ShelfContents(msgspec.Struct, frozen=True, kw_only=True):
    """The components on a user's shelf.

    Args:
        user: Their key.
        components: In the order in which they were put there.
        added: Those that a change put there.
        corrected: Each typed word that was corrected, and its correction.
        is_meant: The items of the domain are made of what people have at hand.
    """

    user: str
    components: tuple[ShelfComponent, ...]
    added: tuple[ShelfComponent, ...] = ()
    corrected: dict[str, str] = {}
    is_meant: bool = True


_MOST_WORDS = 8  # more than anybody types, and each costs a look at all names
_Made = TypeVar("_Made")


class CatalogueService:
    """Reads and changes what the Browse room shows; making one opens nothing.

    Args:
        folder: The workspace.
        read: Reads from the store.
        writing: Keeps the store for one writer of this process.
        serving: Opens the warm workspace for one request, as a user sees it.
    """

    def __init__(
        self,
        folder: Path,
        read: ReadStore,
        writing: Callable[[], AbstractContextManager[None]],
        serving: Callable[[RequestHandle], AbstractContextManager[OpenWorkspace]],
    ) -> None:
        self._folder, self._read, self._writing, self._serving = folder, read, writing, serving
        self._names: tuple[object, NameSearch] | None = None  # and what they were read from
        self._reading_names = Lock()

    def layout(self, domain: str) -> CatalogueLayout:
        """How a domain is shown."""
        from localrec.graph.domain_files import load_domain
        from localrec.graph.pagination import main_kinds, sort_orders

        declared = load_domain(domain)
        return CatalogueLayout(kinds=main_kinds(declared), orders=sort_orders(declared))

    def page(self, view: CatalogueView, turn: PageTurn, limit: int) -> CataloguePage:
        """At most `limit` rows of a view."""
        from localrec.graph.domain_files import load_domain
        from localrec.graph.pagination import first_page, next_page
        from localrec_tui.services.store_queries import verdicts

        domain = load_domain(view.domain)

        def query(store: Store) -> CataloguePage:
            selection = self._selection(store, domain, view)
            if turn == PageTurn():
                rows, total = first_page(store, domain, selection, limit)
            else:
                total = None
                rows = next_page(
                    store,
                    domain,
                    selection,
                    limit,
                    behind=turn.behind,
                    before=turn.before,
                    last=turn.last,
                )
            said = verdicts(store, domain.name, view.user, [row.key for row in rows])
            return CataloguePage(rows=rows, total=total, verdicts=said)

        return self._read(query)

    def prepare(self, view: CatalogueView) -> None:
        """Read the names of a view's items, and leave the store open for the first letter."""
        from localrec.graph.domain_files import load_domain
        from localrec.graph.node_columns import users_hidden_from

        domain = load_domain(view.domain)
        self._read(lambda store: self._searched(store, domain, users_hidden_from(store, view.user)))

    def similar_items(
        self, view: CatalogueView, limit: int, request: RequestHandle
    ) -> tuple[PageRow, ...]:
        """Return the items whose texts are most similar to the typed text, the nearest first."""
        from localrec.graph.domain_files import load_domain
        from localrec.graph.node_columns import users_hidden_from
        from localrec.graph.pagination import page_rows

        with self._serving(request) as workspace:
            fields = workspace.context(view.domain).fields
            field = fields.get("description") or fields["name"]
            [nearest], _ = field.search(workspace.models.embedder.embed([view.typed]), limit)
            hidden = users_hidden_from(workspace.store, view.user)
            return page_rows(workspace.store, load_domain(view.domain), nearest.tolist(), hidden)

    def open_node(self, view: CatalogueView, kind: str, key: str, limit: int) -> NodeView:
        """A node, the ways from there, and some of the items that have it."""
        from localrec.graph.domain_files import load_domain
        from localrec.graph.neighbours import find_node

        domain = load_domain(view.domain)
        return self._read(
            lambda store: _stop(store, domain, find_node(store, domain, kind, key), view, limit)
        )

    def shelf(self, domain: str, user: str) -> ShelfContents:
        """The components on a user's shelf."""
        from localrec.graph.domain_files import load_domain

        is_meant = bool(load_domain(domain).staples)
        return self._read(
            lambda store: ShelfContents(
                user=user, components=_shelf(store, domain, user), is_meant=is_meant
            )
        )

    def shelf_report(self, domain: str, user: str, k: int, request: RequestHandle) -> ShelfReport:
        """What a user's shelf makes now, with one thing more, and which thing unlocks most."""
        from localrec.graph.interactions import user_node
        from localrec.graph.shelf_store import shelf_nodes
        from localrec.retrieval.shelf import shelf_attributes, shelf_report, survey_shelf

        with self._serving(request) as workspace:
            catalogue = workspace.context(domain, user).catalogue
            user_id = user_node(workspace.store, domain, user)
            nodes = [] if user_id is None else shelf_nodes(workspace.store, user_id)
            at_hand = shelf_attributes(catalogue, nodes)
            return shelf_report(catalogue, survey_shelf(catalogue, at_hand), k)

    def components(self, domain: str, like: str, limit: int) -> tuple[str, ...]:
        """Names that can go on a shelf and contain `like`."""
        from localrec.graph.domain_files import load_domain
        from localrec.graph.shelf_store import search_components

        declared = load_domain(domain)
        return self._read(lambda store: search_components(store, declared, like, limit))

    def name_completion(self, domains: Sequence[str], user: str | None) -> NameCompletion:
        """Read the names that complete a question, as a user sees them."""
        from localrec.graph.domain_files import load_domain
        from localrec.graph.name_completion import read_name_completion
        from localrec.graph.node_columns import users_hidden_from

        declared = [load_domain(one) for one in domains]
        return self._read(
            lambda store: read_name_completion(store, declared, users_hidden_from(store, user))
        )

    def stock(self, domain: str, user: str, typed: str) -> ShelfContents:
        """Put things on a shelf, named as people name them."""
        from localrec.understanding.shelf_reader import parse_shelf
        from localrec.understanding.vocabulary import Vocabulary
        from localrec.workspace import OpenWorkspace

        with self._writing(), OpenWorkspace(self._folder, writable=True) as opened:
            catalogue = opened.context(domain, user).catalogue
            named = parse_shelf(typed, Vocabulary(catalogue))
            kind = catalogue.domain.kind_of("component") or ""
            indexes = (catalogue.attribute_index(kind, key) for key in named.keys)
            meant = [catalogue.attributes[one] for one in indexes if one is not None]
            components = tuple(ShelfComponent(one.node_id, one.name) for one in meant)
            return _change(opened.store, domain, user, put=components, corrected=named.corrected)

    def put_back(
        self, domain: str, user: str, components: tuple[ShelfComponent, ...]
    ) -> ShelfContents:
        """Put things on a shelf that were there before."""
        from localrec.workspace import OpenWorkspace

        with self._writing(), OpenWorkspace(self._folder, writable=True) as opened:
            return _change(opened.store, domain, user, put=components)

    def take_off(
        self, domain: str, user: str, components: tuple[ShelfComponent, ...]
    ) -> ShelfContents:
        """Take things off a shelf."""
        from localrec.workspace import OpenWorkspace

        with self._writing(), OpenWorkspace(self._folder, writable=True) as opened:
            return _change(opened.store, domain, user, take=components)

    def _selection(self, store: Store, domain: Domain, view: CatalogueView) -> ItemSelection:
        from localrec.graph.node_columns import users_hidden_from
        from localrec.graph.pagination import ItemSelection

        hidden = users_hidden_from(store, view.user)
        words = view.typed.split()[:_MOST_WORDS]
        return ItemSelection(
            found=self._searched(store, domain, hidden).find(store, words) if words else None,
            having=view.having,
            order=view.order,
            descending=view.descending,
            without=hidden,
        )

    def _searched(self, store: Store, domain: Domain, hidden: frozenset[str]) -> NameSearch:
        """Read the names of a domain as a user sees them, again after a change of the store.

        Nobody can change it while it is open here, so what is returned is what it says.
        """
        from localrec.graph.leased_store import workspace_mark
        from localrec.graph.name_search import NameSearch

        source = workspace_mark(self._folder), domain.name, hidden
        with self._reading_names:
            if self._names is None or self._names[0] != source:
                self._names = None  # before others of the same size are read
                self._names = source, NameSearch(store, domain, hidden)
            return self._names[1]


def _stop(
    store: Store, domain: Domain, node: GraphNode, view: CatalogueView, limit: int
) -> NodeView:
    from localrec.graph.neighbours import GraphNode, neighbour_edges
    from localrec.graph.node_columns import users_hidden_from
    from localrec.graph.pagination import ItemSelection, first_page
    from localrec_tui.services.store_queries import verdicts

    selection = ItemSelection(having=node.node_id, without=users_hidden_from(store, view.user))
    steps = neighbour_edges(store, domain, node, selection.without)
    if node.kind == domain.item:
        said = verdicts(store, domain.name, view.user, [node.key])
        return NodeView(domain=domain.name, node=node, steps=steps, verdicts=said)
    rows, total = first_page(store, domain, selection, limit)
    items = [
        GraphNode(node_id=row.place.node_id, kind=domain.item, key=row.key, name=row.name)
        for row in rows
    ]
    keys = [one.key for one in (*items, *(step.node for step in steps)) if one.kind == domain.item]
    return NodeView(
        domain=domain.name,
        node=node,
        steps=steps,
        items=tuple(items),
        total=total,
        verdicts=verdicts(store, domain.name, view.user, keys),
    )


def _shelf(store: Store, domain: str, user: str) -> tuple[ShelfComponent, ...]:
    from localrec.graph.interactions import user_node
    from localrec.graph.shelf_store import shelf_entries

    user_id = user_node(store, domain, user)
    return (
        ()
        if user_id is None
        else tuple(ShelfComponent(*one) for one in shelf_entries(store, user_id))
    )


def _change(
    store: Store,
    domain: str,
    user: str,
    *,
    put: tuple[ShelfComponent, ...] = (),
    take: tuple[ShelfComponent, ...] = (),
    corrected: dict[str, str] | None = None,
) -> ShelfContents:
    """Change a shelf, and return its contents."""
    from localrec.graph.interactions import user_node
    from localrec.graph.shelf_store import add_to_shelf, remove_from_shelf

    before = {one.node_id for one in _shelf(store, domain, user)}
    with store.transaction():
        user_id = user_node(store, domain, user, create=bool(put))
        if user_id is not None and put:
            add_to_shelf(store, user_id, [one.node_id for one in put])
        if user_id is not None and take:
            remove_from_shelf(store, user_id, [one.node_id for one in take])
    return ShelfContents(
        user=user,
        components=_shelf(store, domain, user),
        added=tuple(one for one in put if one.node_id not in before),
        corrected=corrected or {},
    )
