"""Runs over gold questions: killed ones go on, the test half keeps its secrets, figures compare."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import msgspec
import pytest

from localrec.data.answers import Answer
from localrec.data.questions import Question
from localrec.evaluation.comparisons import compare_runs
from localrec.evaluation.configs import QuestionRunConfig, RunConfig, load_config, ready_configs
from localrec.evaluation.questions.gold import read_gold
from localrec.evaluation.reporting.rendering import read_report
from localrec.evaluation.reporting.report_records import ConfusionPlot, HeatMap, TableBlock
from localrec.evaluation.run_folder import RunFolder
from localrec.evaluation.run_report import write_run_report
from localrec.foundation.errors import InputError, UsageError
from localrec.systems.registry import SYSTEM_REGISTRY
from localrec.workspace import OpenWorkspace

from . import bar as planted
from .bar import FAILING, config, measure, scripted, stammering, without_model

ROOT = Path(__file__).parents[2]
PROGRAM = "import sys; from tests.evaluation.bar import main; main(*sys.argv[1:])"
DEV = 18


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    return planted.plant(tmp_path_factory.mktemp("bar") / "w")


@pytest.fixture(scope="module")
def ablation(home, tmp_path_factory):
    """MARC with and without its graph on the test half, with its report."""
    out = tmp_path_factory.mktemp("run") / "ablation"
    some = {"name": "some", "entry": "marc", "sample": 5}
    measure(home, out, config(home, "marc", "marc-no-graph", some, half="test"))
    write_run_report(RunFolder(out))
    return RunFolder(out)


@pytest.fixture(scope="module")
def rag(home, tmp_path_factory):
    """Vector-only RAG with a model that always picks the same numbers, on the dev half."""
    out = tmp_path_factory.mktemp("run") / "rag"
    measure(home, out, config(home, "vector-rag"), open_workspace=scripted)
    return RunFolder(out)


def lines(path):
    """Cases without the times, which nobody can repeat."""
    return [{**json.loads(line), "ms": None} for line in path.read_bytes().splitlines()]


def without_times(result):
    kept = {**result.metrics, "mean_ms": None}
    counted = msgspec.structs.replace(result.questions, measures={}, stages={}, percentiles_ms={})
    groups = [
        {name: {**figures, "mean_ms": None} for name, figures in group.items()}
        for group in (counted.by_task, counted.by_style)
    ]
    return kept, groups, msgspec.structs.replace(counted, by_task={}, by_style={})


class TestARun:
    def test_killed_at_any_time_goes_on_and_ends_as_if_it_had_not_been(self, home, tmp_path):
        whole, killed = tmp_path / "whole", tmp_path / "killed"
        undisturbed = measure(home, whole, config(home, "marc", "marc-no-graph"))
        answers = killed / "answers-marc.jsonl"
        process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, str(home), str(killed)], cwd=ROOT
        )
        deadline = time.monotonic() + 60
        while not (answers.is_file() and answers.stat().st_size) and time.monotonic() < deadline:
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        process.wait()
        kept = answers.read_bytes()
        assert 0 < kept.count(b"\n") < DEV
        torn = len(kept) - 20  # as a kill in the midst of a line would leave it
        with answers.open("r+b") as file:
            file.truncate(torn)
        kept = kept[: kept[:torn].rfind(b"\n") + 1]
        resumed = measure(home, killed, config(home, "marc", "marc-no-graph"))
        assert answers.read_bytes().startswith(kept)
        for system in ("marc", "marc-no-graph"):
            assert lines(killed / f"cases-{system}.jsonl") == lines(whole / f"cases-{system}.jsonl")
        for one, other in zip(undisturbed.systems, resumed.systems, strict=True):
            assert without_times(one) == without_times(other)

    def test_that_is_measured_is_not_asked_again(self, home, tmp_path, monkeypatch):
        measure(home, tmp_path / "run", config(home, "marc"))
        before = (tmp_path / "run" / "metrics.json").read_bytes()
        monkeypatch.setattr("localrec.evaluation.questions.question_harness.answer_batch", None)
        measure(home, tmp_path / "run", config(home, "marc"))
        assert (tmp_path / "run" / "metrics.json").read_bytes() == before

    def test_keeps_answers_as_a_batch_of_ask_writes_them(self, home, tmp_path):
        measure(home, tmp_path / "run", config(home, "marc", k=2))
        written = (tmp_path / "run" / "answers-marc.jsonl").read_bytes().splitlines()
        gold = read_gold(home / "gold.jsonl", "dev")
        with OpenWorkspace(home) as workspace:
            marc = SYSTEM_REGISTRY.answerer(workspace.context("cocktails"), "marc")
            for line, question in zip(written, gold, strict=True):
                found = msgspec.json.decode(line, type=Answer)
                again = marc.answer(Question(id=question.id, query=question.query), 2)
                assert found == msgspec.structs.replace(again, timings_ms=found.timings_ms)

    def test_with_a_system_that_does_not_exist_is_refused_before_anything_is_done(
        self, home, tmp_path
    ):
        with pytest.raises(UsageError, match="no system 'oracle'"):
            measure(home, tmp_path / "run", config(home, "marc", "oracle"))
        assert not (tmp_path / "run").exists()

    def test_without_a_catalogue_says_how_to_get_one(self, tmp_path):
        shipped = msgspec.convert(
            {
                "name": "run",
                "questions": {"gold": "cocktails", "half": "dev"},
                "systems": [{"name": "marc"}],
            },
            QuestionRunConfig,
        )
        home = tmp_path / "empty"
        home.mkdir()
        (home / "settings.toml").write_text('embedder = "hashing"\n', encoding="utf-8")
        OpenWorkspace(home, writable=True).store.close()
        with pytest.raises(InputError, match="nothing about 'cocktails'") as caught:
            measure(home, tmp_path / "run", shipped)
        assert "datasets pull cocktails" in caught.value.hint

    @pytest.mark.parametrize(
        ("changed", "said"),
        [({"k": 5}, "configuration"), ({"half": "test"}, "configuration, data")],
    )
    def test_is_gone_on_with_only_as_it_was_begun(self, home, tmp_path, changed, said):
        measure(home, tmp_path / "run", config(home, "marc"))
        with pytest.raises(UsageError, match=f"another state of: {said}"):
            measure(home, tmp_path / "run", config(home, "marc", **changed))

    def test_is_not_gone_on_with_another_catalogue_or_model(self, tmp_path):
        own = planted.plant(tmp_path / "own")
        measure(own, tmp_path / "run", config(own, "marc"))
        with (own / "settings.toml").open("a", encoding="utf-8") as file:
            file.write('chat_model = "another"\n')
        with pytest.raises(UsageError, match="another state of: models"):
            measure(own, tmp_path / "run", config(own, "marc"))
        with OpenWorkspace(own, writable=True) as workspace:
            workspace.store.execute(
                "UPDATE edge SET properties = '{}' WHERE kind = 'HAS_GLASSTYPE'"
            )
        with pytest.raises(UsageError, match="another state of: data, models"):
            measure(own, tmp_path / "run", config(own, "marc"))


class TestASystem:
    def test_that_fails_is_told_stops_nobody_and_is_tried_again(self, home, tmp_path):
        declared = config(home, "marc-no-graph", "marc")
        failed, measured = measure(home, tmp_path / "run", declared, systems=FAILING).systems
        assert failed.failed == "ZeroDivisionError: no graph"
        assert measured.cases == DEV
        assert not measure(home, tmp_path / "run", declared).systems[0].failed

    def test_whose_model_is_not_here_is_no_other_system(self, home, tmp_path):
        model, alone = measure(
            home,
            tmp_path / "run",
            config(
                home,
                "marc-model",
                {"name": "alone", "entry": "marc-model", "settings": {"no_model": True}},
            ),
            open_workspace=without_model,
        ).systems
        assert model.failed.startswith("There is no model for router.")
        assert alone.settings["router"] == "rules"
        assert alone.cases == DEV

    def test_is_reported_with_what_it_is_made_of(self, rag):
        (found,) = rag.metrics().systems
        assert found.settings == {"passages": 10, "selector": "scripted"}
        assert found.questions.answered_by["selection"] == {"model": DEV}
        assert found.metrics["mean_tokens"].value > 0

    def test_that_routes_nothing_has_no_router_accuracy(self, rag):
        (found,) = rag.metrics().systems
        assert found.metrics["router_accuracy"].value is None
        assert not any(found.questions.confusion.values())

    def test_whose_model_fails_is_doubtful(self, home, tmp_path):
        (found,) = measure(
            home, tmp_path / "run", config(home, "vector-rag"), open_workspace=stammering
        ).systems
        assert found.faults == {"the model of selection failed": DEV}
        assert found.questions.answered_by["selection"] == {"vectors": DEV}

    def test_may_be_asked_a_sample_that_grows(self, home, tmp_path):
        few, more = measure(
            home,
            tmp_path / "run",
            config(
                home,
                {"name": "few", "entry": "marc", "sample": 4},
                {"name": "more", "entry": "marc", "sample": 9},
            ),
        ).systems
        folder = RunFolder(tmp_path / "run")
        ids = [[line.id for line in folder.case_lines(one.name)] for one in (few, more)]
        assert (few.cases, more.cases) == (4, 9)
        assert set(ids[0]) < set(ids[1])


class TestTwoRuns:
    def test_are_compared_question_by_question(self, ablation):
        (found,) = compare_runs(ablation, ablation, "marc", "marc-no-graph")
        verdicts = {one.metric: one.compared.verdict for one in found.metrics}
        assert found.cases == DEV
        assert verdicts["satisfaction_at_3"] == "better"
        assert verdicts["barred_served"] == "better"  # fewer of them
        assert verdicts["router_accuracy"] == "not separable"
        assert "mean_ms" not in verdicts
        (turned,) = compare_runs(ablation, ablation, "marc-no-graph", "marc")
        assert {one.metric: one.compared.verdict for one in turned.metrics}[
            "satisfaction_at_3"
        ] == "worse"

    def test_are_compared_over_the_questions_of_both(self, ablation):
        (found,) = compare_runs(ablation, ablation, "marc", "some")
        assert found.cases == 5
        assert {one.compared.verdict for one in found.metrics} == {"not separable"}

    def test_of_two_halves_are_not_compared(self, ablation, home, tmp_path):
        measure(home, tmp_path / "run", config(home, "marc"))
        with pytest.raises(UsageError, match="the data and the half differ"):
            compare_runs(ablation, RunFolder(tmp_path / "run"), "marc", "marc")

    def test_are_not_compared_where_cases_are_missing(self, home, tmp_path):
        measure(home, tmp_path / "run", config(home, "marc", "marc-no-graph"))
        (tmp_path / "run" / "cases-marc.jsonl").write_bytes(b"")
        folder = RunFolder(tmp_path / "run")
        with pytest.raises(UsageError, match="has 0 cases of marc, but was asked 18"):
            compare_runs(folder, folder, "marc", "marc-no-graph")


class TestTheTestHalf:
    @pytest.mark.parametrize("name", ["report.html", "report.md", "report.json", "metrics.json"])
    def test_shows_neither_questions_nor_ids(self, ablation, name):
        shown = (ablation.path / name).read_text("utf-8")
        for line in planted.gold_lines():
            assert line["id"] not in shown
            assert line["query"] not in shown

    def test_keeps_cases_without_a_word_of_the_questions(self, ablation):
        cases = (ablation.path / "cases-marc-no-graph.jsonl").read_text("utf-8")
        for line in planted.gold_lines():
            assert line["query"] not in cases
        assert all(line.details is None for line in ablation.case_lines("marc-no-graph"))
        assert not any(name in cases for name in ("gin", "Negroni", "campari"))

    def test_is_told_apart_from_the_dev_half_which_shows_why(self, home, tmp_path):
        measure(home, tmp_path / "run", config(home, "marc-no-graph"))
        cases = RunFolder(tmp_path / "run").case_lines("marc-no-graph")
        assert cases[0].details.question.query == "a drink with gin"
        assert any(demands for one in cases for _, demands in one.details.broken)

    def test_says_so_in_its_report(self, ablation):
        report = (ablation.path / "report.md").read_text("utf-8")
        assert "Of this half only counts are shown." in report
        assert "| constraints held at 3 | 0 |" in report

    def test_is_not_quoted_by_an_error_either(self, home, tmp_path):
        declared = config(home, "marc-no-graph", half="test")
        (found,) = measure(home, tmp_path / "run", declared, systems=FAILING).systems
        assert found.failed == "ZeroDivisionError"


class TestTheReport:
    @pytest.fixture
    def report(self, ablation):
        return read_report((ablation.path / "report.json").read_bytes())

    def blocks(self, report, title):
        return next(section.blocks for section in report.sections if section.title == title)

    def test_leads_with_who_holds_most_and_who_cannot_be_told_from_it(self, report):
        assert report.summary.startswith("marc holds most of the constraints, 1.000")
        assert "Not separable from it, question by question: some." in report.summary

    def test_shows_one_router_for_all_systems_that_routed_alike(self, report):
        routers = [one for one in self.blocks(report, "Routers") if isinstance(one, ConfusionPlot)]
        assert routers[0].title == "Router of marc, marc-no-graph"
        assert routers[0].counts["C4"] == {"C4": 1}

    def test_shows_tasks_and_styles_by_system(self, report):
        tasks, _ = self.blocks(report, "By task and style")
        assert isinstance(tasks, HeatMap)
        assert set(tasks.rows) == {"C1 (0)", "C2 (1)", "C3 (16)", "C4 (1)"}

    def test_tells_who_spoke_times_and_sample(self, report):
        spoke, times, *_ = self.blocks(report, "Who spoke, and what it cost")
        assert isinstance(spoke, TableBlock)
        assert spoke.rows[0] == ("marc", "rules: 18", "measured: 18", "template: 18")
        assert times.head[:4] == ("system", "mean, ms", "median", "95th percentile")
        (told, *_) = self.blocks(report, "What was done")
        assert "some was asked 5 of them" in told.text

    def test_tells_tokens_where_a_model_was_asked(self, rag):
        _, markdown, _ = write_run_report(rag)
        assert "### Tokens to an answer" in markdown.read_text("utf-8")

    def test_of_a_run_without_figures_is_a_report_all_the_same(self, home, tmp_path):
        declared = config(home, "marc-no-graph")
        measure(home, tmp_path / "run", declared, systems=FAILING)
        _, markdown, _ = write_run_report(RunFolder(tmp_path / "run"))
        text = markdown.read_text("utf-8")
        assert "Nothing was measured yet that is to be believed." in text
        assert "ZeroDivisionError: no graph" in text


class TestAConfiguration:
    def test_with_questions_is_a_question_run_and_any_other_ranks(self, tmp_path):
        path = tmp_path / "run.toml"
        path.write_text(
            'name = "q"\nquestions = {gold = "cocktails", half = "dev"}\n'
            'systems = [{name = "marc", settings = {no_model = true}}]\n',
            encoding="utf-8",
        )
        declared, _ = load_config(str(path))
        assert isinstance(declared, QuestionRunConfig)
        assert declared.questions.about == "cocktails"
        assert declared.questions.path.is_file()
        assert isinstance(load_config("ml-100k-baselines-20")[0], RunConfig)

    @pytest.mark.parametrize(
        ("line", "said"),
        [
            ('questions = {gold = "cocktails", half = "all"}', "half"),
            ('questions = {gold = "cocktails"}', "half"),
            ('questions = {gold = "cocktails", half = "dev", sample = 3}', "sample"),
            ('questions = {gold = "x", half = "dev"}\ndata = {domain = "movies"}', "data"),
        ],
    )
    def test_that_is_wrong_says_where(self, tmp_path, line, said):
        path = tmp_path / "run.toml"
        path.write_text(f'name = "q"\nsystems = [{{name = "marc"}}]\n{line}\n', encoding="utf-8")
        with pytest.raises(InputError, match=said):
            load_config(str(path))

    @pytest.mark.parametrize(("name", "half"), [("marc-ablation", "test"), ("questions", "dev")])
    def test_ships_ready_to_run(self, name, half):
        declared, _ = load_config(name)
        assert name in ready_configs()
        assert declared.questions.half == half
        assert len(read_gold(declared.questions.path, half)) == 140
