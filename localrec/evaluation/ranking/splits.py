"""Split interactions for an evaluation, and draw candidates.

The steps are set-based functions over columns of the same length n, one row per interaction; the
time split and the sampled candidates are those of AgenticRec's preparation (section 5.1
and appendix E of the paper). Users and items may be of any type that NumPy can sort; `at` holds
moments (datetime64, or numbers). Rows of one moment keep their order in the data, so that the
result does not depend on the sorting algorithm. `localrec.evaluation.ranking.cases` makes a
declared protocol of them.

A target is the number of a row whose item is to be predicted from the user's rows before it.
"""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np
from numpy.typing import ArrayLike, NDArray

from localrec.foundation.errors import UsageError

Mask = NDArray[np.bool_]
Rows = NDArray[np.int64]

NEGATIVES = 19
_ROUNDS = 64  # of drawing again what collides; beyond it the few rows left are drawn exactly


class RowSplit(msgspec.Struct, frozen=True):
    """Three masks (n,) of the rows: every row is in exactly one."""

    train: Mask
    validation: Mask
    test: Mask


class CandidateSets(msgspec.Struct, frozen=True):
    """The items to rank for each target.

    Args:
        items: (targets, 1 + negatives) items, shuffled within each line.
        positive: (targets,) the place in the line at which the target's own item stands.
    """

    items: NDArray[Any]
    positive: Rows


def chronological_split(at: ArrayLike) -> RowSplit:
    """Split all rows 8:1:1 by time: the first eight tenths train, the next one validates.

    The borders lie at floor(0.8 n) and floor(0.9 n) of the rows in order of time, whoever they
    belong to: what is trained on never lies after what is predicted.
    """
    moments = np.asarray(at)
    count = len(moments)
    place = np.empty(count, dtype=np.int64)
    place[np.argsort(moments, kind="stable")] = np.arange(count)
    first, second = count * 8 // 10, count * 9 // 10
    return RowSplit(
        train=place < first,
        validation=(place >= first) & (place < second),
        test=place >= second,
    )


def leave_one_out(user: ArrayLike, *, at_least: int = 3) -> RowSplit:
    """Hold out each user's last row for the test and the one before for validation.

    Args:
        user: Ascending, each user's rows oldest first.
        at_least: Users with fewer rows only train; below 3 nothing would be left to train on.
    """
    codes = _codes(user)[0]
    count = np.bincount(codes)
    from_the_end = np.cumsum(count)[codes] - 1 - np.arange(len(codes))
    judged = count[codes] >= max(3, at_least)
    test, validation = judged & (from_the_end == 0), judged & (from_the_end == 1)
    return RowSplit(train=~(test | validation), validation=validation, test=test)


def cold_users(user: ArrayLike, *, at_least: int = 1, seed: int = 0) -> RowSplit:
    """Split whole users 8:1:1 at random: tested users are unknown to the training.

    Users with fewer than `at_least` rows only train, and do not count among the ten tenths.
    """
    codes = _codes(user)[0]
    count = np.bincount(codes)
    fit = np.random.default_rng(seed).permutation(np.flatnonzero(count >= at_least))
    first, second = len(fit) * 8 // 10, len(fit) * 9 // 10
    part = np.zeros(len(count), dtype=np.int8)
    part[fit[first:second]], part[fit[second:]] = 1, 2
    part_of_row = part[codes]
    return RowSplit(train=part_of_row == 0, validation=part_of_row == 1, test=part_of_row == 2)


def sampled_candidates(
    user: ArrayLike,
    item: ArrayLike,
    targets: ArrayLike,
    *,
    negatives: int = NEGATIVES,
    seed: int = 0,
) -> CandidateSets:
    """Draw each target's item among `negatives` others that its user never had.

    Negatives differ from one another and come from all items of the table; "never had" counts
    the user's rows before and after the target. The same columns, targets and seed give the same
    candidates.

    Raises:
        UsageError: a user has had so many of the items that too few are left.
    """
    users, _ = _codes(user)
    items, catalogue = _codes(item)
    wanted = _row_numbers(targets)
    known = np.unique(users * len(catalogue) + items)  # one number for each pair, sorted
    _check_enough(known, users[wanted], len(catalogue), negatives)
    generator = np.random.default_rng(seed)
    drawn = _draw_negatives(generator, known, users[wanted], len(catalogue), negatives)
    lines = np.concatenate([items[wanted][:, None], drawn], axis=1)
    shuffled = generator.permuted(np.broadcast_to(np.arange(1 + negatives), lines.shape), axis=1)
    return CandidateSets(
        items=catalogue[np.take_along_axis(lines, shuffled, axis=1)],
        positive=np.argmin(shuffled, axis=1),
    )


def _draw_negatives(
    generator: np.random.Generator, known: Rows, users: Rows, catalogue: int, negatives: int
) -> Rows:
    """Draw item codes (users, negatives), and draw again where one collides."""
    drawn = np.zeros((len(users), negatives), dtype=np.int64)
    bad = np.ones(drawn.shape, dtype=bool)
    for _ in range(_ROUNDS):
        if not bad.any():
            return drawn
        drawn[bad] = generator.integers(catalogue, size=int(bad.sum()))
        bad = _holds(known, users[:, None] * catalogue + drawn) | _repeats(drawn)
    for line in np.flatnonzero(bad.any(axis=1)):
        own = users[line] * catalogue
        seen = known[(known >= own) & (known < own + catalogue)] - own
        unseen = np.setdiff1d(np.arange(catalogue), seen, assume_unique=True)
        drawn[line] = generator.choice(unseen, size=negatives, replace=False)
    return drawn


def _holds(known: Rows, wanted: Rows) -> Mask:
    """Mark which of `wanted` are in `known`, which is sorted."""
    place = np.minimum(np.searchsorted(known, wanted), len(known) - 1)
    found: Mask = known[place] == wanted
    return found


def _repeats(lines: Rows) -> Mask:
    """Mark the values that occur earlier in their line."""
    order = np.argsort(lines, axis=1, kind="stable")
    ordered = np.take_along_axis(lines, order, axis=1)
    again = np.zeros(lines.shape, dtype=bool)
    again[:, 1:] = ordered[:, 1:] == ordered[:, :-1]
    repeated = np.zeros_like(again)
    np.put_along_axis(repeated, order, again, axis=1)
    return repeated


def _check_enough(known: Rows, users: Rows, catalogue: int, negatives: int) -> None:
    seen = np.bincount(known // max(1, catalogue), minlength=int(users.max(initial=-1)) + 1)
    most = int(seen[users].max(initial=0))
    if len(users) and catalogue - most < negatives:
        raise UsageError(
            f"A user has had {most} of {catalogue} items, so {negatives} others cannot be drawn.",
            "Ask for fewer negatives.",
        )


def _codes(column: ArrayLike) -> tuple[Rows, NDArray[Any]]:
    """Number the distinct values of a column from 0; return the codes and the values."""
    values, codes = np.unique(np.asarray(column), return_inverse=True)
    return codes.astype(np.int64), values


def _row_numbers(targets: ArrayLike) -> Rows:
    """Return targets as row numbers, also where they are given as a mask."""
    given = np.asarray(targets)
    return np.flatnonzero(given) if given.dtype == bool else given.astype(np.int64)
