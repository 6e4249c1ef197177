"""The app in a real terminal: tmux draws it, the real SmolLM2 thinks behind it."""

import contextlib
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ..cli.conftest import by_spelling

DEADLINE_S = 120  # for one thing to happen, on a machine that is busy with others
POLL_S = 0.05
IDLE_S = 1.0  # the least that ps tells of a processor's time
SHELL = "ready>"
SIZE = (90, 40)  # cards, so that a reason that is not written yet is seen as “…”
# The app takes over the whole screen, the cursor and the mouse; the shell gets them back.
RESTORED = {"alternate_on": "0", "cursor_flag": "1", "mouse_any_flag": "0"}
_CARD = re.compile(r"^ *\d+  (\S.*?)(?:  .*)?$", re.MULTILINE)
_PROVENANCE = "By rules and counts"  # the status line of an answer begins its second sentence so


class Terminal:
    """A shell in a tmux server of its own, and the processes that it starts.

    Args:
        home: Where the server's socket lies, and the shell begins.
    """

    def __init__(self, home: Path) -> None:
        self._tmux = ("tmux", "-S", str(home / "tmux"), "-f", os.devnull)
        environment = {**os.environ, "ENV": "", "TERM": "screen-256color"}
        environment.pop("NO_COLOR", None)
        size = ("-x", str(SIZE[0]), "-y", str(SIZE[1]))
        opening = ("new-session", "-d", *size, "-c", str(home), "sh")
        subprocess.run([*self._tmux, *opening], check=True, env=environment)
        self.write(f"PS1='{SHELL} '; clear\n")
        self.wait_until(lambda screen: screen.strip() == SHELL, "an empty screen")

    def press(self, *keys: str) -> None:
        """Press keys by tmux's names for them, such as `Enter` or `F2`."""
        self._show_status("send-keys", *keys)

    def write(self, text: str) -> None:
        """Type a text letter by letter."""
        self._show_status("send-keys", "-l", text)

    def seen(self) -> str:
        """What stands on the screen, line by line."""
        return self._show_status("capture-pane", "-p")

    def about(self, what: str) -> str:
        """One of tmux's formats for this pane."""
        return self._show_status("display-message", "-p", f"#{{{what}}}").strip()

    def wait_for(self, text: str) -> str:
        """The screen once it shows a text."""
        return self.wait_until(lambda screen: text in screen, text)

    def wait_until(self, is_so: Callable[[str], object], what: str) -> str:
        """The screen once it is as wanted; it is shown where that does not come."""
        last = time.monotonic() + DEADLINE_S
        while not is_so(screen := self.seen()):
            assert time.monotonic() < last, f"Waited for: {what}. The screen:\n{screen}"
            time.sleep(POLL_S)
        return screen

    def processes(self) -> dict[int, str]:
        """Everything that runs below the shell: process -> its command line."""
        return below(int(self.about("pane_pid")))

    def close(self) -> None:
        """End the server, the shell and what runs in it."""
        self._show_status("kill-server")

    def _show_status(self, *arguments: str) -> str:
        told = subprocess.run(
            [*self._tmux, *arguments], check=True, capture_output=True, text=True, timeout=60
        )
        return told.stdout


def below(parent: int) -> dict[int, str]:
    """All descendants of a process, with their command lines."""
    listing = subprocess.run(
        ["ps", "-A", "-o", "pid=,ppid=,args="], check=True, capture_output=True, text=True
    )
    rows = [line.split(maxsplit=2) for line in listing.stdout.splitlines()]
    found: dict[int, str] = {}
    parents = {parent}
    while parents:
        children = {int(row[0]): row[-1] for row in rows if int(row[1]) in parents}
        found |= children
        parents = set(children)
    return found


def seconds_of(process: int) -> int | None:
    """Processor time of a process, in whole seconds, as `ps` tells it; None once it is gone."""
    told = subprocess.run(
        ["ps", "-o", "time=", "-p", str(process)], capture_output=True, text=True, check=False
    ).stdout.strip()
    days, _, clock = told.rpartition("-")
    hours, minutes, seconds = (int(one) for one in clock.split(":")) if told else (0, 0, 0)
    return int(days or 0) * 86_400 + hours * 3_600 + minutes * 60 + seconds if told else None


def names_in(screen: str) -> list[str]:
    """The items of a list of cards, best first."""
    return [name.strip() for name in _CARD.findall(screen)]


def is_answered(screen: str) -> bool:
    """Whether an answer stands there, whole."""
    return _PROVENANCE in screen and bool(names_in(screen))


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    if shutil.which("tmux") is None:
        reason = "There is no tmux here: apt-get install tmux"
        if os.environ.get("LOCALREC_REQUIRE_TMUX"):
            pytest.fail(reason)
        pytest.skip(reason)
    opened = Terminal(tmp_path)
    yield opened
    with contextlib.suppress(subprocess.CalledProcessError):  # a shell that ended took it along
        opened.close()


@pytest.mark.real
@pytest.mark.timeout(900)  # a busy machine lets a small model think for minutes
def test_a_person_asks_likes_stops_a_model_and_leaves(terminal, tmp_path, require_model):
    require_model("smollm2-135m")
    start_the_app(terminal, by_spelling(tmp_path / "workspace"))
    ask_first_questions(terminal)
    like_and_see_the_list_change(terminal)
    stop_the_model(terminal)
    quit_the_app(terminal)


def start_the_app(terminal: Terminal, workspace: Path) -> None:
    """Type what a person would type."""
    command = [sys.executable, "-m", "localrec", "--workspace", str(workspace), "tui"]
    terminal.write(shlex.join(command))
    terminal.press("Enter")
    terminal.wait_for("Welcome to localrec")
    assert terminal.about("alternate_on") == "1"


def ask_first_questions(terminal: Terminal) -> None:
    """The example, then a question of one's own."""
    terminal.press("Enter")
    terminal.wait_for("a smoky drink without whiskey")
    terminal.press("Enter")
    terminal.wait_until(is_answered, "an answer to the example")
    terminal.press("C-u")
    terminal.wait_for("What would you like?")
    ask(terminal, "a drink with tequila and lime")
    terminal.wait_for("you named tequila, lime")
    terminal.wait_until(re.compile(r"✓ tequila +✓ lime").search, "both wishes met")


def ask(terminal: Terminal, question: str) -> None:
    """Type a question and send it off."""
    terminal.write(question)
    terminal.wait_for(question)
    terminal.press("Enter")


def like_and_see_the_list_change(terminal: Terminal) -> None:
    """As somebody: like the first item of an answer, then the first of the list that follows."""
    terminal.press("F2")
    terminal.wait_for("Who are you?")
    terminal.write("anna")
    terminal.wait_until(lambda screen: "│ anna" in screen or "▊  anna" in screen, "the name")
    terminal.press("Enter")
    terminal.wait_for("Person: anna")
    like_what_is_first(terminal)
    terminal.press("C-u", "Enter")
    before = names_in(terminal.wait_for("A list for anna, from 1 items"))
    like_what_is_first(terminal)
    terminal.press("Enter")
    after = names_in(terminal.wait_for("A list for anna, from 2 items"))
    assert before[0] not in after
    assert len(after) > 2


def like_what_is_first(terminal: Terminal) -> None:
    """From the line to the first item, and back."""
    terminal.press("Down")
    terminal.wait_for("l Like")  # the list has the focus, and the keys
    terminal.press("l")
    terminal.wait_for("[you like it]")
    terminal.press("Escape")
    terminal.wait_until(lambda screen: "l Like" not in screen, "the line")


def stop_the_model(terminal: Terminal) -> None:
    """Esc while the local model writes; then the app answers without it."""
    choose_who_answers(terminal, "Down")
    ask(terminal, "a drink with gin")
    terminal.wait_for("Thinking")
    terminal.wait_until(lambda _: any(map(seconds_of, models_of(terminal))), "a model that works")
    [model] = models_of(terminal)
    terminal.press("Escape")
    terminal.wait_for("Stopped after")
    assert names_in(terminal.seen()), "what was there before stays"
    wait_until_idle(model)
    choose_who_answers(terminal, "Down")
    terminal.press("Enter")
    terminal.wait_until(is_answered, "an answer without the model")


def models_of(terminal: Terminal) -> list[int]:
    """The processes below the shell that run a model."""
    return [one for one, told in terminal.processes().items() if "localrec.llm.worker" in told]


def choose_who_answers(terminal: Terminal, *keys: str) -> None:
    """Go on in the list of who may answer."""
    terminal.press("F6")
    terminal.wait_for("Who answers?")
    terminal.press(*keys, "Enter")
    terminal.wait_until(lambda screen: "Who answers?" not in screen, "the question itself")


def wait_until_idle(process: int) -> None:
    """Until a process is gone, or uses no second of a processor while two go by."""
    last = time.monotonic() + DEADLINE_S
    before, since = seconds_of(process), time.monotonic()
    while before is not None and time.monotonic() < since + 2 * IDLE_S:
        assert time.monotonic() < last, "The model goes on."
        time.sleep(POLL_S)
        if (now := seconds_of(process)) != before:
            before, since = now, time.monotonic()


def quit_the_app(terminal: Terminal) -> None:
    """Nothing is left running, and the shell has its terminal back as it was."""
    started = terminal.processes()
    assert started
    terminal.press("C-q")
    terminal.wait_until(lambda screen: screen.rstrip().endswith(SHELL), "the shell's own screen")
    assert {name: terminal.about(name) for name in RESTORED} == RESTORED
    terminal.wait_until(lambda _: not terminal.processes(), "nothing that still runs")
    assert all(seconds_of(process) is None for process in started)
    terminal.write("echo still $((6 * 7))")
    terminal.press("Enter")
    terminal.wait_for("still 42")
