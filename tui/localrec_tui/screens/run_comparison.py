"""Two runs side by side: each metric of both, how it differs, and whether that can be told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.message import Message
from textual.widgets import DataTable, Label, Static

from localrec_tui.base_app import AppScreen
from localrec_tui.screens.choice import ChoiceDialog, ChoiceItem
from localrec_tui.services.runs import MetricDifference, RunComparison, RunSummary
from localrec_tui.widgets.cells import Cell, fill_table
from localrec_tui.widgets.choice_field import ChoiceField
from localrec_tui.widgets.interval_bars import DifferenceBars, IntervalBars, format_interval
from localrec_tui.widgets.key_footer import KeyFooter
from localrec_tui.widgets.run_panes import VERDICT_SIGNS
from localrec_tui.widgets.running_lines import RunningLines
from localrec_tui.workers import run_in_thread

_DRAWN = 3  # metrics of which both bars are drawn


class RunComparisonScreen(AppScreen[None]):
    """Two systems over the cases of both.

    Args:
        ours: The run on the left.
        theirs: The run on the right; may be the same one.
    """

    HELP = (
        "Two systems over the cases that both were asked. The difference is ours minus theirs "
        "with its paired 95% interval; whether it is better or worse is decided by a "
        "randomisation test, corrected for the number of metrics. F2 and F3 choose the systems."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f2", "pick_ours", "Our system", show=False, id="our_system"),
        Binding("f3", "pick_theirs", "Their system", show=False, id="their_system"),
        Binding("escape,q,backspace", "back", "Back", id="back"),
    ]
    DEFAULT_CSS = """
    RunComparisonScreen VerticalScroll { height: 1fr; padding: 0 2; }
    RunComparisonScreen DataTable { height: auto; margin-top: 1; }
    """

    @dataclass
    class ComparisonFound(Message):
        """The comparison is ready."""

        compared: RunComparison

    def __init__(self, ours: RunSummary, theirs: RunSummary) -> None:
        super().__init__()
        self._runs = (ours, theirs)
        first = ours.systems[0]
        others = theirs.systems if ours.name != theirs.name else theirs.systems[1:]
        theirs_too = first if first in others else next(iter(others), first)
        self._systems = [first, theirs_too]

    def compose(self) -> ComposeResult:
        """The two systems, their bars, the differences, and all of it in numbers."""
        yield RunningLines()
        yield Label("Compare", classes="title")
        with Horizontal(id="top"):
            yield ChoiceField("Ours", "F2", id="ours")
            yield ChoiceField("Theirs", "F3", id="theirs")
        with VerticalScroll():
            yield Static("…", id="told", markup=False)
            yield IntervalBars(id="bars")
            yield Label("Ours minus theirs", classes="head")
            yield DifferenceBars(id="differences")
            yield DataTable[Cell](cursor_type="none", zebra_stripes=True)
        yield Static(id="status", markup=False)
        yield KeyFooter()

    def on_mount(self) -> None:
        """Compare."""
        heads = ("Metric", "Ours is", "Difference", "p", "Ours", "Theirs")
        self.query_one(DataTable).add_columns(*heads)
        self.query_one(VerticalScroll).focus()
        self._compare()

    def action_pick_ours(self) -> None:
        """Choose our system."""
        self._pick(0)

    def action_pick_theirs(self) -> None:
        """Choose theirs."""
        self._pick(1)

    def _pick(self, side: int) -> None:
        run = self._runs[side]
        choices = [ChoiceItem(one, one) for one in run.systems]
        screen = ChoiceDialog(f"Which system of {run.name}?", choices, self._systems[side])

        def picked(system: str | None) -> None:
            if system is not None:
                self._systems[side] = system
                self._compare()

        self.app.push_screen(screen, picked)

    def _compare(self) -> None:
        evaluations = self.app.services.runs
        ours, theirs = zip((one.name for one in self._runs), self._systems, strict=True)
        for side, (run, system) in zip(("ours", "theirs"), (ours, theirs), strict=True):
            self.query_one(f"#{side}", ChoiceField).show(f"{run}:{system}")
        self.show_status("Comparing, case by case …")
        run_in_thread(
            self, "comparison", lambda: self.ComparisonFound(evaluations.compare(ours, theirs)[0])
        )

    def on_run_comparison_screen_comparison_found(self, message: ComparisonFound) -> None:
        """Show it."""
        found = message.compared
        self.show_status("")
        head = f"{found.ours} against {found.theirs}, {found.cases:,} cases of both"
        self.query_one("#told", Static).update(head)
        bars = {}
        for one in found.metrics[:_DRAWN]:
            bars[f"{one.metric} ours"] = one.ours
            bars[f"{one.metric} theirs"] = one.theirs
        self.query_one(IntervalBars).show(bars)
        self.query_one(DifferenceBars).show({one.metric: one.difference for one in found.metrics})
        fill_table(self.query_one(DataTable), map(_row, found.metrics))


def _row(one: MetricDifference) -> tuple[str, ...]:
    return (
        one.metric,
        VERDICT_SIGNS.get(one.verdict, one.verdict),
        format_interval(one.difference, sign="+"),
        "-" if one.p is None else f"{one.p:.4f}",
        format_interval(one.ours),
        format_interval(one.theirs),
    )
