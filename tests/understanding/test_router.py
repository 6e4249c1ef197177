from collections.abc import Callable

import pytest

from localrec.llm.scripted import ScriptedModel
from localrec.systems.stages import Stages
from localrec.types import Intent
from localrec.understanding.router import route_by_model, route_by_rules


@pytest.mark.parametrize(
    ("question", "task"),
    [
        ("something red", "C1"),
        ("a layered drink", "C1"),
        ("which drinks look stunning?", "C1"),
        ("red, in a coupe with gin", "C2"),
        ("gin and lime juice", "C3"),
        ("I'm looking for something without gin", "C3"),
        ("no alcohol please", "C3"),
        ("similar to a Negroni", "C4"),
        ("like a Negroni in a coupe, red", "C4"),
    ],
)
def test_rules_route_by_what_leads_the_question(
    bar: Stages, read: Callable[[str], Intent], question: str, task: str
):
    assert route_by_rules(read(question), bar.catalogue.domain).kind == task


def test_the_model_routes_by_its_first_token(bar: Stages):
    task, tokens = route_by_model("anything", ScriptedModel(["2"]), bar.catalogue.domain)
    assert task.kind == "C2"
    assert tokens > 0
