"""Soak the app: one run of hundreds of questions and thousands of keys, its model killed meanwhile.

Run:
    python scripts/studies/run.py soak_tui [--questions 300] [--keys 2000] [--kills 10]
        [--beside] [--report]

The real app in a pseudo-terminal over the bundled drinks, as somebody who asks the dev half of the
gold questions over and over, says something about every third answer, and between questions walks
through rooms, items, help, log, palette and dialogs. Most questions are answered as measured best,
without a model; now and then one goes to the local SmolLM2, whose process is killed while it works
at it, and is stopped with Esc once another process has taken its place. At the end the workspace
must hold every question and every word.

With `--beside`, another program asks in batches, lists and rates at the same workspace meanwhile:
none of its commands may fail, and none of its words may be lost.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import cycle, islice
from pathlib import Path

import msgspec
from commands_beside import OTHER, CommandsBeside
from findings import Findings, add_folder, origin_of, say
from terminal import Terminal, TooLateError, children_of, kill, model_of, resident_mib

from localrec.evaluation.provenance import Origin
from localrec.evaluation.questions.gold import read_gold
from localrec.evaluation.reporting.markdown import markdown_table
from localrec.foundation.paths import shipped
from localrec.graph.store import Store
from localrec_tui.app import LocalrecApp
from localrec_tui.question_history import FILE as QUESTIONS
from tui import app_over, choose_who_answers, clear, open_ask, open_drinks, think

WHO = "anna"
_BATCH = 20  # questions of a batch beside the app
WARM_AFTER = 30  # questions: what is loaded once has been, so that the rest should not grow
EVERY = 3  # so many answers, one word
WORDS = {"l": "likes", "d": "dislikes", "s": "knows", "n": "puts off"}
PAUSE_S = 0.02  # between keys: nobody types faster
LOOK_S, TRIES = 3.0, 10  # how long, and how often, the line is looked for
ROOMS = len(LocalrecApp.MODES)
RESTART_S = 20.0  # within which another process of the model is there, if one is needed
ALONE_S = 0.15  # after Esc: what follows within 0.1 s makes it an Alt
ANSWERED = r"\d s\. By "
# Each begins in the line of Ask, and a last Escape leads back there.
WALKS: tuple[tuple[str, ...], ...] = (
    ("down", "down", "down", "up", "o"),
    ("down", "enter", "down", "escape"),
    ("f1", "down", "escape"),
    ("f7",) * ROOMS,
    ("ctrl+p", "h", "e", "escape"),
    ("f9", "down", "escape"),
    ("f2", "down", "escape"),
    ("f3", "down", "escape"),
    ("up", "up", "down", "ctrl+u"),
    ("tab", "tab", "tab", "escape"),
    ("f7", "down", "down", "end", "home", *("f7",) * (ROOMS - 1)),
    ("f4", "x", "escape"),
)


class Soaked(msgspec.Struct, frozen=True, kw_only=True):
    """What one run came to; memory is the app's own, in MiB, by questions asked."""

    origin: Origin
    load: float
    minutes: float
    questions: tuple[int, int]  # asked, kept
    words: tuple[int, int]  # said, stored
    keys: int
    kills: int
    memory: dict[int, float]
    left_running: int
    exit_code: int
    beside: tuple[int, int, int] | None = None  # commands that ended well, words said, and stored
    complaints: tuple[str, ...] = ()  # of the commands beside


class Soak:
    """A person at the app who does not tire.

    Args:
        app: The app, open, with nothing asked yet.
        keys: So many keys besides the letters of questions.
        kills: How often the model is killed.
    """

    def __init__(self, app: Terminal, keys: int, kills: int) -> None:
        self.app = app
        self.asked: list[str] = []
        self.words = 0
        self.keys = 0
        self.kills = 0
        self.memory: dict[int, float] = {}
        self._wanted_keys = keys
        self._wanted_kills = kills
        self._walks = cycle(WALKS)
        self._words = cycle(WORDS.items())

    def sit_down(self) -> None:
        """Say who sits here."""
        open_ask(self.app)
        self.press("f2")
        self.app.wait_for(r"Who are you\?")
        self.app.press(WHO)
        self.app.wait_for(WHO)
        self.app.press("enter")
        self.app.wait_for(f"Person: {WHO}")

    def ask_all(self, questions: Sequence[str]) -> None:
        """Ask one after the other, with all that comes between."""
        for number, question in enumerate(questions, 1):
            if self.kills < self._wanted_kills * number / len(questions):
                self._ask_and_kill(question)
            else:
                self._ask(question)
                if number % EVERY == 0:
                    self._say_something()
            while self.keys < self._wanted_keys * number / len(questions):
                self._walk(next(self._walks))
            if number in (WARM_AFTER, len(questions) // 2, len(questions)) or number % 50 == 0:
                self.memory[number] = round(resident_mib(self.app.process), 1)
                say(f"{number} questions, {self.keys} keys, {self.memory[number]} MiB")

    def press(self, *keys: str) -> None:
        """Press keys at a person's pace, and count them."""
        for key in keys:
            self.app.press(key)
            self.app.listen(ALONE_S if key == "escape" else PAUSE_S)
            self.keys += 1

    def _ask(self, question: str) -> None:
        self._come_back()
        self.app.press(question)
        self.app.wait_for(re.escape(question[-20:]))
        self.app.press("enter")
        self.app.wait_for(ANSWERED)
        self.asked.append(question)

    def _say_something(self) -> None:
        key, told = next(self._words)
        self.press("down")
        self.app.wait_for("Like")  # the foot names the keys of what has the focus
        self.app.press(key)
        self.app.wait_for(f"{WHO} {told}")
        self.words += 1
        self.press("escape")

    def _ask_and_kill(self, question: str) -> None:
        self._come_back()
        choose_who_answers(self.app, "down")
        model = think(self.app, question)
        self.asked.append(question)
        kill(model)
        self.kills += 1
        last = time.monotonic() + RESTART_S
        while (found := model_of(self.app.process)) in (None, model) and time.monotonic() < last:
            self.app.listen(0.02)
        if found in (None, model):  # it was killed behind its last word for this answer
            self.app.wait_for(ANSWERED)
        else:
            self.app.press("escape")
            self.app.wait_for(f"Stopped after|{ANSWERED}")
        choose_who_answers(self.app, "up")

    def _come_back(self) -> None:
        """To the empty line, from wherever the last walk ended on a machine that is behind."""
        for _ in range(TRIES):
            with contextlib.suppress(TooLateError):
                clear(self.app, LOOK_S)
                self.app.press("z")  # a key of no list: its echo proves that the line listens
                self.app.wait_for("│ z ", LOOK_S)
                clear(self.app, LOOK_S)
                return
            self.press("escape", "1")
        raise TooLateError("The line of Ask was not found again.")

    def _walk(self, keys: Sequence[str]) -> None:
        self.press(*keys, "escape")
        self.app.rest(0.1)


def add_options(parser: argparse.ArgumentParser) -> None:
    """What the command line takes."""
    parser.add_argument("--questions", type=int, default=300)
    parser.add_argument("--keys", type=int, default=2_000, help="besides letters of questions")
    parser.add_argument("--kills", type=int, default=10, help="of the model's process")
    parser.add_argument("--beside", action="store_true", help="commands at the same workspace")
    add_folder(parser, "--cache", "bench", "where the drinks stay between runs")


def measure(asked: argparse.Namespace) -> Findings:
    """Soak; the exit code is 1 where anything was lost or left running."""
    soaked = soak(asked)
    lost = soaked.questions[0] - soaked.questions[1] + soaked.words[0] - soaked.words[1]
    if soaked.beside:
        lost += len(soaked.complaints) + soaked.beside[1] - soaked.beside[2]
    return Findings(
        text=as_markdown(soaked),
        page="speed",
        block="soak-tui",
        figures=soaked,
        exit_code=1 if lost or soaked.left_running or soaked.exit_code else 0,
    )


def soak(asked: argparse.Namespace) -> Soaked:
    """One run over a copy of the drinks."""
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as home:
        folder = Path(home) / "workspace"
        others = shutil.ignore_patterns(QUESTIONS)  # that benchmarks asked
        shutil.copytree(open_drinks(asked.cache), folder, ignore=others)
        app = Terminal(app_over(folder))
        run = Soak(app, asked.keys, asked.kills)
        beside = CommandsBeside(folder, list(islice(questions(), _BATCH)))
        try:
            run.sit_down()
            if asked.beside:
                beside.start()
            run.ask_all(list(islice(questions(), asked.questions)))
            children = set(children_of(app.process))
        finally:
            if beside.is_alive():
                beside.stop()
            exit_code = app.close()
        kept, stored = kept_in(folder)
    return Soaked(
        origin=origin_of(
            "soak_tui",
            f"--questions {asked.questions}",
            f"--keys {asked.keys}",
            f"--kills {asked.kills}",
            *(["--beside"] if asked.beside else []),
        ),
        load=round(os.getloadavg()[2], 1),
        minutes=round((time.monotonic() - started) / 60, 1),
        questions=(len(run.asked), sum(a == b for a, b in zip(run.asked, kept, strict=False))),
        words=(run.words, stored[WHO]),
        keys=run.keys,
        kills=run.kills,
        memory=run.memory,
        left_running=sum(Path(f"/proc/{one}").exists() for one in children),
        exit_code=exit_code,
        beside=(beside.done, beside.written, stored[OTHER]) if asked.beside else None,
        complaints=tuple(beside.complaints),
    )


def questions() -> Iterator[str]:
    """The dev half of the gold questions, over and over."""
    gold = read_gold(shipped("datasets") / "cocktails" / "questions.jsonl", "dev")
    return cycle(one.query for one in gold)


def kept_in(folder: Path) -> tuple[list[str], Counter[str]]:
    """The questions that a workspace remembers, and how many words of each person it stored."""
    lines = (folder / QUESTIONS).read_bytes().splitlines()
    with Store.open_(folder / "store.duckdb", read_only=True) as store:
        stored = Counter(user for (user,) in store.rows('SELECT "user" FROM interactions'))
    return [msgspec.json.decode(line, type=str) for line in lines], stored


def as_markdown(soaked: Soaked) -> str:
    """The block in docs/results/speed.md."""
    rows = [
        [f"questions asked, and found in {QUESTIONS}", *map(str, soaked.questions)],
        ["words said, and found in the store", *map(str, soaked.words)],
    ]
    if soaked.beside:
        done, said, stored = soaked.beside
        tried = done + len(soaked.complaints)
        rows.append(
            ["commands of another program, and those that ended well", f"{tried}", f"{done}"]
        )
        rows.append(["words that it said, and found in the store", str(said), str(stored)])
    memory = ", ".join(f"{size:.0f} after {count}" for count, size in soaked.memory.items())
    return (
        f"{soaked.origin.as_text()} {soaked.minutes} minutes; {soaked.load} processes wanted one "
        f"of the cores.\n\n{markdown_table(['', 'done', 'kept'], rows)}\n\n"
        f"{soaked.keys:,} keys besides the letters of questions; the model's process was killed "
        f"{soaked.kills} times while it worked. The app's memory (resident, MiB) by questions: "
        f"{memory}. It ended with exit code {soaked.exit_code}, and left {soaked.left_running} "
        f"processes behind." + "".join(f"\n\n{told}" for told in soaked.complaints)
    )
