"""Read the negatives of published results from a file, in place of drawn candidates.

    USER ITEM ITEM ...      a line of each user, keys separated by blanks or tabs

Each held-out item is shuffled among the negatives of its user. Every test user needs a line, all of
equal length; a user without a line is left out of validation.
"""

from __future__ import annotations

from pathlib import Path

import msgspec
import numpy as np

from localrec.evaluation.ranking.cases import Cases, DataSplit, Items
from localrec.evaluation.ranking.keyed_interactions import KeyedInteractions
from localrec.foundation.errors import InputError

_LARGEST = 1 << 28  # bytes of a file


def with_given_negatives(
    parted: DataSplit, keyed: KeyedInteractions, path: Path, seed: int
) -> DataSplit:
    """Replace drawn candidates by the negatives of a file.

    Raises:
        InputError: no such file, a line that is missing, too short or names a foreign item, or
            one that names what the user met.
    """
    negatives = read_negatives(path, keyed)
    keys = keyed.user_keys
    for user in parted.test.user.tolist():
        if user not in negatives:
            raise InputError(
                f"{path} has no negatives of {keys[user]}, whose last item is asked for.",
                "Give each user a line: USER ITEM ITEM ...",
            )
    known = [row for row, user in enumerate(parted.validation.user.tolist()) if user in negatives]
    validation = parted.validation.take(np.array(known, dtype=np.int64))
    return msgspec.structs.replace(
        parted,
        validation=_with_candidates(validation, negatives, keyed, seed + 1),
        test=_with_candidates(parted.test, negatives, keyed, seed),
    )


def read_negatives(path: Path, keyed: KeyedInteractions) -> dict[int, Items]:
    """Read the negatives of each user, by their numbers; lines of unknown users are left out.

    Raises:
        InputError: no such file, a foreign item, or lines of different lengths.
    """
    users = {key: number for number, key in enumerate(keyed.user_keys.tolist())}
    items = {key: number for number, key in enumerate(keyed.item_keys.tolist())}
    try:
        if path.stat().st_size > _LARGEST:
            raise InputError(f"{path} is longer than {_LARGEST:,} bytes.", "Name a smaller file.")
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} cannot be read: {error}.", "Name a text file.") from error
    found: dict[int, Items] = {}
    for number, line in enumerate(lines, 1):
        user, *named = line.split() or [""]
        if user not in users:
            continue
        foreign = next((name for name in named if name not in items), None)
        if foreign is not None:
            raise InputError(
                f"{path}, line {number}: nobody met {foreign}, so no system can rank it.",
                "Name items of the data set alone.",
            )
        found[users[user]] = np.unique([items[name] for name in named]).astype(np.int32)
        if len(found[users[user]]) != len(next(iter(found.values()))) or not named:
            raise InputError(
                f"{path}, line {number}: {len(found[users[user]])} different negatives, where the "
                f"first line has {len(next(iter(found.values())))}.",
                "Give each user as many, each once.",
            )
    return found


def _with_candidates(
    cases: Cases, negatives: dict[int, Items], keyed: KeyedInteractions, seed: int
) -> Cases:
    """Shuffle each positive among the negatives of its user."""
    generator = np.random.default_rng(seed)
    width = 1 + len(next(iter(negatives.values()), ()))
    rows = np.zeros((len(cases), width), dtype=np.int32)
    for row, user in enumerate(cases.user.tolist()):
        positive = cases.positives[row][:1]
        met = np.intersect1d(negatives[user], np.append(cases.seen_items[row], positive))
        if len(met):
            raise InputError(
                f"{keyed.item_keys[met[0]]} is a given negative of {keyed.user_keys[user]}, who "
                "met it.",
                "Name only what the user never met.",
            )
        rows[row] = generator.permutation(np.append(positive, negatives[user]))
    return msgspec.structs.replace(cases, candidates=rows)
