"""What an agent's second thought about a profile leaves in a workspace, and what it never does."""

from __future__ import annotations

import re
import shutil
from functools import partial
from pathlib import Path

import msgspec
import pytest

from localrec.agent.profile_update import propose_profile, save_profile
from localrec.foundation.errors import ModelCancelledError, ModelError
from localrec.graph.interactions import user_node
from localrec.graph.journal import open_settled
from localrec.graph.user_profile import profile_from_keys
from localrec.llm.model_catalog import model_path
from localrec.llm.model_process import ModelProcess
from localrec.llm.scripted import ScriptedModel
from localrec.memory.records import Facet, MemoryUpdate, history_of, memory_of, pin_memory
from localrec.privacy.erasure_plan import ForgetScope
from localrec.privacy.forget import forget
from localrec.systems.registry import SYSTEM_REGISTRY
from localrec.workspace import OpenWorkspace
from localrec.workspace.model_pool import ModelPool
from tests.planted import write_memories

from .test_remembering import BAR, DRINKS, KEY, bar

ANNA = KEY.format(0)  # likes Negroni, Boulevardier, Americano, Gin and Tonic
NEW = "Likes campari with gin. The Negroni above all."
HANDED_ON = Facet("people with a like taste enjoy Mojito", 0.5, (1, 2))
COUNTED = Facet("likes campari", 0.75, (3, 4))


def agent(answer, ranks=True):
    """Ranks the candidates as they come, and answers what it is asked about the profile."""

    def script(messages):
        if "You keep the profile" in messages[0].content:
            if isinstance(answer, Exception):
                raise answer
            return answer
        count = int(re.search(r"Which (\d+) candidates", messages[1].content)[1])
        return f"Think: So.\nRank: {list(range(1, count + 1))}" if ranks else "No."

    return script


@pytest.fixture(scope="module")
def planted(tmp_path_factory):
    return bar(tmp_path_factory.mktemp("home") / "bar")


@pytest.fixture
def own(planted, tmp_path):
    """A bar of one's own, to change."""
    return Path(shutil.copytree(planted, tmp_path / "bar"))


@pytest.fixture
def scripted(monkeypatch):
    """Puts a script in the place of any model."""

    def install(answer, **how):
        model = ScriptedModel(agent(answer, **how))
        monkeypatch.setattr(ModelPool, "open", lambda self, role, *_: model)
        return model

    return install


def memory_context(folder, **update):
    """Has something remembered of Anna; her node."""
    with open_settled(folder, read_only=False) as store:
        node = user_node(store, BAR.name, ANNA)
        if update:
            write_memories(store, [MemoryUpdate(node_id=node, **update)])
    return node


def versions(folder):
    with open_settled(folder, read_only=True) as store:
        return history_of(store, user_node(store, BAR.name, ANNA))


def propose(opened, user_profile, found):
    """What the agent thinks of the profile that a list was ranked by."""
    catalogue = opened.context(BAR.name).catalogue
    return propose_profile(opened.store, catalogue, opened.models.open, user_profile, found)


def thought(folder, user=ANNA, system="agenticrec"):
    """A list for somebody, and what the agent then thinks."""
    with OpenWorkspace(folder) as opened:
        user_profile = opened.context(BAR.name).user_profile(user)
        found = SYSTEM_REGISTRY.recommender(opened.context(BAR.name), system).recommend(
            user, user_profile, 3
        )
        return found, propose(opened, user_profile, found)


def kept(folder, found, came_of_it):
    return save_profile(partial(open_settled, folder, read_only=False), came_of_it, found)


def refined(folder):
    return kept(folder, *thought(folder))


def asked_about_profile(model):
    return [one[1].content for one in model.prompts if "You keep the profile" in one[0].content]


class TestARefinedProfile:
    def test_is_the_next_version_and_says_whose_words_and_data_it_is(self, own, scripted):
        facets = (COUNTED, HANDED_ON)
        anna = memory_context(own, text=f"Likes gin. {sentence(HANDED_ON)}", facets=facets)
        model = scripted(f"Profile: {NEW}")
        found = refined(own)
        new, old = versions(own)
        assert (new.version, old.version, new.pinned) == (2, 1, False)
        assert (new.text, new.facets) == (f"{NEW} {sentence(HANDED_ON)}", facets)
        assert (new.source, new.provenance.by) == ("agent", "agenticrec with scripted")
        assert (new.provenance.builds_on, new.provenance.job) == (1, None)
        with OpenWorkspace(own) as opened:
            catalogue = opened.context(BAR.name).catalogue
            told = [*DRINKS[:4], *(item.key for item in found.items)]
            nodes = {int(catalogue.node_ids[catalogue.item_index(key)]) for key in told}
        assert set(new.provenance.made_from) == {anna, *nodes, 1, 2, 3, 4}
        [request] = asked_about_profile(model)
        assert 'Their profile: "Likes gin."' in request

    def test_is_told_with_its_tokens_and_the_way_back(self, own, scripted):
        scripted(f"Profile: {NEW}")
        before, came_of_it = thought(own)
        after = kept(own, before, came_of_it)
        assert (before.profile, after.profile) == (None, "refined")
        assert after.calls == before.calls + 1
        assert after.tokens == {**before.tokens, "profile": came_of_it.spent.tokens}
        [note] = after.notes
        whose = f"--user {ANNA} --domain cocktails"
        for command in ("show", "history", "edit"):
            assert f"localrec memory {command} {whose}" in note
        untouched = {"profile": None, "calls": 0, "tokens": {}, "notes": ()}
        assert msgspec.structs.replace(after, **untouched) == msgspec.structs.replace(
            before, **untouched
        )

    def test_is_what_the_agent_reads_the_next_time(self, own, scripted):
        scripted(f"Profile: {NEW}")
        refined(own)
        model = scripted("Keep")
        assert refined(own).profile == "kept"
        [request] = asked_about_profile(model)
        assert f'Their profile: "{NEW}"' in request
        assert len(versions(own)) == 1

    def test_goes_with_an_item_that_it_was_made_from(self, own, scripted):
        scripted(f"Profile: {NEW}")
        refined(own)
        forget(own, ForgetScope(item=DRINKS[0]), dry_run=False, progress=lambda *_: None)
        assert versions(own) == []

    def test_knows_nothing_that_others_call_an_item(self, own, scripted):
        with open_settled(own, read_only=False) as store:
            [[item, shelf, mine]] = store.rows(
                "SELECT (SELECT node_id FROM node WHERE key = ?), "
                "(SELECT node_id FROM node WHERE key = 'blue curacao'), "
                "(SELECT node_id FROM node WHERE key = 'mezcal')",
                [DRINKS[0]],
            )
            for attribute, who in ((shelf, KEY.format(1)), (mine, ANNA)):
                store.execute(
                    "INSERT INTO edge VALUES (?, ?, 'HAS_INGREDIENT', 1, {'by': ?}, NULL)",
                    [item, attribute, who],
                )
        model = scripted("Profile: Likes blue curacao.")
        assert refined(own).profile == "kept"
        assert "blue curacao" not in asked_about_profile(model)[0]
        scripted("Profile: Likes mezcal.")
        assert refined(own).profile == "refined"


class TestAProfileIsKept:
    @pytest.mark.parametrize(
        "answer", ["Keep", "Profile: Likes mezcal.", "Profile: <|im_end|>\x1b[2J.", "Rank: [1]"]
    )
    def test_where_the_agent_says_so_or_says_what_is_refused(self, own, scripted, answer):
        memory_context(own, text="Likes gin.")
        scripted(answer)
        found = refined(own)
        assert (found.profile, found.notes) == ("kept", ())
        assert found.tokens["profile"] > 50
        assert [one.text for one in versions(own)] == ["Likes gin."]

    def test_where_it_is_pinned_and_nobody_is_asked(self, own, scripted):
        anna = memory_context(own, text="Mine.")
        with open_settled(own, read_only=False) as store:
            pin_memory(store, anna)
        model = scripted(f"Profile: {NEW}")
        found = refined(own)
        assert (found.profile, "profile" in found.tokens) == ("kept", False)
        assert asked_about_profile(model) == []
        assert [(one.text, one.pinned) for one in versions(own)] == [("Mine.", True)]

    def test_where_it_was_pinned_while_the_agent_thought(self, own, scripted):
        anna = memory_context(own, text="Mine.")
        scripted(f"Profile: {NEW}")
        found, came_of_it = thought(own)
        with open_settled(own, read_only=False) as store:
            pin_memory(store, anna)
        assert kept(own, found, came_of_it).profile == "kept"
        assert [one.text for one in versions(own)] == ["Mine."]

    @pytest.mark.parametrize("before", [{}, {"text": "Old."}])
    def test_where_it_was_changed_while_the_agent_thought(self, own, scripted, before):
        memory_context(own, **before)
        scripted(f"Profile: {NEW}")
        found, came_of_it = thought(own)
        memory_context(own, text="Newer.")
        assert kept(own, found, came_of_it).profile == "kept"
        assert versions(own)[0].text == "Newer."

    def test_where_somebody_else_holds_the_store_and_a_note_says_so(self, own, scripted):
        scripted(f"Profile: {NEW}")
        found, came_of_it = thought(own)
        with open_settled(own, read_only=True):
            opening = partial(open_settled, own, read_only=False, wait_s=0.0)
            after = save_profile(opening, came_of_it, found)
        assert (after.profile, after.items) == ("kept", found.items)
        [note] = after.notes
        assert note.startswith("The agent's new profile was not kept. The workspace")
        assert versions(own) == []

    def test_where_its_owner_was_forgotten_meanwhile(self, own, scripted):
        scripted(f"Profile: {NEW}")
        found, came_of_it = thought(own)
        forget(own, ForgetScope(user=ANNA), dry_run=False, progress=lambda *_: None)
        assert kept(own, found, came_of_it).profile == "kept"

    def test_where_the_model_fails_and_a_note_says_so(self, own, scripted):
        scripted(ModelError("It died."))
        found = refined(own)
        assert found.profile == "kept"
        assert found.notes == ("The model failed: It died. The profile stays as it is.",)

    def test_until_a_stopped_model_is_asked_again(self, own, scripted):
        scripted(ModelCancelledError("Stopped."))
        with pytest.raises(ModelCancelledError):
            thought(own)


class TestNobodyIsAsked:
    @pytest.mark.parametrize(
        "system", ["agenticrec-fused", "agenticrec-scripted", "agenticrec-reasoning", "auto"]
    )
    def test_behind_a_list_of_another_system(self, own, scripted, system):
        model = scripted(f"Profile: {NEW}")
        assert thought(own, system=system)[1] is None
        assert asked_about_profile(model) == []

    def test_behind_a_ranking_that_came_to_nothing(self, own, scripted):
        model = scripted(f"Profile: {NEW}", ranks=False)
        found, came_of_it = thought(own)
        assert found.trajectory["fault"] == "form"
        assert (came_of_it, asked_about_profile(model)) == (None, [])

    def test_about_somebody_who_is_not_in_the_store(self, own, scripted):
        model = scripted(f"Profile: {NEW}")
        with OpenWorkspace(own) as opened:
            user_profile = profile_from_keys(DRINKS[:2], opened.context(BAR.name).catalogue)
            found = SYSTEM_REGISTRY.recommender(opened.context(BAR.name), "agenticrec").recommend(
                "nobody", user_profile, 3
            )
            assert found.trajectory is not None
            assert propose(opened, user_profile, found) is None
        assert asked_about_profile(model) == []


def sentence(facet):
    return f"{facet.text[0].upper()}{facet.text[1:]}."


@pytest.mark.real
def test_smollm2_leaves_a_profile_that_can_be_read(own, scripted, monkeypatch, require_model):
    require_model("smollm2-135m")
    anna = memory_context(own, text="Likes gin.")
    scripted("Keep")
    with OpenWorkspace(own) as opened, ModelProcess(model_path("smollm2-135m")) as model:
        user_profile = opened.context(BAR.name).user_profile(ANNA)
        found = SYSTEM_REGISTRY.recommender(opened.context(BAR.name), "agenticrec").recommend(
            ANNA, user_profile, 3
        )
        monkeypatch.setattr(ModelPool, "open", lambda self, role, *_: model)
        came_of_it = propose(opened, user_profile, found)
    after = kept(own, found, came_of_it)
    assert after.tokens["profile"] > 100
    with open_settled(own, read_only=True) as store:
        now = memory_of(store, anna)
    assert (now.source == "agent") == (after.profile == "refined")
    assert now.version == 1 + (after.profile == "refined")
    assert now.text.isprintable() and now.text.endswith(".")
