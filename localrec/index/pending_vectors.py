"""Vectors that are still to be made: quick ones by spelling meanwhile, and how far it has come.

An import of many texts ends when the rows and vectors by spelling are stored, some seconds; the
model's vectors follow in the background, a batch at a time, and the store is free between batches.

indexes/pending-DOMAIN.json    there while the vectors of a domain are not complete
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import msgspec
import numpy as np

from localrec.data.domains import Domain
from localrec.foundation.atomic_files import short_digest, write_atomically
from localrec.foundation.paths import make_private
from localrec.foundation.processes import is_over
from localrec.graph.store import Columns, Store
from localrec.index.embedded_fields import (
    EmbeddedField,
    all_texts,
    drop_earlier,
    next_pending,
    write_vectors,
)
from localrec.index.embedders import HashingEmbedder
from localrec.index.protocols import Embedder
from localrec.index.vectors import ExactIndex

QUICK = HashingEmbedder(size=256)  # knows spelling and no meaning, some 30,000 texts a second
AT_ONCE = 256  # texts between two commits: some seconds of MiniLM
_STARTING_S = 60.0  # an import has told so, and the process it started has not yet
_SILENT_S = 900.0  # after so long without a word the process is another one of its number


class PendingVectors(msgspec.Struct, frozen=True):
    """The progress of the vectors of a domain.

    Args:
        domain: The domain.
        done: Texts that have one.
        total: Texts that were to be embedded.
        at: Time of the report, in seconds since 1970.
        process: The process that makes them; 0 where none does.
    """

    domain: str
    done: int
    total: int
    at: float
    process: int = 0

    @property
    def is_running(self) -> bool:
        """Whether the process that makes them is alive, or about to begin."""
        if time.time() - self.at > (_SILENT_S if self.process else _STARTING_S):
            return False
        return not self.process or not is_over(self.process)

    def as_sentence(self) -> str:
        """Write the progress as a sentence for people."""
        share = f"{self.done / max(1, self.total):.0%} of {self.total:,} texts"
        if self.is_running:
            return f"The vectors of {self.domain} are being made in the background ({share})."
        return f"The vectors of {self.domain} are not complete ({share}): localrec index goes on."


def read_pending(indexes: Path, domain: str) -> PendingVectors | None:
    """Read the progress of the vectors of a domain; None where they are complete."""
    try:
        return msgspec.json.decode(_path(indexes, domain).read_bytes(), type=PendingVectors)
    except (OSError, msgspec.DecodeError):
        return None


def made_elsewhere(indexes: Path, domain: str) -> PendingVectors | None:
    """Read the progress of another process that makes a domain's vectors now; None without one."""
    told = read_pending(indexes, domain)
    is_other = told is not None and told.process not in (0, os.getpid()) and told.is_running
    return told if is_other else None


def tell_pending(indexes: Path, domain: str, done: int, total: int, process: int = 0) -> None:
    """Tell how far the vectors of a domain have come."""
    make_private(indexes)
    pending = PendingVectors(domain, done, total, time.time(), process)
    with suppress(OSError):  # a full disk costs the percentage, not the vectors
        write_atomically(_path(indexes, domain), msgspec.json.encode(pending))


def end_pending(store: Store, indexes: Path, domain: Domain) -> None:
    """Drop the vectors by spelling, since those of the model are complete."""
    store.execute(
        "DELETE FROM embedding WHERE model = ? AND node_id IN "
        "(SELECT node_id FROM node WHERE domain = ?)",
        [QUICK.name, domain.name],
    )
    _path(indexes, domain.name).unlink(missing_ok=True)


def fields_by_spelling(store: Store, domain: Domain) -> dict[str, EmbeddedField]:
    """Make vectors by spelling of all texts of a domain in memory, where none were stored.

    An import that was killed between its rows and their vectors leaves such a domain.
    """
    rows = all_texts(store, domain)
    names = rows["field"].astype(str)
    fields = {}
    for field in domain.texts:
        texts = rows["text"][names == field]
        matrix = QUICK.embed([str(text) for text in texts])
        exact = ExactIndex(rows["node_id"][names == field].astype(np.int64), matrix)
        fields[field] = EmbeddedField(exact, exact, "memory")
    return fields


def embed_in_steps(
    open_store: Callable[[], Store],
    indexes: Path,
    domain: Domain,
    embedder: Embedder,
    progress: Callable[[int, int], None],
) -> int:
    """Embed all texts of a domain, with the store open only to read and to write a batch.

    Args:
        open_store: Opens the store for writing; it is closed after each use.
        indexes: Folder for the note on the progress.
        domain: The domain.
        embedder: Makes the vectors.
        progress: Called with the texts embedded and the texts to embed.

    Returns:
        How many texts were embedded.
    """
    done = 0
    while True:
        with open_store() as store:
            rows, left = next_pending(store, domain, embedder.name, AT_ONCE)
            if not left:
                drop_earlier(store, domain, embedder.name)
                end_pending(store, indexes, domain)
                return done
        tell_pending(indexes, domain.name, done, done + left, os.getpid())
        progress(done, done + left)
        texts, vectors = _embedded(rows, embedder)
        with open_store() as store:
            write_vectors(store, embedder.name, rows, vectors)
        done += texts


def _embedded(rows: Columns, embedder: Embedder) -> tuple[int, np.ndarray]:
    """Embed each different text once; return their number and each row's vector, (rows, size)."""
    _, first, text_of_row = np.unique(rows["place"], return_index=True, return_inverse=True)
    vectors = embedder.embed([str(text) for text in rows["text"][first]])
    return len(first), vectors[text_of_row]


def _path(indexes: Path, domain: str) -> Path:
    return indexes / f"pending-{short_digest(domain)}.json"
