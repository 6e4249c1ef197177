"""Stores without days, without ratings, without users: the list falls back to what is there."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from localrec.data.item_features import ItemFeatures
from localrec.ranking.learned.fitting import without_false_order
from localrec.ranking.learned.interactions import Histories
from localrec.ranking.learned.ranker import FusedRanker, RankerConfig
from tests.ranking.learned.planted import (
    COUNTED,
    ITEMS,
    SIZE,
    best_items,
    chained_log,
    group_side,
    grouped_log,
    log_of,
    nothing_known,
)

COUNTING = RankerConfig(kinds=COUNTED)


def fitted(log, side=None):
    ranker = FusedRanker(COUNTING)
    ranker.fit(log, side or nothing_known(log.items), seed=1)
    return ranker


def best_of(ranker, items, k, **known):
    histories = Histories.of([np.array(items)], **known)
    return best_items(ranker, histories, k)


def sorted_by_item(log):
    """The same rows without days, as a file that is sorted by user and item has them."""
    order = np.lexsort((log.item, log.user))
    return log_of(log.user, log.item[order], log.users, log.items, rating=log.stars[order])


def test_rows_that_follow_the_catalogue_are_read_as_no_order():
    log = sorted_by_item(grouped_log())
    shuffled = without_false_order(log, seed=1)
    rising = np.diff(shuffled.item)[np.diff(shuffled.user) == 0] > 0
    assert 0.4 < rising.mean() < 0.6
    for user in range(log.users):
        mine = slice(int(log.first_row[user]), int(log.first_row[user + 1]))
        assert sorted(shuffled.item[mine].tolist()) == log.item[mine].tolist()


@pytest.mark.parametrize("log", [grouped_log(), grouped_log(dated=False)])
def test_days_and_an_order_of_its_own_stay_as_they_are(log):
    assert without_false_order(log, seed=1) is log


def test_days_are_trusted_even_where_they_follow_the_catalogue():
    log = chained_log()
    assert without_false_order(log, seed=1) is log


def test_a_file_sorted_by_item_does_not_teach_that_high_numbers_come_next():
    """Everybody meets any eight of sixteen, so no number is likelier than another."""
    generator = np.random.default_rng(3)
    item = np.concatenate([np.sort(generator.permutation(16)[:8]) for _ in range(300)])
    ranker = fitted(log_of(np.repeat(np.arange(300), 8), item, 300, 16))
    asked = [np.sort(generator.permutation(16)[:4]) for _ in range(20)]
    scores = ranker.score(Histories.of(asked))
    lean = [
        np.corrcoef(others, row[others])[0, 1]
        for row, mine in zip(scores, asked, strict=True)
        for others in [np.setdiff1d(np.arange(16), mine)]
    ]
    assert abs(np.mean(lean)) < 0.3


@pytest.mark.parametrize("dated", [True, False])
@pytest.mark.parametrize("rated", [True, False])
@pytest.mark.parametrize("in_catalogue_order", [True, False])
def test_a_group_is_found_with_and_without_days_ratings_and_order(dated, rated, in_catalogue_order):
    log = grouped_log(dated=dated)
    if in_catalogue_order:
        order = np.lexsort((log.item, log.user))
        log = log_of(log.user, log.item[order], log.users, ITEMS, day=log.days)
    if rated:
        stars = np.where(log.item % 3, 4.0, 3.0)
        log = log_of(log.user, log.item, log.users, ITEMS, day=log.days, rating=stars)
    found = best_of(fitted(log), [40, 42, 44], 5)
    assert set(found) <= set(range(40, 50))


def test_five_ratings_in_a_store_give_a_list_by_attributes():
    mine, stars, days = np.array([0, 1, 2, 30, 31]), np.array([5.0, 4, 5, 1, 2]), np.arange(5.0)
    log = log_of([0] * 5, mine, 1, ITEMS, rating=stars, day=days)
    found = best_of(fitted(log, group_side()), mine, 5, ratings=[stars], days=[days])
    assert set(found) <= set(range(SIZE))


def test_a_new_catalogue_without_users_ranks_what_a_request_names():
    ranker = fitted(log_of([], [], 0, ITEMS), group_side())
    assert set(best_of(ranker, [12, 13, 14], 5)) <= set(range(10, 20))


ROWS = st.lists(
    st.tuples(
        st.integers(0, 4),
        st.integers(0, 11),
        st.one_of(st.none(), st.sampled_from([0.5, 3.0, 5.0])),
        st.one_of(st.none(), st.floats(-1e5, 1e5)),
    ),
    max_size=40,
    unique_by=lambda row: row[:2],
)


@settings(max_examples=25, deadline=None)
@given(ROWS, st.lists(st.integers(0, 11), max_size=4, unique=True), st.booleans())
def test_any_small_store_gives_a_score_to_every_item(rows, asked, dated):
    rows = sorted(rows, key=lambda row: (row[0], -1e9 if row[3] is None else row[3]))
    user, item = ([row[n] for row in rows] for n in (0, 1))
    rating, day = ([np.nan if row[n] is None else row[n] for row in rows] for n in (2, 3))
    log = log_of(user, item, 5, 12, day=day, rating=rating)
    numbers = np.arange(12, dtype=np.int32)
    side = ItemFeatures(numbers, numbers % 3, 12, 3)
    known = [np.arange(len(asked), dtype=float)] if dated else ()
    scores = fitted(log, side).score(Histories.of([np.array(asked)], days=known))
    assert scores.shape == (1, 12)
    assert np.isfinite(scores).all()
