"""The best neighbours are chosen, with room for both kinds, and never one that a rule drops."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from localrec.foundation.errors import UsageError
from localrec.memory.curation import curate
from localrec.memory.rules import Condition, Filter, Multiply, Rule, RuleSet
from localrec.memory.user_item_graph import Neighbours

from .rules_of_all_kinds import rule_sets


def neighbours(users, items, *, overlap=None):
    """People and items by their edge weights."""
    edges = np.array([*users, *items], dtype=np.float32)
    many = len(edges)
    shares = np.zeros(many, dtype=np.float32) if overlap is None else np.array(overlap, np.float32)
    return Neighbours(
        is_user=np.arange(many) < len(users),
        index=np.array([*range(len(users)), *range(len(items))], dtype=np.int32),
        edge_weight=edges,
        recency_days=np.zeros(many, dtype=np.float32),
        co_interaction_count=np.ones(many, dtype=np.int32),
        metadata_overlap_score=shares,
        memory_similarity_score=np.zeros(many, dtype=np.float32),
    )


def chosen(curated):
    rows = curated.neighbours
    return [
        ("p" if is_user else "i") + str(index)
        for is_user, index in zip(rows.is_user.tolist(), rows.index.tolist(), strict=True)
    ]


def ruled(*conditions, effect, applies_to="both"):
    rule = Rule(
        name="one",
        conditions=tuple(conditions),
        effects=(effect,),
        applies_to=applies_to,
        rationale="It is so",
    )
    return RuleSet(name="planted", domain="movies", rules=(rule,))


class TestWithoutRules:
    def test_the_heaviest_edges_are_chosen_best_first(self):
        curated = curate(neighbours([0.1, 0.5], [0.3, 0.9]), None, 3, 0, 0)
        assert chosen(curated) == ["i1", "p1", "i0"]
        assert curated.scores.tolist() == pytest.approx([0.9, 0.5, 0.3])

    def test_each_kind_has_its_floor(self):
        curated = curate(neighbours([0.9, 0.8, 0.7, 0.6], [0.1, 0.2, 0.3]), None, 4, 1, 2)
        assert chosen(curated) == ["p0", "p1", "i2", "i1"]

    def test_a_floor_that_cannot_be_met_leaves_room_to_the_others(self):
        curated = curate(neighbours([0.9, 0.8, 0.7, 0.6], [0.1]), None, 4, 0, 4)
        assert chosen(curated) == ["p0", "p1", "p2", "i0"]

    def test_equal_neighbours_go_by_place(self):
        curated = curate(neighbours([0.5] * 3, [0.5] * 3), None, 4, 1, 2)
        assert chosen(curated) == ["p0", "p1", "i0", "i1"]

    def test_nobody_gives_nobody(self):
        assert len(curate(neighbours([], []), None)) == 0

    @pytest.mark.parametrize("numbers", [(3, 2, 2), (-1, 0, 0), (4, -1, 2), (4, 2, -1)])
    def test_floors_that_do_not_fit_are_refused(self, numbers):
        with pytest.raises(UsageError, match="do not fit into"):
            curate(neighbours([0.5], [0.5]), None, *numbers)


class TestWithRules:
    def test_scores_are_theirs(self):
        rules = ruled(Condition("metadata_overlap_score", ">", 0.6), effect=Multiply("score", 3.0))
        rows = neighbours([0.5, 0.4], [], overlap=[0.0, 0.7])
        curated = curate(rows, rules, 2, 0, 0)
        assert chosen(curated) == ["p1", "p0"]
        assert curated.scores.tolist() == pytest.approx(rules.scores(rows)[[1, 0]].tolist())

    def test_whom_a_rule_drops_does_not_even_fill_a_floor(self):
        rules = ruled(Condition("edge_weight", "<", 0.5), effect=Filter(), applies_to="items")
        curated = curate(neighbours([0.9, 0.1], [0.4, 0.6]), rules, 4, 2, 2)
        assert chosen(curated) == ["p0", "i1", "p1"]


SHARES = st.lists(st.floats(0, 1, width=32), max_size=12)


@given(SHARES, SHARES, st.none() | rule_sets(), st.data())
def test_floors_hold_and_k_is_never_exceeded(users, items, rules, data):
    rows = neighbours(users, items)
    k = data.draw(st.integers(0, 20))
    floor_users = data.draw(st.integers(0, k))
    floor_items = data.draw(st.integers(0, k - floor_users))
    curated = curate(rows, rules, k, floor_users, floor_items)
    scores = rows.edge_weight if rules is None else rules.scores(rows)
    left = scores > 0 if rules is not None else np.ones(len(rows), dtype=bool)
    among = curated.neighbours.is_user
    assert len(curated) == min(k, left.sum())
    assert among.sum() >= min(floor_users, (left & rows.is_user).sum())
    assert (~among).sum() >= min(floor_items, (left & ~rows.is_user).sum())
    assert (np.diff(curated.scores) <= 0).all()
    assert len(set(chosen(curated))) == len(curated)
    for kind in (True, False):  # within a kind nobody better was passed over
        mine = np.sort(scores[left & (rows.is_user == kind)])[::-1]
        assert np.array_equal(curated.scores[among == kind], mine[: (among == kind).sum()])
