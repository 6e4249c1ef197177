"""Lists for several users, with variety, with wanted items first, and of items nobody liked."""

import msgspec
import numpy as np
import pytest

from localrec.data.rows import Event
from localrec.graph.interactions import store_feedback
from localrec.ranking.configs import RANKERS
from localrec.ranking.diversity import diversify
from localrec.systems.auto import EvidenceRecommender, evidence_parts
from localrec.systems.learned import learned_recommender
from localrec.systems.list_choice import ListOptions, best_items, combine_scores
from tests.planted import planted_stages, planted_store

CROWD = 12
SAID = {
    "anna": {"negroni": Event.LIKED, "gimlet": Event.DISLIKED, "mojito": Event.WANTED},
    "bob": {"daiquiri": Event.LIKED, "gin-buck": Event.LATER, "boulevardier": Event.SEEN},
}


@pytest.fixture(scope="module")
def bar(tmp_path_factory):
    """The planted bar with two users who said something, and a crowd that likes the first two."""
    folder = tmp_path_factory.mktemp("choice")
    with planted_store(folder) as store:
        context = planted_stages(store, folder / "indexes")
        catalogue = context.catalogue
        for user, said in SAID.items():
            for key, event in said.items():
                item = catalogue.item_index(key)
                store_feedback(store, "cocktails", user, int(catalogue.node_ids[item]), event)
        for number in range(CROWD):
            for item in catalogue.node_ids[:2].tolist():
                store_feedback(store, "cocktails", f"p{number}", item, Event.LIKED)
        yield context


@pytest.fixture
def recommender(bar):
    return EvidenceRecommender(*evidence_parts(bar, RANKERS["auto"]))


@pytest.fixture
def listed(bar, recommender):
    def recommend(*users, k=5, **options):
        profiles = {user: bar.user_profile(user) for user in users}
        return recommender.recommend_chosen(profiles, k, ListOptions(**options))

    return recommend


def keys(found):
    return [item.key for item in found.items]


class TestSeveralUsers:
    @pytest.mark.parametrize("rule", ["average", "least-misery"])
    def test_get_nothing_that_one_of_them_met_or_bars(self, listed, rule, bar):
        told = keys(listed("anna", "bob", k=1000, fair=rule))
        excluded = {"negroni", "gimlet", "daiquiri", "gin-buck", "boulevardier"}
        assert set(told) == set(bar.catalogue.keys) - excluded
        assert len(told) == len(set(told))

    def test_are_named_in_the_list_and_one_is_not(self, listed):
        assert listed("anna", "bob").users == ("anna", "bob")
        assert b'"users"' not in msgspec.json.encode(listed("anna"))

    def test_read_with_whose_history_each_reason_counts(self, listed):
        told = listed("anna", "bob", k=1000).items
        for item in told:
            for user in ("anna", "bob"):
                mine = any(edge.source == user for edge in item.evidence)
                assert (f"With the history of {user}: " in item.reason) == mine
        assert any("history of anna" in one.reason for one in told)
        assert any("history of bob" in one.reason for one in told)

    def test_read_no_name_where_no_history_counts(self, listed, bar):
        told = {item.key: item.reason for item in listed("anna", "zoe", k=1000).items}
        assert "With the history of anna: " in told["boulevardier"]
        assert not any("zoe" in reason for reason in told.values())

    def test_say_by_which_rule(self, listed):
        assert listed("anna", "bob", fair="least-misery").answered_by["together"] == "least-misery"

    def test_each_count_alike_however_far_their_scores_lie_apart(self):
        fresh = np.ones(3, dtype=bool)
        calm = np.array([3.0, 2.0, 1.0], dtype=np.float32)
        loud = np.array([100.0, 300.0, 200.0], dtype=np.float32)
        both = combine_scores([calm, loud], fresh, "average")
        assert np.allclose(both, combine_scores([calm, loud / 100], fresh, "average"), atol=1e-5)
        assert int(np.argmax(both)) == 1

    def test_of_least_misery_avoid_what_one_likes_least(self):
        fresh = np.ones(4, dtype=bool)
        one = np.array([10.0, 5.0, 1.0, 1.0], dtype=np.float32)
        other = np.array([1.0, 5.0, 10.0, 1.0], dtype=np.float32)
        assert int(np.argmax(combine_scores([one, other], fresh, "average"))) == 0
        assert int(np.argmax(combine_scores([one, other], fresh, "least-misery"))) == 1

    def test_leave_out_of_the_scale_what_cannot_be_listed(self):
        fresh = np.array([True, True, False])
        scores = [np.array([1.0, 2.0, 1e6], dtype=np.float32)] * 2
        assert combine_scores(scores, fresh, "average").tolist() == [-1.0, 1.0, -np.inf]


class TestVariety:
    def test_takes_the_unlike_before_the_alike(self):
        alike = np.array([[1, 1, 0], [1, 1, 0], [0, 0, 1]], dtype=np.float32)
        scores = np.array([1.0, 0.9, 0.5], dtype=np.float32)
        assert diversify(scores, alike.__getitem__, 2, 0.0) == [0, 1]
        assert diversify(scores, alike.__getitem__, 2, 0.6) == [0, 2]

    def test_changes_a_list_but_not_its_first_item_and_repeats_nothing(self, listed):
        plain, varied = keys(listed("anna", k=4)), keys(listed("anna", k=4, diverse=0.8))
        assert plain[0] == varied[0]
        assert plain != varied
        assert len(set(varied)) == 4

    def test_switched_off_is_the_list_of_today(self, bar, recommender, listed):
        today = recommender.recommend("anna", bar.user_profile("anna"), 5)
        chosen = listed("anna")
        assert msgspec.structs.replace(chosen, timings_ms={}) == msgspec.structs.replace(
            today, timings_ms={}
        )


class TestWantedItems:
    def test_come_first_and_are_marked_when_asked_for(self, listed):
        first, *others = listed("anna", wanted=True).items
        assert first.key == "mojito"
        assert first.reason.startswith("It is on the want-to list of anna.")
        assert ("anna", "WANTED") in {(edge.source, edge.relation) for edge in first.evidence}
        assert not any("want-to" in item.reason for item in others)

    def test_come_first_with_variety_and_for_several_too(self, listed):
        assert keys(listed("bob", "anna", wanted=True, diverse=0.9))[0] == "mojito"

    def test_are_not_offered_once_met(self, bar, listed):
        catalogue = bar.catalogue
        node = int(catalogue.node_ids[catalogue.item_index("mojito")])
        for event in (Event.WANTED, Event.SEEN):
            store_feedback(bar.store, "cocktails", "carla", node, event)
        assert "mojito" not in keys(listed("carla", k=1000, wanted=True))

    def test_stand_where_their_score_puts_them_when_not_asked_for(self, bar, listed):
        profile = bar.user_profile("anna")
        assert profile.wanted is not None
        assert [bar.catalogue.keys[item] for item in np.flatnonzero(profile.wanted)] == ["mojito"]
        assert not any("want-to" in item.reason for item in listed("anna", k=1000).items)


class TestColdItems:
    def test_that_share_attributes_with_liked_ones_rank_above_those_that_do_not(self, bar, listed):
        told = keys(listed("anna", k=1000))
        liked = {name for name, said in SAID["anna"].items() if said is Event.LIKED}
        likes = bar.interactions.likes
        catalogue = bar.catalogue
        theirs = set(catalogue.components_of(catalogue.item_index(*liked)).tolist())
        cold = [key for key in told if not likes[catalogue.item_index(key)]]
        shared = {
            key: len(theirs & set(catalogue.components_of(catalogue.item_index(key)).tolist()))
            for key in cold
        }
        assert shared["americano"] >= 2
        without = [key for key in cold if not shared[key]]
        assert without
        assert all(told.index("americano") < told.index(key) for key in without)

    def test_never_come_back_once_met_by_any_default(self, bar, recommender):
        ranker = learned_recommender(bar, recommender)
        profile = bar.user_profile("bob")
        told = keys(ranker.recommend("bob", profile, 1000))
        assert not {"daiquiri", "gin-buck", "boulevardier"} & set(told)
        assert set(told) == set(bar.catalogue.keys) - {"daiquiri", "gin-buck", "boulevardier"}


@pytest.mark.parametrize("k", [0, 1, 7, 50])
@pytest.mark.parametrize("wanted", [None, 0.1, 1.0])
def test_the_best_items_are_those_of_sorting_all_of_them(k, wanted):
    random = np.random.default_rng(4)
    scores = random.integers(6, size=50).astype(np.float32)  # many are equal
    scores[::9] = -np.inf
    fresh = random.random(50) < 0.8
    first = None if wanted is None else random.random(50) < wanted
    items = np.flatnonzero(fresh)
    after = np.zeros(len(items)) if first is None else ~first[items]
    expected = items[np.lexsort((-scores[items], after))[:k]].tolist()
    assert best_items(scores, fresh, k, first) == expected
