"""Families of items as sets of bits are those that a walk upwards finds."""

import numpy as np
import pytest

from localrec.graph.item_families import ItemFamilies

# Attributes 0 to 3 are components, 70 families lie above the first and one of them above the next.
ANCESTORS = [set(range(10, 80)), {10}, set(), {200}]
# Items: all of them; the second; none; the third, above which nothing lies; the fourth.
FIRST = np.array([0, 4, 5, 5, 6, 7])
ATTRIBUTE = np.array([0, 1, 2, 3, 1, 2, 3], dtype=np.int32)


@pytest.fixture
def families():
    return ItemFamilies.of(FIRST, ATTRIBUTE, ANCESTORS)


def test_overlap_is_what_is_in_both_over_what_is_in_either(families):
    found = families.overlap(0, np.arange(5, dtype=np.int32))
    assert found == pytest.approx([1.0, 1 / 71, 0.0, 0.0, 1 / 71])


def test_items_without_families_are_like_nothing_not_even_themselves(families):
    assert families.overlap(2, np.arange(5, dtype=np.int32)).tolist() == [0.0] * 5
    assert families.overlap(3, np.array([3], dtype=np.int32)).tolist() == [0.0]


def test_a_catalogue_without_links_has_none():
    empty = ItemFamilies.of(np.zeros(3, dtype=np.int64), np.zeros(0, dtype=np.int32), [])
    assert empty.overlap(0, np.array([1], dtype=np.int32)).tolist() == [0.0]
