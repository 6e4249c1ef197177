"""What the neural baselines promise like all others, and what comes of fitting for long."""

import subprocess
import sys

import numpy as np
import pytest
import torch

from localrec.foundation.errors import UsageError
from localrec.ranking.recommender import ScoreRequests

from ..planted import interactions, known, quiet, strangers
from .conftest import ALL, LINKS, MAKERS, NEVER, PEOPLE, SEQUENTIAL

WITHOUT_TORCH = """
import sys
sys.modules["torch"] = None
from localrec.ranking.baselines.neural import make_{name}
from localrec.ranking.baselines.neural.configs import {config}
from localrec.foundation.errors import UsageError
try:
    make_{name}({config}())
except UsageError as error:
    print(error)
"""


class TestScores:
    def test_are_there_for_all_items_of_each_request(self, fitted, chain):
        scores = fitted.score(known(chain, 3, 0, PEOPLE - 1))
        assert scores.shape == (3, LINKS + 1)
        assert scores.dtype == np.float32
        assert np.isfinite(scores[:, :LINKS]).all()

    def test_leave_out_what_nobody_had(self, fitted):
        scores = fitted.score(strangers([0, 1], [NEVER], []))
        assert (scores[:, NEVER] == -np.inf).all()
        assert np.isfinite(scores[:, :LINKS]).all()

    def test_do_not_depend_on_the_batch(self, fitted):
        requests = strangers([0, 1], [4], [2, 3, 4, 5, 6, 7, 8, 9], [])
        whole = fitted.score(requests)
        for row, history in enumerate(requests.histories):
            alone = fitted.score(strangers(history))[0]
            np.testing.assert_allclose(alone, whole[row], rtol=1e-4, atol=1e-5)

    def test_of_nobody_are_none(self, fitted):
        assert fitted.score(strangers()).shape == (0, LINKS + 1)

    def test_of_more_people_than_are_scored_at_once_are_in_order(self, fitted):
        many = fitted.score(strangers(*([item % LINKS] for item in range(600))))
        np.testing.assert_allclose(many[585:], many[:LINKS], rtol=1e-4, atol=1e-5)

    def test_are_the_callers_own(self, fitted):
        first = fitted.score(strangers([0, 1, 2]))
        kept = first.copy()
        first[:] = 7.0
        np.testing.assert_array_equal(fitted.score(strangers([0, 1, 2])), kept)

    def test_follow_a_stranger_as_they_follow_one_who_was_trained_on(self, fitted, chain):
        insider = known(chain, 0)
        outsider = ScoreRequests(np.array([-1], dtype=np.int32), insider.histories)
        correlation = np.corrcoef(
            fitted.score(insider)[0, :LINKS], fitted.score(outsider)[0, :LINKS]
        )[0, 1]
        assert correlation > 0.7


class TestReasons:
    def test_are_given_where_a_history_is_summed_and_declined_where_it_is_read_as_a_whole(
        self, fitted
    ):
        told = fitted.explain(strangers([0, 1, 2]), 0, 3)
        (reason,) = told.reasons
        if fitted.name in SEQUENTIAL:
            note = f"{fitted.name} reads a history as a whole; no item of it is the reason."
            assert (reason.text, told.notes) == ("", (note,))
        else:
            assert reason.text.startswith("Is raised most by item ")


class TestSeeds:
    @pytest.mark.parametrize("name", ALL)
    def test_decide_everything(self, name, chain):
        def scores(seed):
            baseline = MAKERS[name](epochs=2, negatives=5)
            baseline.fit(chain, seed, quiet)
            return baseline.score(known(chain, 0, 1))

        first = scores(3)
        torch.rand(5)  # what others draw in between does not count
        np.testing.assert_array_equal(first, scores(3))
        assert not np.array_equal(first, scores(4))


class TestFitting:
    @pytest.mark.parametrize("name", ALL)
    def test_tells_the_epochs_as_they_pass(self, name, chain):
        told = []
        MAKERS[name](epochs=3).fit(chain, 0, lambda *so_far: told.append(so_far))
        assert told == [(name, epoch, 3) for epoch in range(4)]

    @pytest.mark.parametrize("name", ALL)
    def test_ends_at_once_when_it_is_interrupted_and_leaves_torch_as_it_was(self, name, chain):
        def interrupt(what, done, total):
            if done == 1:
                raise KeyboardInterrupt

        before = torch.get_rng_state()
        baseline = MAKERS[name]()
        with pytest.raises(KeyboardInterrupt):
            baseline.fit(chain, 0, interrupt)
        assert torch.equal(torch.get_rng_state(), before)
        assert not torch.are_deterministic_algorithms_enabled()
        assert torch.utils.deterministic.fill_uninitialized_memory

    @pytest.mark.parametrize("name", ALL)
    def test_interrupted_keeps_what_was_fitted_before(self, name, chain):
        def interrupt(what, done, total):
            raise KeyboardInterrupt

        baseline = MAKERS[name](epochs=1)
        baseline.fit(chain, 0, quiet)
        before = baseline.score(known(chain, 0))
        with pytest.raises(KeyboardInterrupt):
            baseline.fit(chain, 1, interrupt)
        np.testing.assert_array_equal(baseline.score(known(chain, 0)), before)

    @pytest.mark.parametrize("name", ALL)
    def test_leaves_the_number_of_threads_alone(self, name, chain):
        before = torch.get_num_threads()
        torch.set_num_threads(1)
        try:
            MAKERS[name](epochs=1).fit(chain, 0, quiet)
            assert torch.get_num_threads() == 1
        finally:
            torch.set_num_threads(before)

    @pytest.mark.parametrize("name", ALL)
    def test_takes_one_person_who_had_one_item(self, name):
        baseline = MAKERS[name](epochs=2)
        baseline.fit(interactions([(0, 3)], users=2, items=5), 0, quiet)
        scores = baseline.score(strangers([3], []))
        assert np.isfinite(scores[:, 3]).all()
        assert (scores[:, [0, 1, 2, 4]] == -np.inf).all()

    @pytest.mark.parametrize("name", SEQUENTIAL)
    def test_gives_an_empty_history_what_is_popular(self, name):
        rows = [(user, item, 5.0, item) for user in range(6) for item in range(user + 1)]
        baseline = MAKERS[name](epochs=1)
        baseline.fit(interactions(rows, users=6, items=6), 0, quiet)
        assert np.argsort(-baseline.score(strangers([]))[0]).tolist() == [0, 1, 2, 3, 4, 5]


class TestTorch:
    @pytest.mark.parametrize(
        ("name", "config"),
        [
            ("sasrec", "SASRecConfig"),
            ("gru4rec", "GRU4RecConfig"),
            ("lightgcn", "LightGCNConfig"),
        ],
    )
    def test_is_named_where_it_is_missing(self, name, config):
        shown = subprocess.run(
            [sys.executable, "-c", WITHOUT_TORCH.format(name=name, config=config)],
            capture_output=True,
            text=True,
            check=True,
        )
        assert shown.stdout == (
            "The neural baselines need torch, which is not installed. "
            "Install it with: pip install 'localrec[training]'\n"
        )

    def test_heads_that_do_not_divide_the_embedding_are_refused(self):
        with pytest.raises(UsageError, match="16 numbers among 3 heads"):
            MAKERS["sasrec"](heads=3)
