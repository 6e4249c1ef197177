"""One run: its figures as bars with intervals, all of them as a table, and its cases."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.message import Message
from textual.widgets import DataTable, Label, Static, TabbedContent, TabPane, Tabs

from localrec_tui.base_app import AppScreen
from localrec_tui.screens.case import CaseScreen
from localrec_tui.screens.choice import ChoiceDialog, ChoiceItem
from localrec_tui.services.run_cases import CaseParts, CaseSummary, rank_text, worst_first
from localrec_tui.services.runs import RunFigures, SystemSummary
from localrec_tui.widgets.cells import Cell, fill_table
from localrec_tui.widgets.choice_field import ChoiceField
from localrec_tui.widgets.interval_bars import IntervalBars, format_interval
from localrec_tui.widgets.key_footer import KeyFooter
from localrec_tui.widgets.run_panes import protocol_lines
from localrec_tui.widgets.running_lines import RunningLines
from localrec_tui.workers import run_in_thread

_FIGURES, _TABLE, _CASES, _ABOUT = "page-figures", "page-table", "page-cases", "page-about"
_SHOWN = 2_000  # cases in the table


class RunScreen(AppScreen[None]):
    """A run with its figures and cases.

    Args:
        name: The run's name in the workspace.
    """

    HELP = (
        "The figures of one run. M chooses the metric that is drawn: the bar ends at the figure, "
        "├──●──┤ is its 95% interval over people (or questions). What speaks against a figure "
        "stands below it.\n\n"
        "Cases: S chooses whose, O shows the worst first, Enter opens one, with what was to be "
        "found, the list, and what an agent did."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("m", "pick_metric", "Metric", id="metric"),
        Binding("s", "pick_system", "System", id="system_of_cases"),
        Binding("o", "sort", "Worst first", id="sort_cases"),
        Binding("escape,q,backspace", "back", "Back", id="back"),
    ]
    DEFAULT_CSS = """
    RunScreen TabbedContent { height: 1fr; }
    RunScreen TabPane { padding: 0 1; }
    RunScreen VerticalScroll { height: 1fr; }
    RunScreen IntervalBars { margin: 1 0; }
    RunScreen DataTable { height: 1fr; }
    RunScreen #status { height: 1; margin: 0 2; color: $text-muted; }
    """

    @dataclass
    class RunRead(Message):
        """The run was read."""

        run: RunFigures

    @dataclass
    class CasesRead(Message):
        """The cases of a system were read."""

        system: str
        cases: tuple[CaseSummary, ...]

    @dataclass
    class CaseRead(Message):
        """One case was read."""

        case: CaseParts

    def __init__(self, name: str) -> None:
        super().__init__()
        self._run_name = name
        self._run: RunFigures | None = None
        self._metric = ""
        self._system = ""
        self._cases: tuple[CaseSummary, ...] = ()
        self._worst_first = False

    def compose(self) -> ComposeResult:
        """The name, and a page for each view."""
        yield RunningLines()
        yield Label(f"Run {self._run_name}", classes="title", markup=False)
        with Horizontal(id="top"):
            yield ChoiceField("Metric", "M", id="metric")
            yield ChoiceField("Cases of", "S", id="system")
        with TabbedContent(initial=_FIGURES):
            with TabPane("Figures", id=_FIGURES), VerticalScroll():
                yield Static("…", id="title", markup=False)
                yield IntervalBars(id="bars")
                yield Static(id="doubts", markup=False)
            with TabPane("All figures", id=_TABLE):
                yield DataTable[Cell](id="all", cursor_type="row", zebra_stripes=True)
            with TabPane("Cases", id=_CASES):
                yield DataTable[Cell](id="cases", cursor_type="row", zebra_stripes=True)
            with TabPane("About", id=_ABOUT), VerticalScroll():
                yield Static(id="about", markup=False)
        yield Static(id="status", markup=False)
        yield KeyFooter()

    def on_mount(self) -> None:
        """Read it."""
        heads = ("Case", "Who or what", "Rank", "ms", "Remarks")
        self.query_one("#cases", DataTable).add_columns(*heads)
        self.query_one(Tabs).focus()
        evaluations, name = self.app.services.runs, self._run_name
        run_in_thread(self, "run", lambda: self.RunRead(evaluations.run(name)))

    # --- keys ---

    def action_pick_metric(self) -> None:
        """Choose the metric."""
        if self._run is not None and self._run.metrics:
            less = "less is better"
            choices = [
                ChoiceItem(one, one, less if one in self._run.falling else "")
                for one in self._run.metrics
            ]
            screen = ChoiceDialog("Which metric?", choices, self._metric)
            self.app.push_screen(screen, self._metric_picked)

    def action_pick_system(self) -> None:
        """Choose whose cases are listed."""
        if self._run is not None and self._run.systems:
            choices = [
                ChoiceItem(one.name, one.name, f"{one.cases:,}") for one in self._run.systems
            ]
            screen = ChoiceDialog("Whose cases?", choices, self._system)
            self.app.push_screen(screen, self._system_picked)

    def action_sort(self) -> None:
        """The worst cases first, or as they were asked."""
        self._worst_first = not self._worst_first
        self._show_cases()

    def _metric_picked(self, metric: str | None) -> None:
        if metric is not None:
            self._metric = metric
            self._show_figures()

    def _system_picked(self, system: str | None) -> None:
        if system is not None:
            self.query_one(TabbedContent).active = _CASES
            self.query_one("#cases", DataTable).focus()
            self._read_cases(system)

    # --- reading ---

    def on_run_screen_run_read(self, message: RunRead) -> None:
        """Show the run."""
        self._run = message.run
        self._metric = next(iter(message.run.metrics), "")
        self._show_figures()
        self._show_table()
        self.query_one("#about", Static).update("\n\n".join(protocol_lines(message.run)))

    @on(TabbedContent.TabActivated)
    def _page_opened(self) -> None:
        is_cases = self.query_one(TabbedContent).active == _CASES
        if is_cases and not self._system and self._run is not None and self._run.systems:
            self._read_cases(self._run.systems[0].name)

    def _read_cases(self, system: str) -> None:
        self._system = system
        self.query_one("#system", ChoiceField).show(system)
        evaluations, name = self.app.services.runs, self._run_name
        run_in_thread(
            self, "cases", lambda: self.CasesRead(system, evaluations.cases(name, system))
        )

    def on_run_screen_cases_read(self, message: CasesRead) -> None:
        """Show them."""
        if message.system == self._system:
            self._cases = message.cases
            self._show_cases()

    @on(DataTable.RowSelected, "#cases")
    def _case_opened(self, event: DataTable.RowSelected) -> None:
        case = self._listed()[event.cursor_row].id
        evaluations, user = self.app.services.runs, self.app.user
        name, system = self._run_name, self._system
        run_in_thread(
            self, "case", lambda: self.CaseRead(evaluations.case(name, system, case, user))
        )

    def on_run_screen_case_read(self, message: CaseRead) -> None:
        """Show it."""
        self.app.push_screen(CaseScreen(f"{self._run_name}:{self._system}", message.case))

    # --- drawing ---

    def _show_figures(self) -> None:
        run = self._run
        if run is None:
            return
        self.query_one("#metric", ChoiceField).show(self._metric or "-")
        less = ", less is better" if self._metric in run.falling else ""
        title = f"{self._metric}{less}" if self._metric else "Nothing was measured yet."
        self.query_one("#title", Static).update(f"{run.found.title}\n{title}")
        drawn = {
            one.name: one.figures[self._metric]
            for one in run.systems
            if self._metric in one.figures
        }
        self.query_one(IntervalBars).show(drawn)
        doubts = (f"! {one.name}: {doubt}" for one in run.systems for doubt in one.doubts)
        self.query_one("#doubts", Static).update("\n".join(doubts))

    def _show_table(self) -> None:
        run = self._run
        if run is None:
            return
        table = self.query_one("#all", DataTable)
        table.clear(columns=True)
        table.add_columns("Metric", *(one.name for one in run.systems))
        rows = [("cases", *(f"{one.cases:,}" for one in run.systems))]
        rows += [(metric, *(_cell(one, metric) for one in run.systems)) for metric in run.metrics]
        fill_table(table, rows)

    def _show_cases(self) -> None:
        listed = self._listed()
        fill_table(self.query_one("#cases", DataTable), map(_row, listed))
        more = f" of {len(self._cases):,}" if len(self._cases) > len(listed) else ""
        order = "the worst first" if self._worst_first else "as they were asked"
        said = f"{len(listed):,}{more} cases of {self._system}, {order}. Enter opens one."
        self.show_status(said if listed else "There are no cases.")

    def _listed(self) -> list[CaseSummary]:
        cases = worst_first(self._cases) if self._worst_first else list(self._cases)
        return cases[:_SHOWN]


def _cell(system: SystemSummary, metric: str) -> str:
    return format_interval(system.figures[metric]) if metric in system.figures else ""


def _row(case: CaseSummary) -> tuple[str, ...]:
    return (case.id, case.about, rank_text(case), f"{case.ms:,.1f}", case.remark)
