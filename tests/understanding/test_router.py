from collections.abc import Callable, Sequence

import pytest

from localrec.data.chat_message import Message
from localrec.data.query import Query
from localrec.llm.scripted import ScriptedModel
from localrec.understanding.router import (
    AdapterRouter,
    ModelRouter,
    route_by_rules,
    topic_labels,
    topic_prompt,
)
from localrec.workspace.domain_context import DomainContext


@pytest.mark.parametrize(
    ("question", "task"),
    [
        ("something red", "C1"),
        ("a layered drink", "C1"),
        ("which drinks look stunning?", "C1"),
        ("red, in a coupe with gin", "C2"),
        ("something red in a coupe", "C1"),
        ("a red drink served in a coupe", "C2"),
        ("gin, in anything but a coupe", "C2"),
        ("gin, expand from there, in a coupe", "C3"),
        ("what is used together with gin?", "C3"),
        ("gin and lime juice", "C3"),
        ("I'm looking for something without gin", "C3"),
        ("no alcohol please", "C1"),
        ("similar to a Negroni", "C4"),
        ("like a Negroni in a coupe, red", "C4"),
    ],
)
def test_rules_route_by_what_leads_the_question(
    bar: DomainContext, read: Callable[[str], Query], question: str, task: str
):
    assert route_by_rules(read(question), bar.catalogue.domain).kind == task


def test_the_model_routes_by_its_first_token(bar: DomainContext):
    router = ModelRouter(ScriptedModel(lambda messages: "1 1 1 1"), bar.catalogue.domain)
    assert router.route("anything").confidence == pytest.approx(0.25)


def test_a_label_the_model_gives_to_anything_counts_for_nothing(bar: DomainContext):
    def always_four_but(messages: Sequence[Message]) -> str:
        return "1 1 4 20" if "blue" in messages[-1].content else "1 1 2 20"

    router = ModelRouter(ScriptedModel(always_four_but), bar.catalogue.domain)
    assert router.route("something blue").kind == "C3"
    assert router.tokens > 0


def test_an_adapted_model_is_asked_what_it_was_trained_on_and_taken_at_its_word(
    bar: DomainContext,
):
    model = ScriptedModel(lambda messages: "1 1 2 4")
    task = AdapterRouter(model, bar.vocabulary).route("something blue")
    assert (task.kind, task.confidence) == ("C4", pytest.approx(0.5))
    assert model.prompts == [topic_prompt("something blue", bar.vocabulary)]
    labels = topic_labels(bar.catalogue.domain)
    assert all(label in model.prompts[0][0].content for label in labels)


def test_an_adapted_router_is_told_what_the_names_are_in_the_domains_own_words(
    bar: DomainContext,
):
    _, asked = topic_prompt("like a negronni, with oranges", bar.vocabulary)
    assert (
        asked.content
        == "like a negronni, with oranges\nnegroni: drink; oranges: ingredient or colour"
    )
    assert topic_prompt("what now", bar.vocabulary)[1].content == "what now"
