"""A catalogue of five hundred numbered drinks, and one shelf, that need no store."""

from __future__ import annotations

import threading

from localrec.errors import InputError, LocalrecError, ModelCancelledError
from localrec.graph.pages import PageRow, Place
from localrec.graph.steps import Node, Step
from localrec_tui.backend.base import Request
from localrec_tui.backend.browsing import Layout, Page, ShelfFound, Stop, Thing, Turn, View

COUNT = 500
GIN = Node(node_id=9001, kind="ingredient", key="gin", name="gin")
SPIRIT = Node(node_id=9002, kind="ingredient", key="spirit", name="spirit")
KNOWN = ("gin", "ginger ale", "lime juice", "vodka")


def item(number: int) -> PageRow:
    """Even ones have gin."""
    name = f"Drink {number:03}"
    parts = ("gin", "lime juice") if number % 2 == 0 else ("vodka",)
    return PageRow(
        key=f"drink-{number:03}",
        name=name,
        place=Place(name, number),
        attributes={"ingredient": parts, "glass": ("coupe glass",)},
    )


class PlantedCatalogue:
    """Pages, steps and a shelf from memory.

    Attributes:
        trouble: What the next call raises.
        goes_on: Cleared, a page waits until it is set.
        told: What it was asked, in order.
        things: What is on the shelf.
        means: What every search by meaning finds.
        kinds: The columns of domains other than the drinks'.
    """

    def __init__(self) -> None:
        self.trouble: LocalrecError | None = None
        self.goes_on = threading.Event()
        self.goes_on.set()
        self.told: list[tuple[str, object]] = []
        self.things: tuple[Thing, ...] = ()
        self.means = (item(7),)
        self.kinds: dict[str, tuple[str, ...]] = {}

    def layout(self, domain: str) -> Layout:
        kinds = self.kinds.get(domain, ("ingredient", "glass"))
        return Layout(kinds=kinds, orders=("name", "imported", "strength"))

    def page(self, view: View, turn: Turn, limit: int) -> Page:
        self._note("page", (view, turn))
        self.goes_on.wait(10)
        rows = [item(number) for number in range(COUNT) if _fits(item(number), view)]
        if view.descending:
            rows.reverse()
        ids = [row.place.node_id for row in rows]
        total = len(rows) if turn == Turn() else None
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
        return Page(rows=tuple(chosen), total=total)

    def prepare(self, view: View) -> None:
        self._note("prepare", view)

    def alike(self, view: View, limit: int, request: Request) -> tuple[PageRow, ...]:
        self._note("alike", view)
        if request.stopped.is_set():
            raise ModelCancelledError("Stopped.")
        return self.means[:limit]

    def stand_on(self, view: View, kind: str, key: str, limit: int) -> Stop:
        self._note("stand_on", (kind, key))
        if key == "gin":
            up = Step(relation="IS_A", node=SPIRIT)
            nodes = tuple(_node(number) for number in range(0, COUNT, 2))
            return Stop(
                domain="cocktails", node=GIN, steps=(up,), items=nodes[:limit], total=len(nodes)
            )
        if key == "spirit":
            down = Step(relation="IS_A", node=GIN, against=True)
            return Stop(domain="cocktails", node=SPIRIT, steps=(down,))
        step = Step(relation="HAS_INGREDIENT", node=GIN, value="3 cl")
        return Stop(domain="cocktails", node=_node(int(key[-3:])), steps=(step,))

    def shelf(self, domain: str, user: str) -> ShelfFound:
        self._note("shelf", user)
        return ShelfFound(user=user, things=self.things)

    def components(self, domain: str, like: str, limit: int) -> tuple[str, ...]:
        self._note("components", like)
        return tuple(name for name in KNOWN if like in name)[:limit]

    def stock(self, domain: str, user: str, typed: str) -> ShelfFound:
        self._note("stock", typed)
        names = [name.strip() for name in typed.split(",")]
        if unknown := set(names) - set(KNOWN):
            raise InputError(f"No ingredient here is called “{unknown.pop()}”.", "Nearest: gin.")
        return self.put_back(domain, user, tuple(Thing(KNOWN.index(name), name) for name in names))

    def put_back(self, domain: str, user: str, things: tuple[Thing, ...]) -> ShelfFound:
        added = tuple(one for one in things if one not in self.things)
        self.things += added
        return ShelfFound(user=user, things=self.things, added=added)

    def take_off(self, domain: str, user: str, things: tuple[Thing, ...]) -> ShelfFound:
        self._note("take_off", things)
        self.things = tuple(one for one in self.things if one not in things)
        return ShelfFound(user=user, things=self.things)

    def _note(self, call: str, given: object) -> None:
        self.told.append((call, given))
        trouble, self.trouble = self.trouble, None
        if trouble is not None:
            raise trouble


def _node(number: int) -> Node:
    row = item(number)
    return Node(node_id=number, kind="cocktail", key=row.key, name=row.name)


def _fits(row: PageRow, view: View) -> bool:
    told = " ".join([row.name, *row.attributes["ingredient"]]).casefold()
    if view.having is not None and "gin" not in row.attributes["ingredient"]:
        return False
    return all(word.casefold() in told for word in view.typed.split())
