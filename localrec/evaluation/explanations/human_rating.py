"""Let a person rate the judge's samples blind: the next sample, the ratings, the rest.

Nothing here knows a terminal. Every score, skip and undo is a line of a log file, so that a rater
can stop at any moment and continue later.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from localrec.evaluation.explanations.samples import Sample, shuffled
from localrec.evaluation.explanations.scales import HIGHEST, LOWEST, JudgedScale
from localrec.foundation.jsonl_log import JsonlLog

Place = tuple[str, str, str]  # id, digest, scale


class HumanRating(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One action of a rater.

    Args:
        id: The sample's.
        of: Digest of the text that was read.
        scale: The scale's name.
        score: 1 to 5; None where it was skipped.
        undone: The last word on this is taken back.
    """

    id: str
    of: str
    scale: str
    score: int | None = None
    undone: bool = False

    @property
    def place(self) -> Place:
        """The sample and scale that it is about."""
        return self.id, self.of, self.scale


class RatingPrompt(msgspec.Struct, frozen=True):
    """The next sample and scale to rate: the `number`-th of `total`, from 1."""

    sample: Sample
    scale: JudgedScale
    number: int
    total: int


class RatingSession:
    """Lead a person through samples and scales in a random order.

    Args:
        samples: The explanations to rate; systems and checks are not read here.
        scales: Each sample is rated on all of them before the next one comes.
        log: Earlier ratings; one counts where the text is still the same.
        seed: Seed of the order.
    """

    def __init__(
        self,
        samples: Sequence[Sample],
        scales: Sequence[JudgedScale],
        log: JsonlLog[HumanRating],
        seed: int = 0,
    ) -> None:
        self._log = log
        self._prompts = {
            (sample.id, sample.digest, scale.name): (sample, scale)
            for sample in shuffled(samples, seed)
            for scale in scales
        }
        self._ratings = latest_ratings(log.records)

    @property
    def current(self) -> RatingPrompt | None:
        """Return the next sample and scale; None when all are rated."""
        for number, (place, (sample, scale)) in enumerate(self._prompts.items(), 1):
            if place not in self._ratings:
                return RatingPrompt(sample, scale, number, len(self._prompts))
        return None

    @property
    def left(self) -> int:
        """Count the scores that are left to give."""
        return len(self._prompts.keys() - self._ratings.keys())

    @property
    def ratings(self) -> list[HumanRating]:
        """Return the valid ratings of these samples and scales, with the skips."""
        return [one for place, one in self._ratings.items() if place in self._prompts]

    def rate(self, score: int | None) -> None:
        """Give the current one a score, or skip it with None.

        Raises:
            ValueError: nothing is left, or the score is none of 1 to 5.
        """
        prompt = self.current
        if prompt is None or (score is not None and not LOWEST <= score <= HIGHEST):
            raise ValueError(f"{score} cannot be given here")
        rating = HumanRating(
            id=prompt.sample.id, of=prompt.sample.digest, scale=prompt.scale.name, score=score
        )
        self._log.append(rating)
        self._ratings[rating.place] = rating

    def undo(self) -> bool:
        """Undo the last rating, so that it is asked again; return False where there is none."""
        if not self.ratings:
            return False
        last = self.ratings[-1]
        self._log.append(HumanRating(id=last.id, of=last.of, scale=last.scale, undone=True))
        del self._ratings[last.place]
        return True


def latest_ratings(ratings: Sequence[HumanRating]) -> dict[Place, HumanRating]:
    """Return the valid rating of each sample and scale after all corrections."""
    latest: dict[Place, HumanRating] = {}
    for one in ratings:
        latest.pop(one.place, None)
        if not one.undone:
            latest[one.place] = one
    return latest
