"""From a run's figures to its report: nothing left out, and what is doubtful is said first."""

import msgspec
import pytest

from localrec.evaluation.configs import DataConfig, RunConfig, SystemConfig
from localrec.evaluation.explanations.llm_judge import judge_samples
from localrec.evaluation.explanations.samples import Sample
from localrec.evaluation.provenance import Origin
from localrec.evaluation.ranking.leakage import Suspicion
from localrec.evaluation.reporting.rendering import as_html, as_markdown
from localrec.evaluation.reporting.report_records import ScatterPlot, TableBlock
from localrec.evaluation.run_folder import RunFolder, RunMetrics, RunOrigin, SystemResult
from localrec.evaluation.run_report import run_report, write_run_report
from localrec.evaluation.significance import LeaderComparison
from localrec.evaluation.statistics import IntervalEstimate, compare
from localrec.foundation.jsonl_log import write_records
from localrec.llm.scripted import ScriptedModel

from .planted_report import figure

NAMES = ("ours", "sasrec", "popularity", "cheat", "broken")
ORIGIN = RunOrigin(
    run=RunConfig(
        name="planted",
        title="Planted data",
        data=DataConfig(domain="movies"),
        systems=tuple(
            SystemConfig(name=name, kind="ranker" if name == "ours" else "baseline")
            for name in NAMES
        ),
    ),
    protocol="leave-one-out, 10 candidates, seed 7",
    fingerprint="0123456789abcdef",
    users=3,
    items=4,
    interactions=1200,
    train=6,
    validation=3,
    test=3,
    made=Origin(command="localrec evaluate run x", date="2026-11-22", versions={}, machine="2"),
    engine="local",
)


def result(name, ndcg, seconds=1.0, **fields):
    metrics = {"H@1": ndcg / 2, "H@10": 2 * ndcg, "NDCG@5": ndcg / 2, "NDCG@10": ndcg}
    measured = {kind: figure(value) for kind, value in {**metrics, "invalid": 0.0}.items()}
    measured["ms"] = IntervalEstimate(2.0, None, None, 3)
    return SystemResult(
        **{
            "name": name,
            "settings": {"depth": 2},
            "fit_s": seconds,
            "score_s": 0.5,
            "cases": 3,
            "metrics": measured,
            **fields,
        }
    )


SYSTEMS = (
    result("popularity", 0.02, 0.01),
    result("sasrec", 0.41, 60.0),
    result("ours", 0.4, 3.0),
    result("cheat", 0.9, suspicions=(Suspicion(kind="sees the target", detail="9 of 10 decoys"),)),
    result("broken", 0.1, metrics={}, failed="It raised KeyError.", faults={"empty": 3}),
)
EVERY = [(1.0, 1.0)] * 50
METRICS = RunMetrics(complete=True, systems=SYSTEMS)


def blocks_of(report, title):
    return next(section.blocks for section in report.sections if section.title == title)


@pytest.fixture(scope="module")
def report():
    return run_report(ORIGIN, METRICS)


class TestARunsReport:
    def test_leads_with_the_best_that_is_to_be_believed(self, report):
        assert report.summary.startswith("sasrec has the highest NDCG@10, 0.4100 [0.3690")
        assert report.summary.endswith(
            "Nobody was compared with it: the cases are not all here. Not to be believed: cheat."
        )
        (bars, *_) = blocks_of(report, "Quality")
        assert list(bars.rows) == ["sasrec", "ours", "popularity", "cheat", "broken"]

    def test_says_who_cannot_be_told_from_the_best_by_cases_not_by_intervals(self):
        leading = LeaderComparison(
            metric="NDCG@10",
            best="sasrec",
            others={
                "ours": compare(EVERY, [(0.0, 1.0), *EVERY[1:]]),
                "popularity": compare([(0.1, 1.0)] * 50, EVERY),
            },
        )
        told = run_report(ORIGIN, METRICS, leading=leading)
        assert "Not separable from it, case by case: ours. " in told.summary
        *_, table = blocks_of(told, "Quality")
        assert [(name, verdict) for name, _, _, verdict in table.rows] == [
            ("ours", "not separable"),
            ("popularity", "worse"),
        ]
        alone = msgspec.structs.replace(leading, others={"ours": leading.others["popularity"]})
        assert "All others are worse" in run_report(ORIGIN, METRICS, leading=alone).summary

    def test_says_what_is_doubtful_before_any_figure(self, report):
        titles = [section.title for section in report.sections]
        assert titles.index("What was done") < titles.index("Quality")
        (doubts,) = [
            one for one in blocks_of(report, "What was done") if isinstance(one, TableBlock)
        ]
        assert doubts.rows == (
            ("cheat", "sees the target", "9 of 10 decoys"),
            ("broken", "failed", "It raised KeyError."),
            ("broken", "empty", "in 3 of 3 answers"),
        )

    def test_draws_each_metric_at_its_longest_list_and_lists_the_others(self, report):
        drawn, _, rest = blocks_of(report, "Quality")
        assert [scale.name for scale in drawn.scales] == ["H@10", "NDCG@10"]
        assert [scale.name for scale in rest.scales] == [
            "H@1",
            "NDCG@5",
            "invalid",
            "time of an answer",
        ]
        assert [scale.better for scale in rest.scales] == ["more", "more", "less", "less"]

    def test_sets_our_own_systems_off(self, report):
        drawn, scatter, _ = blocks_of(report, "Quality")
        assert drawn.ours == scatter.ours == ("ours",)

    def test_sets_quality_against_all_of_the_time(self, report):
        (scatter,) = [one for one in blocks_of(report, "Quality") if isinstance(one, ScatterPlot)]
        assert {one.name: one.across for one in scatter.points} == {
            **{"sasrec": 60.5, "ours": 3.5, "popularity": 0.51, "cheat": 1.5}
        }

    def test_prints_protocol_settings_and_search(self, report):
        text = as_markdown(report)
        assert "leave-one-out, 10 candidates, seed 7. 1,200 interactions of 3 people" in text
        assert "depth = 2" in text
        assert "| none |" in text

    def test_says_when_a_run_is_not_finished(self):
        halfway = RunMetrics(complete=False, systems=SYSTEMS[:1])
        assert run_report(ORIGIN, halfway).summary.endswith("The run is not finished.")

    @pytest.mark.parametrize("systems", [(), SYSTEMS[-1:]], ids=["none", "only-failures"])
    def test_without_figures_is_a_report_all_the_same(self, systems):
        empty = run_report(ORIGIN, RunMetrics(complete=False, systems=systems))
        assert "Nothing was measured yet" in empty.summary
        assert "Nothing was measured yet." in as_html(empty)


class TestAFolder:
    @pytest.fixture
    def folder(self, tmp_path):
        run = RunFolder(tmp_path / "run")
        run.begin(b"", ORIGIN)
        run.write("metrics.json", METRICS)
        return run

    def test_gets_a_report_from_what_lies_in_it(self, folder):
        html, markdown, _ = write_run_report(folder)
        assert "Planted data" in html.read_text("utf-8")
        assert "Judged explanations" not in markdown.read_text("utf-8")

    def test_with_verdicts_gets_a_section_on_the_judge(self, folder):
        samples = [
            Sample(id=f"q{n}", system="ours", request="a", recommended="b", explanation=f"c{n}")
            for n in range(5)
        ]
        write_records(folder.path / "samples.jsonl", samples)
        judge_samples(ScriptedModel(lambda _: "4"), samples, folder.path / "verdicts.jsonl")
        _, markdown, _ = write_run_report(folder)
        assert "5 explanations and 0 exchanged ones were put to scripted" in markdown.read_text(
            "utf-8"
        )
