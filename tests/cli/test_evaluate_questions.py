"""`localrec evaluate` over gold questions: the same commands as for rankings."""

import json
import shutil

import pytest

GOLD = (
    {"id": "g1", "query": "a drink with gin", "gold": {"include": ["gin"]}},
    {"id": "g2", "query": "no campari please", "gold": {"exclude": ["campari"]}},
    {"id": "g3", "query": "without gin", "gold": {"exclude": ["gin"]}},
    {"id": "g4", "query": "no lime juice", "gold": {"exclude": ["lime juice"]}},
    {"id": "g5", "query": "something with campari", "gold": {"include": ["campari"]}},
    {"id": "g6", "query": "with white rum", "gold": {"include": ["white rum"]}},
)


@pytest.fixture
def bar(workspace, tmp_path):
    """A copy of the five drinks, for a run writes into its workspace."""
    return shutil.copytree(workspace, tmp_path / "bar")


@pytest.fixture
def evaluate(cli, bar):
    def call(*arguments):
        return cli("--workspace", bar, "evaluate", *arguments)

    return call


@pytest.fixture
def asked(tmp_path):
    """A configuration with two systems on the test half."""
    gold = tmp_path / "gold.jsonl"
    fields = {"half": "test", "task": "C3", "possible": True}
    gold.write_text("".join(json.dumps({**one, **fields}) + "\n" for one in GOLD))
    path = tmp_path / "asked.toml"
    path.write_text(
        f"""
name = "asked"
title = "Six questions"
questions = {{gold = {json.dumps(str(gold))}, half = "test", domain = "cocktails"}}
systems = [{{name = "marc"}}, {{name = "marc-no-graph"}}]
""",
        encoding="utf-8",
    )
    return path


def test_a_run_prints_its_figures_and_can_be_started_again(evaluate, asked, bar):
    code, out, noted = evaluate("run", asked)
    assert code == 0
    head, *rows = (line.split() for line in out.splitlines())
    assert head[:3] == ["system", "constraints", "held"]
    assert [row[0] for row in rows] == ["marc", "marc-no-graph"]
    folder = bar / "runs" / "asked"
    assert str(folder) in noted
    assert (folder / "report.html").is_file()
    before = (folder / "answers-marc.jsonl").read_bytes()
    assert evaluate("run", asked).out == out
    assert (folder / "answers-marc.jsonl").read_bytes() == before


def test_nothing_that_is_printed_names_a_question_of_the_test_half(evaluate, asked):
    said = [*evaluate("run", asked), *evaluate("run", asked, "--json")]
    said += evaluate("compare", "asked:marc", "asked:marc-no-graph", "--json")
    for question in GOLD:
        assert not any(question["id"] in str(one) for one in said)
        assert not any(question["query"] in str(one) for one in said)


def test_two_systems_are_compared_question_by_question(evaluate, asked):
    evaluate("run", asked)
    code, out, _ = evaluate("compare", "asked:marc", "asked:marc-no-graph", "--json")
    (found,) = json.loads(out)
    assert (code, found["cases"]) == (0, 6)
    metrics = {one["metric"]: one for one in found["metrics"]}
    assert metrics["satisfaction_at_3"]["compared"]["difference"]["value"] > 0
    assert "mean_ms" not in metrics


def test_runs_over_questions_are_listed_beside_the_others(evaluate, asked):
    evaluate("run", asked)
    told = json.loads(evaluate("list", "--json").out)
    assert told["runs"] == [
        {
            "name": "asked",
            "state": "complete",
            "systems": ["marc", "marc-no-graph"],
            "title": "Six questions",
        }
    ]
    assert {"marc-ablation", "questions"} <= {one["name"] for one in told["configs"]}


def test_no_engine_shares_out_questions(evaluate, asked, bar):
    code, out, noted = evaluate("run", asked, "--engine", "ray")
    assert (code, out) == (2, "")
    assert "no engine shares them out" in noted
    assert not (bar / "runs").exists()


def test_an_unknown_system_is_refused_before_anything_is_asked(evaluate, asked, bar):
    text = asked.read_text(encoding="utf-8").replace("marc-no-graph", "oracle")
    asked.write_text(text, encoding="utf-8")
    code, out, noted = evaluate("run", asked)
    assert (code, out) == (2, "")
    assert "no system 'oracle'" in noted
    assert not (bar / "runs").exists()
