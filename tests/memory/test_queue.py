"""The queue: stored with the event or not at all, bursts as one, ended once, given back whole."""

from __future__ import annotations

import pytest

from localrec.data.rows import Event
from localrec.graph.interactions import store_feedback, undo_feedback
from localrec.memory.job_queue import (
    BURST,
    MOST_CLAIMS,
    UNDONE,
    calls_of,
    claim,
    complete,
    counts_of,
    enqueue,
    fail,
    give_back,
    has_work,
    is_paused,
    jobs_of,
    pause,
    release_claims,
    resume,
    retry_failed,
)
from localrec.memory.records import MemoryUpdate, WriteResult, memory_of
from tests.planted import BAR

from .crowd_of_guests import node, says


def counts(store):
    return {state: count for state, count in counts_of(store).items() if count}


class TestAJob:
    def test_is_stored_with_what_it_is_about(self, bar):
        ana = says(bar, "ana", "negroni", Event.DISLIKED)
        job = claim(bar)
        assert (job.user_id, job.domain, len(job.events)) == (ana, "cocktails", 1)
        assert (job.events[0].item_id, job.events[0].event) == (node(bar, "negroni"), "disliked")

    def test_and_the_event_are_both_stored_or_neither(self, bar):
        drink = node(bar, "negroni")

        def enqueue_and_die(user_id):
            enqueue(bar, user_id, drink, Event.LIKED)
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            store_feedback(bar, BAR.name, "ana", drink, Event.LIKED, then=enqueue_and_die)
        assert counts(bar) == {}
        assert bar.rows("SELECT count(*) FROM interaction") == [(0,)]

    def test_comes_of_feedback_that_is_taken_back_too(self, bar):
        ana = says(bar, "ana", "negroni")
        undo_feedback(
            bar, BAR.name, "ana", then=lambda user, item: enqueue(bar, user, item, UNDONE)
        )
        assert [(d.item_id, d.event) for d in claim(bar).events] == [
            (node(bar, "negroni"), "liked"),
            (node(bar, "negroni"), UNDONE),
        ]
        assert ana

    def test_does_not_come_of_not_now(self, bar):
        says(bar, "ana", "negroni", Event.LATER)
        assert counts(bar) == {}

    def test_is_claimed_with_all_that_waits_of_its_person(self, bar):
        for user, drink in (("ana", "negroni"), ("bob", "gimlet"), ("ana", "mojito")):
            says(bar, user, drink)
        first, second = claim(bar), claim(bar)
        assert [interaction.job_id for interaction in first.events] == [1, 3]
        assert [interaction.job_id for interaction in second.events] == [2]
        assert claim(bar) is None

    def test_is_of_bounded_size(self, bar):
        ana, drink = says(bar, "ana", "negroni"), node(bar, "negroni")
        for _ in range(BURST):
            enqueue(bar, ana, drink, Event.LIKED)
        assert len(claim(bar).events) == BURST
        assert len(claim(bar).events) == 1

    def test_that_comes_while_another_runs_waits_for_itself(self, bar):
        says(bar, "ana", "negroni")
        first = claim(bar)
        says(bar, "ana", "mojito")
        assert complete(bar, first, []) == WriteResult()
        assert counts(bar) == {"done": 1, "waiting": 1}


class TestTheEnd:
    def test_is_the_moment_its_memories_are_written(self, bar):
        ana = says(bar, "ana", "negroni")
        says(bar, "ana", "mojito")
        written = complete(bar, claim(bar), [MemoryUpdate(node_id=ana, text="Likes two.")])
        assert written.written == (ana,)
        assert memory_of(bar, ana).provenance.job == 1
        assert counts(bar) == {"done": 2}
        assert calls_of(bar) == (1, 2)

    def test_comes_once(self, bar):
        ana = says(bar, "ana", "negroni")
        job = claim(bar)
        assert complete(bar, job, [MemoryUpdate(node_id=ana, text="Once.")])
        assert complete(bar, job, [MemoryUpdate(node_id=ana, text="Twice.")]) is None
        assert memory_of(bar, ana).text == "Once."

    def test_is_void_when_the_person_was_forgotten_meanwhile(self, bar):
        ana = says(bar, "ana", "negroni")
        job = claim(bar)
        bar.execute("DELETE FROM job WHERE user_id = ?", [ana])
        assert complete(bar, job, [MemoryUpdate(node_id=ana, text="x")]) is None
        assert memory_of(bar, ana) is None

    def test_is_void_when_one_of_its_items_was_and_the_rest_waits_again(self, bar):
        says(bar, "ana", "negroni")
        says(bar, "ana", "mojito")
        job = claim(bar)
        bar.execute("DELETE FROM job WHERE item_id = ?", [node(bar, "mojito")])
        assert complete(bar, job, []) is None
        assert counts(bar) == {"waiting": 1}

    def test_that_fails_to_be_written_has_not_come(self, bar, monkeypatch):
        says(bar, "ana", "negroni")
        job = claim(bar)

        def torn(*_, **__):
            raise KeyboardInterrupt

        monkeypatch.setattr("localrec.memory.job_queue.put_memories", torn)
        with pytest.raises(KeyboardInterrupt):
            complete(bar, job, [])
        assert counts(bar) == {"running": 1}


class TestAFailure:
    def test_puts_the_job_behind_the_others(self, bar):
        ana, bob = says(bar, "ana", "negroni"), says(bar, "bob", "mojito")
        fail(bar, claim(bar), "No model.")
        assert [claim(bar).user_id, claim(bar).user_id] == [bob, ana]

    def test_is_final_after_three_until_somebody_says_otherwise(self, bar):
        says(bar, "ana", "negroni")
        for _ in range(3):
            fail(bar, claim(bar), "No model.")
        assert claim(bar) is None
        (row,) = jobs_of(bar)
        assert (row.state, row.failures, row.calls, row.error) == ("failed", 3, 3, "No model.")
        assert retry_failed(bar) == 1
        assert claim(bar) is not None

    def test_of_a_claim_that_stands_no_more_changes_nothing(self, bar):
        says(bar, "ana", "negroni")
        job = claim(bar)
        complete(bar, job, [])
        fail(bar, job, "Too late.")
        assert counts(bar) == {"done": 1}


class TestClaims:
    def test_can_be_given_back(self, bar):
        says(bar, "ana", "negroni")
        give_back(bar, claim(bar))
        assert counts(bar) == {"waiting": 1}
        assert jobs_of(bar)[0].attempts == 0

    def test_of_the_dead_are_released_and_void(self, bar):
        says(bar, "ana", "negroni")
        of_the_dead = claim(bar)
        release_claims(bar)
        again = claim(bar)
        assert again.events == of_the_dead.events
        assert complete(bar, of_the_dead, []) is None
        assert complete(bar, again, []) == WriteResult()
        assert jobs_of(bar)[0].attempts == 2


class TestAJobThatTakesItsProcessWithIt:
    def test_has_failed_after_five_claims_and_says_so(self, bar):
        says(bar, "ana", "negroni")
        says(bar, "bob", "mojito")
        for _ in range(MOST_CLAIMS):
            assert claim(bar).job_id == 1
            release_claims(bar)
        assert counts(bar) == {"failed": 1, "waiting": 1}
        (failed, _) = sorted(jobs_of(bar), key=lambda row: row.job_id)
        assert failed.error == "Each of the 5 processes that worked on it ended without a word."
        assert claim(bar).job_id == 2

    def test_is_tried_as_often_again_when_somebody_wants_that(self, bar):
        says(bar, "ana", "negroni")
        for _ in range(MOST_CLAIMS):
            claim(bar)
            release_claims(bar)
        assert retry_failed(bar) == 1
        for _ in range(MOST_CLAIMS):
            assert claim(bar) is not None
            release_claims(bar)
        assert counts(bar) == {"failed": 1}

    def test_is_not_one_that_was_given_back(self, bar):
        says(bar, "ana", "negroni")
        for _ in range(2 * MOST_CLAIMS):
            give_back(bar, claim(bar))
        release_claims(bar)
        assert counts(bar) == {"waiting": 1}


def test_a_pause_lets_jobs_wait_and_new_ones_come(bar):
    pause(bar)
    pause(bar)
    says(bar, "ana", "negroni")
    assert is_paused(bar)
    assert not has_work(bar)
    assert claim(bar) is None
    resume(bar)
    assert has_work(bar)
    assert claim(bar) is not None


def test_the_list_shows_what_needs_a_look_first(bar):
    for drink in ("negroni", "mojito", "gimlet"):
        says(bar, drink + " fan", drink)
    complete(bar, claim(bar), [])
    rows = jobs_of(bar, limit=2)
    assert [(row.user, row.item, row.state) for row in rows] == [
        ("gimlet fan", "Gimlet", "waiting"),
        ("mojito fan", "Mojito", "waiting"),
    ]
