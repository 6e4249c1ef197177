"""What the shared memory does on MovieLens 100K: how its sizes matter, and what writing brings.

    python scripts/studies/shared_memory.py --sensitivity    neighbours and facets, each from few
    to many
    python scripts/studies/shared_memory.py --stream         rows as they came, with writes on and
    off

Both replace their block of docs/results/memory.md and keep their figures in docs/figures/. What
was done lies in the workspace's `runs/`, so that a stopped measurement goes on where it was; to
measure anew after a change to the memory, remove that file. Nobody's last film, the one that runs
are tested by, is ever asked for or learned from. `--sensitivity` is told in `memory_sizes.py`,
`--stream` in `memory_stream.py` and, for what a click costs, in `memory_queue.py`.

Films pulled before are needed: localrec datasets pull ml-100k
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import msgspec
from memory_gains import StreamFigures, groups_of, stream_as_markdown
from memory_queue import measure_queue
from memory_sizes import SizesFigures, measure_sizes, pictures, sizes_as_markdown
from memory_stream import Bench, counting_ms, measure_stream, stream_of

from localrec.data.domains import Domain
from localrec.evaluation.provenance import current_origin
from localrec.evaluation.ranking.cases import DataSplit, EvaluationProtocol, split_data
from localrec.evaluation.ranking.keyed_interactions import KeyedInteractions, read_interactions
from localrec.evaluation.reporting.markdown import replace_marked_block
from localrec.foundation.errors import LocalrecError
from localrec.foundation.paths import default_workspace
from localrec.graph.domain_files import load_domain
from localrec.sources.dataset_catalog import find_dataset
from localrec.workspace import Workspace

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = "scripts/studies/shared_memory.py"
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


def main() -> int:
    """Measure what is missing, write figures and block, print it; the exit code."""
    asked = parse_arguments()
    try:
        with Workspace(asked.workspace) as workspace:
            data = open_data(workspace)
            name, text = (sensitivity if asked.sensitivity else stream)(asked, data)
        replace_marked_block(asked.docs, name, text)
    except LocalrecError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    print(text)
    return 0


def parse_arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--sensitivity", action="store_true", help="neighbours and facets")
    what.add_argument("--stream", action="store_true", help="writes on and off")
    parser.add_argument("--each", type=int, default=EACH, help="rows of a person in the stream")
    parser.add_argument("--workspace", type=Path, default=default_workspace())
    parser.add_argument("--docs", type=Path, default=ROOT / "docs" / "results" / "memory.md")
    return parser.parse_args()


def open_data(workspace: Workspace) -> Data:
    """The rows of the data set; what runs are tested by is in no training row."""
    dataset = find_dataset(DATASET)
    domain = load_domain(dataset.domain)
    keyed = read_interactions(workspace.store, domain, dataset.kind)
    parted = split_data(keyed.interactions, EvaluationProtocol(candidates=CANDIDATES, seed=SEED))
    return Data(domain, keyed, parted, Bench(workspace, domain, keyed, parted))


def sensitivity(asked: argparse.Namespace, data: Data) -> tuple[str, str]:
    """Name and text of the block about neighbours and facets."""
    kept = asked.workspace / "runs" / f"memory-sensitivity-{mark_of(data)}.jsonl"
    figures = SizesFigures(
        origin=current_origin(SCRIPT, ["--sensitivity"]),
        seed=SEED,
        cases=len(data.parted.validation),
        candidates=CANDIDATES,
        cells=measure_sizes(data.bench, data.parted, SEED, kept),
    )
    folder = asked.docs.parent / "figures"
    keep(folder / "memory-sensitivity.json", figures)
    for name, picture in pictures(figures):
        (folder / name).write_text(picture, encoding="utf-8")
    return "memory-sensitivity", sizes_as_markdown(figures)


def stream(asked: argparse.Namespace, data: Data) -> tuple[str, str]:
    """Name and text of the block about writes."""
    runs, mark = asked.workspace / "runs", mark_of(data)
    replayed = runs / f"memory-stream-{mark}-{asked.each}.jsonl"
    clicked = runs / f"memory-queue-{mark}.jsonl"
    rows = stream_of(data.keyed.interactions)
    steps, weights = measure_stream(data.bench, rows, asked.each, SEED, replayed)
    figures = StreamFigures(
        origin=current_origin(SCRIPT, ["--stream", f"--each {asked.each}"]),
        each=asked.each,
        seed=SEED,
        weights=weights,
        groups=tuple(groups_of(rows, steps)),
        counting_ms=counting_ms(data.bench, rows),
        queue=measure_queue(asked.workspace, data.domain, data.keyed, clicked),
    )
    keep(asked.docs.parent / "figures" / "memory-stream.json", figures)
    return "memory-stream", stream_as_markdown(figures)


def mark_of(data: Data) -> str:
    """Names the rows that figures are of."""
    return data.keyed.fingerprint[:12]


def keep(path: Path, figures: msgspec.Struct) -> None:
    """Figures as JSON fit for people's eyes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(msgspec.json.format(msgspec.json.encode(figures), indent=1) + b"\n")


if __name__ == "__main__":
    sys.exit(main())
