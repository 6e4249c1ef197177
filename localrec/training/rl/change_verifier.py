"""Keep what an agent changed in the default's order only where it is sure.

An answer names the candidate to put first, or keeps the default's. How sure a change is, is the
lead of its probability over that of keeping. The least lead that counts is calibrated on requests
whose right answer is known, and which came before those that are measured: it is the one with the
largest mean gain. Where no change gains anything there is none, and the default's order stands.
"""

from __future__ import annotations

import msgspec
import numpy as np
from numpy.typing import NDArray

from localrec.data.records import Record
from localrec.training.rl.rewards import answer_gains

Floats = NDArray[np.float64]


class ChangeVerifier(msgspec.Struct, Record, frozen=True, kw_only=True):
    """The least lead with which a change counts, and what it did where it was calibrated.

    Args:
        least_lead: Least lead of a change over keeping; None: no change counts.
        cases: Requests that it was calibrated on.
        coverage: Share of these whose order it changes.
        gain: Their mean gain in NDCG with it.
        alone: Their mean gain if all changes counted.
    """

    least_lead: float | None
    cases: int
    coverage: float = 0.0
    gain: float = 0.0
    alone: float = 0.0

    def verified(self, probabilities: Floats) -> NDArray[np.intp]:
        """Return the place to put first for each request; 0 keeps the default's, (b,).

        Args:
            probabilities: Of each answer, keeping in front, (b, s).
        """
        places, leads = _changes(probabilities)
        if self.least_lead is None:
            return np.zeros_like(places)
        return np.where(leads >= self.least_lead, places, 0)

    def as_sentence(self) -> str:
        """Write what was calibrated as a sentence."""
        alone = f"Alone the agent's changes gain {self.alone:+.4f} NDCG"
        if self.least_lead is None:
            return f"{alone} over {self.cases} calibrating requests; none is sure enough to count."
        return (
            f"{alone} over {self.cases} calibrating requests; those with a lead of at least "
            f"{self.least_lead:.2f}, {self.coverage:.1%} of the lists, {self.gain:+.4f}."
        )


def calibrated_verifier(probabilities: Floats, choices: NDArray[np.intp]) -> ChangeVerifier:
    """Find the least lead with the largest mean gain; of equal gains that of the fewest changes.

    Args:
        probabilities: Of each answer, keeping in front, (b, s).
        choices: Place of the chosen candidate in the default's order, (b,).
    """
    places, leads = _changes(probabilities)
    gains = gains_of(places, choices, probabilities.shape[1])
    surest = np.argsort(-leads, kind="stable")
    surest = surest[leads[surest] > 0]
    sums = np.cumsum(gains[surest])
    # Changes of equal leads count all or not at all.
    ends = np.flatnonzero(np.diff(leads[surest], append=-np.inf))
    many, alone = len(choices), float(np.where(leads > 0, gains, 0.0).mean())
    if not len(ends) or sums[ends].max() <= 0:
        return ChangeVerifier(least_lead=None, cases=many, alone=alone)
    best = int(ends[np.argmax(sums[ends])])
    return ChangeVerifier(
        least_lead=float(leads[surest[best]]),
        cases=many,
        coverage=(best + 1) / many,
        gain=float(sums[best]) / many,
        alone=alone,
    )


def gains_of(places: NDArray[np.intp], choices: NDArray[np.intp], shown: int) -> Floats:
    """Compute the gain of putting a place first, (b,).

    Args:
        places: The places that are put first, (b,).
        choices: Place of the chosen candidate in the default's order, beyond the shown ones too.
        shown: Number of shown candidates.
    """
    told = [
        answer_gains(choice, shown)[place] if choice < shown else 0.0
        for place, choice in zip(places.tolist(), choices.tolist(), strict=True)
    ]
    return np.array(told)


def _changes(probabilities: Floats) -> tuple[NDArray[np.intp], Floats]:
    """Return the likeliest change of each request, and its lead over keeping, (b,) each."""
    places = 1 + probabilities[:, 1:].argmax(axis=1)
    likely = np.take_along_axis(probabilities, places[:, None], axis=1)[:, 0]
    return places, likely - probabilities[:, 0]
