"""A catalogue of five hundred numbered drinks, and one shelf, that need no store."""

from __future__ import annotations

from collections.abc import Sequence

from localrec.foundation.errors import InputError, ModelCancelledError
from localrec.graph.name_completion import NameCompletion
from localrec.graph.neighbours import GraphNode, NeighbourEdge
from localrec.graph.pagination import PageCursor, PageRow
from localrec.retrieval.shelf import ShelfItem, ShelfReport, Unlock
from localrec_tui.services.catalogue import (
    CatalogueLayout,
    CataloguePage,
    CatalogueView,
    NodeView,
    PageTurn,
    ShelfComponent,
    ShelfContents,
)
from localrec_tui.services.records import RequestHandle, Verdict

from .recorder import Recorder

COUNT = 500
GIN = GraphNode(node_id=9001, kind="ingredient", key="gin", name="gin")
SPIRIT = GraphNode(node_id=9002, kind="ingredient", key="spirit", name="spirit")
KNOWN = ("gin", "ginger ale", "lime juice", "vodka")


def item(number: int) -> PageRow:
    """Even ones have gin."""
    name = f"Drink {number:03}"
    parts = ("gin", "lime juice") if number % 2 == 0 else ("vodka",)
    return PageRow(
        key=f"drink-{number:03}",
        name=name,
        place=PageCursor(name, number),
        attributes={"ingredient": parts, "glass": ("coupe glass",)},
    )


class FakeCatalogueService(Recorder):
    """Pages, steps and a shelf from memory.

    Attributes:
        things: What is on the shelf.
        means: What every search by meaning finds.
        makes: What every shelf makes.
        lacks: What lacks one thing on every shelf.
        kinds: The columns of domains other than the drinks'.
    """

    def __init__(self) -> None:
        super().__init__()
        self.said: dict[str, Verdict] = {}
        self.things: tuple[ShelfComponent, ...] = ()
        self.means = (item(7),)
        self.makes: tuple[ShelfItem, ...] = ()
        self.lacks: tuple[ShelfItem, ...] = ()
        self.kinds: dict[str, tuple[str, ...]] = {}

    def layout(self, domain: str) -> CatalogueLayout:
        kinds = self.kinds.get(domain, ("ingredient", "glass"))
        return CatalogueLayout(kinds=kinds, orders=("name", "imported", "strength"))

    def page(self, view: CatalogueView, turn: PageTurn, limit: int) -> CataloguePage:
        self._note("page", (view, turn))
        self.goes_on.wait(10)
        rows = [item(number) for number in range(COUNT) if _fits(item(number), view)]
        if view.descending:
            rows.reverse()
        ids = [row.place.node_id for row in rows]
        total = len(rows) if turn == PageTurn() else None
        if turn.last:
            chosen = rows[-limit:]
        elif turn.behind is not None:
            first = ids.index(turn.behind.node_id) + 1
            chosen = rows[first : first + limit]
        elif turn.before is not None:
            end = ids.index(turn.before.node_id)
            chosen = rows[max(0, end - limit) : end]
        else:
            chosen = rows[:limit]
        said = {row.key: self.said[row.key] for row in chosen if row.key in self.said}
        return CataloguePage(rows=tuple(chosen), total=total, verdicts=said)

    def prepare(self, view: CatalogueView) -> None:
        self._note("prepare", view)

    def similar_items(
        self, view: CatalogueView, limit: int, request: RequestHandle
    ) -> tuple[PageRow, ...]:
        self._note("alike", view)
        if request.stopped.is_set():
            raise ModelCancelledError("Stopped.")
        return self.means[:limit]

    def open_node(self, view: CatalogueView, kind: str, key: str, limit: int) -> NodeView:
        self._note("stand_on", (kind, key))
        if key == "gin":
            up = NeighbourEdge(relation="IS_A", node=SPIRIT)
            nodes = tuple(_node(number) for number in range(0, COUNT, 2))
            return NodeView(
                domain="cocktails",
                node=GIN,
                steps=(up,),
                items=nodes[:limit],
                total=len(nodes),
                verdicts=self.said,
            )
        if key == "spirit":
            down = NeighbourEdge(relation="IS_A", node=GIN, against=True)
            return NodeView(domain="cocktails", node=SPIRIT, steps=(down,))
        step = NeighbourEdge(relation="HAS_INGREDIENT", node=GIN, value="3 cl")
        number = int(key[-3:]) if key[-3:].isdigit() else 0
        node = _node(number)
        return NodeView(domain="cocktails", node=node, steps=(step,), verdicts=self.said)

    def shelf(self, domain: str, user: str) -> ShelfContents:
        self._note("shelf", user)
        return ShelfContents(user=user, components=self.things)

    def shelf_report(self, domain: str, user: str, k: int, request: RequestHandle) -> ShelfReport:
        self._note("shelf_report", user)
        unlock = Unlock(key="campari", name="campari", makes=3, brings_near=1, items=("Negroni",))
        return ShelfReport(
            have=(),
            makeable_count=len(self.makes),
            makeable=self.makes,
            one_away_count=len(self.lacks),
            one_away=self.lacks,
            unlocks=(unlock,) if self.things else (),
            with_substitutes_count=0,
            with_substitutes=(),
        )

    def components(self, domain: str, like: str, limit: int) -> tuple[str, ...]:
        self._note("components", like)
        return tuple(name for name in KNOWN if like in name)[:limit]

    def name_completion(self, domains: Sequence[str], user: str | None) -> NameCompletion:
        self._note("name_completion", (domains, user))
        return NameCompletion(["Negroni"])

    def stock(self, domain: str, user: str, typed: str) -> ShelfContents:
        self._note("stock", typed)
        names = [name.strip() for name in typed.split(",")]
        if unknown := set(names) - set(KNOWN):
            raise InputError(f"No ingredient here is called “{unknown.pop()}”.", "Nearest: gin.")
        return self.put_back(
            domain, user, tuple(ShelfComponent(KNOWN.index(name), name) for name in names)
        )

    def put_back(self, domain: str, user: str, things: tuple[ShelfComponent, ...]) -> ShelfContents:
        added = tuple(one for one in things if one not in self.things)
        self.things += added
        return ShelfContents(user=user, components=self.things, added=added)

    def take_off(self, domain: str, user: str, things: tuple[ShelfComponent, ...]) -> ShelfContents:
        self._note("take_off", things)
        self.things = tuple(one for one in self.things if one not in things)
        return ShelfContents(user=user, components=self.things)


def shelf_item(name: str, *missing: str) -> ShelfItem:
    """A drink of gin and lime juice."""
    return ShelfItem(
        key=name.casefold(),
        name=name,
        components=("gin", "lime juice"),
        missing=missing,
        substitutions=(),
        taken_as=(),
        evidence=(),
    )


def _node(number: int) -> GraphNode:
    row = item(number)
    return GraphNode(node_id=number, kind="cocktail", key=row.key, name=row.name)


def _fits(row: PageRow, view: CatalogueView) -> bool:
    told = " ".join([row.name, *row.attributes["ingredient"]]).casefold()
    if view.having is not None and "gin" not in row.attributes["ingredient"]:
        return False
    return all(word.casefold() in told for word in view.typed.split())
