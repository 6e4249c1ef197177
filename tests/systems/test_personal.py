"""Lists and rankings on planted drinks whose likes are known: what counts, and what is said."""

import numpy as np
import pytest

from localrec.data.questions import RankRequest
from localrec.data.rows import Event
from localrec.graph.interactions import load_user_history, store_feedback, user_node
from localrec.graph.user_profile import profile_from_history, profile_from_keys
from localrec.index.interaction_cache import open_interaction_matrix
from localrec.ranking.configs import RANKERS
from localrec.systems.auto import EvidenceRecommender
from tests.planted import planted_stages, planted_store

CROWD = 12


@pytest.fixture(scope="module")
def crowd(tmp_path_factory):
    """The planted bar: twelve people like the first two drinks, twelve the third and fourth."""
    folder = tmp_path_factory.mktemp("crowd")
    with planted_store(folder) as store:
        stages = planted_stages(store, folder / "indexes")
        for number in range(2 * CROWD):
            for place in (0, 1) if number < CROWD else (2, 3):
                item = int(stages.catalogue.node_ids[place])
                store_feedback(store, "cocktails", f"p{number}", item, Event.LIKED)
        audience = open_interaction_matrix(store, folder / "indexes", stages.catalogue)
        yield store, stages, audience


@pytest.fixture
def ranker(crowd):
    _, stages, audience = crowd

    def named(name="auto"):
        field = stages.fields.get("description")
        return EvidenceRecommender(stages.catalogue, audience, field, RANKERS[name])

    return named


@pytest.fixture
def keys(crowd):
    return crowd[1].catalogue.keys


@pytest.fixture
def user_profile(crowd):
    def of(*liked, ratings=None):
        return profile_from_keys(liked, crowd[1].catalogue, ratings)

    return of


class TestAList:
    def test_names_the_people_who_liked_both(self, ranker, user_profile, keys, crowd):
        first = ranker("neighbours").recommend("anna", user_profile(keys[0]), 1).items[0]
        assert first.key == keys[1]
        liked = crowd[1].catalogue.names[0]
        assert first.reason.startswith(f"100% of those who liked {liked} liked this too, 50%")
        assert [edge.value for edge in first.evidence if edge.relation == "LIKED_WITH"] == [
            f"{CROWD} of {CROWD} people"
        ]

    def test_for_a_stranger_is_popularity(self, ranker, user_profile, keys):
        found = ranker().recommend("anna", user_profile(), 4)
        assert {item.key for item in found.items} == set(keys[:4])
        assert found.answered_by == {
            "popularity": "measured",
            "neighbours": "silent",
            "attributes": "silent",
            "nearness": "silent",
        }

    @pytest.mark.parametrize("name", sorted(RANKERS))
    def test_says_which_evidence_spoke_and_never_more(self, ranker, user_profile, keys, name):
        found = ranker(name).recommend("anna", user_profile(keys[0]), 3)
        for kind, config in (("popularity", "popularity"), ("attributes", "attributes")):
            assert (found.answered_by[kind] == "measured") == getattr(RANKERS[name], config)

    def test_keeps_to_its_pool(self, ranker, user_profile, crowd):
        catalogue = crowd[1].catalogue
        pool = catalogue.none()
        pool[[1, 5]] = True
        found = ranker().recommend("anna", user_profile(catalogue.keys[0]), 10, pool)
        assert {item.key for item in found.items} == {catalogue.keys[1], catalogue.keys[5]}

    def test_carries_the_person_s_key_cleaned(self, ranker, user_profile, keys):
        found = ranker("attributes").recommend("\x1b[31manna\x1b[0m", user_profile(keys[0]), 5)
        assert found.user == "anna"
        mine = {edge.source for item in found.items for edge in item.evidence}
        assert "anna" in mine
        assert not any("\x1b" in source for source in mine)


class TestARanking:
    def test_is_the_same_from_the_store_and_from_the_request(self, ranker, crowd, keys):
        store, stages, _ = crowd
        user = user_node(store, "cocktails", "p0")
        stored = profile_from_history(load_user_history(store, user), stages.catalogue)
        candidates = tuple(keys[2:9])
        from_store = ranker().rank(RankRequest(id=1, candidates=candidates), stored)
        asked = RankRequest(id=1, candidates=candidates, history=(keys[0], keys[1]))
        assert from_store == ranker().rank(asked)

    def test_holds_each_candidate_once_however_unknown(self, ranker, keys):
        candidates = ("nowhere", *keys[:3], "\x1b[31m", "")
        told = ranker().rank(RankRequest(id="x", candidates=candidates))
        assert sorted(told.ranking) == sorted(candidates)
        assert told.ranking[3:] == ("nowhere", "\x1b[31m", "")
        assert set(told.scores) == set(keys[:3])

    def test_orders_by_its_scores(self, ranker, keys):
        asked = RankRequest(id=1, candidates=tuple(keys), history=(keys[0],))
        told = ranker().rank(asked)
        scores = [told.scores[key] for key in told.ranking]
        assert scores == sorted(scores, reverse=True)
        assert np.isfinite(scores).all()

    def test_gives_no_candidate_as_a_reason_for_itself(self, ranker, crowd, keys):
        names = crowd[1].catalogue.names
        asked = RankRequest(id=1, candidates=tuple(keys[:2]), history=tuple(keys[:2]))
        told = ranker().rank(asked)
        for place in (0, 1):
            assert names[place] not in told.rationales[keys[place]]

    def test_a_low_rating_in_the_request_overrules_the_store(self, ranker, user_profile, keys):
        candidates = tuple(keys[1:])
        liked = ranker("neighbours").rank(
            RankRequest(id=1, candidates=candidates), user_profile(keys[0])
        )
        hated = ranker("neighbours").rank(
            RankRequest(id=1, candidates=candidates, history=(keys[0],), ratings=(0.5,)),
            user_profile(keys[0]),
        )
        assert liked.scores[keys[1]] > hated.scores[keys[1]]
