"""Rankings go out as TREC files and come back as a run, judged by the same cases."""

import json

import ir_measures
import pytest

from localrec.evaluation.comparisons import compare_runs
from localrec.evaluation.ranking.trec import (
    TrecRun,
    ranked_items,
    read_qrels,
    read_trec_run,
    write_trec_run,
)
from localrec.evaluation.ranking.trec_exchange import export_trec, import_trec_run
from localrec.evaluation.run_folder import RunFolder
from localrec.foundation.errors import InputError, UsageError

from .crowd import MADE, config, measure, plant


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A workspace with a finished run named `ours`."""
    home = plant(tmp_path_factory.mktemp("foreign") / "w")
    measure(home, home / "runs" / "ours", config("ease", "popularity", k=[5, 10]))
    return home


@pytest.fixture(scope="module")
def ours(home):
    return RunFolder(home / "runs" / "ours")


def test_what_goes_out_is_judged_alike_by_another_evaluator(ours, tmp_path):
    qrels, ease, _ = export_trec(ours, tmp_path / "out")
    found = ir_measures.calc_aggregate(
        [ir_measures.nDCG @ 10, ir_measures.Success @ 5],
        list(ir_measures.read_trec_qrels(str(qrels))),
        list(ir_measures.read_trec_run(str(ease))),
    )
    told = {one.name: one.metrics for one in ours.metrics().systems}["ease"]
    assert found[ir_measures.nDCG @ 10] == pytest.approx(told["NDCG@10"].value, abs=1e-4)
    assert found[ir_measures.Success @ 5] == pytest.approx(told["H@5"].value, abs=1e-4)


def test_what_went_out_comes_back_with_the_same_figures(ours, tmp_path):
    _, ease, _ = export_trec(ours, tmp_path / "out")
    back = RunFolder(tmp_path / "back")
    [found] = import_trec_run(ours, ease, back, MADE).systems
    told = {one.name: one.metrics for one in ours.metrics().systems}["ease"]
    for metric in ("H@1", "H@5", "NDCG@10"):
        assert found.metrics[metric] == told[metric]
    [against] = compare_runs(back, ours, "ease", "ease")
    assert {line.compared.verdict for line in against.metrics if line.metric != "MRR"} == {
        "not separable"
    }


def test_an_answer_that_is_missing_or_short_is_a_fault(ours, tmp_path):
    cases = [one.id for one in ours.outcomes("ease")]
    path = tmp_path / "poor.run"
    write_trec_run(path, TrecRun(tag="poor", rankings={cases[0]: ranked_items(["f01"])}))
    [found] = import_trec_run(ours, path, RunFolder(tmp_path / "poor"), MADE).systems
    assert found.faults == {"short": 1, "empty": len(cases) - 1}
    assert found.metrics["invalid"].value == 1.0


def test_topics_that_are_no_cases_are_refused(ours, tmp_path):
    path = tmp_path / "strange.run"
    write_trec_run(path, TrecRun(tag="strange", rankings={"q1": ranked_items(["f01"])}))
    with pytest.raises(InputError, match="1 topics that are no cases of ours"):
        import_trec_run(ours, path, RunFolder(tmp_path / "strange"), MADE)
    assert not (tmp_path / "strange").exists()


def test_a_tag_that_names_no_file_is_refused(ours, tmp_path):
    [case, *_] = ours.outcomes("ease")
    path = tmp_path / "tag.run"
    write_trec_run(path, TrecRun(tag="../up", rankings={case.id: ranked_items(["f01"])}))
    with pytest.raises(InputError, match="cannot name a system"):
        import_trec_run(ours, path, RunFolder(tmp_path / "tag"), MADE)


def test_files_that_are_there_are_not_replaced(ours, tmp_path):
    export_trec(ours, tmp_path)
    with pytest.raises(UsageError, match="exists already"):
        export_trec(ours, tmp_path)


def test_the_commands_do_both(home, ours, tmp_path, cli):
    out = tmp_path / "trec"
    told = cli("--workspace", home, "evaluate", "export", "ours", "--out", out, "--json")
    assert (told.code, len(json.loads(told.out)["files"])) == (0, 3)
    assert read_qrels(out / "qrels").keys() == read_trec_run(out / "ease.run").rankings.keys()
    said = cli("--workspace", home, "evaluate", "import-run", "ours", out / "ease.run")
    assert said.code == 0
    assert said.out.startswith("ease: H@1 ")
    assert (home / "runs" / "ease" / "report.html").is_file()
    assert "theirs.run" in cli("evaluate", "import-run", "--help").out
