"""Memory and open files of one process over thousands of questions, without a model and with one.

The gold questions' dev half is asked over and over through the Python API, as somebody with a
history, of the bundled drinks, by rules alone and with a model that routes. What the process holds
after all of them may be at most a twentieth more than after the first hundred; open files may not
grow at all. A model works in a process of its own, whose memory is watched as well.

    python scripts/studies/run.py endurance --questions 10000 --model-questions 1000 --report
    python scripts/studies/run.py endurance --questions 1000 --model-questions 0
"""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import msgspec
from findings import Findings, add_folder, origin_of, say
from soak_tui import questions
from terminal import children_of, resident_mib

from localrec import Workspace
from localrec.evaluation.provenance import Origin
from localrec.evaluation.reporting.markdown import markdown_table
from tui import open_drinks

_FIRST = 100  # questions after which everything is loaded and every cache is full
_GROWTH = 1.05
_USER = "anna"
_MODEL = "smollm2-135m"
_LIKED = ("Negroni", "Boulevardier", "Daiquiri")


class MemorySample(msgspec.Struct, frozen=True, kw_only=True):
    """What the process and its children hold after so many questions."""

    questions: int
    mib: float
    model_mib: float
    files: int


class AnsweringRun(msgspec.Struct, frozen=True, kw_only=True):
    """Many questions, answered by one system, and the memory that was measured on the way."""

    answered_by: str
    samples: tuple[MemorySample, ...]

    @property
    def grew(self) -> bool:
        """Whether more memory or files are in use at the end than are allowed."""
        first, last = self.samples[0], self.samples[-1]
        return (
            last.mib > _GROWTH * first.mib
            or last.model_mib > _GROWTH * first.model_mib
            or last.files > first.files
        )


class Figures(msgspec.Struct, frozen=True, kw_only=True):
    """One run."""

    origin: Origin
    rows: tuple[AnsweringRun, ...]


def add_options(parser: argparse.ArgumentParser) -> None:
    """What the command line takes."""
    parser.add_argument("--questions", type=int, default=10_000, help="without a model")
    parser.add_argument("--model-questions", type=int, default=1_000, help="with one")
    add_folder(parser, "--cache", "bench", "where the drinks stay between runs")


def measure(asked: argparse.Namespace) -> Findings:
    """Ask; the exit code is 1 where something grew."""
    os.environ["LOCALREC_LEARN"] = "off"
    rows = []
    with tempfile.TemporaryDirectory() as place:
        folder = Path(shutil.copytree(open_drinks(asked.cache), Path(place) / "workspace"))
        with Workspace(folder) as desk:
            for item in _LIKED:
                desk.feedback(_USER, item, "like")
            if asked.questions:
                samples = tuple(ask_on(desk, asked.questions))
                rows.append(
                    AnsweringRun(answered_by="rules and measured evidence", samples=samples)
                )
        if asked.model_questions:
            with Workspace(folder) as desk:
                desk.models.use("router", _MODEL)
                samples = tuple(ask_on(desk, asked.model_questions))
                rows.append(
                    AnsweringRun(answered_by=f"the same, routed by {_MODEL}", samples=samples)
                )
    given = f"--questions {asked.questions} --model-questions {asked.model_questions}"
    figures = Figures(origin=origin_of("endurance", given), rows=tuple(rows))
    return Findings(
        text=as_markdown(figures),
        page="../reliability",
        block="endurance",
        figures=figures,
        exit_code=int(any(row.grew for row in rows)),
    )


def ask_on(desk: Workspace, count: int) -> Iterator[MemorySample]:
    """Ask so many questions; measure after the first hundred, and after each tenth of all."""
    looked_at = {_FIRST, *range(count // 10, count + 1, max(1, count // 10))}
    for number, question in enumerate(islice(questions(), count), 1):
        desk.ask(question, user=_USER)
        if number in looked_at and number >= _FIRST:
            sample = memory_sample(number)
            say(f"{sample}")
            yield sample


def memory_sample(number: int) -> MemorySample:
    """The memory of this process and of its children, and its open files."""
    own = os.getpid()
    return MemorySample(
        questions=number,
        mib=round(resident_mib(own), 1),
        model_mib=round(sum(map(resident_mib, children_of(own))), 1),
        files=len(list(Path("/proc/self/fd").iterdir())),
    )


def as_markdown(figures: Figures) -> str:
    """The measured memory as a table."""
    head = ["answered by", "questions", "MiB", "the model's MiB", "open files"]
    lines = [
        [
            row.answered_by,
            f"{at.questions:,}",
            f"{at.mib:,.1f}",
            f"{at.model_mib:,.1f}",
            f"{at.files}",
        ]
        for row in figures.rows
        for at in (row.samples[0], row.samples[len(row.samples) // 2], row.samples[-1])
    ]
    return f"{markdown_table(head, lines)}\n\nMade by {figures.origin.as_text()}"
