"""The catalogue of a workspace folder, as the Browse room asks for it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Protocol, TypeVar

from localrec_tui.backend.base import Request
from localrec_tui.backend.browsing import Layout, Page, ShelfFound, Stop, Thing, Turn, View

if TYPE_CHECKING:
    from localrec.domains import Domain
    from localrec.graph.name_search import NameSearch
    from localrec.graph.pages import PageRow, Selection
    from localrec.graph.steps import Node
    from localrec.graph.store import Store
    from localrec_tui.backend.lent import LentWorkspace

_MOST_WORDS = 8  # more than anybody types, and each costs a look at all names
_Made = TypeVar("_Made")


class Read(Protocol):
    """Asks the store something quick, beside whoever else reads it."""

    def __call__(self, query: Callable[[Store], _Made]) -> _Made:
        """What the query makes of the store."""
        ...


class LocalCatalogues:
    """`Browsing` over a workspace folder; making one opens nothing.

    Args:
        folder: The workspace.
        read: Reads from the store.
        writing: Keeps the store for one writer of this process.
        serving: The warm workspace for one request, as a person sees it.
    """

    def __init__(
        self,
        folder: Path,
        read: Read,
        writing: Callable[[], AbstractContextManager[None]],
        serving: Callable[[Request, str | None], AbstractContextManager[LentWorkspace]],
    ) -> None:
        self._folder, self._read, self._writing, self._serving = folder, read, writing, serving
        self._names: tuple[object, NameSearch] | None = None  # and what they were read from
        self._reading_names = Lock()

    def layout(self, domain: str) -> Layout:
        """How a domain is shown."""
        from localrec.domains import load_domain
        from localrec.graph.pages import main_kinds, orders_of

        declared = load_domain(domain)
        return Layout(kinds=main_kinds(declared), orders=orders_of(declared))

    def page(self, view: View, turn: Turn, limit: int) -> Page:
        """At most `limit` rows of a view."""
        from localrec.domains import load_domain
        from localrec.graph.pages import first_page, page_of

        domain = load_domain(view.domain)

        def query(store: Store) -> Page:
            selection = self._selection(store, domain, view)
            if turn == Turn():
                rows, total = first_page(store, domain, selection, limit)
                return Page(rows=rows, total=total)
            rows = page_of(
                store,
                domain,
                selection,
                limit,
                behind=turn.behind,
                before=turn.before,
                last=turn.last,
            )
            return Page(rows=rows)

        return self._read(query)

    def prepare(self, view: View) -> None:
        """Read the names of a view's items, and leave the store open for the first letter."""
        from localrec.domains import load_domain
        from localrec.graph.node_columns import hidden_from

        domain = load_domain(view.domain)
        self._read(lambda store: self._searched(store, domain, hidden_from(store, view.user)))

    def alike(self, view: View, limit: int, request: Request) -> tuple[PageRow, ...]:
        """Items whose texts mean what was typed, the nearest first."""
        from localrec.domains import load_domain
        from localrec.graph.node_columns import hidden_from
        from localrec.graph.pages import rows_of

        with self._serving(request, view.user) as workspace:
            fields = workspace.fields(view.domain)
            field = fields.get("description") or fields["name"]
            [nearest], _ = field.search(workspace.embedder.embed([view.typed]), limit)
            hidden = hidden_from(workspace.store, view.user)
            return rows_of(workspace.store, load_domain(view.domain), nearest.tolist(), hidden)

    def stand_on(self, view: View, kind: str, key: str, limit: int) -> Stop:
        """A node, the ways from there, and some of the items that have it."""
        from localrec.domains import load_domain
        from localrec.graph.steps import node_called

        domain = load_domain(view.domain)
        return self._read(
            lambda store: _stop(store, domain, node_called(store, domain, kind, key), view, limit)
        )

    def shelf(self, domain: str, user: str) -> ShelfFound:
        """What is on a person's shelf."""
        return self._read(lambda store: ShelfFound(user=user, things=_shelf(store, domain, user)))

    def components(self, domain: str, like: str, limit: int) -> tuple[str, ...]:
        """Names that can go on a shelf and contain `like`."""
        from localrec.domains import load_domain
        from localrec.graph.shelves import components_like

        declared = load_domain(domain)
        return self._read(lambda store: components_like(store, declared, like, limit))

    def stock(self, domain: str, user: str, typed: str) -> ShelfFound:
        """Put things on a shelf, named as people name them."""
        from localrec.understanding.shelf import read_things
        from localrec.understanding.vocabulary import Vocabulary
        from localrec.workspace import Workspace

        with self._writing(), Workspace(self._folder, writable=True) as opened:
            catalogue = opened.seen_by(user).catalogue(domain)
            named = read_things(typed, Vocabulary(catalogue))
            kind = catalogue.domain.kind_of("component") or ""
            indexes = (catalogue.attribute_index(kind, key) for key in named.keys)
            meant = [catalogue.attributes[one] for one in indexes if one is not None]
            things = tuple(Thing(one.node_id, one.name) for one in meant)
            return _change(opened.store, domain, user, put=things, corrected=named.corrected)

    def put_back(self, domain: str, user: str, things: tuple[Thing, ...]) -> ShelfFound:
        """Put things on a shelf that were there before."""
        from localrec.workspace import Workspace

        with self._writing(), Workspace(self._folder, writable=True) as opened:
            return _change(opened.store, domain, user, put=things)

    def take_off(self, domain: str, user: str, things: tuple[Thing, ...]) -> ShelfFound:
        """Take things off a shelf."""
        from localrec.workspace import Workspace

        with self._writing(), Workspace(self._folder, writable=True) as opened:
            return _change(opened.store, domain, user, take=things)

    def _selection(self, store: Store, domain: Domain, view: View) -> Selection:
        from localrec.graph.node_columns import hidden_from
        from localrec.graph.pages import Selection

        hidden = hidden_from(store, view.user)
        words = view.typed.split()[:_MOST_WORDS]
        return Selection(
            found=self._searched(store, domain, hidden).find(store, words) if words else None,
            having=view.having,
            order=view.order,
            descending=view.descending,
            without=hidden,
        )

    def _searched(self, store: Store, domain: Domain, hidden: frozenset[str]) -> NameSearch:
        """The names of a domain as somebody sees them, read again where the store changed.

        Nobody can change it while it is open here, so what is returned is what it says.
        """
        from localrec.graph.name_search import NameSearch
        from localrec_tui.backend.lent import mark_of

        source = mark_of(self._folder), domain.name, hidden
        with self._reading_names:
            if self._names is None or self._names[0] != source:
                self._names = None  # before others of the same size are read
                self._names = source, NameSearch(store, domain, hidden)
            return self._names[1]


def _stop(store: Store, domain: Domain, node: Node, view: View, limit: int) -> Stop:
    from localrec.graph.node_columns import hidden_from
    from localrec.graph.pages import Selection, first_page
    from localrec.graph.steps import Node, steps_from

    selection = Selection(having=node.node_id, without=hidden_from(store, view.user))
    steps = steps_from(store, domain, node, selection.without)
    if node.kind == domain.item:
        return Stop(domain=domain.name, node=node, steps=steps)
    rows, total = first_page(store, domain, selection, limit)
    items = [
        Node(node_id=row.place.node_id, kind=domain.item, key=row.key, name=row.name)
        for row in rows
    ]
    return Stop(domain=domain.name, node=node, steps=steps, items=tuple(items), total=total)


def _shelf(store: Store, domain: str, user: str) -> tuple[Thing, ...]:
    from localrec.graph.people import user_node
    from localrec.graph.shelves import things_on

    user_id = user_node(store, domain, user)
    return () if user_id is None else tuple(Thing(*one) for one in things_on(store, user_id))


def _change(
    store: Store,
    domain: str,
    user: str,
    *,
    put: tuple[Thing, ...] = (),
    take: tuple[Thing, ...] = (),
    corrected: dict[str, str] | None = None,
) -> ShelfFound:
    """Change a shelf, and tell what is on it now."""
    from localrec.graph.people import user_node
    from localrec.graph.shelves import stock, take_off

    before = {one.node_id for one in _shelf(store, domain, user)}
    user_id = user_node(store, domain, user, create=bool(put))
    if user_id is not None and put:
        stock(store, user_id, [one.node_id for one in put])
    if user_id is not None and take:
        take_off(store, user_id, [one.node_id for one in take])
    return ShelfFound(
        user=user,
        things=_shelf(store, domain, user),
        added=tuple(one for one in put if one.node_id not in before),
        corrected=corrected or {},
    )
