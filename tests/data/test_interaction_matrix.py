"""The sparse matrix says the same from both sides, and the same as plain sets of pairs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from localrec.data.interaction_matrix import InteractionMatrix
from localrec.data.interactions import Interactions
from localrec.foundation.progress import no_progress

USERS, ITEMS = 6, 5
ROWS = st.lists(
    st.tuples(
        st.integers(0, USERS - 1),
        st.integers(0, ITEMS - 1),
        st.one_of(st.none(), st.integers(0, 9)),
    ),
    max_size=30,
)


def common_users(matrix):
    """How many users like both of each two items, put together from blocks (items, items)."""
    counts = np.zeros((matrix.item_count, matrix.item_count), dtype=np.int64)
    followed = 0
    for block in matrix.common_users(no_progress):
        begin, end = block.items
        assert begin == followed < end
        assert ((block.item >= begin) & (block.item < end) & (block.users > 0)).all()
        assert (np.diff(block.item * matrix.item_count + block.other) > 0).all()
        counts[block.item, block.other] = block.users
        followed = end
    assert followed == matrix.item_count
    return counts


def matrix_of(rows):
    columns = np.array([(u, i, np.nan if d is None else d) for u, i, d in rows]).reshape(-1, 3).T
    user, item = columns[:2].astype(np.int32)
    return InteractionMatrix.from_pairs(user, item, USERS, ITEMS, columns[2].astype(np.float32))


def log_of(rows):
    """A log from (user, item, stars, date), the last two None where unknown."""
    user, item, stars, at = zip(*rows, strict=True)
    return Interactions(
        user=np.array(user, dtype=np.int32),
        item=np.array(item, dtype=np.int32),
        stars=np.array([np.nan if one is None else one for one in stars], dtype=np.float32),
        at=np.array(at, dtype="datetime64[s]"),
        users=USERS,
        items=ITEMS,
    )


@given(ROWS)
def test_both_sides_hold_each_pair_once_in_order(rows):
    matrix, pairs = matrix_of(rows), {(user, item) for user, item, _ in rows}
    assert [(u, i) for u in range(USERS) for i in matrix.items_of(u).tolist()] == sorted(pairs)
    by_item = [(i, u) for i in range(ITEMS) for u in matrix.users_of(i).tolist()]
    assert by_item == sorted((item, user) for user, item in pairs)
    assert (matrix.user_count, matrix.item_count) == (USERS, ITEMS)
    assert matrix.likes.sum() == matrix.user_likes.sum() == len(pairs)


@given(ROWS)
def test_counts_of_common_users_are_those_of_plain_sets(rows):
    matrix, pairs = matrix_of(rows), {(user, item) for user, item, _ in rows}
    fans = [{user for user, item in pairs if item == one} for one in range(ITEMS)]
    shared = common_users(matrix)
    for item in range(ITEMS):
        assert shared[item].tolist() == [len(fans[item] & fans[other]) for other in range(ITEMS)]
        sampled, asked = matrix.liked_with(item)
        assert (sampled.tolist(), asked) == (shared[item].tolist(), len(fans[item]))


@pytest.mark.parametrize("pairs_at_once", [1, 50, 10_000])
@pytest.mark.parametrize("sparse", [0, 4, 10**6])
def test_common_users_are_the_same_in_any_blocks_and_by_any_way_of_counting(
    monkeypatch, pairs_at_once, sparse
):
    monkeypatch.setattr("localrec.data.common_users._PAIRS_AT_ONCE", pairs_at_once)
    monkeypatch.setattr("localrec.data.common_users._SPARSE", sparse)
    random = np.random.default_rng(5)
    user, item = random.integers(40, size=600), (60 * random.random(600) ** 3).astype(np.int32)
    matrix = InteractionMatrix.from_pairs(user.astype(np.int32), item, 40, 60)
    table = np.zeros((40, 60), dtype=np.int64)
    table[user, item] = 1
    np.testing.assert_array_equal(common_users(matrix), table.T @ table)


@given(ROWS)
def test_of_equal_pairs_the_newest_day_counts(rows):
    matrix = matrix_of(rows)
    for user in range(USERS):
        mine = matrix.rows_of(user)
        for item, day in zip(matrix.items[mine], matrix.days[mine], strict=True):
            days = [d for u, i, d in rows if (u, i) == (user, item) and d is not None]
            assert day == max(days) if days else np.isnan(day)


def test_the_newest_items_come_first_and_the_undated_last():
    matrix = matrix_of([(2, 0, 3), (2, 1, None), (2, 4, 7), (1, 3, 9)])
    assert matrix.newest_items(2, 5).tolist() == [4, 0, 1]
    assert matrix.newest_items(2, 1).tolist() == [4]


def test_a_user_is_found_by_node_id():
    none = np.zeros(0, dtype=np.int32)
    matrix = InteractionMatrix.from_pairs(none, none, 2, 3, user_nodes=np.array([70, 40]))
    assert [matrix.user_index(node) for node in (40, 70, 41)] == [1, 0, -1]


def test_a_log_keeps_its_numbers_and_its_days():
    log = log_of([(0, 1, 1.0, "1970-01-03"), (4, 0, None, "NaT"), (4, 2, 5.0, "1970-01-02")])
    matrix = InteractionMatrix.from_log(log)
    assert matrix.items_of(4).tolist() == [0, 2]
    assert matrix.days[matrix.rows_of(0)].tolist() == [2.0]
    assert np.isnan(matrix.days[matrix.rows_of(4)][0])
    assert matrix.user_count == USERS


@pytest.mark.parametrize(("liked_from", "users"), [(4.0, 2), (0.5, 3), (5.0, 2)])
def test_users_without_a_like_have_no_number(liked_from, users):
    rows = [(0, 1, 1.0, "NaT"), (3, 0, None, "NaT"), (4, 2, 5.0, "NaT"), (4, 3, 2.0, "NaT")]
    matrix = InteractionMatrix.from_likes(log_of(rows), liked_from)
    assert matrix.user_count == users
    assert set(range(ITEMS)) >= set(matrix.items.tolist()) >= {0, 2}
    assert matrix.likes[1] == (liked_from <= 1.0)
