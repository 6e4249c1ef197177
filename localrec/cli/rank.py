"""`localrec rank`: orders of given candidates, a request a line."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from localrec.cli.context import (
    DomainOption,
    command_context,
    console,
    note,
    note_unknown,
    print_line,
    progress,
    resumable,
)
from localrec.cli.engine_options import AddressOption, EngineOption, WorkersOption, note_redone
from localrec.cli.recommend import SystemOption
from localrec.foundation.errors import UsageError

if TYPE_CHECKING:
    from localrec.data.questions import RankRequest
    from localrec.data.recommendations import Ranking

EXAMPLES = """
A request is a JSON object a line: id, candidates, and optionally history (item keys, oldest
first), ratings (stars for the history), user. The file it writes is gone on with after any
interruption; what it was begun with stands beside it in RANKINGS.jsonl.run.json, and another
system or domain is refused.\n\n
Examples:\n\n
  localrec rank --batch requests.jsonl --out rankings.jsonl\n\n
  localrec rank --batch requests.jsonl --out by-popularity.jsonl --system popularity\n\n
  localrec rank --batch requests.jsonl --out by-agent.jsonl --system agenticrec --explain\n\n
  localrec rank --batch requests.jsonl --out rankings.jsonl --engine ray --workers 4
"""
_SAMPLED_KEYS = 10_000  # keys that tell which domain a batch is about
_SHARED = 8  # requests for a worker at a time: a lost one costs no more

_Requests = Annotated[
    Path, typer.Option("--batch", metavar="REQUESTS.jsonl", help="The requests; - reads stdin.")
]
_Rankings = Annotated[
    Path,
    typer.Option(
        "--out",
        metavar="RANKINGS.jsonl",
        help="File for the rankings; run again to go on. - writes to stdout.",
    ),
]


def rank(
    batch: _Requests,
    out: _Rankings,
    system: SystemOption = "auto",
    explain: Annotated[
        bool, typer.Option("--explain", help="Tell in words what an agent did for each request.")
    ] = False,
    domain: DomainOption = None,
    engine: EngineOption = "local",
    workers: WorkersOption = None,
    address: AddressOption = None,
) -> None:
    """Order given candidates for given histories, which need not be stored."""
    from localrec.data.recommendations import to_json
    from localrec.engines.execution import chunks_of, open_engine
    from localrec.engines.workspace_work import RankWork
    from localrec.workspace.batch_runs import PIPE, RunOptions, rank_batch, read_rank_requests
    from localrec.workspace.domain_choice import domain_of_items

    if out == PIPE and engine != "local":
        raise UsageError("Workers fill a file, not stdout.", "Name one with --out.")
    if batch == out == PIPE:
        _rank_as_they_come(system, domain)
        return
    context = command_context()
    requests = read_rank_requests(batch)
    made = _Made(explain=explain)
    with (
        context.open_workspace() as opened,
        resumable(out),
        open_engine(engine, workers, address) as shared_by,
        progress() as steps,
    ):
        named = (key for request in requests for key in (*request.candidates, *request.history))
        chosen = domain_of_items(opened, list(islice(named, _SAMPLED_KEYS)), domain)
        note_unknown(opened.store, (request.user for request in requests))
        work = RankWork(opened, chosen, system)
        work.recommender()  # what cannot be opened is told before anything is asked
        if out == PIPE:
            for request in requests:
                print_line(to_json(made.noted(work.rank(request))))
            return

        def ranked(waiting: Sequence[RankRequest]) -> Iterator[Ranking]:
            chunks = chunks_of(waiting, 1 if engine == "local" else _SHARED)
            return map(made.noted, chain.from_iterable(shared_by.map(work, chunks)))

        summary = rank_batch(
            ranked,
            requests,
            out,
            lambda done, total: steps("ranking", done, total),
            RunOptions(command="rank", system=system, domain=chosen),
        )
    note_redone(shared_by)
    if context.print_json(summary):
        return
    made.tell_steps()
    note(f"{summary.answered} ranked, {summary.resumed} were there already, in {out}.")
    made.tell_notes(chosen)


class _Made:
    """What is to be said of the rankings that were made.

    Args:
        explain: Whether what an agent did is told.
    """

    def __init__(self, *, explain: bool) -> None:
        self._explain = explain
        self._unknown = 0
        self._notes: list[str] = []
        self._acted: list[Ranking] = []

    def noted(self, ranking: Ranking) -> Ranking:
        """Take note of a ranking, and return it."""
        self._unknown += len(ranking.ranking) - len(ranking.scores)
        self._notes.extend(ranking.notes)
        if self._explain and ranking.trajectory is not None:
            self._acted.append(ranking)
        return ranking

    def tell_steps(self) -> None:
        """Print what an agent did for each request."""
        from localrec.cli.render import render_trajectory

        for one in self._acted:
            render_trajectory(one.trajectory or {}, console(), of=f"Request {one.id}")

    def tell_notes(self, domain: str) -> None:
        """Say what stands last without a score, and how many notes there are."""
        if self._unknown:
            note(
                f"Candidates that are not in {domain}, and so stand last, as given: "
                f"{self._unknown:,}."
            )
        if self._notes:
            note(f"Notes beside the rankings: {len(self._notes):,}, the first: {self._notes[0]}")


def _rank_as_they_come(system: str, domain: str | None) -> None:
    """Rank each request of stdin when its line is there, and write its answer at once."""
    from localrec.data.recommendations import to_json
    from localrec.engines.workspace_work import RankWork
    from localrec.workspace.batch_runs import stream_rank_requests
    from localrec.workspace.domain_choice import domain_of_items

    met: set[str] = set()
    with command_context().open_workspace() as opened:
        for request in stream_rank_requests(sys.stdin.buffer):
            if request.user and request.user not in met:
                met.add(request.user)
                note_unknown(opened.store, [request.user])
            keys = [*request.candidates, *request.history]
            chosen = domain_of_items(opened, keys, domain)
            print_line(to_json(RankWork(opened, chosen, system).rank(request)))
