"""One question as each role asks it: what a side says, and how it is told where it cannot."""

import pytest

from localrec.cli.app import run
from localrec.foundation.errors import ModelCancelledError, ModelError, UsageError
from localrec.graph.domain_files import load_domain
from localrec.llm.scripted import ScriptedModel
from localrec.training.adapters.adapter_compare import answer_in_role, single_model_workspace
from localrec.understanding.router import topic_labels, topic_prompt
from localrec.understanding.slot_filling import slot_prompt
from localrec.understanding.vocabulary import Vocabulary
from localrec.workspace import OpenWorkspace
from tests.cli.conftest import DRINKS, by_spelling, drink, write_rows

ABOUT = load_domain("cocktails")
QUESTION = "with lime juice, no egg"
LIMES = {name for name, _, parts, _ in DRINKS if "Lime Juice" in parts}


@pytest.fixture(scope="module")
def bar(tmp_path_factory):
    """Five drinks; only for reading."""
    home = tmp_path_factory.mktemp("bar")
    folder = by_spelling(home / "workspace")
    rows = [
        drink(name, ingredients=str(parts), ingredientMeasures=str(["3 cl"] * 3))
        for name, _, parts, _ in DRINKS
    ]
    table = write_rows(home / "table.csv", *rows)
    assert run(["--workspace", str(folder), "import", "cocktails", str(table)]) == 0
    return folder


@pytest.fixture(scope="module")
def names(bar):
    """The bar's names, as a question is read by them."""
    with OpenWorkspace(bar) as workspace:
        return Vocabulary(workspace.context(ABOUT.name).catalogue)


@pytest.fixture
def say(bar):
    """What a model that follows a script says in a role, and what it was asked."""

    def say(role, script, question=QUESTION):
        model = ScriptedModel(script)
        with single_model_workspace(bar, model) as workspace:
            return answer_in_role(workspace, role, ABOUT.name, question), model.prompts

    return say


def test_a_router_gives_each_of_its_words_a_share(say, names):
    said, asked = say("router", ["1 1 6 2"])
    assert said.figures == dict(zip(topic_labels(ABOUT), (0.1, 0.1, 0.6, 0.2), strict=True))
    assert asked == [topic_prompt(QUESTION, names)]


def test_a_slot_reader_names_the_demands_line_by_line(say, names):
    said, asked = say("slots", ["lime juice: with; egg: without"])
    assert said.lines == ("lime juice: with", "egg: without")
    assert asked == [slot_prompt(QUESTION, names)]


def test_a_reflector_compares_what_answers_the_question(say):
    said, asked = say("reflector", ["3 1", "1 3"])
    assert said.figures == {"first": 0.75, "next": 0.25}
    assert len(asked) == 2
    assert all(QUESTION in one[-1].content for one in asked)


def test_an_agent_ranks_what_answers_the_question(say):
    said, _ = say("agent", ["Think: So.\nRank: [", "3,", " 1,", " 2]"])
    other, _ = say("agent", ["Think: So.\nRank: [", "1,", " 2,", " 3]"])
    assert set(said.lines) == set(other.lines) == LIMES
    assert said.lines == (other.lines[2], *other.lines[:2])


def test_an_agent_that_gives_no_ranking_is_not_stood_in_for(say):
    said, _ = say("agent", lambda messages: "no idea")
    assert said.lines == ()
    assert "The agent gave no ranking." in said.fault


@pytest.mark.parametrize(
    ("role", "wrote"),
    [
        ("slots", "gin: taste"),
        ("slots", "gin it is"),
        ("slots", "gin; " * 200 + ": with"),
        ("reflector", "neither"),
    ],
)
def test_what_is_no_answer_is_told_as_a_fault(say, role, wrote):
    said, _ = say(role, [wrote])
    assert (said.figures, said.lines) == ({}, ())
    assert said.fault


def test_a_model_that_fails_is_told_and_one_that_was_stopped_stops(say):
    def fails(messages):
        raise ModelError("The model is broken.")

    def stopped(messages):
        raise ModelCancelledError("Stopped.")

    assert say("slots", fails)[0].fault == "The model is broken."
    with pytest.raises(ModelCancelledError):
        say("slots", stopped)


@pytest.mark.parametrize("role", ["reflector", "agent"])
def test_where_nothing_answers_there_is_nothing_to_judge(say, role):
    excluded = "no gin, no rum, no vermouth, no soda, no syrup, no lime"
    said, asked = say(role, [], excluded)
    assert "Nothing here answers the question" in said.fault
    assert asked == []


def test_a_role_that_answers_no_questions_is_refused(say):
    with pytest.raises(UsageError, match="Nobody asks a memory a question"):
        say("memory", [])
