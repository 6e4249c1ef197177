"""Apply a protocol to make cases: the user, the known history and the held-out items.

    leave-one-out   each user's last item is the test target, the one before validates
    by-time         8:1:1 of all rows in order of time; every row of the last tenth is a case
    cold-users      8:1:1 of the users; an unknown user's first few items are the history

A case of the first two has one positive. An unknown user's positives are all later items under full
ranking, and the next one among N candidates, which hold one positive by definition.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from localrec.data.interactions import Interactions
from localrec.evaluation.ranking.splits import (
    Rows,
    RowSplit,
    chronological_split,
    cold_users,
    leave_one_out,
    sampled_candidates,
)
from localrec.foundation.errors import InputError
from localrec.ranking.recommender import ScoreRequests

Items = NDArray[np.int32]


class EvaluationProtocol(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The protocol of a run: how it splits the data, and what it ranks.

    Args:
        split: The rule that holds rows out.
        candidates: All items, or so many: the positive and evenly drawn others that the user
            never had, before or after.
        seed: Seed of the draw of cold-start users and candidates.
        shown: Items of a cold-start user that the system gets to know (cold-users).
        min_interactions: Users with fewer rows are trained on but not asked about.
        history: Only so many of the newest items are handed over; all by default.
        known: Whether full ranking removes what the user had before, or ranks it as well.
        negatives: A file of given negatives, `USER ITEM ITEM ...` on each line, among which the
            last item of each user is ranked (leave-one-out).
    """

    split: Literal["leave-one-out", "by-time", "cold-users"] = "leave-one-out"
    candidates: Literal["full"] | Annotated[int, msgspec.Meta(ge=2)] = "full"
    seed: Annotated[int, msgspec.Meta(ge=0)] = 7
    shown: Annotated[int, msgspec.Meta(ge=1)] = 5
    min_interactions: Annotated[int, msgspec.Meta(ge=1)] = 3
    history: Annotated[int, msgspec.Meta(ge=1)] | None = None
    known: Literal["removed", "ranked"] = "removed"
    negatives: str = ""

    def __post_init__(self) -> None:
        if self.negatives and (self.split != "leave-one-out" or self.candidates != "full"):
            raise ValueError("given negatives are for leave-one-out, and take no candidates")

    @property
    def has_several_targets(self) -> bool:
        """Whether a case may have more than one."""
        return self.split == "cold-users" and self.candidates == "full"

    def __str__(self) -> str:
        ranked = (
            f"full ranking, what is known {self.known}"
            if self.candidates == "full"
            else f"{self.candidates} candidates"
        )
        if self.negatives:
            ranked = f"among the negatives of {Path(self.negatives).name}"
        shown = f", {self.shown} shown" if self.split == "cold-users" else ""
        cap = f", newest {self.history} of a history" if self.history else ""
        least = f", people with at least {self.min_interactions}"
        return f"{self.split}{shown}{least}{cap}, {ranked}, seed {self.seed}"


class Cases(msgspec.Struct, frozen=True):
    """The requests to a system, and the target items; b of them.

    Args:
        row: Row of the (first) positive among all interactions, (b,); names the case.
        user: Index of the user, (b,).
        train_user: Index of the user where the training has rows of them, else -1, (b,).
        histories: Items that the system may know, oldest first.
        stars: The stars of each history.
        at: Time of each item of a history, NaT where unknown.
        seen_items: Everything the user had before the positive.
        positives: Held-out items to be found.
        candidates: Items to rank, (b, N), shuffled; None: all of them.
    """

    row: Rows
    user: Items
    train_user: Items
    histories: tuple[Items, ...]
    stars: tuple[NDArray[np.float32], ...]
    at: tuple[NDArray[np.datetime64], ...]
    seen_items: tuple[Items, ...]
    positives: tuple[Items, ...]
    candidates: Items | None

    def __len__(self) -> int:
        return len(self.row)

    def take(self, places: Rows) -> Cases:
        """Take the cases at some places, in that order."""
        many = places.tolist()
        return Cases(
            row=self.row[places],
            user=self.user[places],
            train_user=self.train_user[places],
            histories=tuple(self.histories[one] for one in many),
            stars=tuple(self.stars[one] for one in many),
            at=tuple(self.at[one] for one in many),
            seen_items=tuple(self.seen_items[one] for one in many),
            positives=tuple(self.positives[one] for one in many),
            candidates=None if self.candidates is None else self.candidates[places],
        )

    def requests(self) -> ScoreRequests:
        """Return the requests that a system sees, without the positives."""
        return ScoreRequests(
            user=self.train_user,
            histories=self.histories,
            stars=self.stars,
            at=self.at,
            candidates=self.candidates,
        )


class DataSplit(msgspec.Struct, frozen=True):
    """Data split by a protocol: training, validation and test."""

    train: Interactions
    validation: Cases
    test: Cases


def split_data(data: Interactions, protocol: EvaluationProtocol) -> DataSplit:
    """Apply a protocol.

    Raises:
        InputError: the data is too small to hold anything out.
        UsageError: a person had so many of the items that too few candidates are left.
    """
    split = split_rows(data, protocol)
    train = data.select(split.train)
    trained = np.diff(train.first_row) > 0
    parted = DataSplit(
        train=train,
        validation=_cases(data, np.flatnonzero(split.validation), trained, protocol, 1),
        test=_cases(data, np.flatnonzero(split.test), trained, protocol, 0),
    )
    if not len(parted.test) or not len(train):
        raise InputError(
            f"{len(data)} interactions of {data.users} people leave nothing to hold out under "
            f"{protocol.split}.",
            "Take more data, or a smaller min_interactions.",
        )
    return parted


def split_rows(data: Interactions, protocol: EvaluationProtocol) -> RowSplit:
    """Split the rows of a protocol into training and held-out ones."""
    if protocol.split == "leave-one-out":
        return leave_one_out(data.user, at_least=protocol.min_interactions)
    if protocol.split == "cold-users":
        least = max(protocol.min_interactions, protocol.shown + 1)
        return cold_users(data.user, at_least=least, seed=protocol.seed)
    undated = np.isnat(data.at)  # as everywhere: the oldest of all
    oldest = data.at[~undated].min() if not undated.all() else np.datetime64(0, "s")
    return chronological_split(np.where(undated, oldest, data.at))


def _cases(
    data: Interactions,
    held: Rows,
    trained: NDArray[np.bool_],
    protocol: EvaluationProtocol,
    salt: int,
) -> Cases:
    """Build the cases of held-out rows; `salt` draws other candidates for the test half."""
    first, last = data.first_row[:-1], data.first_row[1:]
    if protocol.split == "cold-users":
        users = np.unique(data.user[held])
        rows = first[users] + protocol.shown
    else:
        rows = held[_may_be_asked(data, held, protocol)]
        users = data.user[rows]
    starts = first[users]
    ends = last[users] if protocol.has_several_targets else rows + 1
    cap = protocol.history or len(data)
    known = [slice(max(start, row - cap), row) for start, row in _pairs(starts, rows)]
    return Cases(
        row=rows,
        user=users.astype(np.int32),
        train_user=np.where(trained[users], users, -1).astype(np.int32),
        histories=tuple(data.item[one] for one in known),
        stars=tuple(data.stars[one] for one in known),
        at=tuple(data.at[one] for one in known),
        seen_items=tuple(data.item[start:row] for start, row in _pairs(starts, rows)),
        positives=tuple(data.item[row:end] for row, end in _pairs(rows, ends)),
        candidates=_candidates(data, rows, protocol, salt),
    )


def _may_be_asked(
    data: Interactions, held: Rows, protocol: EvaluationProtocol
) -> NDArray[np.bool_]:
    """Keep the users with enough rows and a non-empty history before them."""
    user = data.user[held]
    enough = np.diff(data.first_row)[user] >= protocol.min_interactions
    may: NDArray[np.bool_] = enough & (held > data.first_row[user])
    return may


def _candidates(
    data: Interactions, rows: Rows, protocol: EvaluationProtocol, salt: int
) -> Items | None:
    if protocol.candidates == "full":
        return None
    drawn = sampled_candidates(
        data.user,
        data.item,
        rows,
        negatives=protocol.candidates - 1,
        seed=2 * protocol.seed + salt,
    )
    return drawn.items.astype(np.int32)


def _pairs(first: Rows, second: Rows) -> zip[tuple[int, int]]:
    return zip(first.tolist(), second.tolist(), strict=True)
