"""GRPO for real on tiny networks: what moves, what is dropped, going on as if never stopped."""

from __future__ import annotations

import msgspec
import pytest

from localrec.data.trajectory import Trajectory
from localrec.foundation.errors import CutShortError, ModelCancelledError
from localrec.training.adapters.lora import read_weights
from localrec.training.base_model.loading import load_base
from localrec.training.base_model.tokenized_rollout import TokenizedRollout
from localrec.training.jobs.training_runs import TrainingData, create_run, open_run
from localrec.training.rl.rewards import INVALID, MISSED, Reward
from localrec.training.rl.rollout_groups import RolloutCollector, RolloutGroup, figures_of
from localrec.training.rl.rollout_workers import Rollout, RolloutRequest, RolloutWorkers

from .small_tasks import PRESET, SHORT, TWO, Few, opened
from .tiny_models import make_tiny

DATA = TrainingData(
    fingerprint="few", counts={}, base="Tiny", base_fingerprint="", seeds={}, versions={}
)


@pytest.fixture(scope="module")
def roomy(tmp_path_factory):
    """A tiny llama with room for a conversation."""
    return make_tiny("llama", tmp_path_factory.mktemp("roomy"), context=2048)


@pytest.fixture(scope="module")
def base(roomy):
    return load_base(roomy.gguf)


@pytest.fixture
def writers(roomy):
    with RolloutWorkers(opened(roomy.gguf), 2, ()) as found:
        yield found


def silent(what, done, total):
    pass


def train(folder, gguf, base, *, progress=silent, config=TWO, start=True):
    """Train on the few requests, in a new run's folder or in one that was left."""
    from localrec.training.rl.grpo_trainer import PolicyTraining

    run = create_run(folder.parent, folder.name, config, DATA) if start else open_run(folder)
    with run.training(), RolloutWorkers(opened(gguf), config.workers, ()) as writers:
        task = RolloutCollector(Few(), writers, base, config, config.k)
        judged = RolloutCollector(Few(), writers, base, config, config.k)
        PolicyTraining(run, base, gguf, config, PRESET, writers, task, (judged, 3)).go(
            config.steps, progress
        )
    return run


def figures(run):
    return [(one.step, one.values) for one in run.records()]


class TestATraining:
    @pytest.fixture(scope="class")
    @staticmethod
    def whole(roomy, base, tmp_path_factory):
        """One that was never stopped, and the hosts it asked for."""
        asked = []
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("socket.getaddrinfo", lambda host, *rest, **_: asked.append(host) or [])
            run = train(tmp_path_factory.mktemp("whole") / "run", roomy.gguf, base)
        return run, asked

    def test_asks_no_network_though_its_libraries_count_who_uses_them(self, whole):
        assert whole[1] == []

    def test_logs_every_step_and_leaves_an_adapter_that_moved(self, whole):
        whole, _ = whole
        assert [one.step for one in whole.records()] == [1, 2, 3, 4]
        for one in whole.records():
            assert one.values["gradient"] is not None
            assert one.values["valid"] == 1.0  # the grammar admits nothing else
            assert one.parts["rollouts"] > 0
        last = whole.records()[-1].values
        assert {"validation_score", "validation_hit1", "validation_hit2"} <= set(last)
        assert whole.state.status == "finished"
        second = [w for name, w in read_weights(whole.adapter).items() if "lora_B" in name]
        assert any(bool(one.abs().max() > 0) for one in second)  # they begin as zeros

    @pytest.mark.parametrize("stopped_at", [1, 3])
    def test_that_was_stopped_goes_on_as_if_it_never_had(
        self, whole, roomy, base, tmp_path, stopped_at
    ):
        whole, _ = whole

        def stop(what, done, total):
            if done == stopped_at:
                raise KeyboardInterrupt

        folder = tmp_path / "run"
        with pytest.raises(CutShortError, match=f"step {stopped_at}"):
            train(folder, roomy.gguf, base, progress=stop)
        assert open_run(folder).state.status == "stopped"
        again = train(folder, roomy.gguf, base, start=False)
        assert figures(again) == figures(whole)
        one, other = read_weights(whole.adapter), read_weights(again.adapter)
        assert all(bool((one[name] == other[name]).all()) for name in one)

    def test_leaves_the_base_as_it_was(self, whole, base):
        assert not base.is_adapted


class TestGroups:
    def test_come_from_every_request_once_before_any_comes_again(self, base, writers):
        rollouts = RolloutCollector(Few(), writers, base, TWO, 2)
        drawn = [number for step in (1, 2, 3) for number in rollouts.numbers(step)]
        assert sorted(drawn[:3]) == sorted(drawn[3:6]) == [0, 1, 2]

    def test_are_the_same_for_the_same_step_and_others_for_another(self, base, writers):
        writers.adopt(None)
        rollouts = RolloutCollector(Few(), writers, base, TWO, 2)

        def turns(step):
            gathered = rollouts.gather(step, [0, 1])
            return [[one.trajectory.turns for one in g.members] for g in gathered.groups]

        first = turns(1)
        assert turns(1) == first
        assert turns(2) != first

    def test_do_not_depend_on_how_many_processes_write(self, roomy, base):
        found = []
        for workers in (1, 3):
            with RolloutWorkers(opened(roomy.gguf), workers, ()) as writers:
                writers.adopt(None)
                gathered = RolloutCollector(Few(), writers, base, TWO, 2).gather(1, [0, 1])
                found.append([[o.trajectory.turns for o in g.members] for g in gathered.groups])
        assert found[0] == found[1]

    def test_without_signal_are_replaced_a_bounded_number_of_times(self, base, writers):
        class Hopeless(Few):
            def request(self, number):
                # A target that no ranking can hold.
                return msgspec.structs.replace(super().request(number), target=99)

        writers.adopt(None)
        gathered = RolloutCollector(Hopeless(), writers, base, TWO, 2).gather(1, [0, 1])
        assert (gathered.drawn, gathered.dropped) == (4, 2)
        assert gathered.figures()["share_without_signal"] == 1.0

    def test_share_the_evaluation_of_their_opening(self, base, writers):
        writers.adopt(None)
        [group] = writers.write([RolloutRequest(Few().request(0), range(4), SHORT)])
        for one in group[1:2]:
            cost = one.trajectory.cost
            assert cost.cached_tokens > 0.9 * cost.prompt_tokens


def test_figures_tell_how_often_the_choice_came_first_and_how_often_at_all():
    silent = Trajectory(
        agent="a", model="m", dialect="plain", seed=1, initial_prompt=(), steps=(), ranking=None
    )
    outcomes = (1.0, 0.63, MISSED, INVALID)
    group = RolloutGroup(
        number=0,
        members=[Rollout(silent, ())] * 4,
        rewards=[Reward(one, 0.1) for one in outcomes],
        rollouts=[TokenizedRollout(prompt=[1], completion=[2], loss_mask=[1])] * 4,
    )
    found = figures_of([group], 10)
    assert (found["hit1"], found["hit10"]) == (0.25, 0.5)


def test_a_stopped_writer_asks_its_model_nothing_more(roomy):
    writers = RolloutWorkers(opened(roomy.gguf), 1, ())
    writers.adopt(None)
    request = Few().request(0)

    class Stopping:
        tool_context, k = request.tool_context, request.k

        def shown(self, messages):
            writers.close()  # as Ctrl+C does from the main thread
            return request.shown(messages)

        score = request.score

    with pytest.raises(ModelCancelledError):
        writers.write([RolloutRequest(Stopping(), range(50), SHORT)])


@pytest.mark.real
@pytest.mark.timeout(900)  # a step of a real model; minutes where other work has the cores
def test_the_real_smollm2_learns_from_what_it_wrote_in_its_own_file(smollm2, tmp_path):
    config = msgspec.structs.replace(TWO, steps=1, groups=1, workers=1, max_tokens=1024)
    run = train(tmp_path / "run", smollm2, load_base(smollm2), config=config)
    for one in run.records():
        assert one.values["valid"] == 1.0
        assert one.values["recut"] < 0.2
    assert run.state.status == "finished"
    second = [w for name, w in read_weights(run.adapter).items() if "lora_B" in name]
    moved = any(bool(one.abs().max() > 0) for one in second)
    taught = any(one.values["share_without_signal"] < 1 for one in run.records())
    assert moved == taught
