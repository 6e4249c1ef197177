"""`localrec learn`: learn how the default list weighs its evidence, and from whom."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Annotated

import typer

from localrec.cli.context import DomainOption, command_context, note, progress
from localrec.foundation.errors import BusyError, CutShortError
from localrec.foundation.settings import learning_is_on

if TYPE_CHECKING:
    from localrec.ranking.learned.reranker_share import RerankerShare
    from localrec.workspace import OpenWorkspace
    from localrec.workspace.ranking_fits import FittedRanking

EXAMPLES = """
Examples:\n\n
  localrec learn\n\n
  localrec learn --domain movies\n\n
  localrec learn --status\n\n
  localrec learn --stop\n\n
  localrec learn --reranker memrec-model
"""


def learn(
    domain: DomainOption = None,
    status: Annotated[
        bool,
        typer.Option("--status", help="Say how far a fit has come, or what was learnt."),
    ] = False,
    stop: Annotated[
        bool,
        typer.Option(
            "--stop",
            help="Stop a running fit. localrec learn, or the next import, continues it.",
        ),
    ] = False,
    reranker: Annotated[
        str | None,
        typer.Option(
            "--reranker",
            metavar="SYSTEM",
            help="Learn how much a reranker with a model counts beside what was learnt: "
            "memrec-model, agenticrec or a variant.",
        ),
    ] = None,
    cases: Annotated[
        int,
        typer.Option(min=20, metavar="N", help="Held-out items that the reranker orders."),
    ] = 60,
) -> None:
    """Learn the default ranking of each domain from all that users did with its items.

    An import starts this in the background, and lists work meanwhile. A fit that was stopped or
    killed goes on where it was, and one without new interactions ends at once. What is learnt is a
    cache of the store: forgetting removes it.

    A reranker has no share in a list before one was learnt, which takes a while, since its model is
    asked about each held-out item. It gets one only if its scores make the order better.
    """
    from localrec.workspace.domain_choice import domain_of_question
    from localrec.workspace.ranking_fits import fit_status

    context = command_context()
    with context.open_workspace() as opened:
        domains = [domain_of_question(opened, "", domain)] if domain else opened.domains()
    if status or stop:
        found = {name: fit_status(context.workspace, name, stop=stop) for name in domains}
        if not context.print_json(found):
            for name, one in found.items():
                note(f"{name}: {one.text}")
        return
    if reranker is not None:
        shares = {name: _learn_share(context.workspace, name, reranker, cases) for name in domains}
        if not context.print_json(shares):
            for name, share in shares.items():
                note(f"{name}: {share.as_sentence()}")
        return
    learnt = {}
    for name in domains:
        learnt[name] = _learn(context.workspace, name).summary()
    if not context.print_json(learnt):
        for name, summary in learnt.items():
            note(f"{name}: {summary['text']}")


def learn_in_background(opened: OpenWorkspace, domain: str, *, imported: bool = False) -> None:
    """Start `localrec learn` where the ranking of a domain is missing or too old, and say so.

    Nothing starts where it is switched off (LOCALREC_LEARN=off), is running already, or was
    stopped by somebody; what was just imported lets a stopped one begin again.
    """
    if not learning_is_on():
        return
    from localrec.foundation.jobs import start_in_background
    from localrec.ranking.learned.progress_file import is_held, learning_progress, release
    from localrec.ranking.learned.stored import is_stale
    from localrec.workspace.ranking_fits import learning_text

    indexes = opened.folder / "indexes"
    if not is_stale(opened.store, indexes, domain):
        return
    if imported:
        release(indexes, domain)
    elif is_held(indexes, domain):
        note(f"Learning a better ranking was stopped. Go on: localrec learn --domain {domain}")
        return
    if (running := learning_progress(indexes, domain)) is not None:
        note(f"A better ranking is on its way: {learning_text(running)}.")
        return
    start_in_background(opened.folder, ["learn", "--domain", domain])
    note("A better ranking is learnt in the background now: localrec learn --status")


def _learn(folder: Path, domain: str) -> FittedRanking:
    """Learn one domain, and stop where asked."""
    from localrec.workspace.ranking_fits import fit_domain

    with progress() as steps, _stop_flag() as is_stopped:
        return fit_domain(folder, domain, steps, lambda: bool(is_stopped))


def _learn_share(folder: Path, domain: str, system: str, cases: int) -> RerankerShare:
    from localrec.ranking.learned.evidence.base import FitStoppedError
    from localrec.systems.reranker_learning import learn_reranker_share

    with progress() as steps, _stop_flag() as is_stopped:
        try:
            return learn_reranker_share(
                folder,
                domain,
                system,
                cases,
                progress=steps,
                should_stop=lambda: bool(is_stopped),
            )
        except FitStoppedError as error:
            raise CutShortError(
                "Learning a share was stopped, and nothing of it was kept.",
                f"Start it again: localrec learn --reranker {system}",
            ) from error
        except BusyError as error:
            raise BusyError(
                f"Another process is learning a share in {domain} already.", "Let it finish first."
            ) from error


@contextmanager
def _stop_flag() -> Iterator[list[bool]]:
    """A list that is no longer empty once Ctrl+C or a request to end has come."""
    asked: list[bool] = []

    def ask(_number: int, _frame: FrameType | None) -> None:
        asked.append(True)

    before = {number: signal.signal(number, ask) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield asked
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
