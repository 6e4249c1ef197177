"""Memories of everybody in one pass: the same as jobs make, resumable, polite to what is pinned."""

from __future__ import annotations

from contextlib import closing
from functools import partial

import pytest

from localrec.foundation.errors import BusyError
from localrec.foundation.paths import exclusive
from localrec.graph.store import Store
from localrec.memory import rebuild
from localrec.memory.job_queue import counts_of
from localrec.memory.propagation import TemplateUpdate
from localrec.memory.rebuild import Rebuild, RebuildReport
from localrec.memory.records import edit_memory
from localrec.memory.update_context import UpdateContextCache
from localrec.memory.worker import LOCK
from tests.planted import BAR

from .crowd_of_guests import node, says, texts, worker

DRINKS = ("negroni", "boulevardier", "americano", "gimlet", "daiquiri")


@pytest.fixture
def history(bar, path):
    """Six guests with three drinks each; the store is closed."""
    for guest in range(6):
        for step in range(3):
            says(bar, f"guest {guest}", DRINKS[(guest + step) % len(DRINKS)])
    bar.close()
    return path


def update_context(path):
    return UpdateContextCache(path.parent / "indexes", BAR)


def rebuilder(path):
    opening = partial(Store.open_, path, wait_s=0.2)
    return Rebuild(opening, BAR, update_context(path), path.with_name(LOCK))


def newest(path):
    return {key: versions[-1] for key, versions in texts(path).items()}


def test_makes_what_the_jobs_would_have_made(history, tmp_path):
    report = rebuilder(history).run()
    made = newest(history)
    assert (report.users, report.items) == (6, 17)
    assert made["guest 0"].startswith("Likes ")
    assert made["negroni"].startswith("Liked by people who like ")
    with closing(Store.open_(history)) as store:
        assert counts_of(store)["waiting"] == 18  # it is about people, not about jobs
        store.execute("DELETE FROM memory")
    worker(history, TemplateUpdate(update_context(history), fan_out=0), hold_s=60.0).run_pending()
    worked = newest(history)
    assert {key: made[key] for key in worked} == worked


def test_changes_nothing_the_second_time(history):
    first = rebuilder(history).run()
    before = texts(history)
    again = rebuilder(history).run()
    assert first.written > 0
    assert again.written == 0
    assert texts(history) == before


def test_leaves_what_people_wrote(history):
    with closing(Store.open_(history)) as store:
        edit_memory(store, node(store, "guest 0"), "Leave me alone.")
    assert rebuilder(history).run().skipped == 1
    assert newest(history)["guest 0"] == "Leave me alone."


@pytest.mark.parametrize("deaths", range(1, 6))
def test_goes_on_where_it_was_interrupted(history, tmp_path, monkeypatch, deaths):
    monkeypatch.setattr(rebuild, "USERS_AT_ONCE", 2)
    monkeypatch.setattr(rebuild, "ITEMS_AT_ONCE", 5)
    told = []

    def until(what, done, total):
        told.append((what, done, total))
        if len(told) == deaths:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        rebuilder(history).run(until)
    report = rebuilder(history).run(lambda *step: told.append(step))
    assert report.resumed
    assert told == [
        *(("remembering people", done, 6) for done in (2, 4, 6)),
        *(("remembering items", done, 17) for done in (5, 10, 15, 17)),
    ]
    assert rebuilder(history).run() == RebuildReport(domain="cocktails", users=6, items=17)


def test_begins_anew_when_an_import_came_between(history):
    def at_once(*_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        rebuilder(history).run(at_once)
    with closing(Store.open_(history)) as store:
        store.execute(
            "INSERT INTO import_receipt SELECT 99, NULL, now()::TIMESTAMP, report "
            "FROM import_receipt LIMIT 1"
        )
    report = rebuilder(history).run()
    assert not report.resumed
    assert report.users == 6


def test_does_not_run_beside_a_worker(history):
    with exclusive(history.with_name(LOCK)), pytest.raises(BusyError, match="working off"):
        rebuilder(history).run()
