"""Record the app as one animated SVG for the README, from the real app.

Run:
    python scripts/tui_recording.py [--out docs/figures/tui-recording.svg] [--seconds 4.2]

The workspace is that of `scripts/tui_screenshots.py`. Each frame is a drawing of the screen; the
file shows one after the other and begins again, without a script and without a network.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import re
import sys
import tempfile
from pathlib import Path

from textual.events import Paste
from textual.pilot import Pilot
from tui_screenshots import ROOT, THEME, WHO, furnish, go_to, letters, press, settle

from localrec_tui.app import LocalrecApp

SIZE = (112, 32)
DIALOG_S = 2.0  # until what a dialog shows has been read
LIBRARY = """Date,Name,Year,Letterboxd URI,Rating
2026-01-01,Fargo,1996,https://boxd.it/1,4.5
2026-01-02,Blade Runner,1982,https://boxd.it/2,5
2026-01-03,Chinatown,1974,https://boxd.it/3,3.5
"""
_FONTS = re.compile(r"\s*@font-face \{.*?\}", re.DOTALL)
_ID = re.compile(r"terminal-\d+")
_OUTER = re.compile(r"<svg[^>]*viewBox=\"([^\"]+)\"[^>]*>(.*)</svg>", re.DOTALL)


class Recording:
    """Frames of the app, in their order.

    Args:
        pilot: Drives the app, for a user whose home holds a library to import.
    """

    def __init__(self, pilot: Pilot[None]) -> None:
        self._pilot = pilot
        self.frames: list[str] = []

    async def frame(self, caption: str) -> None:
        """Keep what is on the screen now, with a caption in the title of the window."""
        await self._pilot.pause(0.6)
        self._pilot.app.clear_notifications()
        await self._pilot.pause()
        drawn = self._pilot.app.export_screenshot(title=f"localrec: {caption}")
        self.frames.append(_FONTS.sub("", _ID.sub(f"frame-{len(self.frames)}", drawn)))

    async def play(self) -> None:
        """Go through the app as somebody who shows it."""
        for part in (self._ask, self._look, self._data, self._laboratory):
            await part()

    async def _ask(self) -> None:
        """A question, why, a word about an item, a further wish."""
        pilot = self._pilot
        await self.frame("your list, with reasons")
        await press(pilot, *letters("something bitter"))
        await self.frame("a question, in your own words")
        await press(pilot, *letters(" with gin"), "enter")
        await self.frame("the answer")
        await press(pilot, "down")
        await self.frame("why this one, beside the list")
        await press(pilot, "enter")
        await self.frame("its way in the graph")
        await press(pilot, "escape", "down", "l")
        await self.frame("you like it")
        await press(pilot, "escape", *letters("without cream, in a coupe"))
        await self.frame("a further wish")
        await press(pilot, "enter", "down")
        await self.frame("the answer, refined")

    async def _look(self) -> None:
        """What was said, the catalogue, the graph, the shelf."""
        pilot = self._pilot
        await go_to(pilot, "history")
        await self.frame("all that you said, to change or take back")
        await go_to(pilot, "browse")
        await self.frame("the whole catalogue")
        await press(pilot, "slash", *letters("gin lime"))
        await pilot.pause(1.5)  # what means the same follows after a pause of the typist
        await press(pilot, "down")
        await self.frame("found by names and by meaning")
        await press(pilot, "g")
        await self.frame("a walk through the graph")
        await press(pilot, "escape", "f4", *letters("gin, campari, sweet vermouth"), "enter")
        await self.frame("what your shelf makes, and which bottle unlocks most")
        await press(pilot, "escape")

    async def _data(self) -> None:
        """A library comes in, a history goes out, everything can be forgotten."""
        pilot = self._pilot
        await go_to(pilot, "data")
        await self.frame("what came in, what can be pulled")
        await self._choose("i")
        pilot.app.post_message(Paste("~/ratings.csv"))
        await self.frame("a library from another service")
        await self._choose("enter")
        await self.frame("what it would do: nothing has changed yet")
        await self._choose("enter")
        await self.frame("it is in, and can be taken back")
        await self._choose("x")
        await self.frame("what can go out")
        await self._choose("escape", "f")
        await self.frame("what can be forgotten")
        await self._choose("enter")
        await self.frame("what forgetting would remove")
        await self._choose("escape")

    async def _choose(self, *keys: str) -> None:
        """Press keys of dialogs, whose work goes on until they are closed."""
        for key in keys:
            await self._pilot.press(key)
            await self._pilot.pause(DIALOG_S)

    async def _laboratory(self) -> None:
        """Memories, evaluations, models, trainings, help."""
        pilot = self._pilot
        await go_to(pilot, "memory")
        await self.frame("what is remembered of you, with its support")
        await go_to(pilot, "runs")
        await self.frame("evaluations")
        await press(pilot, "enter")
        await self.frame("one of them, with intervals")
        await press(pilot, "escape")
        await go_to(pilot, "models")
        await self.frame("which model plays which part")
        await go_to(pilot, "training")
        await self.frame("trainings on your own computer")
        await press(pilot, "ctrl+p")
        await self.frame("every action, with its key")
        await press(pilot, "escape")
        await go_to(pilot, "home")
        await self.frame("your list again")


def animated(frames: list[str], seconds: float) -> str:
    """One SVG that shows frame after frame, each for some seconds, for ever."""
    whole = seconds * len(frames)
    share = 100 / len(frames)
    parts = []
    box = ""
    for number, drawn in enumerate(frames):
        found = _OUTER.search(drawn)
        assert found is not None
        box = found[1]
        parts.append(
            f'<g class="shown" style="animation-delay:{number * seconds:g}s">{found[2]}</g>'
        )
    style = (
        f".shown{{opacity:0;animation:show {whole:g}s infinite step-end}}"
        f"@keyframes show{{0%{{opacity:1}}{share:.3f}%{{opacity:0}}}}"
    )
    body = "".join(parts)
    return f'<svg viewBox="{box}" xmlns="http://www.w3.org/2000/svg"><style>{style}</style>{body}</svg>'


async def record(folder: Path) -> list[str]:
    """Play, and return the frames."""
    app = LocalrecApp(folder)
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        app.theme = THEME
        app.user = WHO
        await settle(pilot)
        recording = Recording(pilot)
        await recording.play()
        return recording.frames


def move_to(home: Path) -> None:
    """Make a home with a library for the user, and move there; the models stay where they are."""
    home.mkdir()
    (home / ".cache").symlink_to(Path.home() / ".cache", target_is_directory=True)
    (home / "ratings.csv").write_text(LIBRARY, encoding="utf-8")
    os.environ["HOME"] = str(home)


def main() -> int:
    """Make the workspace, play, write."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path, default=ROOT / "docs/figures/tui-recording.svg")
    parser.add_argument("--seconds", type=float, default=4.2, help="of each frame")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        folder = Path(home) / "workspace"
        furnish(folder, Path(home) / "run.toml")
        move_to(Path(home) / WHO)
        drawn = animated(asyncio.run(record(folder)), asked.seconds)
    asked.out.write_text(drawn, encoding="utf-8")
    print(f"{asked.out.name}: {len(drawn.encode()) / 1024:.0f} KiB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
