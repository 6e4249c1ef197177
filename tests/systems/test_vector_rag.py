"""Vector-only RAG: the nearest texts, and a model that may write nothing but their numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from localrec.data.answers import Answer
from localrec.data.chat_message import Message
from localrec.data.questions import Question
from localrec.evaluation.questions.claims import claims_of
from localrec.evaluation.questions.store_truth import StoreTruth
from localrec.foundation.settings import Settings
from localrec.llm.scripted import ScriptedModel
from localrec.systems.configs import SYSTEMS, RagConfig, system_config
from localrec.systems.marc import Marc
from localrec.systems.registry import SYSTEM_REGISTRY
from localrec.systems.vector_rag import VectorRag
from localrec.workspace import OpenWorkspace
from localrec.workspace.domain_context import DomainContext
from tests.planted import BAR, planted_stages, planted_store, with_model

QUESTION = "gin with campari"


def ask(
    bar: DomainContext,
    says: str | Callable[[Sequence[Message]], str],
    k: int = 3,
    question: str = QUESTION,
) -> tuple[Answer, ScriptedModel]:
    model = ScriptedModel(says if callable(says) else lambda _: says)
    rag = VectorRag(with_model(bar, model), RagConfig())
    return rag.answer(Question(query=question), k), model


def nearest(bar: DomainContext, question: str = QUESTION, k: int = 3) -> list[str]:
    """By vectors alone."""
    answer = VectorRag(bar, RagConfig()).answer(Question(query=question), k)
    return [item.name for item in answer.items]


def names(answer: Answer) -> list[str]:
    return [item.name for item in answer.items]


def test_the_model_s_numbers_are_the_answer_in_its_order(bar):
    near = nearest(bar, k=10)
    answer, _ = ask(bar, "[4, 1, 7]")
    assert names(answer) == [near[3], near[0], near[6]]
    assert answer.answered_by == {"selection": "model"}
    assert answer.tokens["selection"] > 0


def test_the_model_reads_numbered_texts_and_then_the_question(bar):
    _, model = ask(bar, "[1, 2, 3]")
    ((_, user),) = model.prompts
    listed, asked = user.content.split("\n\n")
    near = nearest(bar, k=10)
    assert [line.split(":")[0] for line in listed.splitlines()] == [
        f"{number}. {name}" for number, name in enumerate(near, 1)
    ]
    assert asked.startswith(f"Question: {QUESTION}")


def test_what_the_model_is_not_shown_follows_by_nearness(bar):
    near = nearest(bar, k=13)
    answer, _ = ask(bar, "[10, 9, 8, 7, 6, 5, 4, 3, 2, 1]", k=13)
    assert names(answer) == [*near[9::-1], *near[10:]]


@pytest.mark.parametrize("written", ["[2, 2, 2]", "[1, 2, 11]", "[1, 2]", "the first one", ""])
def test_what_is_no_choice_is_on_record_and_the_vectors_stand(bar, written):
    answer, _ = ask(bar, written)
    assert names(answer) == nearest(bar)
    assert answer.answered_by["selection"] == "vectors"
    assert "from 1 to 10 was asked for" in answer.answered_by["selection_failed"]


def test_without_a_model_the_vectors_stand_and_it_says_so(bar):
    answer = VectorRag(bar, RagConfig()).answer(Question(query=QUESTION), 3)
    assert answer.answered_by["selection"] == "vectors"
    assert answer.answered_by["selection_failed"] == "There is no model for selector."


def test_asked_without_a_model_it_is_the_ablation_with_the_same_items(bar):
    alone = system_config("vector-rag", Settings(), without_model=True)
    assert alone == SYSTEMS["marc-no-graph-no-reflection"]
    for question in (QUESTION, "no lime", "like a Negroni", "something blue", "zzz"):
        answer = Marc(bar, alone).answer(Question(query=question), 10)
        assert names(answer) == nearest(bar, question, k=10)


def test_nothing_is_routed_relaxed_or_reflected(bar):
    answer, _ = ask(bar, "[1, 2, 3]", question="like a Negroni but without gin")
    assert "router" not in answer.answered_by
    assert (answer.near_misses, answer.relaxed, answer.reflection.rounds) == ((), (), 0)
    assert (answer.intent.target, answer.intent.exclude) == (None, ())


def test_an_item_s_own_text_is_its_evidence_and_grounds_what_is_said(tmp_path: Path):
    with planted_store(tmp_path) as store:
        truth = StoreTruth(store, BAR)
        answer, _ = ask(planted_stages(store, tmp_path / "indexes"), "[1, 2, 3]")
        for item in answer.items:
            assert [(one.source, one.relation, one.target) for one in item.evidence] == [
                (item.name, "description", item.reason)
            ]
        claims = claims_of(answer, truth)
        assert sum(claim.is_edge for claim in claims) == 3
        assert len(claims) > 3
        assert all(claim.holds for claim in claims)


@settings(deadline=None, max_examples=50)
@given(question=st.text(max_size=60), k=st.integers(1, 25), says=st.text(max_size=12))
def test_no_question_and_no_model_breaks_it(bar, question, k, says):
    answer, _ = ask(bar, says, k, question)
    assert len(names(answer)) <= k
    assert len(set(names(answer))) == len(names(answer))
    assert [item.rank for item in answer.items] == list(range(1, len(answer.items) + 1))


@pytest.mark.real
def test_the_real_model_writes_numbers_and_nothing_else(bundled_workspace, require_model):
    require_model("smollm2-135m")
    with OpenWorkspace(bundled_workspace) as workspace:
        rag = SYSTEM_REGISTRY.answerer(workspace.context("cocktails"), "vector-rag")
        answer = rag.answer(Question(query="a smoky drink with mezcal"), 3)
    assert len(answer.items) == 3
    assert answer.tokens["selection"] > 100
    assert answer.answered_by["selection"] in ("model", "vectors")
