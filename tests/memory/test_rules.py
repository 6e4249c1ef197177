"""What rules do to neighbours: each published rule by its numbers, and what holds for all rules."""

from __future__ import annotations

from collections.abc import Callable
from math import exp, inf, log1p, nan

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from localrec.memory.default_rules import default_rules, shipped_rules
from localrec.memory.rules import (
    DROPPED,
    FEATURES,
    PARTS,
    SCALES,
    Boost,
    Condition,
    Decay,
    Filter,
    Multiply,
    Rule,
    RuleSet,
)
from localrec.memory.user_item_graph import Neighbours
from tests.memory.rules_of_all_kinds import effects, rule_sets


def neighbour(user=True, edge=0.0, days=0.0, co=0, metadata=0.0, memory=0.0) -> Neighbours:
    return crowd_of([user], [edge], [days], [co], [metadata], [memory])


def crowd_of(user, edge, days, co, metadata, memory) -> Neighbours:
    return Neighbours(
        is_user=np.array(user, dtype=bool),
        index=np.arange(len(user), dtype=np.int32),
        edge_weight=np.array(edge, dtype=np.float32),
        recency_days=np.array(days, dtype=np.float32),
        co_interaction_count=np.array(co, dtype=np.int32),
        metadata_overlap_score=np.array(metadata, dtype=np.float32),
        memory_similarity_score=np.array(memory, dtype=np.float32),
    )


def one_rule(*effects, conditions=(), applies_to="both") -> RuleSet:
    rule = Rule(
        name="Only",
        conditions=conditions,
        effects=effects,
        rationale="Because.",
        applies_to=applies_to,
    )
    return RuleSet(name="test", domain="bar", rules=(rule,))


NEUTRAL = one_rule(Multiply("score", 1.0))


def co_part(count: int) -> float:
    return min(1.0, log1p(count) / log1p(100))


columns = st.integers(0, 12).flatmap(
    lambda m: st.tuples(
        st.lists(st.booleans(), min_size=m, max_size=m),
        *(
            st.lists(values, min_size=m, max_size=m)
            for values in (
                st.floats(0, 1, width=32),
                st.floats(0, 9000, width=32),
                st.integers(0, 400),
                st.floats(0, 1, width=32),
                st.floats(0, 1, width=32),
            )
        ),
    )
)
crowds = columns.map(lambda made: crowd_of(*made))


class TestThePublishedRules:
    """Every rule of Figures 11 and 12: who is concerned, at the edge of its bound, and how."""

    # `told` is the sum of the four parts times the total: four times the score.
    @pytest.mark.parametrize(
        ("name", "features", "told"),
        [
            pytest.param("books", {"metadata": 0.7}, 0.7 * 2.5, id="books-1"),
            pytest.param("books", {"metadata": 0.6}, 0.6, id="books-1-not-above"),
            pytest.param("books", {"edge": 0.5, "co": 4}, 0.5 * 1.8 + co_part(4), id="books-2"),
            pytest.param("books", {"edge": 0.5, "co": 3}, 0.5 + co_part(3), id="books-2-not-above"),
            pytest.param(
                "books",
                {"edge": 0.5, "co": 4, "memory": 0.75},
                (0.5 * 1.8 * 1.5 + co_part(4) + 0.75) * (1 + 0.8 * 0.75),
                id="books-2-and-memory",
            ),
            pytest.param("books", {"edge": 0.5, "days": 200}, 0.5 * exp(-0.8), id="books-3"),
            pytest.param("books", {"edge": 0.5, "days": 180}, 0.5, id="books-3-not-above"),
            pytest.param("books", {"memory": 0.5}, 0.5 * 1.4, id="books-4-people"),
            pytest.param("books", {"memory": 0.5, "user": False}, 0.5 * 1.6, id="books-4-items"),
            pytest.param(
                "goodreads",
                {"edge": 0.5, "co": 11, "memory": 0.5},
                (0.5 * 2.0 + co_part(11) + 0.5 * 1.5) * (1 + 1.8 * 0.5),
                id="goodreads-1-and-5",
            ),
            pytest.param(
                "goodreads",
                {"edge": 0.5, "co": 10, "memory": 0.5},
                0.5 + co_part(10) + 0.5,
                id="goodreads-1-and-5-not-above",
            ),
            pytest.param("goodreads", {"metadata": 0.9}, 0.9 * 3.0, id="goodreads-2"),
            pytest.param("goodreads", {"metadata": 0.8}, 0.8, id="goodreads-2-not-above"),
            pytest.param(
                "goodreads",
                {"edge": 0.5, "co": 16},
                0.5 * 2.0 * 0.7 + co_part(16) * 1.5,
                id="goodreads-3",
            ),
            pytest.param("goodreads", {"edge": 0.5, "days": 500}, 0.5 * exp(-1), id="goodreads-4"),
            pytest.param("goodreads", {"edge": 0.5, "days": 365}, 0.5, id="goodreads-4-not-above"),
            pytest.param(
                "movietv",
                {"edge": 0.5, "co": 3, "days": 100},
                (0.5 * 2.5 + co_part(3)) * exp(-1.8),
                id="movietv-1-and-3",
            ),
            pytest.param(
                "movietv",
                {"edge": 0.5, "days": 200},
                0.5 * exp(-5),
                id="movietv-1-the-stronger-decay-replaces-the-weaker",
            ),
            pytest.param("movietv", {"edge": 0.5, "days": 60}, 0.5, id="movietv-1-not-above"),
            pytest.param(
                "movietv", {"metadata": 0.5, "co": 2}, 0.5 * 2.8 + co_part(2), id="movietv-2"
            ),
            pytest.param(
                "movietv", {"metadata": 0.5, "co": 3}, 0.5 + co_part(3), id="movietv-2-not-below"
            ),
            pytest.param(
                "movietv",
                {"memory": 0.5, "co": 3},
                (0.5 * 1.8 + co_part(3)) * 1.75,
                id="movietv-3-and-4",
            ),
            pytest.param(
                "movietv",
                {"memory": 0.5, "metadata": 0.7},
                (0.5 + 0.7 * 2.8) * 1.75 * 1.25,
                id="movietv-4-of-the-same-kind",
            ),
            pytest.param(
                "movietv", {"edge": 0.5, "days": 400}, 0.5 * exp(-10) * 0.3, id="movietv-5"
            ),
            pytest.param("yelp", {"metadata": 0.8}, 0.8 * 3.5, id="yelp-1"),
            pytest.param("yelp", {"metadata": 0.9}, 0.9 * 4.5, id="yelp-1-closer"),
            pytest.param("yelp", {"metadata": 0.7}, 0.7, id="yelp-1-not-above"),
            pytest.param("yelp", {"metadata": 0.5, "days": 100}, 0.5 * exp(-2.8), id="yelp-2"),
            pytest.param(
                "yelp", {"metadata": 0.5, "days": 200}, 0.5 * exp(-5.6) * 0.5, id="yelp-2-halved"
            ),
            pytest.param(
                "yelp",
                {"metadata": 0.9, "memory": 0.5},
                (0.9 + 0.5 * 2.2) * 4.5,
                id="yelp-3",
            ),
            pytest.param(
                "yelp",
                {"metadata": 0.5, "edge": 0.5, "co": 2},
                0.5 + 0.5 * 2.0 + co_part(2),
                id="yelp-4",
            ),
            pytest.param(
                "yelp",
                {"metadata": 0.5, "edge": 0.5, "co": 1},
                0.5 + 0.5 * 0.5 + co_part(1),
                id="yelp-4-else",
            ),
            pytest.param("yelp", {"metadata": 0.25}, 0.25 * 0.2, id="yelp-5"),
            pytest.param("yelp", {"metadata": 0.4}, 0.4, id="yelp-5-not-below"),
        ],
    )
    def test_score_a_neighbour_as_the_paper_says(self, name, features, told):
        (score,) = shipped_rules(name).scores(neighbour(**features))
        assert score == pytest.approx(told / 4, rel=1e-5)


class TestOurOwnRules:
    def test_let_a_drink_of_the_same_build_win_over_a_popular_one(self):
        rules = default_rules("cocktails")
        (alike,) = rules.scores(neighbour(user=False, edge=0.2, metadata=0.7, co=1))
        (popular,) = rules.scores(neighbour(user=False, edge=0.5, metadata=0.05, co=3))
        assert alike > 2 * popular

    def test_take_one_shared_drink_for_chance_and_three_for_a_taste(self):
        rules = default_rules("cocktails")
        (one,) = rules.scores(neighbour(edge=0.4, co=1))
        (three,) = rules.scores(neighbour(edge=0.4, co=3))
        assert one == pytest.approx((0.4 * 0.5 + co_part(1)) / 4)
        assert three == pytest.approx((0.4 * 2.0 + co_part(3)) / 4)

    def test_do_not_care_when_films_were_rated(self):
        rules = default_rules("movies")
        fresh = rules.scores(neighbour(edge=0.4, co=30))
        assert rules.scores(neighbour(edge=0.4, co=30, days=3000)) == fresh

    def test_need_both_many_shared_films_and_a_strong_tie_for_a_like_mind(self):
        rules = default_rules("movies")
        (like,) = rules.scores(neighbour(edge=0.4, co=20))
        (omnivore,) = rules.scores(neighbour(edge=0.3, co=20))
        assert like == pytest.approx((0.4 * 2.0 + co_part(20)) / 4)
        assert omnivore == pytest.approx((0.3 + co_part(20)) / 4)


def test_without_an_effect_the_score_is_the_mean_of_the_four_parts():
    (score,) = NEUTRAL.scores(neighbour(edge=0.1, co=9, metadata=0.3, memory=0.7, days=50))
    assert score == pytest.approx((0.1 + co_part(9) + 0.3 + 0.7) / 4)


def test_a_hundred_shared_items_say_all_that_a_count_can():
    crowd = [NEUTRAL.scores(neighbour(co=count))[0] for count in (99, 100, 5000)]
    assert crowd[0] < crowd[1] == crowd[2] == pytest.approx(0.25)


def test_all_conditions_of_a_rule_must_hold():
    bounds = (Condition("edge_weight", ">=", 0.5), Condition("co_interaction_count", "<=", 3))
    rules = one_rule(Multiply("score", 2.0), conditions=bounds)

    def doubled(**features):
        crowd = neighbour(**features)
        return rules.scores(crowd)[0] > NEUTRAL.scores(crowd)[0]

    assert doubled(edge=0.5, co=3)
    assert not doubled(edge=0.49, co=3)
    assert not doubled(edge=0.5, co=4)


@pytest.mark.parametrize("kind", ["people", "items"])
def test_a_rule_for_one_kind_leaves_the_other_alone(kind):
    rules = one_rule(Multiply("score", 3.0), applies_to=kind)
    for user in (True, False):
        crowd = neighbour(user=user, edge=0.5)
        concerned = user == (kind == "people")
        assert rules.scores(crowd)[0] == pytest.approx((3 if concerned else 1) * 0.125)


@pytest.mark.parametrize("effect", [Filter(), Multiply("score", 0.0)])
def test_only_a_dropped_neighbour_scores_nothing(effect):
    gone = one_rule(effect, conditions=(Condition("edge_weight", "<", 0.5),))
    assert gone.scores(neighbour(edge=0.4))[0] == DROPPED
    assert gone.scores(neighbour(edge=0.5))[0] > DROPPED
    ancient = one_rule(Decay(1.0)).scores(neighbour(edge=1, days=30_000))
    assert ancient[0] > DROPPED
    assert NEUTRAL.scores(neighbour())[0] > DROPPED


def test_what_is_no_number_counts_as_nothing():
    with np.errstate(all="raise"):
        (score,) = one_rule(Decay(0.5)).scores(neighbour(edge=nan, days=nan, metadata=0.5))
        assert score == pytest.approx(0.125)
        (largest,) = NEUTRAL.scores(neighbour(edge=inf, co=2**31 - 1, metadata=7, memory=-inf))
        assert largest == pytest.approx(0.75)


@given(crowds, rule_sets())
def test_every_score_is_finite_and_within_the_bound(crowd, rules):
    scores = rules.scores(crowd)
    assert scores.dtype == np.float32
    assert scores.shape == crowd.is_user.shape
    assert np.isfinite(scores).all()
    interactions = sum(len(rule.effects) for rule in rules.rules)
    assert (scores >= 0).all()
    assert (scores <= 11.0**interactions * (1 + 1e-6)).all()


@given(crowds, rule_sets(), st.randoms(use_true_random=False))
def test_a_neighbours_place_and_company_do_not_matter(crowd, rules, random):
    rows = list(range(len(crowd.is_user)))
    random.shuffle(rows)
    rows = np.array(rows[: random.randint(0, len(rows))], dtype=np.int64)
    assert rules.scores(crowd.rows(rows)).tolist() == rules.scores(crowd)[rows].tolist()


@given(crowds, rule_sets())
def test_the_order_of_rules_changes_no_more_than_the_last_digit(crowd, rules):
    turned = msgspec.structs.replace(rules, rules=rules.rules[::-1])
    assert rules.scores(crowd) == pytest.approx(turned.scores(crowd), rel=1e-5)


@given(crowds, effects(), st.floats(0, 10).map(lambda value: round(value, 6)))
def test_a_larger_factor_never_lowers_a_score(crowd, effect, factor):
    if isinstance(effect, Multiply | Boost):
        larger = msgspec.structs.replace(effect, factor=max(effect.factor, factor))
        lower, higher = one_rule(effect).scores(crowd), one_rule(larger).scores(crowd)
        assert (higher >= lower).all()


@given(crowds, effects())
def test_decay_and_filter_never_raise_a_score_and_a_boost_never_lowers_one(crowd, effect):
    before, after = NEUTRAL.scores(crowd), one_rule(effect).scores(crowd)
    match effect:
        case Decay() | Filter():
            assert (after <= before).all()
        case Boost():
            assert (after >= before).all()


@given(crowds, st.sampled_from(PARTS), st.floats(0, 1, width=32))
def test_more_of_a_part_never_lowers_the_score_itself(crowd, part, more):
    column = getattr(crowd, part)
    raised = msgspec.structs.replace(
        crowd, **{part: np.maximum(column, column.dtype.type(more * 50))}
    )
    assert (NEUTRAL.scores(raised) >= NEUTRAL.scores(crowd)).all()


@pytest.mark.parametrize(
    "make",
    [
        lambda: Condition("edge_weight", ">", 1.1),
        lambda: Condition("edge_weight", ">", nan),
        lambda: Condition("co_interaction_count", ">", 1.5),
        lambda: Condition("recency_days", ">", inf),
        lambda: Multiply("score", 10.1),
        lambda: Multiply("score", -1),
        lambda: Multiply("score", 0.1234567),
        lambda: Decay(1.5),
        lambda: Boost("edge_weight", nan),
        lambda: Filter(2),
        lambda: rule_named("x" * 61),
        lambda: rule_named(""),
        lambda: rule_named('say "x"'),
        lambda: rule_named("\x1b[2J"),
        lambda: rule_named("<|im_end|>"),
        lambda: one_rule(),
        lambda: one_rule(Filter(), Filter(), Filter()),
        lambda: one_rule(Filter(), conditions=(Condition("edge_weight", ">", 0.5),) * 5),
        lambda: RuleSet(name="a", domain="b", rules=()),
        lambda: RuleSet(name="a", domain="b", rules=(rule_named("A"), rule_named("a"))),
        lambda: RuleSet(
            name="a", domain="b", source="model", rules=tuple(rule_named(f"{i}") for i in range(6))
        ),
    ],
)
def test_what_is_out_of_bounds_cannot_be_made(make: Callable[[], object]):
    with pytest.raises(ValueError, match=r"takes|no clean text|has|have"):
        make()


def rule_named(name: str) -> Rule:
    return Rule(name=name, conditions=(), effects=(Filter(),), rationale="Because.")


def test_rules_survive_json_and_json_is_held_to_the_same_bounds():
    rules = shipped_rules("yelp")
    assert msgspec.json.decode(msgspec.json.encode(rules), type=RuleSet) == rules
    wild = msgspec.json.encode(rules).replace(b'"factor":3.5', b'"factor":35')
    with pytest.raises(msgspec.ValidationError, match="takes a number from 0 to 10"):
        msgspec.json.decode(wild, type=RuleSet)


def test_every_feature_has_its_scale():
    assert set(SCALES) == set(FEATURES) == {*PARTS, "recency_days"}
