"""Stage-W with a model: one call, its words in the records, and what it may never be shown."""

from __future__ import annotations

from contextlib import nullcontext

import pytest

from localrec.data.rows import Event
from localrec.foundation.errors import ModelCancelledError, ModelCrashedError, ModelError
from localrec.llm.scripted import ScriptedModel
from localrec.memory.job_queue import calls_of, claim, complete
from localrec.memory.model_update import ModelUpdate, parse_lines, update_grammar
from localrec.memory.propagation import TemplateUpdate
from localrec.memory.records import edit_memory, memory_of, pin_memory
from localrec.memory.update_context import UpdateContextCache
from tests.planted import BAR

from .crowd_of_guests import node, says

ANSWER = (
    "person | Enjoys bitter drinks before dinner.\n"
    "item | Suits guests who like smoke.\n"
    "neighbour 1 | smoky and strong drinks\n"
)
BITTER = ("negroni", "boulevardier", "americano")


@pytest.fixture
def counting(path):
    return TemplateUpdate(UpdateContextCache(path.parent / "indexes", BAR))


@pytest.fixture
def work(bar, counting):
    """Works everything off with a model, or by counting."""

    def work_off(model=None):
        update = counting if model is None else ModelUpdate(counting, model)
        while (job := claim(bar)) is not None:
            complete(bar, job, update(job, lambda: nullcontext(bar)))

    return work_off


@pytest.fixture
def guests(bar, work):
    for user in ("ana", "bob"):
        for drink in BITTER:
            says(bar, user, drink)
    work()
    says(bar, "ana", "peat-bog")
    return bar


def memory(store, key):
    found = memory_of(store, node(store, key))
    assert found is not None
    return found


class TestOneCall:
    def test_words_the_person_the_item_and_a_neighbour(self, guests, work):
        model = ScriptedModel([ANSWER])
        before = calls_of(guests)[0]
        work(model)
        assert model.calls == 1
        assert calls_of(guests)[0] == before + 1
        ana, drink = memory(guests, "ana"), memory(guests, "peat-bog")
        assert ana.text.startswith("Enjoys bitter drinks before dinner.")
        assert (ana.source, ana.provenance.by) == ("model", "scripted")
        assert any(facet.text == "likes campari" for facet in ana.facets)
        assert drink.text.endswith("Suits guests who like smoke.")
        bob = memory(guests, "bob")
        assert ". People with a like taste enjoy smoky and strong drinks." in bob.text
        assert (bob.source, bob.provenance.by) == ("propagated", "scripted")

    def test_stores_three_sentences_about_the_person_whole(self, guests, work):
        note = "Enjoys bitter drinks. Also smoke and citrus. Lately Peat Bog and Negroni."
        work(ScriptedModel([ANSWER.replace("Enjoys bitter drinks before dinner.", note)]))
        assert memory(guests, "ana").text.startswith(note)
        assert memory(guests, "ana").source == "model"

    def test_is_one_for_a_burst_and_one_for_each_person(self, guests, work):
        says(guests, "ana", "nutty")
        says(guests, "bob", "filbert")
        model = ScriptedModel(lambda messages: ANSWER)
        work(model)
        assert model.calls == 2

    def test_names_all_that_it_was_shown_as_where_it_came_from(self, guests, work):
        work(ScriptedModel([ANSWER]))
        for key in ("ana", "peat-bog", "bob"):
            made_from = set(memory(guests, key).provenance.made_from)
            assert {node(guests, "ana"), node(guests, "bob")} <= made_from

    def test_leaves_neighbours_alone_whom_the_model_did_not_choose(self, guests, work):
        before = memory(guests, "bob")
        work(ScriptedModel(["\n".join(ANSWER.split("\n")[:2]) + "\n"]))
        assert memory(guests, "bob") == before

    def test_about_a_dislike_asks_for_the_person_alone(self, guests, work):
        work()
        says(guests, "ana", "nutty", Event.DISLIKED)
        model = ScriptedModel(["person | Enjoys bitter drinks.\n"])
        work(model)
        assert memory(guests, "ana").text.startswith("Enjoys bitter drinks.")
        assert "Neighbours" not in model.prompts[0][-1].content

    def test_respects_what_is_pinned(self, guests, work):
        pin_memory(guests, node(guests, "bob"))
        before = memory(guests, "bob").text
        work(ScriptedModel([ANSWER]))
        assert memory(guests, "bob").text == before


class TestAModelThatFails:
    @pytest.mark.parametrize(
        "answer",
        ["", "person | no", "nonsense", ANSWER + "neighbour 7 | far away\n", ANSWER * 2],
    )
    def test_leaves_the_counted_memories_which_say_so(self, guests, work, answer):
        work(ScriptedModel([answer]))
        ana = memory(guests, "ana")
        assert ana.text.startswith("Likes ")
        assert (ana.source, ana.provenance.by) == ("template", "counts, since scripted failed")
        assert "enjoy Peat Bog." in memory(guests, "bob").text

    def test_and_one_that_died_costs_no_job(self, guests, work):
        def dead(messages):
            raise ModelCrashedError("The model's process died.")

        work(ScriptedModel(dead))
        assert memory(guests, "ana").provenance.by == "counts, since scripted failed"

    def test_but_one_that_was_stopped_leaves_the_job_undone(self, guests, counting):
        def stopped(messages):
            raise ModelCancelledError("stopped")

        job = claim(guests)
        with pytest.raises(ModelCancelledError):
            ModelUpdate(counting, ScriptedModel(stopped))(job, lambda: nullcontext(guests))


class TestTheModel:
    def test_never_sees_what_a_person_wrote(self, guests, work):
        edit_memory(guests, node(guests, "ana"), "Secretly sober.")
        pin_memory(guests, node(guests, "ana"), pinned=False)
        model = ScriptedModel([ANSWER])
        work(model)
        assert "sober" not in str(model.prompts)

    def test_sees_no_keys_of_people(self, guests, work):
        model = ScriptedModel([ANSWER])
        work(model)
        shown = model.prompts[0][-1].content
        assert '"Peat Bog"' in shown
        assert "ana" not in shown.replace("Americano", "")
        assert "bob" not in shown

    def test_is_shown_what_it_noted_before(self, guests, work):
        model = ScriptedModel([ANSWER, ANSWER])
        work(model)
        says(guests, "ana", "filbert")
        work(model)
        assert "Noted before: Enjoys bitter drinks before dinner." in model.prompts[1][-1].content


class TestLines:
    def test_are_read_as_they_were_written(self):
        lines = parse_lines(ANSWER, 4, with_item=True, complete=True)
        assert lines.item == "Suits guests who like smoke."
        assert lines.themes == {1: "smoky and strong drinks"}

    def test_cut_off_lose_the_last_one(self):
        lines = parse_lines(ANSWER + "neighbour 2 | smo", 4, with_item=True, complete=False)
        assert set(lines.themes) == {1}

    @pytest.mark.parametrize(
        "text",
        [
            "item | Suits all.\n",
            "person | Likes it.\nperson | Likes it.\nitem | Suits all.\n",
            "person | Likes it.\nitem | Suits all.\nneighbour 1 | a|b\n",
            "person | Likes it.\nitem | Suits all.\nneighbour 0 | smoky drinks\n",
            "person | One. Two. Three. Four.\nitem | Suits all.\n",
            "person | Likes it. likes more.\nitem | Suits all.\n",
            "person | Likes it.\nitem | Suits all. Suits more.\n",
            "person | Enjoys history told by those who were there, and quiet interviews.\n"
            "item | Suits all.\n",
        ],
    )
    def test_that_were_not_asked_for_are_refused(self, text):
        with pytest.raises(ModelError):
            parse_lines(text, 2, with_item=True, complete=True)

    def test_are_bound_by_a_grammar_that_knows_no_other_neighbours(self):
        grammar = update_grammar(2, with_item=True)
        assert '"neighbour 2 | "' in grammar
        assert "neighbour 3" not in grammar
        assert "item" not in update_grammar(0, with_item=False)
