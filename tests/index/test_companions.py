"""Companions are counted from order and closeness, whatever the blocks they are counted in."""

from datetime import datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from localrec.data.rows import Event, HistoryRows, InteractionRow
from localrec.graph.catalogue import Catalogue
from localrec.graph.history_ingest import ingest_history
from localrec.graph.interactions import store_feedback
from localrec.index import item_cooccurrence
from localrec.index.item_cooccurrence import (
    CooccurrenceConfig,
    count_cooccurrence,
    interaction_sequences,
    open_cooccurrence,
)
from tests.planted import BAR, a_report, planted_rows, planted_store

DRINKS = [row.key for row in planted_rows()]


def rows(*histories):
    """Histories as columns: person, item."""
    user = np.repeat(np.arange(len(histories)), [len(one) for one in histories])
    items = np.array([item for one in histories for item in one])
    return user.astype(np.int32), items.astype(np.int32)


def naive(histories, size, config):
    """The formula of the module, word for word."""
    together = np.zeros((size, size))
    owners = np.zeros(size)
    for history in histories:
        for place, item in enumerate(history):
            owners[item] += 1
            for other, second in enumerate(history):
                steps = abs(place - other)
                if item != second and 0 < steps <= config.window:
                    together[item, second] += config.decay ** (steps - 1)
    scaled = together / (together.sum(axis=1, keepdims=True) + config.row_shrinkage)
    return scaled / (owners + config.shrinkage) ** config.damping


def dense(found, size):
    weights = np.zeros((size, size))
    for item in range(size):
        items, some = found.of(item)
        assert len(set(items.tolist())) == len(items)
        weights[item, items] = some
    return weights


histories_of_six = st.lists(
    st.lists(st.integers(0, 5), min_size=1, max_size=9), min_size=1, max_size=6
)


@given(histories_of_six, st.integers(1, 4))
def test_weights_are_those_of_the_formula(histories, window):
    config = CooccurrenceConfig(window=window)
    found = count_cooccurrence(*rows(*histories), 6, config)
    assert dense(found, 6) == pytest.approx(naive(histories, 6, config), abs=1e-6)


@given(histories_of_six)
def test_blocks_make_no_difference(histories):
    whole = count_cooccurrence(*rows(*histories), 6)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(item_cooccurrence, "_SUMS", 7)
        patch.setattr(item_cooccurrence, "_ROWS", 1)
        parted = count_cooccurrence(*rows(*histories), 6)
    assert dense(parted, 6) == pytest.approx(dense(whole, 6), abs=1e-6)


def test_whoever_stands_nearer_is_the_closer_companion():
    found = count_cooccurrence(*rows([0, 1, 2, 3]), 4, CooccurrenceConfig(damping=0.0))
    items, weights = found.of(0)
    assert items.tolist() == [1, 2, 3]
    assert weights[0] > weights[1] > weights[2]


def test_company_that_everybody_keeps_counts_less():
    histories = [[0, 1, 2]] + [[3, 2]] * 20
    weights = dense(count_cooccurrence(*rows(*histories), 4), 4)
    assert weights[0, 1] > weights[0, 2]


def test_the_history_of_another_person_is_no_company():
    assert dense(count_cooccurrence(*rows([0], [1]), 2), 2).sum() == 0


def test_only_the_heaviest_are_kept():
    found = count_cooccurrence(*rows([0, 1, 2, 3]), 4, CooccurrenceConfig(kept=1))
    assert [found.of(item)[0].tolist() for item in (0, 3)] == [[1], [2]]


def test_the_newest_of_a_history_says_most():
    found = count_cooccurrence(*rows([0, 1], [2, 3]), 4)
    scores = found.scores(np.array([0, 2], dtype=np.int32))
    assert scores[3] > scores[1] > 0
    shared = found.scores(np.array([0, 2], dtype=np.int32), np.array([1.0, 0.0], dtype=np.float32))
    assert shared[3] == 0


def test_an_empty_history_or_catalogue_scores_nothing():
    assert not count_cooccurrence(*rows([0, 1]), 2).scores(np.zeros(0, dtype=np.int32)).any()
    empty = np.zeros(0, dtype=np.int32)
    assert len(count_cooccurrence(empty, empty, 0).scores(empty)) == 0


def test_too_many_rows_are_thinned_by_people():
    histories = [[0, 1]] * 50 + [[2, 3]] * 50
    found = count_cooccurrence(*rows(*histories), 4, CooccurrenceConfig(most_rows=40))
    assert dense(found, 4)[0, 1] > 0
    assert dense(found, 4)[2, 3] > 0


class TestOpenedFromAStore:
    @pytest.fixture
    def bar(self, tmp_path):
        """Three people take up drinks in an order; one only wants, one puts off."""
        with planted_store(tmp_path) as store:
            moment = datetime(2024, 5, 1)
            told = [
                ("ana", 2, Event.LIKED, 0),
                ("ana", 0, Event.DISLIKED, 1),
                ("ana", 5, Event.WANTED, 2),
                ("ben", 3, Event.SEEN, 1),
                ("ben", 1, Event.LIKED, 0),
                ("ben", 6, Event.LATER, 2),
                ("cyd", 0, Event.LIKED, None),
                ("cyd", 2, Event.LIKED, 4),
            ]
            crowd = tuple(
                InteractionRow(
                    user=user,
                    item=DRINKS[place],
                    event=event,
                    at=None if day is None else moment + timedelta(days=day),
                )
                for user, place, event, day in told
            )
            ingest_history(
                store,
                BAR,
                HistoryRows(items=(), interactions=crowd, report=a_report(len(crowd))),
                None,
            )
            yield store, Catalogue(store, BAR), tmp_path / "indexes"

    def test_everything_taken_up_counts_in_its_order_and_nothing_else(self, bar):
        store, catalogue, _ = bar
        user, item = interaction_sequences(store, catalogue, 1_000)
        theirs = [[catalogue.keys[one] for one in item[user == who]] for who in range(3)]
        places = [[DRINKS.index(key) for key in one] for one in theirs]
        assert sorted(places) == [[0, 2], [1, 3], [2, 0]]

    def test_they_are_counted_once_and_read_again(self, bar, monkeypatch):
        counted = open_cooccurrence(*_arguments(bar))
        monkeypatch.setattr(item_cooccurrence, "count_cooccurrence", None)
        read = open_cooccurrence(*_arguments(bar))
        size = len(bar[1])
        assert dense(read, size) == pytest.approx(dense(counted, size))
        assert read.mark == counted.mark != ""

    def test_news_and_damage_have_them_counted_again(self, bar):
        store, catalogue, folder = bar
        before = open_cooccurrence(*_arguments(bar)).mark
        store_feedback(store, BAR.name, "ana", int(catalogue.node_ids[9]), Event.LIKED)
        after = open_cooccurrence(*_arguments(bar))
        assert after.mark != before
        weights = next(folder.glob("companions-*.weights.npy"))
        weights.write_bytes(weights.read_bytes()[:-1] + b"x")
        again = open_cooccurrence(*_arguments(bar))
        assert np.array_equal(again.weights, after.weights)

    def test_other_settings_are_another_count(self, bar):
        before = open_cooccurrence(*_arguments(bar)).mark
        assert open_cooccurrence(*_arguments(bar), CooccurrenceConfig(damping=0.0)).mark != before

    def test_beyond_the_bound_a_part_of_the_people_is_read(self, bar):
        store, catalogue, _ = bar
        assert 0 < len(set(interaction_sequences(store, catalogue, 3)[0].tolist())) < 3

    def test_without_anybody_there_are_none(self, tmp_path):
        with planted_store(tmp_path) as store:
            catalogue = Catalogue(store, BAR)
            found = open_cooccurrence(store, tmp_path / "indexes", catalogue)
        assert not dense(found, len(catalogue)).any()


def _arguments(bar):
    store, catalogue, folder = bar
    return store, folder, catalogue
