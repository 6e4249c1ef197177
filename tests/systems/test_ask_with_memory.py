"""A question by somebody, where enough people are known: the shared memory orders what is found."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

from localrec.data.questions import Question
from localrec.data.recommendations import to_json
from localrec.data.rows import Event
from localrec.graph.domain_files import load_domain
from localrec.graph.interactions import store_feedback
from localrec.graph.user_profile import profile_from_keys
from localrec.privacy.erasure_plan import ForgetScope
from localrec.privacy.forget import forget
from localrec.ranking.configs import RANKERS
from localrec.systems.auto import EvidenceRecommender
from localrec.systems.question_scores import QUESTION_PLAN, question_scores, score_for_question
from localrec.systems.registry import SYSTEM_REGISTRY
from localrec.workspace import OpenWorkspace
from tests.planted import BAR

from .test_remembering import DRINKS, KEY, PEOPLE, bar

ANYTHING = "a drink"
FIELDS = {
    *("id", "query", "task", "intent", "items", "near", "relaxed", "message", "reflection"),
    *("spoke", "timings_ms", "tokens"),
}


@pytest.fixture(scope="module")
def opened(tmp_path_factory):
    """A bar with a crowd, in which ana likes three drinks; only for reading."""
    folder = embedded_bar(tmp_path_factory.mktemp("home") / "bar")
    say(folder, dict.fromkeys(DRINKS[3:6], Event.LIKED))
    with OpenWorkspace(folder) as workspace:
        yield workspace


@pytest.fixture
def own(tmp_path):
    """A bar of one's own, to change."""
    return embedded_bar(tmp_path / "bar")


def embedded_bar(folder, users=PEOPLE):
    bar(folder, users)
    with OpenWorkspace(folder, writable=True) as workspace:
        workspace.imports.embed_texts(load_domain(BAR.name))
    return folder


def say(folder, verdicts, user="ana"):
    with OpenWorkspace(folder, writable=True) as workspace:
        catalogue = workspace.context(BAR.name).catalogue
        for key, event in verdicts.items():
            item = int(catalogue.node_ids[catalogue.item_index(key)])
            store_feedback(workspace.store, BAR.name, user, item, event)


def ask(workspace, user=None, question=ANYTHING, system="marc"):
    asked = Question(query=question, user=user)
    return SYSTEM_REGISTRY.answerer(workspace.context(BAR.name), system).answer(asked, len(DRINKS))


def names(answer):
    return [item.key for item in answer.items]


def memories(folder):
    """The files that a shared memory is kept in."""
    kinds = ("companions-*", "weights-*", "profiles-*")
    return [path for kind in kinds for path in (folder / "indexes").glob(kind)]


class TestAQuestion:
    def test_moves_up_what_people_came_to_next(self, opened):
        before, after = names(ask(opened)), names(ask(opened, "ana"))
        for key in (DRINKS[2], DRINKS[6]):
            assert after.index(key) < before.index(key)
        assert sorted(after) == sorted(before)

    def test_says_what_the_memory_heard(self, opened):
        answer = ask(opened, "ana")
        assert (answer.answered_by["history"], answer.answered_by["memory"]) == (
            "measured",
            "measured",
        )
        assert answer.memory.facets
        assert 0 < sum(answer.memory.neighbours.values()) <= QUESTION_PLAN.memory.neighbours
        assert answer.timings_ms["memory"] > 0

    def test_names_no_other_person_anywhere(self, opened):
        told = b"".join(to_json(ask(opened, user)) for user in ("ana", KEY.format(0), "nobody"))
        assert set(re.findall(KEY.format(r"(\d+)").encode(), told)) == {b"0"}
        heard = json.loads(to_json(ask(opened, "ana")))["memory"]
        assert set(heard) == {"neighbours", "facets"}
        assert all(set(facet) == {"text", "confidence", "supporters"} for facet in heard["facets"])

    def test_keeps_what_was_demanded(self, opened):
        answer = ask(opened, "ana", "a drink with gin, without campari")
        assert answer.items
        assert all(item.satisfies for item in answer.items)
        assert sorted(names(answer)) == sorted(names(ask(opened, None, answer.query)))

    def test_leaves_out_what_is_disliked_or_put_off(self, own):
        say(own, {DRINKS[3]: Event.LIKED, DRINKS[4]: Event.DISLIKED, DRINKS[5]: Event.LATER})
        with OpenWorkspace(own) as workspace:
            answer = ask(workspace, "ana")
        assert answer.answered_by["memory"] == "measured"
        assert not {DRINKS[4], DRINKS[5]} & set(names(answer))

    def test_without_the_graph_is_nobodys(self, opened):
        answer = ask(opened, "ana", system="marc-no-graph")
        assert "memory" not in answer.answered_by
        assert answer.memory is None


class TestNoMemory:
    def test_is_opened_where_nobody_is_named(self, own):
        with OpenWorkspace(own) as workspace:
            told = json.loads(to_json(ask(workspace)))
        assert set(told) == FIELDS
        assert not {"history", "memory"} & {*told["spoke"], *told["timings_ms"]}
        assert not memories(own)

    def test_is_opened_for_whom_nothing_is_known_of(self, own):
        say(own, {DRINKS[3]: Event.DISLIKED}, user="bea")
        with OpenWorkspace(own) as workspace:
            for user, history in (("nobody", "silent"), ("bea", "measured")):
                answer = ask(workspace, user)
                assert (answer.answered_by["history"], answer.answered_by["memory"]) == (
                    history,
                    "silent",
                )
                assert set(json.loads(to_json(answer))) == FIELDS
        assert not memories(own)

    def test_is_opened_for_a_handful_of_people(self, tmp_path):
        folder = embedded_bar(tmp_path / "quiet", users=QUESTION_PLAN.min_users - 2)
        say(folder, dict.fromkeys(DRINKS[3:6], Event.LIKED))
        with OpenWorkspace(folder) as workspace:
            answer = ask(workspace, "ana")
            fit = question_scores(workspace.context(BAR.name), "ana")
            alone = EvidenceRecommender(
                workspace.context(BAR.name).catalogue,
                workspace.context(BAR.name).interactions,
                workspace.context(BAR.name).fields["description"],
                RANKERS["auto"],
            ).score_items("ana", workspace.context(BAR.name).user_profile("ana"))
        assert fit.scores.tolist() == alone.scores.tolist()
        assert (answer.answered_by["history"], answer.answered_by["memory"]) == (
            "measured",
            "silent",
        )
        assert answer.memory is None
        assert not memories(folder)


class TestWhatWasMet:
    @pytest.fixture
    def ranker(self, opened):
        return SYSTEM_REGISTRY.recommender(opened.context(BAR.name), "memrec")

    def fit(self, ranker, opened, stars):
        user_profile = profile_from_keys(
            tuple(stars), opened.context(BAR.name).catalogue, tuple(stars.values())
        )
        return ranker.score_items("ana", user_profile), score_for_question(
            ranker, "ana", user_profile
        )

    def test_stands_among_the_rest_as_high_as_it_is_liked(self, ranker, opened):
        stars = dict(zip(DRINKS[:4], (5.0, 4.0, 3.0, 1.0), strict=True))
        plain, asked = self.fit(ranker, opened, stars)
        met = asked.scores[asked.user_profile.items]
        unmet = np.delete(plain.scores, asked.user_profile.items)
        assert met.tolist() == sorted(met.tolist(), reverse=True)
        assert met[1] > np.median(unmet) > met[3]
        assert unmet.min() <= met.min() <= met.max() <= unmet.max()

    def test_moves_nothing_else(self, ranker, opened):
        plain, asked = self.fit(ranker, opened, {DRINKS[0]: 5.0})
        met = asked.user_profile.items
        assert np.delete(asked.scores, met).tolist() == np.delete(plain.scores, met).tolist()

    def test_may_be_all_there_is(self, ranker, opened):
        _, asked = self.fit(ranker, opened, dict.fromkeys(DRINKS, 4.0))
        assert np.isfinite(asked.scores).all()


def test_a_person_asks_in_the_light_of_what_they_said_a_moment_ago(own):
    with OpenWorkspace(own, writable=True) as workspace:
        marc = SYSTEM_REGISTRY.answerer(workspace.context(BAR.name), "marc")
        before = marc.answer(Question(query=ANYTHING, user="ana"), 5)
        catalogue = workspace.context(BAR.name).catalogue
        item = int(catalogue.node_ids[catalogue.item_index(DRINKS[3])])
        store_feedback(workspace.store, BAR.name, "ana", item, Event.LIKED)
        after = marc.answer(Question(query=ANYTHING, user="ana"), 5)
    assert (before.memory is None, after.memory is None) == (True, False)


def test_asking_leaves_nothing_that_forgetting_does_not_reach(own):
    forgotten = KEY.format(0)
    with OpenWorkspace(own) as workspace:
        assert ask(workspace, forgotten).memory is not None
    assert memories(own)
    forget(own, ForgetScope(user=forgotten), dry_run=False, progress=lambda *_: None)
    assert not memories(own)
    with OpenWorkspace(own) as workspace:
        assert ask(workspace, forgotten).answered_by["history"] == "silent"
    kept = b"".join(path.read_bytes() for path in own.rglob("*") if path.is_file())
    assert re.search(KEY.format(r"0\b").encode(), kept) is None
