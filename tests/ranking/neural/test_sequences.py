"""Windows and masks: what comes later is never seen, and nothing is learnt from the filling."""

import numpy as np
import pytest
import torch
from torch.nn import functional

from localrec.ranking.baselines.neural.configs import GRU4RecConfig, SASRecConfig
from localrec.ranking.baselines.neural.gru4rec import RecurrentNetwork
from localrec.ranking.baselines.neural.sasrec import AttentionNetwork
from localrec.ranking.baselines.neural.sequence_recommender import (
    draw_batches,
    loss_of,
    score_histories,
)
from localrec.ranking.next_item_windows import NO_TARGET, cut_windows

from ..planted import interactions, known, quiet, strangers
from .conftest import LINKS, MAKERS, SEQUENTIAL

ITEMS = 9
CPU = torch.device("cpu")


@pytest.fixture(params=SEQUENTIAL)
def network(request):
    """A network with random weights, the learnt biases too, that drops nothing."""
    with torch.random.fork_rng():
        torch.manual_seed(1)
        if request.param == "sasrec":
            config = SASRecConfig(embedding_size=8, length=6)
            made = AttentionNetwork(ITEMS, config)
        else:
            made = RecurrentNetwork(ITEMS, GRU4RecConfig(embedding_size=8, state_size=8, length=6))
        for weights in made.parameters():
            torch.nn.init.normal_(weights, std=0.5)
        return made.eval()


class TestLearning:
    @pytest.mark.parametrize("name", SEQUENTIAL)
    @pytest.mark.parametrize("negatives", [0, 8])
    def test_finds_the_next_link_of_a_chain(self, name, negatives, chain):
        baseline = MAKERS[name](negatives=negatives, epochs=25, validation_people=0)
        baseline.fit(chain, 0, quiet)
        ends = [[(link - 2) % LINKS, (link - 1) % LINKS, link] for link in range(LINKS)]
        scores = baseline.score(strangers(*ends))
        np.put_along_axis(scores, np.array(ends), -np.inf, axis=1)  # had already
        assert scores.argmax(axis=1).tolist() == [(link + 1) % LINKS for link in range(LINKS)]

    @pytest.mark.parametrize("name", SEQUENTIAL)
    def test_only_the_newest_items_count(self, name, chain):
        baseline = MAKERS[name](epochs=1)
        baseline.fit(chain, 0, quiet)
        newest = [3, 4, 5, 6, 7, 8]
        long, short = baseline.score(strangers([14, 13, 2, *newest], newest))
        np.testing.assert_allclose(long, short, rtol=1e-5)


class TestMasks:
    def test_a_later_item_changes_nothing_before_it(self, network):
        first = torch.tensor([[1, 2, 3, 4, 5, 6]])
        for place in range(1, 6):
            other = first.clone()
            other[0, place:] = 8
            before, after = network(first)[0], network(other)[0]
            torch.testing.assert_close(before[:place], after[:place])
            assert not torch.allclose(before[place], after[place])

    def test_an_earlier_item_changes_all_that_follow(self, network):
        first, other = torch.tensor([[1, 2, 3, 4]]), torch.tensor([[7, 2, 3, 4]])
        changed = (network(first) - network(other)).abs().amax(dim=2)[0]
        assert (changed > 1e-6).all()

    def test_the_filling_is_never_attended(self, network):
        bare = network(torch.tensor([[1, 2, 3]]))
        filled = network(torch.tensor([[1, 2, 3, ITEMS, ITEMS, ITEMS]]))
        torch.testing.assert_close(bare[0], filled[0, :3])
        with torch.no_grad():
            network.embedding.weight[ITEMS] = 100.0
        torch.testing.assert_close(
            network(torch.tensor([[1, 2, 3, ITEMS, ITEMS, ITEMS]]))[0, :3], bare[0]
        )

    def test_the_filling_has_no_part_in_the_loss(self, network):
        bare = torch.tensor([[1, 2, 3]]), torch.tensor([[2, 3, 4]])
        filled = (
            torch.tensor([[1, 2, 3, ITEMS, ITEMS]]),
            torch.tensor([[2, 3, 4, NO_TARGET, NO_TARGET]]),
        )
        torch.testing.assert_close(loss_of(network, bare, 0), loss_of(network, filled, 0))

    def test_scores_are_read_at_the_end_of_each_history(self, network):
        histories = [np.array([4], dtype=np.int32), np.array([1, 2, 3], dtype=np.int32)]
        scores = score_histories(network, histories, 6)
        for history, own in zip(histories, scores, strict=True):
            states = network(torch.from_numpy(history.astype(np.int64))[None])
            expected = network.scores(states[:, -1]).detach().numpy()[0]
            np.testing.assert_allclose(own, expected, rtol=1e-4, atol=1e-5)


class TestLoss:
    def test_of_all_items_is_the_cross_entropy(self, network):
        window = torch.tensor([[1, 2]]), torch.tensor([[5, 6]])
        logits = network.scores(network(window[0])[0])
        expected = functional.cross_entropy(logits, torch.tensor([5, 6]))
        torch.testing.assert_close(loss_of(network, window, 0), expected)
        torch.testing.assert_close(loss_of(network, window, ITEMS), expected)

    def test_of_drawn_items_comes_close_to_it(self, network):
        window = torch.tensor([[1, 2, 3, 4]]), torch.tensor([[5, 6, 7, 8]])
        states = network(window[0])[0]
        with torch.random.fork_rng():
            torch.manual_seed(0)
            logits = network.sampled_scores(states, window[1][0], 100_000)
        sampled = functional.cross_entropy(logits, torch.zeros(4, dtype=torch.int64))
        torch.testing.assert_close(sampled, loss_of(network, window, 0), rtol=0.02, atol=0.02)

    def test_a_drawn_target_is_no_negative(self, network):
        states, targets = network(torch.tensor([[1, 2]]))[0], torch.tensor([5, 6])
        logits = network.sampled_scores(states, targets, 64)
        own, others = logits[:, :1], logits[:, 1:]
        assert torch.isfinite(own).all()
        assert torch.isinf(others).any(dim=1).all()  # 64 of 9 items: the target is among them
        assert not torch.isclose(others, own + np.log(ITEMS / 64)).any()


class TestWindows:
    def data(self, *lengths):
        rows = [
            (user, (user + step) % ITEMS, 5.0, step)
            for user, length in enumerate(lengths)
            for step in range(length)
        ]
        return interactions(rows, len(lengths), ITEMS)

    def steps(self, items, next_items):
        """How often each step stands in the windows, fillings left out."""
        there = next_items != NO_TARGET
        return sorted(zip(items[there].tolist(), next_items[there].tolist(), strict=True))

    @pytest.mark.parametrize("length", [1, 3, 4, 50])
    def test_hold_each_step_once(self, length):
        train = self.data(1, 2, 4, 17, 30)
        wanted = sorted(
            (int(train.item[row]), int(train.item[row + 1]))
            for row in range(len(train) - 1)
            if train.user[row] == train.user[row + 1]
        )
        items, next_items = cut_windows(train, length, np.random.default_rng(0))
        assert items.shape[1] == length
        assert self.steps(items, next_items) == wanted

    def test_are_filled_at_the_right(self):
        items, next_items = cut_windows(self.data(3), 5, np.random.default_rng(0), ITEMS)
        assert items.tolist() == [[0, 1, ITEMS, ITEMS, ITEMS]]
        assert next_items.tolist() == [[1, 2, NO_TARGET, NO_TARGET, NO_TARGET]]

    def test_are_whole_where_a_history_fits(self):
        items, _ = cut_windows(self.data(6, 6, 6), 5, np.random.default_rng(0), ITEMS)
        assert (items < ITEMS).all()
        assert len(items) == 3

    def test_are_cut_elsewhere_in_another_epoch(self):
        generator = np.random.default_rng(0)
        train = self.data(9)
        cuts = {
            tuple(np.count_nonzero(cut_windows(train, 4, generator)[1] >= 0, axis=1))
            for _ in range(40)
        }
        assert len(cuts) == 4

    def test_come_all_in_batches_none_wider_than_needed(self):
        train = self.data(*range(2, 40))
        batches = draw_batches(train, 6, 8, np.random.default_rng(0), CPU)
        assert all(len(items) <= 8 for items, _ in batches)
        assert all((nexts != NO_TARGET).any(dim=0).all() for _, nexts in batches)
        got = sum(int((nexts != NO_TARGET).sum()) for _, nexts in batches)
        assert got == len(train) - train.users


def test_more_of_a_history_than_was_trained_on_counts(chain):
    baseline = MAKERS["sasrec"](epochs=1)
    baseline.fit(chain, 0, quiet)
    request = known(chain, 0)
    longer = strangers([*request.histories[0].tolist(), 2])
    assert not np.allclose(baseline.score(request)[0, :LINKS], baseline.score(longer)[0, :LINKS])
