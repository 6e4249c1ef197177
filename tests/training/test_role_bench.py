"""The bench of roles on a planted bar: an oracle wins, a fool loses, and the page takes a row."""

from __future__ import annotations

import msgspec
import pytest

from localrec.evaluation.provenance import current_origin
from localrec.explanation.written_sentences import sentence_shape
from localrec.foundation.errors import ModelError
from localrec.llm.scripted import ScriptedModel
from localrec.training.role_bench.bench import ROLES, RoleComposer, measure_role
from localrec.training.role_bench.case_runner import ask_cases
from localrec.training.role_bench.page import add_to_page, charts
from localrec.training.role_bench.records import (
    SEED,
    BenchReport,
    EmptyRole,
    PreparedModel,
    RoleAnswer,
    RoleCases,
)
from localrec.training.role_bench.user_cases import (
    HeldOutUsers,
    agent_cases,
    memory_cases,
    reranker_cases,
    rule_cases,
)
from localrec.workspace import OpenWorkspace


def silent(what: str, done: int, total: int) -> None:
    """Hear nothing."""


@pytest.fixture(scope="module")
def composer(frequented):
    with OpenWorkspace(frequented) as workspace:
        yield RoleComposer(workspace, silent)


@pytest.fixture(scope="module")
def users(frequented):
    with OpenWorkspace(frequented) as workspace:
        yield HeldOutUsers(workspace, "cocktails", SEED, silent, candidates=4)


def planted_cases(right, by_rules=0.5, count=8) -> RoleCases:
    """Cases that a model answers by one word, right or not."""

    def prepare(model, adapted):
        def ask(number):
            return RoleAnswer(float(model.generate([]).text == right[number]), "A gin drink.")

        return PreparedModel(ask, ("Nothing was settled.",))

    return RoleCases(
        role="router",
        measure="the word is right",
        line="rules",
        count=count,
        fingerprint="planted",
        by_rules=lambda number: RoleAnswer(by_rules),
        prepare=prepare,
        shape=lambda number, text: text,
    )


def measured(script, **changes):
    cases = planted_cases(["yes"] * 8, **changes)
    return measure_role(cases, ScriptedModel(script), False, silent)


def test_a_model_that_is_always_right_wins_and_is_told_with_its_cost():
    result = measured(["yes"] * 8, by_rules=0.0)
    assert (result.rules.quality.value, result.model.quality.value) == (0.0, 1.0)
    assert result.is_won
    assert result.model.tokens > 0
    assert (result.model.shapes, result.rules.shapes) == (1, 0)
    assert result.notes == ("Nothing was settled.",)


def test_a_model_that_is_as_good_as_the_rules_wins_nothing():
    assert not measured(["yes", "no"] * 4).is_won


def test_a_case_without_an_answer_counts_as_wrong_and_is_counted():
    result = measured(["yes"] * 5, by_rules=0.0)
    assert result.model.failed == 3
    assert result.model.quality.value == 0.625


def test_asking_goes_on_behind_a_failure_and_leaves_the_first_case_out_of_the_median():
    def ask(number):
        if number == 1:
            raise ModelError("It broke.")
        return number

    asked = ask_cases(3, ask, lambda done, total: None)
    assert asked.answers == [0, None, 2]
    assert asked.failed == 1
    assert asked.median_s in asked.seconds[1:]


@pytest.mark.parametrize("role", ["router", "slots", "reflector", "writer", "judge"])
def test_cases_about_items_are_the_same_each_time_and_the_rules_do_well(composer, role):
    cases, again = composer.cases(role, 6), composer.cases(role, 6)
    assert cases.count == 6
    assert cases.fingerprint == again.fingerprint != composer.cases(role, 7).fingerprint
    assert sum(cases.by_rules(number).score for number in range(6)) >= 3


def test_a_reflector_that_tells_lists_apart_is_right_and_one_that_does_not_gets_half(composer):
    cases = composer.cases("reflector", 4)
    (note,) = cases.prepare(ScriptedModel([]), False).notes
    assert note.startswith("Counting names, wanted or refused, is right in ")
    # Each pair is asked in both orders, the better list first.
    assert cases.prepare(ScriptedModel(["A", "A"]), False).ask(0).score == 0.5
    assert cases.prepare(ScriptedModel(["A", "B"]), False).ask(0).score == 1.0
    assert cases.prepare(ScriptedModel(["B", "A"]), False).ask(0).score == 0.0


def test_a_writer_that_makes_things_up_gets_nothing(composer):
    cases = composer.cases("writer", 4)
    liar = ScriptedModel(lambda messages: "It is made of mezcal and 77 hazelnuts.")
    assert cases.prepare(liar, False).ask(0).score == 0.0
    said = cases.by_rules(0).text
    assert cases.prepare(ScriptedModel([said]), False).ask(0).score == 1.0


def test_a_judge_is_right_where_it_likes_the_own_explanation_better(composer):
    cases = composer.cases("judge", 4)
    assert cases.prepare(ScriptedModel(["5", "1"]), False).ask(0).score == 1.0
    assert cases.prepare(ScriptedModel(["1", "5"]), False).ask(0).score == 0.0
    assert cases.prepare(ScriptedModel(["3", "3"]), False).ask(0).score == 0.5


def test_a_reranker_that_tells_nothing_leaves_the_order_of_the_default_as_it_is(users):
    cases = reranker_cases(users, 6)
    prepared = cases.prepare(ScriptedModel(lambda messages: "1 1 1 1"), False)
    assert "has no share" in prepared.notes[0]
    for number in range(cases.count):
        assert prepared.ask(number) == cases.by_rules(number)


def test_an_agent_without_a_ranking_scores_nothing(users):
    cases = agent_cases(users, 2)
    assert cases.count == 2
    assert 0.0 < cases.by_rules(0).score <= 1.0
    prepared = cases.prepare(ScriptedModel(lambda messages: "I do not know."), False)
    assert prepared.ask(0).score == 0.0


def test_a_memory_is_measured_by_the_choice_it_finds(users):
    cases = memory_cases(users, 4)
    keeper = ScriptedModel(lambda messages: "person | Enjoys long drinks with ginger.\n")
    answer = cases.prepare(keeper, False).ask(0)
    assert answer.text == "Enjoys long drinks with ginger."
    assert answer.score in (0.0, 1.0)
    assert keeper.prompts[0][-1].content.startswith("Person: ")


def test_rules_that_a_model_cannot_write_are_no_answer(users):
    cases = rule_cases(users, 2)
    assert 0.0 < cases.by_rules(0).score == cases.by_rules(1).score <= 1.0
    with pytest.raises(ModelError):
        cases.prepare(ScriptedModel(lambda messages: "no rule"), False).ask(0)


@pytest.mark.parametrize(
    ("role", "reason"), [("image words", "projector"), ("agent", "people chose")]
)
def test_a_role_without_cases_says_why(composer, role, reason):
    found = composer.cases(role, 10)
    assert isinstance(found, EmptyRole)
    assert found.role == role
    assert reason in found.reason


def test_a_shape_is_a_sentence_without_names_and_numbers():
    names = ("Negroni", "gin", "Campari", "egg white", "")
    one = sentence_shape("Negroni has gin and Campari; and it has no egg white.", names)
    assert one == sentence_shape("Negroni has gin; and it has no gin.", names)
    assert one == "_ has _; and it has no _."
    assert sentence_shape("With gin, Negroni pleases.", names) != one
    assert sentence_shape("It holds 3 of 5.", names) == "it holds _ of _."


def report_of(name: str, **changes) -> BenchReport:
    result = msgspec.structs.replace(measured(["yes"] * 8), **changes)
    model = msgspec.structs.replace(result.model, name=name)
    return BenchReport(
        model=name,
        megabytes=98.4,
        sha256="0" * 64,
        adapters={},
        seed=1,
        results=(msgspec.structs.replace(result, model=model),),
        empty=(EmptyRole(role="image words", reason="Nobody sees."),),
        origin=current_origin("-m localrec", ["models", "bench", name]),
    )


def test_a_page_gains_a_row_for_each_model_and_keeps_what_others_wrote(tmp_path):
    page = tmp_path / "models.md"
    page.write_text("# Models\n\nWritten by hand.\n", encoding="utf-8")
    add_to_page(page, report_of("small"))
    add_to_page(page, report_of("large"))
    add_to_page(page, report_of("small", role="writer"))
    text = page.read_text(encoding="utf-8")
    assert text.startswith("# Models\n\nWritten by hand.\n")
    assert text.count("| small | 98 | 8 (plante) |") == 2
    assert text.count("| large |") == 1
    assert text.count("| rules |") == 2
    assert "No cases. Nobody sees." in text
    assert text.count("`python -m localrec models bench small`") == 1
    assert (tmp_path / "models" / "router.svg").read_text(encoding="utf-8").startswith("<svg")


def test_a_chart_tells_how_large_each_model_is():
    chart = charts([report_of("small"), report_of("large")])["router"]
    assert "small, 98 MB" in chart
    assert "large, 98 MB" in chart
    assert "(plante)" not in chart


def test_models_that_had_other_cases_are_drawn_with_a_line_of_rules_of_their_own():
    chart = charts([report_of("small"), report_of("large", fingerprint="others")])["router"]
    for name in ("rules (plante)", "small, 98 MB (plante)"):
        assert name in chart
    for name in ("rules (others)", "large, 98 MB (others)"):
        assert name in chart


def test_every_role_is_known_to_the_bench(composer):
    assert all(composer.cases(role, 40) for role in ROLES)
