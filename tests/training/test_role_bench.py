"""The bench of roles on a planted bar: an oracle wins, a fool loses, and the page takes a row."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from localrec.data.token_usage import Usage
from localrec.evaluation.provenance import current_origin
from localrec.evaluation.questions.gold import read_gold
from localrec.explanation.written_sentences import sentence_shape
from localrec.foundation.errors import ModelError
from localrec.foundation.paths import shipped
from localrec.graph.domain_files import load_domain
from localrec.images.attributes import ColourDetection, Detection, ImageAttributes
from localrec.llm.chat_model import Generation
from localrec.llm.scripted import ScriptedModel
from localrec.llm.usage_tracker import UsageTracker
from localrec.training.role_bench.bench import ROLES, RoleComposer, measure_line, measure_role
from localrec.training.role_bench.case_runner import ask_cases
from localrec.training.role_bench.page import add_to_page, charts
from localrec.training.role_bench.picture_cases import DrawnDrink, drawn_drinks, share_told
from localrec.training.role_bench.records import (
    GOLD_ROLES,
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
        role="judge",
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


def test_a_role_without_cases_says_why(composer):
    found = composer.cases("agent", 10)
    assert isinstance(found, EmptyRole)
    assert found.role == "agent"
    assert "people chose" in found.reason


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
    assert (tmp_path / "models" / "judge.svg").read_text(encoding="utf-8").startswith("<svg")


def test_a_chart_tells_how_large_each_model_is():
    chart = charts([report_of("small"), report_of("large")])["judge"]
    assert "small, 98 MB" in chart
    assert "large, 98 MB" in chart
    assert "(plante)" not in chart


def test_models_that_had_other_cases_are_drawn_with_a_line_of_rules_of_their_own():
    chart = charts([report_of("small"), report_of("large", fingerprint="others")])["judge"]
    for name in ("rules (plante)", "small, 98 MB (plante)"):
        assert name in chart
    for name in ("rules (others)", "large, 98 MB (others)"):
        assert name in chart


def test_every_role_is_known_to_the_bench(composer):
    assert all(list(composer.sets(role, 40)) for role in ROLES)


def gold_file(folder, count=30, **changes) -> Path:
    """Gold questions for drinks with gin, and one about something that no bar here has."""
    known = {
        "query": "a drink with gin",
        "half": "dev",
        "task": "C3",
        "possible": True,
        "gold": {"include": ["gin"]},
    } | changes
    lines = [known | {"id": f"g{number}"} for number in range(count)]
    lines += [known | {"id": "strange", "gold": {"include": ["unobtainium"]}}]
    path = folder / "gold.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    return path


def test_gold_questions_come_first_where_they_measure_a_role(frequented, tmp_path):
    with OpenWorkspace(frequented) as workspace:
        composer = RoleComposer(workspace, silent, gold_file(tmp_path))
        for role in ROLES:
            kinds = [getattr(one, "gold", False) for one in composer.sets(role, 40)]
            assert kinds == ([True, False] if role in GOLD_ROLES else [False])
        router, slots, reflector = (next(composer.sets(role, 2)) for role in GOLD_ROLES)
        assert router.count == slots.count == reflector.count == 30  # and not what nobody knows
        assert {one.by_rules(0).score for one in (router, slots, reflector)} == {1.0}


def test_a_wrong_task_and_a_demand_that_was_not_read_are_wrong(frequented, tmp_path):
    wrong = gold_file(tmp_path, task="C4", gold={"include": ["gin"], "exclude": ["campari"]})
    with OpenWorkspace(frequented) as workspace:
        composer = RoleComposer(workspace, silent, wrong)
        router, slots, _ = (next(composer.sets(role, 2)) for role in GOLD_ROLES)
        assert router.by_rules(0).score == slots.by_rules(0).score == 0.0


def test_without_gold_questions_for_the_catalogue_it_is_told_how_to_write_some(
    composer, frequented, tmp_path
):
    with OpenWorkspace(frequented) as workspace:
        few = RoleComposer(workspace, silent, gold_file(tmp_path, count=29))
        found = next(few.sets("router", 2))
        assert isinstance(found, EmptyRole)
        assert "--gold FILE" in found.reason


def test_questions_that_ship_are_asked_in_both_halves_of_the_drinks_that_ship():
    asked = read_gold(shipped("datasets") / "cocktails" / "questions.jsonl")
    assert {one.half for one in asked} == {"dev", "test"}
    assert len(asked) == 280


def test_composed_questions_decide_nothing_where_people_wrote_some():
    composed = msgspec.structs.replace(measured(["yes"] * 8, by_rules=0.0), role="router")
    gold = msgspec.structs.replace(composed, gold=True)
    assert (composed.kind, composed.decides) == ("composed", False)
    assert (gold.kind, gold.decides) == ("gold", True)
    assert measured(["yes"] * 8).decides


def test_a_page_shows_gold_questions_beside_composed_ones(tmp_path):
    page = tmp_path / "models.md"
    for gold in (False, True):
        mark = "people" if gold else "planted"
        add_to_page(page, report_of("small", role="router", gold=gold, fingerprint=mark))
    text = page.read_text(encoding="utf-8")
    assert "| small | 98 | 8 gold (people) |" in text
    assert "| small | 98 | 8 composed (plante) |" in text


class Seer:
    """A model that says the same of every picture."""

    name = "seer"

    def __init__(self, *colours: str) -> None:
        self.told = msgspec.json.encode(
            {
                **{"glass": "Collins glass", "colours": colours, "clarity": "hazy", "foam": False},
                **{"ice": False, "garnish": ["cherry"], "texture": "smooth", "names": ["Punch"]},
            }
        ).decode()

    def describe(self, bitmap, messages, *, grammar=None, max_tokens=256, on_chunk=None):
        assert len(bitmap.rgb) == bitmap.width * bitmap.height * 3
        usage = Usage(prompt=300, cached=0, generated=40, model_ms=1.0)
        return Generation(text=self.told, finished=True, usage=usage)


def test_words_of_a_drawn_drink_are_told_by_measuring_and_by_a_model_that_sees(composer):
    cases = composer.cases("image words", 6)
    assert cases.fingerprint == composer.cases("image words", 6).fingerprint
    assert sum(cases.by_rules(number).score for number in range(6)) / 6 > 0.6
    tracked = UsageTracker(Seer("red", "pink"))
    drink = drawn_drinks(6, SEED)[0]
    assert drink.glass == "highball glass"
    scores = [cases.prepare(tracked, False).ask(number).score for number in range(6)]
    assert 0.0 < max(scores) <= 1.0
    assert tracked.taken().tokens == 6 * 340


def test_what_is_told_counts_by_its_share_and_colours_by_their_order():
    domain = load_domain("cocktails")
    drink = DrawnDrink("highball glass", ("red", "white"), "cherry", 7)
    seen = ImageAttributes(
        layers=tuple(
            ColourDetection(word=word, share=0.5, confidence=1.0) for word in ("red", "white")
        ),
        glass=Detection("collins glass", 1.0),
        garnish=(Detection("maraschino cherry", 1.0),),
    )
    assert share_told(drink, seen, domain) == 1.0
    turned = msgspec.structs.replace(seen, layers=seen.layers[::-1])
    assert share_told(drink, turned, domain) == 0.5
    assert share_told(drink, ImageAttributes(), domain) == 0.0


def test_a_role_whose_model_is_missing_shows_its_line_and_what_it_takes(composer, tmp_path):
    line = measure_line(composer.cases("image words", 3), silent)
    empty = EmptyRole(role="image words", reason="It must see.", line=line)
    page = tmp_path / "models.md"
    add_to_page(page, msgspec.structs.replace(report_of("small"), empty=(empty,)))
    add_to_page(page, report_of("large"))
    text = page.read_text(encoding="utf-8")
    assert f"| measured colours and outlines | - | 3 ({line.fingerprint[:6]}) |" in text
    assert "It must see." in text and "Nobody sees." not in text
