"""Select the rows that adapters may train on, without any protocol's held-out rows.

    held out by a protocol   never used: the newest two tenths of all rows, each user's last two,
                             and all rows of unknown users
    all other rows           used for training

Only the unknown users depend on a protocol's seed: with another seed some of them were used.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from localrec.data.interactions import Interactions
from localrec.evaluation.ranking.cases import EvaluationProtocol, split_rows

_SPLITS: tuple[Literal["leave-one-out", "by-time", "cold-users"], ...] = (
    "leave-one-out",
    "by-time",
    "cold-users",
)


def shared_train_rows(data: Interactions) -> Interactions:
    """Return the rows that every protocol trains on, with its usual settings.

    Raises:
        InputError: the data is too small to be parted.
    """
    kept = [split_rows(data, EvaluationProtocol(split=split)).train for split in _SPLITS]
    return data.select(np.logical_and.reduce(kept))
