"""The Runs room: what was measured, case by case, two runs side by side, and new runs."""

import pytest
from textual.widgets import DataTable, TabbedContent

from localrec.data.rows import Event
from localrec.foundation.errors import InputError, LocalrecError, ModelCancelledError
from localrec_tui.plots import bar, bar_with_interval, difference_bar
from localrec_tui.screens.case import CaseScreen
from localrec_tui.screens.run import RunScreen
from localrec_tui.screens.run_comparison import RunComparisonScreen
from localrec_tui.screens.runs import RunsScreen
from localrec_tui.services.records import RequestHandle, Verdict
from localrec_tui.widgets.progress import ProgressLine, format_duration

from .conftest import NARROW, WIDE, press, seen, settled
from .fake_runs import FakeRunService, plant_run


@pytest.fixture
def evaluations(services, tmp_path) -> FakeRunService:
    """Two whole runs, one that was cut short, and a folder that is no run."""
    runs = tmp_path / "runs"
    plant_run(runs, "first")
    plant_run(runs, "second", lead=2)
    plant_run(runs, "torn", complete=False)
    (runs / "zz").mkdir()
    (runs / "zz" / "origin.json").write_text('{"run": "\\u001b[2J"}')
    services.runs = FakeRunService(tmp_path)
    return services.runs


async def enter(pilot):
    """Go to the room."""
    pilot.app.switch_mode("runs")
    await settled(pilot)
    assert isinstance(pilot.app.screen, RunsScreen)


async def open_run(pilot, page="figures"):
    """Open the first run at a page."""
    await enter(pilot)
    await press(pilot, "enter")
    assert isinstance(pilot.app.screen, RunScreen)
    pilot.app.screen.query_one(TabbedContent).active = f"page-{page}"
    await settled(pilot)


class TestList:
    @pytest.mark.parametrize("size", [NARROW, WIDE])
    async def test_tells_the_state_of_every_run_in_words(self, open_app, evaluations, size):
        async with open_app(size, mode="runs") as pilot:
            told = seen(pilot)
        for words in ("first", "✓ complete", "torn", "… unfinished", "✗ unreadable", "2026-11-01"):
            assert words in told

    async def test_that_is_empty_says_how_to_begin(self, open_app):
        async with open_app(mode="runs") as pilot:
            assert "There are no runs in this workspace yet. N starts one" in seen(pilot)

    async def test_of_a_folder_that_is_no_run_says_why(self, open_app, evaluations):
        async with open_app(mode="runs") as pilot:
            await press(pilot, "down", "down", "down", "enter")
            assert isinstance(pilot.app.screen, RunsScreen)
            told = seen(pilot)
        assert "is no part of a run" in told
        assert "\x1b" not in told


class TestFigures:
    @pytest.mark.parametrize("size", [NARROW, WIDE])
    async def test_are_drawn_with_their_intervals(self, open_app, evaluations, size):
        async with open_app(size) as pilot:
            await open_run(pilot)
            told = seen(pilot)
        assert "Metric: NDCG@10" in told
        assert "0.400 [0.300, 0.500]" in told
        assert "├─" in told
        assert "●" in told

    async def test_that_are_doubtful_say_why_and_markup_is_text(self, open_app, evaluations):
        async with open_app() as pilot:
            await open_run(pilot)
            told = seen(pilot)
        assert "! agent: too good to be true: It knows [bold]too much[/]." in told
        assert "! agent: empty: in 1 of 12 answers" in told

    async def test_of_another_metric_can_be_drawn(self, open_app, evaluations):
        async with open_app() as pilot:
            await open_run(pilot)
            await press(pilot, "m", "down", "enter")
            told = seen(pilot)
        assert "Metric: H@1" in told
        assert "0.200 [0.100, 0.300]" in told

    async def test_are_all_in_a_table(self, open_app, evaluations):
        async with open_app(WIDE) as pilot:
            await open_run(pilot, "table")
            told = seen(pilot)
        for words in ("NDCG@10", "H@1", "invalid", "2.500"):
            assert words in told

    async def test_come_with_how_they_were_made(self, open_app, evaluations):
        async with open_app(WIDE) as pilot:
            await open_run(pilot, "about")
            told = seen(pilot)
        assert "leave one out. 200 interactions of 12 people with 40 items" in told
        assert "ease: weight 3; 0.5 s to fit" in told


class TestCases:
    async def test_are_listed_and_sorted(self, open_app, evaluations):
        async with open_app() as pilot:
            await open_run(pilot, "cases")
            table = pilot.app.screen.query_one("#cases", DataTable)
            assert str(table.get_row_at(0)[2]) == "1"
            await press(pilot, "o")
            assert str(table.get_row_at(0)[2]) == "4"
            assert "12 cases of ease, the worst first" in seen(pilot)

    async def test_say_what_you_think_of_an_item_of_the_list(self, open_app, evaluations):
        evaluations.said = {"item-2": Verdict(event=Event.LIKED)}
        async with open_app(WIDE, mode="runs", user="anna") as pilot:
            await open_run(pilot, "cases")
            pilot.app.screen.query_one("#cases").focus()
            await press(pilot, "enter")
            assert "Gimlet  you like it" in seen(pilot)
            assert "Negroni  you" not in seen(pilot)

    async def test_show_the_list_with_the_target_marked(self, open_app, evaluations):
        async with open_app(WIDE) as pilot:
            await open_run(pilot, "cases")
            pilot.app.screen.query_one("#cases").focus()
            await press(pilot, "down", "enter")
            assert isinstance(pilot.app.screen, CaseScreen)
            told = seen(pilot)
        assert "It stands at rank 4." in told
        assert "4 ▶ Negroni" in told
        assert "1   Gimlet" in told

    async def test_of_an_agent_show_what_it_did_and_why(self, open_app, evaluations):
        async with open_app(WIDE) as pilot:
            await open_run(pilot, "cases")
            await press(pilot, "s", "down", "enter")
            pilot.app.screen.query_one("#cases").focus()
            await press(pilot, "enter")
            case = pilot.app.screen
            assert isinstance(case, CaseScreen)
            lines = [line for _, part in case._case.parts for line in part]
            await press(pilot, "escape")
            assert isinstance(pilot.app.screen, RunScreen)
        assert "Gimlet: Gin, and short. (by x)" in lines
        assert "Look first." in lines
        assert "It is red." in lines  # without what would clear a screen


class TestComparison:
    async def compared(self, pilot, *keys):
        await enter(pilot)
        await press(pilot, "c", *keys, "enter")
        assert isinstance(pilot.app.screen, RunComparisonScreen)

    @pytest.mark.parametrize("size", [NARROW, WIDE])
    async def test_draws_both_and_their_difference(self, open_app, evaluations, size):
        async with open_app(size) as pilot:
            await self.compared(pilot, "down")
            told = seen(pilot)
        assert "first:ease against second:ease, 12 cases of both" in told
        assert "NDCG@10 ours" in told
        assert "NDCG@10 theirs" in told

    async def test_says_in_words_what_can_be_told(self, open_app, evaluations):
        async with open_app((140, 80)) as pilot:
            await self.compared(pilot, "down")
            told = seen(pilot)
        assert "= not separable" in told

    async def test_of_one_run_takes_two_of_its_systems(self, open_app, evaluations):
        async with open_app() as pilot:
            await self.compared(pilot)
            assert "first:ease against first:agent" in seen(pilot)
            await press(pilot, "f3", "up", "enter")
            assert "A system is no better than itself." in seen(pilot)

    async def test_is_left_with_escape(self, open_app, evaluations):
        async with open_app() as pilot:
            await self.compared(pilot)
            await press(pilot, "escape")
            assert isinstance(pilot.app.screen, RunsScreen)


class TestRunning:
    async def test_starts_what_is_chosen(self, open_app, evaluations):
        async with open_app(mode="runs") as pilot:
            await press(pilot, "n", "enter")
            assert "is done. Enter opens it." in seen(pilot)
        assert evaluations.told == [("start", evaluations.configs()[0].name)]

    async def test_shows_how_far_it_is_and_stops_at_escape(self, open_app, evaluations):
        evaluations.goes_on.clear()
        async with open_app(mode="runs") as pilot:
            await press(pilot, "n")
            await pilot.press("enter")
            while "3 of 12" not in seen(pilot):
                await pilot.pause(0.01)
            await press(pilot, "escape")
            told = " ".join(seen(pilot).split())
        assert "was stopped; what is done is on disk. G goes on with it." in told
        assert evaluations.told[-1] == ("stop", "")

    async def test_goes_on_with_what_was_cut_short(self, open_app, evaluations):
        async with open_app(mode="runs") as pilot:
            await press(pilot, "down", "down", "g")
        assert evaluations.told == [("resume", "torn")]

    async def test_does_not_go_on_with_what_is_whole(self, open_app, evaluations):
        async with open_app(mode="runs") as pilot:
            await press(pilot, "g")
            assert "first is complete: there is nothing to go on with." in seen(pilot)
        assert evaluations.told == []

    async def test_that_fails_says_why(self, open_app, evaluations):
        evaluations.trouble = InputError("The data is missing.", "localrec datasets pull x")
        async with open_app(mode="runs") as pilot:
            await press(pilot, "n", "enter")
            assert "The data is missing. localrec datasets pull x" in seen(pilot)


class TestOverAWorkspace:
    """The real thing, with real commands."""

    def test_names_of_items_come_from_the_catalogue(self, local_services, own_bar):
        plant_run(own_bar / "runs", "first")
        assert local_services._names("cocktails", ("gimlet", "gone")) == {"gimlet": "Gimlet"}
        (_, asked), *_ = local_services.runs.case("first", "ease", "0").parts
        assert asked[1] == "To be found: item-1"  # nobody knows it: its key must do

    def test_a_run_that_cannot_begin_says_why_in_its_own_words(self, local_services, own_bar):
        request = RequestHandle()
        with pytest.raises(LocalrecError, match="no-such-run cannot be read"):
            local_services.runs.start("no-such-run", request, lambda *_: None)
        assert request.over.is_set()

    def test_a_run_that_was_stopped_before_it_began_does_not_begin(self, local_services, own_bar):
        request = RequestHandle()
        local_services.runs.stop(request)
        with pytest.raises(ModelCancelledError):
            local_services.runs.start("marc-ablation", request, lambda *_: None)
        assert not (own_bar / "runs").exists()


class TestPlots:
    def test_a_bar_is_as_long_as_its_figure(self):
        assert bar(0.5, 10) == "█████     "
        assert bar(0.56, 10) == "█████▋    "
        assert bar(9.0, 4) == "████"
        assert bar(-1.0, 4) == "    "
        assert bar(1.0, 4, 0.0) == "    "

    def test_an_interval_lies_over_its_bar(self):
        assert bar_with_interval(0.5, 0.3, 0.7, 10) == "███├─●─┤  "
        assert bar_with_interval(0.5, None, None, 10) == bar(0.5, 10)
        assert bar_with_interval(1.0, 0.9, 1.0, 10) == "█████████●"

    def test_a_difference_shows_where_nothing_would_be(self):
        assert difference_bar(0.4, 0.2, 0.6, 20, 1.0) == "          │ ├─●─┤   "
        assert difference_bar(0.0, None, None, 10, 1.0) == "     ●    "


def test_the_time_left_is_counted_from_where_a_run_went_on():
    now = [0.0]
    line = ProgressLine(lambda: now[0])
    line.step("asking", 50, 100)
    now[0] = 10.0
    line.step("asking", 75, 100)
    assert "75 of 100, 10 s left" in str(line.content)


@pytest.mark.parametrize(
    ("seconds", "told"), [(8, "8 s"), (200, "3 min 20 s"), (7_500, "2 h 5 min")]
)
def test_a_duration_is_told_as_people_say_it(seconds, told):
    assert format_duration(seconds) == told
