"""Measure the app beside other Textual apps: harlequin, posting and oterm, each in its own venv.

Run:
    python scripts/studies/run.py tui_peers [--peers FOLDER] [--repeat 5] [--keys 100] [--report]

The peers are installed where they are not there yet, which alone uses a network. Each program is
started in turn, in a pseudo-terminal of 120 by 40, until its first screen is drawn. Then letters go
into its line, each in turn with the others. Processor time is what counts here: a busy machine
moves the clock, not that. Last, the app's memory after 100 and after 1,000 actions (rooms, lists,
items, dialogs), and keys in a list of many items with the item shown beside it.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec
from browse import open_catalogue
from findings import Findings, add_folder, origin_of, say
from peer_environments import python_of
from terminal import Terminal, processor_s, resident_mib

from localrec.evaluation.provenance import Origin
from localrec.evaluation.reporting.markdown import markdown_table
from tui import app_over, open_drinks

OURS = "localrec"
# What stands on the first screen; what must be pressed until a line has the focus.
FIRST: Mapping[str, str] = {
    OURS: "What would you like",
    "harlequin": "Query Editor",
    "posting": "Collection",
    "oterm": "Welcome to oterm",
}
# What goes into the environment of each. With tree-sitter 0.26 posting 2.11.1 dies of a signal.
PEERS: Mapping[str, tuple[str, ...]] = {
    "harlequin": ("harlequin==2.17.0",),
    "posting": ("posting==2.11.1", "tree-sitter<0.26"),
    "oterm": ("oterm==0.26.1",),
}
# An animation that a person can switch off would count as oterm's start.
CALM = ("OTERM_DATA_DIR", "config.json", '{"splash-screen": false}')
TO_LINE: Mapping[str, tuple[str, ...]] = {
    "posting": ("\x0c",),  # Ctrl+L: the address
    "oterm": ("\x10",),  # Ctrl+P: its palette, its only line where no model server is
}
LETTERS = "selectgin"
ACTIONS = ("down", "down", "up", "f7", "down", "enter", "escape", "f7", "f1", "escape")
FEW, MANY = 100, 1_000
PAUSE_S = 0.06


class Program(msgspec.Struct, frozen=True, kw_only=True):
    """What one program took: medians over starts and letters."""

    name: str
    start_ms: float  # by the clock
    start_cpu_ms: float
    key_ms: float  # by the clock
    key_cpu_ms: float
    memory_mib: float  # after its first screen


class Measured(msgspec.Struct, frozen=True, kw_only=True):
    """One run; `load` is how many processes wanted a core at its end."""

    origin: Origin
    load: float
    programs: tuple[Program, ...]
    memory: dict[int, float]  # the app's, in MiB, by actions
    list_keys: dict[str, float]  # in a long list, by the clock
    items: int


def add_options(parser: argparse.ArgumentParser) -> None:
    """What the command line takes."""
    add_folder(parser, "--peers", "peers", "the environments of the peers")
    parser.add_argument("--repeat", type=int, default=5, help="starts of each program")
    parser.add_argument("--keys", type=int, default=100, help="letters into each line")
    parser.add_argument("--items", type=int, default=100_000, help="of the long list")
    parser.add_argument("--edges", type=int, default=1_000_000)
    add_folder(parser, "--cache", "bench", "where the catalogues stay between runs")


def measure(asked: argparse.Namespace) -> Findings:
    """Measure all programs in turn, then the app's memory and its long list."""
    drinks = open_drinks(asked.cache)
    commands = {OURS: app_over(drinks)}
    for name in PEERS:
        commands[name] = [str(install_peer(asked.peers, name))]
    measured = Measured(
        origin=origin_of("tui_peers", f"--repeat {asked.repeat}", f"--keys {asked.keys}"),
        programs=tuple(compare(commands, asked.repeat, asked.keys)),
        memory=measure_memory(drinks),
        list_keys=measure_list(open_catalogue(asked.cache, asked.items, asked.edges), asked.keys),
        items=asked.items,
        load=round(os.getloadavg()[0], 1),
    )
    return Findings(text=as_markdown(measured), page="speed", block="tui-peers", figures=measured)


def install_peer(folder: Path, name: str) -> Path:
    """The program of a peer, in an environment of its own."""
    return python_of(folder, *PEERS[name]).with_name(name)


def compare(commands: Mapping[str, Sequence[str]], repeat: int, keys: int) -> list[Program]:
    """Start all programs so often, each in turn with the others, then type into all of them."""
    starts: dict[str, list[tuple[float, float]]] = {name: [] for name in commands}
    with tempfile.TemporaryDirectory() as home:
        place, file, content = CALM
        (Path(home) / file).write_text(content)
        settings = {place: home}
        for _ in range(repeat):
            for name, command in commands.items():
                with Terminal(command, settings, Path(home)) as program:
                    spent, _found = program.wait_for(FIRST[name], 180)
                    starts[name].append((spent, processor_s(program.process)))
                    program.rest(0.5)
            told = (f"{name} {found[-1][1]:.2f} s" for name, found in starts.items())
            say(f"started {', '.join(told)}")
        opened = {name: Terminal(one, settings, Path(home)) for name, one in commands.items()}
        try:
            typed = type_in_turn(opened, keys)
            memory = {name: resident_mib(one.process) for name, one in opened.items()}
        finally:
            for program in opened.values():
                program.close()
    return [
        Program(
            name=name,
            start_ms=1_000 * statistics.median(one for one, _ in starts[name]),
            start_cpu_ms=1_000 * statistics.median(one for _, one in starts[name]),
            key_ms=1_000 * statistics.median(typed[name][0]),
            key_cpu_ms=1_000 * typed[name][1],
            memory_mib=memory[name],
        )
        for name in commands
    ]


def type_in_turn(opened: Mapping[str, Terminal], keys: int) -> dict[str, tuple[list[float], float]]:
    """Seconds until each letter stands there, and processor seconds of one letter."""
    for name, program in opened.items():
        program.wait_for(FIRST[name], 180)
        program.rest(3.0)
        for key in TO_LINE.get(name, ()):
            program.press(key)
            program.rest(1.0)
    clock: dict[str, list[float]] = {name: [] for name in opened}
    before = {name: processor_s(one.process) for name, one in opened.items()}
    for number in range(keys):
        for name, program in opened.items():
            program.listen(PAUSE_S)
            program.press(LETTERS[number % len(LETTERS)])
            seconds, _ = program.wait_for(LETTERS[number % len(LETTERS)], 60)
            clock[name].append(seconds)
    spent = {name: processor_s(one.process) - before[name] for name, one in opened.items()}
    return {name: (clock[name], spent[name] / keys) for name in opened}


def measure_memory(folder: Path) -> dict[int, float]:
    """The app's resident memory after a few actions and after many."""
    found = {}
    with Terminal(app_over(folder)) as app:
        app.wait_for(FIRST[OURS], 180)
        app.rest(2.0)
        for number in range(1, MANY + 1):
            app.press(ACTIONS[number % len(ACTIONS)])
            app.listen(0.15 if ACTIONS[number % len(ACTIONS)] == "escape" else 0.03)
            if number in (FEW, MANY):
                app.rest(1.0)
                found[number] = round(resident_mib(app.process), 1)
    say(f"memory: {found}")
    return found


def measure_list(folder: Path, keys: int) -> dict[str, float]:
    """Milliseconds from an arrow in a long list to its paint, and to the item beside it."""
    paint, beside = [], []
    with Terminal(app_over(folder)) as app:
        app.wait_for(FIRST[OURS], 180)
        app.rest(1.0)
        app.press("3")
        app.rest(0.5)
        app.press("enter")  # a lone number and Enter lead to the room
        app.wait_for(r"1 to \d+ of", 180)
        app.rest(3.0)
        app.press("down")
        app.rest(1.0)
        before = processor_s(app.process)
        for _ in range(keys):
            app.rest(0.3)
            app.press("down")
            app.listen(0.001)
            seconds, _found = app.wait_for(r"[│ ]", 60)
            paint.append(1_000 * seconds)
            seconds, _found = app.wait_for("Ingredient|Recipe|Glass", 60)
            beside.append(1_000 * seconds)
        spent = processor_s(app.process) - before
    return {
        "key to paint, median": statistics.median(paint),
        "key to paint, 99th percentile": sorted(paint)[int(0.99 * (len(paint) - 1))],
        "key to the item beside it, median": statistics.median(beside),
        "processor time of a key and its item": 1_000 * spent / keys,
    }


def as_markdown(measured: Measured) -> str:
    """The block in docs/results/speed.md."""
    head = [
        "",
        "start, ms of processor",
        "start, ms by the clock",
        "a letter, ms of processor",
        "a letter, ms by the clock",
        "MiB",
    ]
    rows = [
        [
            one.name,
            *(f"{value:,.0f}" for value in (one.start_cpu_ms, one.start_ms)),
            *(f"{value:.1f}" for value in (one.key_cpu_ms, one.key_ms)),
            f"{one.memory_mib:.0f}",
        ]
        for one in measured.programs
    ]
    memory = ", ".join(f"{size:.0f} MiB after {count:,}" for count, size in measured.memory.items())
    listed = ", ".join(f"{name} {value:.0f} ms" for name, value in measured.list_keys.items())
    return (
        f"{measured.origin.as_text()} {measured.load} processes wanted one of the cores.\n\n"
        f"{markdown_table(head, rows)}\n\n"
        f"Actions, and the app's memory: {memory}. In a list of {measured.items:,} items: {listed}."
    )
