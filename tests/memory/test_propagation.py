"""Stage-W without a model, on a bar of planted tastes."""

from __future__ import annotations

from contextlib import nullcontext

import pytest

from localrec.data.rows import Event
from localrec.foundation.settings import Settings
from localrec.graph.interactions import undo_feedback
from localrec.llm.scripted import ScriptedModel
from localrec.memory.job_queue import UNDONE, claim, complete, enqueue
from localrec.memory.propagation import TemplateUpdate
from localrec.memory.recent_likes import recent_likes_of
from localrec.memory.records import edit_memory, memory_of
from localrec.memory.rule_text import parse_rules
from localrec.memory.rule_versions import save_rules
from localrec.memory.update_context import NearUser, UpdateContextCache
from localrec.memory.updaters import UpdaterParts, store_hold_s, template_updater
from tests.planted import BAR

from .crowd_of_guests import node, says

# Two camps: bitter drinks with campari, and sour ones with lime juice.
BITTER, SOUR = ("negroni", "boulevardier", "americano"), ("gimlet", "daiquiri", "mojito")


@pytest.fixture
def update_context(path):
    """The bar's surroundings, kept from job to job as a worker keeps them."""
    return UpdateContextCache(path.parent / "indexes", BAR)


@pytest.fixture
def work(bar, update_context):
    """Works everything off; returns how many calls that took."""

    def work_off(**config):
        update, calls = TemplateUpdate(update_context, **config), 0
        while (job := claim(bar)) is not None:
            complete(bar, job, update(job, lambda: nullcontext(bar)))
            calls += 1
        return calls

    return work_off


@pytest.fixture
def camps(bar, work):
    for user, drinks in {
        "ana": BITTER,
        "bob": BITTER,
        "cleo": SOUR,
        "dora": (*SOUR, "americano"),
    }.items():
        for drink in drinks:
            says(bar, user, drink)
    work()
    return bar


def text(store, key):
    memory = memory_of(store, node(store, key))
    return memory.text if memory else None


class TestAPersonsMemory:
    def test_names_what_their_items_share_and_the_newest_titles(self, camps):
        told = text(camps, "ana")
        assert told.startswith("Likes ")
        assert "campari" in told.split(";")[0]
        assert "lime juice" not in told
        assert "lately Americano, Boulevardier and Negroni." in told

    def test_is_supported_by_the_items_that_have_it(self, camps):
        facets = memory_of(camps, node(camps, "ana")).facets
        campari = next(facet for facet in facets if facet.text == "likes campari")
        assert campari.supporters == tuple(sorted(node(camps, drink) for drink in BITTER))
        assert campari.confidence == pytest.approx(3 / 5)

    def test_follows_the_newest_verdict(self, camps, work):
        for drink in BITTER:
            says(camps, "ana", drink, Event.DISLIKED)
        work()
        assert "campari" not in text(camps, "ana").split(". ")[0]

    def test_is_the_same_however_often_it_is_made(self, camps, work):
        before = text(camps, "ana")
        says(camps, "ana", "americano")
        work()
        assert text(camps, "ana").split(". ")[0] == before.split(". ")[0]

    def test_of_one_item_is_its_title(self, bar, work):
        says(bar, "ana", "nutty")
        work()
        assert text(bar, "ana") == "Lately Nutty."

    def test_knows_the_shelves_of_their_own_only(self, camps, work):
        camps.execute(
            "INSERT INTO node SELECT nextval('node_ids'), 'cocktails', 'category', 'secret', "
            "'secret', '{}'"
        )
        camps.execute(
            "INSERT INTO edge SELECT n.node_id, (SELECT node_id FROM node WHERE key = 'secret'), "
            "'CATEGORY', 1, '{\"by\": \"bob\"}', NULL FROM node n WHERE n.key IN "
            "('negroni', 'boulevardier', 'americano', 'peat-bog')"
        )
        for user in ("ana", "bob"):
            says(camps, user, "peat-bog")
        work()
        assert "secret" in text(camps, "bob")
        assert "secret" not in text(camps, "ana")
        assert "secret" not in text(camps, "negroni")


class TestAnItemsMemory:
    def test_says_what_its_people_like_otherwise(self, camps):
        assert text(camps, "negroni").startswith("Liked by people who like ")
        assert "campari" in text(camps, "negroni")
        assert "lime juice" in text(camps, "gimlet")

    def test_is_made_from_those_people(self, camps):
        made_from = memory_of(camps, node(camps, "negroni")).provenance.made_from
        assert {node(camps, "ana"), node(camps, "bob")} <= set(made_from)
        assert node(camps, "cleo") not in made_from

    def test_is_empty_when_they_take_it_back(self, camps, work):
        for user in ("ana", "bob"):
            says(camps, user, "negroni", Event.DISLIKED)
        work()
        assert text(camps, "negroni") == ""


class TestNeighbours:
    def test_are_those_who_share_the_most(self, camps, update_context):
        now = update_context(camps)
        ana = node(camps, "ana")
        found = now.nearest_users(ana, recent_likes_of(camps, now.catalogue, ana), 5)
        assert [one.user_id for one in found] == [node(camps, "bob"), node(camps, "dora")]
        assert found[0].weight == pytest.approx(1.0)
        assert found[1].weight == pytest.approx(1 / 12**0.5)

    def test_are_chosen_by_the_rules_of_the_domain(self, camps, work):
        strict = parse_rules(
            'rules "strict" for "cocktails"\n\nrule "strangers": '
            'if co_interaction_count < 2 for people then filter because "One is chance."\n\n'
            'rule "age": if recency_days > 900 then decay by 0.1 a day because "Old."\n\n'
            'rule "tie": if edge_weight > 0.9 then multiply score by 2.0 because "Close."'
        )
        save_rules(camps, "cocktails", strict)
        says(camps, "ana", "peat-bog")
        work()
        assert "Peat Bog" in text(camps, "bob")
        assert "Peat Bog" not in text(camps, "dora")

    def test_hear_of_what_was_just_liked(self, camps, work):
        says(camps, "ana", "peat-bog")
        work()
        assert ". People with a like taste enjoy Peat Bog." in text(camps, "bob")
        memory = memory_of(camps, node(camps, "bob"))
        assert memory.source == "propagated"
        assert {node(camps, "ana"), node(camps, "peat-bog")} <= set(memory.provenance.made_from)

    def test_keep_their_own_words_in_front_and_two_sentences_at_most(self, camps, work):
        own = text(camps, "bob").split(". ")[0]
        for drink in ("peat-bog", "nutty", "filbert"):
            says(camps, "ana", drink)
            work()
        told = text(camps, "bob")
        assert told.startswith(own)
        assert told.count("People with a like taste enjoy") == 2
        assert "Filbert" in told
        assert "Peat Bog" not in told

    def test_hear_nothing_of_what_was_disliked(self, camps, work):
        says(camps, "ana", "peat-bog", Event.DISLIKED)
        work()
        assert "Peat Bog" not in text(camps, "bob")

    def test_are_at_most_so_many(self, bar, work):
        for number in range(9):
            says(bar, f"guest {number}", "negroni")
        work(fan_out=0)
        says(bar, "guest 0", "nutty")
        work(fan_out=4)
        heard = bar.rows("SELECT count(DISTINCT node_id) FROM memory WHERE source = 'propagated'")
        assert heard == [(4,)]

    def test_may_come_from_elsewhere(self, camps, work):
        cleo = node(camps, "cleo")
        says(camps, "ana", "peat-bog")
        work(neighbours=lambda update_context, user_id, liked, many: [NearUser(cleo, 0.5)])
        assert "Peat Bog" in text(camps, "cleo")
        assert "Peat Bog" not in text(camps, "bob")

    def test_who_wrote_their_own_memory_keep_it(self, camps, work):
        edit_memory(camps, node(camps, "bob"), "Leave me alone.")
        says(camps, "ana", "peat-bog")
        work()
        assert text(camps, "bob") == "Leave me alone."


class TestWhatIsTakenBack:
    @pytest.fixture
    def undo(self, camps):
        def undo(user, drink):
            undo_feedback(
                camps,
                BAR.name,
                user,
                node(camps, drink),
                then=lambda whom, item: enqueue(camps, whom, item, UNDONE),
            )

        return undo

    def test_is_withdrawn_from_those_who_heard_of_it(self, camps, work, undo):
        own = text(camps, "bob").split(". ")[0]
        says(camps, "ana", "peat-bog")
        work()
        assert "Peat Bog" in text(camps, "bob")
        undo("ana", "peat-bog")
        work()
        assert text(camps, "bob").startswith(own)
        assert "Peat Bog" not in text(camps, "bob")
        assert "Peat Bog" not in str(memory_of(camps, node(camps, "bob")).facets)

    def test_leaves_what_else_was_told_in_the_same_breath(self, camps, work, undo):
        says(camps, "ana", "peat-bog")
        says(camps, "ana", "nutty")
        work()
        assert "enjoy Nutty and Peat Bog." in text(camps, "bob")
        undo("ana", "nutty")
        work()
        assert "enjoy Peat Bog." in text(camps, "bob")
        assert "Nutty" not in text(camps, "bob")

    def test_leaves_what_somebody_else_told_of_the_same_item(self, camps, work, undo):
        says(camps, "ana", "peat-bog")
        work()
        says(camps, "dora", "peat-bog")
        work()
        undo("dora", "peat-bog")
        work()
        assert "Peat Bog" in text(camps, "bob")

    def test_is_withdrawn_even_where_news_is_told_at_once(self, camps, work, undo):
        says(camps, "ana", "peat-bog")
        work()
        undo("ana", "peat-bog")
        says(camps, "ana", "filbert")
        work()
        assert "Filbert" in text(camps, "bob")
        assert "Peat Bog" not in text(camps, "bob")

    def test_and_disliked_is_withdrawn_too(self, camps, work):
        says(camps, "ana", "peat-bog")
        work()
        says(camps, "ana", "peat-bog", Event.DISLIKED)
        work()
        assert "Peat Bog" not in text(camps, "bob")

    def test_stays_where_it_was_said_twice(self, camps, work, undo):
        for _ in range(2):
            says(camps, "ana", "peat-bog")
            work()
        undo("ana", "peat-bog")
        work()
        assert "Peat Bog" in text(camps, "bob")

    def test_does_not_touch_words_of_a_persons_own(self, camps, work, undo):
        says(camps, "ana", "peat-bog")
        work()
        edit_memory(camps, node(camps, "bob"), "People with a like taste enjoy Peat Bog.")
        undo("ana", "peat-bog")
        work()
        assert "Peat Bog" in text(camps, "bob")


class TestSurroundings:
    @pytest.fixture
    def crowd(self, bar):
        """120 guests who like two bitter drinks each, as an import would bring them."""
        bar.execute(
            "INSERT INTO node SELECT nextval('node_ids'), 'cocktails', 'user', "
            "concat('guest ', g), concat('guest ', g), '{}' FROM range(120) t(g)"
        )
        bar.execute(
            "INSERT INTO interaction SELECT u.node_id, d.node_id, 'liked', NULL, NULL, 1, 'table', "
            "NULL FROM node u, node d WHERE u.kind = 'user' AND d.key IN (SELECT unnest($drinks)) "
            "AND d.key <> ($drinks::VARCHAR[])[u.node_id % 3 + 1]",
            {"drinks": list(BITTER)},
        )
        return bar

    def test_are_read_once_for_many_jobs(self, crowd, update_context, work):
        update_context(crowd)
        before = update_context.openings
        says(crowd, "guest 0", "nutty")
        work()
        assert update_context.openings == before

    def test_are_read_again_when_one_in_a_hundred_is_new(self, crowd, update_context, work):
        update_context(crowd)
        before = update_context.openings
        for number in range(3):
            says(crowd, f"guest {number}", "nutty")
        work()
        assert update_context.openings == before + 1

    def test_do_not_outlive_what_was_taken_back_or_forgotten(self, crowd, update_context):
        update_context(crowd)
        before = update_context.openings
        crowd.execute("DELETE FROM interaction WHERE user_id = ?", [node(crowd, "guest 7")])
        update_context(crowd)
        assert update_context.openings == before + 1

    def test_may_lag_behind_but_never_about_the_one_who_clicks(self, crowd, work):
        says(crowd, "newcomer", "nutty")
        work()
        assert node(crowd, "newcomer") not in made_from(crowd, "negroni")
        says(crowd, "newcomer", "negroni")
        work()
        assert node(crowd, "newcomer") in made_from(crowd, "negroni")


def made_from(store, key):
    memory = memory_of(store, node(store, key))
    return memory.provenance.made_from if memory else ()


def test_a_burst_of_one_person_is_one_call(bar, work):
    for drink in (*BITTER, *SOUR):
        says(bar, "ana", drink)
    assert work() == 1


def test_a_workspace_hands_out_the_updater_of_a_domain(bar, path):
    says(bar, "ana", "negroni")
    job = claim(bar)

    parts = UpdaterParts(path.parent, Settings(), lambda: "none")
    updates = template_updater(parts, "cocktails")(job, lambda: nullcontext(bar))
    assert [update.node_id for update in updates] == [job.user_id]


def test_the_store_is_held_for_several_jobs_only_where_nobody_has_to_wait_for_a_model():
    assert store_hold_s(None) > 0
    assert store_hold_s(ScriptedModel([])) == 0
