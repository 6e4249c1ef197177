"""From room to room: by number, by F7, by click and by the palette."""

from localrec_tui.base_app import bindings_of
from localrec_tui.screens.ask import AskScreen
from localrec_tui.screens.browse import BrowseScreen
from localrec_tui.screens.first_run import FirstRunScreen
from localrec_tui.widgets.nav_bar import NavItem
from localrec_tui.widgets.prompt import Prompt

from .conftest import press, seen, settled


async def test_a_number_leads_to_its_room_where_nobody_types(open_app):
    async with open_app() as pilot:
        await press(pilot, "3")
        assert pilot.app.screen.query_one(Prompt).value == "3"
        await press(pilot, "tab", "3")
        assert isinstance(pilot.app.screen, BrowseScreen)
        assert "[3 Browse]" in seen(pilot)


async def test_f7_goes_round_and_back(open_app):
    async with open_app(mode="") as pilot:
        main_screens = list(pilot.app.main_screens().values())
        for room in (*main_screens[1:], main_screens[0]):
            await press(pilot, "f7")
            assert isinstance(pilot.app.screen, room)
        await press(pilot, "f19")
        assert isinstance(pilot.app.screen, main_screens[-1])


async def test_a_click_on_a_name_goes_there(open_app):
    async with open_app() as pilot:
        await pilot.click(pilot.app.screen.query(NavItem)[2])
        await settled(pilot)
        assert isinstance(pilot.app.screen, BrowseScreen)


async def test_the_palette_names_every_room(open_app):
    async with open_app() as pilot:
        titles = {one.title for one in pilot.app.get_system_commands(pilot.app.screen)}
        main_screens = pilot.app.main_screens().values()
    assert titles >= {f"Go to {room.TITLE}" for room in main_screens}


async def test_every_room_has_help_and_a_name_for_each_of_its_keys(open_app):
    async with open_app() as pilot:
        for mode, room in pilot.app.main_screens().items():
            pilot.app.switch_mode(mode)
            await settled(pilot)
            await press(pilot, "f1")
            assert room.HELP.split(".")[0].split()[0] in seen(pilot)
            await press(pilot, "escape")
            assert all(binding.id for binding in bindings_of(room)), mode


async def test_loading_the_drinks_leads_back_from_wherever_one_went(open_app, services):
    services.empty = True
    async with open_app() as pilot:
        assert isinstance(pilot.app.screen, FirstRunScreen)
        first_run = pilot.app.screen
        await press(pilot, "f7")
        first_run.action_load()
        await settled(pilot)
        assert isinstance(pilot.app.screen, AskScreen)


async def test_a_word_said_in_one_room_is_seen_in_another(open_app):
    async with open_app() as pilot:
        pilot.app.user = "anna"
        pilot.app.screen.query_one(Prompt).value = "gin"
        await press(pilot, "enter", "down", "l", "f7", "down", "u", "f19")
        assert "[you like it]" not in seen(pilot)
