"""What the shared memory does on MovieLens 100K: how its sizes matter, and what writing brings.

    python scripts/studies/run.py shared_memory --sensitivity    neighbours and facets
    python scripts/studies/run.py shared_memory --stream         writes on and off

With `--report` both replace their block of docs/results/memory.md. What was done lies in the
workspace's `runs/`, so that a stopped measurement goes on where it was; to measure anew after a
change to the memory, remove that file. Nobody's last film, the one that runs are tested by, is ever
asked for or learned from. `--sensitivity` is told in `memory_sizes.py`, `--stream` in
`memory_stream.py` and, for what a click costs, in `memory_queue.py`.

Films pulled before are needed: localrec datasets pull ml-100k
"""

from __future__ import annotations

import argparse

import msgspec
from findings import Findings, add_workspace, origin_of
from memory_gains import StreamFigures, groups_of, stream_as_markdown
from memory_queue import measure_queue
from memory_sizes import SizesFigures, measure_sizes, pictures, sizes_as_markdown
from memory_stream import Bench, counting_ms, measure_stream, stream_of

from localrec.data.domains import Domain
from localrec.evaluation.ranking.cases import DataSplit, EvaluationProtocol, split_data
from localrec.evaluation.ranking.keyed_interactions import KeyedInteractions, read_interactions
from localrec.graph.domain_files import load_domain
from localrec.sources.dataset_catalog import find_dataset
from localrec.workspace import OpenWorkspace

DATASET = "ml-100k"
CANDIDATES = 20
SEED = 7
EACH = 16  # rows of a person in the stream


class Data(msgspec.Struct, frozen=True):
    """What a workspace knows of the data set, parted as for runs."""

    domain: Domain
    keyed: KeyedInteractions
    parted: DataSplit
    bench: Bench


def measure(asked: argparse.Namespace) -> Findings:
    """Measure what is missing."""
    with OpenWorkspace(asked.workspace) as workspace:
        return (sensitivity if asked.sensitivity else stream)(asked, open_data(workspace))


def add_options(parser: argparse.ArgumentParser) -> None:
    """What the command line takes."""
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--sensitivity", action="store_true", help="neighbours and facets")
    what.add_argument("--stream", action="store_true", help="writes on and off")
    parser.add_argument("--each", type=int, default=EACH, help="rows of a person in the stream")
    add_workspace(parser)


def open_data(workspace: OpenWorkspace, candidates: int = CANDIDATES, seed: int = SEED) -> Data:
    """The rows of the data set; what runs are tested by is in no training row."""
    dataset = find_dataset(DATASET)
    domain = load_domain(dataset.domain)
    keyed = read_interactions(workspace.store, domain, dataset.kind)
    parted = split_data(keyed.interactions, EvaluationProtocol(candidates=candidates, seed=seed))
    return Data(domain, keyed, parted, Bench(workspace, domain, keyed, parted))


def sensitivity(asked: argparse.Namespace, data: Data) -> Findings:
    """Neighbours and facets, each from few to many."""
    kept = asked.workspace / "runs" / f"memory-sensitivity-{mark_of(data)}.jsonl"
    figures = SizesFigures(
        origin=origin_of("shared_memory", "--sensitivity"),
        seed=SEED,
        cases=len(data.parted.validation),
        candidates=CANDIDATES,
        cells=measure_sizes(data.bench, data.parted, SEED, kept),
    )
    return Findings(
        text=sizes_as_markdown(figures),
        page="memory",
        block="memory-sensitivity",
        figures=figures,
        pictures=dict(pictures(figures)),
    )


def stream(asked: argparse.Namespace, data: Data) -> Findings:
    """Rows as they came, with writes on and off."""
    runs, mark = asked.workspace / "runs", mark_of(data)
    replayed = runs / f"memory-stream-{mark}-{asked.each}.jsonl"
    clicked = runs / f"memory-queue-{mark}.jsonl"
    rows = stream_of(data.keyed.interactions)
    steps, weights = measure_stream(data.bench, rows, asked.each, SEED, replayed)
    figures = StreamFigures(
        origin=origin_of("shared_memory", "--stream", f"--each {asked.each}"),
        each=asked.each,
        seed=SEED,
        weights=weights,
        groups=tuple(groups_of(rows, steps)),
        counting_ms=counting_ms(data.bench, rows),
        queue=measure_queue(asked.workspace, data.domain, data.keyed, clicked),
    )
    text = stream_as_markdown(figures)
    return Findings(text=text, page="memory", block="memory-stream", figures=figures)


def mark_of(data: Data) -> str:
    """Names the rows that figures are of."""
    return data.keyed.fingerprint[:12]
