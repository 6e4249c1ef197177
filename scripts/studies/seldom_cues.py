"""Cut the learnt vectors of tokens that questions seldom hold out of the role tagger's network.

Run:
    python scripts/studies/run.py seldom_cues --keep 190 --out roles.npz QUESTIONS... CARRIERS...

The network has a vector of its own for each token that several carriers share. Most of them were
met so seldom that they still are what they began as, and every one takes its place in the package.
What is kept is counted over the questions and carriers that are named; `heard_refusals --network`
tells whether anything is heard otherwise.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import numpy as np
from findings import Findings
from numpy.typing import NDArray

from localrec.index.embedders import open_embedder
from localrec.training.reader.array_archive import pack_arrays
from localrec.understanding.question_roles import WEIGHTS

Arrays = Mapping[str, NDArray[np.generic]]


def add_options(parser: argparse.ArgumentParser) -> None:
    """What the command line takes."""
    parser.add_argument("files", type=Path, nargs="+", help="JSON lines with `query` or `carrier`")
    parser.add_argument("--keep", type=int, required=True, help="vectors, the commonest tokens'")
    parser.add_argument("--network", type=Path, default=WEIGHTS, help="the tagger's")
    parser.add_argument("--out", type=Path, required=True, help="the file to write")


def measure(asked: argparse.Namespace) -> Findings:
    """Write the smaller network."""
    with np.load(asked.network, allow_pickle=False) as kept:
        arrays = {name: kept[name] for name in kept.files}
    uses = uses_of_cues(texts_of(asked.files), arrays["cue_rows"])
    asked.out.write_bytes(pack_arrays(with_cues(arrays, uses, asked.keep)))
    left = sorted(uses.values(), reverse=True)[asked.keep - 1 :]
    return Findings(
        text=f"{asked.keep} of {len(arrays['cues_8'])} vectors stay; the commonest token without "
        f"one is met {left[0] if left else 0} times. {asked.out.stat().st_size:,} bytes."
    )


def texts_of(files: Iterable[Path]) -> Iterator[str]:
    """The questions and carriers of some files."""
    for path in files:
        for line in path.read_text("utf-8").splitlines():
            if line.strip():
                told = json.loads(line)
                yield told.get("query") or told["carrier"]


def uses_of_cues(texts: Iterable[str], cue_rows: NDArray[np.generic]) -> Counter[int]:
    """How often the tokens of each vector are met; 0 is no vector's place."""
    encoder = open_embedder(threads=1)
    uses: Counter[int] = Counter()
    for text in texts:
        uses.update(int(row) for row in cue_rows[encoder.read(text).ids] if row)
    return uses


def with_cues(arrays: Arrays, uses: Counter[int], keep: int) -> dict[str, NDArray[np.generic]]:
    """The arrays with the vectors of the commonest tokens alone, and that of all others."""
    rows = np.sort(np.array([0, *(row for row, _ in uses.most_common(keep - 1))]))
    place = np.zeros(len(arrays["cues_8"]), dtype=np.int16)
    place[rows] = np.arange(len(rows))
    cut = {"cues_8": arrays["cues_8"][rows], "cue_rows": place[arrays["cue_rows"].astype(np.intp)]}
    return {**arrays, **cut}
