"""Metrics on planted answers, and cheats that the checker must not miss."""

import json

import pytest

from localrec.evaluation.questions.answer_scoring import failures_to_show, score_answer
from localrec.evaluation.questions.gold import read_gold, unknown_names
from localrec.evaluation.questions.summaries import summarise
from localrec.foundation.errors import InputError, UsageError

from .conftest import answered, asked, edge, told

SCOTCH = edge("Peat Sour", "HAS_INGREDIENT", "scotch whisky", "60 ml")


def value(report, name):
    return report.measures[name].value


def measured(*cases, half="dev"):
    return summarise("planted", half, cases)


def ungrounded(case):
    return [claim.text for claim in case.claims if not claim.holds]


def test_items_that_hold_everything_count_as_holding(truth):
    question = asked(include=("smoky",), exclude=("egg",))
    case = score_answer(question, answered(told("Smoke Signal"), told("Peat Sour")), truth)
    assert case.fitting == 1
    assert case.broken == (("Smoke Signal", ()), ("Peat Sour", ("has egg",)))
    report = measured(case)
    assert value(report, "satisfaction_at_3") == 0.5
    assert value(report, "strict_satisfaction_at_3") == 1.0
    assert value(report, "barred_served") == 1.0


def test_an_item_that_was_left_out_lowers_only_the_strict_figure(truth):
    case = score_answer(asked(glass=("highball glass",)), answered(told("Salty Dog")), truth)
    report = measured(case)
    assert case.fitting == 3
    assert value(report, "satisfaction_at_3") == 1.0
    assert value(report, "strict_satisfaction_at_3") == pytest.approx(1 / 3, abs=1e-4)


@pytest.mark.parametrize(
    ("gold", "fits"),
    [
        ({"include": ("vodka",), "glass": ("coupe glass",)}, {"Nutty Blue"}),
        ({"include_any": (("mezcal", "egg"),)}, {"Peat Sour", "Smoke Signal"}),
        ({"include_any": (("blue", "turquoise"),)}, {"Nutty Blue", "Salty Dog"}),
        ({"colour": ("blue", "amber"), "glass": ("coupe glass",)}, {"Peat Sour", "Nutty Blue"}),
        ({"garnish": ("olive",)}, {"Salty Dog"}),
        ({"alcohol": "non-alcoholic"}, {"Plain Ale"}),
        ({"glass": ("tall glass",), "target": "Salty Dog"}, {"Smoke Signal", "Plain Ale"}),
        ({"include": ("mezcal", "egg")}, set()),
    ],
)
def test_gold_constraints_fit_exactly_the_right_drinks(truth, gold, fits):
    question = asked(possible=bool(fits), **gold)
    everything = answered(*(told(item.name) for item in truth.items.values()))
    found = set()
    for item in everything.items:
        ((name, broken),) = score_answer(question, answered(item), truth).broken
        found |= {name} if not broken else set()
    assert found == fits
    assert score_answer(question, everything, truth).fitting == len(fits)


def test_an_answer_without_items_holds_nothing_and_is_no_answer(truth):
    report = measured(score_answer(asked(include=("vodka",)), answered(), truth))
    assert value(report, "answered") == 0.0
    assert value(report, "satisfaction_at_3") == 0.0


def test_an_impossible_question_is_judged_by_admitting_it_alone(truth):
    question = asked(include=("mezcal", "egg"))
    silent = score_answer(question, answered(told("Peat Sour")), truth)
    honest = score_answer(question, answered(told("Peat Sour"), relaxed=True), truth)
    report = measured(silent, honest)
    assert value(report, "impossible_admitted") == 0.5
    assert value(report, "satisfaction_at_3") is None
    assert value(report, "relaxed_wrongly") is None
    assert report.disagreements == 2  # the gold said that it was possible


def test_letting_go_of_a_wish_that_could_be_met_counts_against_the_system(truth):
    case = score_answer(asked(include=("vodka",)), answered(told("Salty Dog"), relaxed=True), truth)
    assert measured(case).failed["relaxed_wrongly"] == ("q1",)


def test_cheat_the_example_given_back_as_its_own_alternative(truth):
    question = asked(task="C4", target="Peat Sour")
    cheating = score_answer(question, answered(told("Peat Sour", SCOTCH), task="C4"), truth)
    honest = score_answer(question, answered(told("Smoke Signal"), task="C4"), truth)
    assert cheating.own_target
    assert cheating.holding == 0
    assert not honest.own_target
    assert value(measured(cheating, honest), "own_target") == 0.5


def test_cheat_something_barred_is_served(truth):
    nuts = score_answer(asked(exclude=("nut",)), answered(told("Nutty Blue")), truth)
    booze = score_answer(asked(alcohol="non-alcoholic"), answered(told("Salty Dog")), truth)
    olive = score_answer(asked(exclude=("olive",)), answered(told("Salty Dog")), truth)
    clean = score_answer(asked(exclude=("nut",)), answered(told("Salty Dog")), truth)
    assert [case.barred_served for case in (nuts, booze, olive, clean)] == [True, True, True, False]


def test_cheat_an_invented_edge_is_ungrounded_and_carries_no_words(truth):
    invented = edge("Peat Sour", "HAS_INGREDIENT", "mezcal", "30 ml")
    item = told("Peat Sour", SCOTCH, invented, reason="Peat Sour has scotch whisky and mezcal.")
    case = score_answer(asked(), answered(item), truth)
    assert ungrounded(case) == ["Peat Sour -HAS_INGREDIENT-> mezcal 30 ml", "mezcal"]
    report = measured(case)
    assert value(report, "edges_real") == 0.5
    assert value(report, "words_carried") == pytest.approx(2 / 3, abs=1e-4)
    assert value(report, "claims_grounded") == pytest.approx(3 / 5, abs=1e-4)


def test_cheat_a_true_edge_of_another_drink_is_no_evidence(truth):
    borrowed = told("Salty Dog", SCOTCH, reason="Salty Dog has scotch whisky.")
    assert ungrounded(score_answer(asked(), answered(borrowed), truth)) == [
        "Peat Sour -HAS_INGREDIENT-> scotch whisky 60 ml",
        "scotch whisky",
    ]


def test_the_edges_of_the_example_may_be_cited(truth):
    item = told("Smoke Signal", SCOTCH)
    assert not ungrounded(score_answer(asked(), answered(item, target="peat-sour"), truth))


def test_cheat_an_item_that_the_catalogue_lacks(truth):
    case = score_answer(asked(), answered(told("Dream Fizz")), truth)
    assert case.broken == (("Dream Fizz", ("is not in the catalogue",)),)
    assert ungrounded(case) == ["there is an item dream-fizz"]


@pytest.mark.parametrize(
    ("reason", "false_claims"),
    [
        ("Peat Sour has scotch whisky (counts as whiskey).", []),
        ("Peat Sour is a peaty whisky drink.", ["peaty"]),
        ("Peat Sour has 60 ml of scotch whisky.", []),
        ("Peat Sour has 90 ml of scotch whisky.", ["90"]),
        ("Peat Sour has scotch whisky and has no vodka or nut.", []),
        ("Peat Sour has scotch whisky and has no egg.", ["no egg"]),
        ("Peat Sour is egg free.", ["no egg"]),
        ("Peat Sour has no vodka and comes in a highball glass.", ["highball glass"]),
        ("Peat Sour has no gin, nut or egg white.", ["no egg white"]),
        ("Peat Sour has ginger ale.", ["ginger ale"]),
        ("Peat Sour smells of ginger, ale and smoke.", []),
        ("Peat Sour is pleasant.", []),
    ],
)
def test_every_name_number_and_absence_of_a_sentence_is_checked(truth, reason, false_claims):
    item = told("Peat Sour", SCOTCH, edge("scotch whisky", "IS_A", "whiskey"), reason=reason)
    assert ungrounded(score_answer(asked(), answered(item), truth)) == false_claims


def test_the_router_is_counted_per_task(truth):
    cases = [
        score_answer(asked(task="C1", id="a", style=("typo",)), answered(task="C1"), truth),
        score_answer(asked(task="C1", id="b"), answered(task="C3"), truth),
        score_answer(asked(task="C4", id="c", style=("typo",)), answered(task="C3"), truth),
    ]
    report = measured(*cases)
    assert report.confusion["C1"] == {"C1": 1, "C3": 1}
    assert value(report, "router_accuracy") == pytest.approx(1 / 3, abs=1e-4)
    assert report.by_task["C1"]["router_accuracy"].value == 0.5
    assert report.by_style["typo"]["router_accuracy"].value == 0.5
    assert report.failed["router_accuracy"] == ("b", "c")


def test_time_is_the_mean_of_all_stages(truth):
    cases = [score_answer(asked(), answered(ms=ms), truth) for ms in (1.0, 5.0)]
    assert value(measured(*cases), "mean_ms") == 3.0


def test_failures_of_the_test_half_are_counted_and_never_named(truth):
    case = score_answer(asked(half="test", task="C1", id="secret"), answered(task="C3"), truth)
    report = measured(case, half="test")
    assert report.failures["router_accuracy"] == 1
    assert report.failed is None
    assert "secret" not in repr(report)
    with pytest.raises(UsageError, match="dev half only"):
        failures_to_show([case])


def test_halves_are_not_mixed(truth):
    with pytest.raises(UsageError):
        measured(score_answer(asked(half="test"), answered(), truth), half="dev")


def test_failures_of_the_dev_half_come_with_what_they_fall_short_of(truth):
    good = score_answer(asked(include=("vodka",), id="good"), answered(told("Salty Dog")), truth)
    bad = score_answer(asked(exclude=("egg",), id="bad"), answered(told("Peat Sour")), truth)
    shown = failures_to_show([good, bad])
    assert [case.question.id for case, _ in shown] == ["good", "bad"]
    assert shown[0][1] == ["strict_satisfaction_at_3"]  # one of two vodka drinks
    assert "barred_served" in shown[1][1]


def test_names_that_stand_for_nothing_are_told(truth):
    questions = [asked(include=("vodka", "unobtainium"), target="Nowhere Sling")]
    assert list(unknown_names(questions, truth)) == ["unobtainium", "Nowhere Sling"]


def test_only_the_asked_half_is_read(tmp_path):
    path = write(tmp_path, line("a", "dev"), line("b", "test"))
    assert [question.id for question in read_gold(path, "test")] == ["b"]


@pytest.mark.parametrize(
    ("wrong", "told_line"),
    [
        ("{", "line 2"),
        (json.dumps({"id": "b"}), "line 2"),
        ('{"id": "b", "query": "?", "half": "dev", "task": "C5"}', "line 2"),
    ],
)
def test_a_line_that_is_no_question_is_named(tmp_path, wrong, told_line):
    with pytest.raises(InputError, match=told_line):
        read_gold(write(tmp_path, line("a", "dev"), wrong), "dev")


def test_a_constraint_that_nobody_would_check_is_refused(tmp_path):
    with pytest.raises(InputError, match="flavour"):
        read_gold(write(tmp_path, line("a", "dev", flavour=["smoky"])), "dev")


def test_an_id_must_not_come_twice(tmp_path):
    with pytest.raises(InputError, match="twice"):
        read_gold(write(tmp_path, line("a", "dev"), line("a", "test")), "dev")


def write(folder, *lines):
    path = folder / "questions.jsonl"
    path.write_text("\n".join(lines) + "\n")
    return path


def line(id, half, **gold):
    return json.dumps(
        {"id": id, "query": "?", "half": half, "task": "C1", "gold": gold, "possible": True}
    )
