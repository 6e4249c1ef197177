"""One item: its properties, the reasons for it, and the texts that a model read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Label, Static

from localrec.data.answers import Answer
from localrec.data.model_calls import ModelCall
from localrec.data.recommendations import MemorySummary
from localrec.data.rows import Event
from localrec_tui.answer_text import task_label, task_reason
from localrec_tui.base_app import AppScreen
from localrec_tui.item_text import evidence_graph
from localrec_tui.messages import FeedbackGiven, ItemLoaded, UndoRequested
from localrec_tui.widgets.item_facts import item_facts
from localrec_tui.widgets.key_footer import KeyFooter
from localrec_tui.widgets.picture_preview import PicturePreview
from localrec_tui.widgets.running_lines import RunningLines
from localrec_tui.widgets.shown_items import FEEDBACK_KEYS, ShownItem, card_text
from localrec_tui.workers import run_in_thread


class ItemScreen(AppScreen[None]):
    """One item, of an answer or of the catalogue.

    Args:
        shown: The item, and how it stands to the question; of rank 0 where nobody recommended it.
        domain: The item's domain.
        answer: The answer that holds the item; None for a list without a question.
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

    def __init__(self, shown: ShownItem, domain: str, answer: Answer | None) -> None:
        super().__init__()
        self._shown = shown
        self._domain = domain
        self._answer = answer
        self._is_recommended = shown.item.rank > 0

    def compose(self) -> ComposeResult:
        """Compose the known parts; the properties follow from the store."""
        yield RunningLines()
        with VerticalScroll():
            if self._is_recommended:
                yield Static(card_text(self._shown), markup=False)
                yield Label("Why: its way in the graph", classes="head")
                yield Static("\n".join(self._graph()), id="graph", markup=False)
            else:
                yield Label(self._shown.item.name, classes="title", markup=False)
            yield PicturePreview(id="picture")
            yield Label("What it is", classes="head")
            yield Static("…", id="properties", markup=False)
            if self._answer is not None:
                yield Label("How the answer came about", classes="head")
                yield Static(
                    "\n".join(_story(self._answer, self._domain)), id="story", markup=False
                )
                yield Label("What the model saw", classes="head")
                yield Static(_seen(self._answer.model_saw or ()), id="seen", markup=False)
        yield KeyFooter()

    def on_mount(self) -> None:
        """Fetch its properties."""
        self.query_one(VerticalScroll).focus()
        services, domain, key = self.app.services, self._domain, self._shown.item.key
        user = self.app.user
        run_in_thread(self, "item", lambda: ItemLoaded(services.item(domain, key, user)))

    def on_item_loaded(self, message: ItemLoaded) -> None:
        """Show its picture, its properties and its edges."""
        found = message.found
        self.query_one(PicturePreview).show(found.picture, thumbnail=found.thumbnail)
        self.query_one("#properties", Static).update(Content("\n").join(item_facts(found)))

    def show_status(self, status: str) -> None:
        """Show a sentence in place of the properties."""
        self.query_one("#properties", Static).update(status)

    def action_say(self, event: str, reason: bool = False) -> None:
        """Say something about the item."""
        self.post_message(
            FeedbackGiven(self._shown.item, self._domain, Event(event), reason=reason)
        )

    def action_take_back(self) -> None:
        """Take back the last feedback."""
        self.post_message(UndoRequested())

    def _graph(self) -> list[str]:
        item = self._shown.item
        return (
            evidence_graph(item.name, item.evidence, self._domain)
            if item.evidence
            else ["No edge speaks for it."]
        )


def _story(answer: Answer, domain: str) -> Iterator[str]:
    task = answer.task
    yield f"Read as {task_label(task, domain)}: {task_reason(task)}"
    for number, scores in enumerate(answer.reflection.scores, 1):
        chosen = " (chosen)" if number == answer.reflection.chosen else ""
        told = ", ".join(f"{name} {value:g}" for name, value in scores.items())
        yield f"Round {number}{chosen}: {told}"
    yield f"Who spoke: {', '.join(f'{stage}: {who}' for stage, who in answer.answered_by.items())}"
    times = ", ".join(f"{stage} {ms:.1f} ms" for stage, ms in answer.timings_ms.items())
    yield f"Times: {times}"
    if answer.tokens:
        yield f"Tokens: {', '.join(f'{stage} {n:,}' for stage, n in answer.tokens.items())}"
    if answer.memory is not None:
        yield from _memory(answer.memory)


def _memory(memory: MemorySummary) -> Iterator[str]:
    counted = ", ".join(f"{count:,} {kind}" for kind, count in memory.neighbours.items())
    yield f"Memory took part: {counted} nearest to your taste."
    for facet in memory.facets:
        numbers = ", ".join(map(str, facet.supporters))
        yield f"  {facet.text}: {facet.confidence:.2f}, neighbours {numbers}"


def _seen(calls: tuple[ModelCall, ...]) -> Content:
    """Show every text that a model read, and its reply."""
    if not calls:
        return Content("No model was asked.")
    lines: list[Content] = []
    for call in calls:
        lines.append(Content.assemble((f"{call.model} as {call.role}", "bold")))
        for turn in call.saw:
            lines.append(Content.assemble((f"  {turn.role}: ", "dim"), turn.text))
        lines.append(Content.assemble(("  reply: ", "dim"), _reply(call)))
    return Content("\n").join(lines)


def _reply(call: ModelCall) -> str:
    if call.choice is not None:
        return ", ".join(f"{label} {chance:.2f}" for label, chance in call.choice.items())
    return f"none: {call.failed}" if call.reply is None else call.reply
