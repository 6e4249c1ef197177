"""Searches with a budget: what is tried, what is logged, what counts as best."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from localrec.foundation.errors import UsageError
from localrec.ranking.baselines.catalog import BASELINES, make_baseline
from localrec.ranking.baselines.tuning import ChoiceSpace, NumericSpace, tune

from .planted import block_vectors, quiet, two_blocks

SPACE = {
    "size": NumericSpace(1, 64, whole=True),
    "rate": NumericSpace(0.001, 1.0),
    "way": ChoiceSpace(("a", "b")),
}


class Probe:
    """Fitted in no time; remembers what it was given."""

    name = "probe"

    def __init__(self, settings):
        self.settings = {"size": 8, "rate": 0.1, "way": "a", **settings}

    def fit(self, train, seed, progress):
        self.fitted_with = (len(train), seed)


def search(judge, space=SPACE, budget=12, seed=0, progress=quiet):
    return tune(Probe, space, two_blocks(), judge, budget=budget, seed=seed, progress=progress)


def nearness_to_ten(probe):
    return -abs(probe.settings["size"] - 10)


def test_tries_as_often_as_the_budget_says_and_never_the_same_twice():
    found = search(nearness_to_ten, budget=30)
    assert len(found.trials) == 30
    assert [trial.number for trial in found.trials] == list(range(1, 31))
    assert len({tuple(trial.settings.items()) for trial in found.trials}) == 30


def test_starts_with_the_defaults():
    assert search(nearness_to_ten).trials[0].settings == {"size": 8, "rate": 0.1, "way": "a"}


def test_the_best_is_the_highest_score_and_the_earliest_of_equals():
    found = search(nearness_to_ten, budget=40)
    assert found.best.score == max(trial.score for trial in found.trials)
    assert search(lambda probe: 1.0).best.number == 1


def test_the_same_seed_tries_the_same_settings():
    one, same, other = (search(nearness_to_ten, seed=seed).trials for seed in (4, 4, 5))
    assert [trial.settings for trial in one] == [trial.settings for trial in same]
    assert [trial.settings for trial in one] != [trial.settings for trial in other]


def test_a_small_space_is_walked_through():
    space = {"way": ChoiceSpace(("a", "b")), "size": ChoiceSpace((8, 16, 32))}
    tried = [trial.settings for trial in search(nearness_to_ten, space).trials]
    assert len(tried) == 6  # the defaults are one of them
    assert {(one["way"], one["size"]) for one in tried} == {
        (way, size) for way in ("a", "b") for size in (8, 16, 32)
    }


def test_a_grid_larger_than_the_budget_is_drawn_from():
    space = {"size": ChoiceSpace(tuple(range(1, 50)))}
    sizes = [trial.settings["size"] for trial in search(nearness_to_ten, space).trials]
    assert len(set(sizes)) == 12
    assert sizes != sorted(sizes)


def test_a_space_of_few_whole_numbers_ends_the_search_early():
    found = search(nearness_to_ten, {"size": NumericSpace(1, 3, scale="linear", whole=True)})
    assert {trial.settings["size"] for trial in found.trials} == {8, 1, 2, 3}


def test_nothing_to_vary_takes_one_trial():
    assert len(search(nearness_to_ten, {}).trials) == 1


def test_every_fit_gets_the_data_and_the_seed():
    seen = []
    search(lambda probe: seen.append(probe.fitted_with) or 0.0, seed=9, budget=3)
    assert seen == [(len(two_blocks()), 9)] * 3


def test_tells_which_trial_it_is_at():
    told = []
    search(nearness_to_ten, budget=2, progress=lambda *said: told.append(said))
    assert told == [("tuning probe", 0, 2), ("tuning probe", 1, 2), ("tuning probe", 2, 2)]


def test_refuses_a_score_that_is_no_number():
    with pytest.raises(UsageError, match=r"The validation score of probe .* is no number"):
        search(lambda probe: math.nan)


def test_refuses_a_budget_of_nothing():
    with pytest.raises(UsageError, match="budget of at least 1 trial, not 0"):
        search(nearness_to_ten, budget=0)


@given(st.floats(1e-3, 1e3), st.floats(1.0, 1e4), st.integers(0, 2**32 - 1))
def test_a_drawn_number_stays_in_its_range(low, ratio, seed):
    drawn = NumericSpace(low, low * ratio).draw(np.random.default_rng(seed))
    assert low <= drawn <= low * ratio


def test_a_logarithmic_range_draws_each_decade_as_often():
    generator = np.random.default_rng(0)
    drawn = np.array([NumericSpace(0.01, 100.0).draw(generator) for _ in range(4_000)])
    decades = np.histogram(np.log10(drawn), bins=4, range=(-2, 2))[0]
    assert decades.min() > 900


class TestTheCatalogue:
    @pytest.mark.parametrize("name", BASELINES)
    def test_whatever_a_space_draws_the_baseline_takes(self, name):
        generator = np.random.default_rng(0)
        for _ in range(20):
            drawn = {key: values.draw(generator) for key, values in BASELINES[name].space.items()}
            assert drawn.items() <= make_baseline(name, drawn, block_vectors()).settings.items()

    def test_names_the_baselines_there_are(self):
        with pytest.raises(UsageError, match='There is no baseline "knn"') as refused:
            make_baseline("knn")
        assert "item-knn" in refused.value.hint

    @pytest.mark.parametrize(
        ("settings", "said"),
        [
            ({"regularisation": 1.0}, "unknown field `regularisation`"),
            ({"regularization": "much"}, "Expected `float`, got `str`"),
            ({"regularization": 0.0}, "Expected `float` > 0.0"),
        ],
    )
    def test_refuses_settings_that_do_not_fit(self, settings, said):
        with pytest.raises(UsageError, match="The settings of the baseline ease") as refused:
            make_baseline("ease", settings)
        assert said in refused.value.message
        assert refused.value.hint == "It has these: regularization."

    def test_says_that_vectors_are_missing(self):
        with pytest.raises(UsageError, match="no vectors of them were given"):
            make_baseline("vector")
