"""What the agents of a run learn alike is learnt once; who takes it over says what it took."""

from __future__ import annotations

import gc
import weakref

import msgspec
import numpy as np
import pytest

from localrec.evaluation.ranking import log_contexts
from localrec.evaluation.ranking.cases import EvaluationProtocol, split_data
from localrec.memory import from_log
from localrec.ranking.baselines.neural.configs import SASRecConfig
from localrec.workspace import OpenWorkspace

from .crowd import Fakes, config, measure
from .test_agents import PLAIN, TEN, acting, lines_of
from .test_prompted import MOVIES, scripted  # noqa: F401

FUSED = "agenticrec-fused"


@pytest.fixture
def learnt(monkeypatch):
    """What was learnt, each kind with its rows and seed; networks are small."""
    done = []
    make, count = log_contexts.make_sasrec, from_log.build_collaborative_memory

    def small(settings):
        network = make(SASRecConfig(embedding_size=8, epochs=1, length=10))
        fit = network.fit
        network.fit = lambda train, seed, *rest: (
            done.append(("network", len(train), seed)) or fit(train, seed, *rest)
        )
        return network

    def counting(train, *rest, **options):
        done.append(("memory", len(train)))
        return count(train, *rest, **options)

    monkeypatch.setattr(log_contexts, "make_sasrec", small)
    monkeypatch.setattr(from_log, "build_collaborative_memory", counting)
    return done


@pytest.fixture
def bench(crowd, keyed):
    """Makes agents, and the data after the protocol."""
    parted = split_data(keyed.interactions, EvaluationProtocol(**TEN))
    with OpenWorkspace(crowd) as workspace:
        yield Fakes(workspace, MOVIES, keyed, parted), parted


def fused(bench, train, seed=7, **settings):
    """A fused agent, fitted."""
    declared = config(acting(FUSED, settings=settings)).systems[0]
    system = bench.make(declared, declared.settings)
    system.fit(train, seed, lambda *_: None)
    return system


def less(train):
    """The same rows without the last nine."""
    columns = ("user", "item", "stars", "at")
    return msgspec.structs.replace(train, **{one: getattr(train, one)[:-9] for one in columns})


def without_time(lines):
    return [{name: value for name, value in one.items() if name != "ms"} for one in lines]


class TestAgentsOfARun:
    def test_learn_once_and_the_later_one_says_what_it_was_spared(self, crowd, tmp_path, learnt):
        tables = (acting(FUSED, name, settings={}) for name in ("one", "other"))
        one, other = measure(crowd, tmp_path / "run", config(*tables, protocol=TEN)).systems
        assert (one.failed, other.failed) == ("", "")
        assert learnt == [("network", 40 * 8, 7), ("memory", 40 * 8)]
        assert one.spared_s == 0.0
        assert 0.0 < other.spared_s <= min(one.fit_s, other.fit_s)

    def test_answer_as_if_each_were_alone(self, crowd, tmp_path, learnt):
        tables = [acting(FUSED, name, settings={}) for name in ("one", "other")]
        measure(crowd, tmp_path / "both", config(*tables, protocol=TEN))
        measure(crowd, tmp_path / "alone", config(tables[1], protocol=TEN))
        both, alone = (lines_of(tmp_path / name, "other") for name in ("both", "alone"))
        assert without_time(both) == without_time(alone)

    def test_share_the_memory_where_one_has_no_network(self, crowd, tmp_path, learnt):
        tables = (acting(FUSED, "plain", settings=PLAIN), acting(FUSED, "guided", settings={}))
        plain, guided = measure(crowd, tmp_path / "run", config(*tables, protocol=TEN)).systems
        assert learnt == [("memory", 40 * 8), ("network", 40 * 8, 7)]
        assert (plain.spared_s, guided.settings["sequential"]) == (0.0, True)

    def test_leave_nothing_behind_when_it_ends(self, crowd, tmp_path, learnt, monkeypatch):
        made, model_of = [], log_contexts.build_sequential_model

        def watched(*args):
            model = model_of(*args)
            made.append(weakref.ref(model))
            return model

        monkeypatch.setattr(log_contexts, "build_sequential_model", watched)
        measure(crowd, tmp_path / "run", config(acting(FUSED, "one", settings={}), protocol=TEN))
        gc.collect()
        assert [one() for one in made] == [None]


class TestWhatIsLearnt:
    def test_is_learnt_anew_from_other_rows(self, bench, learnt):
        workbench, parted = bench
        few = less(parted.train)
        fused(workbench, parted.train)
        assert fused(workbench, few).spared_s == 0.0
        assert learnt[2:] == [("network", len(few), 7), ("memory", len(few))]

    def test_is_learnt_anew_from_rows_that_were_written_to(self, bench, learnt):
        workbench, parted = bench
        rows = msgspec.structs.replace(parted.train, item=parted.train.item.copy())
        fused(workbench, rows)
        rows.item[0] = (rows.item[0] + 1) % rows.items
        fused(workbench, rows)
        assert len(learnt) == 4

    def test_is_taken_from_rows_that_are_equal(self, bench, learnt):
        workbench, parted = bench
        first = fused(workbench, parted.train)
        later = fused(workbench, msgspec.structs.replace(parted.train))
        assert (len(learnt), later.graph) == (2, first.graph)
        assert later.spared_s > 0.0

    def test_is_trained_anew_with_another_seed_and_counted_as_before(self, bench, learnt):
        workbench, parted = bench
        fused(workbench, parted.train)
        fused(workbench, parted.train, seed=8)
        assert learnt[2:] == [("network", 40 * 8, 8)]

    def test_stays_at_home_but_for_what_an_agent_holds(self, bench, learnt):
        parcels = pytest.importorskip("localrec.engines.ray_engine")
        pytest.importorskip("ray")
        workbench, parted = bench
        case = parted.test.take(np.arange(3))
        fused(workbench, parted.train)
        alone, guided = (fused(workbench, parted.train, sequential=one) for one in (False, True))
        here = guided.answer(case.requests(), 10)
        again = parcels.unpacked(parcels.packed(guided.answer))
        there = again(case.requests(), 10)
        assert [one.shown for one in there] == [one.shown for one in here]
        assert b"SequentialModel" in parcels.packed(guided.answer)
        assert b"SequentialModel" not in parcels.packed(alone.answer)
