"""The default ranking of a workspace's domains: learnt from what users did, and how far it is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from localrec.data.records import Record
from localrec.foundation.errors import BusyError, CutShortError
from localrec.foundation.progress import Progress

if TYPE_CHECKING:
    from localrec.ranking.learned.progress_file import LearningProgress
    from localrec.ranking.learned.ranker import FitReport, FusedRanker
    from localrec.ranking.learned.stored import StoredLog


class FitStatus(msgspec.Struct, Record, frozen=True):
    """The state of a domain's fit, and a sentence about it."""

    state: str
    text: str


class FittedRanking(msgspec.Struct, Record, frozen=True, kw_only=True):
    """The data that the ranking of a domain was learnt from.

    Args:
        domain: The domain.
        kinds: The kinds of evidence that count.
        rows: The number of interactions that were learnt from; 0 where there were too few.
        seconds: Part of the work -> its seconds.
        shortened: Kinds of evidence that were trained less for want of time.
        text: The report in words.
    """

    domain: str
    kinds: tuple[str, ...] = ()
    rows: int = 0
    seconds: dict[str, float] | None = None
    shortened: tuple[str, ...] = ()
    text: str = "too few interactions to learn from"

    def summary(self) -> dict[str, Any]:
        """Return what the command line's JSON says of it."""
        told: dict[str, Any] = {"kinds": self.kinds, "rows": self.rows}
        if self.seconds is not None:
            told |= {"seconds": self.seconds, "shortened": self.shortened}
        return {**told, "text": self.text}


def fit_domain(
    folder: Path,
    domain: str,
    progress: Progress,
    should_stop: Callable[[], bool] = lambda: False,
) -> FittedRanking:
    """Learn the ranking of one domain; one without new interactions ends at once.

    Args:
        folder: The workspace, whose store nobody has open for writing.
        domain: The domain.
        progress: Called with the step, how much of it is done, and of how much.
        should_stop: Called between steps.

    Raises:
        CutShortError: it was stopped; the next call goes on.
        BusyError: another process is learning the domain.
    """
    from localrec.ranking.learned.evidence.base import FitStoppedError
    from localrec.ranking.learned.progress_file import folder_of, release
    from localrec.ranking.learned.stored import FEWEST_ROWS, learn, skip

    release(folder / "indexes", domain)
    stored, kept = _read(folder, domain), folder_of(folder / "indexes", domain)
    if len(stored.log) < FEWEST_ROWS:
        skip(stored, kept)
        return FittedRanking(domain=domain)
    try:
        return _fitted(domain, learn(stored, kept, progress=progress, should_stop=should_stop))
    except FitStoppedError as error:
        raise CutShortError(error.message, "Go on: localrec learn") from error
    except BusyError as error:
        raise BusyError(
            f"Another process is learning {domain} already.", "See: localrec learn --status"
        ) from error


def fit_status(folder: Path, domain: str, *, stop: bool) -> FitStatus:
    """Return the state of a domain's fit; with `stop` end a running one."""
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
        return FitStatus("learning", learning_text(running) + asked)
    report = ranking_report(indexes, domain)
    learnt = report_text(report) if report is not None else "not learnt yet"
    if parts := finished_parts(indexes, domain):
        text = (
            f"{learnt}; a fit was stopped before it was done and waits behind {parts[-1]} "
            f"({len(parts)} finished {'part' if len(parts) == 1 else 'parts'}). "
            f"Go on: localrec learn --domain {domain}"
        )
        return FitStatus("waiting", text)
    return FitStatus("missing" if report is None else "learnt", learnt)


def learning_text(one: LearningProgress) -> str:
    """Write the progress of a fit, as a sentence without its full stop."""
    from time import time

    done = f", {one.done} of {one.total}" if one.total else ""
    left = f", {_about(one.left)} left" if one.left is not None else ""
    return f"learning for {time() - one.began:,.0f} s ({one.what}{done}){left}"


def report_text(report: FitReport) -> str:
    """Write the size of the data that was learnt from, as a sentence without its full stop."""
    rows = f"{report.learnt_rows:,} interactions"
    if report.sampled:
        rows = f"{report.learnt_rows:,} of {report.rows:,} interactions, those of drawn users"
    hurried = ", ".join(report.shortened)
    return f"learnt from {rows}" + (f"; for want of time less trained: {hurried}" * bool(hurried))


def _fitted(domain: str, ranker: FusedRanker) -> FittedRanking:
    report, kinds = ranker.report, tuple(ranker.used_kinds)
    if report is None:
        return FittedRanking(domain=domain)
    counts = f"; what counts: {', '.join(kinds) or 'nothing but popularity'}"
    return FittedRanking(
        domain=domain,
        kinds=kinds,
        rows=report.learnt_rows,
        seconds=report.seconds,
        shortened=tuple(report.shortened),
        text=report_text(report) + counts,
    )


def _about(seconds: float) -> str:
    """Round an estimated duration up, in words."""
    minutes = -(-seconds // 60)
    if seconds <= 60:
        return "less than a minute"
    return f"about {minutes:.0f} minutes"


def _read(folder: Path, domain: str) -> StoredLog:
    from localrec.memory.user_summaries import build_item_features
    from localrec.ranking.learned.stored import read_log
    from localrec.workspace import OpenWorkspace

    with OpenWorkspace(folder) as opened:
        catalogue = opened.context(domain).catalogue
        features = build_item_features(catalogue, opened.context(domain).description_field)
        return read_log(opened.store, catalogue, features)
