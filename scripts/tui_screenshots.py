"""Draw the rooms of the app for docs/tui.md, as SVG, from the real app.

Run:
    python scripts/tui_screenshots.py [--out docs/figures] [--only ask browse] [--training FOLDER]

Each room in two widths.

A workspace is made for it: the bundled drinks with MiniLM's vectors, a person who said what they
think of five of them, the memories that followed, and a run over the dev half of the gold
questions by the two systems that need no model. Nothing is planted but what the person says. What
the Training room shows takes minutes to make, so it is the training whose folder is named; that of
the docs is `localrec train adapter router --train 320 --validation 64 --name router-first`.
"""

from __future__ import annotations

import argparse
import asyncio
import re
import shutil
import sys
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path

from textual.pilot import Pilot

from localrec.cli.app import run
from localrec.data.rows import Event
from localrec.training.jobs.training_runs import runs_folder
from localrec_tui.app import LocalrecApp
from localrec_tui.services.app_services import AppServices
from localrec_tui.services.records import NewFeedback, RequestHandle

ROOT = Path(__file__).resolve().parents[1]
SIZES = ((80, 24), (140, 40))
THEME = "textual-dark"
WHO = "anna"
DOMAIN = "cocktails"
SAID = {
    "Negroni": Event.LIKED,
    "Boulevardier": Event.LIKED,
    "Americano": Event.LIKED,
    "Piña Colada": Event.DISLIKED,
    "Gimlet": Event.SEEN,
}
SHELF = "gin, campari, sweet vermouth, lemon juice, simple syrup"
QUESTION = "something bitter with gin, no cream"
RUN = """
name = "questions-by-rules"
title = "Gold questions without a model: MARC beside vector-only RAG"
k = 3
seed = 7
[questions]
gold = "cocktails"
half = "dev"
[[systems]]
name = "marc"
settings = { no_model = true }
[[systems]]
name = "vector-rag"
settings = { no_model = true }
"""
# Textual names a host for its font, and numbers the parts of a drawing at random.
_FONTS = re.compile(r"\s*@font-face \{.*?\}", re.DOTALL)
_ID = re.compile(r"terminal-\d+")

Scene = Callable[[Pilot[None]], Awaitable[None]]


def main() -> int:
    """Make the workspace, draw, say what was drawn."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "figures")
    parser.add_argument("--only", nargs="+", choices=SCENES, default=list(SCENES))
    parser.add_argument(
        "--training", type=Path, metavar="FOLDER", help="one of runs/training, for that room"
    )
    asked = parser.parse_args()
    if asked.training is None:
        asked.only = [name for name in asked.only if name != "training"]
    asked.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as home:
        folder = Path(home) / "workspace"
        furnish(folder, Path(home) / "run.toml")
        if asked.training is not None:
            shutil.copytree(asked.training, runs_folder(folder) / asked.training.name)
        for name in asked.only:
            for size in SIZES:
                drawn = asyncio.run(draw(folder, name, size))
                path = asked.out / f"tui-{name}-{size[0]}.svg"
                path.write_text(drawn, encoding="utf-8")
                print(f"{path.name}: {len(drawn.encode()) / 1024:.0f} KiB")
    return 0


def furnish(folder: Path, config: Path) -> None:
    """Drinks, what a person said of some, the memories of it, and a run."""
    services = AppServices(folder)
    services.load_bundled_data(lambda *_: None)
    for name, event in SAID.items():
        services.give_feedback(NewFeedback(user=WHO, domain=DOMAIN, item=name, event=event))
    services.memory.work(RequestHandle(), lambda *_: None)
    services.close()
    config.write_text(RUN, encoding="utf-8")
    if run(["--workspace", str(folder), "evaluate", "run", str(config)]):
        raise SystemExit("The run for the pictures failed.")


async def draw(folder: Path, name: str, size: tuple[int, int]) -> str:
    """One scene as SVG, without what is another at each drawing or lies on another machine."""
    app = LocalrecApp(folder)
    async with app.run_test(size=size, notifications=True) as pilot:
        app.theme = THEME
        app.user = WHO
        await settle(pilot)
        await SCENES[name](pilot)
        app.clear_notifications()
        await pilot.pause(0.3)
        await settle(pilot)
        drawn = app.export_screenshot(title="localrec")
    return _FONTS.sub("", _ID.sub(f"tui-{name}-{size[0]}", drawn))


async def settle(pilot: Pilot[None]) -> None:
    """Wait until no thread works and every message has been read, two times over."""
    for _ in range(2):
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()


async def press(pilot: Pilot[None], *keys: str) -> None:
    """Press keys, each with all that follows from it."""
    for key in keys:
        await pilot.press(key)
        await settle(pilot)


def letters(text: str) -> list[str]:
    """The keys that type a text."""
    names = {" ": "space", ",": "comma"}
    return [names.get(letter, letter) for letter in text]


async def go_to(pilot: Pilot[None], room: str) -> None:
    """Open a room."""
    pilot.app.switch_mode(room)
    await settle(pilot)
    await pilot.pause(0.2)  # what stands beside a list follows a moment later
    await settle(pilot)


async def home(pilot: Pilot[None]) -> None:
    """The first room, its list chosen."""
    await press(pilot, "down", "down")


async def history(pilot: Pilot[None]) -> None:
    """What the person said."""
    await go_to(pilot, "history")


async def data(pilot: Pilot[None]) -> None:
    """What came in and what can be pulled."""
    await go_to(pilot, "data")


async def shelf(pilot: Pilot[None]) -> None:
    """What the person has at hand, and what that makes."""
    await go_to(pilot, "browse")
    await press(pilot, "f4", *letters(SHELF), "enter")


async def ask(pilot: Pilot[None]) -> None:
    """An answer, with its first item chosen."""
    await go_to(pilot, "ask")
    await press(pilot, *letters(QUESTION), "enter")
    await press(pilot, "down")


async def item(pilot: Pilot[None]) -> None:
    """All about the first item of it."""
    await ask(pilot)
    await press(pilot, "enter")


async def browse(pilot: Pilot[None]) -> None:
    """What has two words in its name or attributes."""
    await go_to(pilot, "browse")
    await press(pilot, "slash", *"gin", "space", *"lime")
    await pilot.pause(1.5)  # what means the same follows after a pause of the typist
    await settle(pilot)
    await press(pilot, "down")


async def walk(pilot: Pilot[None]) -> None:
    """The graph around an item."""
    await go_to(pilot, "browse")
    await press(pilot, "down", "down", "g")


async def memory(pilot: Pilot[None]) -> None:
    """What is remembered of the person."""
    await go_to(pilot, "memory")


async def runs(pilot: Pilot[None]) -> None:
    """The evaluations, the first one's figures beside the list."""
    await go_to(pilot, "runs")


async def run_of(pilot: Pilot[None]) -> None:
    """The figures of the run."""
    await go_to(pilot, "runs")
    await press(pilot, "enter")


async def models(pilot: Pilot[None]) -> None:
    """Which models are here."""
    await go_to(pilot, "models")


async def training(pilot: Pilot[None]) -> None:
    """The curves of the training that was named."""
    await go_to(pilot, "training")
    await press(pilot, "enter")


SCENES: dict[str, Scene] = {
    "home": home,
    "ask": ask,
    "history": history,
    "data": data,
    "shelf": shelf,
    "item": item,
    "browse": browse,
    "walk": walk,
    "memory": memory,
    "runs": runs,
    "run": run_of,
    "models": models,
    "training": training,
}


if __name__ == "__main__":
    sys.exit(main())
