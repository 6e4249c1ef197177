"""One case of an evaluation: the request, and the answer of a system."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Label, Static

from localrec_tui.base_app import AppScreen
from localrec_tui.services.run_cases import CaseParts
from localrec_tui.widgets.badges import in_line, verdict_badge
from localrec_tui.widgets.key_footer import KeyFooter
from localrec_tui.widgets.running_lines import RunningLines


class CaseScreen(AppScreen[None]):
    """All that a run keeps of one case.

    Args:
        whose: RUN:SYSTEM.
        case: The case.
    """

    HELP = "One case: what was asked, what came of it, the list, and what was thought on the way."
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,backspace", "back", "Back", id="back"),
    ]
    DEFAULT_CSS = """
    CaseScreen VerticalScroll { padding: 0 2; }
    CaseScreen .head { text-style: bold; margin-top: 1; border-bottom: solid $border; width: 100%; }
    """

    def __init__(self, whose: str, case: CaseParts) -> None:
        super().__init__()
        self._whose = whose
        self._case = case

    def compose(self) -> ComposeResult:
        """Its parts, one below the other."""
        yield RunningLines()
        yield Label(f"Case {self._case.id} of {self._whose}", classes="title", markup=False)
        with VerticalScroll():
            for title, lines in self._case.parts:
                yield Label(title, classes="head", markup=False)
                yield Static(Content("\n").join(map(self._line, lines)), markup=False)
        yield KeyFooter()

    def _line(self, line: str) -> Content:
        """A line with what the user said of the item that it lists."""
        return in_line([Content(line), *verdict_badge(self._case.verdicts.get(line))])

    def on_mount(self) -> None:
        """Let keys scroll."""
        self.query_one(VerticalScroll).focus()
