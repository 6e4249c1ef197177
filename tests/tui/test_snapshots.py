"""What every room looks like at three sizes, and one in five themes, beside what was committed.

After a change that is meant, write them anew: run this file with LOCALREC_UPDATE_SNAPSHOTS=1.
"""

import difflib
import os
import re
from collections.abc import Awaitable, Callable
from importlib.metadata import version
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from localrec.data.rows import Event
from localrec_tui.app import LocalrecApp
from localrec_tui.widgets.prompt import Prompt

from .conftest import press, settled
from .fake_people import line
from .fake_runs import FakeRunService, plant_run
from .fake_trainings import FakeTrainingService, plant_three

HOME = Path(__file__).parent / "snapshots"
DRAWN_BY = HOME / "textual-version"
UPDATES = "LOCALREC_UPDATE_SNAPSHOTS" in os.environ
SIZES = ((80, 24), (120, 40), (200, 50))
THEMES = ("textual-light", "nord", "gruvbox", "dracula", "solarized-light")
# Textual numbers the parts of a drawing at random; how long something took is never the same.
_ID = re.compile(r"terminal-\d+")
_TIME = re.compile(r"\b\d+\.\d+(&#160;| )s\b")
_FONTS = re.compile(r"\s*@font-face \{.*?\}", re.DOTALL)


async def ask(pilot: Pilot[None]) -> None:
    """An answer, with its first item chosen."""
    pilot.app.screen.query_one(Prompt).value = "a gin drink"
    await press(pilot, "enter", "down")


async def browse(pilot: Pilot[None]) -> None:
    """The catalogue, its third item chosen."""
    pilot.app.switch_mode("browse")
    await settled(pilot)
    await press(pilot, "down", "down", "down")


async def home(pilot: Pilot[None]) -> None:
    """The first room, with a list for anna."""
    pilot.app.user = "anna"  # type: ignore[attr-defined]
    pilot.app.switch_mode("home")
    await settled(pilot)
    await press(pilot, "down", "down")


async def history(pilot: Pilot[None]) -> None:
    """What anna said here and elsewhere."""
    app = pilot.app
    assert isinstance(app, LocalrecApp)
    app.services.feedback.said = (  # type: ignore[attr-defined]
        line("negroni", Event.RATED, source="letterboxd", stars=4.0),
        line("gimlet", Event.DISLIKED, note="too sour"),
    )
    app.user = "anna"
    app.switch_mode("history")
    await settled(pilot)


async def data(pilot: Pilot[None]) -> None:
    """What came in and what can be pulled."""
    pilot.app.switch_mode("data")
    await settled(pilot)


async def shelf(pilot: Pilot[None]) -> None:
    """What anna has at hand, and what that makes."""
    pilot.app.user = "anna"  # type: ignore[attr-defined]
    pilot.app.switch_mode("browse")
    await settled(pilot)
    await press(pilot, "f4", *"gin", "enter")


async def models(pilot: Pilot[None]) -> None:
    """The models as they are."""
    pilot.app.switch_mode("models")
    await settled(pilot)


async def memory(pilot: Pilot[None]) -> None:
    """What is remembered of anna."""
    pilot.app.user = "anna"  # type: ignore[attr-defined]
    pilot.app.switch_mode("memory")
    await settled(pilot)


async def runs(pilot: Pilot[None]) -> None:
    """Three runs, one of them cut short."""
    await _plant_runs(pilot)


async def run(pilot: Pilot[None]) -> None:
    """The figures of a run."""
    await _plant_runs(pilot)
    await press(pilot, "enter")


async def comparison(pilot: Pilot[None]) -> None:
    """Two runs side by side."""
    await _plant_runs(pilot)
    await press(pilot, "c", "down", "enter")
    await settled(pilot)  # the screen is there: now what it compares, and how wide its table is


async def training(pilot: Pilot[None]) -> None:
    """Three trainings, one of them stopped and one damaged."""
    app = pilot.app
    assert isinstance(app, LocalrecApp)
    plant_three(app.folder)
    app.services.trainings = FakeTrainingService(app.folder)  # type: ignore[misc]
    app.switch_mode("training")
    await settled(pilot)


async def curves(pilot: Pilot[None]) -> None:
    """The curves of one that was stopped."""
    await training(pilot)
    await press(pilot, "enter")
    await settled(pilot)  # the screen is there: now its steps


async def plan(pilot: Pilot[None]) -> None:
    """What another one would take."""
    await training(pilot)
    await press(pilot, "n", "enter", "enter")
    await settled(pilot)


async def tried(pilot: Pilot[None]) -> None:
    """An adapter beside its base."""
    await training(pilot)
    await press(pilot, "down", "t")
    pilot.app.screen.query_one(Input).value = "like a negroni but lighter"
    await press(pilot, "enter")


async def _plant_runs(pilot: Pilot[None]) -> None:
    app = pilot.app
    assert isinstance(app, LocalrecApp)
    plant_run(app.folder / "runs", "first")
    plant_run(app.folder / "runs", "second", lead=2)
    plant_run(app.folder / "runs", "torn", complete=False)
    app.services.runs = FakeRunService(app.folder)  # type: ignore[misc]
    app.switch_mode("runs")
    await settled(pilot)


SCENES: dict[str, Callable[[Pilot[None]], Awaitable[None]]] = {
    "home": home,
    "ask": ask,
    "history": history,
    "data": data,
    "shelf": shelf,
    "browse": browse,
    "models": models,
    "memory": memory,
    "runs": runs,
    "run": run,
    "comparison": comparison,
    "training": training,
    "curves": curves,
    "plan": plan,
    "tried": tried,
}


_PATIENCE = 40  # looks until a drawing is as it was, or is taken for another


def drawing_of(pilot: Pilot[None], scene: str) -> str:
    """What is on the screen now."""
    return normalised(pilot.app.export_screenshot(title=f"localrec {scene}"))


def normalised(drawing: str) -> str:
    """A drawing without what differs from run to run."""
    return _FONTS.sub("", _TIME.sub(r"0.00\1s", _ID.sub("terminal", drawing)))


@pytest.mark.skipif(
    not UPDATES and DRAWN_BY.read_text(encoding="utf-8").strip() != version("textual"),
    reason="the committed drawings are of another version of Textual, which draws otherwise",
)
@pytest.mark.parametrize(
    ("scene", "size", "theme"),
    [
        *((scene, size, "textual-dark") for scene in SCENES for size in SIZES),
        *(("ask", (120, 40), theme) for theme in THEMES),
    ],
    ids=lambda one: "x".join(map(str, one)) if isinstance(one, tuple) else one,
)
async def test_a_room_looks_as_it_did(open_app, monkeypatch, scene, size, theme):
    monkeypatch.setenv("TEXTUAL_THEME", theme)
    committed = HOME / f"{scene}-{size[0]}x{size[1]}-{theme}.svg"
    before = "" if UPDATES else committed.read_text(encoding="utf-8")
    async with open_app(size) as pilot:
        pilot.app.theme = theme
        await SCENES[scene](pilot)
        pilot.app.clear_notifications()
        for _ in range(3):  # what stands beside a list follows a moment later, in two steps
            await pilot.pause(0.1)
            await settled(pilot)
        # A table works out its widths when nothing else is to be done.
        drawn = drawing_of(pilot, scene)
        for _ in range(_PATIENCE):
            if drawn == before:
                break
            await pilot.pause(0.05)
            drawn = drawing_of(pilot, scene)
    if UPDATES:
        HOME.mkdir(exist_ok=True)
        committed.write_text(drawn, encoding="utf-8")
        DRAWN_BY.write_text(version("textual") + "\n", encoding="utf-8")
        return
    changes = difflib.unified_diff(before.splitlines(), drawn.splitlines(), "before", "now", n=0)
    assert drawn == before, "\n".join(changes)
