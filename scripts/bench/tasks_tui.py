"""Do ten tasks of a new user in the app, count the keys, and look where each key is told.

Run:
    python scripts/studies/run.py tasks_tui [--report]

The real app over a workspace that begins empty. Before a key is pressed, the screen must show the
words that tell it (the line of rooms, the frame of a line, a dialog, the foot); a paste counts as
one, letters of names and questions are counted apart. A task is done when the screen says so. What
would take minutes, the training itself, is the tests' stand-in: its keys are the app's own.
"""

from __future__ import annotations

import argparse
import asyncio
import csv
import os
import re
import sys
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path

import msgspec
from findings import ROOT, Findings, origin_of, say
from PIL import Image
from textual import events
from textual.pilot import Pilot

from localrec.evaluation.provenance import Origin
from localrec.evaluation.reporting.markdown import markdown_table
from localrec_tui.app import LocalrecApp

sys.path.insert(0, str(ROOT))
from tests.tui.fake_runs import plant_run
from tests.tui.fake_trainings import FakeTrainingService, plant_three

SIZE = (120, 40)
PATIENCE_S = 300.0  # for one thing to be drawn, on a machine that is busy with others
WHO = "anna"
FILMS = {"Fargo": 1996, "Blade Runner": 1982, "Chinatown": 1974}


class Task(msgspec.Struct, frozen=True, kw_only=True):
    """One task: its keys in their order, and how many letters were typed or pasted besides."""

    name: str
    keys: tuple[str, ...]
    letters: int


class Measured(msgspec.Struct, frozen=True, kw_only=True):
    """All tasks of one run."""

    origin: Origin
    tasks: tuple[Task, ...]


class UntoldKeyError(Exception):
    """A key was to be pressed that the screen does not tell, or what it does was not seen."""


class NewUser:
    """Presses only what the screen tells.

    Args:
        pilot: Drives the app.
        files: A folder with a library and a picture.
    """

    def __init__(self, pilot: Pilot[None], files: Path) -> None:
        self.pilot = pilot
        self.files = files
        self._keys: list[str] = []
        self._letters = 0

    async def press(self, key: str, told: str, then: str) -> None:
        """Press a key that the screen tells.

        Args:
            key: Textual's name of it.
            told: A pattern that the screen must show before.
            then: A pattern that it shows behind.
        """
        await self.see(told)
        await self.pilot.press(key)
        self._keys.append(key)
        await self.see(then)

    async def write(self, text: str, told: str) -> None:
        """Type a text into a line that the screen explains."""
        await self.see(told)
        await self.pilot.press(*("space" if one == " " else one for one in text))
        self._letters += len(text)

    async def paste(self, text: str, told: str) -> None:
        """Paste a text, which is one key to the user."""
        await self.see(told)
        self.pilot.app.post_message(events.Paste(text))
        self._keys.append("paste")
        await self.see(re.escape(Path(text).name))

    async def see(self, wanted: str) -> None:
        """Wait until the screen shows a pattern.

        Raises:
            UntoldKeyError: it does not.
        """
        waited = 0.0
        while not re.search(wanted, shown := screen_of(self.pilot)):
            await self.pilot.pause(0.1)
            waited += 0.1
            if waited > PATIENCE_S:
                raise UntoldKeyError(f"Not on the screen: {wanted}\n{shown}")

    def finish(self, name: str) -> Task:
        """What the task took; the next one begins."""
        done = Task(name=name, keys=tuple(self._keys), letters=self._letters)
        self._keys, self._letters = [], 0
        say(f"{name}: {len(done.keys)} keys ({' '.join(done.keys)}), {done.letters} letters")
        return done


def screen_of(pilot: Pilot[None]) -> str:
    """All letters on the screen, line by line."""
    lines = pilot.app.screen._compositor.render_strips()
    return "\n".join("".join(part.text for part in strip).rstrip() for strip in lines)


def measure(_: argparse.Namespace) -> Findings:
    """Do all tasks; one that the screen does not tell ends the run."""
    with tempfile.TemporaryDirectory() as home:
        # A new user has no settings of their own, and exports into their own home.
        # The models stay where they are.
        os.environ["XDG_CACHE_HOME"] = os.environ.get("XDG_CACHE_HOME", str(Path.home() / ".cache"))
        os.environ["HOME"] = str(Path(home) / "home")
        Path(os.environ["HOME"]).mkdir()
        measured = Measured(origin=origin_of("tasks_tui"), tasks=asyncio.run(do_all(Path(home))))
    return Findings(text=as_markdown(measured), page="speed", block="tasks-tui", figures=measured)


async def do_all(home: Path) -> tuple[Task, ...]:
    """Open the app over an empty workspace and do one task after the other."""
    folder = home / "workspace"
    write_files(home)
    done = []
    app = LocalrecApp(folder)
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        user = NewUser(pilot, home)
        for name, task in TASKS.items():
            if name == "compare two runs":
                plant_run(folder / "runs", "first")
                plant_run(folder / "runs", "second", lead=2)
            elif name == "train and keep an adapter":
                plant_three(folder)
                app.services.trainings = FakeTrainingService(folder)  # type: ignore[misc]
            await task(user)
            done.append(user.finish(name))
    return tuple(done)


def write_files(home: Path) -> None:
    """Ratings as Letterboxd exports them, and a picture of a red drink."""
    with (home / "ratings.csv").open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file)
        table.writerow(["Date", "Name", "Year", "Letterboxd URI", "Rating"])
        for number, (name, year) in enumerate(FILMS.items()):
            uri = f"https://boxd.it/{number}"
            table.writerow([f"2026-01-0{number + 1}", name, year, uri, number + 2])
    Image.new("RGB", (320, 320), (180, 30, 40)).save(home / "drink.png")


# --- the tasks ---


async def first_answer(user: NewUser) -> None:
    """From an empty workspace to an answer."""
    await user.press("enter", "Press Enter to begin", "a smoky drink without whiskey")
    await user.press("enter", "Enter asks", r"\d in the answer")


async def find_why(user: NewUser) -> None:
    """Why the first item of the answer stands there."""
    await user.press("down", "↓ leads to the answer", "l Like")
    await user.press("enter", "Enter: all about it", "Why: its way in the graph")


async def correct_taste(user: NewUser) -> None:
    """Like an item, then say the opposite of it."""
    await user.press("l", "l Like", "Who are you")
    await user.write(WHO, "type a new name")
    await user.press("enter", "⏎ Take it", "you like it|likes")
    await user.press("d", "d Dislike", "dislikes")
    await user.press("escape", "esc Back", "↓ leads to the answer")


async def import_library(user: NewUser) -> None:
    """Bring in ratings from a file."""
    await user.press("6", "6 Data", "i Import")
    await user.press("i", "i Import", "Which file comes in")
    await user.paste(str(user.files / "ratings.csv"), "Paste or type a path")
    await user.press("enter", "⏎ Take it", "Nothing has changed yet")
    await user.press("enter", "⏎ Import", "rows of ratings.csv are in")


async def export(user: NewUser) -> None:
    """Write one's own history to a file."""
    await user.press("x", "x Export", "What goes out")
    await user.press("enter", "⏎ Choose", "To which file")
    await user.press("enter", "Enter takes", r"anna-history-\w+\.csv")


async def shelf(user: NewUser) -> None:
    """What can be made from what is at home."""
    await user.press("3", "3 Browse", "Search by name")
    await user.press("f4", "f4 Shelf", "at hand|shelf")
    await user.write("gin", "⏎|Enter")
    await user.press("enter", "⏎|Enter", "unlock|make now|Make now|can make")
    await user.press("escape", "esc Back", "Search by name")


async def ask_with_picture(user: NewUser) -> None:
    """A question about a picture."""
    await user.press("alt+2", "2 Ask", "F8 Picture")
    await user.press("f8", "F8 Picture", "Which picture")
    await user.paste(str(user.files / "drink.png"), "path")
    await user.press("enter", "⏎ Take it", r"drink\.png")
    await user.write("what is like this", "Enter asks")
    await user.press("enter", "Enter asks", "In the picture")


async def compare_runs(user: NewUser) -> None:
    """Which of two runs is better."""
    await user.press("alt+7", "7 Runs", "c Compare")
    await user.press("c", "c Compare", "Choose")
    await user.press("enter", "⏎ Choose", "Ours minus theirs")
    await user.press("escape", "esc Back", "c Compare")


async def train(user: NewUser) -> None:
    """Teach a small model a role, and keep what it learnt."""
    await user.press("9", "9 Training", "n New training")
    await user.press("n", "n New training", "Train what")
    await user.press("enter", "⏎ Choose", "how much")
    await user.press("enter", "⏎ Choose", "Begin")
    await user.press("enter", "⏎ Begin", "X exports it")
    await user.press("down", "X exports it", "router-1")
    await user.press("x", "X exports it", r"router-1\.gguf")


async def forget(user: NewUser) -> None:
    """Take everything back that was ever said."""
    await user.press("6", "6 Data", "f Forget")
    await user.press("f", "f Forget", "How much of anna")
    await user.press("enter", "⏎ Choose", "Type anna and press Enter")
    await user.write(WHO, "Type anna")
    await user.press("enter", "press Enter to forget|anna", "orgotten")


TASKS: dict[str, Callable[[NewUser], Awaitable[None]]] = {
    "first answer, from nothing": first_answer,
    "find why": find_why,
    "correct a taste": correct_taste,
    "import a library": import_library,
    "export": export,
    "make do with the shelf": shelf,
    "ask with a picture": ask_with_picture,
    "compare two runs": compare_runs,
    "train and keep an adapter": train,
    "forget": forget,
}


def as_markdown(measured: Measured) -> str:
    """The block in docs/results/speed.md."""
    rows = [
        [one.name, str(len(one.keys)), " ".join(one.keys), str(one.letters or "")]
        for one in measured.tasks
    ]
    table = markdown_table(["task", "keys", "which", "letters typed"], rows)
    return f"{measured.origin.as_text()}\n\n{table}"
