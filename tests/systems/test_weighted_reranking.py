"""A model behind the default list: its verdict counts as much as held-out items say."""

from __future__ import annotations

import numpy as np
import pytest

from localrec.data.evidence import Fact
from localrec.data.questions import RankRequest
from localrec.data.reasons import template_reasons
from localrec.foundation.errors import BusyError, UsageError
from localrec.foundation.paths import exclusive
from localrec.llm.scripted import ScriptedModel
from localrec.memory.user_summaries import build_item_features
from localrec.privacy.erasure_plan import ForgetScope
from localrec.privacy.forget import forget
from localrec.ranking.learned.evidence.base import FitStoppedError
from localrec.ranking.learned.progress_file import folder_of
from localrec.ranking.learned.reranker_share import RerankerShare, read_share, write_share
from localrec.ranking.learned.stored import learn, read_log
from localrec.systems.registry import SYSTEM_REGISTRY
from localrec.systems.reranker_learning import learn_reranker_share
from localrec.workspace import OpenWorkspace
from localrec.workspace.model_pool import ModelPool

from .test_remembering import BAR, DRINKS, KEY, bar
from .test_reranking import barkeeper

HISTORY = tuple(DRINKS[:3])
LAST = "peat-bog"
ASKED = RankRequest(id=1, candidates=tuple(DRINKS[3:]), history=HISTORY)
RERANKER = "memrec-model with scripted"


def learnt(folder):
    """A bar whose default ranking was learnt."""
    with OpenWorkspace(folder) as opened:
        context = opened.context(BAR.name)
        features = build_item_features(context.catalogue, context.description_field)
        learn(
            read_log(opened.store, context.catalogue, features),
            folder_of(folder / "indexes", BAR.name),
            progress=lambda *_: None,
            should_stop=lambda: False,
        )
    return folder


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    return learnt(bar(tmp_path_factory.mktemp("judged") / "bar"))


@pytest.fixture
def own(tmp_path):
    return learnt(bar(tmp_path / "bar"))


@pytest.fixture
def model(monkeypatch):
    made = ScriptedModel(barkeeper(favourite="Peat Bog"))
    made.name = "scripted"
    monkeypatch.setattr(ModelPool, "open", lambda self, role, *_: made)
    return made


def ranked(folder, system, asked=ASKED):
    with OpenWorkspace(folder) as opened:
        return SYSTEM_REGISTRY.recommender(opened.context(BAR.name), system).rank(asked)


def listed(folder, system, user):
    with OpenWorkspace(folder) as opened:
        context = opened.context(BAR.name)
        made = SYSTEM_REGISTRY.recommender(context, system)
        return made.recommend(user, context.user_profile(user), 5)


def gave(share):
    return RerankerShare(reranker=RERANKER, share=share, cases=60, gain=0.02, error=0.001)


def weighed(folder, **settings):
    quiet = {"progress": lambda *_: None, "should_stop": lambda: False} | settings
    return learn_reranker_share(folder, BAR.name, "memrec-model", 40, **quiet)


def test_where_nobody_reranks_the_default_explains_in_its_own_words(shared, model):
    own = template_reasons([[Fact("is what the default says", ())]])
    with OpenWorkspace(shared) as opened:
        context = opened.context(BAR.name)
        made = SYSTEM_REGISTRY.recommender(context, "memrec-model")
        made._default.reasons = lambda fit, items: own
        listed = made.recommend("nobody", context.user_profile("nobody"), 1)
    assert [one.reason for one in listed.items] == ["Is what the default says."]


def test_without_a_learnt_share_the_order_is_the_defaults_and_the_answer_says_so(shared, model):
    told = ranked(shared, "memrec-model")
    assert told.ranking == ranked(shared, "auto").ranking
    assert told.ranking[0] != LAST
    assert "has no share" in told.notes[-1]
    assert told.answered_by["share"] == "0.00"
    assert model.calls > 0  # who asks for it by name gets its reasons


def test_a_list_keeps_the_defaults_order_too(shared, model):
    user = KEY.format(0)
    told = [one.key for one in listed(shared, "memrec-model", user).items]
    assert told == [one.key for one in listed(shared, "auto", user).items]


def test_a_share_lets_the_verdict_move_the_order(own, model):
    write_share(own / "indexes", BAR.name, gave(4.0))
    told = ranked(own, "memrec-model")
    default = ranked(own, "auto").ranking
    assert told.ranking.index(LAST) < default.index(LAST)
    assert "a share of 4.00" in told.notes[-1]


def test_a_trained_model_starts_from_the_defaults_order_and_moves_one_to_the_front(
    own, monkeypatch
):
    trained = ScriptedModel(lambda messages: "0 1 5 1 1 1")
    trained.name = "scripted"
    monkeypatch.setattr(ModelPool, "open", lambda self, role, *_: trained)
    monkeypatch.setattr(ModelPool, "adapter_of", lambda self, role: "mine")
    write_share(own / "indexes", BAR.name, gave(4.0))
    with OpenWorkspace(own) as opened:
        names = opened.context(BAR.name).catalogue.names
    default = ranked(own, "auto").ranking
    told = ranked(own, "memrec-model")
    shown = trained.prompts[0][-1].content.splitlines()[-6:]
    first = [name for line in shown for name in names if f"% {name}" in line]
    assert [name.lower().replace(" ", "-") for name in first] == list(default[:6])
    assert told.ranking[0] == default[2]


def test_what_an_instruction_asks_for_is_left_to_the_model(shared, model):
    asked = RankRequest(id=1, candidates=ASKED.candidates, history=HISTORY, instruction="smoky")
    told = ranked(shared, "memrec-model", asked)
    assert told.ranking[0] == LAST
    assert "share" not in told.answered_by


def test_the_agent_has_no_share_either_before_one_was_learnt(shared, model):
    told = ranked(shared, "agenticrec-reasoning")
    assert told.ranking == ranked(shared, "auto").ranking
    assert "has no share" in told.notes[-1]


class TestLearning:
    def test_a_model_at_chance_gets_none_and_the_store_stays_as_it_was(self, own, model):
        before = (own / "store.duckdb").read_bytes()
        found = weighed(own)
        assert found.share == 0.0
        assert found.cases >= 30
        assert read_share(own / "indexes", BAR.name, RERANKER) == found
        assert (own / "store.duckdb").read_bytes() == before
        assert not list(folder_of(own / "indexes", BAR.name).glob("judging-*"))

    def test_the_reranker_knows_nothing_of_what_is_held_out(self, own, model, monkeypatch):
        seen = []

        def both_scores(self, user, profile, items):
            catalogue = self._catalogue
            newest = DRINKS[(int(user.rpartition("-")[2]) + 3) % len(DRINKS)]
            met = [catalogue.keys[item] for item in profile.items.tolist()]
            seen.append((newest in met, newest in [catalogue.keys[item] for item in items]))
            return np.zeros(len(items), np.float32), np.zeros(len(items), np.float32)

        monkeypatch.setattr(
            "localrec.systems.reranking.RerankingRecommender.both_scores", both_scores
        )
        weighed(own)
        assert len(seen) >= 30
        assert set(seen) == {(False, True)}

    def test_one_who_finds_the_held_out_item_gets_a_share(self, own, model, monkeypatch):
        def both_scores(self, user, profile, items):
            newest = DRINKS[(int(user.rpartition("-")[2]) + 3) % len(DRINKS)]
            right = [self._catalogue.keys[item] == newest for item in items]
            return np.zeros(len(items), np.float32), np.array(right, np.float32)

        monkeypatch.setattr(
            "localrec.systems.reranking.RerankingRecommender.both_scores", both_scores
        )
        assert weighed(own).share > 0.5

    def test_what_was_stopped_leaves_neither_a_share_nor_a_copy(self, own, model):
        asked = []

        def should_stop():
            asked.append(True)
            return model.calls > 5

        with pytest.raises(FitStoppedError):
            weighed(own, should_stop=should_stop)
        assert asked
        assert read_share(own / "indexes", BAR.name, RERANKER).cases == 0
        assert not list(folder_of(own / "indexes", BAR.name).glob("judging-*"))

    def test_what_a_killed_process_left_is_removed(self, own, model):
        left = folder_of(own / "indexes", BAR.name) / "judging-old"
        left.mkdir()
        (left / "store.duckdb").write_bytes(b"a copy")
        weighed(own)
        assert not left.exists()

    def test_two_at_once_are_refused(self, own, model):
        kept = folder_of(own / "indexes", BAR.name)
        with exclusive(kept / "judging.lock", of=kept), pytest.raises(BusyError):
            weighed(own)

    def test_a_system_without_a_model_is_refused(self, own):
        with pytest.raises(UsageError, match="asks no model"):
            learn_reranker_share(
                own, BAR.name, "memrec", 40, progress=lambda *_: None, should_stop=lambda: False
            )

    def test_a_default_that_was_not_learnt_is_refused(self, tmp_path, model):
        with pytest.raises(UsageError, match="not learnt yet"):
            weighed(bar(tmp_path / "bar"))

    def test_forgetting_removes_what_was_learnt(self, own, model):
        write_share(own / "indexes", BAR.name, gave(4.0))
        forget(own, ForgetScope(user=KEY.format(0)), dry_run=False, progress=lambda *_: None)
        assert read_share(own / "indexes", BAR.name, RERANKER).cases == 0
