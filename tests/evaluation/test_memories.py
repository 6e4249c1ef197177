"""MemRec without a model as a system under test: it learns from training rows and nothing else."""

from __future__ import annotations

import numpy as np
import pytest

from localrec.evaluation.ranking.cases import EvaluationProtocol, split_data
from localrec.evaluation.ranking.inference import ListAnswerer
from localrec.evaluation.ranking.system_factory import MEMORIES, SystemFactory, memory_config
from localrec.evaluation.run_folder import RunFolder
from localrec.foundation.errors import UsageError
from localrec.graph.domain_files import load_domain
from localrec.memory.from_log import build_collaborative_memory, deduplicated_history
from localrec.memory.user_summaries import build_item_features
from localrec.systems.registry import SYSTEM_REGISTRY
from localrec.workspace import OpenWorkspace
from localrec.workspace.log_context import LogContext

from .crowd import FILMS, config, measure

MOVIES = load_domain("movies")
TEN = {"candidates": 10}


@pytest.fixture(scope="module")
def parted(keyed):
    return split_data(keyed.interactions, EvaluationProtocol(candidates=10))


@pytest.fixture(scope="module")
def knowledge(crowd, keyed, parted):
    with OpenWorkspace(crowd) as workspace:
        yield SystemFactory(workspace, MOVIES, keyed, parted).knowledge


@pytest.fixture(scope="module")
def make(crowd):
    """Makes a composition with some settings over the items, without anybody's likes."""
    with OpenWorkspace(crowd) as workspace:
        items = LogContext(workspace.context("movies").indexes)
        yield lambda name, settings=None: SYSTEM_REGISTRY.recommender(items, name, settings)


def memory(name, **table):
    return {"name": name, "kind": "memory", **table}


def quiet(what, done, total):
    pass


@pytest.fixture(scope="module")
def results(crowd, tmp_path_factory):
    """What a run over all compositions came to, as it was kept."""
    folder = tmp_path_factory.mktemp("run") / "r"
    measure(crowd, folder, config("random", *map(memory, MEMORIES), protocol=TEN))
    return {one.name: one for one in RunFolder(folder).metrics().systems}


class TestInARun:
    @pytest.mark.parametrize("name", list(MEMORIES))
    def test_every_composition_finds_the_camp(self, results, name):
        found = results[name]
        assert (found.failed, found.faults, found.suspicions) == ("", {}, ())
        assert found.metrics["NDCG@10"].low > results["random"].metrics["NDCG@10"].high

    def test_settings_say_which_parts_there_were_and_what_was_fitted(self, results):
        fused, compared = results["memrec"].settings, results["memrec-vector"].settings
        assert fused["read"] is True
        assert fused["rule_set"] == compared["rule_set"] == "movies"
        # Forty people are fewer than weights are fitted on.
        assert fused["weight of companions"] > fused["weight of facets"]
        assert (compared["moved"], compared["fading"]) == (0.8, 0.8)


class TestWhatIsCounted:
    def test_is_the_training_rows(self, parted, knowledge):
        graph = build_collaborative_memory(parted.train, knowledge, write=True).graph
        assert len(graph.matrix.items) == len(parted.train)
        for user in (0, 7):
            mine = np.sort(parted.train.item[parted.train.rows_of(user)])
            assert graph.matrix.items_of(user).tolist() == mine.tolist()

    def test_without_writing_is_the_older_half_of_each_history(self, parted, knowledge):
        graph = build_collaborative_memory(parted.train, knowledge, write=False).graph
        for user in (0, 7):
            mine = parted.train.item[parted.train.rows_of(user)]
            older = np.sort(mine[: (len(mine) + 1) // 2])
            assert graph.matrix.items_of(user).tolist() == older.tolist()

    def test_knows_the_attributes_and_texts_of_the_evaluated_items(self, crowd, keyed, knowledge):
        assert knowledge.item_features.items == FILMS
        assert knowledge.item_features.vectors.shape[0] == FILMS
        for film, key in enumerate(keyed.item_keys):
            (attribute,) = knowledge.item_features.attribute[knowledge.item_features.item == film]
            camp = int(key.removeprefix("f")) % 2
            assert knowledge.attributes[attribute].name == ("drama", "comedy")[camp]
            assert knowledge.attributes_of(film).tolist() == [attribute]
            assert knowledge.names[film] == f"Film {int(key.removeprefix('f'))}"

    def test_keeps_the_order_of_the_evaluated_items(self, crowd, keyed, knowledge):
        with OpenWorkspace(crowd) as workspace:
            catalogue = workspace.context("movies").catalogue
            some = build_item_features(catalogue, None, knowledge.places[:3])
        assert some.items == 3
        assert some.attribute.tolist() == knowledge.item_features.attribute[:3].tolist()


class TestASystem:
    @pytest.mark.parametrize("name", list(MEMORIES))
    def test_scores_every_item_for_people_and_strangers(self, parted, make, name):
        system = make(name)
        assert not isinstance(system, ListAnswerer)
        system.fit(parted.train, 7, quiet)
        requests = parted.validation.take(np.arange(3)).requests()
        scores = system.score(requests)
        assert scores.shape == (3, FILMS)
        assert scores.dtype == np.float32
        assert np.isfinite(scores).all()

    @pytest.mark.parametrize("name", ["memrec", "memrec-vector"])
    def test_scores_a_request_as_if_it_were_alone(self, parted, make, name):
        system = make(name)
        system.fit(parted.train, 7, quiet)
        cases = parted.validation
        together = system.score(cases.take(np.arange(4)).requests())
        alone = system.score(cases.take(np.array([3])).requests())
        assert together[3] == pytest.approx(alone[0])

    def test_without_rules_ranks_otherwise(self, parted, make):
        requests = parted.validation.take(np.arange(5)).requests()
        scores = []
        for rules in (True, False):
            system = make("memrec", {"rules": rules, "neighbours": 8})
            system.fit(parted.train, 7, quiet)
            scores.append(system.score(requests))
        assert not np.array_equal(*scores)


class TestAComposition:
    def test_takes_settings_over_its_own(self):
        assert memory_config("memrec-no-rules", {"facets": 3}).facets == 3
        assert not memory_config("memrec-no-rules", {"facets": 3}).rules
        assert memory_config("memrec-vector", {"moved": 0.5}).moved == 0.5

    @pytest.mark.parametrize(
        ("system", "said"),
        [
            (memory("memrec-oracle"), 'no system "memrec-oracle" with a memory'),
            (memory("memrec", settings={"depth": 1}), "settings of memrec do not fit"),
            (memory("memrec-vector", settings={"moved": 2.0}), "settings of memrec-vector do not"),
            (memory("memrec-vector", settings={"popularity": 1}), "It has these: rules, write"),
            (memory("memrec", trials=3), "fits itself"),
        ],
    )
    def test_that_does_not_exist_is_refused_before_anything_is_done(
        self, crowd, tmp_path, system, said
    ):
        with pytest.raises(UsageError, match=said):
            measure(crowd, tmp_path / "run", config("popularity", system, protocol=TEN))
        assert not (tmp_path / "run").exists()


def test_an_item_that_comes_twice_counts_at_its_newest_place():
    items, weights = deduplicated_history(np.array([4, 7, 4, 9, 7], dtype=np.int32))
    assert items.tolist() == [4, 9, 7]
    assert weights.tolist() == [1.0, 1.0, 1.0]


@pytest.mark.parametrize("settings", [{"neighbours": -3}, {"neighbours": 0}, {"facets": 2.5}])
@pytest.mark.parametrize("name", ["memrec", "memrec-vector"])
def test_numbers_that_make_no_sense_are_refused_before_a_run_begins(name, settings):
    with pytest.raises(UsageError, match=f"settings of {name} do not fit"):
        memory_config(name, settings)
