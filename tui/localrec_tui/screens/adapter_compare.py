"""An adapter and its bare base, asked the same question, side by side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, Label, Static

from localrec.foundation.progress import Progress
from localrec_tui.base_app import AppScreen
from localrec_tui.plots import bar
from localrec_tui.services.records import RequestHandle
from localrec_tui.services.trainings import AdapterAnswers, SideAnswer
from localrec_tui.widgets.chart_colours import coloured_chart
from localrec_tui.widgets.key_footer import KeyFooter
from localrec_tui.widgets.running_lines import RunningLines
from localrec_tui.widgets.task_panel import TaskPanel
from localrec_tui.widgets.text_line import TextLine

_HINTS = {
    "router": "Each gives four words a share: what the question is about.",
    "slots": "Each writes what the question demands, line by line.",
    "reflector": "Each says which items meet more of the question: the first, or the next.",
    "agent": "Each orders the items that answer the question; that takes a while.",
}
_NO_HINT = "Each is asked as it would be when it serves."
_BAR = 12  # cells


class AdapterCompareScreen(AppScreen[None]):
    """Asks an adapter and its base.

    Args:
        name: The training that the adapter came from.
        role: That it was trained for.
    """

    HELP = (
        "A question to the base alone and to the base with the adapter, in the words in which the "
        "role asks when it serves. A process of its own asks both, so the first answer takes some "
        "seconds; an adapter that was not exported is exported first. Whether one is better than "
        "the other a single question does not tell: `localrec models try` asks many, and counts."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "stop_or_back", "Stop, or back", id="stop_or_back"),
    ]
    DEFAULT_CSS = """
    AdapterCompareScreen Input { margin: 0 1; }
    AdapterCompareScreen #hint { margin: 0 2; color: $text-muted; }
    AdapterCompareScreen Horizontal { height: 1fr; margin: 1 1 0 1; }
    AdapterCompareScreen VerticalScroll { width: 1fr; border: round $border; padding: 0 1; }
    """

    @dataclass
    class BothAnswered(Message):
        """Both have spoken."""

        both: AdapterAnswers

    def __init__(self, name: str, role: str) -> None:
        super().__init__()
        self._run_name = name
        self._role = role

    def compose(self) -> ComposeResult:
        """The question, and a column for each side."""
        yield RunningLines()
        yield Label(f"Try {self._run_name}, a {self._role}", classes="title", markup=False)
        yield TextLine(placeholder="What would you like?", max_length=2_000)
        yield Static(_HINTS.get(self._role, _NO_HINT), id="hint", markup=False)
        with Horizontal():
            for side, title in (("bare", "The base alone"), ("adapted", "With the adapter")):
                with VerticalScroll(id=f"{side}-side") as column:
                    column.border_title = title
                    yield Static(id=side, markup=False)
        yield TaskPanel()
        yield KeyFooter()

    def on_mount(self) -> None:
        """Begin to type."""
        self.query_one(Input).focus()

    def action_stop_or_back(self) -> None:
        """Stop what is asked; where nothing is, back to the trainings."""
        if not self.query_one(TaskPanel).stop():
            self.dismiss(None)

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        question = event.value.strip()
        if not question:
            return
        training, name = self.app.services.trainings, self._run_name

        def work(request: RequestHandle, on_progress: Progress) -> Message:
            return self.BothAnswered(training.ask(name, question, request, on_progress))

        self.query_one(TaskPanel).begin(f"Asking {name}", work, training.stop, "Stopped.")

    def on_adapter_compare_screen_both_answered(self, message: BothAnswered) -> None:
        """Show both."""
        both = message.both
        self.query_one("#bare", Static).update(_answer_text(both.bare))
        self.query_one("#adapted", Static).update(_answer_text(both.adapted))
        self.query_one(TaskPanel).show_status(f"“{both.question}”")


def _answer_text(answer: SideAnswer) -> Content:
    width = max(map(len, answer.figures), default=0)
    figures = (
        f"{name:<{width}} ▕{bar(value, _BAR, 1.0)}▏ {value:.3f}"
        for name, value in answer.figures.items()
    )
    lines = (*figures, *answer.lines, *filter(None, [answer.fault]))
    return coloured_chart("\n".join([f"{answer.name}, {answer.ms:,.0f} ms", "", *lines]))
