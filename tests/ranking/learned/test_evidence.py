"""Each kind of evidence on stores whose pattern is planted."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from localrec.data.interaction_matrix import InteractionMatrix
from localrec.data.item_features import ItemFeatures
from localrec.ranking.learned.artefact import (
    put_together,
    read_artefact,
    take_apart,
    write_artefact,
)
from localrec.ranking.learned.evidence import KINDS
from localrec.ranking.learned.evidence.base import FitContext, FitStoppedError, history_weights
from localrec.ranking.learned.evidence.ease import fit_ease
from localrec.ranking.learned.evidence.user_knn import WIDTHS
from localrec.ranking.learned.interactions import NO_USER, Histories
from tests.ranking.learned.planted import (
    GROUPS,
    ITEMS,
    SIZE,
    chained_log,
    group_side,
    grouped_log,
    log_of,
    nothing_known,
)

COLLABORATIVE = ("cooccurrence", "item-knn", "odds", "user-knn", "memory", "ease")


def context_of(log, side=None, **changes):
    settings = {
        "log": log,
        "side": side or nothing_known(log.items),
        "seed": 3,
        "memory_limit": 1 << 30,
        "threads": 1,
        "progress": lambda what, done, total: None,
        "should_stop": lambda: False,
    }
    return FitContext(**(settings | changes))


@pytest.fixture
def small_networks(monkeypatch):
    """Train networks of a size that a planted store needs."""
    training = pytest.importorskip("localrec.ranking.learned.neural.training", exc_type=ImportError)
    config = training.TrainingConfig(
        size=32, state_size=32, blocks=1, learning_rate=0.02, fewest_steps=250, dropout=0.1
    )
    monkeypatch.setattr(training, "TrainingConfig", lambda: config)


def history(*items, days=True, users=None):
    known = [np.arange(len(items), dtype=float)] if days else ()
    return Histories.of([np.array(items)], days=known, users=users)


@pytest.mark.parametrize("kind", COLLABORATIVE)
def test_items_of_the_same_group_rank_before_all_others(kind):
    fitted = KINDS[kind].fit(context_of(grouped_log()))
    for name, scores in fitted.signals(history(20, 21, 22)).items():
        if name == "transitions":
            continue  # knows what follows, and here anything does
        best = np.argsort(-scores[0], kind="stable")[: SIZE - 3]
        assert set(best.tolist()) <= set(range(20, 30)), name


@pytest.mark.parametrize("kind", ["attributes"])
def test_an_item_that_nobody_met_is_found_by_its_attributes(kind):
    log = grouped_log()
    unmet = log.select(log.item != 25)
    fitted = KINDS[kind].fit(context_of(unmet, group_side()))
    for scores in fitted.signals(history(20, 21)).values():
        assert scores[0, 25] == scores[0].max() > scores[0, 35]


def test_texts_find_the_item_whose_vector_is_nearest():
    vectors = np.eye(ITEMS, 4, dtype=np.float32)
    vectors[7] = vectors[2]
    side = nothing_known(ITEMS, vectors)
    fitted = KINDS["texts"].fit(context_of(grouped_log(), side))
    for scores in fitted.signals(history(2)).values():
        assert scores[0, 7] == scores[0].max()


def test_transitions_know_which_of_two_neighbours_comes_next():
    fitted = KINDS["cooccurrence"].fit(context_of(chained_log()))
    signals = fitted.signals(history(10, 11, 12))
    assert np.argmax(signals["transitions"][0]) == 13
    assert signals["transitions"][0, 9] == 0.0


@pytest.mark.parametrize("kind", ["gru", "attention"])
@pytest.mark.usefixtures("small_networks")
def test_a_network_learns_what_comes_next(kind):
    fitted = KINDS[kind].fit(context_of(chained_log(users=200)))
    scores = fitted.signals(history(30, 31, 32))[kind]
    assert 33 in np.argsort(-scores[0])[:2]


@pytest.mark.parametrize("kind", ["gru", "attention"])
@pytest.mark.parametrize("side", [nothing_known(), group_side()])
def test_numpy_repeats_what_the_trained_network_computes(kind, side):
    torch = pytest.importorskip("torch")
    from localrec.ranking.learned.neural import training

    network_of = training._Recurrent if kind == "gru" else training._Attention
    torch.manual_seed(5)
    network = network_of(ITEMS, side, training.TrainingConfig()).eval()
    for weights in network.parameters():
        torch.nn.init.normal_(weights, std=0.3)
    items = np.array([4, 9, 2, 40])
    with torch.inference_mode():
        expected = network(network.table(torch.from_numpy(items))[None])[0, -1].numpy()
    histories = [np.array([1, 1, 1, 1, 1, 1]), items, np.array([3])]
    encoder = network.exported(np.ones(ITEMS, dtype=bool))
    assert np.allclose(encoder.states_of(histories)[1], expected, atol=1e-4)


@pytest.mark.parametrize("kind", ["gru", "attention"])
@pytest.mark.usefixtures("small_networks")
def test_a_network_finds_an_item_met_once_by_its_attributes(kind):
    log = grouped_log(users=60)
    rare = np.array([ITEMS, ITEMS + 1])  # one of the first group and one of the third
    user = np.concatenate([log.user, [60, 61]])
    grown = log_of(user, np.concatenate([log.item, rare]), 62, ITEMS + 2)
    items = np.arange(ITEMS + 2, dtype=np.int32)
    groups = np.append(np.arange(ITEMS) // SIZE, [0, 2]).astype(np.int32)
    side = ItemFeatures(items, groups, ITEMS + 2, GROUPS)
    scores = KINDS[kind].fit(context_of(grown, side)).signals(history(20, 21, 22))[kind][0]
    assert scores[ITEMS + 1] > scores[:20].max()
    assert scores[ITEMS + 1] > scores[ITEMS]


@pytest.mark.parametrize("attributes", [GROUPS, GROUPS + 1])
def test_an_older_table_is_taken_over_as_it_was(attributes):
    torch = pytest.importorskip("torch")
    from localrec.ranking.learned.neural.item_table import ItemTable

    older, newer = ItemTable(ITEMS, group_side(), 8), ItemTable(ITEMS + 4, group_side(), 8)
    before = older.whole().detach().numpy()
    shared = np.ones((attributes, 8), dtype=np.float32)
    newer.take_over(before, shared)
    with torch.inference_mode():
        assert np.allclose(newer.whole()[:ITEMS].numpy(), before, atol=1e-6)
    kept = newer.of_attributes.weight.detach().numpy()
    assert (kept == (1.0 if attributes == GROUPS else 0.0)).all()


@pytest.mark.usefixtures("small_networks")
def test_a_network_goes_on_from_older_weights_of_a_smaller_catalogue():
    log = chained_log(users=200)
    older = KINDS["gru"].fit(context_of(log))
    grown = log_of(log.user, log.item, log.users, ITEMS + 5, day=log.days)
    fitted = KINDS["gru"].fit(context_of(grown, previous=older))
    scores = fitted.signals(history(30, 31, 32))["gru"]
    assert scores.shape == (1, ITEMS + 5)
    assert 33 in np.argsort(-scores[0])[:2]
    assert scores[0, ITEMS:].max() == scores[0].min()


def test_popularity_around_a_day_counts_nothing_that_came_later():
    log = log_of([0, 1, 2, 3], [0, 0, 1, 1], 4, 3, day=[0.0, 1.0, 90.0, 100.0])
    fitted = KINDS["popularity"].fit(context_of(log))
    then = Histories.of([np.array([2])], days=[np.array([2.0])])
    around = fitted.signals(then)["popularity-around"][0]
    assert around[0] > 0.0
    assert around[1] == 0.0


def test_popularity_of_liked_rows_leaves_out_what_was_rated_below_the_mean():
    log = log_of([0, 1, 2], [0, 0, 1], 3, 2, rating=[1.0, 1.0, 5.0])
    signals = KINDS["popularity"].fit(context_of(log)).signals(history(1, days=False))
    assert signals["popularity"][0, 0] > signals["popularity"][0, 1]
    assert signals["popularity-liked"][0, 0] < signals["popularity-liked"][0, 1]


@pytest.mark.parametrize(
    ("kind", "signal"),
    [("user-knn", "user-knn"), ("memory", "memory-items"), ("memory", "memory-votes")],
)
def test_a_user_is_no_neighbour_of_their_own(kind, signal):
    log = log_of([0, 0, 0, 1, 1], [0, 1, 2, 0, 3], 2, 4)
    fitted = KINDS[kind].fit(context_of(log))
    own = fitted.signals(history(0, 1, users=np.array([0])))[signal][0]
    somebody = fitted.signals(history(0, 1, users=np.array([NO_USER])))[signal][0]
    assert own[2] == 0.0
    assert somebody[2] > 0.0


def test_an_item_that_stands_twice_in_a_history_counts_once_at_its_newest_place_for_memory():
    fitted = KINDS["memory"].fit(context_of(grouped_log()))
    twice, once = (fitted.signals(history(*items)) for items in ((20, 40, 20), (40, 20)))
    assert {name: one.tolist() for name, one in twice.items()} == {
        name: one.tolist() for name, one in once.items()
    }


def test_memory_counts_the_users_of_the_neighbourhood_who_met_an_item():
    log = log_of([0, 0, 1, 1, 2, 2, 3], [0, 1, 0, 1, 0, 2, 3], 4, 4)
    fitted = KINDS["memory"].fit(context_of(log))
    asked = history(0, users=np.array([0]))
    assert fitted.nearest_who_met(asked, 1) == (1, 2)  # user 1 of users 1 and 2
    assert fitted.nearest_who_met(asked, 3) == (0, 2)


@pytest.mark.parametrize("kind", ["user-knn", "memory"])
def test_a_pair_that_stands_twice_in_the_log_counts_once_with_its_newest_rating(kind):
    rows = {"user": [0, 0, 0, 1, 1], "item": [0, 1, 1, 0, 2], "rating": [5.0, 1.0, 5.0, 5.0, 1.0]}
    kept = {name: [value for n, value in enumerate(row) if n != 1] for name, row in rows.items()}
    twice, once = (
        log_of(one["user"], one["item"], 2, 4, rating=one["rating"]) for one in (rows, kept)
    )
    assert twice.liked[[0, 2, 3, 4]].tolist() == once.liked.tolist()
    found, told = (
        KINDS[kind].fit(context_of(log)).signals(history(0, 1, days=False)) for log in (twice, once)
    )
    assert {name: one.tolist() for name, one in found.items()} == {
        name: one.tolist() for name, one in told.items()
    }


@pytest.mark.parametrize("kind", ["user-knn", "memory"])
def test_who_met_what_comes_back_from_disk_as_one_matrix(kind, tmp_path):
    fitted = KINDS[kind].fit(context_of(grouped_log(), group_side()))
    write_artefact(tmp_path, *take_apart(fitted))
    opened = put_together(KINDS[kind].record, *read_artefact(tmp_path))
    assert isinstance(opened.matrix, InteractionMatrix)
    asked = history(20, 21, 40)
    for name, scores in fitted.signals(asked).items():
        assert opened.signals(asked)[name].tolist() == scores.tolist()


def test_ease_agrees_with_the_closed_form():
    log = grouped_log(users=40)
    fitted = fit_ease(context_of(log))
    met = np.zeros((log.users, ITEMS))
    met[log.user, log.item] = 1.0
    inverse = np.linalg.inv(met.T @ met + fitted.regularization * np.eye(ITEMS))
    weights = -inverse / np.diag(inverse)
    np.fill_diagonal(weights, 0.0)
    scores = fitted.signals(history(3, 17, days=False))["ease-long"][0]
    assert np.allclose(scores, weights[3] + weights[17], atol=1e-4)


def test_ease_cuts_a_catalogue_that_memory_cannot_hold_to_its_popular_part():
    log = log_of([0, 0, 1, 1, 2, 2], [0, 1, 0, 1, 2, 0], 3, 4)
    fitted = fit_ease(context_of(log, memory_limit=32 * 2 * 2))
    assert fitted.met.row(0)[0].tolist() == [1]
    assert len(fitted.met.row(2)[0]) == 0


def test_items_of_an_undated_history_do_not_fade():
    dated = history_weights(history(1, 2, 3), 0.5, float("nan"))
    undated = history_weights(history(1, 2, 3, days=False), 0.5, float("nan"))
    assert dated.tolist() == [0.25, 0.5, 1.0]
    assert undated.tolist() == [1.0, 1.0, 1.0]


@pytest.mark.usefixtures("small_networks")
@pytest.mark.parametrize("kind", list(KINDS))
def test_an_empty_history_and_an_empty_store_raise_nothing(kind):
    empty = log_of([], [], 0, ITEMS)
    log = grouped_log()
    for one in (empty, log):
        fitted = KINDS[kind].fit(context_of(one, group_side()))
        if fitted is None:
            continue
        for scores in fitted.signals(Histories.of([np.zeros(0, dtype=np.int32)])).values():
            assert scores.shape == (1, ITEMS)
            assert np.isfinite(scores).all()


def test_a_stop_flag_ends_the_training_of_a_network():
    pytest.importorskip("torch")
    with pytest.raises(FitStoppedError):
        KINDS["gru"].fit(context_of(chained_log(), should_stop=lambda: True))


def test_a_network_gives_up_steps_where_the_time_runs_out():
    pytest.importorskip("torch")
    log = chained_log()
    hurried = KINDS["gru"].fit(context_of(log, seconds=0.0))
    assert 0.0 < hurried.share < 0.1
    assert np.isfinite(hurried.signals(history(1, 2))["gru"]).all()


@pytest.mark.usefixtures("small_networks")
def test_with_time_enough_a_network_makes_all_its_steps():
    assert KINDS["gru"].fit(context_of(chained_log())).share == 1.0


def test_a_large_store_gets_no_more_steps_than_its_places_allow():
    pytest.importorskip("torch")
    from localrec.ranking.learned.neural import training

    log = chained_log(users=600, rows=50)
    config = training.TrainingConfig(most_places=6_000, fewest_steps=1)
    generator = np.random.default_rng(0)
    batch_size, steps = training._plan(log, config, generator, continued=False)
    assert steps * batch_size * 49 == pytest.approx(6_000, rel=0.2)


def test_drawn_items_stand_for_the_whole_catalogue_in_the_loss():
    torch = pytest.importorskip("torch")
    from localrec.ranking.learned.neural import training

    torch.manual_seed(0)
    links = np.arange(4_000, dtype=np.int32)
    side = ItemFeatures(links, links % 7, 4_000, 7)
    network = training._Recurrent(4_000, side, training.TrainingConfig()).eval()
    torch.nn.init.normal_(network.bias, std=0.5)
    items, targets = torch.randint(4_000, (2, 4, 20))
    with torch.inference_mode():
        exact = network.loss(items, targets, 1_000).item()
        drawn = [network.loss(items, targets, 400).item() for _ in range(40)]
    assert np.mean(drawn) == pytest.approx(exact, abs=0.05)
    assert np.std(drawn) > 0.0


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(0, 5), st.integers(0, 7), st.one_of(st.none(), st.integers(0, 9))),
        unique_by=lambda row: row[:2],
    )
)
def test_who_came_soon_after_is_counted_row_by_row(rows):
    rows = sorted(rows, key=lambda row: (row[0], -1 if row[2] is None else row[2]))
    user, item = ([row[n] for row in rows] for n in (0, 1))
    day = [np.nan if row[2] is None else row[2] for row in rows]
    found = KINDS["user-knn"].fit(context_of(log_of(user, item, 6, 8, day=day))).soon_after(0)
    began = {u: d for u, i, d in rows if i == 0 and d is not None}
    assert found.watched == len(began)
    for place, width in enumerate(WIDTHS):
        for other in range(8):
            came = 0
            for u, i, d in rows:
                if i == other and d is not None and u in began and d > began[u]:
                    days = [day for owner, _, day in rows if owner == u and day is not None]
                    came += sum(began[u] < day <= d for day in days) <= width
            assert found.counts[place][other] == came
