"""Whether a model can predict plain English, measured once for each file and remembered.

The measure is `native_fluency`, taken when a file is first loaded. It is kept in the folder of
pulled models under the file's path, inode, time and size, so a file that changed is tested again,
and one that failed is refused before it is loaded.
"""

from __future__ import annotations

from contextlib import suppress
from hashlib import blake2b
from pathlib import Path

import msgspec

from localrec.foundation.errors import InputError, LocalrecError, ModelError
from localrec.foundation.file_marks import file_mark
from localrec.foundation.paths import make_private, pulled
from localrec.foundation.record_files import read_record, write_record

# SmolLM2 with 135 million weights in four bits reaches 2.8, chance among 49,152 tokens is 10.8.
# A sound model of another language or of code stays below; what is above predicts nothing.
MOST_NATS = 7.0


class FluencyRecord(msgspec.Struct, frozen=True):
    """Cross-entropy of a model on the fixed text, in nats per token; None where it is infinite."""

    nats: float | None


def is_test_due(path: Path) -> bool:
    """Whether a file has yet to be tested.

    Raises:
        ModelError: an earlier test found that it cannot predict plain English.
    """
    found = remembered(path)
    if found is not None:
        require_fluent(path, found)
    return found is None


def remembered(path: Path) -> FluencyRecord | None:
    """Read the result of an earlier test of the same file; None without one."""
    with suppress(InputError):
        return read_record(_place(path), FluencyRecord, "a self-test", "Delete it.")
    return None


def remember(path: Path, nats: float) -> FluencyRecord:
    """Keep what a test found; a cache that cannot be written keeps nothing."""
    found = FluencyRecord(nats if nats != float("inf") else None)
    with suppress(OSError, LocalrecError):
        place = _place(path)
        make_private(place.parent)
        write_record(place, found)
    return found


def require_fluent(path: Path, found: FluencyRecord) -> None:
    """Refuse a model that cannot predict plain English.

    Raises:
        ModelError: its cross-entropy is higher than that of any sound model.
    """
    if found.nats is not None and found.nats <= MOST_NATS:
        return
    much = "infinite" if found.nats is None else f"{found.nats:.1f} nats per token"
    raise ModelError(
        f"{path} cannot predict plain English, so its weights are damaged or untrained: "
        f"its cross-entropy is {much}, a sound model's at most {MOST_NATS:g}.",
        "Compare the file with its source (localrec models check), or name another model.",
    )


def _place(path: Path) -> Path:
    mark = blake2b(f"{path.resolve()} {file_mark(path)}".encode(), digest_size=16).hexdigest()
    return pulled("models") / "self-tests" / f"{mark}.json"
