"""Whether an embedder tells meanings apart, measured once for each file and remembered.

A text must be nearer to the one that says the same in other words than to any other, also to one
that says something else in its words. Weights of noise see the shared words at most. What the test
found is kept among the pulled models under the files' paths, times and sizes, so files
that changed are tested again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

import msgspec
import numpy as np

from localrec.foundation.atomic_files import short_digest
from localrec.foundation.errors import InputError, LocalrecError, ModelError
from localrec.foundation.file_marks import file_mark
from localrec.foundation.paths import make_private, pulled
from localrec.foundation.record_files import read_record, write_record
from localrec.index.vectors import Vectors

# A text, the same in other words, and something else in its words.
TRIPLES = (
    ("a frightening film", "a scary movie", "a frightening bill"),
    ("cheap hotels near the sea", "low-cost rooms by the beach", "cheap flour near the mill"),
    ("the doctor saw a child", "a paediatrician and a young patient", "the doctor saw a theory"),
    ("he repairs old cars", "a mechanic for vintage automobiles", "he repairs old quarrels"),
    ("a novel about a murder", "detective fiction", "a lecture about a bridge"),
    ("puppies playing in snow", "young dogs romp on a winter day", "rumours playing in court"),
    ("my wife is ill", "his spouse has a disease", "my wife is tall"),
    ("stars in the night sky", "astronomy", "stars in the army ranks"),
)
# Texts to get right at least: MiniLM has seven. Of 17 networks of noise 16 had none or one; one
# had four and passes. Models of other languages were not measured, so the bar is low for them.
FEWEST = 2


class MeaningRecord(msgspec.Struct, frozen=True):
    """The number of texts that lay nearest to the one with the same meaning."""

    right: int


def require_meaning(
    files: Sequence[Path],
    embed: Callable[[Sequence[str]], Vectors],
    remedy: str,
    fewest: int = FEWEST,
    computed: str = "",
) -> None:
    """Test an embedder, unless the same files were found sound before.

    Args:
        files: The files that hold its weights and its vocabulary.
        embed: Turns texts into rows of length 1.
        remedy: The remedy for files that fail.
        fewest: The fewest texts that it must get right; more where the model is known.
        computed: The way of computing, where the same files can be run in several ways.

    Raises:
        ModelError: the vectors do not tell meanings apart.
    """
    place = _place(files, computed)
    found = _remembered(place) or _remember(place, MeaningRecord(count_right(embed)))
    if found.right < fewest:
        raise ModelError(
            f"{files[0]} does not tell meanings apart, so its weights are damaged or untrained: "
            f"of {len(TRIPLES)} texts it finds {found.right} in other words, a sound one "
            f"at least {fewest}.",
            remedy,
        )


def count_right(embed: Callable[[Sequence[str]], Vectors]) -> int:
    """Count the texts of the triples that lie nearest, of all the others, to their paraphrase."""
    rows = embed([text for triple in TRIPLES for text in triple])
    near = rows @ rows.T
    np.fill_diagonal(near, -np.inf)
    texts = np.arange(0, len(rows), 3)
    return int((near[texts].argmax(axis=1) == texts + 1).sum())


def _remembered(place: Path) -> MeaningRecord | None:
    with suppress(InputError):
        return read_record(place, MeaningRecord, "a self-test", "Delete it.")
    return None


def _remember(place: Path, found: MeaningRecord) -> MeaningRecord:
    """Keep what a test found; a cache that cannot be written keeps nothing."""
    with suppress(OSError, LocalrecError):
        make_private(place.parent)
        write_record(place, found)
    return found


def _place(files: Sequence[Path], computed: str) -> Path:
    marks = [f"{path.resolve()} {file_mark(path)}" for path in files]
    marks += [computed] if computed else []
    return pulled("models") / "self-tests" / f"embedder-{short_digest(*marks)}.json"
