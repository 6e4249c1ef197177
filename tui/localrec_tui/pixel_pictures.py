"""Pictures in pixels, for terminals that show them: kitty's protocol, or Sixel.

textual-image asks the terminal what it can as soon as it is imported, and reads the reply from the
keyboard's own stream. So it is imported before Textual listens there, and only where the terminal
is known to answer: others would take a fifth of a second, and may lose the first key.
"""

from __future__ import annotations

import importlib.util
import os
import select
import sys
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from textual_image.widget._base import Image

SETTING = "LOCALREC_PICTURES"
_TERMS = frozenset({"contour", "foot", "foot-extra", "mlterm", "xterm-ghostty", "xterm-kitty"})
_PROGRAMS = frozenset({"WezTerm", "contour", "ghostty", "iTerm.app", "mintty", "rio"})
_MARKS = ("KITTY_WINDOW_ID", "KONSOLE_VERSION", "WT_SESSION")  # set by the terminal itself
_END = b"\x1b\\"
_QUESTION = "\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24,U=1;AAAA\x1b\\"  # one pixel, only asked for
_PATIENCE_S = 0.3
# screen, tmux and zellij hand on no pictures, but the variables above.
_BETWEEN = ("STY", "TMUX", "ZELLIJ")


def is_worth_asking(environment: Mapping[str, str]) -> bool:
    """Whether a terminal is one that may show pixels, by what it sets in the environment.

    Args:
        environment: The variables; `LOCALREC_PICTURES` as "pixels" or "cells" decides alone.
    """
    if (told := environment.get(SETTING)) in ("pixels", "cells"):
        return told == "pixels"
    if any(one in environment for one in _BETWEEN):
        return False
    return (
        environment.get("TERM") in _TERMS
        or environment.get("TERM_PROGRAM") in _PROGRAMS
        or any(one in environment for one in _MARKS)
    )


def ask_terminal(environment: Mapping[str, str]) -> type[Image] | None:
    """Ask the terminal whether it shows pixels, before the app takes it.

    Args:
        environment: The variables.

    Returns:
        The widget that shows a picture in this terminal; None for half cells.
    """
    if not is_worth_asking(environment) or importlib.util.find_spec("textual_image") is None:
        return None
    if not sys.stdout.isatty() or not all(os.get_terminal_size(sys.stdout.fileno())):
        return None  # a terminal of no size has no cells to measure
    try:
        from textual_image import renderable, widget  # asks, and measures a cell
    except Exception:  # noqa: BLE001 - a key that was typed meanwhile may read as a broken reply
        return None
    if renderable.Image is renderable.TGPImage:
        return widget.Image if _knows_placeholders() else None
    return widget.Image if renderable.Image is renderable.SixelImage else None


def _knows_placeholders() -> bool:
    """Whether letters may stand for parts of a picture: kitty before 0.28 draws them as boxes.

    A terminal that does not know the key for it takes the question for none, and keeps silent.
    """
    try:
        import termios
        import tty
    except ImportError:  # Windows
        return False
    keyboard = sys.stdin.fileno()
    before = termios.tcgetattr(keyboard)
    reply, until = b"", time.monotonic() + _PATIENCE_S
    try:
        tty.setcbreak(keyboard, termios.TCSANOW)
        sys.stdout.write(_QUESTION)
        sys.stdout.flush()
        while not reply.endswith(_END) and (left := until - time.monotonic()) > 0:
            if not select.select([keyboard], [], [], left)[0] or not (got := os.read(keyboard, 1)):
                break
            reply += got
    except OSError:  # the terminal was closed
        return False
    finally:
        termios.tcsetattr(keyboard, termios.TCSANOW, before)
    return reply.endswith(b"i=31;OK" + _END)
