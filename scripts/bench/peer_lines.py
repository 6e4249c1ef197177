"""One line of the bench beside peers: both sides in turn, their processor time, the ratio."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from typing import Literal

import msgspec
import numpy as np
from findings import ROOT, say

Seconds = Callable[[], float]
Unit = Literal["ratio", "ms"]


class Wanted(msgspec.Struct, frozen=True):
    """The most that a line may take: of its ratio, or of our milliseconds."""

    at_most: float
    of: Unit = "ratio"

    def __str__(self) -> str:
        return f"{self.at_most:.3g}{' ms' * (self.of == 'ms')}"


class PeerLine(msgspec.Struct, frozen=True, kw_only=True):
    """One line of the bench.

    Args:
        name: What is done.
        peer: What does it instead.
        ours_s: Seconds of localrec, the median.
        peer_s: Seconds of the peer, the median.
        ratio: Ours over the peer's, the median over the pairs.
        low: The first quartile of the ratios.
        high: The third quartile.
        wanted: What was asked for; None where nothing was.
        told: What else was found, such as a recall.
        by_clock: Whether the clock was read; else the processor's time, of all threads.
    """

    name: str
    peer: str
    ours_s: float
    peer_s: float
    ratio: float
    low: float
    high: float
    wanted: Wanted | None = None
    told: str = ""
    by_clock: bool = False

    @property
    def reached(self) -> bool | None:
        """Whether the line is as it was wanted; None where nothing was."""
        if self.wanted is None:
            return None
        found = self.ratio if self.wanted.of == "ratio" else 1000 * self.ours_s
        return found <= self.wanted.at_most


def compare(
    name: str,
    peer: str,
    pair: tuple[Seconds, Seconds],
    repeat: int,
    wanted: Wanted | None = None,
    *,
    told: str = "",
    warm_up: bool = True,
    by_clock: bool = False,
) -> PeerLine:
    """Do both in turn; every second pair begins with the peer."""
    say(name)
    ours, theirs = pair
    if warm_up:
        ours(), theirs()
    spent = []
    for number in range(repeat):
        if number % 2:
            other = theirs()
            mine = ours()
        else:
            mine = ours()
            other = theirs()
        spent.append((mine, other))
    low, middle, high = np.percentile([mine / other for mine, other in spent], [25, 50, 75])
    ours_s, peer_s = (statistics.median(side) for side in zip(*spent, strict=True))
    return PeerLine(
        name=name,
        peer=peer,
        ours_s=ours_s,
        peer_s=peer_s,
        ratio=float(middle),
        low=float(low),
        high=float(high),
        wanted=wanted,
        told=told,
        by_clock=by_clock,
    )


def each(work: Callable[[], object], times: int = 1) -> float:
    """Processor seconds of some work that is done so many times, all threads counted: of one."""
    begun = time.process_time()
    for _ in range(times):
        work()
    return (time.process_time() - begun) / times


def program(workspace: str) -> list[str]:
    """How localrec is started over a workspace."""
    return [sys.executable, "-m", "localrec", "--workspace", workspace]


def run_command(command: Sequence[str]) -> float:
    """Run a command to its end; returns its processor seconds."""
    process = started(command)
    told = process.stderr.read() if process.stderr else b""
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{told.decode(errors='replace')}")
    return used.ru_utime + used.ru_stime


def first_byte(command: Sequence[str]) -> float:
    """Run a command; returns the seconds by the clock until it writes something."""
    begun = time.perf_counter()
    process = started(command, stdout=subprocess.PIPE)
    if not process.stdout or not process.stdout.read(1):
        raise SystemExit(f"{' '.join(command)} wrote nothing.")
    spent = time.perf_counter() - begun
    process.communicate()
    return spent


def started(command: Sequence[str], stdout: int = subprocess.DEVNULL) -> subprocess.Popen[bytes]:
    """Start a command with this working tree's modules, and nothing that learns behind it."""
    paths = os.pathsep.join([str(ROOT), str(ROOT / "tui")])
    environment = {**os.environ, "PYTHONPATH": paths, "LOCALREC_LEARN": "off"}
    return subprocess.Popen(command, env=environment, stdout=stdout, stderr=subprocess.PIPE)
