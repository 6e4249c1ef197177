"""What stands beside the list of runs: a run's figures and set-up, and what others came to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Static

from localrec.foundation.prose import count_of
from localrec_tui.services.run_cases import CaseSummary, rank_text, worst_first
from localrec_tui.services.runs import MetricDifference, RunComparison, RunFigures, RunService
from localrec_tui.widgets.chart_colours import coloured_chart
from localrec_tui.widgets.detail_pane import DetailPane, pane_head, pane_lines
from localrec_tui.widgets.interval_bars import format_interval, interval_bar_lines

_DRAWN = 4  # metrics, each of another kind
_WORST = 30  # cases
_COMPARED = 8  # metrics
VERDICT_SIGNS = {"better": "▲ better", "worse": "▼ worse", "not separable": "= not separable"}


class RunChart(Static):
    """The metrics that tell most of all systems of a run, as bars with their intervals."""

    DEFAULT_CSS = "RunChart { margin: 1 0; }"

    def __init__(self) -> None:
        super().__init__(markup=False)
        self._run: RunFigures | None = None

    def show(self, run: RunFigures | None) -> None:
        """Show a run; None: nothing."""
        self._run = run
        self.display = run is not None
        self._draw()

    def on_resize(self) -> None:
        """Draw the bars in the new width."""
        self._draw()

    def _draw(self) -> None:
        if self._run is not None:
            self.update(Content("\n").join(_chart(self._run, self.size.width)))


class RunPane(DetailPane[RunFigures]):
    """A run: what it is, its figures, what speaks against them, how it was made."""

    def compose(self) -> ComposeResult:
        """Two texts with the chart between them."""
        yield from super().compose()
        yield RunChart()
        yield Static(classes="made", markup=False)

    def tell(self, told: Content | str) -> None:
        """Show a text alone."""
        super().tell(told)
        self.query_one(RunChart).show(None)
        self.query_one(".made", Static).update("")

    def draw(self, found: RunFigures) -> None:
        """Show the run."""
        self.tell(_title(found))
        self.query_one(RunChart).show(found)
        self.query_one(".made", Static).update(pane_lines(_made(found)))


def run_beside(service: RunService, run: str, system: str) -> Content:
    """Read what stands beside a run: the best of the same cases, or its own worst cases."""
    compared = service.rival(run)
    if compared is not None:
        return pane_lines(_comparison(compared))
    return pane_lines(_cases(system, service.cases(run, system)))


def protocol_lines(run: RunFigures) -> list[str]:
    """How a run was made, in paragraphs: the protocol, the command, the settings."""
    settings = (
        f"{one.name}: {one.settings or 'its defaults'}; "
        f"{one.seconds[0]:.1f} s to fit, {one.seconds[1]:.1f} s for all answers"
        for one in run.systems
    )
    return [*run.protocol, "\n".join(settings)]


def _title(run: RunFigures) -> Content:
    cases = max((one.cases for one in run.systems), default=0)
    told = f"{run.found.state}, {count_of(len(run.systems), 'system')}, {cases:,} cases each"
    return Content.assemble((run.found.title, "bold"), (f"\n{told}", "dim"))


def _chart(run: RunFigures, width: int) -> Iterator[Content]:
    if not run.metrics:
        yield Content("Nothing was measured yet.")
    for place, metric in enumerate(_leading(run.metrics)):
        less = ", less is better" if metric in run.falling else ""
        rows = {one.name: one.figures[metric] for one in run.systems if metric in one.figures}
        yield pane_head(f"\n{metric}{less}" if place else f"{metric}{less}")
        yield coloured_chart("\n".join(interval_bar_lines(rows, width)))


def _leading(metrics: Sequence[str]) -> list[str]:
    """The metrics that tell most, one of each kind: of NDCG@10 and NDCG@5 the first."""
    kinds: dict[str, str] = {}
    for metric in metrics:
        kinds.setdefault(metric.partition("@")[0], metric)
    return list(kinds.values())[:_DRAWN]


def _made(run: RunFigures) -> Iterator[Content | str]:
    doubts = [f"! {one.name}: {doubt}" for one in run.systems for doubt in one.doubts]
    if doubts:
        yield from (*doubts, "")
    yield pane_head("How it was made")
    yield "\n\n".join(protocol_lines(run))


def _comparison(found: RunComparison) -> Iterator[Content | str]:
    yield f"{found.ours} beside {found.theirs}, the best other of the same {found.cases:,} cases."
    for one in found.metrics[:_COMPARED]:
        yield ""
        yield from _difference(one)
    yield Content.styled("\nC compares all metrics, and other systems.", "dim")


def _difference(one: MetricDifference) -> Iterator[Content | str]:
    yield Content.assemble(
        pane_head(one.metric), f"  {VERDICT_SIGNS.get(one.verdict, one.verdict)}"
    )
    yield f"  ours    {format_interval(one.ours)}"
    yield f"  theirs  {format_interval(one.theirs)}"
    yield f"  differ {format_interval(one.difference, sign='+')}"


def _cases(system: str, cases: Sequence[CaseSummary]) -> Iterator[Content | str]:
    yield "No other run has the same cases yet."
    yield ""
    yield pane_head(f"The worst cases of {system}")
    for case in worst_first(cases)[:_WORST]:
        rank = f"rank {rank_text(case)}" if case.rank else rank_text(case)
        told = ", ".join(filter(None, (rank, case.remark)))
        yield Content.assemble((f"{case.id}  ", "dim"), case.about, (f"  {told}", "dim"))
