"""Weights learnt from cases whose answer is planted."""

import numpy as np

from localrec.ranking.learned.features import features_of, logarithmic, standardized
from localrec.ranking.learned.fusion import (
    CANDIDATES,
    SECOND_LOSS_NEGATIVES,
    USUAL,
    FusionCases,
    chance_of_order,
    default_weights,
    draw_candidates,
    learn_weights,
    mixed_scores,
    some_cases,
)
from localrec.ranking.learned.held_out import HeldOut
from localrec.ranking.learned.interactions import Histories

NAMES = ("helps", "noise", "misleads")


def planted_cases(many=400, items=300, seed=1):
    generator = np.random.default_rng(seed)
    features = generator.standard_normal((3, many, items)).astype(np.float32)
    targets = generator.integers(items, size=many)
    rows = np.arange(many)
    features[0, rows, targets] += 2.0
    features[2, rows, targets] -= 2.0
    known = [np.zeros(0, dtype=np.int64)] * many
    drawn = draw_candidates(features, targets, known, known, generator)
    return FusionCases(*drawn, np.zeros((many, 2), np.float32)), features, targets


def test_what_helps_gets_weight_and_what_misleads_gets_none():
    cases, _, _ = planted_cases()
    weights = learn_weights(NAMES, cases)
    assert weights.level[0] > 1.0
    assert weights.level[1] < 0.2
    assert weights.level[2] == 0.0
    assert weights.used[0] == "helps"
    assert "misleads" not in weights.used


def test_learnt_weights_find_the_target_better_than_the_usual_ones():
    cases, _, _ = planted_cases()
    weights = learn_weights(NAMES, cases)
    assert weights.loss < weights.usual_loss - 0.5


def test_the_true_weight_is_recovered_from_hard_and_even_others():
    # A target drawn from softmax(1.5 x) over all items: the estimate of the full loss must lead
    # back to 1.5, although only some of the items are looked at.
    generator = np.random.default_rng(0)
    features = generator.standard_normal((1, 3_000, 800)).astype(np.float32)
    noise = generator.gumbel(size=(3_000, 800))
    targets = np.argmax(1.5 * features[0] + noise, axis=1)
    known = [np.zeros(0, dtype=np.int64)] * 3_000
    drawn = draw_candidates(features, targets, known, known, generator)
    weights = learn_weights(("x",), FusionCases(*drawn, np.zeros((3_000, 2), np.float32)))
    assert abs(weights.level[0] - 1.5) < 0.1


def test_weights_follow_the_length_of_the_history():
    generator = np.random.default_rng(2)
    many, items = 1_000, 200
    lengths = np.where(np.arange(many) % 2, 100, 2)
    features = generator.standard_normal((2, many, items)).astype(np.float32)
    targets = generator.integers(items, size=many)
    rows = np.arange(many)
    features[0, rows, targets] += np.where(lengths == 100, 2.5, 0.8)
    features[1, rows, targets] += np.where(lengths == 100, 0.8, 2.5)
    known = [np.zeros(0, dtype=np.int64)] * many
    drawn = draw_candidates(features, targets, known, known, generator)
    traits = np.stack([np.log1p(lengths), np.zeros(many)], axis=1).astype(np.float32)
    weights = learn_weights(("for the long", "for the short"), FusionCases(*drawn, traits))
    histories = Histories.of([np.zeros(2), np.zeros(100)])
    short, long = weights.of_histories(histories, np.zeros(1, np.float32)).T
    assert long[0] > long[1]
    assert short[1] > short[0]


def test_without_cases_the_default_weights_count():
    names = ("popularity", "unheard of")
    nothing = FusionCases(
        np.zeros((0, CANDIDATES, 2), np.float32),
        np.zeros((0, CANDIDATES), np.float32),
        np.zeros((0, CANDIDATES), bool),
        np.zeros((0, 2), np.float32),
    )
    assert learn_weights(names, nothing) == default_weights(names)
    assert default_weights(names).level == (USUAL["popularity"], 0.0)


def test_a_handful_of_cases_hardly_moves_the_default_weights():
    cases, _, _ = planted_cases(many=2)
    names = ("popularity", "item-knn-recent", "ease-recent")
    weights = learn_weights(names, cases)
    usual = default_weights(names)
    assert np.abs(np.array(weights.level) - np.array(usual.level)).max() < 0.35


def test_known_items_are_never_among_the_others():
    features = np.zeros((1, 1, 10), dtype=np.float32)
    features[0, 0] = np.arange(10)
    generator = np.random.default_rng(0)
    known, also = [np.array([7, 8, 9])], [np.array([5])]
    cut, offsets, right = draw_candidates(features, np.array([3]), known, also, generator)
    present = np.isfinite(offsets[0])
    assert set(cut[0, present, 0].tolist()) == {0, 1, 2, 3, 4, 5, 6}
    assert cut[0, 0, 0] == 3
    assert set(cut[0, right[0], 0].tolist()) == {3, 5}
    assert 5 not in cut[0, -SECOND_LOSS_NEGATIVES:, 0]


def test_a_signal_that_finds_all_items_alike_says_nothing():
    flat = np.full((2, 5), 123.4, dtype=np.float32)
    assert not standardized(flat).any()
    assert not logarithmic(flat).any()


def test_features_do_not_change_with_the_unit_of_a_signal():
    signal = np.random.default_rng(0).random((3, 50)).astype(np.float32)
    names = ("a", "a~log")
    one = features_of({"a": signal}, names)
    other = features_of({"a": 40.0 * signal}, names)
    assert np.allclose(one, other, atol=1e-4)


def test_a_mixture_puts_an_item_high_that_either_reading_is_sure_of():
    plain = np.array([[9.0, 2.0, 1.0, 0.0]], dtype=np.float32)
    in_order = np.array([[0.0, 2.0, 1.0, 9.0]], dtype=np.float32)
    mixed = mixed_scores(plain, in_order, np.array([0.5], dtype=np.float32))[0]
    assert min(mixed[0], mixed[3]) > max(mixed[1], mixed[2])
    assert np.isclose(np.exp(mixed).sum(), 1.0, atol=1e-5)
    for chance, alone in ((0.0, plain), (1.0, in_order)):
        certain = mixed_scores(plain, in_order, np.array([chance], dtype=np.float32))[0]
        assert np.array_equal(np.argsort(certain), np.argsort(alone[0]))


def test_a_longer_list_is_likelier_in_order():
    chances = chance_of_order(np.array([0, 1, 5, 10, 500]))
    assert (np.diff(chances) > 0).all()
    assert chances[0] == 0.0
    assert chances[2] < 0.5 < chances[3]


def test_of_too_many_cases_some_are_kept_whole_and_in_their_order():
    histories = Histories.of([np.array([n, n + 1]) for n in range(50)])
    also = tuple(np.array([n], dtype=np.int32) for n in range(50))
    cases = HeldOut(histories, np.arange(50), also)
    assert some_cases(cases, 50, np.random.default_rng(0)) is cases
    kept = some_cases(cases, 7, np.random.default_rng(0))
    assert len(kept.targets) == len(kept.histories) == 7
    assert (np.diff(kept.targets) > 0).all()
    for row, target in enumerate(kept.targets.tolist()):
        assert kept.histories.items_of(row).tolist() == [target, target + 1]
        assert kept.also[row].tolist() == [target]
