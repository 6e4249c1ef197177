"""The script that holds HNSW's nearest people and items against brute force."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from localrec.index.sasrec import SasRecEncoder
from localrec.index.vectors import ExactIndex

SCRIPTS = Path(__file__).parents[2] / "scripts"
ITEMS, SIZE, PEOPLE = 60, 8, 40


@pytest.fixture(scope="module")
def script():
    """The script as a module."""
    with pytest.MonkeyPatch.context() as patch:
        for folder in ("studies", "bench"):
            patch.syspath_prepend(SCRIPTS / folder)
        import near

        yield near


@pytest.fixture(scope="module")
def attention():
    random = np.random.default_rng(1)

    def drawn(*shape):
        return np.float32(0.2) * random.standard_normal(shape, dtype=np.float32)

    return SasRecEncoder(
        items=drawn(ITEMS, SIZE),
        bias=drawn(ITEMS),
        met=np.arange(ITEMS) > 2,
        norms=1 + drawn(3, 2, SIZE),
        squares=drawn(1, 6, SIZE, SIZE),
        shifts=drawn(1, 6, SIZE),
        distances=drawn(1, 2, 10),
    )


@pytest.fixture(scope="module")
def histories():
    random = np.random.default_rng(2)
    return [random.permutation(np.arange(3, ITEMS))[:6].astype(np.int32) for _ in range(PEOPLE)]


def test_a_graph_over_few_vectors_finds_what_brute_force_finds(script, attention, histories):
    found = script.compared(attention, histories, PEOPLE, 20)
    assert (found.users, found.items) == (PEOPLE, ITEMS)
    assert (found.of_users, found.of_items) == (1.0, 1.0)


def test_an_index_that_misses_half_is_found_out(script, attention, histories, monkeypatch):
    def half(name, exact):
        return ExactIndex(exact.node_ids[::2], exact.matrix[::2])

    monkeypatch.setattr(script, "with_graph", half)
    found = script.compared(attention, histories, PEOPLE, 20)
    assert 0.3 < found.of_users < 0.7
    assert 0.3 < found.of_items < 0.7


def test_the_wider_network_has_the_own_items_first_and_others_around_them(script, attention):
    wider = script.widened(attention, 500)
    assert len(wider.items) == len(wider.bias) == len(wider.met) == 500
    assert np.array_equal(wider.items[:ITEMS], attention.items)
    assert len(np.unique(wider.items, axis=0)) > 480
    met = attention.items[attention.met]
    assert np.allclose(wider.items[ITEMS:].std(axis=0), met.std(axis=0) * 1.22, rtol=0.2)


def test_more_people_than_histories_are_drawn(script, attention, histories):
    found = script.compared(attention, histories, 300, 10)
    assert found.users == 300
    assert found.of_users > 0.95
