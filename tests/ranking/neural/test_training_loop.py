"""The course of a training: what is kept back, when it ends, and which weights stay."""

import math

import numpy as np
import pytest
import torch
from torch import nn

from localrec.ranking.baselines.neural.configs import NeuralConfig
from localrec.ranking.baselines.neural.training_loop import (
    ByteDropout,
    hold_out,
    ndcg_of,
    reproducible,
    train_network,
)
from localrec.ranking.next_item_windows import learning_rate_at

from ..planted import interactions, quiet

ROWS = [(0, 1), (0, 2), (0, 3), (1, 4), (1, 0), (2, 0), (2, 1), (2, 2), (2, 4)]


def held_out_of(rows, users=100):
    timed = [(user, item, 5.0, day) for day, (user, item) in enumerate(rows)]
    return hold_out(interactions(timed, users=4, items=6), users, 0)


class TestHoldingOut:
    def test_takes_the_last_item_of_who_has_three(self):
        kept, held_out = held_out_of(ROWS)
        assert held_out.requests.user.tolist() == [0, 2]
        assert held_out.items.tolist() == [3, 4]
        assert [history.tolist() for history in held_out.requests.histories] == [[1, 2], [0, 1, 2]]
        assert kept.item.tolist() == [1, 2, 4, 0, 0, 1, 2]
        assert (kept.users, kept.items) == (4, 6)

    def test_takes_no_more_people_than_asked_for(self):
        kept, held_out = held_out_of(ROWS, users=1)
        assert len(held_out.items) == 1
        assert len(kept) == len(ROWS) - 1

    def test_may_take_nobody(self):
        kept, held_out = held_out_of(ROWS, users=0)
        assert len(kept) == len(ROWS)
        assert math.isnan(ndcg_of(np.zeros((0, 6), dtype=np.float32), held_out))


class TestQuality:
    def judged(self, first, second):
        return ndcg_of(np.array([first, second], dtype=np.float32), held_out_of(ROWS)[1])

    def test_is_1_where_all_are_first(self):
        assert self.judged([0, 0, 0, 9, 0, 0], [0, 0, 0, 0, 9, 0]) == 1.0

    def test_leaves_out_what_the_person_had(self):
        assert self.judged([9, 10, 11, 9, 0, 0], [20, 20, 20, 0, 9, 0]) == pytest.approx(
            (1 / math.log2(3) + 1) / 2
        )

    def test_counts_ties_against_the_item(self):
        assert self.judged([0] * 6, [0] * 6) == pytest.approx(
            (1 / math.log2(5) + 1 / math.log2(4)) / 2
        )

    def test_is_0_for_a_network_that_diverged(self):
        rows = [(0, item) for item in range(3)]
        _, held_out = held_out_of(rows)
        scores = np.full((1, 40), np.nan, dtype=np.float32)
        assert ndcg_of(scores, held_out) == 0.0


class TestTraining:
    def train(self, qualities, **settings):
        """One weight that grows by a step each epoch, judged by a list."""
        network = nn.Linear(1, 1, bias=False)
        judged = iter(qualities)
        seen = []

        def judge():
            assert not network.training
            seen.append(network.weight.item())
            return next(judged)

        training = train_network(
            "test",
            network,
            NeuralConfig(epochs=len(qualities), learning_rate=0.1, **settings),
            lambda: [1.0],
            lambda _: -network.weight.sum(),
            judge,
            quiet,
        )
        return network.weight.item(), seen, training

    def test_keeps_the_weights_of_the_best_epoch(self):
        weight, seen, training = self.train([0.1, 0.3, 0.2, 0.25], patience=9)
        assert training.best_epoch == 2
        assert training.qualities == (0.1, 0.3, 0.2, 0.25)
        assert weight == seen[1]

    def test_ends_when_it_has_not_grown_for_so_long(self):
        _, _, training = self.train([0.1, 0.3, 0.3, 0.2, 0.9], patience=2)
        assert (training.epochs, training.best_epoch) == (4, 2)

    def test_keeps_the_last_weights_where_nothing_can_be_judged(self):
        weight, seen, training = self.train([math.nan] * 3, patience=1)
        assert (training.epochs, training.best_epoch) == (3, 3)
        assert weight == seen[2]

    def test_raises_the_learning_rate_and_brings_it_down_to_0(self):
        rates = [learning_rate_at(done / 20, 0.25) for done in range(21)]
        assert rates[5] == pytest.approx(1.0)
        assert rates[:6] == sorted(rates[:6])
        assert rates[5:] == sorted(rates[5:], reverse=True)
        assert rates[20] == pytest.approx(0.0)
        assert learning_rate_at(0.0, 0.0) == 1.0


class TestReproducibility:
    def test_puts_back_what_was_set(self):
        torch.use_deterministic_algorithms(True)
        try:
            threads = torch.get_num_threads()
            with reproducible(1, threads + 1):
                assert torch.get_num_threads() == threads + 1
            assert torch.get_num_threads() == threads
            assert torch.are_deterministic_algorithms_enabled()
        finally:
            torch.use_deterministic_algorithms(False)

    @pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no CUDA here")
    def test_trains_on_cuda_where_there_is_one(self):
        with reproducible(1, 1) as device:
            assert device.type == "cuda"


class TestDropout:
    def test_leaves_the_mean_and_drops_its_share(self):
        with torch.random.fork_rng():
            torch.manual_seed(0)
            dropped = ByteDropout(0.25).train()(torch.ones(100_003))
        assert dropped.shape == (100_003,)
        assert (dropped == 0).float().mean().item() == pytest.approx(0.25, abs=0.01)
        assert dropped.mean().item() == pytest.approx(1.0, abs=0.01)
        assert len(dropped.unique()) == 2

    def test_drops_each_place_of_a_word_alike(self):
        with torch.random.fork_rng():
            torch.manual_seed(0)
            dropped = ByteDropout(0.5).train()(torch.ones(4_000, 8))
        assert (dropped == 0).float().mean(dim=0).numpy() == pytest.approx([0.5] * 8, abs=0.04)

    def test_does_nothing_outside_training(self):
        values = torch.ones(9)
        assert ByteDropout(0.5).eval()(values) is values
        assert ByteDropout(0.0).train()(values) is values
