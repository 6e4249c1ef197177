"""Splits never look ahead, histories are the rows before, candidates hold one thing known."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from localrec.evaluation.ranking import splits
from localrec.evaluation.ranking.splits import (
    chronological_split,
    sampled_candidates,
)
from localrec.foundation.errors import UsageError

MOMENTS = st.lists(st.integers(0, 20), max_size=60)
TABLES = st.lists(
    st.tuples(st.integers(0, 5), st.integers(0, 30), st.integers(0, 9)), min_size=1, max_size=60
)


@given(MOMENTS)
def test_a_split_parts_all_rows_by_time_eight_to_one_to_one(at: list[int]) -> None:
    split = chronological_split(at)
    masks = np.array([split.train, split.validation, split.test])
    assert masks.sum(axis=0).tolist() == [1] * len(at)
    count = len(at)
    assert masks.sum(axis=1).tolist() == [
        count * 8 // 10,
        count * 9 // 10 - count * 8 // 10,
        count - count * 9 // 10,
    ]
    parts = [[(at[row], row) for row in np.flatnonzero(mask)] for mask in masks]
    in_time = [entry for part in parts for entry in sorted(part)]
    assert in_time == sorted(zip(at, range(count), strict=True))


def test_a_split_takes_dates() -> None:
    at = np.array(["2023-10-01", "2022-10-01"] + ["2023-01-01"] * 8, dtype="datetime64[s]")
    split = chronological_split(at)
    assert np.flatnonzero(split.test).tolist() == [0]
    assert split.train[1]
    assert np.flatnonzero(split.validation).tolist() == [9]


@given(TABLES, st.integers(0, 5), st.integers(0, 3))
def test_candidates_are_the_target_and_items_that_the_user_never_had(
    table: list[tuple[int, int, int]], negatives: int, seed: int
) -> None:
    user, item, _ = (list(column) for column in zip(*table, strict=True))
    had = {one: {i for u, i in zip(user, item, strict=True) if u == one} for one in user}
    targets = list(range(len(table)))
    if min(len(set(item)) - len(had[one]) for one in user) < negatives:
        with pytest.raises(UsageError, match="cannot be drawn"):
            sampled_candidates(user, item, targets, negatives=negatives, seed=seed)
        return
    drawn = sampled_candidates(user, item, targets, negatives=negatives, seed=seed)
    assert drawn.items.shape == (len(table), 1 + negatives)
    for row, (line, place) in enumerate(zip(drawn.items.tolist(), drawn.positive, strict=True)):
        assert line[place] == item[row]
        others = line[:place] + line[place + 1 :]
        assert len(set(others)) == negatives
        assert set(others) <= set(item) - had[user[row]]


def test_candidates_depend_on_the_seed_alone() -> None:
    user, item = np.arange(200) % 20, np.arange(200)
    first, again, other = (sampled_candidates(user, item, [3, 7], seed=seed) for seed in (1, 1, 2))
    assert first.items.tolist() == again.items.tolist()
    assert first.positive.tolist() == again.positive.tolist()
    assert first.items.tolist() != other.items.tolist()


def test_each_item_and_each_place_is_drawn_about_equally_often() -> None:
    user, item = np.repeat(np.arange(4_000), 2), np.tile(np.arange(40), 200)
    drawn = sampled_candidates(user, item, range(0, 8_000, 2))
    places = np.bincount(drawn.positive, minlength=20)
    assert places.min() > 140 and places.max() < 260  # 200 expected, five standard deviations
    counts = np.bincount(drawn.items.ravel(), minlength=40)
    assert counts.min() > 1_750 and counts.max() < 2_250


def test_what_is_drawn_too_often_in_vain_is_drawn_exactly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(splits, "_ROUNDS", 1)
    user, item = [0] * 80 + [1] * 20, list(range(100))
    drawn = sampled_candidates(user, item, [0, 5, 99])
    assert sorted(set(drawn.items[0]) - {0}) == sorted(set(drawn.items[0]) & set(range(80, 100)))
    assert len(set(drawn.items[0])) == 20
    assert all(name < 80 for name in set(drawn.items[2].tolist()) - {99})


def test_names_serve_as_well_as_numbers_and_no_target_gives_nothing() -> None:
    user, item = ["ann", "bo", "ann"], ["gin", "rum", "rye"]
    assert set(sampled_candidates(user, item, [1], negatives=2).items[0]) == {"gin", "rum", "rye"}
    assert sampled_candidates(user, item, [], negatives=2).items.shape == (0, 3)
