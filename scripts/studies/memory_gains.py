"""What the replayed stream comes to: figures of its parts, and what writes and histories bring.

People are resampled whole, since rows of one person go together, and all differences are read
together (Holm's correction).
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence

import msgspec
import numpy as np
from findings import compared_text
from memory_queue import QueueCost, queue_as_markdown
from memory_stream import ARMS, METRICS, NEGATIVES, STEP, Rows, Step, Stream
from numpy.typing import NDArray

from localrec.evaluation.provenance import Origin
from localrec.evaluation.reporting.markdown import markdown_table
from localrec.evaluation.reporting.number_format import with_interval
from localrec.evaluation.statistics import Comparison, IntervalEstimate, compare_all, ratio_estimate

GAPS = {"writes": (ARMS[0], ARMS[1]), "own history": (ARMS[1], ARMS[2])}
PARTS = 4
AUDIENCES = {  # how many people had a film half-way
    "films nobody had half-way": (0, 0),
    "films 1 to 4 people had": (1, 4),
    "films 5 to 49 people had": (5, 49),
    "films 50 or more had": (50, sys.maxsize),
}

Parts = list[tuple[float, float]]


class Group(msgspec.Struct, frozen=True, kw_only=True):
    """Some of the rows that were asked about.

    Args:
        name: Which.
        rows: How many.
        users: Whose.
        metrics: Arm -> metric -> figure.
        gaps: Name of a gap -> metric -> first arm over second; compared over all groups at once.
    """

    name: str
    rows: int
    users: int
    metrics: dict[str, dict[str, IntervalEstimate]]
    gaps: dict[str, dict[str, Comparison]]


class StreamFigures(msgspec.Struct, frozen=True, kw_only=True):
    """One measurement, as the JSON file keeps it.

    Args:
        origin: How it was made.
        each: Rows of a person that were asked about.
        seed: Of these rows, their candidates and the fit.
        weights: Of all arms.
        groups: All rows, then parts of them.
        counting_ms: CPU time that counting anew takes for each row that was learned.
        queue: What a click costs in a workspace.
    """

    origin: Origin
    each: int
    seed: int
    weights: dict[str, float]
    groups: tuple[Group, ...]
    counting_ms: float
    queue: tuple[QueueCost, ...]


def groups_of(stream: Stream, steps: Sequence[Step]) -> Iterator[Group]:
    """All rows, then parts of them; a part without a row is left out."""
    rows = np.array([row for step in steps for row in step.rows], dtype=np.int64)
    figures = {
        (arm, metric): np.array([one for step in steps for one in step.metrics[arm][metric]])
        for arm in ARMS
        for metric in METRICS
    }
    user = stream.data.user[rows]
    groups = {name: mask for name, mask in _masks(stream, rows, user) if mask.any()}
    parts = {
        (name, *key): _by_user(values[mask], user[mask])
        for name, mask in groups.items()
        for key, values in figures.items()
    }
    compared = compare_all(
        {
            f"{name}/{gap}/{metric}": (parts[name, ours, metric], parts[name, theirs, metric])
            for name in groups
            for gap, (ours, theirs) in GAPS.items()
            for metric in METRICS
        }
    )
    for name, mask in groups.items():
        yield Group(
            name=name,
            rows=int(mask.sum()),
            users=len(np.unique(user[mask])),
            metrics={
                arm: {metric: ratio_estimate(parts[name, arm, metric]) for metric in METRICS}
                for arm in ARMS
            },
            gaps={
                gap: {metric: compared[f"{name}/{gap}/{metric}"] for metric in METRICS}
                for gap in GAPS
            },
        )


def _masks(
    stream: Stream, rows: Rows, user: NDArray[np.int32]
) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    """Names and masks over the rows that were asked about.

    By their place in the stream, by whether the person was there half-way, and by how many people
    had the film then: of what nobody had, a memory that stands still knows nothing.
    """
    yield "all", np.ones(len(rows), dtype=bool)
    place = np.empty(len(stream.data), dtype=np.int64)
    place[stream.order] = np.arange(len(stream.order))
    behind = place[rows] - stream.half
    quarter = behind * PARTS // (len(stream.order) - stream.half)
    for number in range(PARTS):
        yield f"quarter {number + 1}", quarter == number
    known = stream.before(stream.half)
    was_there = np.isin(user, known.user)
    yield "people known half-way", was_there
    yield "people who came later", ~was_there
    had = np.bincount(known.item, minlength=known.items)[stream.data.item[rows]]
    for name, (least, most) in AUDIENCES.items():
        yield name, (had >= least) & (had <= most)


def _by_user(values: NDArray[np.float64], user: NDArray[np.int32]) -> Parts:
    """Sum and number of each person's figures: people are resampled whole."""
    users, number = np.unique(user, return_inverse=True)
    sums = np.bincount(number, weights=values, minlength=len(users))
    counts = np.bincount(number, minlength=len(users)).astype(np.float64)
    return list(zip(sums.tolist(), counts.tolist(), strict=True))


def stream_as_markdown(figures: StreamFigures) -> str:
    """What was replayed, a table for each metric, what it costs, where it comes from."""
    everything = figures.groups[0]
    told = [
        "Rows of MovieLens 100K in the order of their time, everybody's last one left out. The "
        f"first half is known; of those behind it {everything.rows:,} rows, at most {figures.each} "
        f"of each of {everything.users} people (seed {figures.seed}), are ranked among "
        f"{1 + NEGATIVES} candidates before they are learned. Writes on: the shared memory is "
        f"counted anew from the rows of everybody every {STEP} rows; off: it stays as it was "
        "half-way, while the person's own history grows; nothing grows: neither does. Weights of "
        "all three are fitted on the last rows of the first half. Brackets: 95% bootstrap "
        "intervals over people, differences paired. **Bold**: separable from nothing (paired "
        "randomisation test over people, Holm's correction for all differences)."
    ]
    for metric in METRICS:
        head = [metric, "rows", "people", *ARMS, "on − off", "off − nothing grows"]
        told.append(markdown_table(head, [_told_group(one, metric) for one in figures.groups]))
    told.append(queue_as_markdown(figures.queue, figures.counting_ms))
    told.append(f"Made by {figures.origin.as_text()}")
    return "\n\n".join(told)


def _told_group(group: Group, metric: str) -> list[str]:
    return [
        group.name,
        f"{group.rows:,}",
        str(group.users),
        *(with_interval(group.metrics[arm][metric], 3) for arm in ARMS),
        *(compared_text(group.gaps[gap][metric]) for gap in GAPS),
    ]
