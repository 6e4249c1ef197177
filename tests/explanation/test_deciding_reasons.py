"""What decided is what is told: each kind of evidence by its own count, no other in its place."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from localrec.data.interaction_matrix import InteractionMatrix
from localrec.explanation.deciding_reasons import DecidingReasonBuilder
from localrec.explanation.soon_after import STEPS, SoonAfterCounter
from localrec.graph.user_profile import profile_from_keys
from localrec.ranking.learned.contributions import Contribution
from localrec.ranking.learned.interactions import InteractionLog, ItemSideData
from localrec.ranking.learned.opened import LearnedRanking
from localrec.ranking.learned.ranker import FusedRanker, RankerConfig

FANS = 8
SOURCE, ITEM = 0, 2
RELATION = {
    "cooccurrence": "SOON_AFTER",
    "gru": "SOON_AFTER",
    "attention": "SOON_AFTER",
    "item-knn": "LIKED_WITH",
    "ease": "LIKED_WITH",
    "odds": "LIKED_WITH",
    "user-knn": "MET_BY",
    "texts": "DESCRIBED_LIKE",
    "popularity": "LIKED_BY",
    "attributes": "HAS_INGREDIENT",
}


class PlannedAccount:
    """An account that was thought up: amounts of kinds, and counts."""

    def __init__(self, amounts, sources=(SOURCE,), nearest=(4, 9), between=(1, 30)):
        self._parts = [Contribution(kind, kind, one, sources) for kind, one in amounts.items()]
        self._nearest, self._between = nearest, between

    def contributions(self, item):
        return self._parts

    def nearest_users(self, item):
        return self._nearest

    def texts_between(self, source, item):
        return self._between


def audience_of(items, *, dated=True):
    """Eight people who liked the source, then another drink, then the item; and twelve others."""
    user = np.repeat(np.arange(FANS + 12), [3] * FANS + [1] * 12).astype(np.int32)
    item = np.concatenate([np.tile([SOURCE, 1, ITEM], FANS), np.full(12, 3)]).astype(np.int32)
    day = np.concatenate([np.tile([1.0, 2.0, 3.0], FANS), np.ones(12)])
    days = (day if dated else np.full(len(day), np.nan)).astype(np.float32)
    return InteractionMatrix.from_pairs(user, item, FANS + 12, items, days)


@pytest.fixture
def builder(bar):
    def of(account, *, dated=True, ratings=None):
        catalogue = bar.catalogue
        profile = profile_from_keys([catalogue.keys[SOURCE]], catalogue, ratings)
        audience = audience_of(len(catalogue), dated=dated)
        return DecidingReasonBuilder("ana", profile, catalogue, audience, account)

    return of


def relations(facts):
    return [fact.evidence[-1].relation for fact in facts]


@pytest.mark.parametrize("kind", sorted(set(RELATION) - {"attributes"}))
def test_the_kind_with_the_largest_part_is_told_first(builder, kind):
    others = {other: 0.3 for other in RELATION if other != kind}
    facts = builder(PlannedAccount({kind: 1.0, **others})).facts(ITEM)
    assert relations(facts)[0] == RELATION[kind]


def test_shared_attributes_are_told_where_they_decided(bar, builder):
    catalogue = bar.catalogue
    mine = set(catalogue.attributes_of(SOURCE).tolist())
    item = next(
        one for one in range(1, len(catalogue)) if mine & set(catalogue.attributes_of(one).tolist())
    )
    [fact] = builder(PlannedAccount({"attributes": 1.0})).facts(item)
    assert "in common with" in fact.text


def test_what_added_little_did_not_decide_and_is_not_told(builder):
    facts = builder(PlannedAccount({"user-knn": 1.0, "popularity": 0.2, "texts": -3.0})).facts(ITEM)
    assert relations(facts) == ["MET_BY"]


def test_the_parts_of_one_kind_are_added_up_before_they_are_compared(builder):
    account = PlannedAccount({"gru": 0.4, "attention": 0.4, "popularity": 0.6})
    assert relations(builder(account).facts(ITEM))[0] == "SOON_AFTER"


def test_a_network_is_told_by_the_order_that_was_counted_and_is_not_named(bar, builder):
    [fact] = builder(PlannedAccount({"gru": 1.0})).facts(ITEM)
    name = bar.catalogue.names[SOURCE]
    assert fact.text == f"100% of those who liked {name} liked this within their next five"
    assert fact.evidence[-1].value == f"{FANS} of {FANS} people"


def test_without_days_nothing_is_said_of_an_order(builder):
    [fact] = builder(PlannedAccount({"cooccurrence": 1.0}), dated=False).facts(ITEM)
    assert fact.evidence[-1].relation == "LIKED_WITH"
    assert "40% of everybody" in fact.text  # 8 of 20


def test_counts_of_nearest_users_and_texts_are_those_of_the_account(builder):
    [fact] = builder(PlannedAccount({"user-knn": 1.0}, nearest=(7, 11))).facts(ITEM)
    assert "7 of the 11 people" in fact.text
    [fact] = builder(PlannedAccount({"texts": 1.0}, between=(3, 40))).facts(ITEM)
    assert fact.text.startswith("3 of 40 drinks have a description nearer to that of")


def test_evidence_that_counts_nothing_is_passed_over(builder):
    account = PlannedAccount({"user-knn": 1.0, "popularity": 0.9}, nearest=(2, 11))
    assert relations(builder(account).facts(ITEM)) == ["LIKED_BY"]


def test_nobody_is_told_what_others_did_who_like_what_they_dislike(builder):
    facts = builder(PlannedAccount({"gru": 1.0}), ratings=[1.0]).facts(ITEM)
    assert relations(facts) == ["LIKED_BY"]


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(0, 5), st.integers(0, 7), st.one_of(st.none(), st.integers(0, 9))),
        unique_by=lambda row: row[:2],
    )
)
def test_who_came_soon_after_is_counted_row_by_row(rows):
    user, item = (np.array([row[n] for row in rows], dtype=np.int32) for n in (0, 1))
    day = np.array([np.nan if row[2] is None else row[2] for row in rows], dtype=np.float32)
    matrix = InteractionMatrix.from_pairs(user, item, 6, 8, day)
    found = SoonAfterCounter(matrix).after(SOURCE)
    began = {u: d for u, i, d in rows if i == SOURCE and d is not None}
    assert found.watched == len(began)
    for place, width in enumerate(STEPS):
        for other in range(8):
            came = 0
            for u, i, d in rows:
                if i == other and d is not None and u in began and d > began[u]:
                    between = [r for r in rows if r[0] == u and r[2] is not None]
                    came += sum(began[u] < r[2] <= d for r in between) <= width
            assert found.counts[place][other] == came


@pytest.mark.parametrize(
    ("kinds", "relation"),
    [
        (("cooccurrence",), "SOON_AFTER"),
        (("item-knn",), "LIKED_WITH"),
        (("user-knn",), "MET_BY"),
        (("popularity",), "LIKED_BY"),
    ],
)
def test_a_fitted_ranker_tells_the_kind_that_it_has(bar, kinds, relation):
    catalogue = bar.catalogue
    generator = np.random.default_rng(0)
    many, steps = 60, 6
    starts = np.repeat(generator.integers(len(catalogue) - steps, size=many), steps)
    item = (starts + np.tile(np.arange(steps), many)).astype(np.int32)
    user = np.repeat(np.arange(many), steps).astype(np.int32)
    day = np.tile(np.arange(steps, dtype=np.float64), many)
    unrated = np.full(len(item), np.nan, dtype=np.float32)
    log = InteractionLog(user, item, unrated, day, many, len(catalogue))
    ranker = FusedRanker(RankerConfig(kinds=kinds))
    ranker.fit(log, ItemSideData.nothing(len(catalogue)), seed=1)
    nodes = np.arange(many, dtype=np.int64)
    ranking = LearnedRanking(ranker, nodes, catalogue.node_ids, len(log), catalogue)
    mine = np.bincount(item).argmax() - np.arange(2)[::-1]
    account = ranking.account(
        None, mine.astype(np.int32), np.full(2, np.nan, np.float32), np.arange(2.0)
    )
    profile = profile_from_keys([catalogue.keys[one] for one in mine], catalogue)
    audience = InteractionMatrix.from_pairs(
        user, item, many, len(catalogue), day.astype(np.float32)
    )
    builder = DecidingReasonBuilder("ana", profile, catalogue, audience, account)
    scores = account.scores.copy()
    scores[mine] = -np.inf
    best = int(scores.argmax())
    assert [kind for kind, _ in builder.deciding_kinds(best)] == list(kinds)
    assert relations(builder.facts(best)) == [relation]
