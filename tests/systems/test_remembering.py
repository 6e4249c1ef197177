"""Lists and rankings with the shared memory, in a workspace of planted drinks and a crowd."""

from __future__ import annotations

import json
import re
from datetime import datetime, timedelta

import msgspec
import numpy as np
import pytest

from localrec.data.questions import RankRequest
from localrec.data.recommendations import to_json
from localrec.data.rows import Event, HistoryRows, InteractionRow
from localrec.graph.history_ingest import ingest_history
from localrec.graph.interactions import store_feedback, undo_feedback
from localrec.graph.user_profile import profile_from_keys
from localrec.memory.configs import MEMREC
from localrec.memory.loader import first_half, load_fusion_weights
from localrec.memory.memrec import DEFAULT_WEIGHTS
from localrec.privacy.erasure_plan import ForgetScope
from localrec.privacy.forget import forget
from localrec.systems.auto import EvidenceRecommender
from localrec.systems.memory_plans import PLANS
from localrec.systems.memrec import MemoryRecommender
from localrec.systems.registry import SYSTEM_REGISTRY
from localrec.workspace import OpenWorkspace
from tests.planted import BAR, a_report, planted_rows, planted_stages, planted_store

DRINKS = [row.key for row in planted_rows()]
PEOPLE = 60
KEY = "guest-of-the-bar-{}"
DAY = datetime(2024, 5, 1)


def rows(users=PEOPLE):
    """Each person goes round the bar from somewhere: four drinks next to each other, in order."""
    for number in range(users):
        for step in range(4):
            yield InteractionRow(
                user=KEY.format(number),
                item=DRINKS[(number + step) % len(DRINKS)],
                event=Event.LIKED,
                at=DAY + timedelta(days=number % 7 + step),
            )


def bar(folder, users=PEOPLE):
    with planted_store(folder) as store:
        planted_stages(store, folder / "indexes")
        crowd = tuple(rows(users))
        history = HistoryRows(items=(), interactions=crowd, report=a_report(len(crowd)))
        ingest_history(store, BAR, history, None)
    (folder / "settings.toml").write_text('embedder = "hashing"\n', encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def opened(tmp_path_factory):
    with OpenWorkspace(bar(tmp_path_factory.mktemp("home") / "bar")) as workspace:
        yield workspace


@pytest.fixture
def own(tmp_path):
    """A bar of one's own, to change."""
    return bar(tmp_path / "bar")


@pytest.fixture
def user_profile(opened):
    def of(*keys, stars=None):
        return profile_from_keys(keys, opened.context(BAR.name).catalogue, stars)

    return of


def ranker(workspace, name="memrec"):
    return SYSTEM_REGISTRY.recommender(workspace.context(BAR.name), name)


def names(found):
    return [item.key for item in found.items]


def stored(workspace, user, name="memrec", k=5):
    return ranker(workspace, name).recommend(
        user, workspace.context(BAR.name).user_profile(user), k
    )


@pytest.mark.parametrize("name", sorted(MEMREC))
class TestEverySystemWithAMemory:
    def test_lists_whatever_was_not_met_once(self, opened, user_profile, name):
        found = ranker(opened, name).recommend("ana", user_profile(*DRINKS[:3]), 100)
        assert sorted(names(found)) == sorted(DRINKS[3:])
        scores = [item.score for item in found.items]
        assert scores == sorted(scores, reverse=True)
        assert np.isfinite(scores).all()

    def test_keeps_to_its_pool(self, opened, user_profile, name):
        pool = opened.context(BAR.name).catalogue.none()
        places = [opened.context(BAR.name).catalogue.item_index(key) for key in DRINKS[:4]]
        pool[places] = True
        found = ranker(opened, name).recommend("ana", user_profile(DRINKS[0]), 10, pool)
        assert set(names(found)) == set(DRINKS[1:4])

    def test_stands_a_history_of_nothing_and_of_dislikes(self, opened, user_profile, name):
        for history in (user_profile(), user_profile(*DRINKS[:2], stars=(0.5, 1.0))):
            found = ranker(opened, name).recommend("ana", history, 3)
            assert len(found.items) == 3
            assert np.isfinite([item.score for item in found.items]).all()

    def test_ranks_each_candidate_once_and_the_unknown_last(self, opened, name):
        asked = RankRequest(id=1, candidates=("nowhere", *DRINKS[2:6]), history=(DRINKS[1],))
        told = ranker(opened, name).rank(asked)
        assert sorted(told.ranking) == sorted(asked.candidates)
        assert told.ranking[-1] == "nowhere"

    def test_says_whether_the_memory_took_part(self, opened, user_profile, name):
        found = ranker(opened, name).recommend("ana", user_profile(DRINKS[0]), 3)
        assert (found.answered_by["memory"] == "measured") == MEMREC[name].read
        assert (found.memory is not None) == MEMREC[name].read
        assert set(found.answered_by) == {*MEMREC[name].kinds, "memory"}

    def test_stands_a_bar_where_nobody_likes_anything(self, tmp_path, name):
        with OpenWorkspace(bar(tmp_path / "empty", users=0)) as workspace:
            found = stored(workspace, "ana", name)
        assert len(found.items) == 5


class TestAList:
    def test_begins_with_what_people_came_to_next(self, opened, user_profile):
        found = ranker(opened).recommend("ana", user_profile(*DRINKS[3:6]), 2)
        assert set(names(found)) == {DRINKS[2], DRINKS[6]}

    def test_moves_with_the_next_feedback_and_back_with_its_undo(self, own):
        with OpenWorkspace(own, writable=True) as workspace:
            item = int(workspace.context(BAR.name).catalogue.node_ids[0])
            key = workspace.context(BAR.name).catalogue.keys[0]
            before = stored(workspace, "ana")
            store_feedback(workspace.store, BAR.name, "ana", item, Event.LIKED)
            after = stored(workspace, "ana")
            undo_feedback(workspace.store, BAR.name, "ana")
            again = stored(workspace, "ana")
        assert key not in names(after)
        assert names(after) != names(before)
        assert names(again) == names(before)

    def test_hides_what_was_put_off_or_disliked(self, own):
        with OpenWorkspace(own, writable=True) as workspace:
            catalogue = workspace.context(BAR.name).catalogue
            for place, event in enumerate((Event.LIKED, Event.DISLIKED, Event.LATER)):
                item = int(catalogue.node_ids[place])
                store_feedback(workspace.store, BAR.name, "ana", item, event)
            found = stored(workspace, "ana", k=100)
        assert not {catalogue.keys[place] for place in range(3)} & set(names(found))

    def test_of_a_stored_person_does_not_count_them_as_their_own_neighbour(self, opened):
        user = KEY.format(0)
        memory = ranker(opened)._memory
        number = memory.user_index(user)
        assert number >= 0
        user_profile = opened.context(BAR.name).user_profile(user)
        memory_context = ranker(opened)._system.retrieve_memory(
            user_profile.items, user_profile.liked, number
        )
        users = memory_context.neighbours.index[memory_context.neighbours.is_user]
        assert number not in users.tolist()

    def test_names_no_other_person_anywhere(self, opened, user_profile):
        told = b"".join(
            to_json(stored(opened, user, name, 100))
            for user in ("ana", KEY.format(0))
            for name in (*MEMREC, "auto-memory")
        )
        asked = RankRequest(id=1, candidates=tuple(DRINKS), history=tuple(DRINKS[:2]))
        told += to_json(ranker(opened).rank(asked))
        assert set(re.findall(KEY.format(r"(\d+)").encode(), told)) == {b"0"}

    def test_shows_neighbours_as_numbers_and_what_they_share(self, opened, user_profile):
        memory = ranker(opened).recommend("ana", user_profile(*DRINKS[3:6]), 1).memory
        many = sum(memory.neighbours.values())
        assert set(memory.neighbours) == {"people", "items"}
        assert 0 < many <= MEMREC["memrec"].neighbours
        assert memory.facets
        for facet in memory.facets:
            assert 0 < facet.confidence <= 1
            assert set(facet.supporters) <= set(range(1, many + 1))


class TestAutoWithMemory:
    def test_ranks_candidates_by_memory_and_says_so(self, opened):
        asked = RankRequest(id=1, candidates=tuple(DRINKS[6:12]), history=tuple(DRINKS[3:6]))
        told = ranker(opened, "auto-memory").rank(asked)
        assert told.answered_by == {"memory": "measured"}
        assert told == ranker(opened, "memrec").rank(asked)
        assert told.ranking[0] == DRINKS[6]

    def test_makes_lists_as_without_memory(self, opened, user_profile):
        with_memory = ranker(opened, "auto-memory").recommend("ana", user_profile(*DRINKS[:3]), 5)
        without = ranker(opened, "auto").recommend("ana", user_profile(*DRINKS[:3]), 5)
        assert with_memory.items == without.items
        assert (with_memory.answered_by["memory"], with_memory.memory) == ("silent", None)

    def test_ranks_as_without_memory_where_nothing_is_liked(self, opened):
        asked = RankRequest(id=1, candidates=tuple(DRINKS))
        told = ranker(opened, "auto-memory").rank(asked)
        assert told == ranker(opened, "auto").rank(asked)
        assert told.answered_by == {}

    def test_learns_nothing_from_a_handful_of_people(self, tmp_path):
        few = PLANS["auto-memory"].min_users - 1
        with OpenWorkspace(bar(tmp_path / "quiet", users=few)) as workspace:
            assert type(ranker(workspace, "auto-memory")) is EvidenceRecommender
            assert type(ranker(workspace, "memrec")) is MemoryRecommender

    def test_opens_no_memory_for_a_list(self, own):
        with OpenWorkspace(own) as workspace:
            stored(workspace, KEY.format(0), "auto-memory")
        assert not list((own / "indexes").glob("companions-*"))


def test_the_default_needs_no_memory(opened):
    assert not isinstance(ranker(opened, "auto"), MemoryRecommender)


class TestWeights:
    def test_are_fitted_once_and_kept(self, own):
        with OpenWorkspace(own) as workspace:
            collaborative_memory = workspace.context(BAR.name).collaborative_memory
            folder = own / "indexes"
            fitted = load_fusion_weights(folder, BAR.name, collaborative_memory, MEMREC["memrec"])
            files = sorted(folder.glob("weights-*"))
            kept = load_fusion_weights(folder, BAR.name, collaborative_memory, MEMREC["memrec"])
        assert fitted == kept
        assert fitted.cases == PEOPLE
        assert files == sorted(folder.glob("weights-*")) != []

    def test_of_few_people_are_the_usual_ones(self, tmp_path):
        with OpenWorkspace(bar(tmp_path / "quiet", users=20)) as workspace:
            assert ranker(workspace)._memory.weights.weights == DEFAULT_WEIGHTS.weights

    def test_are_fitted_anew_when_the_rules_change(self, own):
        with OpenWorkspace(own) as workspace:
            collaborative_memory = workspace.context(BAR.name).collaborative_memory
            folder = own / "indexes"
            load_fusion_weights(folder, BAR.name, collaborative_memory, MEMREC["memrec"])
            before = set(folder.glob("weights-*.npy"))
            unruled = msgspec.structs.replace(collaborative_memory, rules=None)
            load_fusion_weights(folder, BAR.name, unruled, MEMREC["memrec"])
        assert not before & set(folder.glob("weights-*.npy"))


def test_half_way_each_person_has_the_first_half_of_their_likings(opened):
    early = first_half(opened.context(BAR.name).collaborative_memory)
    whole = opened.context(BAR.name).collaborative_memory.graph
    assert early.graph.matrix.user_likes.tolist() == [2] * PEOPLE
    for user in range(PEOPLE):
        assert set(early.graph.matrix.items_of(user)) == set(whole.matrix.newest_items(user, 4)[2:])


def test_a_forgotten_person_is_in_no_memory_that_is_made_anew(own):
    with OpenWorkspace(own) as workspace:
        stored(workspace, KEY.format(0))
    caches = ("companions-*", "weights-*", "profiles-*", "audience-*")
    assert all(list((own / "indexes").glob(pattern)) for pattern in caches)
    forget(own, ForgetScope(user=KEY.format(0)), dry_run=False, progress=lambda *_: None)
    assert not any(list((own / "indexes").glob(pattern)) for pattern in caches)
    with OpenWorkspace(own) as workspace:
        assert (
            workspace.context(BAR.name).collaborative_memory.graph.matrix.user_count == PEOPLE - 1
        )


def test_the_view_is_plain_json(opened, user_profile):
    found = ranker(opened).recommend("ana", user_profile(*DRINKS[3:6]), 1)
    told = json.loads(to_json(found))["memory"]
    assert set(told) == {"neighbours", "facets"}
    assert set(told["facets"][0]) == {"text", "confidence", "supporters"}
