"""Declared protocols: what is trained on, what is asked, and that one never reaches the other."""

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from localrec.data.interactions import Interactions
from localrec.evaluation.ranking.cases import EvaluationProtocol, split_data
from localrec.evaluation.ranking.leakage import check_split
from localrec.evaluation.ranking.splits import cold_users, leave_one_out
from localrec.foundation.errors import InputError

TABLES = st.lists(
    st.tuples(st.integers(0, 8), st.integers(0, 20), st.integers(0, 5)),
    min_size=1,
    max_size=80,
    unique_by=lambda row: row[:2],
)


def interactions(table):
    """Rows (person, item, moment), put in order."""
    ordered = sorted(table, key=lambda row: (row[0], row[2]))
    user, item, at = (np.array(column) for column in zip(*ordered, strict=True))
    return Interactions(
        user=user.astype(np.int32),
        item=item.astype(np.int32),
        stars=np.full(len(user), 4.0, dtype=np.float32),
        at=at.astype("datetime64[s]"),
        users=9,
        items=21,
    )


LINE = [(0, item, item) for item in range(6)]  # one person, six items in order


@given(TABLES, st.sampled_from(["leave-one-out", "by-time", "cold-users"]))
def test_no_protocol_hands_out_what_it_holds_back(table, split):
    try:
        parted = split_data(interactions(table), EvaluationProtocol(split=split, shown=2))
    except InputError:
        return  # too small to hold anything out
    check_split(parted)
    for cases in (parted.validation, parted.test):
        for history, had, positives in zip(
            cases.histories, cases.seen_items, cases.positives, strict=True
        ):
            assert set(history.tolist()) <= set(had.tolist())
            assert not set(had.tolist()) & set(positives.tolist())
            assert len(positives)


def test_leave_one_out_tests_the_last_and_validates_the_one_before():
    parted = split_data(interactions(LINE), EvaluationProtocol())
    assert parted.train.item.tolist() == [0, 1, 2, 3]
    assert [cases.positives[0].tolist() for cases in (parted.validation, parted.test)] == [[4], [5]]
    assert parted.test.histories[0].tolist() == [0, 1, 2, 3, 4]
    assert parted.test.train_user.tolist() == [0]


def test_people_with_few_rows_only_train():
    user = [0, 0, 1, 1, 1, 1]
    split = leave_one_out(user, at_least=1)
    assert split.train.tolist() == [True, True, True, True, False, False]
    assert leave_one_out(user, at_least=5).train.all()


def test_a_cap_shortens_what_is_handed_over_and_not_what_is_known():
    test = split_data(interactions(LINE), EvaluationProtocol(history=2)).test
    assert test.histories[0].tolist() == [3, 4]
    assert test.seen_items[0].tolist() == [0, 1, 2, 3, 4]


def test_strangers_show_a_few_items_and_are_unknown_to_the_training():
    data = interactions(
        [(user, 8 * (user % 2) + item, item) for user in range(9) for item in range(8)]
    )
    parted = split_data(data, EvaluationProtocol(split="cold-users", shown=3))
    assert set(parted.train.user.tolist()).isdisjoint(parted.test.user.tolist())
    assert parted.test.train_user.tolist() == [-1] * len(parted.test)
    first = 8 * (int(parted.test.user[0]) % 2)
    assert (parted.test.histories[0] - first).tolist() == [0, 1, 2]
    assert (parted.test.positives[0] - first).tolist() == [3, 4, 5, 6, 7]
    one = split_data(data, EvaluationProtocol(split="cold-users", shown=3, candidates=5)).test
    assert (one.positives[0] - first).tolist() == [3]


def test_strangers_are_drawn_by_the_seed_eight_to_one_to_one():
    user = np.repeat(np.arange(100), 2)
    split, other = cold_users(user, seed=1), cold_users(user, seed=2)
    assert [int(mask.sum()) for mask in (split.train, split.validation, split.test)] == [
        160,
        20,
        20,
    ]
    assert (split.test != other.test).any()


def test_by_time_asks_for_every_late_row_with_what_came_before():
    table = [(user, item, 10 * item + user) for user in range(2) for item in range(10)]
    test = split_data(interactions(table), EvaluationProtocol(split="by-time")).test
    assert [positives.tolist() for positives in test.positives] == [[9], [9]]
    assert test.histories[0].tolist() == list(range(9))


def test_whoever_had_nothing_before_is_not_asked():
    table = [*((0, item, item) for item in range(18)), (1, 19, 50), (1, 20, 51)]
    test = split_data(
        interactions(table), EvaluationProtocol(split="by-time", min_interactions=1)
    ).test
    assert [positives.tolist() for positives in test.positives] == [[20]]
    assert len(test.histories[0]) == 1


def test_undated_rows_count_as_the_oldest():
    data = interactions(LINE)
    data.at[0] = np.datetime64("NaT")
    parted = split_data(data, EvaluationProtocol(split="by-time"))
    assert parted.train.item.tolist() == [0, 1, 2, 3]


def test_validation_and_test_have_candidates_of_their_own():
    table = [(user, 2 * item + user % 2, item) for user in range(4) for item in range(8)]
    parted = split_data(interactions(table), EvaluationProtocol(candidates=4))
    for cases in (parted.validation, parted.test):
        assert cases.candidates.shape == (4, 4)
        for line, positives, user in zip(
            cases.candidates, cases.positives, cases.user, strict=True
        ):
            had = {item for one, item, _ in table if one == user}
            assert set(line.tolist()) & had == set(positives.tolist())
    places = [
        (cases.candidates == [[items[0]] for items in cases.positives]).argmax(axis=1).tolist()
        for cases in (parted.validation, parted.test)
    ]
    assert places[0] != places[1]
    again = split_data(interactions(table), EvaluationProtocol(candidates=4))
    assert parted.test.candidates.tolist() == again.test.candidates.tolist()


def test_too_little_data_is_refused():
    with pytest.raises(InputError, match="leave nothing to hold out under leave-one-out"):
        split_data(interactions([(0, 1, 1), (0, 2, 2)]), EvaluationProtocol())


@pytest.mark.parametrize(
    "declared",
    [
        {"split": "by-magic"},
        {"candidates": 1},
        {"candidates": "some"},
        {"shown": 0},
        {"negatives": 9},
    ],
)
def test_a_protocol_that_does_not_exist_is_refused(declared):
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(declared, EvaluationProtocol)


def test_a_protocol_says_what_it_is():
    assert str(EvaluationProtocol(candidates=10, seed=3)) == (
        "leave-one-out, people with at least 3, 10 candidates, seed 3"
    )
