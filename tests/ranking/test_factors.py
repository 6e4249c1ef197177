"""What our use of `implicit` adds: folding strangers in, quiet threads, a clear refusal."""

import os
import subprocess
import sys

import numpy as np
import pytest

from localrec.foundation.errors import UsageError
from localrec.ranking.baselines.matrix_factorization import Als, AlsConfig, Bpr, BprConfig
from localrec.ranking.recommender import ScoreRequests

from .planted import BLOCK, PEOPLE, UNSEEN, known, quiet, strangers, two_blocks

AS_IN_A_SHELL = """
import numpy as np, warnings
warnings.simplefilter("error")
from localrec.ranking.baselines.matrix_factorization import Als, AlsConfig
from tests.ranking.planted import quiet, strangers, two_blocks
als = Als(AlsConfig())
als.fit(two_blocks(), 0, quiet)
als.score(strangers([1]))
"""

NOTHING_HEAVY = """
import sys
import localrec.ranking.baselines.catalog
assert not {"implicit", "scipy", "threadpoolctl", "torch", "duckdb"} & set(sys.modules)
"""


def fit(baseline, seed=0):
    baseline.fit(two_blocks(), seed, quiet)
    return baseline


def test_als_solves_for_the_history_of_the_request():
    """The textbook's formula: u = (Q'Q + Q'(C - I)Q + lambda I)^-1 Q'C p."""
    config = AlsConfig(embedding_size=4, alpha=6.0, regularization=2.0)
    als = fit(Als(config))
    items = als._model.item_factors.astype(np.float64)
    had = [1, 4, BLOCK + 2]
    gram = items.T @ items + 5.0 * items[had].T @ items[had] + 2.0 * np.eye(4)
    vector = np.linalg.solve(gram, 6.0 * items[had].sum(axis=0))
    scores = als.score(strangers([4, 1, BLOCK + 2, 1]))[0, :UNSEEN]
    np.testing.assert_allclose(scores, (items @ vector)[:UNSEEN], rtol=1e-3, atol=1e-5)


def test_als_treats_those_it_knows_like_strangers():
    als, train = fit(Als(AlsConfig(embedding_size=4))), two_blocks()
    asked = known(train, *range(PEOPLE))
    met = als.score(asked)
    np.testing.assert_allclose(met, als.score(strangers(*asked.histories)), rtol=1e-5)


def test_bpr_gives_those_it_knows_what_it_learnt():
    bpr = fit(Bpr(BprConfig(embedding_size=4)))
    same = ScoreRequests(
        user=np.array([3, 3], dtype=np.int32),
        histories=(np.array([1], dtype=np.int32), np.array([BLOCK], dtype=np.int32)),
    )
    first, second = bpr.score(same)
    np.testing.assert_array_equal(first, second)


def test_a_stranger_of_bpr_is_near_to_the_person_with_the_same_history():
    bpr, train = fit(Bpr(BprConfig(embedding_size=4, learning_rate=0.05))), two_blocks()
    asked = known(train, *range(PEOPLE))
    learnt = bpr.score(asked)[:, :UNSEEN]
    folded = bpr.score(strangers(*asked.histories))[:, :UNSEEN]
    alike = [np.corrcoef(*pair)[0, 1] for pair in zip(learnt, folded, strict=True)]
    assert min(alike) > 0.8


def test_the_vector_of_a_stranger_of_bpr_is_the_best_one():
    bpr = fit(Bpr(BprConfig(embedding_size=4, regularization=0.1)))
    history = np.array([0, 2, 5], dtype=np.int32)
    rivals = bpr._rivals[~np.isin(bpr._rivals, history)]

    def objective(vector):
        scores = bpr._items @ vector + bpr._biases
        ahead = scores[history][:, None] - scores[rivals]
        return -np.log1p(np.exp(-ahead)).mean() - 0.05 * (vector @ vector)

    found = bpr._climb(history)
    generator = np.random.default_rng(0)
    for size in (0.01, 0.1, 1.0):
        for direction in generator.normal(size=(20, 4)):
            assert objective(found) > objective(found + size * direction)


@pytest.mark.parametrize("make", [Als, Bpr])
def test_another_seed_gives_other_vectors(make):
    config = AlsConfig(embedding_size=4) if make is Als else BprConfig(embedding_size=4)
    one, two = (fit(make(config), seed).score(strangers([0, 1])) for seed in (1, 2))
    assert (one != two).any()


@pytest.mark.parametrize("code", [AS_IN_A_SHELL, NOTHING_HEAVY])
def test_neither_a_warning_nor_a_heavy_import_is_noticed_outside(code):
    ran = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "OPENBLAS_NUM_THREADS": "4"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")


def test_without_the_library_the_remedy_is_told(monkeypatch):
    monkeypatch.setitem(sys.modules, "implicit", None)
    with pytest.raises(UsageError, match="implicit, which is not installed") as refused:
        fit(Als(AlsConfig()))
    assert refused.value.hint == "Install it: pip install 'localrec[baselines]'"
