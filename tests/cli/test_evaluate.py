"""`localrec evaluate`: a run in one command, compared in another, listed in a third."""

import json

import pytest

from tests.evaluation.crowd import plant

CONFIG = """
name = "camps"
title = "Two camps"
data = {domain = "movies"}
protocol = {candidates = 10}
systems = [{name = "ease"}, {name = "popularity"}, {name = "auto", kind = "ranker"}]
"""


@pytest.fixture(scope="module")
def crowd(tmp_path_factory):
    return plant(tmp_path_factory.mktemp("crowd") / "w")


@pytest.fixture
def evaluate(cli, crowd):
    def call(*arguments):
        return cli("--workspace", crowd, "evaluate", *arguments)

    return call


@pytest.fixture
def camps(tmp_path):
    path = tmp_path / "camps.toml"
    path.write_text(CONFIG, encoding="utf-8")
    return path


def test_a_run_prints_a_table_and_can_be_started_again(evaluate, camps, crowd):
    code, out, noted = evaluate("run", camps)
    assert code == 0
    assert [line.split()[0] for line in out.splitlines()] == [
        "system",
        "ease",
        "popularity",
        "auto",
    ]
    assert str(crowd / "runs" / "camps") in noted
    assert (crowd / "runs" / "camps" / "config.toml").read_text(encoding="utf-8") == CONFIG
    cases = crowd / "runs" / "camps" / "cases-ease.jsonl"
    before = cases.read_bytes()
    assert evaluate("run", camps).out == out
    assert cases.read_bytes() == before


def test_parts_that_were_measured_side_by_side_are_joined(evaluate, tmp_path):
    for name in ("ease", "popularity"):
        part = tmp_path / f"{name}.toml"
        part.write_text(
            f'name = "{name}"\ndata = {{domain = "movies"}}\nsystems = [{{name = "{name}"}}]\n',
            encoding="utf-8",
        )
        assert evaluate("run", part, "--out", tmp_path / name).code == 0
    both = [tmp_path / "ease", tmp_path / "popularity"]
    code, out, noted = evaluate("join", *both, "--out", tmp_path / "both")
    assert (code, out) == (0, "ease, popularity\n")
    assert str(tmp_path / "both") in noted
    assert (tmp_path / "both" / "report.html").is_file()
    again = evaluate("merge", *both, "--out", tmp_path / "both")
    assert (again.code, "holds a run already" in again.err) == (2, True)


def test_a_run_as_json_is_its_metrics(evaluate, camps, tmp_path):
    code, out, _ = evaluate("run", camps, "--out", tmp_path / "run", "--json")
    assert code == 0
    assert json.loads(out) == json.loads((tmp_path / "run" / "metrics.json").read_bytes())


def test_two_systems_are_compared_by_name(evaluate, camps):
    evaluate("run", camps)
    code, out, _ = evaluate("compare", "camps:ease", "camps:popularity")
    assert code == 0
    (line,) = [line for line in out.splitlines() if line.strip().startswith("NDCG@10")]
    assert line.rstrip().endswith("better")
    code, out, _ = evaluate("compare", "camps:popularity", "camps:ease", "--json")
    (found,) = json.loads(out)
    verdicts = {one["metric"]: one["compared"]["verdict"] for one in found["metrics"]}
    assert verdicts["NDCG@10"] == "worse"


def test_runs_and_ready_configurations_are_listed(evaluate, camps):
    evaluate("run", camps)
    code, out, _ = evaluate("list", "--json")
    told = json.loads(out)
    assert code == 0
    assert told["runs"] == [
        {
            "name": "camps",
            "state": "complete",
            "systems": ["ease", "popularity", "auto"],
            "title": "Two camps",
        }
    ]
    assert "ml-100k-baselines-full" in [one["name"] for one in told["configs"]]
    assert "Two camps" in evaluate("list").out


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("run", "nowhere.toml"), 1, "nowhere.toml cannot be read"),
        (("compare", "none", "none"), 1, "There is no run 'none'"),
        (("run", "ml-100k-baselines-full"), 1, "localrec datasets pull ml-100k"),
    ],
)
def test_what_cannot_be_done_is_told_with_its_remedy(evaluate, arguments, code, said):
    ended, out, noted = evaluate(*arguments)
    assert (ended, out) == (code, "")
    assert said in noted
