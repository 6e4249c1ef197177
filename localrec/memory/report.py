"""Describe memories and the queue's work in sentences, for the command line and the app."""

from __future__ import annotations

from localrec.memory.records import MemorySource
from localrec.memory.worker import WorkReport

SOURCE_LABELS: dict[MemorySource, str] = {
    "template": "counted",
    "model": "written by a model",
    "person": "in your words",
    "propagated": "handed on by neighbours",
    "agent": "refined by an agent",
}


def work_summary(report: WorkReport) -> str:
    """Describe one run of the worker in a sentence."""
    if not report.calls:
        return "Nothing waits to be worked in."
    parts = [
        f"{count_noun(report.events, 'thing')} people did worked in, "
        f"with {count_noun(report.jobs, 'job')}",
        f"new versions of memories: {report.written:,}",
    ]
    if report.skipped:
        parts.append(f"pinned and left as they are: {report.skipped:,}")
    if report.failed:
        parts.append(f"{count_noun(report.failed, 'job')} failed (see localrec memory jobs)")
    if report.waiting:
        parts.append(f"still waiting: {report.waiting:,}")
    return "; ".join(parts) + "."


def count_noun(count: int, noun: str, plural: str = "") -> str:
    """Write a count with its noun in singular or plural."""
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"
