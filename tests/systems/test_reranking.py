"""Candidates judged by a model or as vectors, in a workspace of planted drinks and a crowd."""

from __future__ import annotations

import re

import numpy as np
import pytest

from localrec.data.questions import RankRequest
from localrec.data.recommendations import to_json
from localrec.foundation.errors import ModelCancelledError, ModelError, UsageError, WorkspaceError
from localrec.graph.user_profile import profile_from_keys
from localrec.llm.scripted import ScriptedModel
from localrec.memory.configs import MEMREC_MODELS
from localrec.systems.registry import SYSTEM_REGISTRY
from localrec.systems.reranking import DEFAULT_CANDIDATES
from localrec.workspace import OpenWorkspace
from localrec.workspace.model_pool import ModelPool

from .test_remembering import BAR, DRINKS, KEY, bar, names

FACETS = "Long evenings | 0.7 | 1, 2\n"
ASKED = RankRequest(
    id=1, candidates=("nowhere", *DRINKS[6:12]), history=tuple(DRINKS[3:6]), instruction="a treat"
)


def barkeeper(facets=FACETS, favourite="Mojito", reason="It is lovely."):
    """Says yes to a favourite, no to the rest."""

    def script(messages):
        asked = messages[-1].content
        if "Name at most" in asked:
            return facets
        if asked.endswith("Sentence:"):
            return reason
        return "0.9 0.1" if favourite in asked.split(".")[0] else "0.2 0.8"

    return script


@pytest.fixture(scope="module")
def opened(tmp_path_factory):
    folder = bar(tmp_path_factory.mktemp("home") / "bar")
    with OpenWorkspace(folder, writable=True) as workspace:
        workspace.imports.embed_texts(BAR)
    with OpenWorkspace(folder) as workspace:
        yield workspace


@pytest.fixture
def scripted(monkeypatch):
    """Puts a script in the place of any model."""

    def install(script):
        model = ScriptedModel(script)
        monkeypatch.setattr(ModelPool, "open", lambda self, role, *_: model)
        return model

    return install


def ranked(opened, name="memrec-model", asked=ASKED):
    return SYSTEM_REGISTRY.recommender(opened.context(BAR.name), name).rank(asked)


def user_profile(opened, *keys, stars=None):
    return profile_from_keys(keys, opened.context(BAR.name).catalogue, stars)


@pytest.mark.parametrize("name", [*MEMREC_MODELS, "memrec-vector"])
class TestEveryJudge:
    def test_gives_each_candidate_back_once_and_the_unknown_last(self, opened, scripted, name):
        scripted(barkeeper())
        told = ranked(opened, name)
        assert sorted(told.ranking) == sorted(ASKED.candidates)
        assert told.ranking[-1] == "nowhere"
        scores = [told.scores[key] for key in told.ranking[:-1]]
        assert scores == sorted(scores, reverse=True)

    def test_lists_what_was_not_met_once(self, opened, scripted, name):
        scripted(barkeeper())
        history = user_profile(opened, *DRINKS[:3])
        found = SYSTEM_REGISTRY.recommender(opened.context(BAR.name), name).recommend(
            "ana", history, 100
        )
        assert sorted(names(found)) == sorted(DRINKS[3:])

    def test_keeps_to_the_pool_of_a_list(self, opened, scripted, name):
        scripted(barkeeper())
        pool = opened.context(BAR.name).catalogue.none()
        pool[[opened.context(BAR.name).catalogue.item_index(key) for key in DRINKS[:4]]] = True
        history = user_profile(opened, DRINKS[0])
        found = SYSTEM_REGISTRY.recommender(opened.context(BAR.name), name).recommend(
            "ana", history, 10, pool
        )
        assert set(names(found)) == set(DRINKS[1:4])

    def test_names_no_other_person(self, opened, scripted, name):
        scripted(barkeeper())
        user = KEY.format(0)
        ranker = SYSTEM_REGISTRY.recommender(opened.context(BAR.name), name)
        told = to_json(ranker.recommend(user, opened.context(BAR.name).user_profile(user), 5))
        told += to_json(ranker.rank(ASKED))
        assert set(re.findall(KEY.format(r"(\d+)").encode(), told)) == {b"0"}

    def test_judges_nothing_where_nothing_is_liked(self, opened, scripted, name):
        model = scripted(barkeeper())
        asked = RankRequest(id=1, candidates=ASKED.candidates, history=(DRINKS[0],), ratings=(0.5,))
        told = ranked(opened, name, asked)
        assert told.ranking == ranked(opened, "auto", asked).ranking
        assert told.notes == ("Nothing is known that they like, so that no candidate was judged.",)
        assert (model.calls, told.answered_by) == (0, {})

    def test_gives_rationales_of_the_first_three(self, opened, scripted, name):
        scripted(barkeeper())
        told = ranked(opened, name)
        assert set(told.rationales) <= set(told.ranking[:3])
        assert told.answered_by["rationales"] == f"template {len(told.rationales)}"


class TestAModel:
    def test_puts_its_favourite_first_and_says_what_it_took(self, opened, scripted):
        model = scripted(barkeeper(favourite="Peat Bog"))
        told = ranked(opened)
        assert told.ranking[0] == "peat-bog"
        assert told.answered_by["rerank"] == told.answered_by["facets"] == "model"
        assert told.answered_by["memory"] == "measured"
        assert told.calls == model.calls >= 1 + 6
        assert told.tokens["facets"] > 50
        assert told.tokens["rerank"] > 50
        assert told.notes == ()

    def test_is_told_what_the_request_asks_for_and_only_what_was_liked(self, opened, scripted):
        model = scripted(barkeeper())
        history, stars = (DRINKS[3], DRINKS[8]), (5.0, 0.5)
        asked = RankRequest(
            id=1,
            candidates=ASKED.candidates,
            history=history,
            ratings=stars,
            instruction="a treat",
        )
        ranked(opened, asked=asked)
        judged = next(one for one in model.prompts if one[-1].content.startswith("Mojito"))
        about = judged[1].content
        assert "They ask: a treat" in about
        catalogue = opened.context(BAR.name).catalogue
        good, bad = (catalogue.names[catalogue.item_index(key)] for key in history)
        assert good in about
        assert bad not in about

    def test_that_reranker_need_not_be_the_one_that_writes(self, opened, monkeypatch):
        reranker, writer = ScriptedModel(lambda messages: "0.9 0.1"), ScriptedModel(barkeeper())
        roles = {"reranker": reranker, "writer": writer}
        monkeypatch.setattr(ModelPool, "open", lambda self, role, *_: roles[role])
        told = ranked(opened)
        assert reranker.calls == 6
        assert {one[0].content.split(".")[0] for one in reranker.prompts} == {
            "You judge whether a person would choose a drink next"
        }
        assert "Name at most" in writer.prompts[0][-1].content
        assert told.calls == reranker.calls + writer.calls
        assert told.tokens["rerank"] > 0 and told.tokens["facets"] > 0

    def test_that_likes_all_alike_leaves_the_order_of_the_evidence(self, opened, scripted):
        scripted(barkeeper(favourite="?"))
        assert ranked(opened).ranking == ranked(opened, "auto").ranking

    def test_judges_a_list_of_candidates_that_the_evidence_proposes(
        self, opened, scripted, monkeypatch
    ):
        monkeypatch.setattr("localrec.systems.reranking.DEFAULT_CANDIDATES", 5)
        model = scripted(barkeeper(favourite="?"))
        history = user_profile(opened, *DRINKS[:3])
        found = SYSTEM_REGISTRY.recommender(opened.context(BAR.name), "memrec-model").recommend(
            "ana", history, 2
        )
        proposed = SYSTEM_REGISTRY.recommender(opened.context(BAR.name), "auto").recommend(
            "ana", history, 5
        )
        shown = [one[-1].content for one in model.prompts]
        assert sum(any(said.startswith(one.name) for said in shown) for one in proposed.items) == 5
        assert found.calls == model.calls
        assert names(found) == names(proposed)[:2]

    def test_shows_the_facets_that_it_was_told(self, opened, scripted):
        scripted(barkeeper())
        history = user_profile(opened, *DRINKS[3:6])
        found = SYSTEM_REGISTRY.recommender(opened.context(BAR.name), "memrec-model").recommend(
            "ana", history, 1
        )
        (facet,) = found.memory.facets
        assert (facet.text, facet.confidence, facet.supporters) == ("Long evenings", 0.7, (1, 2))

    def test_whose_facets_cannot_be_read_goes_by_counted_ones_and_says_so(self, opened, scripted):
        scripted(barkeeper(facets="Whatever."))
        told = ranked(opened)
        assert (told.answered_by["facets"], told.answered_by["rerank"]) == ("measured", "model")
        (note,) = told.notes
        assert note.endswith("Counted facets stand in.")

    def test_whose_reason_the_facts_carry_is_quoted(self, opened, scripted):
        def script(messages):
            asked = messages[-1].content
            if asked.endswith("Sentence:"):
                name, fact, *_ = asked.splitlines()
                return f"{name[:-1]} is fine, for {fact[3:]}."
            return barkeeper()(messages)

        scripted(script)
        told = ranked(opened)
        assert told.answered_by["rationales"] == f"model {len(told.rationales)}"
        catalogue = opened.context(BAR.name).catalogue
        for key, said in told.rationales.items():
            assert said.startswith(f"{catalogue.names[catalogue.item_index(key)]} is fine, for ")
        assert told.tokens["rationales"] > 0

    @pytest.mark.parametrize(("answers", "calls"), [(0, 0), (1, 1), (4, 4)])
    def test_that_fails_midway_leaves_the_fused_order_and_a_note(
        self, opened, scripted, answers, calls
    ):
        scripted([FACETS, *["0.9 0.1"] * 10][:answers])
        told = ranked(opened)
        assert told.ranking == ranked(opened, "memrec").ranking
        assert told.answered_by["rerank"] == "fused"
        assert told.calls == calls  # those before the failure
        (note,) = told.notes
        assert note.startswith("The model failed: The script has")
        assert note.endswith("The fused evidence orders the candidates.")
        assert told.answered_by["rationales"] == f"template {len(told.rationales)}"

    def test_that_knows_nobody_else_is_not_replaced_by_who_does(self, opened, scripted):
        scripted([])
        told = ranked(opened, "isolated-agent")
        assert told.ranking == ranked(opened, "isolated-memory").ranking
        assert "memory" not in told.answered_by

    def test_that_knows_nobody_else_gives_no_reason_that_needs_them(self, opened, scripted):
        scripted(barkeeper())
        told = ranked(opened, "isolated-agent")
        assert told.rationales
        assert not any("people" in said for said in told.rationales.values())

    def test_that_is_cancelled_stops(self, opened, scripted):
        def cancel(messages):
            raise ModelCancelledError("stopped")

        scripted(cancel)
        with pytest.raises(ModelCancelledError):
            ranked(opened)

    def test_that_is_not_here_is_told_with_the_remedy(self, opened, tmp_path, monkeypatch):
        monkeypatch.setenv("LOCALREC_CACHE", str(tmp_path))
        with pytest.raises(ModelError) as caught:
            SYSTEM_REGISTRY.recommender(opened.context(BAR.name), "memrec-model")
        assert caught.value.hint == "localrec models pull smollm2-135m"


class TestVectors:
    def test_need_no_model_and_say_so(self, opened):
        told = ranked(opened, "memrec-vector")
        assert told.answered_by["rerank"] == "vector"
        assert (told.calls, told.tokens, told.notes) == (0, {}, ())
        assert np.ptp(list(told.scores.values())) > 0

    def test_that_are_not_there_are_told_with_the_remedy(self, tmp_path):
        folder = bar(tmp_path / "bar")  # with another embedder's vectors
        with OpenWorkspace(folder) as workspace, pytest.raises(WorkspaceError) as caught:
            SYSTEM_REGISTRY.recommender(workspace.context(BAR.name), "memrec-vector")
        assert caught.value.hint == "Make them: localrec index"


def test_lists_of_twenty_candidates_are_the_paper_s():
    assert DEFAULT_CANDIDATES == 20


def test_a_reranker_that_is_not_there_is_told_with_those_that_are():
    with pytest.raises(UsageError) as caught:
        SYSTEM_REGISTRY.get("memrec-oracle", "recommender")
    assert {"memrec-model", "memrec-vector"} <= set(re.findall(r"[\w-]+", caught.value.hint))
