"""What notes about people predict: the counted memory, composed notes, and the best of them.

    python scripts/studies/run.py note_forms --workspace FOLDER [--cases 600]

FOLDER is a workspace that MovieLens 100K was pulled into. One case of each person, from rows that
no protocol holds out: the newest likes of a history are told in each form of note, and a note is
worth how often one of the later half of what the person liked next would come first among ten by
the note's text alone. "The best on the earlier half" is the note that did best on the other half of
the same person's later likes: what can be learnt about one person. Kinds are weighed by the likes
of everybody in these rows.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from itertools import islice

import msgspec
import numpy as np
from findings import Findings, add_workspace, compared_text, origin_of, show_step

from localrec.evaluation.provenance import Origin
from localrec.evaluation.reporting.markdown import markdown_table
from localrec.evaluation.reporting.number_format import with_interval
from localrec.evaluation.statistics import Comparison, IntervalEstimate, compare, ratio_estimate
from localrec.foundation.errors import InputError
from localrec.training.examples.memory_keeper import likes_to_learn_from, open_composer
from localrec.training.examples.user_notes import OWN, NoteCase, NoteScorer, note_cases
from localrec.workspace import OpenWorkspace

DOMAIN = "movies"
SEED = 7
FEWEST = 16  # later likes of a case that is parted
COUNTED = "the counted memory"
BEST = "the best on the earlier half"
LEARNT = "the same, half by its form's mean"


class NoteWorth(msgspec.Struct, frozen=True):
    """What one way to write notes is worth, and what that is beside the counted memory."""

    way: str
    worth: IntervalEstimate
    gap: Comparison


class NoteFigures(msgspec.Struct, frozen=True):
    """All ways, over the same cases."""

    origin: Origin
    cases: int
    ways: tuple[NoteWorth, ...]


def add_options(parser: argparse.ArgumentParser) -> None:
    """What the command line takes."""
    add_workspace(parser)
    parser.add_argument("--cases", type=int, default=600, help="at most so many")


def measure(asked: argparse.Namespace) -> Findings:
    """Measure each form of note, and the best of each person's."""
    with OpenWorkspace(asked.workspace) as workspace:
        rows = likes_to_learn_from(workspace, DOMAIN)
        if rows is None:
            raise InputError("People did too little here.", "localrec datasets pull ml-100k")
        composer = open_composer(workspace, DOMAIN, rows)
        cases = _one_of_each_user(note_cases(rows, SEED), asked.cases)
        embedder = workspace.context(DOMAIN).models.embedder
        scorer = NoteScorer(embedder, composer.texts, cases, SEED)
        earlier, later = list[dict[str, float]](), list[dict[str, float]]()
        for done, case in enumerate(cases, 1):
            notes = {COUNTED: composer.texts.of_user(case.history)}
            notes |= {_shown(form): note for form, note in composer.notes(case.history).items()}
            chances = scorer.chances(list(notes.values()), case)
            halves = np.array_split(chances, 2, axis=1)
            for told, half in zip((earlier, later), halves, strict=True):
                told.append(dict(zip(notes, half.mean(axis=1).tolist(), strict=True)))
            show_step("measuring notes", done, len(cases))
    figures = _figures(earlier, later, origin_of("note_forms", "--cases", str(asked.cases)))
    return Findings(text=_as_markdown(figures), page="models", block="note-forms", figures=figures)


def _one_of_each_user(cases: Iterable[NoteCase], most: int) -> list[NoteCase]:
    first: dict[int, NoteCase] = {}
    for case in cases:
        if len(case.later) >= FEWEST:
            first.setdefault(case.user, case)
    return list(islice(first.values(), most))


def _shown(form: tuple[str, int, str]) -> str:
    ranking, size, titles = form
    return f"{size} {ranking} kinds, {titles}"


def _figures(
    earlier: list[dict[str, float]], later: list[dict[str, float]], origin: Origin
) -> NoteFigures:
    names = sorted({name for one in later for name in one})
    means = {name: np.mean([one[name] for one in earlier if name in one]) for name in names}
    # A form that a case lacks, for a title that no note can hold, is told by the counted memory.
    ways = {name: [one.get(name, one[COUNTED]) for one in later] for name in names}
    halves = list(zip(earlier, later, strict=True))
    ways[BEST] = [after[max(before, key=before.__getitem__)] for before, after in halves]
    ways[LEARNT] = [
        after[max(before, key=lambda name: OWN * before[name] + means[name])]
        for before, after in halves
    ]
    parts = {way: [(value, 1.0) for value in values] for way, values in ways.items()}
    told = [
        NoteWorth(way, ratio_estimate(mine), compare(mine, parts[COUNTED]))
        for way, mine in parts.items()
    ]
    told.sort(key=lambda one: -one.worth.value)
    return NoteFigures(origin, len(later), tuple(told))


def _as_markdown(figures: NoteFigures) -> str:
    head = [f"notes of {figures.cases} people", "H@1 among 10", "against the counted memory"]
    rows = [
        [
            one.way,
            with_interval(one.worth, 3),
            "-" if one.way == COUNTED else compared_text(one.gap),
        ]
        for one in figures.ways
    ]
    return f"{markdown_table(head, rows)}\n\n{figures.origin.as_text()}"
