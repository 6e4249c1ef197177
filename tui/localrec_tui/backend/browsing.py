"""What the Browse room asks: pages of the catalogue, steps through the graph, a person's shelf.

Records here are made of what a screen shows; nothing of NumPy or DuckDB is loaded with them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import msgspec

from localrec_tui.backend.base import Request

if TYPE_CHECKING:
    from localrec.graph.pages import PageRow, Place
    from localrec.graph.steps import Node, Step

BY_NAME = "name"  # what every domain can be sorted by, as `graph.pages` calls it


class View(msgspec.Struct, frozen=True, kw_only=True):
    """What is looked at.

    Args:
        domain: Its items.
        typed: Words that stand in their names or in those of their attributes; what fits them best
            comes first.
        having: Node id of an attribute that all of them have; None for no such demand.
        order: One of `Domain`'s numbers, or as `graph.pages` names it.
        descending: The other way round.
        user: Who looks: others' shelves and tags are not shown to them.
    """

    domain: str
    typed: str = ""
    having: int | None = None
    order: str = BY_NAME
    descending: bool = False
    user: str | None = None


class Turn(msgspec.Struct, frozen=True, kw_only=True):
    """Which page: behind or before a row, the last one, or else the first."""

    behind: Place | None = None
    before: Place | None = None
    last: bool = False


class Page(msgspec.Struct, frozen=True, kw_only=True):
    """One page; with the first one `total`, how many items the view has."""

    rows: tuple[PageRow, ...]
    total: int | None = None


class Layout(msgspec.Struct, frozen=True, kw_only=True):
    """How a domain is shown: the kinds that are columns, what it can be sorted by."""

    kinds: tuple[str, ...]
    orders: tuple[str, ...]


class Stop(msgspec.Struct, frozen=True, kw_only=True):
    """A node of the graph where somebody stands, and where the ways from there lead.

    Args:
        domain: What it belongs to.
        node: Item or attribute.
        steps: Its edges.
        items: Some items that have this attribute, by name.
        total: How many have it.
    """

    domain: str
    node: Node
    steps: tuple[Step, ...]
    items: tuple[Node, ...] = ()
    total: int = 0


class Thing(msgspec.Struct, frozen=True):
    """Something that can be on a shelf."""

    node_id: int
    name: str


class ShelfFound(msgspec.Struct, frozen=True, kw_only=True):
    """What is on a person's shelf.

    Args:
        user: Their key.
        things: In the order in which they were put there.
        added: Those that a change put there.
        corrected: What was typed -> what it was read as.
    """

    user: str
    things: tuple[Thing, ...]
    added: tuple[Thing, ...] = ()
    corrected: dict[str, str] = {}


class Browsing(Protocol):
    """The catalogue of a workspace, as somebody browses it.

    Raises `LocalrecError`s as `Backend` does.
    """

    def layout(self, domain: str) -> Layout:
        """How a domain is shown; reads nothing but its declaration."""
        ...

    def page(self, view: View, turn: Turn, limit: int) -> Page:
        """At most `limit` rows of a view; with the first page all of them are counted."""
        ...

    def prepare(self, view: View) -> None:
        """Make ready to search in a view; whoever does not, waits for it at the first letter."""
        ...

    def alike(self, view: View, limit: int, request: Request) -> tuple[PageRow, ...]:
        """Items whose texts mean what was typed, the nearest first.

        Raises:
            ModelError: there is no embedder.
            ModelCancelledError: the request was stopped.
        """
        ...

    def stand_on(self, view: View, kind: str, key: str, limit: int) -> Stop:
        """A node, the ways from there, and at most `limit` items that have it.

        Raises:
            UsageError: there is none of this kind and key.
        """
        ...

    def shelf(self, domain: str, user: str) -> ShelfFound:
        """What is on a person's shelf; nothing for a stranger."""
        ...

    def components(self, domain: str, like: str, limit: int) -> tuple[str, ...]:
        """Names that can go on a shelf and contain `like`, those that begin with it first."""
        ...

    def stock(self, domain: str, user: str, typed: str) -> ShelfFound:
        """Put things on a shelf, named as people name them, parted by commas.

        Raises:
            InputError: a name is unknown; nothing was changed.
        """
        ...

    def put_back(self, domain: str, user: str, things: tuple[Thing, ...]) -> ShelfFound:
        """Put things on a shelf that were there before."""
        ...

    def take_off(self, domain: str, user: str, things: tuple[Thing, ...]) -> ShelfFound:
        """Take things off a shelf."""
        ...
