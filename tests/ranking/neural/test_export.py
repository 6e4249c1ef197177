"""The exported arrays say, in NumPy, what the trained network says in torch."""

import numpy as np
import pytest
import torch

from localrec.ranking.baselines.neural.configs import SASRecConfig
from localrec.ranking.baselines.neural.sasrec import AttentionNetwork, exported
from localrec.ranking.baselines.neural.sequence_recommender import score_histories

from ..planted import quiet, strangers
from .conftest import LINKS, MAKERS

ITEMS, LENGTH = 23, 7


def network_of(layers, heads, seed):
    """A network with random weights, its biases too."""
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        config = SASRecConfig(embedding_size=12, layers=layers, heads=heads, length=LENGTH)
        made = AttentionNetwork(ITEMS, config)
        for weights in made.parameters():
            torch.nn.init.normal_(weights, std=0.5)
        return made.eval()


def drawn(*widths, seed=0):
    generator = np.random.default_rng(seed)
    return [generator.integers(ITEMS, size=width).astype(np.int32) for width in widths]


@pytest.mark.parametrize("layers", [1, 2, 3])
@pytest.mark.parametrize("heads", [1, 2, 3])
@pytest.mark.parametrize(
    "widths",
    [[1], [LENGTH - 1], [LENGTH], [LENGTH + 9], [3, LENGTH, 1, 3, 30], [LENGTH] * 150],
    ids=["one-item", "short", "full", "cut", "mixed", "many"],
)
def test_scores_are_those_of_torch(layers, heads, widths):
    network = network_of(layers, heads, seed=layers)
    attention = exported(network, np.ones(ITEMS, dtype=bool))
    histories = drawn(*widths)
    scores = attention.states_of(histories) @ attention.items.T + attention.bias
    expected = score_histories(network, histories, LENGTH)
    np.testing.assert_allclose(scores, expected, atol=1e-4, rtol=1e-4)


def test_one_history_has_the_state_that_it_has_among_others():
    attention = exported(network_of(2, 2, seed=0), np.ones(ITEMS, dtype=bool))
    histories = drawn(5, LENGTH, 2, 40)
    states = attention.states_of(histories)
    assert states.dtype == np.float32
    for history, state in zip(histories, states, strict=True):
        np.testing.assert_allclose(attention.state_of(history), state, atol=1e-5)


def test_a_fitted_network_ranks_as_its_baseline_does(chain):
    baseline = MAKERS["sasrec"](epochs=2)
    baseline.fit(chain, 0, quiet)
    attention = baseline.export()
    assert attention.met.tolist() == [True] * LINKS + [False]
    history = np.array([2, 3, 4, 5, 6, 7, 8, 9], dtype=np.int32)
    scores = attention.items @ attention.state_of(history) + attention.bias
    expected = baseline.score(strangers(history))[0]
    np.testing.assert_allclose(scores[:LINKS], expected[:LINKS], atol=1e-4)


def test_what_was_exported_stays_when_the_baseline_is_fitted_again(chain):
    baseline = MAKERS["sasrec"](epochs=1)
    baseline.fit(chain, 0, quiet)
    attention = baseline.export()
    before = attention.items.copy()
    baseline.fit(chain, 1, quiet)
    np.testing.assert_array_equal(attention.items, before)
