"""Stage-W without a model, on a bar of planted tastes."""

from __future__ import annotations

from contextlib import nullcontext

import pytest

from localrec.memory.propagation import CountingUpdate, people_alike, updater_of
from localrec.memory.queue import claim, complete
from localrec.memory.records import edit_memory, memory_of
from localrec.types import Event
from tests.planted import BAR

from .crowd_of_guests import node, says

# Two camps: bitter drinks with campari, and sour ones with lime juice.
BITTER, SOUR = ("negroni", "boulevardier", "americano"), ("gimlet", "daiquiri", "mojito")


@pytest.fixture
def camps(bar):
    for user, drinks in {
        "ana": BITTER,
        "bob": BITTER,
        "cleo": SOUR,
        "dora": (*SOUR, "americano"),
    }.items():
        for drink in drinks:
            says(bar, user, drink)
    work(bar)
    return bar


def work(store, **config):
    """Works everything off; returns how many calls that took."""
    update, calls = CountingUpdate(BAR, **config), 0
    while (job := claim(store)) is not None:
        complete(store, job, update(job, lambda: nullcontext(store)))
        calls += 1
    return calls


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

    def test_follows_the_newest_verdict(self, camps):
        for drink in BITTER:
            says(camps, "ana", drink, Event.DISLIKED)
        work(camps)
        assert "campari" not in text(camps, "ana").split(". ")[0]

    def test_is_the_same_however_often_it_is_made(self, camps):
        before = text(camps, "ana")
        says(camps, "ana", "americano")
        work(camps)
        assert text(camps, "ana").split(". ")[0] == before.split(". ")[0]

    def test_of_one_item_is_its_title(self, bar):
        says(bar, "ana", "nutty")
        work(bar)
        assert text(bar, "ana") == "Lately Nutty."

    def test_knows_the_shelves_of_their_own_only(self, camps):
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
        work(camps)
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

    def test_is_empty_when_they_take_it_back(self, camps):
        for user in ("ana", "bob"):
            says(camps, user, "negroni", Event.DISLIKED)
        work(camps)
        assert text(camps, "negroni") == ""


class TestNeighbours:
    def test_are_those_who_share_the_most(self, camps):
        found = people_alike(camps, node(camps, "ana"), 5)
        assert [one for one, _ in found] == [node(camps, "bob"), node(camps, "dora")]
        assert found[0][1] == pytest.approx(1.0)
        assert found[1][1] == pytest.approx(1 / 12**0.5)

    def test_hear_of_what_was_just_liked(self, camps):
        says(camps, "ana", "peat-bog")
        work(camps)
        assert ". People with a like taste enjoy Peat Bog." in text(camps, "bob")
        memory = memory_of(camps, node(camps, "bob"))
        assert memory.source == "propagated"
        assert {node(camps, "ana"), node(camps, "peat-bog")} <= set(memory.provenance.made_from)

    def test_keep_their_own_words_in_front_and_two_sentences_at_most(self, camps):
        own = text(camps, "bob").split(". ")[0]
        for drink in ("peat-bog", "nutty", "filbert"):
            says(camps, "ana", drink)
            work(camps)
        told = text(camps, "bob")
        assert told.startswith(own)
        assert told.count("People with a like taste enjoy") == 2
        assert "Filbert" in told
        assert "Peat Bog" not in told

    def test_hear_nothing_of_what_was_disliked(self, camps):
        says(camps, "ana", "peat-bog", Event.DISLIKED)
        work(camps)
        assert "Peat Bog" not in text(camps, "bob")

    def test_are_at_most_so_many(self, bar):
        for number in range(9):
            says(bar, f"guest {number}", "negroni")
        work(bar, fan_out=0)
        says(bar, "guest 0", "nutty")
        work(bar, fan_out=4)
        heard = bar.rows("SELECT count(DISTINCT node_id) FROM memory WHERE source = 'propagated'")
        assert heard == [(4,)]

    def test_may_come_from_elsewhere(self, camps):
        cleo = node(camps, "cleo")
        says(camps, "ana", "peat-bog")
        work(camps, neighbours=lambda store, user_id, many: [(cleo, 0.5)])
        assert "Peat Bog" in text(camps, "cleo")
        assert "Peat Bog" not in text(camps, "bob")

    def test_who_wrote_their_own_memory_keep_it(self, camps):
        edit_memory(camps, node(camps, "bob"), "Leave me alone.")
        says(camps, "ana", "peat-bog")
        work(camps)
        assert text(camps, "bob") == "Leave me alone."


def test_a_burst_of_one_person_is_one_call(bar):
    for drink in (*BITTER, *SOUR):
        says(bar, "ana", drink)
    assert work(bar) == 1


def test_a_workspace_hands_out_the_updater_of_a_domain(bar, path):
    says(bar, "ana", "negroni")
    job = claim(bar)

    class Opened:
        folder = path.parent

    updates = updater_of(Opened(), "cocktails")(job, lambda: nullcontext(bar))
    assert [update.node_id for update in updates] == [job.user_id]
