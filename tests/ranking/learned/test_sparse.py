"""The largest entries of rows, and sums of pairs, are those of a plain dense computation."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from localrec.ranking.learned.evidence import cooccurrence, pairs
from localrec.ranking.learned.evidence.cooccurrence import WINDOWS, count_cooccurrence
from localrec.ranking.learned.sparse import heaviest_entries
from tests.ranking.learned.planted import grouped_log

BLOCKS = arrays(
    np.float32,
    st.tuples(st.integers(1, 5), st.integers(1, 9)),
    elements=st.integers(-3, 3).map(np.float32),
)


@given(BLOCKS, st.integers(1, 10))
def test_the_largest_entries_of_each_row_are_kept_and_among_equals_the_first(block, kept):
    columns, values, counts = heaviest_entries(block, kept)
    first = np.concatenate([[0], np.cumsum(counts)])
    for row, entries in enumerate(block):
        order = sorted(np.flatnonzero(entries), key=lambda one: (-abs(entries[one]), one))
        found = columns[first[row] : first[row + 1]].tolist()
        assert found == sorted(order[:kept])
        assert values[first[row] : first[row + 1]].tolist() == entries[found].tolist()


@pytest.mark.parametrize("window", WINDOWS)
def test_pairs_that_are_sorted_add_up_to_what_dense_counts_do(monkeypatch, window):
    log = grouped_log(users=40)
    found = []
    for sparse in (0, 10**9):  # never, and always, a dense sum
        monkeypatch.setattr(cooccurrence, "_SPARSE", sparse)
        found.append(count_cooccurrence(log, WINDOWS[window]))
    by_sorting, dense = found
    assert by_sorting.column.tolist() == dense.column.tolist()
    assert by_sorting.first.tolist() == dense.first.tolist()
    assert by_sorting.value == pytest.approx(dense.value, rel=1e-6)


def test_shared_users_are_counted_alike_at_once_in_parts_sorted_and_dense(monkeypatch):
    log = grouped_log(users=40)
    ones = np.ones(log.items, dtype=np.float32)
    met = np.zeros((log.users, log.items))
    met[log.user, log.item] = 1.0
    expected = met.T @ met * (1.0 - np.eye(log.items))
    for sparse in (0, 10**9):
        for at_once in (2, 50, 10**9):
            monkeypatch.setattr("localrec.data.common_users._SPARSE", sparse)
            monkeypatch.setattr("localrec.data.common_users._PAIRS_AT_ONCE", at_once)
            found = pairs.neighbour_rows(log, log.items, (ones, ones))
            dense = np.stack([found.combine(np.array([row]), ones[:1]) for row in range(log.items)])
            assert dense.tolist() == expected.tolist()


def test_an_item_that_a_user_met_again_counts_again():
    log = grouped_log(users=40)
    twice = log.select(np.repeat(np.arange(len(log)), 2))
    chosen = np.arange(log.items, dtype=np.int32)
    assert (pairs.item_counts(twice, chosen) == 4 * pairs.item_counts(log, chosen)).all()
