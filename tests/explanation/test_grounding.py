import re
from copy import copy

import msgspec
import pytest

from localrec.data.chat_message import Message
from localrec.data.domains import NumberSpec
from localrec.data.evidence import Evidence, Fact, evidence_of
from localrec.data.query import TaskKind
from localrec.explanation.graph_facts import question_facts
from localrec.explanation.grounding import is_grounded
from localrec.explanation.writer import (
    AdapterWriter,
    ModelWriter,
    TemplateWriter,
    numbered_facts,
    open_writer,
    record_writer,
    sentence_task,
)
from localrec.explanation.written_sentences import (
    StatedFact,
    read_sentences,
    reads_as_written,
)
from localrec.foundation.errors import ModelError
from localrec.foundation.run_trace import RunTrace
from localrec.llm.scripted import ScriptedModel
from localrec.retrieval.candidates import build_candidates
from localrec.understanding.query_parser import parse_query
from localrec.workspace.domain_context import DomainContext

GIMLET = (
    Evidence(source="Gimlet", relation="HAS_INGREDIENT", target="gin", value="60 ml"),
    Evidence(source="Gimlet", relation="HAS_INGREDIENT", target="lime juice", value="20 ml"),
)


def grounded(bar: DomainContext, sentence: str, question: str = "gin") -> bool:
    return is_grounded(sentence, GIMLET, parse_query(question, bar.vocabulary), bar.vocabulary)


def test_what_the_edges_say_may_be_said(bar: DomainContext):
    assert grounded(bar, "Gimlet is a pleasant drink with gin and lime juice.")
    assert grounded(bar, "60 ml of gin.")


def test_an_ingredient_outside_the_evidence_is_refused(bar: DomainContext):
    assert not grounded(bar, "Gimlet has gin and campari.")


def test_another_drink_may_not_be_dragged_in(bar: DomainContext):
    assert not grounded(bar, "Gimlet is like a Boulevardier.")


def test_a_number_outside_the_evidence_is_refused(bar: DomainContext):
    assert not grounded(bar, "Gimlet has 50 ml of gin.")


def test_an_absence_may_be_claimed_only_of_what_was_barred(bar: DomainContext):
    assert grounded(bar, "Gimlet has no cream.", "gin without cream")
    assert not grounded(bar, "Gimlet has no egg.", "gin without cream")


def test_the_words_that_state_a_cited_number_claim_nothing_more(bar: DomainContext):
    told = (Evidence(source="Gimlet", relation="strength", target="20"),)
    intent = parse_query("gin", bar.vocabulary)
    domain = msgspec.structs.replace(
        bar.domain,
        numbers={"strength": NumberSpec(kind="amount", says="is an alcoholic drink of {value} %")},
    )
    vocabulary = copy(bar.vocabulary)
    vocabulary.domain = domain
    assert is_grounded("Gimlet is an alcoholic drink of 20 %.", told, intent, vocabulary)
    assert not is_grounded("Gimlet is an alcoholic drink of 30 %.", told, intent, vocabulary)
    assert not is_grounded("Gimlet is alcoholic.", GIMLET, intent, vocabulary)


def facts(bar: DomainContext, question: str, key: str) -> list[Fact]:
    intent = parse_query(question, bar.vocabulary)
    item = bar.catalogue.item_index(key)
    assert item is not None
    pool = build_candidates(intent, bar.catalogue, TaskKind.C3)
    links = bar.catalogue.details([item])
    return question_facts(bar.search_query(question, intent), pool, item, links)


def test_evidence_walks_up_to_the_family_that_was_asked_for(bar: DomainContext):
    edges = evidence_of(facts(bar, "smoky", "smoke-signal"))
    assert edges[0].target == "mezcal"
    assert edges[1] == Evidence(source="mezcal", relation="IS_A", target="smoky")


def test_evidence_keeps_the_catalogues_own_spelling(bar: DomainContext):
    edges = evidence_of(facts(bar, "with rum", "daiquiri"))
    assert edges[0] == Evidence(
        source="Daiquiri", relation="HAS_INGREDIENT", target="light rum", value="30 ml"
    )


def test_absence_is_carried_by_the_whole_list(bar: DomainContext):
    edges = evidence_of(facts(bar, "gin, no cream", "gimlet"))
    assert {edge.target for edge in edges} == {"gin", "lime juice", "sugar"}


def write_with(bar: DomainContext, sentence: str) -> tuple[str, ModelWriter]:
    writer = ModelWriter(ScriptedModel([sentence]))
    question = "gin, no cream"
    told = writer.write(
        "Gimlet",
        facts(bar, question, "gimlet"),
        parse_query(question, bar.vocabulary),
        bar.vocabulary,
    )
    return told, writer


def test_a_models_grounded_sentence_is_kept(bar: DomainContext):
    told, writer = write_with(bar, "Gimlet has gin and no cream.")
    assert told == "Gimlet has gin and no cream."
    assert writer.dropped == 0


def test_a_models_invention_is_dropped_and_the_template_speaks(bar: DomainContext):
    told, writer = write_with(bar, "Gimlet has vodka.")
    assert "vodka" not in told
    assert told.startswith("Gimlet has gin")
    assert writer.dropped == 1


def test_a_model_that_fails_is_not_asked_again_and_the_answer_says_so(bar: DomainContext):
    class Broken(ScriptedModel):
        asked_for = 0

        def generate(self, *arguments, **options):
            self.asked_for += 1
            raise ModelError("The model file is broken.")

    model, trace = Broken([]), RunTrace()
    writer = open_writer(lambda: model, trace)
    intent = parse_query("gin", bar.vocabulary)
    for _ in range(2):
        told = writer.write("Gimlet", facts(bar, "gin", "gimlet"), intent, bar.vocabulary)
        assert told.startswith("Gimlet has gin")
    record_writer(writer, 2, trace)
    assert model.asked_for == 1
    assert trace.answered_by == {"writer": "template", "writer_failed": "The model file is broken."}


def test_the_template_says_only_what_passes_the_same_check(bar: DomainContext):
    wrong = Fact("has campari", GIMLET)
    intent = parse_query("gin", bar.vocabulary)
    assert TemplateWriter().write("Gimlet", [wrong], intent, bar.vocabulary) == ""


class Sampled(ScriptedModel):
    """Remembers how each sentence was sampled."""

    def __init__(self, script):
        super().__init__(script)
        self.drawn = []

    def generate(self, messages, **options):
        self.drawn.append((options["temperature"], options["seed"]))
        return super().generate(messages, **options)


def written(bar: DomainContext, *sentences: str) -> tuple[str, AdapterWriter, Sampled]:
    model = Sampled(sentences)
    writer, question = AdapterWriter(model), "gin and lime juice"
    intent = parse_query(question, bar.vocabulary)
    told = writer.write("Gimlet", facts(bar, question, "gimlet"), intent, bar.vocabulary)
    return told, writer, model


def test_a_trained_writer_tries_again_where_a_fact_is_missing_or_invented(bar: DomainContext):
    good = "Gimlet has gin and lime juice in it."
    told, writer, model = written(bar, "Gimlet has gin.", "Gimlet has gin, lime juice, rum.", good)
    assert told == good
    assert writer.dropped == 0
    assert len({seed for _, seed in model.drawn}) == 3
    assert all(temperature > 0 for temperature, _ in model.drawn)


def test_where_all_tries_of_a_trained_writer_fail_the_template_speaks(bar: DomainContext):
    told, writer, model = written(bar, *["Gimlet has vodka."] * 4)
    assert told.startswith("Gimlet has gin and lime juice")
    assert (writer.dropped, len(model.drawn)) == (1, 4)


def test_a_trained_writer_draws_the_same_sentence_for_the_same_facts(bar: DomainContext):
    good = "Gimlet has gin and lime juice in it."
    assert written(bar, good)[2].drawn == written(bar, good)[2].drawn


def test_a_trained_writer_is_asked_with_its_task_and_the_numbered_facts_alone(bar: DomainContext):
    _, _, model = written(bar, "Gimlet has gin and lime juice in it.")
    (asked,) = model.prompts
    assert asked == (
        *sentence_task(bar.domain.singular),
        Message("user", numbered_facts("Gimlet", ["has gin and lime juice"])),
    )


def test_words_that_follow_each_other_in_no_written_sentence_are_not_kept(bar: DomainContext):
    told, writer, _ = written(bar, *["Gimlet fetches gin and lime juice up."] * 4)
    assert told.startswith("Gimlet has gin and lime juice")
    assert writer.dropped == 1


@pytest.mark.parametrize(
    ("sentence", "facts", "reads"),
    [
        ("Gimlet has gin in it.", [("has gin",)], True),
        ("Gimlet has an orange colour.", [("is orange", "color")], True),
        ("Gimlet comes in an old glass.", [("comes in an old glass",)], True),
        ("The colour of Gimlet is red.", [("is red", "color")], True),
        ("The colour of Gimlet is foamy.", [("is foamy", "look")], False),
        ("The colour of Gimlet is gin.", [("has gin",)], False),
        ("Gimlet fetches gin up.", [("has gin",)], False),
        ("Gimlet has gin in it and gin in it.", [("has gin",)], False),
        ("Gimlet has gin in it.", [("has gin",), ("is red", "color")], False),
        ("Gimlet has gin in it.", [("smells of gin",)], False),
        ("It has gin in it.", [("has gin",)], False),
        ("Gimlet has name in it.", [("has name",)], True),
        ("The colour of Gimlet is long.", [("is long",)], False),
        ("A punch bowl, Gimlet has gin.", [("comes in a punch bowl",), ("has gin",)], False),
        ("Gimlet has gin, lime and sugar.", [("has gin, lime and sugar",)], True),
        ("Gimlet has gin, lime and sugar in it.", [("has gin, lime and sugar",)], False),
    ],
)
def test_a_sentence_reads_as_written_where_it_tells_its_facts_as_such_are_told(
    sentence, facts, reads
):
    stated = [StatedFact(*fact) for fact in facts]
    assert reads_as_written(sentence, "Gimlet", stated) is reads


def test_what_is_shared_does_not_change_places_with_what_is_there_besides():
    facts = [StatedFact("has lime"), StatedFact("shares gin with Martini")]
    assert reads_as_written("Gimlet has lime and shares gin with Martini.", "Gimlet", facts)
    swapped = "Gimlet, with lime in common with Martini, is a drink with gin."
    assert not reads_as_written(swapped, "Gimlet", facts)


def test_an_article_of_a_models_sentence_is_made_to_fit(bar: DomainContext):
    model = ScriptedModel(["Daiquiri is a orange drink."])
    fact = Fact("is orange", (Evidence(source="Daiquiri", relation="HAS_COLOUR", target="orange"),))
    intent = parse_query("orange", bar.vocabulary)
    told = AdapterWriter(model).write("Daiquiri", [fact], intent, bar.vocabulary)
    assert told == "Daiquiri is an orange drink."
    model = ScriptedModel(["Vitamin A Apple is a orange drink."])
    told = AdapterWriter(model).write("Vitamin A Apple", [fact], intent, bar.vocabulary)
    assert told == "Vitamin A Apple is an orange drink."


def test_all_written_sentences_read_as_written():
    for one in read_sentences():
        facts = [StatedFact(filled(fact), place_of(fact)) for fact in one.facts]
        assert reads_as_written(filled(one.sentence), filled("[name]"), facts), one.sentence


def place_of(fact: str) -> str:
    """The kind of name that a fact states by "is" alone."""
    return fact[4:-1] if fact in ("is [color]", "is [look]", "is [strength]") else ""


def filled(text: str) -> str:
    """Fill every place by a name of its own."""
    return re.sub(r"\[(\w+)\]", r"zebra\1", text.replace("[number]", "1987"))
