"""Lists and the chosen line beside them: two columns from 100 cells on, three from 160."""

import threading

import msgspec
import pytest
from textual.widgets import DataTable

from localrec.data.rows import Event
from localrec.foundation.errors import InputError
from localrec.training.jobs.training_runs import TrainingRun, runs_folder
from localrec_tui.services.catalogue import NodeView
from localrec_tui.services.jsonl_tail import read_added
from localrec_tui.services.models import ModelService
from localrec_tui.services.records import RequestHandle
from localrec_tui.services.training_reader import TrainingReader
from localrec_tui.widgets.cells import FittedTable
from localrec_tui.widgets.detail_pane import DetailPane
from localrec_tui.widgets.item_pane import ItemPane
from localrec_tui.widgets.side_pane import SidePane

from .conftest import NARROW, press, seen, settled
from .fake_catalogue import GIN
from .fake_people import line
from .fake_runs import FakeRunService, plant_run
from .fake_services import BRAMBLE, GIMLET
from .fake_trainings import GRPO, FakeTrainingService, logged, plant_three

WIDE, HUGE = (120, 40), (200, 50)


@pytest.fixture
def runs(services, tmp_path):
    """Two whole runs of the same cases, one that was cut short, and a folder that is no run."""
    home = tmp_path / "runs"
    plant_run(home, "first")
    plant_run(home, "second", lead=2)
    plant_run(home, "torn", complete=False)
    (home / "zz").mkdir()
    (home / "zz" / "origin.json").write_text("{}")
    services.runs = FakeRunService(tmp_path)
    return services.runs


@pytest.fixture
def trainings(services, tmp_path):
    """A GRPO that was stopped, a router that is finished, and a folder that is damaged."""
    plant_three(tmp_path)
    services.trainings = FakeTrainingService(tmp_path)
    return services.trainings


async def beside(pilot):
    """Wait for what is read of the chosen line."""
    await pilot.pause(0.1)
    await settled(pilot)


def pane(pilot, name="detail"):
    """A pane of the room."""
    return pilot.app.screen.query_one(f"#{name}", DetailPane)


def words_of(pilot, name="detail"):
    """All words that are seen of a pane, on one line."""
    region = pilot.app.screen.query_one(f"#{name}").region
    lines = seen(pilot).splitlines()[region.y : region.bottom]
    return " ".join(" ".join(line[region.x + 1 : region.right - 1] for line in lines).split())


class TestWidth:
    @pytest.mark.parametrize("mode", ["runs", "training", "models"])
    async def test_gives_the_list_all_of_a_narrow_window(self, open_app, runs, trainings, mode):
        async with open_app(NARROW, mode=mode) as pilot:
            await beside(pilot)
            assert not pane(pilot).display
            assert not pane(pilot, "side").display
            assert "╭" not in seen(pilot)

    @pytest.mark.parametrize("mode", ["runs", "training", "models"])
    async def test_parts_a_wide_window_in_two_and_a_huge_one_in_three(
        self, open_app, runs, trainings, mode
    ):
        async with open_app((100, 30), mode=mode) as pilot:
            await beside(pilot)
            assert (pane(pilot).display, pane(pilot, "side").display) == (True, False)
            assert pane(pilot).border_title
            await pilot.resize_terminal(160, 40)
            await beside(pilot)
            assert (pane(pilot).display, pane(pilot, "side").display) == (True, True)
            assert pane(pilot, "side").border_title

    async def test_leaves_out_the_columns_that_tell_least(self, open_app, runs):
        async with open_app((100, 30), mode="runs") as pilot:
            table = pilot.app.screen.query_one(FittedTable)
            table.fill([("a-run-with-a-long-name", "✓ complete", "2026-11-01", "2", "What it is")])
            await settled(pilot)
            heads = [str(column.label) for column in table.ordered_columns]
            assert heads == ["Run", "State", "What"]
            assert table.virtual_size.width <= table.scrollable_content_region.width
            assert "a-run-with-a-long-name" in seen(pilot)


class TestReading:
    async def test_is_left_alone_where_there_is_no_room(self, open_app, runs, monkeypatch):
        read = []
        monkeypatch.setattr(runs, "run", read.append)
        async with open_app(NARROW, mode="runs") as pilot:
            await press(pilot, "down")
            await beside(pilot)
        assert read == []

    async def test_follows_once_there_is_room(self, open_app, runs):
        async with open_app(NARROW, mode="runs") as pilot:
            await press(pilot, "down")
            await pilot.resize_terminal(*WIDE)
            await beside(pilot)
            assert pane(pilot).border_title == "second"
            assert "0.400 [0.300, 0.500]" in words_of(pilot)

    async def test_that_comes_late_is_dropped(self, open_app, runs, monkeypatch):
        read, lets_go = runs.run, threading.Event()

        def slow(name):
            if name == "first":
                lets_go.wait(20)
            return read(name)

        monkeypatch.setattr(runs, "run", slow)
        async with open_app(WIDE, mode="") as pilot:
            pilot.app.switch_mode("runs")
            await pilot.pause(0.2)
            await pilot.press("down")
            for _ in range(200):
                await pilot.pause(0.02)
                if pane(pilot).border_title == "second":
                    break
            lets_go.set()
            await beside(pilot)
            assert pane(pilot).border_title == "second"
            assert "The run second" in words_of(pilot)

    async def test_that_takes_long_says_so_under_the_new_title(self, open_app, runs, monkeypatch):
        read, lets_go = runs.run, threading.Event()
        async with open_app(WIDE, mode="runs") as pilot:
            await beside(pilot)
            monkeypatch.setattr(runs, "run", lambda name: (lets_go.wait(20), read(name))[1])
            await pilot.press("down")
            for _ in range(200):
                await pilot.pause(0.02)
                if pane(pilot).border_title == "second":
                    break
            assert "Reading …" in words_of(pilot)
            assert "0.400" not in words_of(pilot)
            lets_go.set()
            await beside(pilot)
            assert "The run second" in words_of(pilot)

    async def test_that_fails_says_why_in_the_pane(self, open_app, runs, monkeypatch):
        def broken(name):
            raise InputError("The run is torn.", "Run it again.")

        async with open_app(WIDE, mode="runs") as pilot:
            await beside(pilot)
            monkeypatch.setattr(runs, "run", broken)
            await press(pilot, "down")
            await beside(pilot)
            assert "The run is torn. Run it again." in words_of(pilot)
            assert "0.400" not in words_of(pilot)


class TestRuns:
    async def test_stand_beside_their_figures_and_how_they_were_made(self, open_app, runs):
        async with open_app(WIDE, mode="runs") as pilot:
            await beside(pilot)
            told = words_of(pilot)
        assert "complete, 2 systems, 12 cases each" in told
        assert "NDCG@10 ease █" in told
        assert "0.400 [0.300, 0.500]" in told
        assert "ms, less is better" in told
        assert "! agent: empty: in 1 of 12 answers" in told
        assert "leave one out. 200 interactions of 12 people" in told

    async def test_stand_beside_the_best_other_run_of_the_same_cases(self, open_app, runs):
        async with open_app(HUGE, mode="runs") as pilot:
            await beside(pilot)
            told = words_of(pilot, "side")
        assert "first:ease beside second:ease, the best other of the same 12 cases." in told
        assert "NDCG@10 = not separable ours 0.621" in told

    async def test_stand_beside_another_run_as_soon_as_there_is_one(
        self, open_app, services, tmp_path
    ):
        plant_run(tmp_path / "runs", "first")
        services.runs = FakeRunService(tmp_path)
        async with open_app(HUGE, mode="runs") as pilot:
            await beside(pilot)
            assert "No other run has the same cases yet." in words_of(pilot, "side")
            plant_run(tmp_path / "runs", "second", lead=2)
            await press(pilot, "8", "7")
            await beside(pilot)
            assert "first:ease beside second:ease" in words_of(pilot, "side")

    async def test_of_cases_that_no_other_has_stand_beside_their_worst(
        self, open_app, services, tmp_path
    ):
        plant_run(tmp_path / "runs", "alone")
        plant_run(tmp_path / "runs", "torn", complete=False)
        services.runs = FakeRunService(tmp_path)
        async with open_app(HUGE, mode="runs") as pilot:
            await beside(pilot)
            told = words_of(pilot, "side")
        assert "No other run has the same cases yet." in told
        assert "The worst cases of ease 1 person-1 rank 4" in told

    async def test_that_cannot_be_read_say_why(self, open_app, runs):
        async with open_app(WIDE, mode="runs") as pilot:
            await press(pilot, "down", "down", "down")
            await beside(pilot)
            assert "is no part of a run" in words_of(pilot)


class TestTrainings:
    async def test_stand_beside_their_curves_and_settings(self, open_app, trainings):
        async with open_app((120, 60), mode="training") as pilot:
            await beside(pilot)
            told = words_of(pilot)
            assert "step 120 of 300" in told
            assert "The last checkpoint lies behind step 120." in told
            assert "H@1 on validation 0.320" in told
            assert "What was asked for" in told
            assert "base: small-chat" in told
            await press(pilot, "down")
            await beside(pilot)
            assert "Right on validation 90%" in words_of(pilot)

    async def test_stand_beside_their_last_steps(self, open_app, trainings):
        async with open_app(HUGE, mode="training") as pilot:
            await beside(pilot)
            told = words_of(pilot, "side")
        assert "1 Reward 2 Groups without signal" in told
        assert "Step 1 2 3 4 120 0.427 40% 158 0.320 119 " in told

    async def test_grow_beside_the_list_as_they_go_on(self, open_app, trainings, tmp_path):
        run = TrainingRun(runs_folder(tmp_path) / "grpo-1")
        async with open_app(HUGE, mode="training") as pilot:
            await beside(pilot)
            with run.training():
                run.begin(300)
                run.log(logged(GRPO, 121))
                pilot.app.screen._look()
                await settled(pilot)
                await beside(pilot)
                assert "step 121 of 300" in words_of(pilot)
                assert "Step 1 2 3 4 121 0.328" in words_of(pilot, "side")

    async def test_read_each_step_once_for_both_columns(
        self, open_app, trainings, tmp_path, monkeypatch
    ):
        read = []

        def noted(*asked):
            added = read_added(*asked)
            read.extend(one.step for one in added.records)
            return added

        monkeypatch.setattr("localrec_tui.services.trainings.read_added", noted)
        run = TrainingRun(runs_folder(tmp_path) / "grpo-1")
        async with open_app(HUGE, mode="training") as pilot:
            await beside(pilot)
            with run.training():
                run.begin(300)
                run.log(logged(GRPO, 121))
                pilot.app.screen._look()
                await settled(pilot)
                await beside(pilot)
                assert "Step 1 2 3 4 121 0.328" in words_of(pilot, "side")
        assert read == list(range(1, 122))

    def test_of_another_name_are_read_from_their_beginning(self, trainings):
        reader = TrainingReader()
        for name, steps in (("grpo-1", 120), ("router-1", 300), ("grpo-1", 120)):
            assert len(reader.read(trainings, name).steps) == steps

    async def test_that_are_damaged_draw_no_curves(self, open_app, trainings):
        async with open_app(WIDE, mode="training") as pilot:
            await beside(pilot)
            await press(pilot, "down", "down", "down")
            await beside(pilot)
            assert "is no part of" in words_of(pilot)
            assert "Reward" not in words_of(pilot)


class TestModels:
    async def test_stand_beside_their_files_and_how_they_are_tried(self, open_app):
        async with open_app(WIDE, mode="models") as pilot:
            await beside(pilot)
            assert "small-chat.gguf 98 MB in /models/small-chat" in words_of(pilot)
            assert "localrec models bench small-chat" in words_of(pilot)
            await press(pilot, "down")
            await beside(pilot)
            told = words_of(pilot)
            assert pane(pilot).border_title == "vectors"
            assert "vectors.gguf 98 MB, not here" in told
            assert "localrec models pull vectors" in told
            assert "bench" not in told

    async def test_stand_beside_the_roles_they_play_and_could_play(self, open_app):
        async with open_app(HUGE, mode="models") as pilot:
            await beside(pilot)
            told = words_of(pilot, "side")
        assert "Plays here chat Is offered for router" in told

    async def test_give_way_to_the_role_that_is_pointed_at(self, open_app):
        async with open_app(HUGE, mode="models") as pilot:
            pilot.app.screen.query_one("#roles", DataTable).focus()
            await press(pilot, "down")
            await beside(pilot)
            assert pane(pilot).border_title == "router"
            told = words_of(pilot)
            assert "the rules, without a model" in told
            assert "Figure router 0.9 of 10" in told
            assert "localrec models try question-router" in told
            assert "rules no model · play it now" in words_of(pilot, "side")
            pilot.app.screen.query_one("#models").focus()
            await beside(pilot)
            assert pane(pilot).border_title == "small-chat"

    async def test_tell_the_new_player_of_a_role(self, open_app):
        async with open_app(WIDE, mode="models") as pilot:
            pilot.app.screen.query_one("#roles", DataTable).focus()
            await press(pilot, "down", "enter", "home", "enter")
            await beside(pilot)
            told = words_of(pilot)
        assert "Played by small-chat Chosen by this workspace" in told

    def test_details_of_the_real_ones_name_files_and_figures(self, tmp_path):
        local = ModelService(tmp_path, tuple)
        details = local.model_details("smollm2-135m")
        assert details.files[0].name.endswith(".gguf")
        assert [one.role for one in details.held] == ["chat"]
        router = local.role_details("router")
        assert router.binding in local.roles()
        assert router.binding.holder == "rules"
        assert router.binding.measured
        assert "question-router" in router.adapters


class TestHome:
    async def test_stands_beside_the_chosen_item(self, open_app):
        async with open_app(WIDE, mode="home", user="anna") as pilot:
            await beside(pilot)
            item = pilot.app.screen.query_one(ItemPane)
            assert item.display
            assert item.border_title == "Bramble"
            assert "Shake with ice." in seen(pilot)
            assert not pilot.app.screen.query_one(SidePane).display

    async def test_shows_what_one_said_last_where_there_is_room(self, open_app, services):
        services.feedback.said = (line("aviation", Event.DISLIKED),)
        async with open_app(WIDE, mode="home", user="anna") as pilot:
            await beside(pilot)
            assert "Aviation" not in seen(pilot)
            await pilot.resize_terminal(*HUGE)
            await beside(pilot)
            assert "Aviation  you dislike it" in seen(pilot)
            assert "Came in last" in seen(pilot)

    async def test_reads_no_item_in_a_narrow_window_until_it_grows(self, open_app, services):
        async with open_app(NARROW, mode="home", user="anna") as pilot:
            await press(pilot, "down", "down")
            await beside(pilot)
            assert not [call for call, *_ in services.told if call in ("item", "item_facts")]
            assert "Came in last" not in seen(pilot)
            await pilot.resize_terminal(*WIDE)
            await beside(pilot)
            assert pilot.app.screen.query_one(ItemPane).border_title == "Bramble"

    async def test_knows_the_facts_of_the_next_item_before_the_key(
        self, open_app, services, monkeypatch
    ):
        found = msgspec.structs.replace(
            services.recommend("anna", None, 2, RequestHandle()), items=(GIMLET, BRAMBLE)
        )
        monkeypatch.setattr(services, "recommend", lambda *_: found)
        async with open_app(WIDE, mode="home", user="anna") as pilot:
            await press(pilot, "down")
            for _ in range(3):  # the facts, a pause, and those of the items around it
                await beside(pilot)
            services.item_facts = services.item = None  # whoever calls them fails
            await press(pilot, "end")
            await beside(pilot)
            item = pilot.app.screen.query_one(ItemPane)
            assert item.border_title == "Bramble"
            assert item.found is not None, "it was not read before the key"

    async def test_forgets_the_item_with_the_person(self, open_app):
        async with open_app(WIDE, mode="home", user="anna") as pilot:
            await beside(pilot)
            pilot.app.user = None
            await beside(pilot)
            assert not pilot.app.screen.query_one(ItemPane).border_title
            assert "Shake with ice." not in seen(pilot)


class TestHistory:
    async def test_stands_beside_what_has_the_same_attributes(self, open_app, services):
        services.feedback.said = (line("gimlet", Event.LIKED),)
        async with open_app(HUGE, mode="history", user="anna") as pilot:
            await beside(pilot)
            told = words_of(pilot, "side")
        assert "─ has ─▶ gin 3 cl Drink 002, Drink 004," in told
        assert "and 243 more" in told

    @pytest.mark.parametrize("is_elsewhere", [False, True])
    async def test_stands_beside_the_graph_as_an_import_leaves_it(
        self, open_app, services, is_elsewhere
    ):
        services.feedback.said = (line("gimlet", Event.LIKED),)
        async with open_app(HUGE, mode="history", user="anna") as pilot:
            await beside(pilot)
            services.catalogue.open_node = lambda *_: NodeView(
                domain="cocktails", node=GIN, steps=()
            )
            if is_elsewhere:
                await press(pilot, "6")
            pilot.app.data_changed.publish("an import was taken back")
            await settled(pilot)
            if is_elsewhere:
                await press(pilot, "4")
            await beside(pilot)
            assert "No edge leads on from here." in words_of(pilot, "side")

    async def test_reads_no_graph_where_there_is_no_room(self, open_app, services):
        services.feedback.said = (line("gimlet", Event.LIKED),)
        async with open_app(WIDE, mode="history", user="anna") as pilot:
            await beside(pilot)
            assert not pane(pilot, "side").display
        assert not [call for call, *_ in services.catalogue.told if call == "stand_on"]


class TestData:
    async def test_stands_beside_the_chosen_data_set(self, open_app):
        async with open_app(WIDE, mode="data") as pilot:
            await beside(pilot)
            assert "It ships with localrec and needs no network." in words_of(pilot)
            await press(pilot, "down")
            await beside(pilot)
            assert "Files, by the network films.zip 4.9 MB" in words_of(pilot)
            assert "localrec datasets pull ml-100k" in words_of(pilot)

    async def test_stands_beside_the_receipt_of_the_chosen_import(self, open_app):
        async with open_app(HUGE, mode="data") as pilot:
            await press(pilot, "tab")
            await beside(pilot)
            told = words_of(pilot)
            assert "6 rows read: 5 kept, 0 merged, 1 dropped. row 4, Year: dropped: no year" in told
            assert "12 ingredient" in words_of(pilot, "side")
            await press(pilot, "shift+tab")
            await beside(pilot)
            assert pane(pilot).border_title == "cocktails"

    def test_reads_receipts_and_counts_of_a_real_store(self, local_services):
        [arrival] = local_services.transfers.arrivals(5)
        report = local_services.transfers.receipt(arrival.number)
        assert (report.kept, report.domain) == (arrival.kept, "cocktails")
        assert dict(local_services.transfers.domain_counts("cocktails"))["cocktail"] == report.kept
        assert local_services.transfers.dataset_details("cocktails").items == report.kept
        with pytest.raises(InputError, match="no receipt of this import"):
            local_services.transfers.receipt(999)


class TestMemory:
    async def test_stands_beside_what_supports_the_chosen_point(self, open_app):
        async with open_app(WIDE, mode="memory", user="anna") as pilot:
            await settled(pilot)
            told = words_of(pilot, "support")
            assert "likes it bitter From Negroni Gimlet" in told
            assert "0.50 1 2026-11-01 it was not there" in told
            assert "1 person: bert" in words_of(pilot, "remembered")
            assert not pilot.app.screen.query_one("#sources").display

    async def test_tells_its_sources_and_last_change_in_a_third_column(self, open_app):
        async with open_app(HUGE, mode="memory", user="anna") as pilot:
            await settled(pilot)
            told = words_of(pilot, "sources")
            assert "1 person: bert Against version 1: Likes gin and things that are" in told
            assert "bert" not in words_of(pilot, "remembered")

    async def test_tells_all_of_it_in_one_column_of_a_narrow_window(self, open_app):
        async with open_app(NARROW, mode="memory", user="anna") as pilot:
            await settled(pilot)
            assert "from Negroni, Gimlet" in seen(pilot)
            assert not pilot.app.screen.query_one("#support").display
