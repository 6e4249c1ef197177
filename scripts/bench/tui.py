"""Measure what a person at the app waits for, in a pseudo-terminal: keys go in, frames come out.

Run:
    python scripts/studies/run.py tui [--repeat 7] [--keys 60] [--stops 12] [--arrows 1000]
        [--cache FOLDER] [--report]

Start until the first screen is drawn, key to screen while a local model thinks, Esc until the
question has stopped, letters into the search of a large catalogue (`browse.py`'s), and arrows in
its list, until the row is painted and until the facts of the item stand beside it. The app is the
real one with the real SmolLM2; every time is from the write of the key to the read of the piece
that shows what follows. The peer is a bare Textual app with one line to type in: it is started in
turn with the app, and gets every letter in turn with it, so that what else the machine does meets
both. Ratios carry over to other machines, times do not.
"""

from __future__ import annotations

import argparse
import os
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import msgspec
from browse import open_catalogue
from findings import Findings, add_folder, origin_of, say
from gold_questions import build_workspace
from terminal import Terminal, model_of, processor_s

from localrec.evaluation.provenance import Origin
from localrec.evaluation.reporting.markdown import markdown_table

PAUSE_S = 0.08  # between letters: a quick typist
TYPED = "something with gin and lime for a long evening"
PER_QUESTION = 6  # letters typed into one question, so that the model thinks all the while
MODEL_WORKS_S = 0.1  # of its processor time: it has a prompt by then
SEARCHED = ("gin lime", "rum mint", "vodka cream")
QUIET_S = 0.15  # nothing drawn for so long: what the pane beside the list reads last has come too
FACTS = r"Ingredient +\w|Recipe"  # the labels that the pane beside the list writes with each item
BARE = """
from textual.app import App
from textual.widgets import Footer, Input
class Bare(App):
    BINDINGS = [("ctrl+q", "quit", "Quit")]
    def compose(self):
        yield Input(placeholder="Bare")
        yield Footer()
Bare().run()
"""


class Figure(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that is waited for, in milliseconds; the peer's where it can do the same."""

    name: str
    quickest: float
    median: float
    percentile_99: float = 0.0
    worst: float
    times: int
    peer: float | None = None
    wanted: float | None = None


class Measured(msgspec.Struct, frozen=True, kw_only=True):
    """One run; `load` is how many processes wanted a core before, and at the end."""

    origin: Origin
    load: tuple[float, float]
    figures: tuple[Figure, ...]


def add_options(parser: argparse.ArgumentParser) -> None:
    """What the command line takes."""
    parser.add_argument("--repeat", type=int, default=7, help="starts of each program")
    parser.add_argument("--keys", type=int, default=60, help="letters beside a thinking model")
    parser.add_argument("--stops", type=int, default=12, help="questions that are stopped")
    parser.add_argument("--items", type=int, default=100_000, help="of the catalogue searched")
    parser.add_argument("--edges", type=int, default=1_000_000)
    parser.add_argument("--arrows", type=int, default=1_000, help="arrows in the list of that")
    add_folder(parser, "--cache", "bench", "where the catalogues stay between runs")


def measure(asked: argparse.Namespace) -> Findings:
    """Measure every wait, and the load of the machine around it."""
    before = os.getloadavg()[0]
    figures = measure_all(asked)
    measured = Measured(
        origin=origin_of("tui", *_shown(asked)),
        load=(round(before, 1), round(os.getloadavg()[0], 1)),
        figures=tuple(figures),
    )
    return Findings(text=as_markdown(measured), page="speed", block="bench-tui", figures=measured)


def measure_all(asked: argparse.Namespace) -> list[Figure]:
    """All figures; what is measured is told as it goes."""
    drinks = open_drinks(asked.cache)
    large = open_catalogue(asked.cache, asked.items, asked.edges)
    say("starts")
    figures = measure_starts(drinks, asked.repeat)
    with Terminal(app_over(drinks)) as app, Terminal(bare()) as peer:
        open_ask(app)
        peer.wait_for("Bare")
        peer.rest(0.5)
        say("letters, nothing else going on")
        figures.append(measure_letters(app, peer, asked.keys))
        say("letters beside the model")
        choose_who_answers(app, "down")
        figures.append(measure_beside_model(app, peer, asked.keys))
        say("stops")
        choose_who_answers(app, *["down"] * 3)
        figures.append(measure_stops(app, asked.stops))
    say("searches")
    with Terminal(app_over(large)) as app:
        figures += measure_searches(app, asked.items)
    say("arrows")
    with Terminal(app_over(large)) as app:
        figures += measure_arrows(app, asked.items, asked.arrows)
    return figures


def app_over(folder: Path) -> list[str]:
    """The command that opens the app over a workspace."""
    return [sys.executable, "-m", "localrec", "--workspace", str(folder), "tui"]


def bare() -> list[str]:
    """The command that opens the peer."""
    return [sys.executable, "-c", BARE]


def open_drinks(cache: Path) -> Path:
    """The bundled drinks with MiniLM's vectors, built where they are not there yet."""
    return build_workspace(cache / "tui-drinks")


# --- starting ---


def measure_starts(folder: Path, repeat: int) -> list[Figure]:
    """From the start of the process until its first screen; and a Python that does nothing."""
    ours, peers, idle = [], [], []
    for _ in range(repeat):
        ours.append(_first_paint(app_over(folder), r"\[1 Home\]"))
        peers.append(_first_paint(bare(), "Bare"))
        idle.append(_spent_ms([sys.executable, "-c", "pass"]))
    peer = statistics.median(peers)
    return [
        _figure("start to first screen", ours, peer=peer, wanted=1_000),
        _figure("the peer's share of it that is Python itself", idle, peer=peer),
    ]


def _first_paint(command: Sequence[str], shown: str) -> float:
    with Terminal(command) as program:
        spent, _ = program.wait_for(shown)
        program.rest(0.3)  # a program that is left before it has settled may complain
    return 1_000 * spent


def _spent_ms(command: Sequence[str]) -> float:
    started = time.perf_counter()
    subprocess.run(command, check=True)
    return 1_000 * (time.perf_counter() - started)


# --- typing ---


def measure_letters(app: Terminal, peer: Terminal, keys: int) -> Figure:
    """Letters into the line while nothing else goes on."""
    ours, peers = _type_in_turn(app, peer, keys)
    return _figure("key to screen", ours, peer=statistics.median(peers), wanted=50)


def measure_beside_model(app: Terminal, peer: Terminal, keys: int) -> Figure:
    """Letters while the model thinks about questions, until there are enough."""
    ours: list[float] = []
    peers: list[float] = []
    while len(ours) < keys:
        think(app, f"a drink with gin for {len(ours)} people")
        clear(app)
        more = _type_in_turn(app, peer, min(PER_QUESTION, keys - len(ours)))
        ours += more[0]
        peers += more[1]
        app.press("escape")
        app.wait_for(r"Stopped after|\d s\. By ")
    return _figure(
        "key to screen while the model thinks", ours, peer=statistics.median(peers), wanted=50
    )


def _type_in_turn(app: Terminal, peer: Terminal, keys: int) -> tuple[list[float], list[float]]:
    """Milliseconds per letter: the app's and the peer's."""
    spent: tuple[list[float], list[float]] = ([], [])
    for number in range(keys):
        end = number % len(TYPED) + 1
        for program, taken in zip((app, peer), spent, strict=True):
            if end == 1:
                clear(program)
            program.listen(PAUSE_S)
            program.press(TYPED[end - 1])
            # Behind the frame of the line: a letter alone may stand anywhere.
            seconds, _ = program.wait_for(f"[│▊] +{re.escape(TYPED[:end].rstrip())}")
            taken.append(1_000 * seconds)
    return spent


def clear(program: Terminal, timeout_s: float = 60.0) -> None:
    """Empty the line; a letter that comes in the same burst would overtake the key in Textual."""
    program.press("end", "ctrl+u")
    program.wait_for("What would you like|Bare", timeout_s)


def open_ask(app: Terminal) -> None:
    """Go from the first room to Ask, whose line has the focus."""
    app.wait_for("What would you like")
    app.rest(0.5)
    app.press("f7")
    app.wait_for(r"\[2 Ask\]")
    app.wait_for("About: ")
    app.rest(0.5)


def choose_who_answers(app: Terminal, *keys: str) -> None:
    """Go on in the list of who may answer."""
    app.press("f6")
    app.wait_for(r"Who answers\?")
    app.press(*keys)
    app.rest(0.3)
    app.press("enter")
    app.wait_for("Answers: ")
    app.rest(0.2)


def think(app: Terminal, question: str) -> int:
    """Ask, and return the model's process as soon as it works at the question."""
    before = {one: processor_s(one) for one in filter(None, [model_of(app.process)])}
    clear(app)
    app.press(question)
    app.wait_for(re.escape(question))
    app.press("enter")
    app.wait_for("Thinking")
    while (model := model_of(app.process)) is None or (
        processor_s(model) - before.get(model, 0.0) < MODEL_WORKS_S
    ):
        app.listen(0.01)
    return model


# --- stopping ---


def measure_stops(app: Terminal, stops: int) -> Figure:
    """Esc until it says that the question has stopped, while an agent's long prompt is read."""
    spent = []
    for number in range(stops):
        think(app, f"a drink with gin for {number} people")
        app.listen(0.1 * (number % 4))  # the moment should not matter
        app.press("escape")
        seconds, _ = app.wait_for("Stopped after")
        spent.append(1_000 * seconds)
        app.rest(0.2)
    return _figure("Esc to stopped, an agent's long prompt", spent, wanted=500)


# --- searching ---


def measure_searches(app: Terminal, items: int) -> list[Figure]:
    """Letters into the search of Browse; then the same search turned round by a key."""
    open_ask(app)
    app.press("f7")
    app.wait_for(f"of {items:,} ")
    by_letter, by_key = [], []
    app.press("/")
    for words in SEARCHED:
        for letter in words:
            app.rest(PAUSE_S)  # what is still drawn of the letter before would pass for this one's
            app.press(letter)
            if letter == " ":  # alone it changes nothing
                continue
            seconds, _ = app.wait_for(r"1 to [\d,]+ of [\d,]+ ")
            by_letter.append(1_000 * seconds)
        app.press("down")
        for _ in range(4):
            app.rest(0.3)
            app.press("r")
            seconds, _ = app.wait_for(r"1 to [\d,]+ of [\d,]+ ")
            by_key.append(1_000 * seconds)
        app.press("escape")  # from the list to the line
        app.rest(0.3)
        app.press("escape")  # and out of the line what was typed
        app.wait_for(f"of {items:,} ")
    size = f"{items:,} items"
    return [
        _figure(f"letter to the items that have it, {size}", by_letter, wanted=100),
        _figure("the same search turned round by R", by_key, wanted=100),
    ]


# --- arrows ---


def measure_arrows(app: Terminal, items: int, arrows: int) -> list[Figure]:
    """Arrows in the list of Browse: until anything of it is painted, and the item beside it."""
    open_ask(app)
    app.press("f7")
    app.wait_for(f"of {items:,} ")
    app.press("down")
    painted, told = [], []
    for _ in range(arrows):
        app.rest(QUIET_S)
        app.press("down")
        painted.append(1_000 * app.wait_for(r"\w")[0])
        told.append(1_000 * app.wait_for(FACTS)[0])
    return [
        _figure(f"arrow to the painted row, a list of {items:,} items", painted, wanted=50),
        _figure("arrow to the painted facts of the item beside it", told, wanted=50),
    ]


# --- telling ---


def _figure(
    name: str, spent: Sequence[float], peer: float | None = None, wanted: float | None = None
) -> Figure:
    return Figure(
        name=name,
        quickest=min(spent),
        median=statistics.median(spent),
        percentile_99=sorted(spent)[int(0.99 * (len(spent) - 1))],
        worst=max(spent),
        times=len(spent),
        peer=peer,
        wanted=wanted,
    )


def as_markdown(measured: Measured) -> str:
    """The block in docs/results/speed.md."""
    head = ["ms", "quickest", "median", "99th percentile", "worst", "times"]
    head += ["peer's median", "ratio", "wanted", ""]
    rows = [_cells(one) for one in measured.figures]
    before, after = measured.load
    return (
        f"{measured.origin.as_text()} Processes that wanted one of the cores: {before} before, "
        f"{after} at the end.\n\n{markdown_table(head, rows)}"
    )


def _cells(one: Figure) -> list[str]:
    peer = "" if one.peer is None else f"{one.peer:.0f}"
    ratio = "" if one.peer is None else f"{one.median / one.peer:.2f}"
    wanted = "" if one.wanted is None else f"median under {one.wanted:,.0f}"
    met = "" if one.wanted is None else "ok" if one.median < one.wanted else "missed"
    spent = (one.quickest, one.median, one.percentile_99, one.worst)
    times = [*(f"{value:.0f}" for value in spent), str(one.times)]
    return [one.name, *times, peer, ratio, wanted, met]


def _shown(asked: argparse.Namespace) -> list[str]:
    names = ("repeat", "keys", "stops", "items", "edges", "arrows")
    return [f"--{name} {getattr(asked, name)}" for name in names]
