"""Files are made for their owner alone, whoever else makes some at the same time."""

import os
import threading

import pytest

from localrec.foundation.paths import owner_only


@pytest.fixture
def open_mask():
    """A mask that keeps nothing back, and what was set before afterwards."""
    before = os.umask(0o022)
    yield 0o022
    os.umask(before)


def mask_now():
    now = os.umask(0o022)
    os.umask(now)
    return now


def test_the_mask_comes_back_when_a_block_ends(open_mask):
    with owner_only():
        assert mask_now() == 0o077
        with owner_only():
            assert mask_now() == 0o077
        assert mask_now() == 0o077
    assert mask_now() == open_mask


def test_blocks_of_two_threads_that_overlap_leave_the_mask_as_it_was(open_mask):
    first_is_in, second_is_in, first_is_out = (threading.Event() for _ in range(3))

    def first():
        with owner_only():
            first_is_in.set()
            second_is_in.wait(5)
        first_is_out.set()

    thread = threading.Thread(target=first)
    thread.start()
    first_is_in.wait(5)
    with owner_only():
        second_is_in.set()
        first_is_out.wait(5)
        assert mask_now() == 0o077
    thread.join()
    assert mask_now() == open_mask


def test_the_mask_comes_back_after_an_error(open_mask):
    with pytest.raises(RuntimeError), owner_only():
        raise RuntimeError
    assert mask_now() == open_mask
