"""Where the window is wide, the chosen item stands beside its list, and the person beside both."""

import pytest
from textual.widgets import DataTable

from localrec.data.rows import Event
from localrec_tui.widgets.item_pane import ItemPane
from localrec_tui.widgets.side_pane import SidePane

from .conftest import NARROW, press, seen, settled, write
from .fake_people import line

WIDE, HUGE = (120, 40), (200, 50)


async def _ask(pilot):
    await write(pilot, "a gin drink")
    await press(pilot, "enter", "down")
    await pilot.pause(0.1)  # what the store knows of it follows a moment later
    await settled(pilot)


class TestAnswer:
    async def test_stands_beside_the_recipe_of_the_chosen_item(self, open_app):
        async with open_app(WIDE) as pilot:
            await _ask(pilot)
            told = seen(pilot)
            assert "Recipe" in told
            assert "Shake with ice." in told
            assert "Like this" in told
            await press(pilot, "down")
            await pilot.pause(0.1)
            await settled(pilot)
            assert pilot.app.screen.query_one(ItemPane).border_title == "Negroni"

    async def test_reads_nothing_beside_the_list_where_there_is_no_room(self, open_app, services):
        async with open_app(NARROW) as pilot:
            await _ask(pilot)
            assert not pilot.app.screen.query_one(ItemPane).display
        assert not [call for call, *_ in services.told if call == "item"]

    async def test_says_what_one_said_of_an_item_elsewhere(self, open_app, services):
        services.people.said = (
            line("negroni", Event.RATED, source="letterboxd", stars=4.5),
            line("gimlet", Event.LIKED),
        )
        async with open_app(WIDE, user="anna") as pilot:
            await _ask(pilot)
            told = seen(pilot)
        assert "gave 4.5 of 5 (letterboxd)" in told
        assert "you like it" in told

    async def test_forgets_what_somebody_else_said(self, open_app, services):
        services.people.said = (line("gimlet", Event.LIKED),)
        async with open_app(WIDE, user="anna") as pilot:
            await _ask(pilot)
            pilot.app.user = None
            await settled(pilot)
            table = pilot.app.screen.query_one(DataTable)
            assert "like it" not in " ".join(map(str, table.get_row_at(0)))


class TestThirdColumn:
    @pytest.mark.parametrize("mode", ["ask", "browse"])
    async def test_shows_what_one_said_last_and_has_at_hand(self, open_app, services, mode):
        services.people.said = (line("aviation", Event.DISLIKED),)
        async with open_app(HUGE, user="anna", mode=mode) as pilot:
            await settled(pilot)
            told = seen(pilot)
        assert "You said" in told
        assert "Aviation  you dislike it" in told
        assert "Your shelf" in told

    @pytest.mark.parametrize("mode", ["ask", "browse"])
    async def test_takes_no_room_from_a_narrower_window(self, open_app, mode):
        async with open_app(WIDE, user="anna", mode=mode) as pilot:
            assert not pilot.app.screen.query_one(SidePane).display


class TestBrowse:
    async def test_stands_beside_the_facts_of_the_chosen_item(self, open_app, services):
        async with open_app(WIDE, mode="browse") as pilot:
            await press(pilot, "down", "down")
            await pilot.pause(0.1)
            await settled(pilot)
            pane = pilot.app.screen.query_one(ItemPane)
            assert pane.border_title == "Drink 001"
            assert "Shake with ice." in seen(pilot)

    async def test_says_in_its_list_what_one_rated(self, open_app, services):
        services.catalogue.said = {"drink-002": line("drink-002", Event.LIKED).verdict}
        async with open_app(WIDE, mode="browse", user="anna") as pilot:
            assert "like it" in seen(pilot)
