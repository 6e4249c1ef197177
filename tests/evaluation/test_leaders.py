"""Who leads: tested case by case, corrected for all systems, only among those to be believed."""

import numpy as np
import pytest

from localrec.evaluation.ranking.leakage import Suspicion
from localrec.evaluation.run_folder import RunFolder, SystemResult
from localrec.evaluation.significance import (
    CaseValues,
    compare_with_leader,
    compare_with_leaders,
    doubts_about,
    is_believed,
)
from localrec.evaluation.statistics import IntervalEstimate

from .crowd import config, measure, plant

CASES = 200
GOOD = np.random.default_rng(5).random(CASES)


def values(column, cases=None):
    names = tuple(f"c{number}" for number in (range(CASES) if cases is None else cases))
    return CaseValues(cases=names, users=names, values=np.asarray(column, dtype=float))


def result(**fields):
    told = {"name": "x", "settings": {}, "fit_s": 0.0, "score_s": 0.0, "cases": 9}
    return SystemResult(
        **{**told, "metrics": {"H@1": IntervalEstimate(0.5, 0.4, 0.6, 9)}, **fields}
    )


class TestAStanding:
    def test_tells_what_is_a_little_worse_in_every_case_though_intervals_overlap(self):
        found = compare_with_leader("H@1", {"worse": values(GOOD - 0.02), "best": values(GOOD)})
        assert found.best == "best"
        assert found.others["worse"].verdict == "worse"
        assert found.others["worse"].difference.value == pytest.approx(-0.02)
        assert found.level == ()

    def test_does_not_tell_what_differs_by_chance(self):
        noise = np.random.default_rng(6).normal(-0.001, 0.3, CASES)
        found = compare_with_leader("H@1", {"best": values(GOOD), "level": values(GOOD + noise)})
        assert len(found.level) == 1

    def test_is_corrected_for_the_number_of_systems(self):
        slightly = GOOD.copy()
        slightly[:6] -= 0.5  # p is 2/64 for one system alone
        alone = compare_with_leader("H@1", {"best": values(GOOD), "a": values(slightly)})
        many = {name: values(slightly) for name in "abcd"}
        assert alone.level == ()
        assert compare_with_leader("H@1", {"best": values(GOOD), **many}).level == tuple("abcd")

    def test_of_faults_has_the_fewest_in_front(self):
        faulty, whole = values(np.ones(CASES)), values(np.zeros(CASES))
        found = compare_with_leader("invalid", {"faulty": faulty, "whole": whole})
        assert (found.best, found.level) == ("whole", ())

    def test_of_a_sample_counts_the_cases_of_both_whatever_their_order(self):
        cases = np.random.default_rng(7).permutation(CASES)[:40]
        sampled = values(GOOD[cases] - 0.1, cases.tolist())
        found = compare_with_leader("H@1", {"best": values(GOOD), "sampled": sampled})
        assert found.others["sampled"].difference.n == 40
        assert found.others["sampled"].difference.value == pytest.approx(-0.1)
        assert found.others["sampled"].verdict == "worse"


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    home = tmp_path_factory.mktemp("run")
    crowd = plant(home / "w")
    systems = ("random", "ease", {"name": "half", "entry": "random", "sample": 20})
    protocol = {"candidates": 20}
    measure(crowd, home / "run", config("truthknower", "nofit", *systems, protocol=protocol))
    return RunFolder(home / "run")


class TestARun:
    def test_is_led_by_the_best_of_those_that_are_to_be_believed(self, run):
        found = compare_with_leaders(run, ["NDCG@10", "MRR", "recall@10"])
        assert list(found) == ["NDCG@10", "MRR"]
        assert found["NDCG@10"].best == "ease"
        assert set(found["NDCG@10"].others) == {"random", "half"}
        assert found["NDCG@10"].others["half"].difference.n == 20
        assert found["NDCG@10"].level == ()

    def test_of_which_cases_are_missing_has_no_leader(self, run, tmp_path):
        half = RunFolder(tmp_path / "half")
        half.begin(b"", run.origin())
        half.write("metrics.json", run.metrics())
        half.append("ease", run.outcomes("ease"))
        assert compare_with_leaders(half, ["NDCG@10"]) == {}


def test_a_system_is_believed_when_nothing_speaks_against_it():
    doubt = Suspicion(kind="sees the target", detail="It put 9 of 9 decoys first.")
    assert is_believed(result(faults={"short": 2}))
    assert not is_believed(result(suspicions=(doubt,)))
    assert not is_believed(result(failed="It raised."))
    assert not is_believed(result(metrics={}))


def test_doubts_are_failures_then_suspicions_then_faults():
    doubt = Suspicion(kind="sees the target", detail="It put 9 of 9 decoys first.")
    doubtful = result(failed="It raised.", suspicions=(doubt,), faults={"short": 2})
    assert list(doubts_about(doubtful)) == [
        ("failed", "It raised."),
        ("sees the target", "It put 9 of 9 decoys first."),
        ("short", "in 2 of 9 answers"),
    ]
