"""The time that a fit still takes is estimated from what it told."""

import pytest

from localrec.ranking.learned.progress_file import running_fits, told_beside
from localrec.ranking.learned.time_left import TimeLeft

KINDS = ("popularity", "gru", "attention")


class Fit:
    """A fit whose clock moves by hand: each step takes a second of each unit of its size."""

    def __init__(self):
        self.now = 0.0
        self.left = TimeLeft(KINDS, ("gru", "attention"), clock=lambda: self.now)

    def counts(self, what, seconds):
        self.left.record(what, 0, 3)
        self.now += seconds

    def trains(self, what, seconds, *, begun=0, until=100):
        self.left.record(what, 1, 3)
        for step in range(begun, until + 1, 10):
            if step > begun:
                self.now += seconds * 10 / 100
            self.left.record(f"training {what}", step, 100)


def test_nothing_is_foretold_before_something_is_done():
    fit = Fit()
    assert fit.left.seconds is None
    fit.counts("inner: popularity", 0.1)
    fit.trains("inner: gru", 20.0, until=0)
    assert fit.left.seconds is None


def test_it_falls_to_nothing_while_a_fit_goes_on_at_its_pace():
    fit, seen = Fit(), []
    fit.counts("inner: popularity", 2.0)
    for name, seconds in (("inner: gru", 20.0), ("inner: attention", 20.0)):
        fit.trains(name, seconds)
        seen.append(fit.left.seconds)
    fit.counts("weighing the evidence", 6.0)
    fit.counts("all: popularity", 2.0)
    fit.trains("all: gru", 6.8)
    fit.trains("all: attention", 6.8)
    seen.append(fit.left.seconds)
    assert seen == pytest.approx([41.6, 21.6, 0.0])


def test_a_machine_of_half_the_speed_needs_twice_the_time():
    slow, fast = Fit(), Fit()
    slow.trains("inner: gru", 40.0, until=50)
    fast.trains("inner: gru", 20.0, until=50)
    assert slow.left.seconds == pytest.approx(2.0 * fast.left.seconds)


def test_parts_that_were_read_do_not_count_as_fast():
    fit = Fit()
    fit.counts("inner: popularity", 0.0)
    fit.left.record("inner: gru", 1, 3)
    fit.trains("inner: attention", 20.0, until=50)
    assert fit.left.seconds == pytest.approx(2.0 * (5.0 + 3.0 + 1.0 + 3.4 + 3.4))


def test_steps_of_an_earlier_fit_do_not_count_as_fast():
    fit, whole = Fit(), Fit()
    fit.trains("inner: gru", 20.0, begun=50, until=90)
    whole.trains("inner: gru", 20.0, until=90)
    assert fit.left.seconds == pytest.approx(whole.left.seconds)


def test_other_processes_read_it(tmp_path):
    fit = Fit()
    folder = tmp_path / "learned-x"
    folder.mkdir()
    with told_beside(folder, lambda *_: None, fit.left) as tell:
        tell("inner: gru", 1, 3)
        tell("training gru", 0, 100)
        fit.now = 10.0
        tell("training gru", 50, 100)
        assert running_fits(tmp_path)[0].left == pytest.approx(2.0 * (5.0 + 10.0 + 3.0 + 7.8))
    assert running_fits(tmp_path) == ()
