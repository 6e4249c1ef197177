"""A walk through the graph: from a node over its edges to the next, and back again."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.widgets import Footer, Label, OptionList, Static
from textual.widgets.option_list import Option

from localrec.domains import load_domain
from localrec_tui.backend.browsing import Stop, View
from localrec_tui.messages import Failed
from localrec_tui.shell import Room
from localrec_tui.workers import work_for

if TYPE_CHECKING:
    from localrec.graph.steps import Node, Step

_ITEMS = 200  # that a node lists; the others are for Browse


class GotStop(Message):
    """A node, and the ways from there."""

    def __init__(self, stop: Stop) -> None:
        super().__init__()
        self.stop_found = stop


class WalkScreen(Room[tuple[int, str]]):
    """Walks the graph; gives node id and name of an attribute whose items are to be listed.

    Args:
        view: Whose domain, and as whom.
        key: The item where the walk begins.
    """

    HELP = (
        "Where you are stands on top, with the way you came. Below it are the edges of that node: "
        "Enter goes along one, Backspace goes back. An attribute also lists the items that have "
        "it; B lists all of them in Browse. Esc ends the walk."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("backspace,left", "back", "Back", id="walk_back"),
        Binding("b", "browse", "List in Browse", id="walk_browse"),
        Binding("escape,q", "leave", "End the walk", id="walk_leave"),
    ]
    DEFAULT_CSS = """
    WalkScreen #trail { padding: 0 1; height: auto; max-height: 3; }
    WalkScreen OptionList { height: 1fr; }
    WalkScreen #status { height: auto; margin: 0 2; color: $text-muted; }
    """

    def __init__(self, view: View, key: str) -> None:
        super().__init__()
        self._view = view
        self._item_kind = load_domain(view.domain).item
        self._trail: list[tuple[str, str]] = [(self._item_kind, key)]
        self._names: dict[tuple[str, str], str] = {}
        self._stop: Stop | None = None

    def compose(self) -> ComposeResult:
        """The way, the edges."""
        yield Label("", id="trail", markup=False)
        yield OptionList(id="ways")
        yield Static(id="status", markup=False)
        yield Footer()

    def on_mount(self) -> None:
        """Stand where the walk begins."""
        self.query_one(OptionList).focus()
        self._stand()

    def action_back(self) -> None:
        """Back to the node before; from the first one out."""
        if len(self._trail) > 1:
            self._trail.pop()
            self._stand()
        else:
            self.dismiss(None)

    def action_browse(self) -> None:
        """List all items that have this attribute."""
        stop = self._stop
        if stop is None or stop.node.kind == self._item_kind:
            self.notify("Go to an attribute first: it has items to list.")
        else:
            self.dismiss((stop.node.node_id, stop.node.name))

    def action_leave(self) -> None:
        """End the walk."""
        self.dismiss(None)

    @on(OptionList.OptionSelected)
    def _go(self, event: OptionList.OptionSelected) -> None:
        if self._stop is not None:
            node = _reachable(self._stop)[event.option_index]
            self._trail.append((node.kind, node.key))
            self._stand()

    def on_got_stop(self, message: GotStop) -> None:
        """Show the node, unless the person went on meanwhile."""
        stop = message.stop_found
        here = (stop.node.kind, stop.node.key)
        if here != self._trail[-1]:
            return
        self._stop, self._names[here] = stop, stop.node.name
        self.query_one("#trail", Label).update(self._way())
        ways = self.query_one(OptionList)
        ways.clear_options()
        ways.add_options([Option(one) for one in _told(stop)])
        ways.highlighted = 0 if ways.option_count else None
        self._tell(self._count(stop))

    def on_failed(self, message: Failed) -> None:
        """Say why one cannot stand there; the node before stays."""
        message.stop()
        if len(self._trail) > 1:
            self._trail.pop()
        self._tell(f"{message.error} {message.remedy}".strip())

    def _stand(self) -> None:
        browse, view, (kind, key) = self.app.backend.browse, self._view, self._trail[-1]
        work_for(self, "walking", lambda: GotStop(browse.stand_on(view, kind, key, _ITEMS)))

    def _way(self) -> Content:
        *before, here = (self._names[one] for one in self._trail)
        way = "".join(f"{name} › " for name in before)
        return Content.assemble((way, "$text-muted"), (here, "bold"))

    def _count(self, stop: Stop) -> str:
        if stop.node.kind == self._item_kind:
            return "" if stop.steps else "No edge leads on from here. Backspace goes back."
        domain = load_domain(stop.domain)
        if not stop.total:
            return f"No {domain.singular} has {stop.node.name} itself; its kinds lead on."
        word = domain.singular if stop.total == 1 else domain.plural
        shown = f", of which {len(stop.items):,} are shown" if stop.total > len(stop.items) else ""
        return f"{stop.total:,} {word} with {stop.node.name}{shown}. B lists them in Browse."

    def _tell(self, status: str) -> None:
        self.query_one("#status", Static).update(status)


def _reachable(stop: Stop) -> list[Node]:
    """Where the ways from a node lead, in the order in which they are told."""
    return [*(step.node for step in stop.steps), *stop.items]


def _told(stop: Stop) -> list[Content]:
    relation = "has it" if stop.items else ""
    items = [Content.assemble((f"◀─ {relation}  ", "$text-muted"), one.name) for one in stop.items]
    return [*map(_step, stop.steps), *items]


def _step(step: Step) -> Content:
    arrow = f"◀─ {step.relation} ─" if step.against else f"─ {step.relation} ─▶"
    value = f"  {step.value}" if step.value else ""
    return Content.assemble((f"{arrow} ", "$text-muted"), f"{step.node.name}{value}")
