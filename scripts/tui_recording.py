"""Record the app as one animated SVG for the README, from the real app.

Run:
    python scripts/tui_recording.py [--out docs/figures/tui-recording.svg] [--seconds 2.5]

The workspace is that of `scripts/tui_screenshots.py`. Each frame is a drawing of the screen; the
file shows one after the other and begins again, without a script and without a network.
"""

from __future__ import annotations

import argparse
import asyncio
import re
import sys
import tempfile
from pathlib import Path

from textual.pilot import Pilot
from tui_screenshots import ROOT, THEME, WHO, furnish, go_to, letters, press, settle

from localrec_tui.app import LocalrecApp

SIZE = (100, 30)
_FONTS = re.compile(r"\s*@font-face \{.*?\}", re.DOTALL)
_ID = re.compile(r"terminal-\d+")
_OUTER = re.compile(r"<svg[^>]*viewBox=\"([^\"]+)\"[^>]*>(.*)</svg>", re.DOTALL)


class Recording:
    """Frames of the app, in their order.

    Args:
        pilot: Drives the app.
    """

    def __init__(self, pilot: Pilot[None]) -> None:
        self._pilot = pilot
        self.frames: list[str] = []

    async def frame(self) -> None:
        """Keep what is on the screen now."""
        await self._pilot.pause(0.3)
        await settle(self._pilot)
        self._pilot.app.clear_notifications()
        await settle(self._pilot)
        drawn = self._pilot.app.export_screenshot(title="localrec")
        self.frames.append(_FONTS.sub("", _ID.sub(f"frame-{len(self.frames)}", drawn)))

    async def play(self) -> None:
        """Go through the app as somebody who shows it."""
        pilot = self._pilot
        await self.frame()
        await press(pilot, *letters("something bitter with gin"), "enter", "down")
        await self.frame()
        await press(pilot, "down", "l")
        await self.frame()
        await press(pilot, "escape", *letters("without cream, in a coupe"), "enter", "down")
        await self.frame()
        await go_to(pilot, "history")
        await self.frame()
        await go_to(pilot, "browse")
        await press(pilot, "f4")
        await press(pilot, *letters("gin, campari, sweet vermouth"), "enter")
        await self.frame()
        await press(pilot, "escape")
        await go_to(pilot, "data")
        await self.frame()


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


def main() -> int:
    """Make the workspace, play, write."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path, default=ROOT / "docs/figures/tui-recording.svg")
    parser.add_argument("--seconds", type=float, default=2.5, help="of each frame")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        folder = Path(home) / "workspace"
        furnish(folder, Path(home) / "run.toml")
        drawn = animated(asyncio.run(record(folder)), asked.seconds)
    asked.out.write_text(drawn, encoding="utf-8")
    print(f"{asked.out.name}: {len(drawn.encode()) / 1024:.0f} KiB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
