"""Pictures are shown in pixels where the terminal says that it can, and only such are asked."""

from __future__ import annotations

import fcntl
import io
import os
import pty
import select
import struct
import subprocess
import sys
import termios
import time

import pytest
from PIL import Image
from textual.widgets import Static
from textual_image.widget import SixelImage

from localrec_tui.pixel_pictures import is_worth_asking
from localrec_tui.widgets.picture_preview import PicturePreview
from localrec_tui.widgets.prompt import Prompt

from .conftest import WIDE, press, seen, settled

PROGRAM = """
import os
from localrec_tui.pixel_pictures import ask_terminal
found = ask_terminal(os.environ)
print("found", found and found.__module__, flush=True)
"""
ATTRIBUTES, SIXEL, NO_SIXEL = b"\x1b[c", b"\x1b[?62;4;6c", b"\x1b[?62;6c"
OK = b"\x1b_Gi=31;OK\x1b\\"


class Terminal:
    """A terminal that replies to what it knows.

    Args:
        size: Lines, columns, and the same in pixels.
        replies: What ends a question -> the reply.
    """

    def __init__(self, *size: int, **replies: bytes) -> None:
        self._size, self._replies = size or (24, 80, 800, 480), replies
        self.asked = b""

    def run(self, environment: dict[str, str]) -> str:
        """The module of the widget that shows pictures here; "" where none was told in time."""
        ours, theirs = pty.openpty()
        fcntl.ioctl(ours, termios.TIOCSWINSZ, struct.pack("4H", *self._size))
        variables = {"PATH": os.environ["PATH"], "PYTHONPATH": os.pathsep.join(sys.path)}
        command = [sys.executable, "-c", PROGRAM]
        with subprocess.Popen(
            command, stdin=theirs, stdout=theirs, stderr=theirs, env=variables | environment
        ) as program:
            os.close(theirs)
            try:
                return self._talk(ours)
            finally:
                program.kill()
                os.close(ours)

    def _talk(self, ours: int) -> str:
        until, pending = time.monotonic() + 60, b""
        while time.monotonic() < until:
            if not select.select([ours], [], [], 0.1)[0]:
                continue
            pending += os.read(ours, 4096)
            if b"found " in pending and pending.endswith(b"\n"):
                return pending.rpartition(b"found ")[2].decode().strip()
            if reply := self._reply(pending):
                self.asked, pending = self.asked + pending, b""
                os.write(ours, reply)
        return ""

    def _reply(self, asked: bytes) -> bytes:
        if ATTRIBUTES in asked:
            return self._replies["attributes"]
        if asked.startswith(b"\x1b_G") and asked.endswith(b"\x1b\\"):
            return self._replies["placeholder" if b"U=1" in asked else "picture"]
        return b""


@pytest.mark.parametrize(
    ("environment", "asked"),
    [
        ({"TERM": "xterm-kitty"}, True),
        ({"TERM": "foot"}, True),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "WezTerm"}, True),
        ({"TERM": "xterm-256color", "KONSOLE_VERSION": "230400"}, True),
        ({"TERM": "xterm-256color"}, False),
        ({"TERM": "tmux-256color", "KITTY_WINDOW_ID": "1", "TMUX": "/tmp/tmux"}, False),
        ({"TERM": "xterm-256color", "LOCALREC_PICTURES": "pixels"}, True),
        ({"TERM": "xterm-kitty", "LOCALREC_PICTURES": "cells"}, False),
        ({}, False),
    ],
)
def test_a_terminal_is_asked_where_it_is_known_to_answer(environment, asked):
    assert is_worth_asking(environment) is asked


def test_a_terminal_with_sixel_shows_pixels():
    terminal = Terminal(attributes=SIXEL)
    assert terminal.run({"TERM": "foot"}) == "textual_image.widget.sixel"


def test_kitty_shows_pixels():
    terminal = Terminal(attributes=NO_SIXEL, picture=OK, placeholder=OK)
    assert terminal.run({"TERM": "xterm-kitty"}) == "textual_image.widget"


def test_a_kitty_too_old_for_placeholders_gets_half_cells():
    terminal = Terminal(attributes=NO_SIXEL, picture=OK, placeholder=b"")
    assert terminal.run({"TERM": "xterm-kitty"}) == "None"


def test_a_terminal_that_nobody_knows_is_asked_nothing():
    terminal = Terminal()
    assert terminal.run({"TERM": "xterm-256color"}) == "None"
    assert terminal.asked == b""


def test_a_terminal_of_no_size_is_asked_nothing():
    terminal = Terminal(0, 0, 0, 0)
    assert terminal.run({"TERM": "foot"}) == "None"
    assert terminal.asked == b""


@pytest.fixture
def pictured(services):
    """Every drink has a red picture."""
    services.picture = ((("#ff0000", "#00ff00"), ("#ff0000", "#00ff00")),)
    file = io.BytesIO()
    Image.new("RGB", (60, 90), "red").save(file, "WEBP")
    services.thumbnail = file.getvalue()
    return services


async def show(pilot):
    """Ask, and choose the first drink of the answer."""
    pilot.app.pixel_widget = SixelImage
    prompt = pilot.app.screen.query_one(Prompt)
    prompt.value = "a gin drink"
    prompt.focus()
    await press(pilot, "enter", "down", "enter")
    await settled(pilot)
    return pilot.app.screen.query_one(PicturePreview)


async def test_a_picture_is_shown_in_pixels(open_app, pictured):
    async with open_app(WIDE) as pilot:
        preview = await show(pilot)
        [pixels] = preview.query(SixelImage)
        assert pixels.image is not None
        assert pixels.image.getvalue() == pictured.thumbnail
        assert preview.query_one(Static).region.height == 0
        assert "▀" not in seen(pilot)


async def test_an_item_without_a_picture_shows_that_of_none_before(open_app, pictured):
    async with open_app(WIDE) as pilot:
        preview = await show(pilot)
        preview.show(())
        await settled(pilot)
        assert not preview.display
        assert preview.query_one(SixelImage).image is None


async def test_no_colours_mean_no_pixels(open_app, pictured):
    async with open_app(WIDE) as pilot:
        pilot.app.no_color = True
        assert not (await show(pilot)).display
