"""What stands beside the list of trainings: curves and settings of one, and its last steps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Static

from localrec_tui.services.training_reader import TrainingReader
from localrec_tui.services.trainings import (
    LoggedStep,
    TrainingPart,
    TrainingService,
    TrainingUpdate,
)
from localrec_tui.widgets.cells import fitted
from localrec_tui.widgets.detail_pane import DetailPane, pane_head, pane_lines
from localrec_tui.widgets.training_curves import (
    Curves,
    format_metric,
    leading_metrics,
    logged_metric,
    metric_names,
)
from localrec_tui.widgets.training_text import training_parts_text, training_state, training_way_on

_LOGGED = 200  # steps
_CELL = 10  # characters of a figure of the log


class TrainingReading(NamedTuple):
    """A training as it is now: its steps, and what was asked for."""

    update: TrainingUpdate
    parts: tuple[TrainingPart, ...]


class TrainingPane(DetailPane[TrainingReading]):
    """A training: how far it is, its curves, what was asked for and what it learns from."""

    DEFAULT_CSS = """
    TrainingPane Curves { height: 18; margin: 1 0; }
    TrainingPane Curve { height: 1fr; }
    """

    def compose(self) -> ComposeResult:
        """Two texts with the curves between them."""
        yield from super().compose()
        yield Curves()
        yield Static(classes="about", markup=False)

    def on_mount(self) -> None:
        """Nothing is chosen yet."""
        self.query_one(Curves).display = False

    def tell(self, told: Content | str) -> None:
        """Show a text alone."""
        super().tell(told)
        self.query_one(Curves).display = False
        self.query_one(".about", Static).update("")

    def draw(self, found: TrainingReading) -> None:
        """Show the training."""
        update, steps = found.update, found.update.steps
        self.tell(f"{training_state(update, steps)}\n{training_way_on(update)}")
        curves = self.query_one(Curves)
        curves.display = True
        curves.show(steps, leading_metrics(update.found.kind, metric_names(steps)))
        self.query_one(".about", Static).update(training_parts_text(found.parts))


def read_training(reader: TrainingReader, service: TrainingService, name: str) -> TrainingReading:
    """Read what stands beside the list about a training."""
    return TrainingReading(reader.read(service, name), service.about(name))


def training_log(reader: TrainingReader, service: TrainingService, name: str) -> Content:
    """Read the last steps of a training, the newest first."""
    update = reader.read(service, name)
    return pane_lines(_log(update.found.kind, update.steps))


def _log(kind: str, steps: Sequence[LoggedStep]) -> Iterator[Content | str]:
    if not steps:
        yield "No step was done yet."
        return
    names = leading_metrics(kind, metric_names(steps))
    for number, name in enumerate(names, 1):
        yield Content.styled(f"{number}  {logged_metric(name).title}", "dim")
    yield ""
    heads = "".join(f"{number:>{_CELL}}" for number, _ in enumerate(names, 1))
    yield pane_head(f"{'Step':>6}{heads}")
    for step in reversed(steps[-_LOGGED:]):
        yield f"{step.step:>6,}" + "".join(f"{_figure(step, name):>{_CELL}}" for name in names)


def _figure(step: LoggedStep, name: str) -> str:
    value = step.values.get(name)
    return "" if value is None else fitted(format_metric(value, logged_metric(name).unit), _CELL)
