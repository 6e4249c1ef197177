"""Where histories point, and that what lies near is what brute force finds."""

import inspect
import time

import numpy as np
import pytest

from localrec.agent.tool_context import SequenceEncoder
from localrec.index import sequential, vectors
from localrec.index.sasrec import SasRecEncoder
from localrec.index.sequential import SequentialModel, build_sequential_model, unit_directions
from localrec.index.vectors import HnswIndex, unit_rows
from localrec.ranking.baselines.neural.configs import SASRecConfig

ITEMS = 40
UNMET = 7  # an item nobody had
MANY = 5_000
TRAINED = SASRecConfig()


def attention_of(items=ITEMS, size=8, layers=2, heads=2, length=6, unmet=(UNMET,), seed=0):
    """A network with random weights."""
    generator = np.random.default_rng(seed)

    def draw(*shape):
        return generator.normal(size=shape, scale=0.3).astype(np.float32)

    met = np.ones(items, dtype=bool)
    met[list(unmet)] = False
    return SasRecEncoder(
        items=draw(items, size),
        bias=draw(items),
        met=met,
        norms=draw(2 * layers + 1, 2, size) + np.float32(1.0),
        squares=draw(layers, 6, size, size),
        shifts=draw(layers, 6, size),
        distances=draw(layers, heads, length),
    )


def histories_of(users, items=ITEMS, seed=1):
    """Histories of one to nine items; that of every tenth person is empty."""
    generator = np.random.default_rng(seed)
    drawn = [
        generator.integers(items, size=generator.integers(1, 10) if user % 10 else 0)
        for user in range(users)
    ]
    return [history.astype(np.int32) for history in drawn]


@pytest.fixture
def attention():
    return attention_of()


@pytest.fixture
def model(attention):
    return build_sequential_model(attention, histories_of(30))


def an_array(*items):
    return np.array(items, dtype=np.int32)


def test_has_what_the_agent_s_desk_asks_of_it(model):
    assert set(SequenceEncoder.__annotations__) <= set(vars(model))
    for name, asked in inspect.getmembers(SequenceEncoder, inspect.isfunction):
        if not name.startswith("_"):
            parameters = inspect.signature(getattr(SequentialModel, name)).parameters
            assert list(parameters) == list(inspect.signature(asked).parameters)


class TestStates:
    def test_score_as_the_network_does_but_for_a_number(self, model, attention):
        history = an_array(3, 9, 1)
        expected = attention.items @ attention.state_of(history) + attention.bias
        difference = (model.items @ model.state_of(history) - expected)[attention.met]
        assert np.ptp(difference) < 1e-4

    def test_of_a_batch_are_those_of_each(self, model):
        histories = histories_of(12)
        states = model.states_of(histories)
        assert states.shape == (12, model.size)
        for history, state in zip(histories, states, strict=True):
            np.testing.assert_allclose(model.state_of(history), state, atol=1e-5)

    def test_of_an_empty_history_leave_the_biases(self, model, attention):
        scores = model.items @ model.state_of(an_array())
        np.testing.assert_allclose(scores[attention.met], attention.bias[attention.met])

    def test_pass_over_what_nobody_had(self, model):
        known, mixed = model.state_of(an_array(3, 9)), model.state_of(an_array(3, UNMET, 9))
        np.testing.assert_array_equal(known, mixed)
        np.testing.assert_array_equal(model.state_of(an_array(UNMET)), model.state_of(an_array()))

    def test_know_the_order(self, model):
        assert not np.allclose(model.state_of(an_array(3, 9)), model.state_of(an_array(9, 3)))

    def test_take_a_moment_of_the_size_that_is_trained(self):
        attention = attention_of(1_682, TRAINED.embedding_size, length=TRAINED.length)
        model = build_sequential_model(attention, [])
        history = np.arange(TRAINED.length, dtype=np.int32) * 3
        times = []
        for _ in range(60):
            began = time.perf_counter()
            state = model.state_of(history)
            times.append(time.perf_counter() - began)
        assert state.dtype == np.float32
        assert min(times) < 0.002


class TestItems:
    def test_come_nearest_first_without_themselves(self, model, attention):
        centred = unit_rows(attention.items - attention.items[attention.met].mean(axis=0))
        cosines = centred @ centred[3]
        cosines[[3, UNMET]] = -np.inf
        found = model.similar_items(3, 5)
        assert found.dtype == np.int32
        assert found.tolist() == np.argsort(-cosines)[:5].tolist()

    def test_that_nobody_had_are_like_none_and_none_like_them(self, model):
        assert len(model.similar_items(UNMET, 5)) == 0
        assert UNMET not in model.similar_items(0, ITEMS)

    def test_are_no_more_than_there_are(self, model):
        assert len(model.similar_items(0, 10 * ITEMS)) == ITEMS - 2

    def test_do_not_change_with_a_vector_added_to_all(self, attention):
        shift = np.linspace(-3, 3, attention.size, dtype=np.float32)
        weights = {name: getattr(attention, name) for name in attention.__struct_fields__}
        moved = SasRecEncoder(**{**weights, "items": attention.items + shift})
        both = (build_sequential_model(attention, []), build_sequential_model(moved, []))
        near, shifted = (
            [one.similar_items(item, 4).tolist() for item in range(20)] for one in both
        )
        assert near == shifted


class TestPeople:
    def test_are_alike_as_the_scores_of_items_correlate(self, model, attention):
        histories = histories_of(30)
        states = attention.states_of(histories)
        scores = states @ attention.items[attention.met].T
        with np.errstate(invalid="ignore"):
            alike = np.corrcoef(scores)[4]
        alike[np.isnan(alike)] = -np.inf
        alike[4] = -np.inf
        found = model.similar_users(model.state_of(histories[4]), 5, user=4)
        assert found.tolist() == np.argsort(-alike)[:5].tolist()

    def test_find_themselves_unless_they_are_left_out(self, model):
        state = model.state_of(histories_of(30)[4])
        assert model.similar_users(state, 1).tolist() == [4]
        assert 4 not in model.similar_users(state, 30, user=4)

    def test_without_a_history_are_nobody_s(self, model):
        found = model.similar_users(model.state_of(an_array(1, 2)), 30)
        assert sorted(found.tolist()) == [user for user in range(30) if user % 10]
        assert len(model.similar_users(model.state_of(an_array()), 5)) == 0

    def test_are_called_by_their_numbers_and_some_by_none(self, attention):
        histories = histories_of(9, seed=3)[1:]
        numbers = an_array(70, -1, -1, -1, 74, 75, -1, 77)
        named = SequentialModel(attention, unit_directions(attention, histories), numbers)
        state = named.state_of(histories[1])
        assert sorted(named.similar_users(state, 4).tolist()) == [70, 74, 75, 77]
        assert len(named.similar_users(state, 3, user=75)) == 3

    def test_are_none_where_there_are_none(self, attention):
        lonely = build_sequential_model(attention, [])
        assert len(lonely.similar_users(lonely.state_of(an_array(1)), 3)) == 0


@pytest.fixture
def crowded(monkeypatch):
    """So many items and people, of the size that is trained, behind graphs."""
    monkeypatch.setattr(vectors, "EXACT_UP_TO", 100)
    attention = attention_of(MANY, TRAINED.embedding_size, length=5, unmet=(), seed=5)
    generator = np.random.default_rng(6)
    directions = unit_rows(generator.normal(size=(MANY, attention.size)).astype(np.float32))
    model = SequentialModel(attention, directions, np.arange(MANY, dtype=np.int32))
    assert isinstance(model._near_items, HnswIndex)
    return model, directions


def test_graphs_find_what_brute_force_finds(crowded):
    model, directions = crowded
    centred = unit_rows(model.items[:, :-1])
    generator = np.random.default_rng(7)
    hits = 0
    for item in generator.integers(MANY, size=100).tolist():
        cosines = centred @ centred[item]
        cosines[item] = -np.inf
        hits += len({*np.argsort(-cosines)[:10]} & {*model.similar_items(item, 10).tolist()})
    assert hits / 1_000 >= 0.99
    hits = 0
    for state in generator.normal(size=(100, model.size)).astype(np.float32):
        cosines = directions @ (state[:-1] @ sequential._lens_of(model._attention))
        hits += len({*np.argsort(-cosines)[:10]} & {*model.similar_users(state, 10).tolist()})
    assert hits / 1_000 >= 0.99
