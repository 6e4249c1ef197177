"""What a fit rests on: the rows it takes, the mark of all it is made from, its parts on disk."""

from __future__ import annotations

import hashlib
from pathlib import Path

import msgspec
import numpy as np

from localrec.ranking.learned.artefact import (
    put_together,
    read_artefact,
    take_apart,
    write_artefact,
)
from localrec.ranking.learned.evidence import KINDS
from localrec.ranking.learned.evidence.base import FitContext, FittedEvidence
from localrec.ranking.learned.interactions import InteractionLog, ItemSideData


def sample_users(log: InteractionLog, most_rows: int, seed: int) -> InteractionLog:
    """The log, or where it has too many rows those of evenly drawn users."""
    if len(log) <= most_rows:
        return log
    share = most_rows / len(log)
    chosen = np.random.default_rng(seed).random(log.users) < share
    return log.rows(chosen[log.user])


def fingerprint_of(
    log: InteractionLog, side: ItemSideData, settings: msgspec.Struct, seed: int
) -> str:
    """Changes with any row, with what is known of the items, the settings and the seed."""
    digest = hashlib.blake2b(digest_size=16)
    digest.update(msgspec.json.encode([msgspec.to_builtins(settings), seed, log.users, log.items]))
    for column in (log.user, log.item, log.rating, log.day, side.attribute, side.vectors):
        digest.update(np.ascontiguousarray(column).tobytes())
    return digest.hexdigest()


def fit_or_read(
    kind: str, context: FitContext, folder: Path | None, mark: str
) -> FittedEvidence | None:
    """Fit one kind of evidence, or read it from its folder where it is slow and was kept.

    Args:
        kind: Which one.
        context: What it may use.
        folder: Where it is kept; None keeps nothing.
        mark: Of what it is fitted on; what was kept of anything else is not read.
    """
    entry = KINDS[kind]
    stored = None if folder is None or not entry.slow else read_artefact(folder)
    if stored is not None and stored[0].get("mark") == mark:
        read: FittedEvidence = put_together(entry.record, *stored)
        return read
    fitted = entry.fit(context)
    if folder is not None and entry.slow and fitted is not None:
        assert isinstance(fitted, msgspec.Struct)
        plain, arrays = take_apart(fitted)
        write_artefact(folder, plain | {"mark": mark}, arrays)
    return fitted
