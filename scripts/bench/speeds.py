"""Models timed: the options of such a bench, and two trainers held against each other."""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Sequence

import msgspec


class Speeds(msgspec.Struct, frozen=True, kw_only=True):
    """Tokens a second at the median of the rounds.

    Args:
        ours: Of localrec.
        theirs: Of TRL.
        ratio: Of the two; above 1 where ours is faster.
        about: What was measured, and what else was found.
    """

    ours: float
    theirs: float
    ratio: float
    about: dict[str, float]


def speeds(ours: Sequence[float], theirs: Sequence[float], **about: float) -> Speeds:
    """What the rounds of both came to."""
    mine, other = statistics.median(ours), statistics.median(theirs)
    return Speeds(ours=mine, theirs=other, ratio=mine / other, about=about)


def speed_options(parser: argparse.ArgumentParser) -> None:
    """The options of all of these benches."""
    parser.add_argument("--model", default="smollm2-135m")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=1)
