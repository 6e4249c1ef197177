"""The script that fits the weights of the agent's fused evidence beside those that ship."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from localrec.agent.tool_fusion import DEFAULT_TOOL_WEIGHTS
from localrec.evaluation.ranking import log_contexts
from localrec.evaluation.ranking.cases import EvaluationProtocol, split_data
from localrec.evaluation.ranking.keyed_interactions import read_interactions
from localrec.graph.domain_files import load_domain
from localrec.ranking.baselines.neural.configs import SASRecConfig
from localrec.workspace import OpenWorkspace

from .crowd import plant

SCRIPTS = Path(__file__).parents[2] / "scripts" / "studies"
TEN = EvaluationProtocol(candidates=10)


@pytest.fixture(scope="module")
def script():
    """The script as a module."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(SCRIPTS)
        import agent_weights

        yield agent_weights


@pytest.fixture(scope="module")
def crowd(tmp_path_factory):
    return plant(tmp_path_factory.mktemp("crowd") / "w")


@pytest.fixture(scope="module")
def data(script, crowd):
    """What the script reads of a planted workspace."""
    domain = load_domain("movies")
    with OpenWorkspace(crowd) as workspace:
        keyed = read_interactions(workspace.store, domain)
        parted = split_data(keyed.interactions, TEN)
        bench = sys.modules["shared_memory"].Bench(workspace, domain, keyed, parted)
        yield script.Data(domain, keyed, parted, bench)


@pytest.fixture(scope="module")
def figures(script, data):
    """Everything measured once, with a small network."""
    with pytest.MonkeyPatch.context() as patch:
        make = log_contexts.make_sasrec
        small = SASRecConfig(embedding_size=8, epochs=1, length=10)
        patch.setattr(log_contexts, "make_sasrec", lambda settings: make(small))
        return script.measure_weights(data, 30)


def test_the_halves_share_nobody_and_are_drawn_alike_every_time(script, data):
    first, other = script.halves_of(data.parted.validation, 31)
    assert (len(first), len(other)) == (15, 16)
    assert not set(first.user.tolist()) & set(other.user.tolist())
    again = script.halves_of(data.parted.validation, 31)
    assert [one.row.tolist() for one in again] == [first.row.tolist(), other.row.tolist()]


def test_each_half_is_judged_by_what_was_fitted_on_the_other(script, data, monkeypatch):
    halves = script.halves_of(data.parted.validation, 8)
    acting = script.fitted_agent(data, sequential=False)
    tool_contexts = [script.desks_of(acting, half) for half in halves]
    asked, placed = [], script.placed
    monkeypatch.setattr(
        script,
        "placed",
        lambda some, positives, weights: (
            asked.append((some, weights.weights)) or placed(some, positives, weights)
        ),
    )
    judged = script.cross_fitted(tool_contexts, halves)
    for half in (0, 1):
        (_, shipped), (some, foreign) = asked[2 * half : 2 * half + 2]
        assert shipped == DEFAULT_TOOL_WEIGHTS.weights
        assert some is tool_contexts[half]
        assert foreign == judged.fitted[1 - half] != judged.fitted[half]


def test_what_is_found_is_the_film_that_was_taken(script, data):
    cases = data.parted.validation
    for place, line, positive in zip(
        script.positives_of(cases), cases.candidates, cases.positives, strict=True
    ):
        assert line[place] == positive[0]


def test_only_evidence_with_the_network_has_its_weight(figures):
    guided, plain = figures.ways
    assert (guided.name, plain.name) == ("with SASRec", "without")
    assert all("shared_taste()" in one for way in figures.ways for one in way.fitted)
    for metric in ("H@1", "NDCG@10"):
        assert plain.metrics["as shipped"][metric].n == 30
        assert guided.gaps[metric].difference.n == 30


def test_the_block_tells_weights_and_figures(script, figures):
    told = script.as_markdown(figures)
    assert "Validation cases of 30 people" in told
    assert "| `likely_next()` | 1.00 |" in told
    assert told.count("| NDCG@10, ") == 2
    assert "Made by `python scripts/studies/run.py agent_weights --people 30`" in told


def test_a_workspace_without_the_films_is_refused_with_the_remedy(crowd, tmp_path):
    done = subprocess.run(
        [
            *(sys.executable, SCRIPTS / "run.py", "agent_weights", "--report"),
            *("--workspace", crowd, "--docs", tmp_path),
        ],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    assert "localrec datasets pull ml-100k" in done.stderr
    assert not list(tmp_path.iterdir())
