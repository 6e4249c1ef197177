"""The ranker as a whole: it learns, falls back, explains, resumes, and stays on disk."""

import subprocess
import sys

import msgspec
import numpy as np
import pytest

from localrec.foundation.errors import InputError
from localrec.ranking.learned.evidence.base import FitStoppedError
from localrec.ranking.learned.fitting import sample_users
from localrec.ranking.learned.held_out import split_log
from localrec.ranking.learned.interactions import Histories
from localrec.ranking.learned.ranker import FusedRanker, RankerConfig
from tests.ranking.learned.planted import (
    COUNTED,
    ITEMS,
    SIZE,
    best_items,
    chained_log,
    group_side,
    grouped_log,
    log_of,
    nothing_known,
)

CONFIG = RankerConfig(kinds=COUNTED)


def fitted(log, side=None, **settings):
    ranker = FusedRanker(CONFIG, **settings)
    ranker.fit(log, side or nothing_known(log.items), seed=1)
    return ranker


def asked(*items, days=True):
    known = [np.arange(len(items), dtype=float)] if days else ()
    return Histories.of([np.array(items)], days=known)


@pytest.mark.parametrize("days", [True, False])
def test_a_stranger_gets_the_rest_of_their_group(days):
    ranker = fitted(grouped_log())
    assert set(best_items(ranker, asked(40, 42, 44, days=days), SIZE - 3)) <= set(range(40, 50))


def test_the_next_of_a_chain_comes_first():
    ranker = fitted(chained_log())
    assert best_items(ranker, asked(5, 6, 7), 1) == [8]


def test_a_long_list_without_days_is_read_in_its_order():
    ranker = fitted(chained_log(users=400))
    steps = np.arange(4, 16)
    forwards, turned = asked(*steps, days=False), asked(*steps[::-1], days=False)
    assert best_items(ranker, forwards, 1) == [16]
    assert best_items(ranker, turned, 1) != [16]


def test_the_order_of_two_favourites_says_next_to_nothing():
    ranker = fitted(chained_log(users=400))
    scores = [ranker.score(asked(*items, days=False))[0] for items in ((5, 9), (9, 5))]
    dated = [ranker.score(asked(*items))[0] for items in ((5, 9), (9, 5))]
    assert np.abs(scores[0] - scores[1]).max() < 0.2 * np.abs(dated[0] - dated[1]).max()


def test_a_store_without_days_reads_no_order_into_a_list():
    log = chained_log()
    ranker = fitted(log_of(log.user, log.item, log.users, ITEMS))
    one, other = (
        ranker.score(asked(*items, days=False)) for items in (range(12), range(11, -1, -1))
    )
    assert np.allclose(one, other, atol=1e-4)


def test_a_store_of_one_rating_still_gives_a_list():
    log = log_of([0], [4], 1, ITEMS, rating=[5.0], day=[1.0])
    ranker = fitted(log, group_side())
    best = best_items(ranker, asked(4), 3)
    assert set(best) <= set(range(SIZE))


def test_an_empty_store_ranks_by_attributes():
    ranker = fitted(log_of([], [], 0, ITEMS), group_side())
    assert set(best_items(ranker, asked(30), 5)) <= set(range(30, 40))


def test_nothing_known_of_anybody_gives_scores_and_no_error():
    ranker = fitted(grouped_log())
    scores = ranker.score(Histories.of([np.zeros(0, dtype=np.int32)]))
    assert scores.shape == (1, ITEMS)
    assert np.isfinite(scores).all()


def test_a_rating_given_now_counts_without_a_fit():
    ranker = fitted(grouped_log())
    before = best_items(ranker, asked(3, 4), 5)
    after = best_items(ranker, asked(3, 4, 51, 52, 53), 5)
    assert set(before) <= set(range(10))
    assert set(after) & set(range(50, 60))


def test_an_item_that_nobody_met_can_be_listed():
    log = grouped_log()
    ranker = fitted(log.select(log.item != 25), group_side())
    scores = ranker.score(asked(20, 21, 22, 23))[0]
    assert scores[25] > scores[[5, 15, 35, 45, 55]].max()


def test_noise_gets_hardly_any_weight():
    side = group_side()
    generator = np.random.default_rng(0)
    vectors = generator.standard_normal((ITEMS, 16)).astype(np.float32)
    noise = msgspec.structs.replace(side, vectors=vectors)
    ranker = fitted(chained_log(users=400), noise)
    texts = [
        level
        for name, level in zip(ranker.ordered.names, ranker.ordered.level, strict=True)
        if name.startswith("texts")
    ]
    assert max(texts) < 0.15 < max(ranker.ordered.level)


def test_evidence_of_no_weight_is_not_fitted_again():
    log = chained_log(users=400)
    backwards = log_of(log.user, log.item[::-1], log.users, ITEMS, day=log.days)
    ranker = fitted(backwards)
    unused = set(COUNTED) - {"attributes", "texts"} - set(ranker.evidence)
    weights = (ranker.ordered, ranker.unordered)
    used = {name for one in weights for name in one.used}
    for kind in unused:
        assert not any(name.startswith(kind) for name in used)
    for kind in set(ranker.evidence) - {"user-knn"}:  # which reasons are counted from
        signals = ranker.evidence[kind].signals(asked(1))
        assert any(signal in name for signal in signals for name in used)


def test_the_same_seed_gives_the_same_scores():
    histories = asked(1, 2, 3)
    one, other = (fitted(grouped_log()).score(histories) for _ in range(2))
    assert np.array_equal(one, other)


def test_reasons_add_up_to_the_score_and_name_items_of_the_history():
    ranker = fitted(grouped_log(), group_side())
    histories = Histories.of(
        [np.array([1]), np.array([20, 21, 50])], days=[np.arange(1.0), np.arange(3.0)]
    )
    parts = ranker.account(histories.take([1])).contributions(25)
    score = ranker.score(histories)[1, 25]
    assert np.isclose(sum(part.amount for part in parts), score, atol=1e-3)
    neighbours = next(part for part in parts if part.signal.startswith("item-knn"))
    assert set(neighbours.sources) == {20, 21}


def test_what_is_saved_scores_as_before(tmp_path):
    ranker = fitted(grouped_log(), group_side(), folder=tmp_path)
    again = FusedRanker(CONFIG, tmp_path)
    assert again.load()
    histories = asked(12, 14)
    assert np.array_equal(again.score(histories), ranker.score(histories))
    assert again.report == ranker.report
    assert sorted(path.suffix for path in tmp_path.iterdir()) == [".arrays", ".json"]


def test_unchanged_rows_are_not_learnt_again(tmp_path):
    fitted(grouped_log(), folder=tmp_path)
    told = []
    ranker = fitted(
        grouped_log(), folder=tmp_path, progress=lambda what, done, total: told.append(what)
    )
    assert not told
    assert ranker.report is not None


def test_a_damaged_file_is_refused_with_a_remedy(tmp_path):
    fitted(grouped_log(), folder=tmp_path)
    [arrays] = tmp_path.glob("*.arrays")
    arrays.write_bytes(arrays.read_bytes()[:-1])
    with pytest.raises(InputError, match="Delete the folder"):
        FusedRanker(CONFIG, tmp_path).load()


def test_a_file_that_lacks_what_this_version_needs_is_refused_with_a_remedy(tmp_path):
    fitted(grouped_log(), folder=tmp_path)
    record = tmp_path / "ranker.json"
    record.write_bytes(record.read_bytes().replace(b"ease/regularization", b"ease/other"))
    with pytest.raises(InputError, match="Learn it again"):
        FusedRanker(CONFIG, tmp_path).load()


def test_a_stopped_fit_goes_on_behind_what_was_finished(tmp_path):
    told = []

    def stop_before_ease():
        return bool(told) and told[-1] == "inner: ease"

    with pytest.raises(FitStoppedError):
        fitted(
            grouped_log(),
            folder=tmp_path,
            progress=lambda what, done, total: told.append(what),
            should_stop=stop_before_ease,
        )
    kept = tmp_path / "inner-cooccurrence" / "ranker.json"
    written = kept.stat().st_mtime_ns
    assert kept.exists()
    seen = []

    def remember(what, done, total):
        if what == "all: popularity":
            seen.append(kept.stat().st_mtime_ns)

    ranker = fitted(grouped_log(), folder=tmp_path, progress=remember)
    assert seen == [written]
    whole = fitted(grouped_log())
    assert np.array_equal(ranker.score(asked(3, 4)), whole.score(asked(3, 4)))


def test_new_rows_and_items_are_taken_in_without_learning_weights_anew():
    log = grouped_log()
    ranker = fitted(log)
    weights = ranker.ordered
    users = log.users + 30
    user = np.concatenate([log.user, np.repeat(np.arange(log.users, users), 4)])
    item = np.concatenate([log.item, np.tile([0, 1, ITEMS, ITEMS + 1], 30)])
    day = np.concatenate([log.days, np.tile(np.arange(4.0), 30) + 200.0])
    grown = log_of(user, item, users, ITEMS + 2, day=day)
    ranker.update(grown, nothing_known(ITEMS + 2), seed=1)
    assert ranker.ordered is weights
    assert set(best_items(ranker, asked(0, 1, ITEMS), 1)) == {ITEMS + 1}


def test_a_store_that_grew_by_half_is_weighed_anew():
    ranker = fitted(grouped_log(users=60))
    ranker.update(grouped_log(users=75), nothing_known(ITEMS), seed=1)
    assert ranker.report is not None
    assert ranker.report.weighed_rows == 60 * 8
    ranker.update(grouped_log(users=120), nothing_known(ITEMS), seed=1)
    assert ranker.report.weighed_rows == 120 * 8


def test_too_many_rows_are_learnt_from_a_sample_that_is_told():
    log = grouped_log(users=200)
    ranker = FusedRanker(RankerConfig(kinds=COUNTED, most_rows=800))
    ranker.fit(log, nothing_known(ITEMS), seed=1)
    assert ranker.report is not None
    assert ranker.report.sampled
    assert 400 < ranker.report.learnt_rows < 1_200
    sample = sample_users(log, 800, seed=1)
    lengths = np.diff(sample.first_row)
    assert set(lengths.tolist()) == {0, 8}  # users stay whole


def test_leaving_a_kind_out_learns_the_other_weights_anew():
    ranker = FusedRanker(CONFIG, may_ablate=True)
    ranker.fit(chained_log(), nothing_known(ITEMS), seed=1)
    less = ranker.ablated("cooccurrence")
    assert "cooccurrence" not in less.evidence
    assert not any(name.startswith(("cooccurrence", "transitions")) for name in less.ordered.names)
    assert best_items(ranker, asked(5, 6, 7), 1) == [8] != best_items(less, asked(5, 6, 7), 1)


def test_held_out_rows_are_not_in_the_log_that_evidence_is_fitted_on():
    log = grouped_log()
    split = split_log(log, seed=4)
    left = set(zip(split.log.user.tolist(), split.log.item.tolist(), strict=True))
    members = split.ordered.histories.user >= 0
    users, targets = split.ordered.histories.user[members], split.ordered.targets[members]
    assert members.sum() > 90
    assert not left & set(zip(users.tolist(), targets.tolist(), strict=True))
    strangers = set(range(log.users)) - set(split.log.user.tolist())
    assert len(strangers) == 18  # 15 in a hundred
    assert len(split.unordered.targets) > len(strangers)


def test_short_histories_lead_to_liked_items_only():
    log = grouped_log()
    rating = np.where(log.item % 2, 5.0, 1.0)
    split = split_log(log_of(log.user, log.item, log.users, ITEMS, day=log.days, rating=rating), 4)
    assert len(split.unordered.targets)
    assert (split.unordered.targets % 2 == 1).all()
    assert all((also % 2 == 1).all() for also in split.unordered.also)


def test_asking_a_fitted_ranker_imports_no_torch(tmp_path, monkeypatch):
    training = pytest.importorskip("localrec.ranking.learned.neural.training", exc_type=ImportError)
    config = training.TrainingConfig(size=32, state_size=32, learning_rate=0.02, fewest_steps=150)
    monkeypatch.setattr(training, "TrainingConfig", lambda: config)
    ranker = FusedRanker(RankerConfig(kinds=("popularity", "gru")), tmp_path)
    ranker.fit(chained_log(), nothing_known(ITEMS), seed=1)
    assert "gru" in ranker.evidence
    code = (
        "import sys, numpy as np\n"
        "from pathlib import Path\n"
        "from localrec.ranking.learned.interactions import Histories\n"
        "from localrec.ranking.learned.ranker import FusedRanker\n"
        f"ranker = FusedRanker(folder=Path({str(tmp_path)!r}))\n"
        "assert ranker.load()\n"
        "ranker.score(Histories.of([np.array([1, 2])], days=[np.array([0.0, 1.0])]))\n"
        "assert 'gru' in ranker.evidence\n"
        "sys.exit('torch' in sys.modules or 'scipy' in sys.modules)\n"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
