"""Time what a user waits for beside what they would use instead, in turn, as ratios with a history.

Run:
    python scripts/studies/run.py peers [--repeat 7] [--ratings 1000000] [--only NAME] [--report]
    python scripts/studies/run.py peers --check
    python scripts/bench all [--check]

Each line is done by localrec and by its peer, one after the other, so that whatever else the
machine does meets both. A ratio is processor time (all threads, child processes included) of ours
over the peer's, of the clock where a line says so: the median over the pairs with their quartiles.
`--report` replaces the lines that were measured among those that are kept, and adds their ratios
to docs/figures/bench-peers-history.json; `scripts/bench all` does so with every line, at three
sizes where a line depends on one. `--check` measures nothing: it reads that history and fails where
a line was more than a tenth above its usual ratio in the last two runs that had it, among runs of
one machine that was as busy. Where there are only two, it tells what the last one lost.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import msgspec
from findings import Findings, add_folder, as_json, origin_of
from peer_chart import ratios_picture
from peer_commands import command_lines, import_line
from peer_embedding import embedding_lines
from peer_graphs import curation_line, hnsw_line
from peer_history import (
    FILE,
    PastRun,
    as_told,
    conditions_of,
    load_now,
    losses,
    read_history,
    warnings,
)
from peer_hops import hop_lines
from peer_lines import PeerLine
from peer_lists import list_lines

from localrec.evaluation.provenance import Origin
from localrec.evaluation.reporting.markdown import markdown_table

BLOCK, CHART = "bench-peers", "bench-peers.svg"


class Size(msgspec.Struct, frozen=True, kw_only=True):
    """How much data the lines get that depend on it.

    Args:
        ratings: Rows that are imported.
        interactions: Likings of the curated graph.
        items: Of the walked catalogue, and of that which lists are chosen from.
        vectors: Texts that are searched.
        texts: Descriptions that are embedded; there are 562.
    """

    ratings: int
    interactions: int
    items: int
    vectors: int = 20_000
    texts: int = 64


SIZES = (
    Size(ratings=100_000, interactions=100_000, items=10_000, vectors=5_000, texts=64),
    Size(ratings=1_000_000, interactions=600_000, items=30_000, vectors=20_000, texts=256),
    Size(ratings=5_000_000, interactions=5_000_000, items=100_000, vectors=50_000, texts=562),
)


class MeasuredLine(msgspec.Struct, frozen=True, kw_only=True):
    """A line with the run that measured it, and how many pairs were timed."""

    origin: Origin
    pairs: int
    line: PeerLine


def add_options(parser: argparse.ArgumentParser) -> None:
    """What the command line takes."""
    parser.add_argument("--repeat", type=int, default=7, help="pairs of each line")
    parser.add_argument("--ratings", type=int, default=1_000_000, help="rows that are imported")
    parser.add_argument("--interactions", type=int, default=600_000, help="of the curated graph")
    parser.add_argument("--items", type=int, default=100_000, help="of the walked catalogue")
    parser.add_argument(
        "--all-sizes", action="store_true", help="three sizes instead of the one given"
    )
    add_folder(parser, "--cache", "bench", "where that catalogue stays between runs")
    add_folder(parser, "--peers", "peers", "the environments of peers")
    parser.add_argument(
        "--only",
        action="append",
        help="lines whose names begin so: import, curation, HNSW, C3, fit, embedding, ...",
    )
    parser.add_argument("--check", action="store_true", help="read the history, measure nothing")


def measure(asked: argparse.Namespace) -> Findings:
    """Time every line, or check the history."""
    figures = asked.docs / "figures"
    history = read_history(figures)
    if asked.check:
        lost = losses(history)
        return Findings(text=as_told(lost, warnings(history)), exit_code=1 if lost else 0)
    load = load_now()
    origin = origin_of("peers", *given(asked))
    with tempfile.TemporaryDirectory() as folder:
        lines = list(all_lines(Path(folder), asked))
    measured = [MeasuredLine(origin=origin, pairs=asked.repeat, line=line) for line in lines]
    kept = merged(read_lines(figures), measured) if asked.report else measured
    found = Findings(
        text=as_markdown(kept),
        page="speed",
        block=BLOCK,
        figures=kept,
        pictures={CHART: ratios_picture([one.line for one in kept])},
    )
    if asked.report:
        ratios = {line.name: line.ratio for line in lines}
        past = PastRun(date=origin.date, conditions=conditions_of(origin, load), ratios=ratios)
        (figures / FILE).write_text(as_json([*history, past]) + "\n", encoding="utf-8")
    return found


def given(asked: argparse.Namespace) -> list[str]:
    """The options that decide the figures."""
    only = [f"--only '{name}'" for name in asked.only or ()]
    sizes = [f"--ratings {asked.ratings}", f"--interactions {asked.interactions}"]
    sizes.append(f"--items {asked.items}")
    return [f"--repeat {asked.repeat}", *(["--all-sizes"] if asked.all_sizes else sizes), *only]


def sizes_of(asked: argparse.Namespace) -> Sequence[Size]:
    """The sizes that a run measures."""
    given = Size(ratings=asked.ratings, interactions=asked.interactions, items=asked.items)
    return SIZES if asked.all_sizes else (given,)


def read_lines(figures: Path) -> list[MeasuredLine]:
    """The lines that are kept in a folder of figures."""
    path = figures / f"{BLOCK}.json"
    return msgspec.json.decode(path.read_bytes(), type=list[MeasuredLine]) if path.is_file() else []


def merged(kept: Sequence[MeasuredLine], new: Sequence[MeasuredLine]) -> list[MeasuredLine]:
    """Put newly measured lines in the place of older ones of their names, others at the end."""
    by_name = {one.line.name: one for one in kept}
    by_name.update({one.line.name: one for one in new})
    return list(by_name.values())


def all_lines(home: Path, asked: argparse.Namespace) -> Iterator[PeerLine]:
    """Time each line that is asked for."""

    def is_asked(name: str) -> bool:
        return not asked.only or any(name.startswith(begin) for begin in asked.only)

    repeat = asked.repeat
    yield from command_lines(home, repeat, is_asked)
    sizes = sizes_of(asked)
    few = max(1, repeat // 2)
    groups: dict[tuple[str, ...], Callable[[Size], Iterable[PeerLine]]] = {
        ("import",): lambda size: [import_line(home, size.ratings, few)],
        ("curation",): lambda size: [curation_line(size.interactions, repeat)],
        ("HNSW",): lambda size: [hnsw_line(repeat, size.vectors)],
        ("C3", "C4"): lambda size: hop_lines(asked.cache, asked.peers, size.items, repeat),
        ("fit", "a list"): lambda size: list_lines(asked.peers, size.items, repeat),
    }
    for names, timed in groups.items():
        if any(map(is_asked, names)):
            for size in sizes:
                yield from timed(size)
    if is_asked("embedding"):
        yield from embedding_lines(repeat, [size.texts for size in sizes])


def as_markdown(kept: Sequence[MeasuredLine]) -> str:
    """The lines as a table, and the runs that made them."""
    rows = [_row(one.line) for one in kept]
    head = ["processor ms", "peer", "ours", "the peer's", "ratio", "wanted", ""]
    runs: dict[str, int] = {one.origin.as_text(): one.pairs for one in kept}
    made = "\n\n".join(
        f"Made by {origin} Medians of {pairs} pairs, with quartiles."
        for origin, pairs in runs.items()
    )
    picture = f"![Ratios of localrec's time over its peers'](../figures/{CHART})"
    return f"{markdown_table(head, rows)}\n\n{picture}\n\n{made}"


def _row(line: PeerLine) -> list[str]:
    notes = [*(["by the clock"] * line.by_clock), *([line.told] * bool(line.told))]
    if line.reached is not None:
        notes.insert(0, "reached" if line.reached else "missed")
    return [
        line.name,
        line.peer,
        f"{1000 * line.ours_s:,.2f}",
        f"{1000 * line.peer_s:,.2f}",
        f"{line.ratio:.2f} ({line.low:.2f} to {line.high:.2f})",
        f"at most {line.wanted}" if line.wanted else "",
        ", ".join(notes),
    ]
