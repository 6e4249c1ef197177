"""LightGCN's steps along the graph, against the equations written out."""

import numpy as np
import pytest
import torch

from localrec.data.interaction_matrix import InteractionMatrix
from localrec.ranking.baselines.neural.configs import LightGCNConfig
from localrec.ranking.baselines.neural.lightgcn import GraphNetwork, GraphPropagation, draw_pairs

from ..planted import BLOCK, interactions, known, quiet, strangers, two_blocks
from .conftest import MAKERS

ROWS = [(0, 0), (0, 1), (1, 1), (1, 2), (1, 3), (2, 0), (2, 3), (2, 3)]
PEOPLE, ITEMS = 4, 6  # the last person and the last two items have nothing
CPU = torch.device("cpu")


@pytest.fixture
def train():
    return interactions(ROWS, PEOPLE, ITEMS)


@pytest.fixture
def network(train):
    with torch.random.fork_rng():
        torch.manual_seed(0)
        config = LightGCNConfig(embedding_size=5, layers=3, negatives=0)
        return GraphNetwork(InteractionMatrix.from_log(train), config, CPU)


@pytest.fixture
def adjacency():
    """D^-1/2 A D^-1/2 of people and items, dense; what comes twice counts once."""
    had = np.zeros((PEOPLE, ITEMS))
    for user, item in ROWS:
        had[user, item] = 1
    whole = np.block([[np.zeros((PEOPLE, PEOPLE)), had], [had.T, np.zeros((ITEMS, ITEMS))]])
    roots = np.sqrt(np.maximum(whole.sum(axis=1), 1))
    return whole / roots[:, None] / roots


def test_each_layer_is_the_paper_s_sum(network, adjacency):
    expected = network.embedding.weight.detach().numpy()
    for layer in network.layers():
        np.testing.assert_allclose(layer.detach().numpy(), expected, rtol=1e-5, atol=1e-6)
        expected = adjacency @ expected


def test_the_gradient_is_the_step_itself(network):
    nodes = torch.rand(PEOPLE + ITEMS, 3, dtype=torch.float32, requires_grad=True)
    wanted = torch.rand(PEOPLE + ITEMS, 3)
    (GraphPropagation.apply(nodes, network._graph) * wanted).sum().backward()
    torch.testing.assert_close(nodes.grad, GraphPropagation.apply(wanted, network._graph))


def test_a_person_from_their_history_is_the_person_of_the_training(network, train):
    directions = torch.nn.functional.normalize(torch.stack(network.layers()).sum(dim=0)).detach()
    expected = (directions[:PEOPLE] @ directions[PEOPLE:].T).numpy()
    scores = network.snapshot().score(known(train, 0, 1, 2, 3))
    np.testing.assert_allclose(scores, expected, rtol=1e-4, atol=1e-5)


def test_a_stranger_gets_all_but_their_own_first_layer(network, train):
    snapshot = network.snapshot()
    history = train.item[train.rows_of(1)]
    own = snapshot.score(known(train, 1))
    network.embedding.weight.data[1] = 0.0  # e_u(0); it also reaches the items, a step later
    strange = snapshot.score(strangers(history))
    assert not np.allclose(own, strange)
    heard = snapshot.item_messages[history].sum(axis=0)
    np.testing.assert_allclose(
        strange[0], snapshot.items @ (heard / np.linalg.norm(heard)), rtol=1e-4, atol=1e-5
    )


def test_nothing_is_heard_from_an_item_nobody_had(network):
    scores = network.snapshot().score(strangers([ITEMS - 1], []))
    assert not scores.any()


def test_drawn_negatives_leave_out_the_item_itself(network, train):
    sampled = LightGCNConfig(embedding_size=5, layers=3, negatives=ITEMS - 1, temperature=0.2)
    with torch.random.fork_rng():
        torch.manual_seed(0)
        other = GraphNetwork(InteractionMatrix.from_log(train), sampled, CPU)
        pairs = draw_pairs(train, 100, np.random.default_rng(0), CPU)
        assert len(pairs) == 1
        loss = other.loss_of(pairs[0])
    loss.backward()
    assert torch.isfinite(loss)
    assert torch.isfinite(other.embedding.weight.grad).all()


def test_an_epoch_holds_every_interaction_once(train):
    batches = draw_pairs(train, 3, np.random.default_rng(0), CPU)
    users, items = (torch.cat(side).tolist() for side in zip(*batches, strict=True))
    assert sorted(zip(users, items, strict=True)) == sorted(ROWS)
    assert [len(users) for users, _ in batches] == [3, 3, 2]


def test_finds_the_block_of_a_stranger():
    baseline = MAKERS["lightgcn"](validation_people=0)
    baseline.fit(two_blocks(), 0, quiet)
    histories = ([0, 1, 2, 4], [BLOCK, BLOCK + 1, BLOCK + 2, BLOCK + 4])
    first, second = baseline.score(strangers(*histories))
    left, right = slice(6, BLOCK), slice(BLOCK + 6, 2 * BLOCK)
    assert first[left].min() > first[right].max()
    assert second[right].min() > second[left].max()
