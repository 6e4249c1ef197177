"""The palette: everything that any room can do, with its key, from everywhere."""

import pytest
from textual.command import CommandPalette
from textual.widgets import Input, OptionList

from localrec.data.rows import Event
from localrec_tui.app import LocalrecApp
from localrec_tui.key_names import key_text
from localrec_tui.palette_words import ROW_QUESTIONS, action_words
from localrec_tui.screens.ask import AskScreen
from localrec_tui.screens.choice import ChoiceDialog
from localrec_tui.screens.graph_browser import GraphBrowserScreen
from localrec_tui.screens.item import ItemScreen
from localrec_tui.screens.shelf import ShelfScreen
from localrec_tui.screens.text import TextDialog
from localrec_tui.screens.training import TrainingScreen
from localrec_tui.widgets.prompt import Prompt

from .conftest import WIDE, press, settled, write

FROM_ANYWHERE = {
    "Import a file": "Data, key I",
    "Export a history, a profile, a catalogue or a backup": "Data, key X",
    "Forget a person, or what they did in a domain": "Data, key F",
    "Take the last import back": "Data, key Z",
    "Pull a data set": "Data, key P",
    "Pull a model": "Models, key P",
    "Count all memories anew": "Memory, key B",
    "Begin a new training": "Training, key N",
    "Start a new run of the evaluation": "Runs, key N",
    "Open your shelf": "Browse, key F4",
    "Walk the graph from the item that is chosen in Browse": "Browse, key G",
    "Find an item in the catalogue": "Browse, key /",
    "Sort the catalogue": "Browse, key O",
    "Ask with a picture": "Ask, key F8",
    "Jump to a pane by a letter": "Everywhere, key Ctrl+O",
    "Choose who sits here": "Home, key F2",
    "Go to Data": "Everywhere, key 6, from a line Alt+6",
}
OF_A_LIST = {
    "Like the chosen item": "L",
    "Dislike the chosen item": "D",
    "Seen: you know the chosen item": "S",
    "Not now: put the chosen item off": "N",
    "Like the chosen item, with a reason": "Shift+L",
    "Dislike the chosen item, with a reason": "Shift+D",
    "Seen: you know the chosen item, with a reason": "Shift+S",
    "Not now: put the chosen item off, with a reason": "Shift+N",
    "Undo: take back what you said last": "U",
}


def offered(pilot):
    """What the palette offers over the screen in front."""
    return {one.title: one for one in pilot.app.get_system_commands(pilot.app.screen)}


async def choose(pilot, title):
    """Choose something in the palette by its whole title."""
    await pilot.press("ctrl+p")
    await pilot.pause()
    palette = pilot.app.screen
    assert isinstance(palette, CommandPalette)
    palette.query_one(Input).value = title
    for _ in range(200):
        await pilot.pause(0.02)
        options = palette.query_one(OptionList)
        if options.option_count and options.highlighted is not None:
            break
    await press(pilot, "enter")
    await settled(pilot)


async def answered(pilot):
    """Have an answer in front, with its first item chosen."""
    pilot.app.user = "anna"
    pilot.app.screen.query_one(Prompt).value = "gin"
    await press(pilot, "enter", "down")


async def test_every_room_is_offered_on_a_screen_that_is_no_room(open_app):
    async with open_app() as pilot:
        await press(pilot, "f9")
        helps = {title: one.help for title, one in offered(pilot).items()}
    assert FROM_ANYWHERE.items() <= helps.items()


async def test_every_action_of_a_room_has_words_of_its_own(open_app):
    async with open_app() as pilot:
        for mode, room in pilot.app.main_screens().items():
            for binding in room.all_bindings():
                action = binding.action.removeprefix("screen.")
                if hasattr(room, f"action_{action.partition('(')[0]}"):
                    steps = ("to_list", "to_line", "leave", "settings")
                    assert action in steps or action_words(room, action, ""), (mode, action)


@pytest.mark.parametrize("mode", LocalrecApp.main_screens())
async def test_nothing_is_offered_twice_under_the_same_words_or_key(open_app, mode):
    async with open_app(mode=mode) as pilot:
        commands = list(pilot.app.get_system_commands(pilot.app.screen))
        here = pilot.app.screen.TITLE
    titles = [one.title for one in commands]
    keys = [one.help.replace("Here", here) for one in commands if ", key " in one.help]
    for offered_once in (titles, keys):
        assert len(offered_once) == len(set(offered_once))


async def test_every_row_that_is_asked_for_belongs_to_an_action_of_its_room():
    rooms = {room.TITLE: room for room in LocalrecApp.main_screens().values()}
    for room, action in ROW_QUESTIONS:
        assert action in {one.action.removeprefix("screen.") for one in rooms[room].all_bindings()}


class TestActionOfAnotherRoom:
    async def test_goes_there_and_does_it(self, open_app):
        async with open_app() as pilot:
            await choose(pilot, "Begin a new training")
            assert isinstance(pilot.app.screen, ChoiceDialog)
            assert isinstance(pilot.app.screen_stack[0], TrainingScreen)

    async def test_waits_until_the_room_has_read_what_it_shows(self, open_app):
        async with open_app(mode="models", user="anna") as pilot:
            await choose(pilot, "Open your shelf")
            assert isinstance(pilot.app.screen, ShelfScreen)

    async def test_walks_from_the_first_item_of_a_list_that_nobody_has_seen_yet(self, open_app):
        async with open_app() as pilot:
            await choose(pilot, "Walk the graph from the item that is chosen in Browse")
            assert isinstance(pilot.app.screen, GraphBrowserScreen)

    async def test_asks_which_row_it_means(self, open_app, services):
        async with open_app() as pilot:
            await choose(pilot, "Pull a data set")
            assert isinstance(pilot.app.screen, ChoiceDialog)
            assert services.transfers.told == []
            await press(pilot, "down", "enter")
        assert ("pull", "ml-100k") in services.transfers.told

    async def test_closes_what_lies_in_front_of_the_room(self, open_app):
        async with open_app() as pilot:
            await answered(pilot)
            await press(pilot, "enter")
            assert isinstance(pilot.app.screen, ItemScreen)
            await choose(pilot, "Ask with a picture")
            assert isinstance(pilot.app.screen, TextDialog)
            assert isinstance(pilot.app.screen_stack[-2], AskScreen)

    async def test_leaves_a_question_alone_that_waits_for_an_answer_there(self, open_app):
        async with open_app(mode="training") as pilot:
            await press(pilot, "n")
            dialog = pilot.app.screen
            assert isinstance(dialog, ChoiceDialog)
            pilot.app.switch_mode("browse")
            await settled(pilot)
            await choose(pilot, "Export what a training came to as an adapter")
            assert pilot.app.screen is dialog
            told = [one.message for one in pilot.app._notifications]
        assert "Something in Training waits for an answer. Esc leaves it." in told


class TestListInFront:
    @pytest.mark.parametrize("mode", ["ask", "browse", "history", "home"])
    async def test_offers_every_word_on_its_item(self, open_app, mode):
        async with open_app(WIDE, mode=mode) as pilot:
            helps = {title: one.help for title, one in offered(pilot).items()}
        assert {title: f"This list, key {key}" for title, key in OF_A_LIST.items()}.items() <= (
            helps.items()
        )

    async def test_takes_a_word_with_a_reason_from_the_palette(self, open_app, services):
        async with open_app() as pilot:
            await answered(pilot)
            await choose(pilot, "Dislike the chosen item, with a reason")
            await write(pilot, "sweet")
            await press(pilot, "enter")
        assert [(one.event, one.reason) for one in services.words] == [(Event.DISLIKED, "sweet")]

    async def test_takes_a_word_with_a_reason_by_mouse(self, open_app, services):
        async with open_app(WIDE) as pilot:
            await answered(pilot)
            [key] = [one for one in pilot.app.screen.query("FooterKey") if one.description == "Why"]
            await pilot.click(key)
            await settled(pilot)
            options = pilot.app.screen.query_one(OptionList)
            await pilot.click(options, offset=(3, 2))
            await settled(pilot)
            await write(pilot, "known")
            await press(pilot, "enter")
        assert [(one.event, one.reason) for one in services.words] == [(Event.DISLIKED, "known")]

    async def test_says_so_where_no_item_is_chosen(self, open_app):
        async with open_app() as pilot:
            await choose(pilot, "Like the chosen item")
            told = [one.message for one in pilot.app._notifications]
        assert told == ["No item is chosen yet. Down leads to the answer."]

    async def test_of_an_opened_item_is_that_item(self, open_app, services):
        async with open_app() as pilot:
            await answered(pilot)
            await press(pilot, "enter")
            assert offered(pilot)["Like the chosen item"].help == "Here, key L"
            await choose(pilot, "Like the chosen item")
        assert [one.event for one in services.words] == [Event.LIKED]


async def test_a_key_of_ones_own_is_the_one_that_is_shown(open_app, tmp_path):
    (tmp_path / "tui.toml").write_text('[keymap]\nimport_file = "ctrl+l"\n')
    async with open_app() as pilot:
        assert offered(pilot)["Import a file"].help == "Data, key Ctrl+L"


@pytest.mark.parametrize(
    ("key", "told"), [("L", "Shift+L"), ("slash", "/"), ("f4", "F4"), ("escape", "Esc")]
)
def test_a_key_is_named_as_it_stands_on_the_keyboard(key, told):
    assert key_text(key) == told
