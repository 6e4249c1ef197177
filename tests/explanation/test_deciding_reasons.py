"""What decided is what is told: each kind of evidence by its own count, no other in its place."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from localrec.data.interaction_matrix import InteractionMatrix
from localrec.data.interactions import Interactions, moments_of
from localrec.explanation.deciding_reasons import DecidingReasonBuilder
from localrec.graph.user_profile import profile_from_keys
from localrec.ranking.learned.contributions import Contribution
from localrec.ranking.learned.opened import LearnedRanking
from localrec.ranking.learned.ranker import FusedRanker, RankerConfig
from tests.ranking.learned.planted import nothing_known

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
    "memory": "MET_BY",
    "texts": "DESCRIBED_LIKE",
    "popularity": "LIKED_BY",
    "attributes": "HAS_INGREDIENT",
}


class PlannedAccount:
    """An account that was thought up: amounts of kinds, and counts."""

    def __init__(self, amounts, sources=(SOURCE,), nearest=(4, 9), between=(1, 30), soon=None):
        self._parts = [Contribution(kind, kind, one, sources) for kind, one in amounts.items()]
        self._nearest, self._between = nearest, between
        self._soon = soon or (6, 20, 10)

    def contributions(self, item):
        return self._parts

    def nearest_users(self, kind, item):
        return self._nearest

    def came_soon_after(self, source, item, least):
        return self._soon if self._soon[0] >= least else None

    def texts_between(self, source, item):
        return self._between


def audience_of(items):
    """Eight people who liked the source, then another drink, then the item; and twelve others."""
    user = np.repeat(np.arange(FANS + 12), [3] * FANS + [1] * 12).astype(np.int32)
    item = np.concatenate([np.tile([SOURCE, 1, ITEM], FANS), np.full(12, 3)]).astype(np.int32)
    return InteractionMatrix.from_pairs(user, item, FANS + 12, items)


@pytest.fixture
def builder(bar):
    def of(account, *, ratings=None):
        catalogue = bar.catalogue
        profile = profile_from_keys([catalogue.keys[SOURCE]], catalogue, ratings)
        audience = audience_of(len(catalogue))
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
    assert fact.text == f"30% of those who had {name} had this within their next ten"
    assert fact.evidence[-1].value == "6 of 20 people"


def test_where_nobody_came_soon_the_users_of_both_are_told(builder):
    [fact] = builder(PlannedAccount({"cooccurrence": 1.0}, soon=(2, 20, 30))).facts(ITEM)
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


@pytest.fixture(scope="module")
def chain():
    """Sixty people who each went through six drinks that stand next to each other."""
    generator = np.random.default_rng(0)
    many, steps, items = 60, 6, 12
    starts = np.repeat(generator.integers(items - steps, size=many), steps)
    item = (starts + np.tile(np.arange(steps), many)).astype(np.int32)
    user = np.repeat(np.arange(many), steps).astype(np.int32)
    day = np.tile(np.arange(steps, dtype=np.float64), many)
    unrated = np.full(len(item), np.nan, np.float32)
    return Interactions(user, item, unrated, moments_of(day), many, items)


def told_by_a_ranker(bar, log, kinds):
    """The deciding kinds of the best item for some histories, with the relation told first."""
    catalogue = bar.catalogue
    log = msgspec.structs.replace(log, items=len(catalogue))
    ranker = FusedRanker(RankerConfig(kinds=kinds))
    ranker.fit(log, nothing_known(log.items), seed=1)
    nodes = np.arange(log.users, dtype=np.int64)
    ranking = LearnedRanking(ranker, nodes, catalogue.node_ids, len(log), catalogue)
    audience = InteractionMatrix.from_pairs(log.user, log.item, log.users, log.items)
    for first in range(1, 9):
        mine = np.array([first, first + 1], dtype=np.int32)
        account = ranking.account(None, mine, np.full(2, np.nan, np.float32), np.arange(2.0))
        profile = profile_from_keys([catalogue.keys[one] for one in mine], catalogue)
        told = DecidingReasonBuilder("ana", profile, catalogue, audience, account)
        scores = account.scores.copy()
        scores[mine] = -np.inf
        best = int(scores.argmax())
        deciding = [kind for kind, _ in told.deciding_kinds(best)]
        parts = account.contributions(best)
        assert sum(part.amount for part in parts) == pytest.approx(scores[best], abs=1e-3)
        yield deciding, relations(told.facts(best))


@pytest.mark.parametrize("kind", ["item-knn", "user-knn", "memory", "popularity", "odds"])
def test_a_ranker_of_one_kind_tells_that_kind(bar, chain, kind):
    for deciding, told in told_by_a_ranker(bar, chain, (kind,)):
        assert deciding == [kind]
        assert told == [RELATION[kind]]


def test_a_ranker_of_several_kinds_tells_the_one_with_the_largest_part(bar, chain):
    found = list(told_by_a_ranker(bar, chain, ("popularity", "cooccurrence", "user-knn", "odds")))
    assert any(deciding[0] == "cooccurrence" for deciding, _ in found)
    for deciding, told in found:
        assert told[0] == RELATION[deciding[0]]
