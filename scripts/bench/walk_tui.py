"""Walk through the app at random: keys and clicks, in some sizes, from several seeds.

Run:
    python scripts/bench/walk_tui.py WORKSPACE [--steps 20000] [--seeds 1 2 3 4 5] [--user KEY]
        [--sizes 80x24 100x30 120x40 200x50]

The app is the real one over a copy of the workspace, driven without a terminal. No step may end it
by a fault, and at the end the store holds exactly the words that were asked for: a verdict counts
as asked for when its key was pressed where no text is typed. What would start a process (pulls,
trainings, evaluations, imports, exports) is refused, and nothing leaves the app.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec
from textual.errors import NoWidget
from textual.pilot import Pilot
from textual.widgets import Input, TextArea

from localrec.foundation.errors import UsageError
from localrec.graph.interactions import FEEDBACK
from localrec.graph.store import Store
from localrec_tui.app import LocalrecApp
from localrec_tui.services import commands
from localrec_tui.services.app_services import AppServices
from localrec_tui.services.feedback import FeedbackService
from localrec_tui.services.models import ModelService

SIZES = ((80, 24), (100, 30), (120, 40), (200, 50))
VERDICTS = frozenset("ldsnLDSN")
WORDS = ("gin", "without cream", "a thriller", "blue", "zzz")
KEYS = (
    *"ldsnuLDSNormcgevkjhbfqz/123456789",
    *("up", "down", "left", "right", "home", "end", "pageup", "pagedown", "tab", "shift+tab"),
    *("enter", "enter", "escape", "escape", "space", "delete", "backspace"),
    *("f1", "f3", "f4", "f5", "f6", "f7", "f9", "ctrl+z", "ctrl+n", "ctrl+u"),
)
CLICKS = 0.15  # of all steps
TYPES = 0.05
RESIZES = 0.01
SIZE_STEPS = 50  # between two looks whether the threads are done


class Walked(msgspec.Struct, frozen=True, kw_only=True):
    """One walk: steps taken, verdict keys that may store, words given and stored, seconds."""

    seed: int
    size: tuple[int, int]
    steps: int
    keys: int
    given: int
    stored: int
    seconds: float

    @property
    def is_sound(self) -> bool:
        """Whether the store holds what was given, and no more was given than asked for."""
        return self.stored == self.given <= self.keys


class Walker:
    """Takes random steps, and counts which of them may store something.

    Args:
        pilot: Drives the app.
        seed: Of every choice.
    """

    def __init__(self, pilot: Pilot[None], seed: int) -> None:
        self._pilot = pilot
        self._random = random.Random(seed)
        self.keys = 0

    async def step(self) -> None:
        """Press a key, click somewhere, type a word or resize the window."""
        chance = self._random.random()
        if chance < CLICKS:
            size = self._pilot.app.size
            place = (self._random.randrange(size.width), self._random.randrange(size.height))
            # Before its first paint a room is empty; the pilot looks before the app does.
            with suppress(NoWidget):
                await self._pilot.click(offset=place)
        elif chance < CLICKS + TYPES:
            for letter in self._random.choice(WORDS):
                await self._press("space" if letter == " " else letter)
        elif chance < CLICKS + TYPES + RESIZES:
            await self._pilot.resize_terminal(*self._random.choice(SIZES))
        else:
            await self._press(self._random.choice(KEYS))

    async def _press(self, key: str) -> None:
        focused = self._pilot.app.focused
        types = isinstance(focused, Input | TextArea)
        # In History, E and then Enter on a verdict gives one as well.
        if not types and (key in VERDICTS or key in ("enter", "space")):
            self.keys += 1
        await self._pilot.press("slash" if key == "/" else key)


@contextmanager
def counted_words() -> Iterator[list[int]]:
    """Count in a one-item list how many words are in the store from here on."""
    count = [0]
    give, retract, undo = FeedbackService.give_feedback, FeedbackService.retract, AppServices.undo

    def counted_give(self: FeedbackService, word: object) -> object:
        found = give(self, word)  # type: ignore[arg-type]
        count[0] += 1
        return found

    def counted_retract(self: FeedbackService, *about: str) -> object:
        found = retract(self, *about)
        count[0] -= 1
        return found

    def counted_undo(self: AppServices, user: str) -> object:
        found = undo(self, user)
        count[0] -= found is not None
        return found

    FeedbackService.give_feedback = counted_give  # type: ignore[assignment,method-assign]
    FeedbackService.retract = counted_retract  # type: ignore[assignment,method-assign]
    AppServices.undo = counted_undo  # type: ignore[assignment,method-assign]
    try:
        yield count
    finally:
        FeedbackService.give_feedback = give  # type: ignore[method-assign]
        FeedbackService.retract = retract  # type: ignore[method-assign]
        AppServices.undo = undo  # type: ignore[method-assign]


@contextmanager
def no_processes() -> Iterator[None]:
    """Refuse what would start a process."""

    def refuse(*_: object) -> object:
        raise UsageError("A walk starts no process.", "Start it yourself.")

    send, measure = commands.CommandRunner.send, ModelService.measure
    commands.CommandRunner.send = refuse  # type: ignore[assignment,method-assign]
    ModelService.measure = refuse  # type: ignore[assignment,method-assign]
    try:
        yield
    finally:
        commands.CommandRunner.send = send  # type: ignore[method-assign]
        ModelService.measure = measure  # type: ignore[method-assign]


async def walk(folder: Path, seed: int, size: tuple[int, int], steps: int, user: str) -> Walked:
    """Walk over a workspace that may change.

    Args:
        folder: The workspace.
        seed: Of every choice.
        size: Columns and lines at first.
        steps: So many.
        user: Who sits there.
    """
    before = words_in(folder)
    began = time.monotonic()
    with no_processes(), counted_words() as given:
        app = LocalrecApp(folder)
        async with app.run_test(size=size, notifications=True) as pilot:
            await pilot.pause(0.5)
            app.user = user
            walker = Walker(pilot, seed)
            for number in range(steps):
                await walker.step()
                if number % SIZE_STEPS == 0:
                    await pilot.pause(0.02)
            # Words that were given last are on their way to the store.
            for _ in range(100):
                if not any(one.name in ("feedback", "taking back") for one in app.workers):
                    break
                await pilot.pause(0.1)
        if app._fault is not None:
            raise app._fault
        return Walked(
            seed=seed,
            size=size,
            steps=steps,
            keys=walker.keys,
            given=given[0],
            stored=words_in(folder) - before,
            seconds=time.monotonic() - began,
        )


def words_in(folder: Path) -> int:
    """How many words people said that the store holds."""
    with Store.open_(folder / "store.duckdb", read_only=True) as store:
        [[count]] = store.rows("SELECT count(*) FROM interaction WHERE source = ?", [FEEDBACK])
    return int(count)


def size_of(text: str) -> tuple[int, int]:
    """Read a size such as 80x24: columns, lines."""
    columns, lines = text.split("x")
    return int(columns), int(lines)


def main() -> int:
    """Walk from each seed in each size, and tell what came of it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("workspace", type=Path)
    parser.add_argument("--steps", type=int, default=20_000, help="of each seed, over all sizes")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3, 4, 5])
    parser.add_argument("--user", default="anna")
    parser.add_argument(
        "--sizes", type=size_of, nargs="+", default=list(SIZES), help="columns x lines at first"
    )
    asked = parser.parse_args()
    is_sound = True
    for seed in asked.seeds:
        for size in asked.sizes:
            with tempfile.TemporaryDirectory() as home:
                folder = Path(home) / "workspace"
                shutil.copytree(asked.workspace, folder)
                steps = asked.steps // len(asked.sizes)
                walked = asyncio.run(walk(folder, seed, size, steps, asked.user))
            is_sound &= walked.is_sound
            print(
                f"seed {seed}, {size[0]}x{size[1]}: {walked.steps:,} steps in "
                f"{walked.seconds:.0f} s, {walked.given} words given, {walked.stored} stored, "
                f"{walked.keys:,} keys that may store: {'ok' if walked.is_sound else 'WRONG'}",
                flush=True,
            )
    return 0 if is_sound else 1


if __name__ == "__main__":
    sys.exit(main())
