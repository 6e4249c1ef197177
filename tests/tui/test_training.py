"""The Training room: what learns, its curves as they grow, new trainings, adapters tried."""

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from textual.widgets import Input, TabbedContent

from localrec.cli.commands import whole_program
from localrec.foundation.errors import (
    InputError,
    LocalrecError,
    ModelCancelledError,
    ModelError,
    UsageError,
)
from localrec.foundation.jsonl_log import write_records
from localrec.foundation.paths import exclusive
from localrec.foundation.role_holders import shipped_holders
from localrec.training.examples.roles import ROLES
from localrec.training.jobs.training_runs import StepRecord, TrainingRun, runs_folder
from localrec_tui.app import LocalrecApp
from localrec_tui.plots import curve, smoothed
from localrec_tui.screens.adapter_compare import AdapterCompareScreen
from localrec_tui.screens.adapter_use import AdapterUseDialog
from localrec_tui.screens.training import TrainingScreen
from localrec_tui.screens.training_estimate import TrainingEstimateDialog
from localrec_tui.screens.training_run import TrainingRunScreen
from localrec_tui.services.jsonl_tail import read_added
from localrec_tui.services.records import RequestHandle
from localrec_tui.services.training_plans import (
    TRAINING_SIZES,
    FinishedTraining,
    TrainingPlan,
    free_name,
    make_plan,
    training_options,
)
from localrec_tui.services.trainings import TrainingService
from localrec_tui.widgets.training_curves import Curve, Curves, LoggedMetric, curve_lines

from .conftest import NARROW, WIDE, press, seen, settled, write
from .fake_trainings import GRPO, ROUTER, FakeTrainingService, logged, plant_three, plant_training

# In a process of its own, which has loaded nothing yet: what does looking at a training load?
LOOKS = """
import asyncio, json, sys
from pathlib import Path
from localrec_tui.app import LocalrecApp

async def main():
    app = LocalrecApp(Path(sys.argv[1]))
    async with app.run_test() as pilot:
        app.switch_mode("training")
        for key in ("enter", "escape", "n", "escape"):
            await pilot.pause()
            await app.workers.wait_for_complete()
            await pilot.pause()
            await pilot.press(key)
        await app.workers.wait_for_complete()
        print(json.dumps([name for name in ("torch", "llama_cpp", "peft") if name in sys.modules]))

asyncio.run(main())
"""


@pytest.fixture
def training(services, tmp_path) -> FakeTrainingService:
    """A router that is finished, a GRPO that was stopped, and a folder that is damaged."""
    plant_three(tmp_path)
    services.trainings = FakeTrainingService(tmp_path)
    return services.trainings


async def enter(pilot):
    """Go to the room; the newest training, grpo-1, is pointed at."""
    pilot.app.switch_mode("training")
    await settled(pilot)
    assert isinstance(pilot.app.screen, TrainingScreen)


async def until(pilot, words):
    """Wait until something is on the screen."""
    for _ in range(500):
        if words in told(pilot):
            return
        await pilot.pause(0.01)
    raise AssertionError(f"{words!r} never came: {seen(pilot)}")


def told(pilot):
    """All words on the screen, on one line."""
    return " ".join(seen(pilot).replace("│", " ").split())


def look_again(pilot):
    """Look at once, instead of in a second."""
    pilot.app.screen._look()


class TestList:
    @pytest.mark.parametrize("size", [NARROW, WIDE])
    async def test_tells_the_state_of_every_training_in_words(self, open_app, training, size):
        async with open_app(size, mode="training") as pilot:
            words = seen(pilot)
        lines = words.replace("│", " ").splitlines()
        rows = [line.split() for line in lines if "/300" in line]
        assert rows[0][:5] == ["grpo-1", "…", "stopped", "120/300", "GRPO"]
        assert rows[1][:6] == ["router-1", "✓", "finished", "300/300", "router", "Small"]
        assert "✗ unreadable" in words
        assert "\x1b" not in words

    async def test_says_of_which_base_and_when(self, open_app, training):
        async with open_app(WIDE, mode="training") as pilot:
            assert "Small Chat" in seen(pilot)
            assert "2026-11-03 20:15" in seen(pilot)

    async def test_that_is_empty_says_how_to_begin(self, open_app):
        async with open_app(mode="training") as pilot:
            assert "Nothing was trained in this workspace yet. N begins" in told(pilot)

    async def test_all_rooms_are_named_in_eighty_columns(self, open_app):
        async with open_app(NARROW, mode="training") as pilot:
            line = seen(pilot).splitlines()[0]
        named = [f"{n} {room.TITLE}" for n, room in enumerate(LocalrecApp.MODES.values(), 1)]
        assert all(name in line for name in named)
        assert "[9 Training]" in line

    async def test_follows_what_another_process_trains_and_says_which(
        self, open_app, training, tmp_path
    ):
        run = TrainingRun(runs_folder(tmp_path) / "grpo-1")
        async with open_app(WIDE, mode="training") as pilot:
            with run.training():
                run.begin(300)
                look_again(pilot)
                await settled(pilot)
                assert f"▶ running ({os.getpid()})" in seen(pilot)
                run.log(logged(GRPO, 121))
                look_again(pilot)
                await settled(pilot)
                assert "121/300" in seen(pilot)
            look_again(pilot)
            await settled(pilot)
            assert "▶" not in seen(pilot)

    async def test_keeps_the_training_that_is_pointed_at_when_another_comes(
        self, open_app, training, tmp_path
    ):
        async with open_app(mode="training") as pilot:
            await press(pilot, "down")
            plant_training(tmp_path, "newest", day=9)
            look_again(pilot)
            await settled(pilot)
            assert pilot.app.screen._current().name == "router-1"

    async def test_says_what_is_wrong_with_a_damaged_one(self, open_app, training):
        async with open_app(mode="training") as pilot:
            await press(pilot, "down", "down", "enter")
            assert "is no part of" in told(pilot)
            assert "Look into its folder, or take it away." in told(pilot)
            assert isinstance(pilot.app.screen, TrainingScreen)


class TestANewOne:
    async def test_is_estimated_and_begun(self, open_app, training):
        async with open_app(mode="training") as pilot:
            await press(pilot, "n", "enter", "enter")
            assert isinstance(pilot.app.screen, TrainingEstimateDialog)
            words = told(pilot)
            assert "localrec train grpo --groups 1" in words
            assert "about 2 h 5 min (12.5 s a step) and 2.1 GB of 8.0 GB that are free" in words
            await press(pilot, "enter")
            assert "grpo-2 is done. Enter shows its curves" in told(pilot)
        (_, estimated), (begun, line) = training.told
        assert begun == "start"
        assert line == f"grpo-2: {estimated}"

    async def test_is_not_begun_where_the_person_leaves(self, open_app, training):
        async with open_app(mode="training") as pilot:
            await press(pilot, "n", "enter", "enter", "escape")
            assert isinstance(pilot.app.screen, TrainingScreen)
        assert [what for what, _ in training.told] == ["estimate"]

    async def test_is_not_estimated_on_once_the_person_left(self, open_app, training):
        training.goes_on.clear()
        async with open_app(mode="training") as pilot:
            await press(pilot, "n", "enter")
            await pilot.press("enter")
            await until(pilot, "The estimate: training")
            await pilot.press("enter")  # too early
            await press(pilot, "escape")
        assert [what for what, _ in training.told] == ["estimate", "stop"]

    async def test_that_does_not_fit_says_what_to_do_and_cannot_be_begun(self, open_app, training):
        training.trouble = UsageError("This needs 9 GB.", "Train a smaller base.")
        async with open_app(mode="training") as pilot:
            await press(pilot, "n", "enter", "enter")
            assert "This needs 9 GB. Train a smaller base." in told(pilot)
            await press(pilot, "enter")
            assert isinstance(pilot.app.screen, TrainingEstimateDialog)
        assert [what for what, _ in training.told] == ["estimate"]

    async def test_offers_every_role_and_what_can_follow(self, open_app, training, tmp_path):
        plant_training(tmp_path, "done", GRPO)
        async with open_app(WIDE, mode="training") as pilot:
            await press(pilot, "n")
            words = seen(pilot)
        for offered in ("the agent, by GRPO", "done, refined", *(f"adapter: {r}" for r in ROLES)):
            assert offered in words
        assert "grpo-1, refined" not in words  # it is not finished

    async def test_shows_how_far_it_is_and_stops_at_escape(self, open_app, training):
        async with open_app(mode="training") as pilot:
            await press(pilot, "n", "enter", "enter")
            training.goes_on.clear()
            await pilot.press("enter")
            await until(pilot, "grpo-2: training ▕")
            assert "3 of 300" in told(pilot)
            await press(pilot, "escape")
            assert "grpo-2 was stopped; what it saved is on disk. G goes on" in told(pilot)

    async def test_is_one_at_a_time(self, open_app, training):
        async with open_app(mode="training") as pilot:
            training.goes_on.clear()
            await pilot.press("g")
            await until(pilot, "3 of 300")
            for key in ("n", "g"):
                await pilot.press(key)
                await until(pilot, "grpo-1 is under way: one thing at a time. Esc stops it.")
            training.goes_on.set()
            await settled(pilot)
        assert training.told == [("resume", "grpo-1")]

    async def test_a_second_escape_insists(self, open_app, training, monkeypatch):
        stops = []

        def stop(request):
            stops.append(request)
            request.stopped.set()

        monkeypatch.setattr(training, "stop", stop)
        training.goes_on.clear()
        async with open_app(mode="training") as pilot:
            await pilot.press("g")
            await until(pilot, "3 of 300")
            await pilot.press("escape")
            await until(pilot, "Stopping grpo-1 at a safe place … Esc again insists.")
            await pilot.press("escape")
            await pilot.pause(0.05)
            assert len(stops) == 2
            training.trouble = LocalrecError("It was ended by SIGTERM.")
            training.goes_on.set()
            await settled(pilot)
            assert "grpo-1 was stopped" in told(pilot)

    async def test_that_fails_says_why(self, open_app, training):
        training.trouble = InputError("People did too little.", "localrec datasets pull ml-100k")
        async with open_app(mode="training") as pilot:
            await press(pilot, "g")
            assert "People did too little. localrec datasets pull ml-100k" in told(pilot)


class TestGoingOn:
    async def test_is_for_what_was_stopped(self, open_app, training):
        async with open_app(mode="training") as pilot:
            await press(pilot, "g")
            assert "grpo-1 is done." in told(pilot)
            await press(pilot, "down", "g")
            assert "router-1 is finished: there is nothing to go on with." in told(pilot)
        assert training.told == [("resume", "grpo-1")]

    async def test_is_not_for_what_another_process_trains(self, open_app, training, tmp_path):
        run = TrainingRun(runs_folder(tmp_path) / "grpo-1")
        with run.training():
            async with open_app(mode="training") as pilot:
                await press(pilot, "g")
                assert f"grpo-1 is being trained, by process {os.getpid()}." in told(pilot)
        assert training.told == []


class TestCurves:
    async def open(self, pilot, *keys):
        await enter(pilot)
        await press(pilot, *keys, "enter")
        assert isinstance(pilot.app.screen, TrainingRunScreen)

    @pytest.mark.parametrize("size", [NARROW, WIDE])
    async def test_show_the_four_that_tell_most(self, open_app, training, size):
        async with open_app(size) as pilot:
            await self.open(pilot)
            words = seen(pilot)
        for head in ("Reward 0.", "Groups without signal", "Tokens written a trajectory 1"):
            assert head in words
        assert "H@1 on validation 0.320" in words
        assert "└1 " in words and " 120" in words
        assert "…" in words and "step 120 of 300, 12.5 s a step" in words
        assert "The last checkpoint lies behind step 120. G goes on behind it." in words

    async def test_of_an_adapter_are_loss_and_right_answers(self, open_app, training):
        async with open_app() as pilot:
            await self.open(pilot, "down")
            words = seen(pilot)
        for head in ("Loss 0.", "Loss on validation 0.200", "Right on validation 90%"):
            assert head in words

    async def test_are_chosen_and_drawn_large(self, open_app, training):
        async with open_app() as pilot:
            await self.open(pilot)
            await press(pilot, "m", "down", "enter")
            screen = pilot.app.screen
            assert not screen.query_one(Curves).display
            assert screen.query_one("#one", Curve).size.width > 70
            assert "Curve: Reward" in seen(pilot)
            await press(pilot, "m", "home", "enter")
            assert screen.query_one(Curves).display

    async def test_grow_with_the_training_wherever_it_runs(self, open_app, training, tmp_path):
        run = TrainingRun(runs_folder(tmp_path) / "grpo-1")
        async with open_app(WIDE) as pilot:
            await self.open(pilot)
            with run.training():
                run.begin(300)  # there is no whole checkpoint, so it begins anew
                for step in (1, 2):
                    run.log(logged(GRPO, step))
                look_again(pilot)
                await settled(pilot)
                assert f"▶ running, by process {os.getpid()}, step 2 of 300" in seen(pilot)
                assert "1 h 2 min left" in seen(pilot)
                run.log(logged(GRPO, 3))
                look_again(pilot)
                await settled(pilot)
            assert [one.step for one in pilot.app.screen._steps] == [1, 2, 3]

    async def test_before_the_first_step_say_so(self, open_app, training, tmp_path):
        plant_training(tmp_path, "fresh", done=0, status="stopped", day=9)
        async with open_app() as pilot:
            await self.open(pilot)
            assert "not measured yet" in seen(pilot)

    async def test_stand_beside_what_was_asked_for_and_learnt_from(self, open_app, training):
        async with open_app(WIDE) as pilot:
            await self.open(pilot)
            pilot.app.screen.query_one(TabbedContent).active = "page-about"
            await settled(pilot)
            words = seen(pilot)
        assert "learning_rate: 1e-05" in words
        assert "episodes.candidates: 20" in words

    @pytest.mark.parametrize(("key", "done"), [("g", "resume"), ("x", "export")])
    async def test_lead_to_what_can_be_done_with_it(self, open_app, training, key, done):
        async with open_app() as pilot:
            await self.open(pilot, *(["down"] if key == "x" else []))
            await press(pilot, key)
            assert isinstance(pilot.app.screen, TrainingScreen)
        assert [what for what, _ in training.told] == [done]

    async def test_of_one_that_came_to_its_end_meanwhile_lead_to_its_export(
        self, open_app, training, tmp_path
    ):
        async with open_app() as pilot:
            await self.open(pilot)
            state = runs_folder(tmp_path) / "grpo-1" / "state.json"
            state.write_text('{"status": "finished", "step": 300, "steps": 300}')
            await press(pilot, "x")
        assert training.told == [("export", "grpo-1")]

    async def test_lead_back(self, open_app, training):
        async with open_app() as pilot:
            await self.open(pilot)
            await press(pilot, "escape")
            assert isinstance(pilot.app.screen, TrainingScreen)

    async def test_that_are_damaged_say_why(self, open_app, training, tmp_path):
        path = runs_folder(tmp_path) / "grpo-1" / "metrics.jsonl"
        async with open_app() as pilot:
            await self.open(pilot)
            with path.open("a") as file:
                file.write("[]\n")
            look_again(pilot)
            await settled(pilot)
            assert "is damaged" in told(pilot)


@pytest.fixture
def exported(training, tmp_path):
    """The adapter of router-1 as a file."""
    file = tmp_path / "runs" / "training" / "router-1" / "router-1.gguf"
    file.write_bytes(b"GGUF")
    return file


class TestUsingAnAdapter:
    async def test_says_first_whom_it_replaces_and_by_which_figures(
        self, open_app, services, exported
    ):
        async with open_app(mode="training") as pilot:
            await press(pilot, "down", "u")
            words = told(pilot)
        assert "router-1: 0.900 of its validation answers right." in words
        figure, _, _ = shipped_holders()["router"].figure.partition(";")
        assert f"router replaces rules {figure}" in words
        assert services.models.used == {}

    async def test_gives_it_the_role(self, open_app, services, exported):
        async with open_app(mode="training") as pilot:
            await press(pilot, "down", "u", "enter")
            words = told(pilot)
        assert services.models.used == {"router": str(exported)}
        assert "router is played by router-1 from the next question on. Models, U" in words

    async def test_changes_nothing_when_it_is_left(self, open_app, services, exported):
        async with open_app(mode="training") as pilot:
            await press(pilot, "down", "u", "escape")
        assert services.models.used == {}

    async def test_says_why_a_role_was_not_given(self, open_app, services, exported):
        async with open_app(mode="training") as pilot:
            await press(pilot, "down", "u")
            services.models.trouble = ModelError("It was trained for another model.", "Use that.")
            await press(pilot, "enter")
            assert "It was trained for another model. Use that." in told(pilot)

    async def test_wants_an_export_first(self, open_app, training):
        async with open_app(mode="training") as pilot:
            await press(pilot, "down", "u")
            assert "router-1 was not exported yet. Leave this with Esc; X" in told(pilot)

    async def test_is_for_what_is_finished(self, open_app, training):
        async with open_app(mode="training") as pilot:
            await press(pilot, "u")
            assert "only a finished one can be used" in told(pilot)

    async def test_is_reached_from_an_opened_training(self, open_app, services, exported):
        async with open_app(mode="training") as pilot:
            await press(pilot, "down", "enter", "u")
            assert isinstance(pilot.app.screen, AdapterUseDialog)

    async def test_is_taken_back_in_models(self, open_app, services, exported):
        services.models.used = {"router": str(exported)}
        async with open_app(mode="models") as pilot:
            await press(pilot, "u", "down", "enter", "end", "enter")
        assert services.models.used == {"router": "rules"}


class TestAnExport:
    async def test_tells_where_it_lies_and_how_it_gets_to_work(self, open_app, training):
        async with open_app(mode="training") as pilot:
            await press(pilot, "down", "x")
            words = told(pilot)
        assert "/desk/router-1.gguf: a router for Small Chat." in words
        assert "localrec models use router /desk/router-1.gguf" in words

    async def test_is_for_what_is_finished(self, open_app, training):
        async with open_app(mode="training") as pilot:
            for key, what in (("x", "exported"), ("t", "tried")):
                await press(pilot, key)
                assert f"grpo-1 is stopped: only a finished one can be {what}." in told(pilot)
        assert training.told == []


class TestATry:
    async def open(self, pilot):
        await enter(pilot)
        await press(pilot, "down", "t")
        assert isinstance(pilot.app.screen, AdapterCompareScreen)

    @pytest.mark.parametrize("size", [NARROW, WIDE])
    async def test_shows_both_sides_beside_each_other(self, open_app, training, size):
        async with open_app(size) as pilot:
            await self.open(pilot)
            await write(pilot, "like a negroni")
            await press(pilot, "enter")
            lines = seen(pilot).splitlines()
        (row,) = [line for line in lines if "similar" in line]
        assert row.index("0.200") < row.index("0.940")
        assert any("small-chat, 84 ms" in line and "small-chat+router-1" in line for line in lines)
        assert training.told == [("ask", "router-1: like a negroni")]

    async def test_of_nothing_asks_nothing(self, open_app, training):
        async with open_app() as pilot:
            await self.open(pilot)
            await press(pilot, "enter")
        assert training.told == []

    async def test_is_stopped_by_escape_and_left_by_the_next(self, open_app, training):
        training.goes_on.clear()
        async with open_app() as pilot:
            await self.open(pilot)
            pilot.app.screen.query_one(Input).value = "gin"
            await pilot.press("enter")
            await until(pilot, "Asking router-1: training")
            await press(pilot, "escape")
            assert "Stopped." in told(pilot)
            await press(pilot, "escape")
            assert isinstance(pilot.app.screen, TrainingScreen)

    async def test_that_fails_says_why(self, open_app, training):
        training.trouble = UsageError("Nobody asks a memory a question.", "Try it on cases.")
        async with open_app() as pilot:
            await self.open(pilot)
            pilot.app.screen.query_one(Input).value = "gin"
            await press(pilot, "enter")
            assert "Nobody asks a memory a question. Try it on cases." in told(pilot)


class TestPlans:
    FINISHED = (
        FinishedTraining("first", "grpo", "agent", "small", Path("a")),
        FinishedTraining("warm", "adapter", "agent", "small", Path("b")),
        FinishedTraining("words", "adapter", "router", "small", Path("c")),
        FinishedTraining("second", "refine", "agent", "small", Path("d")),
    )

    def test_are_command_lines_that_localrec_understands(self):
        commands = typer.main.get_command(whole_program()).commands["train"].commands
        for trainee in training_options(ROLES, self.FINISHED):
            for size in TRAINING_SIZES:
                train, name, *arguments = make_plan(trainee, size).arguments
                assert train == "train"
                context = commands[name].make_context(name, [*arguments, "--name", "one"])
                assert context.params["name"] == "one"

    def test_grow_with_their_size(self):
        for trainee in training_options(ROLES, ()):
            costs = [_numbers(make_plan(trainee, size)) for size in TRAINING_SIZES]
            assert costs == sorted(costs)
            assert len(set(costs)) == len(TRAINING_SIZES)

    def test_build_on_what_is_finished_and_fits(self):
        offered = [" ".join(one.arguments) for one in training_options((), self.FINISHED)]
        assert offered == [
            "train grpo",
            "train refine first",
            "train grpo --base small --init-adapter b",
        ]

    def test_show_the_line_that_a_person_could_type(self):
        plan = TrainingPlan(title="", stem="", arguments=("train", "refine", "my run"))
        assert plan.command == "localrec train refine 'my run'"

    def test_names_are_counted(self):
        assert free_name("grpo", ["grpo-1", "router-2", "grpo-2"]) == "grpo-3"


def _numbers(plan):
    """The work of a plan: examples, or trajectories."""
    values = dict(zip(plan.arguments, plan.arguments[1:], strict=False))
    return int(values.get("--train", 0)) or int(values["--groups"]) * int(values["--steps"])


class TestReadingWhatWasAdded:
    def write(self, path, *steps):
        write_records(path, [logged(ROUTER, step) for step in steps])

    def steps(self, added):
        return [one.step for one in added.records]

    def test_reads_no_line_twice(self, tmp_path):
        path = tmp_path / "metrics.jsonl"
        self.write(path, 1, 2)
        first = read_added(path, StepRecord, None)
        assert (self.steps(first), first.is_anew) == ([1, 2], True)
        with path.open("a") as file:
            file.write('{"step": 3, "values": {}}\n{"step": 4, "val')
        second = read_added(path, StepRecord, first.place)
        assert (self.steps(second), second.is_anew) == ([3], False)
        with path.open("a") as file:
            file.write('ues": {}}\n')
        third = read_added(path, StepRecord, second.place)
        assert (self.steps(third), third.is_anew) == ([4], False)

    def test_reads_a_file_anew_that_was_replaced_or_cut(self, tmp_path):
        path = tmp_path / "metrics.jsonl"
        self.write(path, 1, 2, 3)
        place = read_added(path, StepRecord, None).place
        self.write(path, *range(1, 10))
        replaced = read_added(path, StepRecord, place)
        assert (self.steps(replaced), replaced.is_anew) == ([*range(1, 10)], True)
        os.truncate(path, path.stat().st_size // 2)
        cut = read_added(path, StepRecord, replaced.place)
        assert (self.steps(cut), cut.is_anew) == ([1, 2, 3, 4], True)

    def test_of_no_file_is_nothing(self, tmp_path):
        assert read_added(tmp_path / "none", StepRecord, None).records == ()

    def test_says_where_a_line_is_damaged(self, tmp_path):
        path = tmp_path / "metrics.jsonl"
        path.write_text('{"step": "one"}\n')
        with pytest.raises(InputError, match="is damaged"):
            read_added(path, StepRecord, None)


class TestOverAWorkspace:
    """Real folders, and real commands."""

    def test_a_look_at_what_did_not_move_reads_nothing(self, tmp_path):
        plant_three(tmp_path)
        trainings = TrainingService(tmp_path)
        every = trainings.trainings()
        assert trainings.trainings(every.mark) is None
        look = trainings.look("grpo-1")
        assert len(look.steps) == 120
        assert trainings.look("grpo-1", look.mark) is None
        with (runs_folder(tmp_path) / "grpo-1" / "metrics.jsonl").open("a") as file:
            file.write('{"step": 121, "values": {"reward": 1}}\n')
        again = trainings.look("grpo-1", look.mark)
        assert [one.step for one in again.steps] == [121]
        assert not again.is_anew
        assert trainings.trainings(every.mark) is not None

    def test_one_whose_process_was_killed_is_stopped(self, tmp_path):
        run = plant_training(tmp_path, "killed", done=5, status="running")
        (run.path / "lock").write_text("1")  # a process that lives, and does not train
        (found,) = TrainingService(tmp_path).trainings().found
        assert (found.state, found.holder) == ("stopped", None)

    def test_one_whose_process_is_killed_is_seen_to_stop(self, tmp_path):
        run = plant_training(tmp_path, "killed", done=5, status="running")
        trainings = TrainingService(tmp_path)
        with exclusive(run.path / "lock") as lock:
            lock.write(b"4242")
            lock.flush()
            (found,) = trainings.trainings().found
            assert (found.state, found.holder, found.is_ours) == ("running", 4242, False)
        (found,) = trainings.trainings().found
        assert found.state == "stopped"

    def test_one_that_begins_is_not_in_the_way_of_a_look(self, tmp_path):
        run = plant_training(tmp_path, "again", done=5, status="stopped")
        trainings = TrainingService(tmp_path)
        trainings.trainings()
        with run.training():
            for _ in range(3):
                (found,) = trainings.trainings().found
                assert (found.state, found.holder) == ("running", os.getpid())

    def test_a_training_that_cannot_begin_says_why_in_its_own_words(self, local_services, own_bar):
        request = RequestHandle()
        with pytest.raises(LocalrecError, match="no training run"):
            local_services.trainings.resume("nothing", request, lambda *_: None)
        assert request.over.is_set()

    def test_a_training_that_was_stopped_before_it_began_does_not_begin(
        self, local_services, own_bar
    ):
        request = RequestHandle()
        local_services.trainings.stop(request)
        plan = make_plan(training_options(ROLES, ())[0], TRAINING_SIZES[0])
        with pytest.raises(ModelCancelledError):
            local_services.trainings.start(plan, "first", request, lambda *_: None)
        assert not runs_folder(own_bar).exists()

    @pytest.mark.skipif(not importlib.util.find_spec("peft"), reason="needs localrec[training]")
    def test_a_tiny_router_is_estimated_trained_and_tried(self, own_bar, tmp_path):
        from tests.training.tiny_models import make_tiny

        tiny = make_tiny("llama", tmp_path).gguf
        options = f"--base {tiny} --train 16 --validation 8 --threads 1"
        plan = TrainingPlan(
            title="", stem="", arguments=("train", "adapter", "router", *options.split())
        )
        trainings, heard = TrainingService(own_bar), []
        estimated = trainings.estimate(plan, RequestHandle(), lambda *_: None)
        assert estimated.total_s > 0
        assert trainings.trainings().found == ()

        trainings.start(plan, "first", RequestHandle(), lambda what, *_: heard.append(what))
        assert "training router" in heard
        look = trainings.look("first")
        assert (look.found.state, look.found.role) == ("finished", "router")
        assert "validation_accuracy" in look.steps[-1].values
        assert look.exported == ""

        both = trainings.ask("first", "with gin", RequestHandle(), lambda *_: None)
        assert sum(both.bare.figures.values()) == pytest.approx(1)
        assert both.adapted.name.endswith("+first")
        assert trainings.look("first").exported.endswith("first.gguf")
        trainings.close()


def test_looking_at_trainings_loads_neither_torch_nor_llama_cpp(own_bar):
    plant_three(own_bar)
    done = subprocess.run(
        [sys.executable, "-c", LOOKS, str(own_bar)], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == []


class TestPlots:
    def test_a_curve_goes_from_its_first_step_to_its_last(self):
        assert curve([(1, 0.0), (2, 1.0)], 12, 3, (1, 2)) == [
            "        ⣀⠤⠒●",
            "    ⣀⠤⠒⠉    ",
            "●⠤⠒⠉        ",
        ]

    def test_a_curve_that_never_moves_lies_in_the_middle(self):
        assert curve([(5, 2.0), (9, 2.0)], 6, 3, (5, 9))[1] == "●⠤⠤⠤⠤●"
        assert curve([(5, 2.0)], 6, 3, (5, 5))[1] == "●     "

    def test_a_curve_that_begins_late_lies_where_its_steps_are(self):
        assert curve([(5, 2.0), (11, 2.0)], 6, 1, (1, 11)) == ["  ●⠤⠤●"]

    def test_of_many_points_none_is_marked(self):
        lines = curve([(step, step % 7) for step in range(100)], 20, 4, (0, 99))
        assert not any("●" in line for line in lines)
        assert all(len(line) == 20 for line in lines)

    def test_smoothing_keeps_the_mean_around_each_step(self):
        points = [(step, float(step % 2)) for step in range(10)]
        assert smoothed(points, 1) == points
        assert smoothed(points, 2)[0] == (0, 0.5)
        assert all(value == 0.5 for _, value in smoothed(points, 2)[:-1])

    def test_a_chart_says_its_ends(self):
        head, *lines, steps = curve_lines(
            LoggedMetric("Reward"), [(1, 0.25), (40, 0.5)], (1, 40), 30, 6
        )
        assert head == "Reward 0.500"
        assert lines[0].startswith("0.500 ┤")
        assert lines[-1].startswith("0.250 ┤")
        assert steps.split() == ["└1", "─" * 18, "40"]
        assert {len(line) for line in (*lines, steps)} == {30}

    def test_a_chart_of_many_steps_says_that_it_is_smoothed(self):
        points = [(step, float(step % 2)) for step in range(1, 201)]
        head, *lines, steps = curve_lines(LoggedMetric("Valid", "share"), points, (1, 200), 40, 6)
        assert head == "Valid 0%"
        assert {line[:3] for line in (lines[0], lines[-1])} <= {"56%", "50%", "47%", "44%"}
        assert " mean of 16 " in steps
