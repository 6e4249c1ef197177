"""All about one item: what it is, why it was recommended, and what a model saw of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Footer, Label, Static

from localrec.types import Answer, Event, MemoryView, ModelCall
from localrec_tui.backend.base import ItemFound
from localrec_tui.drawing import graph_of
from localrec_tui.messages import Failed, GotItem, Say, TakeBack
from localrec_tui.shell import Room
from localrec_tui.widgets.picture import Picture
from localrec_tui.widgets.results import FEEDBACK_KEYS, Shown, told_in_full
from localrec_tui.workers import work_for


class ItemScreen(Room[None]):
    """One item, of an answer or of the catalogue.

    Args:
        shown: The item, and how it stands to the question; of rank 0 where nobody recommended it.
        domain: What it belongs to.
        answer: What it is an item of; None for a list that nobody asked a question for.
    """

    HELP = (
        "All that is stored about one item, the way in the graph that led to it, and, where a "
        "local model took part in the answer, every word that it read."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        *FEEDBACK_KEYS,
        Binding("escape,q,backspace", "back", "Back", id="back"),
    ]
    DEFAULT_CSS = """
    ItemScreen VerticalScroll { padding: 0 2; }
    ItemScreen .head { text-style: bold; margin-top: 1; border-bottom: solid $border; width: 100%; }
    """

    def __init__(self, shown: Shown, domain: str, answer: Answer | None) -> None:
        super().__init__()
        self._shown = shown
        self._domain = domain
        self._answer = answer
        self._is_recommended = shown.item.rank > 0

    def compose(self) -> ComposeResult:
        """What is known of it already; its properties follow from the store."""
        with VerticalScroll():
            if self._is_recommended:
                yield Static(told_in_full(self._shown), markup=False)
                yield Label("Why: its way in the graph", classes="head")
                yield Static("\n".join(self._graph()), id="graph", markup=False)
            else:
                yield Label(self._shown.item.name, classes="title", markup=False)
            yield Picture(id="picture")
            yield Label("What it is", classes="head")
            yield Static("…", id="properties", markup=False)
            if self._answer is not None:
                yield Label("How the answer came about", classes="head")
                yield Static("\n".join(_story(self._answer)), id="story", markup=False)
                yield Label("What the model saw", classes="head")
                yield Static(_seen(self._answer.model_saw or ()), id="seen", markup=False)
        yield Footer()

    def on_mount(self) -> None:
        """Fetch its properties."""
        self.query_one(VerticalScroll).focus()
        backend, domain, key = self.app.backend, self._domain, self._shown.item.key
        person = self.app.person
        work_for(self, "item", lambda: GotItem(backend.item(domain, key, person)))

    def on_got_item(self, message: GotItem) -> None:
        """Show its picture, its properties and its edges."""
        self.query_one(Picture).show(message.found.picture)
        self.query_one("#properties", Static).update(Content("\n").join(_facts(message.found)))

    def on_failed(self, message: Failed) -> None:
        """Say why there are none."""
        message.stop()
        told = f"{message.error} {message.remedy}".strip()
        self.query_one("#properties", Static).update(told)

    def action_back(self) -> None:
        """Back to the answer."""
        self.dismiss(None)

    def action_say(self, event: str, reason: bool = False) -> None:
        """Say something about the item."""
        self.post_message(Say(self._shown.item, self._domain, Event(event), reason=reason))

    def action_take_back(self) -> None:
        """Take back what was said last."""
        self.post_message(TakeBack())

    def _graph(self) -> list[str]:
        item = self._shown.item
        return graph_of(item.name, item.evidence) if item.evidence else ["No edge speaks for it."]


def _facts(found: ItemFound) -> Iterator[Content]:
    """A line for each property that says something, and for each edge."""
    for name, value in found.properties.items():
        if value not in (None, ""):
            yield Content.assemble((f"{name.replace('_', ' ')}: ", "bold"), str(value))
    for link in found.links:
        value = f"  {link.value}" if link.value else ""
        yield Content.assemble((f"{link.relation} ", "$text-muted"), f"{link.target}{value}")


def _story(answer: Answer) -> Iterator[str]:
    task = answer.task
    yield f"Task {task.kind.value} ({task.confidence:.2f}): {task.reason}"
    for number, scores in enumerate(answer.reflection.scores, 1):
        chosen = " (chosen)" if number == answer.reflection.chosen else ""
        told = ", ".join(f"{name} {value:g}" for name, value in scores.items())
        yield f"Round {number}{chosen}: {told}"
    yield f"Who spoke: {', '.join(f'{stage}: {who}' for stage, who in answer.spoke.items())}"
    times = ", ".join(f"{stage} {ms:.1f} ms" for stage, ms in answer.timings_ms.items())
    yield f"Times: {times}"
    if answer.tokens:
        yield f"Tokens: {', '.join(f'{stage} {n:,}' for stage, n in answer.tokens.items())}"
    if answer.memory is not None:
        yield from _memory(answer.memory)


def _memory(memory: MemoryView) -> Iterator[str]:
    counted = ", ".join(f"{count:,} {kind}" for kind, count in memory.neighbours.items())
    yield f"Memory took part: {counted} nearest to your taste."
    for facet in memory.facets:
        numbers = ", ".join(map(str, facet.supporters))
        yield f"  {facet.text}: {facet.confidence:.2f}, neighbours {numbers}"


def _seen(calls: tuple[ModelCall, ...]) -> Content:
    """Every word that a model read, and what it replied."""
    if not calls:
        return Content("No model was asked.")
    lines: list[Content] = []
    for call in calls:
        lines.append(Content.assemble((f"{call.model} as {call.role}", "bold")))
        for turn in call.saw:
            lines.append(Content.assemble((f"  {turn.role}: ", "$text-muted"), turn.text))
        lines.append(Content.assemble(("  reply: ", "$text-muted"), _reply(call)))
    return Content("\n").join(lines)


def _reply(call: ModelCall) -> str:
    if call.choice is not None:
        return ", ".join(f"{label} {chance:.2f}" for label, chance in call.choice.items())
    return f"none: {call.failed}" if call.reply is None else call.reply
