"""The script that makes the page's tables out of ranking runs."""

import subprocess
import sys
from pathlib import Path

import pytest

from localrec.evaluation.run_folder import RunFolder
from localrec.sources.dataset_catalog import find_dataset
from localrec.workspace import OpenWorkspace

from .crowd import config, measure

SCRIPT = Path(__file__).parents[2] / "scripts" / "studies" / "run.py"
CONFIG = """
name = "camps"
title = "Two camps"
data = {domain = "movies"}
protocol = {candidates = 20}
k = [1, 10]
systems = [
    {name = "random"},
    {name = "ease", trials = 3},
    {name = "fixed", entry = "ease", settings = {regularization = 400.0}},
]
"""


@pytest.fixture
def page(crowd, tmp_path):
    def make(*arguments):
        page = tmp_path / "results" / "ranking.md"
        given = ["--report", "--workspace", crowd, "--docs", tmp_path]
        done = subprocess.run(
            [sys.executable, SCRIPT, "ranking_runs", *arguments, *given],
            capture_output=True,
            text=True,
        )
        return done, page.read_text("utf-8") if page.is_file() else ""

    return make


def row_of(page, name):
    return next(line for line in page.splitlines() if line.startswith(f"| {name} |"))


def test_one_command_makes_the_runs_that_are_missing_and_the_page(page, crowd, tmp_path):
    declared = tmp_path / "camps.toml"
    declared.write_text(CONFIG, encoding="utf-8")
    done, told = page("--run", declared)
    assert done.returncode == 0, done.stderr
    assert (
        "| system | H@1 | H@10 | NDCG@10 | MRR | search, s | fit, s | ms per case | trials |"
        in told
    )
    assert "20 candidates, seed 7. 400 interactions of 40 people with 40 items" in told
    assert "localrec evaluate run camps.toml" in told
    ndcgs = {name: row_of(told, name).split(" | ")[3] for name in ("ease", "fixed", "random")}
    best, level, worse = sorted(ndcgs.values(), key=len, reverse=True)
    assert best.startswith("**") and best.endswith("**")
    assert level.endswith("≈")
    assert worse == ndcgs["random"] and worse.endswith("]")
    _, settings = told.split("### Settings")
    assert row_of(settings, "fixed").endswith("| regularization = 400.0 |")
    assert row_of(settings, "random").endswith("| defaults |")
    assert "Not tuned: random, fixed. At most 3 trials, seed 7: ease." in settings

    metrics = crowd / "runs" / "camps" / "metrics.json"
    before = metrics.stat().st_mtime_ns
    done, again = page("--run", declared)
    assert again == told
    assert metrics.stat().st_mtime_ns == before


def test_a_run_that_is_not_finished_makes_no_page(page, crowd):
    half = RunFolder(crowd / "runs" / "half")
    measure(crowd, half.path, config("popularity"))
    (half.path / "metrics.json").unlink()
    done, told = page("half")
    assert (done.returncode, told) == (2, "")
    assert "The run half is not finished." in done.stderr


def test_what_failed_or_is_faulty_is_told_below_the_figures(page, crowd):
    systems = ("nofit", "broken", "popularity")
    measure(crowd, crowd / "runs" / "bad", config(*systems, protocol={"candidates": 10}))
    _, told = page("bad")
    assert "| nofit | failed | ZeroDivisionError: no data |" in told
    assert "| broken | empty | in 7 of 40 answers |" in told
    assert row_of(told, "nofit").startswith("| nofit | - | - |")


def test_the_demonstration_shows_that_a_cheat_and_a_breakdown_are_caught(page, crowd):
    with OpenWorkspace(crowd, writable=True) as workspace:
        kind = find_dataset("ml-100k").kind
        workspace.store.execute("UPDATE interaction SET source = ?", [kind])
    done, told = page("--demonstrate")
    assert done.returncode == 0, done.stderr
    assert "| cheat | sees the target | It put 40 of 40 evenly drawn decoys first" in told
    assert "| cheat | too good to be true |" in told
    for kind in ("unknown", "repeated", "empty", "short", "failed"):
        assert f"| broken | {kind} | in " in told
    assert "Not to be believed: cheat." in told
    assert not (crowd / "runs" / "caught").exists()
