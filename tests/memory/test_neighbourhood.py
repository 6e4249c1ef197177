"""Neighbours are who and what a plain count of a small graph says they are."""

from __future__ import annotations

from datetime import datetime, timedelta

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from localrec.data.interaction_matrix import InteractionMatrix
from localrec.data.item_features import ItemFeatures
from localrec.data.rows import Event
from localrec.graph.catalogue import Catalogue
from localrec.graph.interactions import store_feedback, user_node
from localrec.graph.store import Store
from localrec.index.embedded_fields import open_field, update_embeddings
from localrec.index.embedders import HashingEmbedder
from localrec.memory import user_item_graph as module
from localrec.memory import user_summaries
from localrec.memory.user_item_graph import UserItemGraph, open_user_item_graph
from localrec.memory.user_summaries import summarize_users
from localrec.privacy.erasure_plan import ForgetScope
from localrec.privacy.forget import forget
from tests.index.test_audience import bring, did
from tests.planted import BAR, planted_store

DAY = datetime(2025, 1, 1)


def item_features(links, items, attributes, vectors=None):
    """Traits of items from a set of (item, attribute)."""
    pairs = np.array(sorted(links), dtype=np.int32).reshape(-1, 2)
    return ItemFeatures(pairs[:, 0], pairs[:, 1], items, attributes, vectors)


def graph_of(likings, users, like, now_day=None):
    """A graph from (person, item, day), the day None where it is unknown."""
    rows = [(who, item, np.nan if day is None else day) for who, item, day in likings]
    who, item, day = np.array(rows, dtype=np.float64).reshape(-1, 3).T
    matrix = InteractionMatrix.from_pairs(
        who.astype(np.int32), item.astype(np.int32), users, like.items, day.astype(np.float32)
    )
    return UserItemGraph(matrix, like, now_day=now_day)


def asked(graph, history, exclude=-1):
    items, weights = list(history), list(history.values())
    return graph.neighbours_of(
        np.array(items, dtype=np.int32), np.array(weights, dtype=np.float32), exclude
    )


def table(neighbours):
    """Row by kind and index."""
    columns = [getattr(neighbours, name).tolist() for name in neighbours.__struct_fields__]
    return {
        ("person" if is_user else "item", index): tuple(rest)
        for is_user, index, *rest in zip(*columns, strict=True)
    }


class TestAPlantedGraph:
    """Ada and Ben share two and one of the films 0 and 1; Cem shares none."""

    ADA, BEN, CEM = 0, 1, 2
    LIKINGS = (
        (ADA, 0, 100.0),
        (ADA, 1, 90.0),
        (ADA, 2, 50.0),
        (BEN, 1, 80.0),
        (BEN, 3, 20.0),
        (CEM, 4, 99.0),
    )
    GENRES = ((0, 0), (1, 0), (2, 0), (3, 1), (4, 1))

    @pytest.fixture
    def graph(self):
        vectors = np.eye(5, 4, dtype=np.float32)
        vectors[2] = (0.6, 0.8, 0, 0)
        return graph_of(self.LIKINGS, 3, item_features(self.GENRES, 5, 2, vectors))

    def test_has_those_people_as_neighbours_who_share_something(self, graph):
        rows = table(asked(graph, {0: 1.0, 1: 1.0}))
        assert {one for one in rows if one[0] == "person"} == {("person", 0), ("person", 1)}

    def test_has_those_items_as_neighbours_that_these_people_like(self, graph):
        rows = table(asked(graph, {0: 1.0, 1: 1.0}))
        assert {one for one in rows if one[0] == "item"} == {("item", 2), ("item", 3)}

    def test_weighs_edges_by_their_cosine(self, graph):
        rows = table(asked(graph, {0: 1.0, 1: 1.0}))
        ada, ben = 2 / np.sqrt(2 * 3), 1 / np.sqrt(2 * 2)
        assert rows["person", self.ADA][0] == pytest.approx(ada)
        assert rows["person", self.BEN][0] == pytest.approx(ben)
        length = np.hypot(ada**3, ben**3)
        assert rows["item", 2][0] == pytest.approx(ada**3 / length)
        assert rows["item", 3][0] == pytest.approx(ben**3 / length)

    def test_counts_what_is_shared_and_who_likes_it(self, graph):
        rows = table(asked(graph, {0: 1.0, 1: 1.0}))
        assert [rows["person", one][2] for one in (self.ADA, self.BEN)] == [2, 1]
        assert [rows["item", one][2] for one in (2, 3)] == [1, 1]

    def test_counts_recency_from_the_newest_day_of_all(self, graph):
        rows = table(asked(graph, {0: 1.0, 1: 1.0}))
        assert rows["person", self.ADA][1] == 0
        assert rows["person", self.BEN][1] == 20
        assert rows["item", 2][1] == 50
        assert rows["item", 3][1] == 80

    def test_compares_what_both_are_like(self, graph):
        rows = table(asked(graph, {0: 1.0, 1: 1.0}))
        assert rows["item", 2][3] == pytest.approx(1)  # the history's only genre
        assert rows["item", 3][3] == 0
        assert rows["item", 2][4] > 0.5 > rows["item", 3][4]
        assert rows["person", self.ADA][4] > rows["person", self.BEN][4]

    def test_leaves_out_whose_history_it_is_and_their_pull(self, graph):
        rows = table(asked(graph, {0: 1.0, 1: 1.0}, exclude=self.ADA))
        assert set(rows) == {("person", self.BEN), ("item", 3)}

    def test_finds_nobody_by_what_is_not_liked_but_does_not_offer_it_either(self, graph):
        rows = table(asked(graph, {0: -1.0, 1: 1.0, 3: 0.0}))
        assert rows["person", self.ADA][2] == 1
        assert ("item", 0) not in rows
        assert ("item", 3) not in rows

    @pytest.mark.parametrize("history", [{}, {0: 0.0}, {0: -1.0}])
    def test_has_no_neighbours_of_somebody_who_likes_nothing(self, graph, history):
        assert len(asked(graph, history)) == 0

    def test_tells_what_somebody_liked_last(self, graph):
        assert graph.matrix.newest_items(self.ADA, 2).tolist() == [0, 1]

    def test_takes_the_undated_for_as_old_as_the_middle(self):
        likings = [(0, 0, 10.0), (1, 0, 30.0), (2, 0, 40.0), (3, 0, None), (3, 1, None)]
        rows = table(asked(graph_of(likings, 4, item_features([], 2, 0)), {0: 1.0}))
        assert rows["person", 3][1] == 10  # 40 - 30
        assert rows["item", 1][1] == 10

    def test_knows_no_age_where_nothing_is_dated(self):
        rows = table(
            asked(graph_of([(0, 0, None), (0, 1, None)], 1, item_features([], 2, 0)), {0: 1.0})
        )
        assert [row[1] for row in rows.values()] == [0, 0]

    def test_counts_a_pair_that_comes_twice_once_with_its_newest_day(self):
        likings = [(0, 0, 5.0), (0, 0, None), (0, 0, 9.0), (0, 1, 1.0)]
        graph = graph_of(likings, 1, item_features([], 2, 0), now_day=10.0)
        assert table(asked(graph, {0: 1.0}))["person", 0][:3] == (pytest.approx(2**-0.5), 1.0, 1)

    def test_never_counts_recency_below_nothing(self, graph):
        early = graph_of(self.LIKINGS, 3, graph.item_features, now_day=60.0)
        rows = table(asked(early, {0: 1.0, 1: 1.0}))
        assert rows["person", self.ADA][1] == 0
        assert rows["item", 3][1] == 40


SMALL = st.tuples(
    st.lists(  # person, item, day
        st.tuples(st.integers(0, 7), st.integers(0, 9), st.none() | st.integers(0, 60).map(float)),
        max_size=40,
    ),
    st.sets(st.tuples(st.integers(0, 9), st.integers(0, 4)), max_size=20),
    st.dictionaries(st.integers(0, 9), st.sampled_from([-1.0, 0.0, 0.5, 1.0]), max_size=6),
    st.integers(-1, 7),
    st.integers(0, 2**16),
)


def cosine(one, other):
    lengths = np.linalg.norm(one) * np.linalg.norm(other)
    return max(0.0, float(one @ other / lengths)) if lengths > 1e-9 else 0.0


def counted(likings, links, history, exclude, vectors):
    """All features by a plain double loop over people and items."""
    taste, newest = {}, {}
    for who, item, day in likings:
        taste.setdefault(who, set()).add(item)
        known = [one for one in (day, newest.get((who, item))) if one is not None]
        newest[who, item] = max(known, default=None)
    last = {
        who: max((d for (w, _), d in newest.items() if w == who and d is not None), default=None)
        for who in taste
    }
    dated = [day for day in last.values() if day is not None]
    now, usual = max(dated, default=0.0), float(np.median(dated)) if dated else 0.0
    liked = {item: weight for item, weight in history.items() if weight > 0}
    length = np.sqrt(sum(weight**2 for weight in liked.values()))
    uses = np.array([sum(one == a for _, one in links) for a in range(5)])
    rarity = np.where(uses > 0, np.log(10 / np.maximum(uses, 1)), 0)
    shown = np.array([[(i, a) in links for a in range(5)] for i in range(10)]) * rarity
    has = vectors.any(axis=1)
    centred = (vectors - vectors.sum(axis=0) / max(has.sum(), 1)) * has[:, None]

    def both(weights):
        return [sum((w * m[i] for i, w in weights.items()), 0 * m[0]) for m in (shown, centred)]

    mine, rows, edges = both(liked), {}, {}
    for who, theirs in taste.items():
        shared = theirs & set(liked)
        if shared and who != exclude:
            edges[who] = sum(liked[item] for item in shared) / (length * np.sqrt(len(theirs)))
            same = map(cosine, mine, both(dict.fromkeys(theirs, 1.0)))
            day = usual if last[who] is None else last[who]
            rows["person", who] = (edges[who], now - day, len(shared), *same)
    total = np.sqrt(sum(edge**6 for edge in edges.values()))
    for item in range(10):
        fans = [who for who in edges if item in taste[who]]
        if fans and item not in history:
            everybody = sum(item in theirs for theirs in taste.values())
            edge = sum(edges[who] ** 3 for who in fans) / (total * np.sqrt(everybody))
            days = [newest[who, item] for who in fans if newest[who, item] is not None]
            same = map(cosine, mine, (shown[item], centred[item]))
            rows["item", item] = (edge, now - max(days, default=usual), len(fans), *same)
    return rows


@settings(max_examples=150, deadline=None)
@given(SMALL)
def test_neighbours_are_a_plain_double_loop(case):
    likings, links, history, exclude, seed = case
    random = np.random.default_rng(seed)
    vectors = random.normal(size=(10, 6)) * (random.random(10) < 0.8)[:, None]
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    vectors = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
    graph = graph_of(likings, 8, item_features(links, 10, 5, vectors.astype(np.float32)))
    found = table(asked(graph, history, exclude))
    expected = counted(likings, links, history, exclude, vectors)
    assert set(found) == set(expected)
    for one, row in found.items():
        assert row == pytest.approx(expected[one], abs=3e-3), one
        assert min(row[0], row[3], row[4]) >= 0
        assert max(row[0], row[3], row[4]) <= 1
    assert ("person", exclude) not in found


@pytest.fixture(scope="module")
def large():
    """4,000 people of two camps, far more than are asked."""
    random = np.random.default_rng(5)
    rows = []
    for user in range(4_000):
        camp = random.choice(40, size=random.integers(5, 15), replace=False)
        rows += [(user, 40 * (user % 2) + item, float(user % 50)) for item in camp]
    return graph_of(rows, 4_000, item_features([], 80, 0))


class TestALargeGraph:
    @pytest.fixture
    def graph(self, large):
        return large

    @pytest.fixture
    def few(self, monkeypatch):
        for name, limit in (
            ("USERS_PER_ITEM", 60),
            ("MAX_USER_NEIGHBOURS", 30),
            ("MAX_ITEM_NEIGHBOURS", 7),
        ):
            monkeypatch.setattr(module, name, limit)

    HISTORY = dict.fromkeys(range(0, 16), 1.0)

    def test_is_asked_within_its_limits_and_the_same_way_each_time(self, graph, few):
        first, again = asked(graph, self.HISTORY), asked(graph, self.HISTORY)
        assert first.is_user.sum() == 30
        assert (~first.is_user).sum() == 7
        assert table(first) == table(again)

    def test_still_tells_the_camps_apart(self, graph, few):
        found = asked(graph, self.HISTORY)
        assert (found.index[found.is_user] % 2 == 0).all()
        assert (found.index[~found.is_user] < 40).all()

    def test_counts_what_each_person_found_shares_in_full(self, graph, few):
        found = asked(graph, self.HISTORY)
        for user, shared in zip(
            found.index[:30].tolist(), found.co_interaction_count[:30].tolist(), strict=True
        ):
            begin, end = graph.matrix.first_item[user], graph.matrix.first_item[user + 1]
            assert shared == (graph.matrix.items[begin:end] < 16).sum()

    def test_hands_on_the_nearest(self, graph, monkeypatch):
        everybody = asked(graph, self.HISTORY)
        monkeypatch.setattr(module, "MAX_USER_NEIGHBOURS", 30)
        nearest = asked(graph, self.HISTORY)
        users = np.sort(everybody.edge_weight[everybody.is_user])[::-1]
        assert np.sort(nearest.edge_weight[nearest.is_user])[::-1] == pytest.approx(users[:30])

    def test_asks_the_best_liked_of_a_long_history(self, graph, monkeypatch):
        monkeypatch.setattr(module, "HISTORY_ITEMS_EXPANDED", 2)
        found = asked(graph, dict.fromkeys(range(40, 60), 0.1) | {0: 1.0, 1: 1.0})
        assert (found.index[found.is_user] % 2 == 0).all()


def test_profiles_do_not_depend_on_how_many_are_added_up_at_once(monkeypatch):
    random = np.random.default_rng(8)
    rows = [(int(random.integers(60)), int(random.integers(30)), 1.0) for _ in range(500)]
    like = item_features({(i, i % 7) for i in range(30)} | {(i, i % 3) for i in range(30)}, 30, 9)
    graph = graph_of(rows, 61, like)  # the last likes nothing
    whole = graph.profiles
    monkeypatch.setattr(user_summaries, "_LINKS_AT_ONCE", 5)
    parts = summarize_users(graph.matrix, like)
    assert np.array_equal(whole.lengths, parts.lengths)
    assert whole.lengths[60] == 0
    assert np.isnan(whole.newest[60])


class TestTheStore:
    @pytest.fixture
    def bar(self, tmp_path):
        with planted_store(tmp_path) as store:
            update_embeddings(store, BAR, HashingEmbedder(size=64))
            bring(
                store,
                [
                    did("ada", "negroni", rating=5.0, at=DAY),
                    did("ada", "boulevardier", rating=5.0, at=DAY - timedelta(days=3)),
                    did("ben", "negroni", rating=4.0, at=DAY - timedelta(days=9)),
                    did("ben", "daiquiri", rating=4.0),
                    did("cem", "mojito", rating=5.0, at=DAY),
                    did("cem", "negroni", rating=1.0, at=DAY),
                ],
            )
            yield store

    def opened(self, store, tmp_path):
        catalogue = Catalogue(store, BAR)
        folder = tmp_path / "indexes"
        field = open_field(store, folder, BAR.name, "description", HashingEmbedder(size=64).name)
        return catalogue, open_user_item_graph(store, folder, catalogue, field)

    def neighbours(self, store, tmp_path):
        catalogue, graph = self.opened(store, tmp_path)
        ada = graph.matrix.user_index(user_node(store, BAR.name, "ada"))
        keys = ("negroni", "boulevardier")
        rows = table(asked(graph, {catalogue.item_index(key): 1.0 for key in keys}, ada))
        return catalogue, graph, rows

    def test_gives_people_and_items_with_their_days(self, bar, tmp_path):
        catalogue, graph, rows = self.neighbours(bar, tmp_path)
        ben = graph.matrix.user_index(user_node(bar, BAR.name, "ben"))
        daiquiri = catalogue.item_index("daiquiri")
        assert set(rows) == {("person", ben), ("item", daiquiri)}
        assert rows["person", ben][1] == pytest.approx(9)
        assert rows["person", ben][2] == 1
        assert rows["person", ben][3] > 0
        assert rows["person", ben][4] > 0

    def test_knows_nobody_who_likes_nothing(self, bar, tmp_path):
        item = int(Catalogue(bar, BAR).node_ids[0])
        store_feedback(bar, BAR.name, "dan", item, Event.DISLIKED)
        _, graph = self.opened(bar, tmp_path)
        assert graph.matrix.user_index(user_node(bar, BAR.name, "dan")) == -1

    def test_is_not_added_up_twice(self, bar, tmp_path, monkeypatch):
        _, _, rows = self.neighbours(bar, tmp_path)
        monkeypatch.setattr(user_summaries, "summarize_users", None)
        assert self.neighbours(bar, tmp_path)[2] == rows

    @pytest.mark.parametrize("change", ["likings", "texts"])
    def test_is_added_up_again_after_a_change(self, bar, tmp_path, change):
        self.neighbours(bar, tmp_path)
        (before,) = (tmp_path / "indexes").glob("profiles-*.lengths.npy")
        if change == "likings":
            bring(bar, [did("dan", "negroni", rating=5.0)])
        else:
            bar.execute("DELETE FROM embedding WHERE node_id % 2 = 0")
        self.neighbours(bar, tmp_path)
        (after,) = (tmp_path / "indexes").glob("profiles-*.lengths.npy")
        assert before != after

    def test_leaves_no_file_behind_when_somebody_is_forgotten(self, bar, tmp_path):
        self.neighbours(bar, tmp_path)
        assert len(list((tmp_path / "indexes").glob("profiles-*"))) == 4
        bar.close()
        forget(tmp_path, ForgetScope(user="cem"), dry_run=False, progress=lambda *_: None)
        assert not list((tmp_path / "indexes").glob("*"))
        with Store.open_(tmp_path / "store.duckdb", read_only=True) as store:
            _, graph, rows = self.neighbours(store, tmp_path)
        assert graph.matrix.user_count == 2
        assert len(rows) == 2

    def test_does_without_a_cache_that_cannot_be_written(self, bar, tmp_path):
        (tmp_path / "indexes").write_text("not a folder")
        assert len(self.neighbours(bar, tmp_path)[2]) == 2

    def test_does_without_texts(self, bar, tmp_path):
        catalogue = Catalogue(bar, BAR)
        graph = open_user_item_graph(bar, tmp_path / "indexes", catalogue, None)
        rows = table(asked(graph, {catalogue.item_index("negroni"): 1.0}))
        assert {row[4] for row in rows.values()} == {0.0}
