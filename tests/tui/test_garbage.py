"""What was closed leaves the memory: counts of screens, of widgets and of their drawn lines."""

import gc

import pytest
from textual._styles_cache import StylesCache
from textual.widget import Widget

from localrec_tui.garbage import _MANY_CLOSED, IdleCollector
from localrec_tui.screens.help import HelpScreen

from .conftest import press

TIMES = 25
AS_COMMANDS_HAVE_IT = (50_000, 20, 20)  # of `localrec.cli.app`: hardly ever


@pytest.fixture(autouse=True)
def as_a_command_begins():
    before = gc.get_threshold()
    gc.collect()
    gc.set_threshold(*AS_COMMANDS_HAVE_IT)
    yield
    gc.set_threshold(*before)


def alive(kind):
    return [one for one in gc.get_objects() if isinstance(one, kind)]


async def open_help_often(pilot):
    for _ in range(TIMES):
        await press(pilot, "f1", "escape")


class TestClosedScreens:
    async def test_leave_the_memory_in_a_pause(self, open_app):
        async with open_app() as pilot:
            await open_help_often(pilot)
            pilot.app.collector._touched -= 3_600
            pilot.app.collector.look()
            assert len(alive(HelpScreen)) < TIMES / 5

    async def test_take_their_drawn_lines_with_them(self, open_app):
        async with open_app() as pilot:
            await open_help_often(pilot)
            gc.collect()
            assert len(alive(StylesCache)) < len(alive(Widget)) + TIMES


class TestTheCollector:
    def test_lets_keys_go_first(self):
        collector = IdleCollector()
        collector.begin()
        try:
            kept: list[list[int]] = []
            while gc.get_count()[2] < 2:  # how soon depends on all that lived before
                kept.append([len(kept)])
            collector.touch()
            assert not collector.look()
            collector._touched -= 3_600
            assert collector.look()
            assert not collector.look(), "nothing was made since"
        finally:
            collector.end()

    def test_lets_many_closed_screens_go_without_a_pause(self):
        collector = IdleCollector()
        collector.begin()
        try:
            for _ in range(_MANY_CLOSED - 1):
                collector.note_closed()
            collector.touch()
            assert not collector.look()
            collector.note_closed()
            assert collector.look()
            assert not collector.look(), "nothing was closed since"
        finally:
            collector.end()

    def test_leaves_the_thresholds_as_it_found_them(self):
        collector = IdleCollector()
        collector.begin()
        assert gc.get_freeze_count()
        collector.end()
        assert gc.get_threshold() == AS_COMMANDS_HAVE_IT
        assert not gc.get_freeze_count()

    async def test_hears_of_keys(self, open_app):
        async with open_app() as pilot:
            pilot.app.collector._touched = 0.0
            await press(pilot, "down")
            assert pilot.app.collector._touched > 0.0

    async def test_hears_of_closed_screens(self, open_app, monkeypatch):
        closed = []
        monkeypatch.setattr(IdleCollector, "note_closed", lambda _: closed.append(1))
        async with open_app() as pilot:
            await open_help_often(pilot)
            assert len(closed) == TIMES
