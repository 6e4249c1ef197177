"""The worker: one call a job, bursts as one, stops and drains when asked, never holds the store."""

from __future__ import annotations

import threading
import time
from contextlib import closing

import pytest

from localrec.foundation.errors import BusyError, ModelCancelledError, ModelError
from localrec.foundation.paths import exclusive
from localrec.graph.store import Store
from localrec.memory.job_queue import claim, complete, counts_of, jobs_of, pause, resume
from localrec.memory.records import MemoryUpdate, pin_memory
from localrec.memory.worker import LOCK, WorkReport
from tests.planted import write_memories

from .crowd_of_guests import diary, node, says, texts, worker


@pytest.fixture
def waiting(bar, path):
    """Four interactions of two guests in the queue; the store is closed."""
    for user, drink in (
        ("ana", "negroni"),
        ("bob", "mojito"),
        ("ana", "gimlet"),
        ("ana", "mojito"),
    ):
        says(bar, user, drink)
    bar.close()
    return path


def states(path):
    with closing(Store.open_(path, read_only=True)) as store:
        return counts_of(store)


def eventually(what):
    deadline = time.monotonic() + 20
    while not what():
        assert time.monotonic() < deadline
        time.sleep(0.02)


class TestWorkingOff:
    def test_makes_one_call_for_all_that_one_person_did(self, waiting):
        seen = []

        def noting(job, read):
            seen.append(len(job.events))
            return diary(job, read)

        report = worker(waiting, noting).run_pending()
        assert seen == [3, 1]
        assert report == WorkReport(jobs=2, events=4, calls=2, written=6, waiting=0)
        with closing(Store.open_(waiting, read_only=True)) as store:
            assert [job.calls for job in sorted(jobs_of(store), key=lambda j: j.job_id)] == [
                1,
                1,
                0,
                0,
            ]

    def test_writes_what_the_update_says(self, waiting):
        worker(waiting).run_pending()
        found = texts(waiting)
        assert set(found) == {"ana", "bob", "negroni", "gimlet", "mojito"}
        assert len(found["mojito"]) == 2

    @pytest.mark.parametrize("hold_s", [0.0, 5.0])
    def test_gives_the_same_however_long_it_holds_the_store(self, waiting, hold_s):
        worker(waiting, hold_s=hold_s).run_pending()
        assert states(waiting) == {"waiting": 0, "running": 0, "done": 4, "failed": 0}
        Store.open_(waiting).close()  # nobody holds it any more

    def test_stops_at_a_limit_and_goes_on_later(self, waiting):
        assert worker(waiting).run_pending(limit=1).waiting == 1
        assert worker(waiting).run_pending().jobs == 1

    def test_of_nothing_does_nothing(self, bar, path):
        bar.close()
        assert worker(path).run_pending() == WorkReport()

    def test_waits_while_jobs_are_paused(self, waiting):
        with closing(Store.open_(waiting)) as store:
            pause(store)
        assert worker(waiting).run_pending() == WorkReport(waiting=4)
        with closing(Store.open_(waiting)) as store:
            resume(store)
        assert worker(waiting).run_pending().events == 4

    def test_tells_its_progress_in_events(self, waiting):
        told = []
        worker(waiting).run_pending(progress=lambda what, done, total: told.append((done, total)))
        assert told == [(0, 4), (3, 4), (4, 4)]

    def test_leaves_pinned_memories_and_records_that(self, waiting):
        with closing(Store.open_(waiting)) as store:
            ana = node(store, "ana")
            write_memories(store, [MemoryUpdate(node_id=ana, text="As I say.")])
            pin_memory(store, ana)
        assert worker(waiting).run_pending().skipped == 1
        assert texts(waiting)["ana"] == ["As I say."]
        with closing(Store.open_(waiting, read_only=True)) as store:
            assert [job.skipped for job in jobs_of(store) if job.skipped] == [(ana,)]


class TestAnUpdateThatFails:
    def test_leaves_its_job_waiting_with_the_error_and_the_others_are_worked(self, waiting):
        def not_for_ana(job, read):
            if len(job.events) == 3:
                raise ModelError("The model wrote no memory.")
            return diary(job, read)

        report = worker(waiting, not_for_ana).run_pending()
        assert (report.jobs, report.failed, report.calls) == (1, 1, 2)  # not tried twice in one run
        assert set(texts(waiting)) == {"bob", "mojito"}
        with closing(Store.open_(waiting, read_only=True)) as store:
            assert {job.error for job in jobs_of(store)} == {None, "The model wrote no memory."}
        assert worker(waiting).run_pending().jobs == 1

    def test_fails_for_good_after_three_times(self, waiting):
        def never(job, read):
            raise ValueError("bad \x1b[31mwords")

        for _ in range(3):
            worker(waiting, never).run_pending()
        assert states(waiting)["failed"] == 4
        with closing(Store.open_(waiting, read_only=True)) as store:
            (error,) = {job.error for job in jobs_of(store)}
        assert "\x1b" not in error
        assert texts(waiting) == {}

    def test_by_ctrl_c_leaves_the_job_as_if_it_had_not_begun(self, waiting):
        calls = []

        def at_the_second(job, read):
            calls.append(job)
            if len(calls) == 2:
                raise KeyboardInterrupt
            return diary(job, read)

        with pytest.raises(KeyboardInterrupt):
            worker(waiting, at_the_second).run_pending()
        assert states(waiting) == {"waiting": 1, "running": 0, "done": 3, "failed": 0}

    def test_never_writes_half_of_its_memories(self, waiting):
        def forged(job, read):
            return [*diary(job, read), MemoryUpdate(node_id=1, text="x", source=None)]

        with pytest.raises(Exception, match=r"NOT NULL|aborted"):
            worker(waiting, forged).run_pending()
        assert texts(waiting) == {}
        assert worker(waiting).run_pending().events == 4


class TestOthers:
    def test_may_use_the_store_while_an_update_thinks(self, waiting):
        def slow(job, read):
            Store.open_(waiting, wait_s=0).close()  # a writer gets in at once
            return diary(job, read)

        assert worker(waiting, slow).run_pending().events == 4

    def test_who_work_off_jobs_already_are_named(self, waiting):
        with exclusive(waiting.with_name(LOCK)), pytest.raises(BusyError, match="working off"):
            worker(waiting).run_pending()

    def test_who_died_with_a_claim_leave_it_to_the_next(self, waiting):
        with closing(Store.open_(waiting)) as store:
            claim(store)
        assert worker(waiting).run_pending().events == 4

    def test_who_take_a_job_over_make_the_first_result_void(self, waiting):
        def overtaken(job, read):
            if not texts(waiting):
                with closing(Store.open_(waiting)) as store:
                    store.execute("UPDATE job SET state = 'waiting', claim = NULL")
                with closing(Store.open_(waiting)) as store:
                    again = claim(store)
                    assert again is not None
                    complete(store, again, [MemoryUpdate(node_id=again.user_id, text="First.")])
            return diary(job, read)

        report = worker(waiting, overtaken).run_pending()
        assert report.events == 1  # bob's; ana's were worked by the other
        assert texts(waiting)["ana"] == ["First."]

    @pytest.mark.parametrize("read_only", [True, False])
    def test_who_hold_the_store_in_another_thread_are_waited_for(self, waiting, read_only):
        holder = Store.open_(waiting, read_only=read_only)
        threading.Timer(0.5, holder.close).start()
        assert worker(waiting).run_pending().events == 4


class TestTheThread:
    def test_works_off_what_waits_and_what_comes_later(self, waiting):
        at_work = worker(waiting, idle_s=0.05)
        at_work.start()
        try:
            eventually(lambda: states(waiting)["done"] == 4)
            with closing(Store.open_(waiting)) as store:
                says(store, "bob", "daiquiri")
            at_work.wake()
            eventually(lambda: states(waiting)["done"] == 5)
        finally:
            assert at_work.close()

    def test_drains_on_exit(self, waiting):
        at_work = worker(waiting, idle_s=60)
        at_work.start()
        assert at_work.close(drain_s=20)
        assert states(waiting)["done"] == 4

    def test_does_not_drain_longer_than_it_may(self, waiting):
        thinking = threading.Event()
        cancelled = threading.Event()

        def until_cancelled(job, read):
            thinking.set()
            assert cancelled.wait(20)
            raise ModelCancelledError("stopped")

        at_work = worker(waiting, until_cancelled, cancel=cancelled.set)
        at_work.start()
        assert thinking.wait(20)
        began = time.monotonic()
        assert at_work.close(drain_s=0.1)
        assert time.monotonic() - began < 10
        assert states(waiting) == {"waiting": 4, "running": 0, "done": 0, "failed": 0}

    def test_stops_at_once_and_loses_nothing(self, waiting):
        began = threading.Event()
        go_on = threading.Event()

        def one_only(job, read):
            began.set()
            assert go_on.wait(20)
            return diary(job, read)

        at_work = worker(waiting, one_only, cancel=go_on.set)
        at_work.start()
        assert began.wait(20)
        assert at_work.stop(wait_s=20)
        assert states(waiting) == {"waiting": 1, "running": 0, "done": 3, "failed": 0}

    def test_survives_trouble_and_says_what_it_is(self, waiting):
        hidden = waiting.with_name("elsewhere")
        waiting.rename(hidden)
        at_work = worker(waiting, idle_s=0.05)
        at_work.start()
        eventually(lambda: at_work.trouble is not None)
        hidden.rename(waiting)
        at_work.wake()
        eventually(lambda: states(waiting)["done"] == 4)
        assert at_work.close()
