"""A walk through the graph: from a node over its edges to the next, and back again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.widgets import Label, OptionList, Static
from textual.widgets.option_list import Option

from localrec.graph.domain_files import load_domain
from localrec.graph.edge_phrases import edge_phrase
from localrec_tui.base_app import AppScreen
from localrec_tui.messages import WorkFailed
from localrec_tui.services.catalogue import CatalogueView, NodeView
from localrec_tui.widgets.badges import in_line, verdict_badge
from localrec_tui.widgets.key_footer import KeyFooter
from localrec_tui.widgets.running_lines import RunningLines
from localrec_tui.workers import run_in_thread

if TYPE_CHECKING:
    from localrec.graph.neighbours import GraphNode, NeighbourEdge

_ITEMS = 200  # that a node lists; the others are for Browse


@dataclass
class NodeLoaded(Message):
    """A node, and the ways from there."""

    node_view: NodeView


class GraphBrowserScreen(AppScreen[tuple[int, str]]):
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
    GraphBrowserScreen #trail { padding: 0 1; height: auto; max-height: 3; }
    GraphBrowserScreen OptionList { height: 1fr; }
    """

    def __init__(self, view: CatalogueView, key: str) -> None:
        super().__init__()
        self._view = view
        self._item_kind = load_domain(view.domain).item
        self._path: list[tuple[str, str]] = [(self._item_kind, key)]
        self._names: dict[tuple[str, str], str] = {}
        self._stop: NodeView | None = None

    def compose(self) -> ComposeResult:
        """The way, the edges."""
        yield RunningLines()
        yield Label("", id="trail", markup=False)
        yield OptionList(id="ways")
        yield Static(id="status", markup=False)
        yield KeyFooter()

    def on_mount(self) -> None:
        """Stand where the walk begins."""
        self.query_one(OptionList).focus()
        self._open_current()

    def action_back(self) -> None:
        """Back to the node before; from the first one out."""
        if len(self._path) > 1:
            self._path.pop()
            self._open_current()
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
            self._path.append((node.kind, node.key))
            self._open_current()

    def on_node_loaded(self, message: NodeLoaded) -> None:
        """Show the node, unless the person went on meanwhile."""
        stop = message.node_view
        here = (stop.node.kind, stop.node.key)
        if here != self._path[-1]:
            return
        self._stop, self._names[here] = stop, stop.node.name
        self.query_one("#trail", Label).update(self._path_text())
        ways = self.query_one(OptionList)
        ways.clear_options()
        ways.add_options([Option(one) for one in _edge_lines(stop)])
        ways.highlighted = 0 if ways.option_count else None
        self.show_status(self._count(stop))

    async def show_failure(self, failure: WorkFailed) -> None:
        """Show why the node cannot be opened; the node before stays."""
        if len(self._path) > 1:
            self._path.pop()
        await super().show_failure(failure)

    def _open_current(self) -> None:
        browse, view, (kind, key) = self.app.services.catalogue, self._view, self._path[-1]
        run_in_thread(
            self, "walking", lambda: NodeLoaded(browse.open_node(view, kind, key, _ITEMS))
        )

    def _path_text(self) -> Content:
        *before, here = (self._names[one] for one in self._path)
        way = "".join(f"{name} › " for name in before)
        told = Content.assemble((way, "dim"), (here, "bold"))
        return told if self._stop is None else _with_verdict(told, self._stop, self._stop.node)

    def _count(self, stop: NodeView) -> str:
        if stop.node.kind == self._item_kind:
            return "" if stop.steps else "No edge leads on from here. Backspace goes back."
        domain = load_domain(stop.domain)
        if not stop.total:
            return f"No {domain.singular} has {stop.node.name} itself; its kinds lead on."
        word = domain.singular if stop.total == 1 else domain.plural
        shown = f", of which {len(stop.items):,} are shown" if stop.total > len(stop.items) else ""
        return f"{stop.total:,} {word} with {stop.node.name}{shown}. B lists them in Browse."


def _reachable(stop: NodeView) -> list[GraphNode]:
    """Where the ways from a node lead, in the order in which they are told."""
    return [*(step.node for step in stop.steps), *stop.items]


def _edge_lines(stop: NodeView) -> list[Content]:
    relation = "has it" if stop.items else ""
    items = [
        _with_verdict(Content.assemble((f"◀─ {relation}  ", "$text-quiet"), one.name), stop, one)
        for one in stop.items
    ]
    return [*(_with_verdict(_step(one, stop.domain), stop, one.node) for one in stop.steps), *items]


def _with_verdict(line: Content, stop: NodeView, node: GraphNode) -> Content:
    """A line with what the user said of its node, where that is an item."""
    is_item = node.kind == load_domain(stop.domain).item
    return in_line([line, *verdict_badge(stop.verdicts.get(node.key) if is_item else None)])


def _step(step: NeighbourEdge, domain: str) -> Content:
    phrase = edge_phrase(step.relation, domain)
    arrow = f"◀─ {phrase} ─" if step.against else f"─ {phrase} ─▶"
    value = f"  {step.value}" if step.value else ""
    return Content.assemble((f"{arrow} ", "$text-quiet"), f"{step.node.name}{value}")
