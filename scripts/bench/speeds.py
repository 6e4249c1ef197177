"""Models timed: how such a script begins and ends, and two trainers held against each other."""

from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Callable, Sequence

import msgspec

from localrec.foundation.errors import LocalrecError


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


def parser_of(doc: str | None) -> argparse.ArgumentParser:
    """What all of these scripts take."""
    parser = argparse.ArgumentParser(
        description=doc, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", default="smollm2-135m")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=1)
    return parser


def run(
    measure: Callable[[argparse.Namespace], msgspec.Struct], parser: argparse.ArgumentParser
) -> int:
    """Measure and print; the exit code."""
    asked = parser.parse_args()
    try:
        found = measure(asked)
    except LocalrecError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    print(msgspec.json.format(msgspec.json.encode(found), indent=1).decode())
    return 0
