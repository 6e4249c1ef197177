"""Lines of the bench beside peers that start programs: help, questions, imports."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from peer_lines import PeerLine, Seconds, Wanted, compare, first_byte, program, run_command
from people import PEOPLE, generate

QUESTION = "a smoky drink without whiskey"
HELP, COLD = "`localrec --help`", "`localrec ask`, cold"
WARM, FIRST_BYTE = "`localrec ask`, warm helper", "`localrec ask`, warm helper, first byte"
MANY = 5_000_000  # ratings; fewer hide behind the start and the films, which the peer does not read
BARE = [sys.executable, "-c", "pass"]
BARE_PRINT = [sys.executable, "-c", "print(1)"]
LIBRARIES = [sys.executable, "-c", "import duckdb, numpy"]
Chosen = Callable[[str], bool]


def command_lines(home: Path, repeat: int, is_asked: Chosen) -> Iterator[PeerLine]:
    """Time those of the commands over the bundled drinks that are asked for."""
    if not any(map(is_asked, (HELP, COLD, WARM, FIRST_BYTE))):
        return
    workspace = str(home / "drinks")
    ask = [*program(workspace), "ask", QUESTION]
    run_command([*program(workspace), "datasets", "pull", "cocktails"])
    run_command([*program(workspace), "index"])
    helped = [*program(workspace), "--help"]
    for name, command, most in ((HELP, helped, 150), (COLD, ask, 500)):
        if is_asked(name):
            pair = _both(command, LIBRARIES)
            wanted = Wanted(most, "ms")
            yield compare(name, "`import duckdb, numpy`", pair, repeat, wanted)
    if not (is_asked(WARM) or is_asked(FIRST_BYTE)):
        return
    with warm_helper(workspace):
        if is_asked(WARM):
            yield compare(WARM, "`python -c pass`", _both(ask, BARE), repeat)
        if is_asked(FIRST_BYTE):
            both = (lambda: first_byte(ask)), (lambda: first_byte(BARE_PRINT))
            peer, wanted = "`python -c 'print(1)'`", Wanted(60, "ms")
            yield compare(FIRST_BYTE, peer, both, 3 * repeat, wanted, by_clock=True)


def _both(ours: list[str], theirs: list[str]) -> tuple[Seconds, Seconds]:
    return (lambda: run_command(ours)), (lambda: run_command(theirs))


@contextmanager
def warm_helper(workspace: str) -> Iterator[None]:
    """Keep a helper for a workspace."""
    run_command([*program(workspace), "warm"])
    try:
        yield
    finally:
        run_command([*program(workspace), "warm", "--stop"])


def import_line(home: Path, ratings: int, repeat: int) -> PeerLine:
    """The import of a MovieLens folder beside DuckDB's read of its ratings into a table."""
    home = home / f"import-{ratings}"
    folder = home / "ml"
    folder.mkdir(parents=True)
    rows, _ = generate(folder, ratings, PEOPLE)
    count = iter(range(10_000))
    load = (
        "import duckdb, sys; c = duckdb.connect(sys.argv[1]); "
        "c.execute(f\"CREATE TABLE rating AS FROM read_csv('{sys.argv[2]}')\")"
    )

    def ours() -> float:
        workspace = str(home / f"import-{next(count)}")
        return run_command(
            [*program(workspace), "import", "movielens", str(folder), "--index-later"]
        )

    def theirs() -> float:
        store, ratings_file = home / f"plain-{next(count)}.duckdb", folder / "ratings.csv"
        return run_command([sys.executable, "-c", load, str(store), str(ratings_file)])

    name = f"import of {rows:,} ratings"
    wanted = Wanted(3) if rows >= MANY else None
    return compare(name, "DuckDB's `read_csv`", (ours, theirs), repeat, wanted, warm_up=False)
