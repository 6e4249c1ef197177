"""Agents as systems under test: their rankings, faults, costs, and what they did on record."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from localrec.evaluation.comparisons import compare_runs
from localrec.evaluation.ranking import log_contexts
from localrec.evaluation.ranking.cases import EvaluationProtocol, split_data
from localrec.evaluation.ranking.inference import CaseResult, ListAnswerer
from localrec.evaluation.ranking.leakage import LeakError, check_graph
from localrec.evaluation.ranking.system_factory import SharedMemorySystem
from localrec.evaluation.run_folder import RunFolder
from localrec.foundation.errors import UsageError
from localrec.ranking.baselines.neural.configs import SASRecConfig
from localrec.workspace import OpenWorkspace

from .crowd import Fakes, config, measure, plant
from .test_prompted import MOVIES, keyed, scripted  # noqa: F401

TEN = {"candidates": 10}
PROFILE = "Think: Who is it?\nAct: get_user_profile()"
PLAIN = {"sequential": False}


@pytest.fixture(scope="module")
def crowd(tmp_path_factory):
    return plant(tmp_path_factory.mktemp("crowd") / "w")


def camp_lover(messages):
    """Asks a tool once, then ranks the films of the camp that the history is of before others."""
    if "Observation of" not in messages[-1].content:
        return PROFILE
    had, offered = messages[1].content.split("The candidates:")
    camp = int(had.split('"')[1].split()[-1]) % 2
    films = [int(line.split('"')[1].split()[-1]) for line in offered.splitlines() if '"' in line]
    order = sorted(range(len(films)), key=lambda place: films[place] % 2 != camp)
    return f"Think: So.\nRank: [{', '.join(str(place + 1) for place in order)}]"


def acting(entry="agenticrec", name="asked", **table):
    return {"name": name, "kind": "agent", "entry": entry, "settings": PLAIN, **table}


def lines_of(folder, name="asked"):
    lines = (folder / f"cases-{name}.jsonl").read_bytes().splitlines()
    return [msgspec.json.decode(line) for line in lines]


class TestAnAgent:
    def test_is_measured_like_any_other_system(self, crowd, tmp_path, scripted):  # noqa: F811
        opened = scripted(camp_lover)
        declared = config("random", acting(), protocol=TEN)
        random, found = measure(crowd, tmp_path / "run", declared).systems
        assert opened == [("agent", "smollm2-135m")]
        assert (found.failed, found.faults, found.suspicions) == ("", {}, ())
        assert found.metrics["NDCG@10"].low > random.metrics["NDCG@10"].high
        assert (found.settings["model"], found.settings["mode"]) == ("scripted", "agent")
        assert found.metrics["tool calls"].value == 1.0
        assert found.metrics["calls"].value == 2.0
        for one in lines_of(tmp_path / "run"):
            assert len(set(one["top"])) == 10
            assert one["tool_calls"] == 1
            assert "trajectory" not in one

    def test_may_have_an_adapter_of_its_own(self, crowd, tmp_path, scripted):  # noqa: F811
        opened = scripted(camp_lover)
        trained = acting(settings={**PLAIN, "adapter": "trained.gguf"}, sample=2)
        measure(crowd, tmp_path / "run", config(trained, protocol=TEN))
        assert opened == [("agent", "smollm2-135m", "trained.gguf")]

    def test_is_compared_with_a_baseline_in_what_both_have(self, crowd, tmp_path, scripted):  # noqa: F811
        scripted(camp_lover)
        out = tmp_path / "run"
        measure(crowd, out, config(acting(sample=6), "popularity", protocol=TEN))
        for pair in (("asked", "popularity"), ("popularity", "asked")):
            [found] = compare_runs(RunFolder(out), RunFolder(out), *pair)
            assert found.cases == 6
            told = {one.metric for one in found.metrics}
            assert {"H@1", "NDCG@10"} <= told
            assert not [one for one in told if one.startswith("shown")]

    def test_leaves_what_it_did_on_record_case_by_case(self, crowd, tmp_path, scripted):  # noqa: F811
        scripted(camp_lover)
        measure(crowd, tmp_path / "run", config(acting(sample=6), protocol=TEN))
        cases = lines_of(tmp_path / "run")
        acted = RunFolder(tmp_path / "run").trajectories("asked")
        assert [one.id for one in acted] == [one["id"] for one in cases]
        assert [one.user for one in acted] == [one["person"] for one in cases]
        assert acted[0].trajectory.steps[0].call.tool == "get_user_profile"
        assert set(cases[0]["targets"]) < set(acted[0].items)  # candidates, and the history

    def test_killed_within_its_first_line_goes_on(self, crowd, tmp_path, scripted):  # noqa: F811
        scripted(camp_lover)
        declared = config(acting(sample=6), protocol=TEN)
        out = tmp_path / "run"
        measure(crowd, out, declared)
        trajectories = out / "trajectories-asked.jsonl"
        whole = trajectories.read_bytes()
        trajectories.write_bytes(whole[:200])
        (out / "cases-asked.jsonl").unlink()
        (out / "metrics.json").unlink()
        measure(crowd, out, declared)
        assert [one.id for one in RunFolder(out).trajectories("asked")] == [
            one["id"] for one in lines_of(out)
        ]

    def test_that_ranks_fewer_than_all_is_no_shorter_than_it_undertook(
        self,
        crowd,
        tmp_path,
        scripted,  # noqa: F811
    ):
        scripted(lambda messages: "Think: So.\nRank: [3, 1]")
        table = acting("agenticrec-reasoning", settings={**PLAIN, "k": 2})
        (found,) = measure(crowd, tmp_path / "run", config(table, protocol=TEN)).systems
        assert found.faults == {}
        assert {len(one["top"]) for one in lines_of(tmp_path / "run")} == {2}
        assert found.metrics["shown H@10"].value == 1.0
        assert found.metrics["H@10"].value < 1.0

    def test_whose_trajectory_is_invalid_gave_no_answer_and_shows_the_fused_one(
        self,
        crowd,
        tmp_path,
        scripted,  # noqa: F811
    ):
        scripted(lambda messages: PROFILE)
        fused = acting("agenticrec-fused", "fused")
        table = acting(settings={**PLAIN, "budget": 2})
        out = tmp_path / "run"
        found, stood_in = measure(crowd, out, config(table, fused, protocol=TEN)).systems
        assert found.faults == {"budget": found.cases}
        assert found.metrics["H@10"].value == 0.0
        assert found.metrics["invalid"].value == 1.0
        for k in (1, 5, 10):
            assert found.metrics[f"shown H@{k}"] == stood_in.metrics[f"H@{k}"]
        assert {one["tool_calls"] for one in lines_of(out)} == {2}

    def test_without_a_model_opens_none(self, crowd, tmp_path, scripted):  # noqa: F811
        opened = scripted([])
        table = acting("agenticrec-fused")
        (found,) = measure(crowd, tmp_path / "run", config(table, protocol=TEN)).systems
        assert (opened, found.failed, found.faults) == ([], "", {})
        assert found.settings == {"sequential": False, "rule_set": found.settings["rule_set"]}
        assert "calls" not in found.metrics
        assert found.metrics["tool calls"].value > 3

    def test_asks_a_sequential_model_of_the_training_rows(
        self,
        crowd,
        tmp_path,
        scripted,  # noqa: F811
        monkeypatch,
    ):
        seen = []
        made = log_contexts.make_sasrec

        def small(settings):
            small = made(SASRecConfig(embedding_size=8, epochs=1, length=10))
            fit = small.fit
            small.fit = lambda train, *rest: seen.append(len(train)) or fit(train, *rest)
            return small

        monkeypatch.setattr(log_contexts, "make_sasrec", small)
        table = acting("agenticrec-fused", settings={})
        (found,) = measure(crowd, tmp_path / "run", config(table, protocol=TEN)).systems
        assert (found.failed, seen) == ("", [40 * 8])
        acted = RunFolder(tmp_path / "run").trajectories("asked")
        said = [step.observation for one in acted for step in one.trajectory.steps]
        assert any("By a sequential model" in one for one in said)

    def test_goes_on_where_it_was_and_does_nothing_twice(self, crowd, tmp_path, scripted):  # noqa: F811
        scripted(camp_lover)
        declared = config(acting(sample=8), protocol=TEN, chunk=4, probe=0)
        out = tmp_path / "run"
        measure(crowd, out, declared)
        folder = RunFolder(out)
        before = folder.trajectories("asked")
        # Killed behind the second chunk's trajectories, before its cases, in the midst of a line.
        path = out / "cases-asked.jsonl"
        path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:4]))
        (out / "metrics.json").unlink()
        with (out / "trajectories-asked.jsonl").open("ab") as file:
            file.write(b'{"id":"1')
        calls = []
        scripted(lambda messages: calls.append(0) or camp_lover(messages))
        measure(crowd, out, declared)
        assert len(calls) == 2 * 4
        after = folder.trajectories("asked")
        assert [one.id for one in after] == [one.id for one in before]
        assert [one.trajectory.turns for one in after] == [one.trajectory.turns for one in before]

    @pytest.mark.parametrize(
        ("table", "protocol", "said"),
        [
            (acting(), {}, "An agent cannot rank all items"),
            (acting("oracle"), TEN, 'There is no agent "oracle"'),
            (acting(trials=2), TEN, "takes too long to tune"),
            (acting(settings={"k": 0}), TEN, "settings of agenticrec do not fit"),
            (acting(settings={"sequential": 1}), TEN, "sequential is true or false"),
            (
                acting(settings={"mode": "fused"}),
                TEN,
                "unknown field `mode`. It has these: model, adapter, sequential, budget, k,",
            ),
        ],
    )
    def test_that_cannot_be_asked_is_refused_before_anything_is_done(
        self, crowd, tmp_path, table, protocol, said
    ):
        with pytest.raises(UsageError, match=said):
            measure(crowd, tmp_path / "run", config("popularity", table, protocol=protocol))
        assert not (tmp_path / "run").exists()


class TestTheGuards:
    @pytest.fixture
    def fitted(self, crowd, keyed):  # noqa: F811
        parted = split_data(keyed.interactions, EvaluationProtocol(**TEN))
        with OpenWorkspace(crowd) as workspace:
            bench = Fakes(workspace, MOVIES, keyed, parted)
            declared = config(acting("agenticrec-fused")).systems[0]
            system = bench.make(declared, declared.settings)
            system.fit(parted.train, 7, lambda *_: None)
            yield bench, parted, system

    def test_look_over_the_graph_of_an_agent(self, fitted):
        bench, parted, system = fitted
        assert isinstance(system, ListAnswerer) and isinstance(system, SharedMemorySystem)
        bench.look_over(system)
        few = msgspec.structs.replace(
            parted.train,
            **{name: getattr(parted.train, name)[:-9] for name in ("user", "item", "stars", "at")},
        )
        with pytest.raises(LeakError, match="A memory joins people to"):
            check_graph(system.graph, system.in_catalogue(few))

    def test_see_that_tools_read_that_graph_and_no_other(self, fitted):
        _, parted, system = fitted
        case = parted.test.take(np.array([0]))
        tool_context = system.tool_context(case.requests(), 0)
        assert tool_context.reference.collaborative_memory.graph is system.graph
        assert tool_context.days.max() < 1e5 and not np.isnan(tool_context.stars).any()


def test_an_outcome_without_an_agent_is_written_as_before():
    blank = CaseResult(
        id="1", user="a", targets=(), first=1, tied=1, hits=(), pool=2, top=(), ms=0.0
    )
    assert not {"tool_calls", "shown", "trajectory"} & set(
        msgspec.json.decode(msgspec.json.encode(blank))
    )
