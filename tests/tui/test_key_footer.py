"""The foot: the keys of the place stay in sight at 80 columns, whole and with their words."""

import pytest
from textual.widgets import Input

from localrec_tui.widgets.key_footer import KeyFooter

from .conftest import NARROW, press, seen

ROOMS = "alt+1…9 Rooms"


def foot(pilot):
    return seen(pilot).splitlines()[-1]


def foot_fits(pilot):
    keys = pilot.app.screen.query_one(KeyFooter).children
    return all(one.region.right <= pilot.app.size.width for one in keys)


class TestAtEightyColumns:
    @pytest.mark.parametrize(
        ("room", "last_of_its_own"),
        [("home", "u Undo"), ("browse", "f4 Shelf"), ("history", "u Undo"), ("data", "s Settings")],
    )
    async def test_no_key_of_a_room_is_cut_off(self, open_app, room, last_of_its_own):
        async with open_app(NARROW, mode=room, user="anna") as pilot:
            if room != "data":
                await press(pilot, "down")
            assert last_of_its_own in foot(pilot)
            assert foot(pilot).endswith("^p palette")
            assert foot_fits(pilot)

    async def test_keys_that_hold_everywhere_come_back_with_the_width(self, open_app):
        async with open_app(NARROW, mode="browse", user="anna") as pilot:
            await press(pilot, "down")
            assert "Quit" not in foot(pilot)
            await pilot.resize_terminal(140, 40)
            await press(pilot, "down")
            assert "Quit" in foot(pilot)
            assert " g Walk  l Like " in foot(pilot)


class TestALineThatIsTypedInto:
    async def test_tells_the_keys_to_the_rooms(self, open_app):
        async with open_app(NARROW, mode="browse") as pilot:
            assert ROOMS in foot(pilot)
            await press(pilot, "down")
            assert ROOMS not in foot(pilot)

    @pytest.mark.parametrize("room", ["home", "ask", "browse", "history"])
    async def test_lets_them_through(self, open_app, room):
        async with open_app(NARROW, mode=room) as pilot:
            if room == "history":
                await press(pilot, "slash")
            assert isinstance(pilot.app.focused, Input)
            await press(pilot, "alt+6")
            assert pilot.app.current_mode == "data"

    async def test_promises_no_key_that_is_bound_to_something_else(self, open_app, tmp_path):
        (tmp_path / "tui.toml").write_text('[keymap]\ngo_home = "ctrl+g"\n')
        async with open_app(NARROW, mode="browse") as pilot:
            assert "Rooms" not in foot(pilot)
