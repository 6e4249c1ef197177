"""The ratios of earlier runs of the bench beside peers, and the lines that lost since."""

from __future__ import annotations

import os
import statistics
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from localrec.evaluation.provenance import Origin
from localrec.foundation.machine import usable_cores

FILE = "bench-peers-history.json"
LOSS = 1.1  # a line is worse from this share of its usual ratio on
LAST = 2  # runs that must all be worse: one alone may have had a bad day
EARLIER = 3  # runs that make a usual ratio
_BUSY = 0.5  # processes that want a core, over the cores, from which a run is told from quiet ones
_OF_PEERS = ("Python", "duckdb", "numpy", "hnswlib")


class PastRun(msgspec.Struct, frozen=True, kw_only=True):
    """What is kept of a run.

    Args:
        date: Its day.
        conditions: What ratios depend on beside the code: machine; versions; how busy it was.
        ratios: The median ratio of each line.
    """

    date: str
    conditions: str
    ratios: dict[str, float]


def conditions_of(origin: Origin, load: float) -> str:
    """Where and how a run was made: the machine first, how busy it was last.

    Args:
        origin: Of the figures.
        load: Processes that wanted a core before the run.
    """
    versions = [f"{name} {origin.versions[name]}" for name in _OF_PEERS if name in origin.versions]
    state = "busy" if load > _BUSY * usable_cores() else "quiet"
    return "; ".join([origin.machine, *versions, state])


def load_now() -> float:
    """Processes that wanted a core in the last minute."""
    return os.getloadavg()[0]


def read_history(figures: Path) -> list[PastRun]:
    """The runs that were kept in a folder of figures, oldest first."""
    path = figures / FILE
    return msgspec.json.decode(path.read_bytes(), type=list[PastRun]) if path.is_file() else []


def losses(history: Sequence[PastRun]) -> dict[str, str]:
    """Lines that were more than a tenth above their usual ratio in the last two runs with them.

    The usual one is the median of at least three runs before those two, on the same machine as
    busy: one lucky run, with a slow peer, sets no standard that nothing can meet again.
    Another version of a peer is compared as well, because a peer that became faster is a loss too.

    Returns:
        What happened, by line.
    """
    found = {}
    for name, ratios in _by_line(history).items():
        before, last = ratios[:-LAST], ratios[-LAST:]
        if len(before) >= EARLIER and min(last) > LOSS * statistics.median(before):
            told = " and ".join(f"{ratio:.2f}" for ratio in last)
            found[name] = f"{told}, usually {statistics.median(before):.2f}"
    return found


def warnings(history: Sequence[PastRun]) -> dict[str, str]:
    """Lines whose last run alone was a tenth above the usual ratio: the next one will tell.

    Returns:
        What happened, by line; those that are lost already are left out.
    """
    lost, found = losses(history), {}
    for name, ratios in _by_line(history).items():
        before, last = ratios[:-1], ratios[-1]
        if name not in lost and before and last > LOSS * statistics.median(before):
            found[name] = f"{last:.2f}, usually {statistics.median(before):.2f}"
    return found


def _by_line(history: Sequence[PastRun]) -> dict[str, list[float]]:
    """The ratios of each line in the runs that were made where and as its last one was.

    A line's name tells its size, so that sizes are never compared with each other.
    """
    found = {}
    for name in {name: None for run in history for name in run.ratios}:
        having = [run for run in history if name in run.ratios]
        place = _place_of(having[-1])
        found[name] = [run.ratios[name] for run in having if _place_of(run) == place]
    return found


def _place_of(run: PastRun) -> tuple[str, str]:
    """The machine of a run, and how busy it was; the versions stand between them."""
    parts = run.conditions.split("; ")
    return parts[0], parts[-1]


def as_told(lost: Mapping[str, str], once: Mapping[str, str]) -> str:
    """Losses and warnings in words, a line each."""
    told = [f"{name}: {text}" for name, text in lost.items()]
    told += [f"{name}: {text} (one run; measure again)" for name, text in once.items()]
    return "\n".join(told) or "No line lost a tenth."
