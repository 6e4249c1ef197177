"""A critic that compares two lists: what it is told of them, and what it chooses."""

import numpy as np
import pytest

from localrec.data.query import TaskKind
from localrec.foundation.run_trace import RunTrace
from localrec.llm.scripted import ScriptedModel
from localrec.ranking.critics import Assessment, ScoredList
from localrec.ranking.pair_critic import PairCritic, QuestionFacts, probability_of_first
from localrec.ranking.reflection import Reflector
from localrec.retrieval.candidates import build_candidates
from localrec.retrieval.retrievers import retriever_of
from localrec.retrieval.search_query import RankedItems
from localrec.understanding.query_parser import parse_query

QUESTION = "something with gin, but no mint"


def items(bar, *keys):
    return np.array([bar.catalogue.item_index(key) for key in keys], dtype=np.int32)


def scored(found):
    return ScoredList(RankedItems(found, np.ones(len(found))), Assessment(50, 50, 50, 50))


@pytest.fixture
def lists(bar):
    """Two drinks with gin, and two without, one of them with mint."""
    return items(bar, "gimlet", "negroni"), items(bar, "mojito", "daiquiri")


def test_names_of_the_question_are_counted_in_both_lists(bar, lists):
    told = QuestionFacts(QUESTION, bar.vocabulary, bar.catalogue)
    assert told.compared(*lists) == ["gin: A +2", "mint: B +1"]
    assert told.compared(lists[1], lists[0]) == ["gin: B +2", "mint: A +1"]
    assert told.balance(*lists) == 1


def test_names_that_both_have_as_often_are_not_told(bar, lists):
    told = QuestionFacts("gin or lime juice", bar.vocabulary, bar.catalogue)
    one, other = items(bar, "gimlet"), items(bar, "daiquiri")
    assert told.compared(one, other) == ["gin: A +1"]


def test_typos_are_mended_and_the_question_stays_as_it_was_typed(bar, lists):
    told = QuestionFacts("somthing with lime juce", bar.vocabulary, bar.catalogue)
    assert "lime" in told.compared(*lists)[0]
    assert "lime juce" in told.prompt(*lists)[1].content


def test_a_model_is_asked_in_both_orders_and_its_liking_for_a_letter_counts_for_nothing(bar, lists):
    def ask(*script):
        model = ScriptedModel(list(script))
        return probability_of_first(model, QUESTION, bar.vocabulary, bar.catalogue, lists)[0]

    assert ask("A", "A") == ask("B", "B") == 0.5
    assert ask("A", "B") == 1.0
    assert ask("B", "A") == 0.0
    assert ask("3 1", "1 1") == pytest.approx((0.75 + 0.5) / 2)


def test_the_critic_prefers_what_the_model_prefers_but_never_the_same_set(bar, lists):
    query = bar.search_query(QUESTION, parse_query(QUESTION, bar.vocabulary))
    one, other = map(scored, lists)
    assert PairCritic(ScriptedModel(["A", "B"]), bar.vocabulary).prefers(query, one, other)
    assert not PairCritic(ScriptedModel(["B", "A"]), bar.vocabulary).prefers(query, one, other)
    nobody = ScriptedModel([])
    same = scored(lists[0][::-1])
    assert not PairCritic(nobody, bar.vocabulary).prefers(query, one, same)
    assert nobody.calls == 0


def test_reflection_asks_a_trained_model_for_a_letter_and_keeps_measured_scores(bar):
    query = bar.search_query("gin", parse_query("gin", bar.vocabulary))
    pool = build_candidates(query.intent, bar.catalogue, TaskKind.C3)
    model = ScriptedModel(lambda messages: "A")
    reflector = Reflector(lambda: model, trained_on=bar.vocabulary)
    trace = RunTrace()
    found = reflector.choose(query, pool, retriever_of(TaskKind.C3), 2, trace)
    measured = Reflector(None).choose(query, pool, retriever_of(TaskKind.C3), 2, RunTrace())
    assert trace.answered_by["reflection"] == "model"
    assert found.record.scores[0].keys() == measured.record.scores[0].keys()
    assert all("A or B" in asked[0].content for asked in model.prompts)
