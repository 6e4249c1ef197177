"""Short ways of sorting and gathering give what the plain ways give, also among equal values."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from localrec.data.arrays import (
    concatenate_slices,
    csr_rows,
    falling_order,
    largest_places,
    stable_order,
)

FEW_VALUES = st.lists(st.sampled_from([-np.inf, -1.0, 0.0, 0.5, 2.0, np.nan]), max_size=40)


@given(FEW_VALUES, st.integers(0, 45))
def test_the_largest_places_are_the_first_of_a_stable_sort(values, k):
    values = np.array(values, dtype=np.float32)
    assert largest_places(values, k).tolist() == np.argsort(-values, kind="stable")[:k].tolist()


@given(st.lists(st.integers(0, 2**31 - 1) | st.integers(0, 3), max_size=60))
def test_the_stable_order_is_that_of_a_stable_sort(values):
    values = np.array(values, dtype=np.int32)
    assert stable_order(values).tolist() == np.argsort(values, kind="stable").tolist()


SPECIAL = [-np.inf, -1.5, -0.0, 0.0, 1e-40, 0.5, 2.0, np.inf, np.nan, -np.nan]


@given(st.lists(st.tuples(*[st.sampled_from(SPECIAL)] * 3), max_size=60))
def test_the_falling_order_is_that_of_sorting_by_all_keys(rows):
    keys = np.array(rows, dtype=np.float32).reshape(-1, 3).T
    expected = np.lexsort([-key for key in reversed(keys)]).tolist()
    assert falling_order(list(keys)).tolist() == falling_order(keys).tolist() == expected


def test_random_numbers_fall_as_sorting_has_them():
    random = np.random.default_rng(2)
    values = random.standard_normal(5_000).astype(np.float32).round(2)
    assert falling_order([values]).tolist() == np.argsort(-values, kind="stable").tolist()


@pytest.mark.parametrize("lists", [[], [2], [3, 0, 0, 1]])
def test_slices_are_concatenated_as_gathering_by_position_does(lists):
    values, first = np.arange(10) * 10, np.array([0, 3, 3, 6, 10])
    lists = np.array(lists, dtype=np.int32)
    together = concatenate_slices(values, first[lists], first[lists + 1])
    assert together.tolist() == values[csr_rows(first, lists)].tolist()
