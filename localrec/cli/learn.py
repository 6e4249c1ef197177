"""`localrec learn`: learn how the default list weighs its evidence, and from whom."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Annotated

import typer

from localrec.cli.context import DomainOption, command_context, note, progress
from localrec.foundation.errors import BusyError, CutShortError

if TYPE_CHECKING:
    from localrec.ranking.learned.progress_file import LearningProgress
    from localrec.ranking.learned.ranker import FusedRanker
    from localrec.ranking.learned.stored import StoredLog
    from localrec.workspace import OpenWorkspace

EXAMPLES = """
Examples:\n\n
  localrec learn\n\n
  localrec learn --domain movies\n\n
  localrec learn --status\n\n
  localrec learn --stop
"""
SWITCH = "LOCALREC_LEARN"  # "off": nothing is learnt in the background


def learn(
    domain: DomainOption = None,
    status: Annotated[
        bool, typer.Option("--status", help="Say how far a running fit has come.")
    ] = False,
    stop: Annotated[
        bool, typer.Option("--stop", help="Stop a running fit; it goes on there the next time.")
    ] = False,
) -> None:
    """Learn the default ranking of each domain from all that users did with its items.

    An import starts this in the background, and lists work meanwhile. A fit that was stopped or
    killed goes on where it was, and one without new interactions ends at once. What is learnt is a
    cache of the store: forgetting removes it.
    """
    from localrec.workspace.domain_choice import domain_of_question

    context = command_context()
    with context.open_workspace() as opened:
        domains = [domain_of_question(opened, "", domain)] if domain else opened.domains()
    if status or stop:
        running = dict(_running(context.workspace, domains))
        if stop:
            for one in running.values():
                one.stop()
        if not context.print_json({name: one.what for name, one in running.items()}):
            for name, one in running.items():
                note(f"{name}: {learning_text(one)}" + (", asked to stop" if stop else ""))
            if not running:
                note("Nothing is being learnt.")
        return
    learnt = {}
    for name in domains:
        ranker = _learn(context.workspace, name)
        learnt[name] = _summary(ranker)
    if not context.print_json(learnt):
        for name, summary in learnt.items():
            note(f"{name}: {summary['text']}")


def learn_in_background(opened: OpenWorkspace, domain: str) -> None:
    """Start `localrec learn` where the ranking of a domain is missing or too old, and say so.

    Nothing starts where it is switched off (LOCALREC_LEARN=off), or is running already.
    """
    if os.environ.get(SWITCH, "").casefold() == "off":
        return
    from localrec.foundation.jobs import start_in_background
    from localrec.ranking.learned.progress_file import learning_progress
    from localrec.ranking.learned.stored import is_stale

    indexes = opened.folder / "indexes"
    if not is_stale(opened.store, indexes, domain):
        return
    if (running := learning_progress(indexes, domain)) is not None:
        note(f"A better ranking is on its way: {learning_text(running)}.")
        return
    start_in_background(opened.folder, ["learn", "--domain", domain])
    note("A better ranking is learnt in the background now: localrec learn --status")


def learning_text(one: LearningProgress) -> str:
    """How far a fit has come, as a sentence without its full stop."""
    from time import time

    done = f", {one.done} of {one.total}" if one.total else ""
    return f"learning for {time() - one.began:,.0f} s ({one.what}{done})"


def _learn(folder: Path, domain: str) -> FusedRanker | None:
    """Learn one domain; None where there is too little to learn from."""
    from localrec.ranking.learned.evidence.base import FitStoppedError
    from localrec.ranking.learned.progress_file import folder_of
    from localrec.ranking.learned.stored import FEWEST_ROWS, skip
    from localrec.ranking.learned.stored import learn as learn_ranking

    stored, kept = _read(folder, domain), folder_of(folder / "indexes", domain)
    if len(stored.log) < FEWEST_ROWS:
        skip(stored, kept)
        return None
    with progress() as steps, _stop_flag() as is_stopped:
        try:
            return learn_ranking(
                stored,
                kept,
                progress=steps,
                should_stop=lambda: bool(is_stopped),
            )
        except FitStoppedError as error:
            raise CutShortError(error.message, "Go on: localrec learn") from error
        except BusyError as error:
            raise BusyError(
                f"Another process is learning {domain} already.", "See: localrec learn --status"
            ) from error


def _read(folder: Path, domain: str) -> StoredLog:
    from localrec.memory.user_summaries import build_item_features
    from localrec.ranking.learned.stored import read_log
    from localrec.workspace import OpenWorkspace

    with OpenWorkspace(folder) as opened:
        catalogue = opened.context(domain).catalogue
        features = build_item_features(catalogue, opened.context(domain).description_field)
        return read_log(opened.store, catalogue, features)


def _summary(ranker: FusedRanker | None) -> dict[str, object]:
    if ranker is None or ranker.report is None:
        return {"kinds": [], "rows": 0, "text": "too few interactions to learn from"}
    report, kinds = ranker.report, list(ranker.used_kinds)
    part = " (a sample)" if report.sampled else ""
    return {
        "kinds": kinds,
        "rows": report.learnt_rows,
        "seconds": report.seconds,
        "shortened": list(report.shortened),
        "text": f"learnt from {report.learnt_rows:,} interactions{part}; what counts: "
        + (", ".join(kinds) or "nothing but popularity")
        + (
            f"; trained for less than planned: {', '.join(report.shortened)}"
            * bool(report.shortened)
        ),
    }


def _running(folder: Path, domains: list[str]) -> Iterator[tuple[str, LearningProgress]]:
    from localrec.ranking.learned.progress_file import learning_progress

    for name in domains:
        if (one := learning_progress(folder / "indexes", name)) is not None:
            yield name, one


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
