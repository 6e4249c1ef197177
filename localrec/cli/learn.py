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
    from localrec.ranking.learned.progress_file import LearningProgress
    from localrec.ranking.learned.ranker import FitReport, FusedRanker
    from localrec.ranking.learned.reranker_share import RerankerShare
    from localrec.ranking.learned.stored import StoredLog
    from localrec.workspace import OpenWorkspace

EXAMPLES = """
Examples:\n\n
  localrec learn\n\n
  localrec learn --domain movies\n\n
  localrec learn --status\n\n
  localrec learn --stop\n\n
  localrec learn --judge memrec-model
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
    judge: Annotated[
        str | None,
        typer.Option(
            "--judge",
            metavar="SYSTEM",
            help="Learn what the verdict of a system with a model counts beside what was learnt: "
            "memrec-model, agenticrec or a variant.",
        ),
    ] = None,
    cases: Annotated[
        int, typer.Option(min=20, metavar="N", help="Held-out items that a judge is asked about.")
    ] = 60,
) -> None:
    """Learn the default ranking of each domain from all that users did with its items.

    An import starts this in the background, and lists work meanwhile. A fit that was stopped or
    killed goes on where it was, and one without new interactions ends at once. What is learnt is a
    cache of the store: forgetting removes it.

    A judge has no share in a list before one was learnt, which takes a while, since its model is
    asked about each held-out item. It gets one only if its verdict makes the order better.
    """
    from localrec.workspace.domain_choice import domain_of_question

    context = command_context()
    with context.open_workspace() as opened:
        domains = [domain_of_question(opened, "", domain)] if domain else opened.domains()
    if status or stop:
        found = {name: _status(context.workspace, name, stop=stop) for name in domains}
        if not context.print_json(found):
            for name, one in found.items():
                note(f"{name}: {one['text']}")
        return
    if judge is not None:
        shares = {name: _learn_judge(context.workspace, name, judge, cases) for name in domains}
        if not context.print_json(shares):
            for name, share in shares.items():
                note(f"{name}: {share.as_sentence()}")
        return
    learnt = {}
    for name in domains:
        ranker = _learn(context.workspace, name)
        learnt[name] = _summary(ranker)
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


def learning_text(one: LearningProgress) -> str:
    """How far a fit has come, as a sentence without its full stop."""
    from time import time

    done = f", {one.done} of {one.total}" if one.total else ""
    left = f", {_about(one.left)} left" if one.left is not None else ""
    return f"learning for {time() - one.began:,.0f} s ({one.what}{done}){left}"


def _about(seconds: float) -> str:
    """Round an estimated duration up, in words."""
    minutes = -(-seconds // 60)
    if seconds <= 60:
        return "less than a minute"
    return f"about {minutes:.0f} minutes"


def _learn(folder: Path, domain: str) -> FusedRanker | None:
    """Learn one domain; None where there is too little to learn from."""
    from localrec.ranking.learned.evidence.base import FitStoppedError
    from localrec.ranking.learned.progress_file import folder_of, release
    from localrec.ranking.learned.stored import FEWEST_ROWS, skip
    from localrec.ranking.learned.stored import learn as learn_ranking

    release(folder / "indexes", domain)
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


def _learn_judge(folder: Path, domain: str, system: str, cases: int) -> RerankerShare:
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
                f"Start it again: localrec learn --judge {system}",
            ) from error
        except BusyError as error:
            raise BusyError(
                f"Another process is learning a share in {domain} already.", "Let it finish first."
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
    return {
        "kinds": kinds,
        "rows": report.learnt_rows,
        "seconds": report.seconds,
        "shortened": list(report.shortened),
        "text": report_text(report)
        + f"; what counts: {', '.join(kinds) or 'nothing but popularity'}",
    }


def report_text(report: FitReport) -> str:
    """What was learnt from, as a sentence without its full stop."""
    rows = f"{report.learnt_rows:,} interactions"
    if report.sampled:
        rows = f"{report.learnt_rows:,} of {report.rows:,} interactions, those of drawn users"
    hurried = ", ".join(report.shortened)
    return f"learnt from {rows}" + (f"; for want of time less trained: {hurried}" * bool(hurried))


def _status(folder: Path, domain: str, *, stop: bool) -> dict[str, str]:
    """What a domain's fit does, or waits for, or came to; a running one is stopped on request."""
    from localrec.ranking.learned.progress_file import finished_parts, hold, learning_progress
    from localrec.ranking.learned.stored import ranking_report

    indexes = folder / "indexes"
    running = learning_progress(indexes, domain)
    if stop:
        hold(indexes, domain)
    if running is not None:
        if stop:
            running.stop()
        asked = ", asked to stop" if stop else ""
        return {"state": "learning", "text": learning_text(running) + asked}
    report = ranking_report(indexes, domain)
    learnt = report_text(report) if report is not None else "not learnt yet"
    if parts := finished_parts(indexes, domain):
        text = (
            f"{learnt}; a fit was stopped before it was done and waits behind {parts[-1]} "
            f"({len(parts)} finished {'part' if len(parts) == 1 else 'parts'}). "
            f"Go on: localrec learn --domain {domain}"
        )
        return {"state": "waiting", "text": text}
    return {"state": "missing" if report is None else "learnt", "text": learnt}


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
