"""The four kinds of evidence against plain formulas, and what they do to a list."""

from __future__ import annotations

import math
from datetime import datetime, timedelta

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from localrec.data.interaction_matrix import InteractionMatrix
from localrec.data.rows import Event, HistoryRows, InteractionRow
from localrec.graph.catalogue import Catalogue
from localrec.graph.history_ingest import ingest_history
from localrec.graph.interactions import load_user_history, store_feedback, undo_feedback, user_node
from localrec.graph.store import Store
from localrec.graph.user_profile import UserProfile, profile_from_history, profile_from_keys
from localrec.index.interaction_cache import open_interaction_matrix
from localrec.ranking import preference_features
from localrec.ranking.configs import RANKERS
from localrec.systems.auto import EvidenceRecommender
from tests.planted import BAR, a_report, planted_stages, planted_store

# Two circles of friends who like different drinks, and a favourite of all.
BITTER, LONG = ("negroni", "boulevardier", "americano"), ("mojito", "limeade", "orchard")
CROWD = [(f"b{n}", key) for n in range(8) for key in (*BITTER, "gimlet")] + [
    (f"l{n}", key) for n in range(8) for key in (*LONG, "gimlet")
]


def audience_of(items, pairs):
    """The audience of planted pairs (person, item), without a store."""
    users = sorted({one for one, _ in pairs})
    numbers = np.array(sorted(pairs), dtype=np.int32).reshape(-1, 2)
    user = np.searchsorted(users, numbers[:, 0]).astype(np.int32)
    return InteractionMatrix.from_pairs(user, numbers[:, 1], len(users), items)


PAIRS = st.sets(st.tuples(st.integers(0, 9), st.integers(0, 5)), max_size=40)


class TestLift:
    @settings(deadline=None)
    @given(pairs=PAIRS)
    def test_is_the_rise_of_the_log_odds_smoothed_by_five_people(self, pairs):
        audience = audience_of(6, pairs)
        fans = [{user for user, item in pairs if item == one} for one in range(6)]
        for one in range(6):
            lifted = preference_features.lift(audience, one)
            share = (len(fans[one]) + 1) / (audience.user_count + 2)
            for other in range(6):
                both = len(fans[one] & fans[other])
                given_other = (both + 5 * share) / (len(fans[other]) + 5)
                assert lifted[other] == pytest.approx(math.log(given_other / share), abs=1e-5)

    def test_may_be_asked_for_a_few(self):
        audience = audience_of(6, {(user, item) for user in range(9) for item in range(6)})
        few = np.array([4, 1], dtype=np.int32)
        assert preference_features.lift(audience, 2, few) == pytest.approx(
            preference_features.lift(audience, 2)[few]
        )

    def test_is_the_same_both_ways_where_there_are_many_people(self):
        random = np.random.default_rng(0)
        likes = random.random((900, 4)) < (0.6, 0.3, 0.6, 0.3)
        pairs = {(int(user), int(item)) for user, item in np.argwhere(likes)}
        pairs |= {(n, 1) for n in range(0, 900, 2)} | {(n, 3) for n in range(0, 900, 2)}
        audience = audience_of(4, pairs)
        for one in range(4):
            for other in range(4):
                there = preference_features.lift(audience, one)[other]
                back = preference_features.lift(audience, other)[one]
                assert there == pytest.approx(back, abs=0.02)
        assert preference_features.lift(audience, 1)[3] > 0.1

    def test_knows_friends_from_strangers(self):
        pairs = {(n, i) for n in range(20) for i in ((0, 1) if n < 10 else (2, 3))}
        lifted = preference_features.lift(audience_of(4, pairs), 0)
        assert lifted[1] > 0.3 > -0.3 > lifted[2]


class TestNeighbours:
    def test_of_a_long_history_do_not_shout(self):
        audience = audience_of(6, {(n, i) for n in range(30) for i in range(6) if (n + i) % 3})
        bound = max(abs(preference_features.lift(audience, one)).max() for one in range(6))
        catalogue = FakeCatalogue(6)
        scores = preference_features.cooccurrence_scores(
            profile_from_keys("abcdef", catalogue), audience
        )
        assert abs(scores).max() <= 3.0 * bound + 1e-6

    def test_of_nothing_liked_say_nothing(self):
        audience = audience_of(6, {(1, 2), (1, 3)})
        for user_profile in (
            profile_from_keys((), FakeCatalogue(6)),
            profile_from_keys("ab", FakeCatalogue(6), [0.5, 2.5]),
        ):
            assert (
                preference_features.cooccurrence_scores(user_profile, audience).tolist()
                == [0.0] * 6
            )

    def test_are_asked_of_the_strongest_fifty_newest_first(self):
        many = FakeCatalogue(200)
        stars = [5.0 if n % 2 else 4.0 for n in range(200)]
        user_profile = profile_from_keys(many.keys, many, stars)
        assert preference_features.strongest_likes(user_profile).tolist() == list(
            range(199, 99, -2)
        )

    def test_of_an_audience_of_nobody_say_nothing(self):
        nobody = audience_of(3, set())
        user_profile = profile_from_keys("ab", FakeCatalogue(3))
        assert preference_features.cooccurrence_scores(user_profile, nobody) == pytest.approx(
            [0.0, 0.0, 0.0]
        )
        assert preference_features.popularity_scores(nobody).tolist() == [0.0, 0.0, 0.0]


class FakeCatalogue:
    """As much of a catalogue as a history of keys needs."""

    def __init__(self, count):
        self.keys = [chr(97 + n) if count <= 26 else str(n) for n in range(count)]

    def item_index(self, key):
        return self.keys.index(key)

    def none(self):
        return np.zeros(len(self.keys), dtype=bool)


class Person:
    """Somebody in a bar with a crowd, and the list they get."""

    def __init__(self, store, folder, ranker="auto"):
        self.store = store
        stages = planted_stages(store, folder)
        self.catalogue = stages.catalogue
        self.audience = open_interaction_matrix(store, folder, self.catalogue)
        field = stages.fields["description"]
        self.personal = EvidenceRecommender(self.catalogue, self.audience, field, RANKERS[ranker])

    def node(self, key):
        return int(self.catalogue.node_ids[self.catalogue.item_index(key)])

    def say(self, key, event, rating=None):
        store_feedback(self.store, BAR.name, "ana", self.node(key), event, rating=rating)

    @property
    def user_profile(self):
        user = user_node(self.store, BAR.name, "ana")
        if user is None:
            return profile_from_keys((), self.catalogue)
        return profile_from_history(load_user_history(self.store, user), self.catalogue)

    def list(self, k=17):
        return [one.key for one in self.personal.recommend("ana", self.user_profile, k).items]

    def scores(self):
        fit = self.personal.score_items("ana", self.user_profile)
        return dict(zip(self.catalogue.keys, fit.scores.tolist(), strict=True))


@pytest.fixture
def ana(tmp_path):
    with planted_store(tmp_path) as store:
        rows = [InteractionRow(user=u, item=i, event=Event.RATED, rating=5.0) for u, i in CROWD]
        told = HistoryRows(items=(), interactions=tuple(rows), report=a_report(len(rows)))
        ingest_history(store, BAR, told, None)
        yield Person(store, tmp_path / "indexes")


class TestAList:
    def test_for_a_stranger_is_what_most_people_like(self, ana):
        assert ana.list()[0] == "gimlet"
        assert set(ana.list()[1:7]) == {*BITTER, *LONG}
        assert len(ana.list()) == 17

    @pytest.mark.parametrize(("said", "kin", "others"), [("negroni", BITTER, LONG)])
    def test_is_led_by_what_is_like_what_was_just_liked(self, ana, said, kin, others):
        before = ana.scores()
        ana.say(said, Event.LIKED)
        after = ana.scores()
        for key in kin:
            assert after[key] > before[key]
        for key in others:
            assert after[key] < before[key]
        places = [ana.list().index(key) for key in kin if key != said]
        assert max(places) < min(ana.list().index(key) for key in others)

    def test_moves_what_is_like_a_disliked_item_down(self, ana):
        before = ana.scores()
        ana.say("negroni", Event.DISLIKED)
        fallen = {key: before[key] - after for key, after in ana.scores().items()}
        kin = ("boulevardier", "americano")
        assert min(fallen[key] for key in kin) > 0.05
        others = [key for key in fallen if key not in (*kin, "negroni")]
        assert min(fallen[key] for key in kin) > max(fallen[key] for key in others)
        assert ana.list().index("limeade") < ana.list().index("americano")

    @pytest.mark.parametrize(
        ("event", "rating"),
        [(Event.DISLIKED, None), (Event.RATED, 0.5), (Event.LIKED, None), (Event.SEEN, None)],
    )
    def test_never_shows_again_what_was_judged_or_had(self, ana, event, rating):
        ana.say("gimlet", event, rating)
        assert "gimlet" not in ana.list()
        ana.say("gimlet", Event.LATER)
        assert "gimlet" not in ana.list()

    def test_shows_what_was_wanted(self, ana):
        ana.say("peat-bog", Event.WANTED)
        assert "peat-bog" in ana.list()

    def test_shows_what_was_put_off_after_thirty_days(self, ana):
        ana.say("gimlet", Event.LATER)
        assert "gimlet" not in ana.list()
        old = datetime.now() - timedelta(days=32)
        ana.store.execute("UPDATE interaction SET \"at\" = ? WHERE event = 'later'", [old])
        assert ana.list()[0] == "gimlet"

    def test_is_what_it_was_after_undo(self, ana):
        ana.say("mojito", Event.LIKED)
        before = ana.scores()
        ana.say("negroni", Event.RATED, 0.5)
        assert ana.scores() != before
        undo_feedback(ana.store, BAR.name, "ana")
        assert ana.scores() == before

    @pytest.mark.parametrize("stars", [4.0, 4.5, 5.0])
    def test_rises_with_the_stars(self, ana, stars):
        ana.say("negroni", Event.RATED, stars - 0.5)
        weaker = ana.scores()["boulevardier"]
        ana.say("negroni", Event.RATED, stars)
        assert ana.scores()["boulevardier"] > weaker

    @pytest.mark.parametrize("ranker", sorted(RANKERS))
    def test_is_whole_with_any_kinds_of_evidence(self, ana, tmp_path, ranker):
        ana.say("negroni", Event.LIKED)
        other = Person(ana.store, tmp_path / "others", ranker)
        assert sorted([*other.list(), "negroni"]) == sorted(ana.catalogue.keys)
        assert all(np.isfinite(one) for one in other.scores().values())

    def test_of_somebody_who_met_everything_is_empty(self, ana):
        user_profile = profile_from_keys(ana.catalogue.keys, ana.catalogue)
        assert ana.personal.recommend("ana", user_profile, 5).items == ()

    def test_leaves_interactions_in_another_domain_alone(self, ana):
        films = msgspec.structs.replace(BAR, name="films")
        ana.store.execute(
            "INSERT INTO node VALUES (nextval('node_ids'), 'films', 'cocktail', 'heat', 'Heat', "
            "'{}')"
        )
        before = ana.scores()
        row = InteractionRow(user="ana", item="heat", event=Event.LIKED)
        told = HistoryRows(items=(), interactions=(row,), report=a_report(1))
        ingest_history(ana.store, films, told, "ana")
        assert ana.scores() == before


class TestNearnessAndAttributes:
    def test_of_disliked_things_point_away(self, ana):
        catalogue = ana.catalogue
        liked = profile_from_keys(["negroni"], catalogue, [5.0])
        hated = profile_from_keys(["negroni"], catalogue, [0.5])
        field = ana.personal._field
        for part in (
            lambda user_profile: preference_features.content_similarity(
                user_profile, catalogue, field
            ),
            lambda user_profile: preference_features.attribute_scores(user_profile, catalogue),
        ):
            assert part(hated) == pytest.approx(-part(liked), abs=1e-6)
            assert part(liked)[catalogue.item_index("boulevardier")] > 0

    def test_of_nobody_are_nothing(self, ana):
        nobody = profile_from_keys((), ana.catalogue)
        assert not preference_features.content_similarity(
            nobody, ana.catalogue, ana.personal._field
        ).any()
        assert not preference_features.attribute_scores(nobody, ana.catalogue).any()

    def test_are_the_cosine_to_a_single_item(self, ana):
        catalogue, field = ana.catalogue, ana.personal._field
        scores = preference_features.content_similarity(
            profile_from_keys(["negroni"], catalogue), catalogue, field
        )
        mine = catalogue.item_index("negroni")
        matrix = field.exact.matrix
        rows = [int(np.searchsorted(field.node_ids, node)) for node in catalogue.node_ids]
        cosines = matrix[rows] @ matrix[rows[mine]]
        assert scores == pytest.approx(0.3 * cosines / 3.0, abs=1e-6)


def test_an_empty_catalogue_gives_an_empty_list(tmp_path):
    with Store.open_(tmp_path / "store.duckdb") as store:
        catalogue = Catalogue(store, BAR)
        audience = open_interaction_matrix(store, tmp_path / "indexes", catalogue)
        ranker = EvidenceRecommender(catalogue, audience, None, RANKERS["auto"])
        assert ranker.recommend("ana", profile_from_keys((), catalogue), 5).items == ()


class TestAProfileOfAHistory:
    def test_likes_what_has_no_stars_and_knows_all_of_it(self):
        profile = UserProfile.from_history(np.array([4, 1], dtype=np.int32), 6)
        assert profile.strengths.tolist() == [1.0, 1.0]
        assert np.flatnonzero(profile.known).tolist() == [1, 4]
        assert not profile.hidden.any()

    def test_takes_stars_from_both_ends_of_the_scale(self):
        stars = np.array([5.0, 0.5, np.nan], dtype=np.float32)
        profile = UserProfile.from_history(np.array([4, 1, 0], dtype=np.int32), 6, stars)
        assert profile.strengths.tolist() == [1.0, -1.0, 1.0]
        assert profile.liked.tolist() == [1.0, 0.0, 1.0]
