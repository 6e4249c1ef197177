"""Learn how much a reranker's scores, such as a model's, count beside the default's.

The default's score of an item is a logarithm of its share of the chances, so a reranker's score is
added as one more feature, in standard deviations among the candidates:

    s = default + share x (score - mean) / deviation

The share is learnt from held-out items that must be found among evenly drawn others. In each fold
it maximises the likelihood of the other folds' items, and the resulting order is compared with the
default's on the fold itself. The reranker gets a share only if the mean gain of these pairs is
significantly above zero; otherwise the share is 0 and the default's order stands.
"""

from __future__ import annotations

from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from localrec.data.records import Record
from localrec.foundation.atomic_files import short_digest, write_atomically
from localrec.ranking.learned.interactions import Floats
from localrec.ranking.learned.progress_file import folder_of

FOLDS = 5
FEWEST_CASES = 20  # of fewer no share is learnt
_SHARES = np.concatenate([[0.0], np.geomspace(0.02, 4.0, 24)])
_BEYOND_CHANCE = 1.645  # standard errors: 95% on one side
_FLAT = 1e-6


class RerankedCases(msgspec.Struct, frozen=True):
    """Candidates with the scores of default and reranker, the target in the first column.

    Args:
        default: (b, c).
        reranked: (b, c).
    """

    default: Floats
    reranked: Floats

    def __len__(self) -> int:
        return len(self.default)


class RerankerShare(msgspec.Struct, Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The weight of a reranker's scores, and the data that it was learnt from.

    Args:
        reranker: The name of the system and of its model.
        share: Weight of the reranker's deviations in units of the default's score; 0: none.
        cases: The number of held-out items that it was learnt from.
        gain: Mean gain in NDCG by the reranker, on cases that were not used to learn the weight.
        error: The standard error of that gain.
        alone: Mean NDCG of the reranker alone.
        default: Mean NDCG of the default by itself.
    """

    reranker: str = msgspec.field(name="judge")
    share: float
    cases: int
    gain: float = 0.0
    error: float = 0.0
    alone: float = 0.0
    default: float = 0.0

    def as_sentence(self) -> str:
        """Write the weight as a sentence for lists."""
        if not self.cases:
            system = self.reranker.partition(" ")[0]
            return (
                f"The reranking by {self.reranker} has no share in the order, since none was "
                f"learnt (localrec learn --reranker {system}); the default's stands."
            )
        measured = f"{self.gain:+.3f} ± {2 * self.error:.3f} NDCG over {self.cases} held-out cases"
        if not self.share:
            return (
                f"The reranking by {self.reranker} has no share in the order: it did not make the "
                f"default's better ({measured})."
            )
        return f"The reranking by {self.reranker} has a share of {self.share:.2f} ({measured})."


def learn_share(reranker: str, cases: RerankedCases, seed: int) -> RerankerShare:
    """Learn the weight from cases; the same cases and seed give the same weight."""
    many = len(cases)
    if many < FEWEST_CASES:
        return RerankerShare(reranker=reranker, share=0.0, cases=many)
    losses = np.stack([_losses(cases, share) for share in _SHARES.tolist()])
    fold = np.random.default_rng(seed).permutation(many) % FOLDS
    before = ndcg_of_first(cases.default)
    gains = np.zeros(many)
    for number in range(FOLDS):
        own = fold == number
        share = float(_SHARES[int(np.argmin(losses[:, ~own].mean(axis=1)))])
        mixed = with_reranker_scores(cases.default[own], cases.reranked[own], share)
        gains[own] = ndcg_of_first(mixed) - before[own]
    gain, error = float(gains.mean()), float(gains.std(ddof=1) / np.sqrt(many))
    helps = gain > _BEYOND_CHANCE * error
    return RerankerShare(
        reranker=reranker,
        share=float(_SHARES[int(np.argmin(losses.mean(axis=1)))]) if helps else 0.0,
        cases=many,
        gain=gain,
        error=error,
        alone=float(ndcg_of_first(cases.reranked).mean()),
        default=float(before.mean()),
    )


def with_reranker_scores(default: Floats, reranked: Floats, share: float) -> Floats:
    """Add a reranker's scores to the default's; -inf stays, and weight 0 changes no order.

    Args:
        default: (..., c).
        reranked: (..., c), in any unit.
        share: The weight of the reranker's scores.
    """
    centred = reranked - reranked.mean(axis=-1, keepdims=True)
    deviation = np.sqrt(np.square(centred).mean(axis=-1, keepdims=True))
    units = np.where(deviation > _FLAT, centred / np.maximum(deviation, _FLAT), 0.0)
    mixed: Floats = (default + np.float32(share) * units).astype(np.float32)
    return mixed


def in_one_order(scores: Floats, before: Floats) -> Floats:
    """Break ties by the earlier order, by the smallest possible differences, (c,)."""
    order = np.lexsort((-before, -scores))
    apart = scores.astype(np.float32)
    for above, below in zip(order[:-1].tolist(), order[1:].tolist(), strict=True):
        apart[below] = min(apart[below], np.nextafter(apart[above], np.float32(-np.inf)))
    return apart


def ndcg_of_first(scores: Floats) -> NDArray[np.float64]:
    """Compute the NDCG of the first column, averaged over ties, (b,)."""
    own = scores[:, :1]
    above = (scores > own).sum(axis=1)
    tied = (scores == own).sum(axis=1)
    gains = 1.0 / np.log2(2.0 + np.arange(scores.shape[1]))
    sums = np.concatenate([[0.0], np.cumsum(gains)])
    mean: NDArray[np.float64] = (sums[above + tied] - sums[above]) / tied
    return mean


def read_share(indexes: Path, domain: str, reranker: str) -> RerankerShare:
    """Read the weight of a reranker in a domain; 0 where none was learnt."""
    try:
        encoded = _file(folder_of(indexes, domain), reranker).read_bytes()
        return msgspec.json.decode(encoded, type=RerankerShare)
    except (OSError, msgspec.DecodeError):  # a cache: what is damaged was never learnt
        return RerankerShare(reranker=reranker, share=0.0, cases=0)


def write_share(indexes: Path, domain: str, found: RerankerShare) -> None:
    """Save the weight beside the domain's ranker; forgetting removes both."""
    path = _file(folder_of(indexes, domain), found.reranker)
    write_atomically(path, msgspec.json.encode(found))


def _file(folder: Path, reranker: str) -> Path:
    return folder / f"share-{short_digest(reranker)}.json"


def _losses(cases: RerankedCases, share: float) -> NDArray[np.float64]:
    """Compute the negative log-likelihood of the target's item, (b,)."""
    scores = with_reranker_scores(cases.default, cases.reranked, share).astype(np.float64)
    highest = scores.max(axis=1)
    losses: NDArray[np.float64] = (
        np.log(np.exp(scores - highest[:, None]).sum(axis=1)) + highest - scores[:, 0]
    )
    return losses
