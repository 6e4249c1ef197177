"""One road for every system: what it measures, what it survives, that a seed says the same."""

import msgspec
import numpy as np
import pytest

from localrec.evaluation.configs import load_config, ready_configs
from localrec.evaluation.ranking.cases import EvaluationProtocol, split_data
from localrec.evaluation.ranking.inference import InferenceContext, run_cases
from localrec.foundation.errors import InputError, UsageError
from localrec.foundation.progress import no_progress
from localrec.graph.domain_files import load_domain
from localrec.systems.registry import SYSTEM_REGISTRY
from localrec.workspace import OpenWorkspace
from localrec.workspace.log_context import LogContext

from .crowd import Fake, config, measure, plant, rows

MOVIES = load_domain("movies")


def lines(out, system):
    """A file of cases without the times, which nobody can repeat."""
    text = (out / f"cases-{system}.jsonl").read_bytes()
    return [{**msgspec.json.decode(line), "ms": None} for line in text.splitlines()]


class Fixed(Fake):
    """Scores that are given."""

    def __init__(self, scores):
        super().__init__()
        self.scores = np.asarray(scores, dtype=np.float32)

    def score(self, requests):
        return np.tile(self.scores, (len(requests), 1))


def asked(keyed, system, protocol=EvaluationProtocol(), k=5, known=False):  # noqa: B008 - immutable
    cases = split_data(keyed.interactions, protocol).test
    asking = InferenceContext(
        user_keys=keyed.user_keys,
        item_keys=keyed.item_keys,
        keep_known=known,
        k=k,
        seed=1,
    )
    return cases, run_cases(system, cases, asking)


def test_full_ranking_leaves_out_what_the_person_had_unless_told_otherwise(keyed):
    falling = Fixed(-np.arange(40))
    cases, outcomes = asked(keyed, falling)
    for place, one in enumerate(outcomes):
        had = set(cases.seen_items[place].tolist())
        free = [item for item in range(40) if item not in had]
        assert one.top == tuple(keyed.item_keys[free[:5]])
        assert one.first == free.index(cases.positives[place][0]) + 1
        assert one.pool == len(free) == 31
    _, with_known = asked(keyed, falling, known=True)
    assert {one.top for one in with_known} == {tuple(keyed.item_keys[:5])}


def test_equal_scores_leave_the_rank_open_and_lists_in_an_order_of_chance(keyed):
    _, outcomes = asked(keyed, Fixed(np.zeros(40)), EvaluationProtocol(candidates=10), k=10)
    assert {(one.first, one.tied, one.pool) for one in outcomes} == {(1, 10, 10)}
    places = [one.top.index(one.targets[0]) for one in outcomes]
    assert len(set(places)) > 5


def test_what_has_no_score_was_not_ranked(keyed):
    scores = np.full(40, np.nan)
    scores[:3] = -np.inf
    _, outcomes = asked(keyed, Fixed(scores))
    assert {(one.first, one.top, one.faults) for one in outcomes} == {(0, (), ("empty",))}
    scores[7] = 1.0
    _, outcomes = asked(keyed, Fixed(scores))
    assert {one.faults for one in outcomes} <= {("short",), ("empty",)}


def test_a_list_has_its_ranks_counted_from_one(keyed):
    class Backwards(Fake):
        def answer(self, requests, k):
            return [line[::-1].tolist() for line in requests.candidates]

    cases, outcomes = asked(keyed, Backwards(), EvaluationProtocol(candidates=10), k=10)
    for place, one in enumerate(outcomes):
        line = keyed.item_keys[cases.candidates[place]].tolist()[::-1]
        assert one.top == tuple(line)
        assert one.first == line.index(one.targets[0]) + 1
        assert one.hits == (one.first,)
        assert one.faults == ()


def test_intervals_rest_on_people_not_on_cases(tmp_path):
    folder = plant(tmp_path / "w", rows(users=4, each=20))
    declared = config("popularity", protocol={"split": "by-time"})
    (found,) = measure(folder, tmp_path / "run", declared).systems
    assert (found.cases, found.metrics["H@10"].n) == (8, 4)


def test_baselines_beat_chance_on_planted_camps(crowd, tmp_path):
    declared = config("random", "ease", "naive-bayes", {"name": "neighbours", "kind": "ranker"})
    found = {one.name: one for one in measure(crowd, tmp_path / "run", declared).systems}
    assert [one.failed for one in found.values()] == [""] * 4
    for name in ("ease", "naive-bayes", "neighbours"):
        assert found[name].metrics["H@10"].low > found["random"].metrics["H@10"].high
        assert found[name].suspicions == ()
    assert found["ease"].cases == 40
    assert set(found["ease"].metrics) >= {"H@1", "NDCG@10", "MRR", "novelty@10", "diversity@10"}


@pytest.mark.parametrize(
    "protocol",
    [
        {"candidates": 10},
        {"split": "by-time"},
        {"split": "cold-users", "shown": 4},
        {"split": "cold-users", "shown": 4, "candidates": 5},
    ],
)
def test_every_protocol_runs_to_its_end(crowd, tmp_path, protocol):
    declared = config("popularity", {"name": "auto", "kind": "ranker"}, protocol=protocol)
    found = measure(crowd, tmp_path / "run", declared)
    assert found.complete
    assert [one.failed for one in found.systems] == ["", ""]
    wanted = "recall@10" if protocol.get("shown") and "candidates" not in protocol else "H@1"
    assert all(wanted in one.metrics for one in found.systems)


def test_the_same_seed_gives_the_same_cases_whatever_the_chunks(crowd, tmp_path):
    for out, chunk in (("one", 64), ("other", 7)):
        declared = config("random", "item-knn", chunk=chunk, protocol={"candidates": 20})
        measure(crowd, tmp_path / out, declared)
    for name in ("random", "item-knn"):
        first, second = lines(tmp_path / "one", name), lines(tmp_path / "other", name)
        assert [one["first"] for one in first] == [one["first"] for one in second]


def test_a_search_is_told_and_made_once(crowd, tmp_path, monkeypatch):
    declared = config({"name": "ease", "trials": 3})
    (found,) = measure(crowd, tmp_path / "run", declared).systems
    assert len(found.search.trials) == 3
    assert found.settings == found.search.best.settings
    (tmp_path / "run" / "metrics.json").unlink()
    monkeypatch.setattr("localrec.evaluation.ranking.ranking_harness.tune", None)
    (again,) = measure(crowd, tmp_path / "run", declared).systems
    assert again.search == found.search


def test_set_settings_are_not_searched(crowd, tmp_path):
    declared = config({"name": "ease", "trials": 2, "settings": {"regularization": 5.0}})
    (found,) = measure(crowd, tmp_path / "run", declared).systems
    assert [trial.settings for trial in found.search.trials] == [{"regularization": 5.0}]


def test_a_system_that_fails_is_told_and_the_others_are_measured(crowd, tmp_path):
    found = measure(crowd, tmp_path / "run", config("nofit", "popularity"))
    failed, other = found.systems
    assert failed.failed == "ZeroDivisionError: no data"
    assert failed.metrics == {} and other.metrics["H@10"].value > 0


@pytest.mark.parametrize(
    ("system", "said"),
    [
        ("oracle", 'There is no baseline "oracle"'),
        ({"name": "oracle", "kind": "ranker"}, "There is no system 'oracle' that ranks"),
        ({"name": "ease", "settings": {"depth": 3}}, "settings of the baseline ease do not fit"),
        ({"name": "auto", "kind": "ranker", "trials": 3}, "nothing to set or to tune"),
    ],
)
def test_what_cannot_be_made_is_refused_before_anything_is_done(crowd, tmp_path, system, said):
    with pytest.raises(UsageError, match=said):
        measure(crowd, tmp_path / "run", config("popularity", system))
    assert not (tmp_path / "run").exists()


def test_an_engine_gets_the_chunks_and_keeps_their_order(crowd, tmp_path):
    class Recorder:
        name = "recorder"

        def __init__(self):
            self.sizes = []

        def map(self, work, chunks):
            for chunk in chunks:
                self.sizes.append(len(chunk))
                yield work(chunk)

    engine = Recorder()
    measure(crowd, tmp_path / "run", config("popularity", chunk=16), engine=engine)
    assert engine.sizes == [16, 16, 8]


def test_a_ranker_counts_what_it_is_fitted_to_as_it_counts_the_store(crowd, keyed):
    parted = split_data(keyed.interactions, EvaluationProtocol())
    with OpenWorkspace(crowd) as workspace:
        context = workspace.context("movies")
        everything = context.interactions
        ranker = SYSTEM_REGISTRY.recommender(LogContext(context.indexes), "neighbours")
        assert not ranker.interactions.likes.any()
        ranker.fit(keyed.interactions, 7, no_progress)
        whole = ranker.interactions
        ranker.fit(parted.train, 7, no_progress)
    assert whole.likes.tolist() == everything.likes.tolist()
    assert whole.user_count == everything.user_count
    for item in (0, 7):
        ours, theirs = whole.liked_with(item), everything.liked_with(item)
        assert ours[0].tolist() == theirs[0].tolist() and ours[1] == theirs[1]
    assert len(ranker.interactions.items) < len(whole.items)


def test_the_default_list_is_measured_as_it_was_learnt(crowd, tmp_path, monkeypatch):
    """Fitted like the product's own: learnt from the training rows, unless that is switched off."""
    declared = config({"name": "auto", "kind": "ranker"}, protocol={"candidates": 10})
    (counted,) = measure(crowd, tmp_path / "off", declared).systems
    monkeypatch.delenv("LOCALREC_LEARN")
    (learnt,) = measure(crowd, tmp_path / "on", declared).systems
    assert counted.settings == {} and counted.failed == learnt.failed == ""
    assert "cooccurrence" in learnt.settings["kinds"]
    assert lines(tmp_path / "off", "auto") != lines(tmp_path / "on", "auto")


class TestAConfiguration:
    @pytest.mark.parametrize("name", list(ready_configs()))
    def test_that_ships_can_be_read_and_is_called_like_its_file(self, name):
        declared, text = load_config(name)
        assert declared.name == name
        assert text

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("name = ", "Invalid value"),
            ('name = "x"', "missing required field `data`"),
            ('name = "../x"\nsystems = [{name = "a"}]\ndata = {domain = "movies"}', "regex"),
            ('name = "x"\nsystems = []\ndata = {domain = "movies"}', "length >= 1"),
            ('name = "x"\nsystems = [{name = "a"}]\ndata = {}', "either a dataset or a domain"),
            (
                'name = "x"\nsystems = [{name = "a"}, {name = "a"}]\ndata = {domain = "movies"}',
                "two systems are named a",
            ),
            (
                'name = "x"\nsystems = [{name = "a"}]\nsead = 3\ndata = {domain = "movies"}',
                "unknown field `sead`",
            ),
            ("\xff", "does not declare a run"),
        ],
    )
    def test_that_is_wrong_is_refused_with_what_is_wrong(self, tmp_path, text, said):
        path = tmp_path / "run.toml"
        path.write_bytes(text.encode("latin-1"))
        with pytest.raises(InputError, match=said):
            load_config(str(path))

    def test_that_is_not_there_names_those_that_are(self):
        with pytest.raises(InputError, match="ml-100k-baselines-full"):
            load_config("nowhere.toml")
