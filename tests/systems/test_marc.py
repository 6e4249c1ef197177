"""What every answer owes the person who asked, whatever the question and whoever spoke."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from localrec.data.answers import Answer
from localrec.data.chat_message import Message
from localrec.data.query import TaskKind
from localrec.data.questions import Question
from localrec.data.recommendations import to_json
from localrec.foundation.errors import ModelCancelledError, ModelCrashedError
from localrec.graph.taxonomy import IS_A
from localrec.llm.scripted import ScriptedModel
from localrec.systems.configs import SYSTEMS
from localrec.systems.marc import Marc, MarcConfig
from localrec.understanding.query_parser import parse_query
from localrec.workspace.domain_context import DomainContext
from tests.planted import with_model

IMPOSSIBLE = "a blue drink with cream in a coupe"
BY_MODEL = SYSTEMS["marc-model"]
COMPOSED = sorted(name for name, one in SYSTEMS.items() if type(one) is MarcConfig)
SCORES = '{"relevance": 90, "diversity": 90, "completeness": 90, "coherence": 90}'


def ask(bar: DomainContext, question: str, k: int = 3, config: MarcConfig | None = None) -> Answer:
    return Marc(bar, config or MarcConfig()).answer(Question(query=question), k)


def names(answer: Answer) -> list[str]:
    return [item.name for item in answer.items]


def played(bar: DomainContext, model: ScriptedModel) -> DomainContext:
    return with_model(bar, model)


def named_in(messages: Sequence[Message]) -> str:
    """The item that the writer is asked about."""
    return messages[-1].content.split(":", 1)[0]


def scripted(
    task: int = 3, scores: str = SCORES, sentence: str = "has gin."
) -> Callable[[Sequence[Message]], str]:
    """Says the same to every call of one role; as router it is sure of C`task` about gin only."""

    def say(messages: Sequence[Message]) -> str:
        system = messages[0].content
        if "numbered facts" in system:
            return f"{named_in(messages)} {sentence}"
        if "whole numbers" in system:
            return scores
        about_gin = "gin" in messages[-1].content
        return " ".join("1" if place == task or not about_gin else "0" for place in range(1, 5))

    return say


class TestTheContract:
    """docs/design.md: the JSON that scripts stand on."""

    @pytest.fixture
    def answer(self, bar):
        return json.loads(to_json(ask(bar, "a smoky drink in a coupe glass without egg")))

    def test_the_answer_has_every_field(self, answer):
        assert set(answer) >= {
            *("id", "task", "intent", "items", "relaxed"),
            *("reflection", "spoke", "timings_ms", "tokens"),
        }

    def test_the_task_says_what_how_sure_and_why(self, answer):
        assert set(answer["task"]) == {"kind", "confidence", "reason"}
        assert answer["task"]["kind"] in {"C1", "C2", "C3", "C4"}
        assert 0 <= answer["task"]["confidence"] <= 1
        assert answer["task"]["reason"]

    def test_the_intent_says_what_was_read(self, answer):
        intent = answer["intent"]
        assert intent["include"] == ["smoky"]
        assert intent["exclude"] == ["egg"]
        assert intent["glass"] == ["coupe glass"]
        for name in ("include_any", "category", "colour", "look"):
            assert intent[name] == []
        assert intent["target"] is None

    def test_an_item_says_its_rank_its_path_and_why(self, answer):
        (item,) = answer["items"]
        assert set(item) >= {"rank", "key", "name", "score", "satisfies", "evidence", "reason"}
        assert (item["rank"], item["key"], item["satisfies"]) == (1, "smoke-signal", True)
        assert item["reason"].startswith("Smoke Signal")
        for edge in item["evidence"]:
            assert {"source", "relation", "target"} <= set(edge)
            assert set(edge) <= {"source", "relation", "target", "value"}
        first = {"source": "Smoke Signal", "relation": "HAS_INGREDIENT", "target": "mezcal"}
        assert {**first, "value": "30 ml"} in answer["items"][0]["evidence"]

    def test_reflection_times_and_speakers_are_told(self, answer):
        assert answer["reflection"]["rounds"] == len(answer["reflection"]["scores"])
        assert {"router", "reflection", "writer"} <= set(answer["spoke"])
        assert answer["timings_ms"]
        assert all(ms >= 0 for ms in answer["timings_ms"].values())
        assert answer["tokens"] == {}

    def test_what_was_relaxed_says_what_and_why(self, bar):
        answer = json.loads(to_json(ask(bar, IMPOSSIBLE)))
        assert answer["relaxed"]
        for one in answer["relaxed"]:
            assert set(one) == {"constraint", "value", "reason"}
            assert one["value"] in answer["message"]

    def test_the_id_is_that_of_the_question(self, bar):
        answer = Marc(bar, MarcConfig()).answer(Question(query="gin", id="q7"), 1)
        assert answer.id == "q7"


_NAMES = st.sampled_from(
    "gin vodka rum whiskey lime mint egg dairy nuts campari red blue green sour shot coupe "
    "highball negroni mojito smoky citrus layered stronger unicorn".split()
)
_GLUE = st.sampled_from(
    ["with", "without", "no", "and", "or", "in a", "like a", "but not", "less", ",", ".", "vegan"]
)
_QUESTIONS = st.one_of(
    st.lists(st.one_of(_NAMES, _GLUE), max_size=8).map(" ".join), st.text(max_size=60)
)


@settings(deadline=None)
@given(question=_QUESTIONS, k=st.integers(1, 25), system=st.sampled_from(COMPOSED))
def test_no_question_gets_an_answer_that_breaks_its_word(bar, question, k, system):
    answer = ask(bar, question, k, SYSTEMS[system])
    catalogue = bar.catalogue
    assert [item.rank for item in answer.items] == list(range(1, len(answer.items) + 1))
    assert len(answer.items) <= k
    shown = [item.key for item in (*answer.items, *answer.near_misses)]
    assert len(shown) == len(set(shown))
    assert set(shown) <= set(catalogue.keys)
    assert answer.message or answer.items
    for item in (*answer.items, *answer.near_misses):
        assert catalogue.names[catalogue.item_index(item.key)] == item.name
        assert np.isfinite(item.score)
        assert item.evidence
    json.loads(to_json(answer))


@settings(deadline=None)
@given(question=_QUESTIONS, k=st.integers(1, 25))
def test_what_is_barred_never_comes_back_and_what_gave_way_is_said(bar, question, k):
    answer = ask(bar, question, k)
    intent = parse_query(question, bar.vocabulary)
    catalogue = bar.catalogue
    for item in (*answer.items, *answer.near_misses):
        has = set(catalogue.attributes_of(catalogue.item_index(item.key)).tolist())
        for one in intent.constraints:
            if one.excluded and not one.soft:
                for key in one.any_of:
                    index = catalogue.attribute_index(one.kind, key)
                    assert index is None or not has & set(catalogue.below(index, True))
        assert item.key != intent.target
        assert item.key not in intent.exclude_items
    if not all(item.satisfies for item in answer.items):
        assert answer.relaxed
        assert all(one.value in answer.message for one in answer.relaxed)


@settings(deadline=None, max_examples=40)
@given(question=_QUESTIONS)
def test_every_edge_of_the_evidence_is_in_the_catalogue(bar, question):
    catalogue = bar.catalogue
    edges = {
        (catalogue.names[item], link.relation, link.as_written, link.value)
        for item, links in catalogue.details(range(len(catalogue))).items()
        for link in links
    }
    families = {
        (one.name, IS_A, catalogue.attributes[parent].name, None)
        for index, one in enumerate(catalogue.attributes)
        for parent in catalogue.parents([index])
    }
    stated = {*catalogue.domain.flags, *catalogue.domain.numbers}
    for item in ask(bar, question).items:
        for edge in item.evidence:
            if edge.relation not in stated:
                as_tuple = (edge.source, edge.relation, edge.target, edge.value)
                assert as_tuple in edges | families


class TestPromises:
    def test_the_example_is_no_answer(self, bar):
        answer = ask(bar, "like a negroni", k=25)
        assert answer.task.kind is TaskKind.C4
        assert "Negroni" not in names(answer)
        assert "Negroni" in answer.message

    def test_exclusions_hold_even_where_nothing_else_does(self, bar):
        answer = ask(bar, "a blue drink with cream but no vodka and no nuts", k=25)
        shown = {item.name for item in (*answer.items, *answer.near_misses)}
        assert not shown & {"White Russian", "Blue Sky", "Filbert", "Nutty"}
        assert answer.relaxed

    def test_a_barred_family_bars_what_merely_tastes_of_it(self, bar):
        shown = names(ask(bar, "with vodka, I have a nut allergy", k=25))
        assert set(shown) == {"Blue Sky", "White Russian"}

    def test_a_wish_that_cannot_be_met_is_let_go_and_said(self, bar):
        answer = ask(bar, IMPOSSIBLE)
        assert answer.items
        assert not any(item.satisfies for item in answer.items)
        assert {one.value for one in answer.relaxed} == {"blue", "cream"}

    def test_nothing_is_relaxed_where_something_fits(self, bar):
        answer = ask(bar, "a red drink in a highball glass")
        assert names(answer) == ["Americano"]
        assert answer.relaxed == ()

    def test_close_calls_are_kept_apart(self, bar):
        answer = ask(bar, "a red drink in a highball glass")
        assert answer.near_misses
        assert not any(item.satisfies for item in answer.near_misses)

    def test_where_everything_is_barred_it_says_so(self, bar):
        excluded = "alcohol-free, without citrus and without mint"
        answer = ask(bar, excluded)
        assert answer.items == answer.near_misses == ()
        assert "no citrus" in answer.message
        assert "no mint" in answer.message

    def test_things_at_hand_come_with_what_is_missing(self, bar):
        asked = Question(query="what can I make", have="gin, campari, sweet vermouth")
        answer = Marc(bar, MarcConfig()).answer(asked, 3)
        missing = {item.name: item.missing for item in answer.items}
        assert missing["Negroni"] == ()
        assert missing["Americano"] == ("soda water",)

    @pytest.mark.parametrize("question", ["", "   ", "🍸🍸", "\n\t", "?!"])
    def test_a_question_without_words_gets_a_polite_line_and_the_nearest_texts(self, bar, question):
        answer = ask(bar, question)
        assert len(answer.items) == 3
        assert "only the nearest texts" in answer.message

    @pytest.mark.parametrize(
        ("question", "language"),
        [
            ("مشروب أحمر", "Arabic"),
            ("Ich hätte gern etwas ohne Alkohol, bitte", "German"),
            ("quiero algo sin ginebra, por favor", "Spanish"),
        ],
    )
    def test_a_question_in_another_language_is_told_so(self, bar, question, language):
        answer = ask(bar, question)
        assert answer.items == ()
        assert language in answer.message
        assert answer.language

    def test_small_talk_gets_a_sentence_and_no_items(self, bar):
        answer = ask(bar, "hello there, how are you?")
        assert (answer.items, answer.topic) == ((), "small talk")
        assert "gin" in answer.message or "drinks" in answer.message

    def test_what_took_no_part_is_told(self, bar):
        answer = ask(bar, "an organic drink with gin under 30 dollars")
        assert [one.words for one in answer.unused] == ["organic", "under 30 dollars"]
        assert "I did not use: organic, under 30 dollars." in answer.message
        assert answer.items

    def test_a_word_one_slip_from_a_name_is_told_with_that_name(self, bar):
        answer = ask(bar, "gin, mink and a pharmacist")
        assert "mink (do you mean mint?)" in answer.message
        assert "pharmacist" in answer.message and "pharmacist (" not in answer.message

    @pytest.mark.parametrize("k", [1, 3, 7])
    def test_a_shorter_list_is_the_beginning_of_a_longer_one(self, bar, k):
        asked = Question(query="something with gin")
        longer = Marc(bar, MarcConfig()).answer(asked, 10).items
        shorter = Marc(bar, MarcConfig()).answer(asked, k).items
        assert [one.key for one in shorter] == [one.key for one in longer[:k]]
        scores = [one.score for one in longer]
        assert scores == sorted(scores, reverse=True)

    def test_an_overlong_question_is_cut_and_that_is_said(self, bar):
        answer = ask(bar, "gin " * 2500)
        assert "very long" in answer.message
        assert len(answer.query) == 2000
        assert all("gin" in item.reason for item in answer.items)

    @pytest.mark.parametrize("name", ["marc", "marc-no-graph", "marc-no-reflection"])
    def test_the_same_question_has_the_same_answer(self, bar, name):
        first, second = (ask(bar, "a green sour", 5, SYSTEMS[name]) for _ in range(2))
        assert replaced(first) == replaced(second)


def replaced(answer: Answer) -> dict[str, object]:
    told = json.loads(to_json(answer))
    told.pop("timings_ms")
    return told


class TestAblations:
    def test_without_the_graph_nothing_holds_and_nothing_is_claimed_to(self, bar):
        question = "a red drink in a highball glass"
        answer = ask(bar, question, 17, SYSTEMS["marc-no-graph"])
        assert names(answer) != names(ask(bar, question, 17))
        assert {item.satisfies for item in answer.items} == {True, False}
        assert answer.relaxed == answer.near_misses == ()

    def test_without_reflection_there_is_one_round(self, bar):
        hard = "not a negroni, with campari"
        assert ask(bar, hard).reflection.rounds == 3
        assert ask(bar, hard, 3, SYSTEMS["marc-no-reflection"]).reflection.rounds == 1
        assert ask(bar, hard, 3, SYSTEMS["marc-no-graph-no-reflection"]).reflection.rounds == 1

    def test_each_leaves_the_other_stage_alone(self, bar):
        question = "a red drink in a highball glass"
        without = ask(bar, question, 3, SYSTEMS["marc-no-reflection"])
        assert names(without) == names(ask(bar, question))
        assert ask(bar, IMPOSSIBLE, 3, SYSTEMS["marc-no-graph"]).reflection.rounds > 1


class TestModels:
    def test_that_work_speak_for_every_role(self, bar):
        model = ScriptedModel(scripted())
        answer = ask(played(bar, model), "a gin drink", config=BY_MODEL)
        assert answer.answered_by == {
            "understanding": "rules",
            "router": "model",
            "reflection": "model",
            "writer": "model",
        }
        assert all(item.reason == f"{item.name} has gin." for item in answer.items)
        assert set(answer.tokens) == {"router", "reflection", "writer"}
        assert min(answer.tokens.values()) > 0

    @pytest.mark.parametrize("task", [1, 2, 3, 4])
    def test_route_by_the_label_they_choose(self, bar, task):
        model = ScriptedModel(scripted(task))
        answer = ask(played(bar, model), "a gin drink", config=MarcConfig(router="model"))
        assert answer.task.kind.value == f"C{task}"
        assert answer.task.confidence == 1.0
        assert answer.answered_by["router"] == "model"

    def test_that_score_low_make_reflection_go_on(self, bar):
        low = SCORES.replace("90", "10")
        model = ScriptedModel(scripted(scores=low))
        answer = ask(played(bar, model), "a gin drink", config=MarcConfig(critic="model"))
        assert answer.reflection.rounds == 3
        assert answer.reflection.scores[0]["overall"] == 10.0

    def test_that_were_trained_to_reflect_compare_two_lists(self, bar):
        model = ScriptedModel(lambda messages: "A")
        answer = ask(played(bar, model), "a gin drink", config=MarcConfig(critic="adapter"))
        assert answer.answered_by["reflection"] == "model"
        assert all("A or B" in asked[0].content for asked in model.prompts)
        assert replaced(answer)["items"] == replaced(ask(bar, "a gin drink"))["items"]

    def test_that_fail_are_replaced_and_on_record(self, bar):
        answer = ask(played(bar, ScriptedModel([])), "a gin drink", config=BY_MODEL)
        assert answer.answered_by["router"] == "rules"
        assert "script has 0 answers" in answer.answered_by["router_failed"]
        assert answer.answered_by["reflection"] == "measured"
        assert "reflection_failed" in answer.answered_by
        assert answer.answered_by["writer"] == "template"
        assert replaced(answer)["items"] == replaced(ask(bar, "a gin drink"))["items"]

    @pytest.mark.parametrize("scores", ["", "{}", SCORES.replace("90", "900"), "great!"])
    def test_that_talk_nonsense_as_critics_are_replaced(self, bar, scores):
        model = ScriptedModel(scripted(scores=scores))
        answer = ask(played(bar, model), "a gin drink", config=BY_MODEL)
        assert answer.answered_by["router"] == "model"
        assert answer.answered_by["reflection"] == "measured"
        assert "The model wrote" in answer.answered_by["reflection_failed"]

    @pytest.mark.parametrize(
        "sentence",
        ["has cream.", "has 3 parts of gin.", "<script>", "", "has no campari."],
    )
    def test_that_claim_what_no_edge_shows_do_not_get_to_speak(self, bar, sentence):
        model = ScriptedModel(scripted(sentence=sentence))
        answer = ask(played(bar, model), "a gin drink", config=MarcConfig(writer="model"))
        assert answer.answered_by["writer"] == "template"
        assert not any(item.reason == sentence for item in answer.items)

    def test_that_claim_it_of_one_item_are_replaced_there(self, bar):
        claims = iter(["gin", "cream", "gin"])
        model = ScriptedModel(lambda messages: f"{named_in(messages)}, with {next(claims)}.")
        answer = ask(played(bar, model), "a gin drink", config=MarcConfig(writer="model"))
        assert answer.answered_by["writer"] == "model, template for 1"
        reasons = [item.reason == f"{item.name}, with gin." for item in answer.items]
        assert reasons == [True, False, True]

    def test_that_crash_do_not_take_the_answer_with_them(self, bar):
        def crash(messages: Sequence[Message]) -> str:
            raise ModelCrashedError("The model's process died.", "")

        answer = ask(played(bar, ScriptedModel(crash)), "a gin drink", config=BY_MODEL)
        assert answer.items
        assert "died" in answer.answered_by["router_failed"]

    @pytest.mark.parametrize("role", ["router", "critic"])
    def test_that_were_stopped_by_the_person_stop_the_answer(self, bar, role):
        def stop(messages: Sequence[Message]) -> str:
            raise ModelCancelledError("Stopped.", "")

        config = MarcConfig(**{role: "model"})
        with pytest.raises(ModelCancelledError):
            ask(played(bar, ScriptedModel(stop)), "a gin drink", config=config)

    def test_that_are_not_there_leave_their_roles_to_the_counterparts(self, bar):
        spoke = ask(bar, "a gin drink", config=BY_MODEL).answered_by
        failed = {stage: why for stage, why in spoke.items() if stage.endswith("_failed")}
        assert set(failed) == {"router_failed", "reflection_failed", "writer_failed"}
        assert all("There is no model" in why for why in failed.values())
        without = {stage: who for stage, who in spoke.items() if stage not in failed}
        assert without == ask(bar, "a gin drink").answered_by
