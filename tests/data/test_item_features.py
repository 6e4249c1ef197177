"""Sums over links are those of adding up every link in order, to the last digit."""

import numpy as np
import pytest

from localrec.data.item_features import ItemFeatures

ITEMS, ATTRIBUTES = 300, 40


@pytest.fixture
def features():
    """Items with no, few or many attributes."""
    random = np.random.default_rng(8)
    pairs = np.unique(
        np.stack([random.integers(ITEMS, size=2_000), random.integers(ATTRIBUTES, size=2_000)], 1),
        axis=0,
    ).astype(np.int32)
    pairs = pairs[pairs[:, 0] % 7 > 0]
    item, attribute = np.ascontiguousarray(pairs.T)
    return ItemFeatures(item, attribute, ITEMS, ATTRIBUTES)


@pytest.mark.parametrize("share", [0.0, 0.02, 1.0])
def test_a_sum_over_attributes_looks_at_the_links_of_items_with_a_value(features, share):
    random = np.random.default_rng(1)
    values = random.standard_normal(ITEMS).astype(np.float32)
    values[random.random(ITEMS) >= share] = 0.0
    weights = values[features.item]
    plain = np.bincount(features.attribute, weights, minlength=ATTRIBUTES).astype(np.float32)
    assert features.over_attributes(values).tolist() == plain.tolist()


def test_a_sum_over_items_adds_every_link(features):
    values = np.random.default_rng(1).standard_normal(ATTRIBUTES).astype(np.float32)
    weights = values[features.attribute]
    plain = np.bincount(features.item, weights, minlength=ITEMS).astype(np.float32)
    assert features.over_items(values).tolist() == plain.tolist()
