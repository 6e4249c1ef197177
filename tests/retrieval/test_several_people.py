"""Wishes of several people: met together where enough items do, else alternatives."""

from __future__ import annotations

import pytest

from localrec.data.query import TaskKind
from localrec.data.questions import Question
from localrec.retrieval.candidates import CandidateSet, build_candidates
from localrec.systems.registry import SYSTEM_REGISTRY
from localrec.understanding.query_parser import parse_query
from localrec.workspace.domain_context import DomainContext


def pool_of(bar: DomainContext, question: str) -> CandidateSet:
    return build_candidates(parse_query(question, bar.vocabulary), bar.catalogue, TaskKind.C3)


def names(bar: DomainContext, pool: CandidateSet) -> set[str]:
    return {bar.catalogue.names[i] for i in pool.items.nonzero()[0]}


def test_what_nothing_has_together_becomes_alternatives_and_nothing_is_let_go(bar):
    pool = pool_of(bar, "campari for me, cream for her")
    assert names(bar, pool) == {"Negroni", "Boulevardier", "Americano", "White Russian", "Nutty"}
    assert pool.either == ("campari or cream",) and pool.relaxed == ()


def test_the_same_wishes_of_one_person_stay_together(bar):
    assert pool_of(bar, "I want campari with cream").either == ()
    assert names(bar, pool_of(bar, "I want gin with campari")) == {"Negroni"}


def test_enough_items_that_have_both_are_shown_alone(bar):
    pool = pool_of(bar, "lime juice for me, sugar for her")
    assert (
        names(bar, pool) == {"Gimlet", "Daiquiri", "Mojito", "Smoke Signal"} and pool.either == ()
    )


def test_too_few_that_have_both_come_first_and_the_answer_says_so(bar):
    question = Question(query="gin for me, campari for her", id="two")
    answer = SYSTEM_REGISTRY.answerer(bar, "marc-rules").answer(question, 3)
    assert answer.items[0].name == "Negroni" and len(answer.items) == 3
    assert "since few drinks are both: gin or campari" in answer.message


def test_an_answer_without_any_that_has_both_says_that_there_is_none(bar):
    question = Question(query="campari for me, cream for her", id="two")
    answer = SYSTEM_REGISTRY.answerer(bar, "marc-rules").answer(question, 3)
    assert "since no drink is both: campari or cream" in answer.message


def answer(bar: DomainContext, question: str) -> list[str]:
    told = SYSTEM_REGISTRY.answerer(bar, "marc-rules").answer(Question(query=question), 4)
    return [one.name for one in told.items]


def is_alcoholic(bar: DomainContext, name: str) -> bool:
    index = bar.catalogue.names.index(name)
    return bool(bar.catalogue.flags["alcoholic"][index] == "alcoholic")


@pytest.mark.parametrize(
    "question",
    [
        "campari for me, a mocktail for her",
        "Raj wants no alcohol, I want campari",
        "campari for my husband and something alcohol-free for me",
    ],
)
def test_what_one_person_alone_goes_without_is_served_beside_the_others_wish(bar, question):
    drinks = answer(bar, question)
    assert [is_alcoholic(bar, one) for one in drinks[:2]].count(True) == 1


@pytest.mark.parametrize(
    "question",
    [
        "campari, no alcohol",
        "Raj wants no alcohol, something with campari for him",
        "campari for her, cream for him, no alcohol",
        "I want campari and I want no alcohol",
        "I want no alcohol because my wife wants no alcohol; she likes campari",
        "the host insists on no alcohol; I like campari",
        "my parents want no alcohol: dad likes campari, mum likes cream",
        "my wife wants no alcohol and the lady loves campari",
        "my mum wants no alcohol and mom loves campari",
        "my sister wants no alcohol. Sarah likes campari",
    ],
)
def test_what_may_be_of_everybody_holds_for_all(bar, question):
    assert not any(is_alcoholic(bar, one) for one in answer(bar, question))


def test_each_person_has_a_drink_before_anybody_has_two(bar):
    pool = pool_of(bar, "campari for me, cream for her")
    with_campari = {
        bar.catalogue.names[i]
        for i in pool.demands[0].mask.nonzero()[0]
        if "cream" not in bar.catalogue.names[i]
    }
    campari = names(bar, pool_of(bar, "campari"))
    assert with_campari >= campari
    first, second = answer(bar, "campari for me, cream for her")[:2]
    assert (first in campari) != (second in campari)


def test_somebody_known_by_a_name_has_a_wish_and_is_not_looked_for(bar):
    query = parse_query("Anna likes campari, Ben likes cream", bar.vocabulary)
    assert query.several and not query.texts and not query.unused


def test_all_that_one_person_wishes_for_is_met_together_and_what_is_of_nobody_by_all(bar):
    pool = pool_of(bar, "gin with campari for me, cream for her")
    assert pool.either == ("gin and campari or cream",)
    assert "Negroni" in names(bar, pool) and "Gimlet" not in names(bar, pool)
    query = parse_query("Anna likes gin, Ben likes cream. It must have ginger.", bar.vocabulary)
    assert [set(party) for party in query.parties] == [{"gin"}, {"cream"}]


def test_the_reason_tells_which_of_the_alternatives_an_item_is(bar):
    question = Question(query="campari for me, a mocktail for her")
    told = SYSTEM_REGISTRY.answerer(bar, "marc-rules").answer(question, 2)
    reasons = " ".join(one.reason for one in told.items)
    assert "campari" in reasons and "is non-alcoholic" in reasons
