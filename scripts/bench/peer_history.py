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
        conditions: What ratios depend on beside the code: machine, versions, how busy it was.
        ratios: The median ratio of each line.
    """

    date: str
    conditions: str
    ratios: dict[str, float]


def conditions_of(origin: Origin, load: float) -> str:
    """What two runs must have in common to be compared.

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

    The usual one is the median of the runs before those two, under the same conditions as the last:
    one lucky run, with a slow peer, sets no standard that nothing can meet again.

    Returns:
        What happened, by line.
    """
    found = {}
    for name in {name: None for run in history for name in run.ratios}:
        ratios = _comparable(history, name)
        before, last = ratios[:-LAST], ratios[-LAST:]
        if len(before) < EARLIER:
            continue
        usual = statistics.median(before)
        if min(last) > LOSS * usual:
            told = " and ".join(f"{ratio:.2f}" for ratio in last)
            found[name] = f"{told}, usually {usual:.2f}"
    return found


def _comparable(history: Sequence[PastRun], name: str) -> list[float]:
    """The ratios of a line in the runs that were made as the last with it."""
    having = [run for run in history if name in run.ratios]
    return [run.ratios[name] for run in having if run.conditions == having[-1].conditions]


def as_told(lost: Mapping[str, str]) -> str:
    """The losses in words, a line each."""
    told = "\n".join(f"{name}: {text}" for name, text in lost.items())
    return told or "No line lost a tenth twice."
