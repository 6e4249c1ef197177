"""The inputs of a fit: the sampled rows, their fingerprint, and its finished parts on disk."""

from __future__ import annotations

import hashlib
from contextlib import suppress
from pathlib import Path

import msgspec
import numpy as np

from localrec.data.interactions import Interactions
from localrec.data.item_features import ItemFeatures
from localrec.foundation.errors import InputError
from localrec.ranking.learned.artefact import (
    put_together,
    read_artefact,
    take_apart,
    write_artefact,
)
from localrec.ranking.learned.evidence import KINDS
from localrec.ranking.learned.evidence.base import FitContext, FittedEvidence

_FEWEST_PAIRS = 10  # of rows without a day, from which on their order is judged
_SORTED = 0.9  # share of rising pairs: half of them rise in an order that has its own reasons


def sample_users(log: Interactions, most_rows: int, seed: int) -> Interactions:
    """Return the log, or the rows of evenly drawn users where it is too large."""
    if len(log) <= most_rows:
        return log
    share = most_rows / len(log)
    chosen = np.random.default_rng(seed).random(log.users) < share
    return log.select(chosen[log.user])


def without_false_order(log: Interactions, seed: int) -> Interactions:
    """Shuffle a user's undated rows that only follow the catalogue's order.

    Rows that have no day stand in the order in which they were stored, which is worth reading as
    long as somebody kept it. In a file that is sorted by item it is none: what stands next to an
    item then is its neighbour in the catalogue, and the last row of each user is the highest
    number, which evidence of sequences would find without fail and to no use.
    """
    dated = np.zeros(log.users, dtype=bool)
    dated[log.user[~np.isnan(log.days)]] = True
    free = ~dated[log.user]
    pairs = free[1:] & (log.user[1:] == log.user[:-1])
    if np.count_nonzero(pairs) < _FEWEST_PAIRS:
        return log
    rising = float(np.mean(np.diff(log.item)[pairs] > 0))
    if _SORTED > rising > 1.0 - _SORTED:
        return log
    place = np.arange(len(log), dtype=np.float64)
    place[free] = np.random.default_rng(seed).random(int(free.sum()))
    order = np.lexsort((place, log.user))
    return log.select(order)


def fingerprint_of(
    log: Interactions, side: ItemFeatures, settings: msgspec.Struct, seed: int
) -> str:
    """Hash the rows, the item features, the settings and the seed."""
    digest = hashlib.blake2b(digest_size=16)
    digest.update(msgspec.json.encode([msgspec.to_builtins(settings), seed, log.users, log.items]))
    columns = (log.user, log.item, log.stars, log.days, side.attribute)
    for column in columns if side.vectors is None else (*columns, side.vectors):
        digest.update(np.ascontiguousarray(column).tobytes())
    return digest.hexdigest()


def fit_or_read(
    kind: str, context: FitContext, folder: Path | None, mark: str
) -> FittedEvidence | None:
    """Fit one kind of evidence, or read a slow one from its folder.

    Args:
        kind: Name of the kind.
        context: The inputs of the fit.
        folder: Folder that it is kept in; None keeps nothing.
        mark: Mark of the inputs of the fit; a kept one with another mark is not read.
    """
    entry = KINDS[kind]
    if folder is None or not entry.slow:
        return entry.fit(context)
    with suppress(InputError):  # damaged, or of an older version: it is made again
        if (kept := _read_part(kind, folder, mark)) is not None:
            return kept
    kept_in = folder / "training"
    fitted = entry.fit(msgspec.structs.replace(context, checkpoint=kept_in, mark=mark))
    if fitted is None:
        return None
    assert isinstance(fitted, msgspec.Struct)
    plain, arrays = take_apart(fitted)
    write_artefact(folder, plain | {"mark": mark}, arrays)
    del fitted, arrays
    return _read_part(kind, folder, mark)  # mapped, so that it takes memory only where it is asked


def _read_part(kind: str, folder: Path, mark: str) -> FittedEvidence | None:
    stored = read_artefact(folder)
    if stored is None or stored[0].get("mark") != mark:
        return None
    read: FittedEvidence = put_together(KINDS[kind].record, *stored)
    return read
