"""Lists and rankings with the shared memory, in a workspace of planted drinks and a crowd."""

from __future__ import annotations

import json
import re
from datetime import datetime, timedelta

import msgspec
import numpy as np
import pytest

from localrec.erasure.forgetting import forget
from localrec.graph.forget import Wish
from localrec.graph.histories import ingest_history
from localrec.graph.people import give_feedback, undo_feedback
from localrec.retrieval.taste import taste_of_keys
from localrec.systems.catalog import ranker_plan
from localrec.systems.lists import half_way, open_weights
from localrec.systems.memrec import MEMREC, USUAL_WEIGHTS
from localrec.systems.personal import Personal, RankRequest
from localrec.systems.remembering import Remembering
from localrec.types import Event, History, InteractionRow, to_json
from localrec.workspace import Workspace
from tests.planted import BAR, a_report, planted_rows, planted_stages, planted_store

DRINKS = [row.key for row in planted_rows()]
PEOPLE = 60
KEY = "guest-of-the-bar-{}"
DAY = datetime(2024, 5, 1)


def rows(people=PEOPLE):
    """Each person goes round the bar from somewhere: four drinks next to each other, in order."""
    for number in range(people):
        for step in range(4):
            yield InteractionRow(
                user=KEY.format(number),
                item=DRINKS[(number + step) % len(DRINKS)],
                event=Event.LIKED,
                at=DAY + timedelta(days=number % 7 + step),
            )


def bar(folder, people=PEOPLE):
    with planted_store(folder) as store:
        planted_stages(store, folder / "indexes")
        crowd = tuple(rows(people))
        history = History(items=(), interactions=crowd, report=a_report(len(crowd)))
        ingest_history(store, BAR, history, None)
    (folder / "settings.toml").write_text('embedder = "hashing"\n', encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def opened(tmp_path_factory):
    with Workspace(bar(tmp_path_factory.mktemp("home") / "bar")) as workspace:
        yield workspace


@pytest.fixture
def own(tmp_path):
    """A bar of one's own, to change."""
    return bar(tmp_path / "bar")


@pytest.fixture
def taste(opened):
    def of(*keys, stars=None):
        return taste_of_keys(keys, opened.catalogue(BAR.name), stars)

    return of


def ranker(workspace, name="memrec"):
    return workspace.personal(BAR.name, name)


def names(found):
    return [item.key for item in found.items]


def stored(workspace, user, name="memrec", k=5):
    return ranker(workspace, name).recommend(user, workspace.taste(BAR.name, user), k)


@pytest.mark.parametrize("name", sorted(MEMREC))
class TestEverySystemWithAMemory:
    def test_lists_whatever_was_not_met_once(self, opened, taste, name):
        found = ranker(opened, name).recommend("ana", taste(*DRINKS[:3]), 100)
        assert sorted(names(found)) == sorted(DRINKS[3:])
        scores = [item.score for item in found.items]
        assert scores == sorted(scores, reverse=True)
        assert np.isfinite(scores).all()

    def test_keeps_to_its_pool(self, opened, taste, name):
        pool = opened.catalogue(BAR.name).none()
        places = [opened.catalogue(BAR.name).item_index(key) for key in DRINKS[:4]]
        pool[places] = True
        found = ranker(opened, name).recommend("ana", taste(DRINKS[0]), 10, pool)
        assert set(names(found)) == set(DRINKS[1:4])

    def test_stands_a_history_of_nothing_and_of_dislikes(self, opened, taste, name):
        for history in (taste(), taste(*DRINKS[:2], stars=(0.5, 1.0))):
            found = ranker(opened, name).recommend("ana", history, 3)
            assert len(found.items) == 3
            assert np.isfinite([item.score for item in found.items]).all()

    def test_ranks_each_candidate_once_and_the_unknown_last(self, opened, name):
        asked = RankRequest(id=1, candidates=("nowhere", *DRINKS[2:6]), history=(DRINKS[1],))
        told = ranker(opened, name).rank(asked)
        assert sorted(told.ranking) == sorted(asked.candidates)
        assert told.ranking[-1] == "nowhere"

    def test_says_whether_the_memory_took_part(self, opened, taste, name):
        found = ranker(opened, name).recommend("ana", taste(DRINKS[0]), 3)
        assert (found.spoke["memory"] == "measured") == MEMREC[name].read
        assert (found.memory is not None) == MEMREC[name].read
        assert set(found.spoke) == {*MEMREC[name].kinds, "memory"}

    def test_stands_a_bar_where_nobody_likes_anything(self, tmp_path, name):
        with Workspace(bar(tmp_path / "empty", people=0)) as workspace:
            found = stored(workspace, "ana", name)
        assert len(found.items) == 5


class TestAList:
    def test_begins_with_what_people_came_to_next(self, opened, taste):
        found = ranker(opened).recommend("ana", taste(*DRINKS[3:6]), 2)
        assert set(names(found)) == {DRINKS[2], DRINKS[6]}

    def test_moves_with_the_next_feedback_and_back_with_its_undo(self, own):
        with Workspace(own, writable=True) as workspace:
            item = int(workspace.catalogue(BAR.name).node_ids[0])
            key = workspace.catalogue(BAR.name).keys[0]
            before = stored(workspace, "ana")
            give_feedback(workspace.store, BAR.name, "ana", item, Event.LIKED)
            after = stored(workspace, "ana")
            undo_feedback(workspace.store, BAR.name, "ana")
            again = stored(workspace, "ana")
        assert key not in names(after)
        assert names(after) != names(before)
        assert names(again) == names(before)

    def test_hides_what_was_put_off_or_disliked(self, own):
        with Workspace(own, writable=True) as workspace:
            catalogue = workspace.catalogue(BAR.name)
            for place, event in enumerate((Event.LIKED, Event.DISLIKED, Event.LATER)):
                item = int(catalogue.node_ids[place])
                give_feedback(workspace.store, BAR.name, "ana", item, event)
            found = stored(workspace, "ana", k=100)
        assert not {catalogue.keys[place] for place in range(3)} & set(names(found))

    def test_of_a_stored_person_does_not_count_them_as_their_own_neighbour(self, opened):
        user = KEY.format(0)
        memory = ranker(opened)._memory
        number = memory.person_of(user)
        assert number >= 0
        taste = opened.taste(BAR.name, user)
        remembered = ranker(opened)._system.remember(taste.items, taste.liked, number)
        people = remembered.neighbours.index[remembered.neighbours.is_person]
        assert number not in people.tolist()

    def test_names_no_other_person_anywhere(self, opened, taste):
        told = b"".join(
            to_json(stored(opened, user, name, 100))
            for user in ("ana", KEY.format(0))
            for name in (*MEMREC, "auto-memory")
        )
        asked = RankRequest(id=1, candidates=tuple(DRINKS), history=tuple(DRINKS[:2]))
        told += to_json(ranker(opened).rank(asked))
        assert set(re.findall(KEY.format(r"(\d+)").encode(), told)) == {b"0"}

    def test_shows_neighbours_as_numbers_and_what_they_share(self, opened, taste):
        memory = ranker(opened).recommend("ana", taste(*DRINKS[3:6]), 1).memory
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
        assert told.spoke == {"memory": "measured"}
        assert told == ranker(opened, "memrec").rank(asked)
        assert told.ranking[0] == DRINKS[6]

    def test_makes_lists_as_without_memory(self, opened, taste):
        with_memory = ranker(opened, "auto-memory").recommend("ana", taste(*DRINKS[:3]), 5)
        without = ranker(opened, "auto").recommend("ana", taste(*DRINKS[:3]), 5)
        assert with_memory.items == without.items
        assert (with_memory.spoke["memory"], with_memory.memory) == ("silent", None)

    def test_ranks_as_without_memory_where_nothing_is_liked(self, opened):
        asked = RankRequest(id=1, candidates=tuple(DRINKS))
        told = ranker(opened, "auto-memory").rank(asked)
        assert told == ranker(opened, "auto").rank(asked)
        assert told.spoke == {}

    def test_learns_nothing_from_a_handful_of_people(self, tmp_path):
        few = ranker_plan("auto-memory").fewest_people - 1
        with Workspace(bar(tmp_path / "quiet", people=few)) as workspace:
            assert type(ranker(workspace, "auto-memory")) is Personal
            assert type(ranker(workspace, "memrec")) is Remembering

    def test_opens_no_memory_for_a_list(self, own):
        with Workspace(own) as workspace:
            stored(workspace, KEY.format(0), "auto-memory")
        assert not list((own / "indexes").glob("companions-*"))


def test_the_default_needs_no_memory(opened):
    assert type(ranker(opened, "auto")) is Personal


class TestWeights:
    def test_are_fitted_once_and_kept(self, own):
        with Workspace(own) as workspace:
            collective = workspace.collective(BAR.name)
            folder = own / "indexes"
            fitted = open_weights(folder, BAR.name, collective, MEMREC["memrec"])
            files = sorted(folder.glob("weights-*"))
            kept = open_weights(folder, BAR.name, collective, MEMREC["memrec"])
        assert fitted == kept
        assert fitted.cases == PEOPLE
        assert files == sorted(folder.glob("weights-*")) != []

    def test_of_few_people_are_the_usual_ones(self, tmp_path):
        with Workspace(bar(tmp_path / "quiet", people=20)) as workspace:
            assert ranker(workspace)._memory.weights.weights == USUAL_WEIGHTS.weights

    def test_are_fitted_anew_when_the_rules_change(self, own):
        with Workspace(own) as workspace:
            collective = workspace.collective(BAR.name)
            folder = own / "indexes"
            open_weights(folder, BAR.name, collective, MEMREC["memrec"])
            before = set(folder.glob("weights-*.npy"))
            unruled = msgspec.structs.replace(collective, rules=None)
            open_weights(folder, BAR.name, unruled, MEMREC["memrec"])
        assert not before & set(folder.glob("weights-*.npy"))


def test_half_way_each_person_has_the_first_half_of_their_likings(opened):
    early = half_way(opened.collective(BAR.name))
    whole = opened.collective(BAR.name).graph
    assert np.diff(early.graph.first_item).tolist() == [2] * PEOPLE
    for person in range(PEOPLE):
        assert set(early.graph.items_of(person)) == set(whole.lately_liked(person, 4)[2:])


def test_a_forgotten_person_is_in_no_memory_that_is_made_anew(own):
    with Workspace(own) as workspace:
        stored(workspace, KEY.format(0))
    caches = ("companions-*", "weights-*", "profiles-*", "audience-*")
    assert all(list((own / "indexes").glob(pattern)) for pattern in caches)
    forget(own, Wish(user=KEY.format(0)), dry_run=False, progress=lambda *_: None)
    assert not any(list((own / "indexes").glob(pattern)) for pattern in caches)
    with Workspace(own) as workspace:
        assert workspace.collective(BAR.name).graph.size == PEOPLE - 1


def test_the_view_is_plain_json(opened, taste):
    found = ranker(opened).recommend("ana", taste(*DRINKS[3:6]), 1)
    told = json.loads(to_json(found))["memory"]
    assert set(told) == {"neighbours", "facets"}
    assert set(told["facets"][0]) == {"text", "confidence", "supporters"}
