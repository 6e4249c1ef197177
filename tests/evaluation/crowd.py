"""Forty people in two camps, each with ten films of their own camp; and systems to be found out."""

from __future__ import annotations

import sys
import time
from datetime import datetime, timedelta
from pathlib import Path

import msgspec
import numpy as np

from localrec.data.rows import (
    AttributeLink,
    Event,
    HistoryRows,
    ImportReport,
    InteractionRow,
    ItemRow,
)
from localrec.evaluation.configs import RunConfig
from localrec.evaluation.provenance import Origin
from localrec.evaluation.ranking.ranking_harness import run_ranking_evaluation
from localrec.evaluation.ranking.system_factory import SystemFactory
from localrec.evaluation.run_folder import RunFolder
from localrec.graph.domain_files import load_domain
from localrec.workspace import OpenWorkspace

PEOPLE, FILMS, EACH = 40, 40, 10
MADE = Origin(command="test", date="2026-11-22", versions={"localrec": "0"}, machine="none")


def rows(users=PEOPLE, each=EACH):
    """Person p is of camp p % 2; films f with f % 2 alike are that camp's; one a day."""
    drawn = np.random.default_rng(3)
    start = datetime(2025, 1, 1)
    for user in range(users):
        films = 2 * drawn.permutation(FILMS // 2)[:each] + user % 2
        for day, film in enumerate(films.tolist()):
            yield InteractionRow(
                user=f"p{user:02}",
                item=f"f{film:02}",
                event=Event.RATED,
                rating=5.0 if film % 3 else 3.0,
                at=start + timedelta(days=day, minutes=user),
            )


def plant(folder, interactions=None, **changes):
    """A workspace with the crowd, imported as a data set; `changes` are fields of some items."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "settings.toml").write_text('embedder = "hashing"\n', encoding="utf-8")
    items = tuple(
        ItemRow(
            key=f"f{film:02}",
            name=f"Film {film}",
            properties={"description": f"camp {film % 2}", **changes.get(f"f{film:02}", {})},
            links=(AttributeLink(kind="genre", name=("Drama", "Comedy")[film % 2]),),
        )
        for film in range(FILMS)
    )
    report = ImportReport(
        source="planted", path="", domain="movies", read=1, kept=1, merged=0, dropped=0
    )
    did = tuple(rows() if interactions is None else interactions)
    with OpenWorkspace(folder, writable=True) as workspace:
        workspace.imports.import_history(
            HistoryRows(items=items, interactions=did, report=report),
            load_domain("movies"),
            None,
        )
    return folder


def config(*systems, **fields):
    """A run over the planted crowd; a system is a name or a whole table."""
    tables = [{"name": one} if isinstance(one, str) else one for one in systems]
    declared = {"name": "run", "data": {"domain": "movies"}, "systems": tables, **fields}
    return msgspec.convert(declared, RunConfig)


class Fake:
    """A system that learns how often each film was had."""

    def __init__(self, keyed=None):
        self.name, self.settings, self.keyed = "fake", {}, keyed

    def fit(self, train, seed, progress):
        self.items = train.items
        self.counts = np.bincount(train.item, minlength=train.items).astype(np.float32)

    def score(self, requests):
        return np.tile(self.counts, (len(requests), 1))


class FramePeeker(Fake):
    """Looks through the callers' variables for the targets, as no honest system would."""

    def score(self, requests):
        scores = super().score(requests)
        frame = sys._getframe()
        while frame is not None and not hasattr(frame.f_locals.get("cases"), "positives"):
            frame = frame.f_back
        for row, positives in enumerate(frame.f_locals["cases"].positives):
            scores[row, positives[0]] = 1e6
        return scores


class TruthKnower(Fake):
    """Has read the whole store, and puts first what each person did last."""

    def score(self, requests):
        scores = super().score(requests)
        data = self.keyed.interactions
        for row, user in enumerate(requests.user.tolist()):
            scores[row, data.item[data.rows_of(user)][-1]] = 1e6
        return scores


class Broken(Fake):
    """Answers with lists, each wrong in another way."""

    def answer(self, requests, k):
        if len(requests) == 1 and requests.user[0] % 6 == 5:
            raise RuntimeError("out of memory")
        if (requests.user % 6 == 5).any():
            raise RuntimeError("one of them is too much")
        return [
            self.one(user, line.tolist())
            for user, line in zip(requests.user.tolist(), requests.candidates, strict=True)
        ]

    def one(self, user, line):
        wrong = (line, [*line[:-1], 10_000], [line[0], *line], [], line[:2])
        return wrong[user % 6]


class NoFit(Fake):
    """Does not survive its training."""

    def fit(self, train, seed, progress):
        raise ZeroDivisionError("no data")


class Misshapen(Fake):
    """Scores for other items than were asked."""

    def score(self, requests):
        return super().score(requests)[:, :-1]


class Slow(Fake):
    """Takes its time, so that there is some to kill it in."""

    def score(self, requests):
        time.sleep(0.15)
        return super().score(requests) + np.float32(0.001) * np.arange(self.items)


FAKES = {
    "fake": Fake,
    "framepeeker": FramePeeker,
    "truthknower": TruthKnower,
    "broken": Broken,
    "nofit": NoFit,
    "misshapen": Misshapen,
    "slow": Slow,
}


class Fakes(SystemFactory):
    """Makes the fakes by name, everything else as always."""

    def check(self, system):
        if system.name not in FAKES:
            super().check(system)

    def make(self, system, settings):
        if system.name in FAKES:
            return FAKES[system.name](self._keyed)
        return super().make(system, settings)


def measure(folder, out, declared, **options):
    """Run a configuration over a planted workspace."""
    with OpenWorkspace(folder) as workspace:
        return run_ranking_evaluation(
            declared,
            b"",
            workspace,
            RunFolder(out),
            MADE,
            progress=lambda what, done, total: None,
            workbench=Fakes,
            **options,
        )


def main(folder, out):
    """What the process that is killed runs."""
    measure(Path(folder), Path(out), config("slow", chunk=4))
