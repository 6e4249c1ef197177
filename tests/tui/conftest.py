"""Coroutines as tests, and an app over a backend that answers from memory."""

from __future__ import annotations

import asyncio
import inspect
import shutil
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import pytest
from textual.pilot import Pilot

from localrec.cli.app import run
from localrec_tui.app import LocalrecApp
from localrec_tui.screens.first_run import FirstRunScreen
from localrec_tui.services.app_services import AppServices

from ..cli.conftest import DRINKS, by_spelling, drink, write_rows
from .fake_services import FakeServices

NARROW, WIDE = (80, 24), (140, 45)

Opened = Callable[..., AbstractAsyncContextManager[Pilot[None]]]


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run a test that is a coroutine in a loop of its own."""
    test = pyfuncitem.obj
    if not inspect.iscoroutinefunction(test):
        return None
    wanted = inspect.signature(test).parameters
    asyncio.run(test(**{name: pyfuncitem.funcargs[name] for name in wanted}))
    return True


@pytest.fixture
def services() -> Iterator[FakeServices]:
    """Knows three drinks; what it was asked is on record."""
    planted = FakeServices()
    yield planted
    planted.close()  # a test that failed may have left a question waiting


@pytest.fixture
def open_app(tmp_path: Path, services: FakeServices) -> Opened:
    """Opens the app in a room, settled: `async with open_app(WIDE, mode="runs") as pilot`."""

    @asynccontextmanager
    async def opened(
        size: tuple[int, int] = NARROW,
        over: object = services,
        folder: Path = tmp_path,
        *,
        mode: str = "ask",  # "" leaves the app where it begins
        user: str | None = None,
    ) -> AsyncIterator[Pilot[None]]:
        app = LocalrecApp(folder, over)  # type: ignore[arg-type]
        async with app.run_test(size=size, notifications=True) as pilot:
            await settled(pilot)
            if user is not None:
                app.user = user
            if mode and mode != app.current_mode and not first_run_shown(app):
                app.switch_mode(mode)
                await settled(pilot)
            yield pilot

    return opened


def first_run_shown(app: LocalrecApp) -> bool:
    """Whether the first run is in front, which is no place to leave."""
    return isinstance(app.screen, FirstRunScreen)


async def settled(pilot: Pilot[None]) -> None:
    """Wait until no thread works and every message has been read."""
    await pilot.app.workers.wait_for_complete()
    await pilot.pause()
    await pilot.app.workers.wait_for_complete()
    await pilot.pause()


async def press(pilot: Pilot[None], *keys: str) -> None:
    """Press keys one after the other, each with all that follows from it."""
    for key in keys:
        await pilot.press(key)
        await settled(pilot)


async def write(pilot: Pilot[None], text: str) -> None:
    """Type a text; nothing but the line that has the focus listens to it."""
    await pilot.press(*("space" if letter == " " else letter for letter in text))
    await settled(pilot)


def seen(pilot: Pilot[None]) -> str:
    """All letters on the screen, line by line."""
    lines = pilot.app.screen._compositor.render_strips()
    return "\n".join("".join(part.text for part in strip).rstrip() for strip in lines)


@pytest.fixture(scope="session")
def bar(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A real workspace of five drinks that needs no model; only to be copied."""
    home = tmp_path_factory.mktemp("bar")
    rows = [
        drink(name, glassType=glass, ingredients=str(parts), ingredientMeasures=str(["3 cl"] * 3))
        for name, glass, parts, _ in DRINKS
    ]
    folder = by_spelling(home / "workspace")
    table = write_rows(home / "table.csv", *rows)
    assert run(["--workspace", str(folder), "import", "cocktails", str(table)]) == 0
    return folder


@pytest.fixture
def local_services(own_bar: Path) -> Iterator[AppServices]:
    """The real services over these drinks; they close when the test ends."""
    opened = AppServices(own_bar, hold_s=0)
    yield opened
    opened.close()


@pytest.fixture
def own_bar(bar: Path, tmp_path: Path) -> Path:
    """The same drinks in a workspace that a test may change."""
    return Path(shutil.copytree(bar, tmp_path / "own"))
