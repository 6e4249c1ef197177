"""What a new user meets in the first minutes: where keys lead, what dialogs say, how cards read."""

from textual.widgets import DirectoryTree, OptionList

from localrec_tui.screens.ask import AskScreen
from localrec_tui.screens.first_run import FirstRunScreen
from localrec_tui.screens.path import PathDialog
from localrec_tui.services.app_services import AppServices
from localrec_tui.widgets.chart_colours import coloured_chart
from localrec_tui.widgets.prompt import Prompt
from localrec_tui.widgets.shown_items import ShownItem, card_text

from .conftest import NARROW, press, seen, settled, write
from .fake_services import drink


class TestLine:
    async def test_says_where_the_arrow_leads_once_there_is_an_answer(self, open_app):
        async with open_app() as pilot:
            assert "↓ leads" not in seen(pilot)
            await write(pilot, "a gin drink")
            await press(pilot, "enter")
            assert "Enter asks   ↓ leads to the answer, where letters are keys" in seen(pilot)

    async def test_of_home_says_so_of_the_list(self, open_app):
        async with open_app(mode="home") as pilot:
            assert "↓ leads" not in seen(pilot)
            pilot.app.user = "anna"
            await settled(pilot)
            assert "↓ leads to your list, where letters are keys" in seen(pilot)

    async def test_of_ask_in_an_empty_workspace_leaves_the_keys_that_help(self, open_app, tmp_path):
        own = tmp_path / "own"
        async with open_app(over=AppServices(own), folder=own) as pilot:
            await press(pilot, "2")
            assert isinstance(pilot.app.screen, AskScreen)
            assert "Nothing is here yet. Press 1 and Enter" in seen(pilot)
            await press(pilot, "1")
            assert isinstance(pilot.app.screen, FirstRunScreen)

    async def test_of_ask_takes_words_once_something_came_in(self, open_app, services):
        services.empty = True
        async with open_app() as pilot:
            pilot.app.pop_screen()  # the first run
            await settled(pilot)
            await press(pilot, "2")
            services.empty = False
            await press(pilot, "6", "2")
            assert not pilot.app.screen.query_one(Prompt).disabled
            assert "Nothing is here yet" not in seen(pilot)


class TestNumbers:
    async def test_of_rooms_lead_there_from_a_line_once_enter_follows(self, open_app):
        async with open_app(mode="home") as pilot:
            await press(pilot, "6")
            assert "Enter leads to Data" in seen(pilot)
            await press(pilot, "enter")
            assert pilot.app.current_mode == "data"
            await press(pilot, "1")
            assert pilot.app.current_mode == "home"
            assert pilot.app.screen.query_one(Prompt).value == ""

    async def test_lead_there_from_any_line_with_alt(self, open_app):
        async with open_app(mode="browse") as pilot:
            await press(pilot, "alt+4")
            assert pilot.app.current_mode == "history"

    async def test_that_begin_a_question_are_asked(self, open_app, services):
        async with open_app() as pilot:
            await write(pilot, "6 drinks")
            assert "Enter asks" in seen(pilot)
            await press(pilot, "enter")
            assert pilot.app.current_mode == "ask"
        assert services.told[-1][0] != "stop"
        assert any(call == "ask" for call, *_ in services.told)


class TestDialogs:
    async def test_ask_for_a_name_and_say_what_becomes_of_it(self, open_app, services):
        services.known = []
        async with open_app() as pilot:
            await write(pilot, "a gin drink")
            await press(pilot, "enter", "down", "l")
            assert "What you say is kept under this name" in seen(pilot)
            assert not pilot.app.screen.query_one(
                OptionList
            ).display  # an empty frame tells nothing
            await write(pilot, "zoe")
            assert pilot.app.screen.query_one(OptionList).display

    async def test_show_no_hidden_files(self, open_app, tmp_path):
        (tmp_path / ".cache").mkdir()
        (tmp_path / "drinks.csv").write_text("name\n", encoding="utf-8")
        async with open_app() as pilot:
            pilot.app.push_screen(PathDialog("Which file?", "", tmp_path))
            await pilot.pause(0.5)  # the tree's own worker never ends
            names = [
                str(one.label) for one in pilot.app.screen.query_one(DirectoryTree).root.children
            ]
        assert "drinks.csv" in names
        assert ".cache" not in names


class TestCards:
    def test_go_on_below_their_own_beginning(self):
        item = drink(
            1, "Gimlet", 0.9, reason="Gimlet has gin and lime, and comes in a coupe glass."
        )
        lines = str(card_text(ShownItem(item=item), 24)).splitlines()
        assert len(lines) > 3
        assert all(line.startswith("    ") for line in lines[1:])
        assert max(map(len, lines)) <= 24

    def test_name_what_is_missing_in_one_mark(self):
        item = drink(1, "Gimlet", 0.9, missing=("campari", "sweet vermouth"))
        told = str(card_text(ShownItem(item=item)))
        assert "not on your shelf: campari, sweet vermouth" in told

    async def test_follow_the_width_of_the_window(self, open_app):
        async with open_app(NARROW) as pilot:
            await write(pilot, "a gin drink")
            await press(pilot, "enter")
            await pilot.resize_terminal(40, 50)
            await settled(pilot)
            marks = [
                line for line in seen(pilot).splitlines() if "campari" in line or "vermouth" in line
            ]
        assert len(marks) == 2  # one mark that goes on in the next line
        assert all(line.startswith("     ") for line in marks)


def test_a_chart_has_the_colours_of_the_theme():
    drawn = coloured_chart("ours ██├─●─┤ ⣀⡠")
    spans = {(str(one.style), drawn.plain[one.start : one.end]) for one in drawn.spans}
    assert spans == {("$accent", "██"), ("$warning", "├─●─┤"), ("$accent", "⣀⡠")}
