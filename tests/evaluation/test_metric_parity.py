"""Our metrics against ir_measures (trec_eval's code and MS MARCO's) on 1,000 random cases."""

from __future__ import annotations

from types import SimpleNamespace

import ir_measures
import numpy as np
import pytest
from ir_measures import AP, RR, P, R, Success, nDCG

from localrec.evaluation.ranking.metrics import (
    average_precision,
    hit_rate,
    hit_rates,
    hits_of,
    ndcg,
    ndcgs,
    precision,
    recall,
    reciprocal_rank,
    reciprocal_ranks,
    tied_ranks,
)
from localrec.evaluation.ranking.trec import (
    TrecRun,
    ranked_items,
    read_qrels,
    read_trec_run,
    write_qrels,
    write_trec_run,
)

CASES = 1_000
CUTOFFS = (1, 3, 5, 10, 20)
EXACT = 1e-9


@pytest.fixture(scope="module")
def lists():
    """Lists of up to 30 items of 60, of which up to 15 are relevant, some not in the list."""
    random = np.random.default_rng(11)
    names = np.array([f"item {number}" for number in range(60)])
    rankings = {
        f"case {case}": random.permutation(names)[: random.integers(1, 31)].tolist()
        for case in range(CASES)
    }
    relevant = {
        topic: set(random.choice(names, size=random.integers(1, 16), replace=False).tolist())
        for topic in rankings
    }
    return SimpleNamespace(rankings=rankings, relevant=relevant)


def by_reference(measures, qrels, run):
    """Measure -> topic -> value."""
    found = {measure: {} for measure in measures}
    for metric in ir_measures.iter_calc(measures, qrels, run):
        found[metric.measure][metric.query_id] = metric.value
    return found


@pytest.fixture(scope="module")
def reference(lists):
    """What ir_measures finds for the lists."""
    qrels = {topic: dict.fromkeys(items, 1) for topic, items in lists.relevant.items()}
    run = {
        topic: {one.item: one.score for one in ranked_items(ranking)}
        for topic, ranking in lists.rankings.items()
    }
    at_k = [measure @ k for measure in (nDCG, RR, AP, P, R, Success) for k in CUTOFFS]
    return by_reference([*at_k, RR, AP], qrels, run)


OURS = {
    nDCG: lambda hits, relevant, k: ndcg(hits, relevant, k),
    RR: lambda hits, relevant, k: reciprocal_rank(hits, k),
    AP: lambda hits, relevant, k: average_precision(hits, relevant, k),
    P: lambda hits, relevant, k: precision(hits, k),
    R: lambda hits, relevant, k: recall(hits, relevant, k),
    Success: lambda hits, relevant, k: hit_rate(hits, k),
}


@pytest.mark.parametrize(
    ("measure", "k"),
    [(measure, k) for measure in OURS for k in CUTOFFS] + [(RR, None), (AP, None)],
    ids=str,
)
def test_every_metric_of_a_list_equals_the_reference(lists, reference, measure, k):
    theirs = reference[measure if k is None else measure @ k]
    assert len(theirs) == CASES
    for topic, ranking in lists.rankings.items():
        wanted = lists.relevant[topic]
        ours = OURS[measure](hits_of(ranking, wanted), len(wanted), k)
        assert ours == pytest.approx(theirs[topic], rel=0, abs=EXACT)


@pytest.mark.parametrize("candidates", [10, 20, 300])
def test_every_metric_of_many_cases_equals_the_reference(candidates):
    random = np.random.default_rng(candidates)
    # Whole numbers: trec_eval keeps scores as 32-bit floats, in which others could tie.
    scores = np.stack([random.permutation(candidates) for _ in range(CASES)]).astype(np.float32)
    positive = random.integers(candidates, size=CASES)
    run = {
        str(case): {str(item): float(score) for item, score in enumerate(row)}
        for case, row in enumerate(scores)
    }
    qrels = {str(case): {str(item): 1} for case, item in enumerate(positive)}
    theirs = by_reference([nDCG @ 5, RR @ 5, RR, Success @ 5, AP, R @ 5], qrels, run)
    places = tied_ranks(scores, positive)
    for measure, ours in {
        nDCG @ 5: ndcgs(places, 5),
        RR @ 5: reciprocal_ranks(places, 5),
        RR: reciprocal_ranks(places),
        Success @ 5: hit_rates(places, 5),
        AP: reciprocal_ranks(places),  # with one relevant item these are the same
        R @ 5: hit_rates(places, 5),
    }.items():
        expected = [theirs[measure][str(case)] for case in range(CASES)]
        assert ours == pytest.approx(expected, rel=0, abs=EXACT), measure


def test_files_that_we_write_give_the_reference_the_same_figures(lists, reference, tmp_path):
    run = TrecRun("ours", {topic: ranked_items(items) for topic, items in lists.rankings.items()})
    qrels = {topic: dict.fromkeys(sorted(items), 1) for topic, items in lists.relevant.items()}
    write_trec_run(tmp_path / "ours.run", run)
    write_qrels(tmp_path / "gold.qrels", qrels)
    theirs = by_reference(
        [nDCG @ 10],
        list(ir_measures.read_trec_qrels(str(tmp_path / "gold.qrels"))),
        list(ir_measures.read_trec_run(str(tmp_path / "ours.run"))),
    )[nDCG @ 10]
    expected = reference[nDCG @ 10]
    assert {topic.replace("%20", " "): value for topic, value in theirs.items()} == expected
    assert read_trec_run(tmp_path / "ours.run") == run
    assert read_qrels(tmp_path / "gold.qrels") == qrels
