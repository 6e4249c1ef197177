"""Select the rows that adapters may train on, without any protocol's held-out rows.

    held out by a protocol   never looked at: the newest two tenths of all rows, each person's
                             last two, and whoever is a stranger
    all other rows           taught

Only the strangers depend on a protocol's seed: with another one some of them taught the adapter.
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
