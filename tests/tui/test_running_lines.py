"""What runs is seen on every screen, also on those that have no bar of rooms."""

import pytest

from localrec_tui.screens.adapter_compare import AdapterCompareScreen
from localrec_tui.screens.graph_browser import GraphBrowserScreen
from localrec_tui.screens.item import ItemScreen
from localrec_tui.screens.log import LogScreen
from localrec_tui.screens.run import RunScreen
from localrec_tui.screens.shelf import ShelfScreen
from localrec_tui.screens.training_run import TrainingRunScreen
from localrec_tui.services.catalogue import CatalogueView
from localrec_tui.widgets.running_lines import RunningLine
from localrec_tui.widgets.shown_items import ShownItem

from .conftest import press, seen, settled
from .fake_services import GIMLET
from .test_learning import a_fit

TOLD = "⟳ router-1: training 3 of 300"
SCREENS = {
    "an item": lambda: ItemScreen(ShownItem(item=GIMLET), "cocktails", None),
    "the shelf": lambda: ShelfScreen("cocktails", "anna"),
    "a walk": lambda: GraphBrowserScreen(CatalogueView(domain="cocktails", user=None), "gimlet"),
    "a run": lambda: RunScreen("drinks"),
    "a training": lambda: TrainingRunScreen("router-1"),
    "a comparison of an adapter": lambda: AdapterCompareScreen("router-1", "router"),
    "the log": LogScreen,
}


@pytest.mark.parametrize("screen", SCREENS)
async def test_a_task_is_seen_wherever_one_is(open_app, screen):
    async with open_app() as pilot:
        pilot.app.push_screen(SCREENS[screen]())
        await settled(pilot)
        assert "⟳" not in seen(pilot)
        pilot.app.tell_task("router-1", "training 3 of 300")
        await settled(pilot)
        assert TOLD in seen(pilot).splitlines()[0]
        pilot.app.tell_task("router-1", None)
        await settled(pilot)
        assert "⟳" not in seen(pilot)


async def test_a_task_that_runs_already_is_seen_when_a_screen_opens(open_app):
    async with open_app() as pilot:
        pilot.app.tell_task("router-1", "training 3 of 300")
        pilot.app.push_screen(SCREENS["an item"]())
        await settled(pilot)
        assert TOLD in seen(pilot)


async def test_learning_is_seen_there_too(open_app, services):
    services.learning.fits = (a_fit(),)
    async with open_app() as pilot:
        pilot.app.look_at_learning()
        pilot.app.push_screen(SCREENS["the shelf"]())
        await settled(pilot)
        assert "Learning a better list" in seen(pilot)


async def test_a_closed_screen_leaves_nothing_that_watches_the_app(open_app):
    async with open_app() as pilot:
        for _ in range(3):
            pilot.app.push_screen(SCREENS["an item"]())
            await settled(pilot)
            await press(pilot, "escape")
        watched = getattr(pilot.app, "__watchers")
        watchers = [*watched["running_tasks"], *watched["running_fits"]]
        lines = [node for node, _ in watchers if isinstance(node, RunningLine)]
        shown = {
            line
            for stack in pilot.app._screen_stacks.values()
            for screen in stack
            for line in screen.query(RunningLine)
        }
        assert set(lines) == shown
