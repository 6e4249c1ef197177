"""Where the window is wide, the chosen item stands beside its list, and the person beside both."""

import re
import threading

import pytest
from textual.widgets import DataTable

from localrec.data.rows import Event
from localrec.foundation.errors import UsageError
from localrec_tui.messages import FactsLoaded, WorkFailed
from localrec_tui.widgets import item_pane
from localrec_tui.widgets.item_pane import ItemPane
from localrec_tui.widgets.paged_table import PagedTable
from localrec_tui.widgets.results import Results
from localrec_tui.widgets.side_pane import SidePane

from .conftest import NARROW, press, seen, settled, write
from .fake_people import line
from .fake_services import GIMLET

WIDE, HUGE = (120, 40), (200, 50)


async def _ask(pilot):
    await write(pilot, "a gin drink")
    await press(pilot, "enter", "down")
    await _beside(pilot)


async def _beside(pilot):
    """Wait for what the store knows of the chosen item: the facts, and a moment later the rest."""
    for _ in range(3):
        await pilot.pause(0.1)
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

    async def test_reads_nothing_of_an_item_that_arrives_before_its_domain(
        self, open_app, services
    ):
        async with open_app(WIDE) as pilot:
            results = pilot.app.screen.query_one(Results)
            await results.hear((GIMLET,))
            await _beside(pilot)
            told = seen(pilot)
            assert "There is no domain" not in told
            assert not [call for call, *_ in services.told if call == "item_facts"]
            await results.show("cocktails", (GIMLET,))
            await _beside(pilot)
            assert "Shake with ice." in seen(pilot)

    async def test_a_failure_of_the_item_before_keeps_none_from_the_next(self, open_app):
        async with open_app(WIDE) as pilot:
            await _ask(pilot)
            pane = pilot.app.screen.query_one(ItemPane)
            shown = pilot.app.screen.query_one(Results).shown
            pane.show(shown[1], "cocktails")
            pane.show(shown[2], "cocktails")
            pane.post_message(WorkFailed("facts", "The disk is gone.", ""))
            await _beside(pilot)
            told = seen(pilot)
        assert "The disk is gone." not in told
        assert "Shake with ice." in told

    async def test_reads_nothing_beside_the_list_where_there_is_no_room(self, open_app, services):
        async with open_app(NARROW) as pilot:
            await _ask(pilot)
            assert not pilot.app.screen.query_one(ItemPane).display
        assert not [call for call, *_ in services.told if call == "item"]

    async def test_says_what_one_said_of_an_item_elsewhere(self, open_app, services):
        services.feedback.said = (
            line("negroni", Event.RATED, source="letterboxd", stars=4.5),
            line("gimlet", Event.LIKED),
        )
        async with open_app(WIDE, user="anna") as pilot:
            await _ask(pilot)
            told = seen(pilot)
        assert "gave 4.5 of 5 (Letterboxd)" in told
        assert "you like it" in told

    async def test_forgets_what_somebody_else_said(self, open_app, services):
        services.feedback.said = (line("gimlet", Event.LIKED),)
        async with open_app(WIDE, user="anna") as pilot:
            await _ask(pilot)
            pilot.app.user = None
            await settled(pilot)
            table = pilot.app.screen.query_one(DataTable)
            assert "like it" not in " ".join(map(str, table.get_row_at(0)))


class TestThirdColumn:
    @pytest.mark.parametrize("mode", ["ask", "browse"])
    async def test_shows_what_one_said_last_and_has_at_hand(self, open_app, services, mode):
        services.feedback.said = (line("aviation", Event.DISLIKED),)
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


def _note_drawings(monkeypatch):
    """What the pane beside the list draws: the title, and whether all of the item is there."""
    drawn = []
    whole = ItemPane._draw

    def noted(pane):
        whole(pane)
        drawn.append((pane.border_title, pane.found is not None and pane.found.is_complete))

    monkeypatch.setattr(ItemPane, "_draw", noted)
    return drawn


class TestBrowse:
    async def test_stands_beside_the_facts_of_the_chosen_item(self, open_app, services):
        async with open_app(WIDE, mode="browse") as pilot:
            await press(pilot, "down", "down")
            await _beside(pilot)
            pane = pilot.app.screen.query_one(ItemPane)
            assert pane.border_title == "Drink 001"
            assert "Shake with ice." in seen(pilot)

    async def test_draws_known_facts_at_once_and_the_rest_where_the_cursor_stays(
        self, open_app, services, monkeypatch
    ):
        drawn = _note_drawings(monkeypatch)
        async with open_app(WIDE, mode="browse") as pilot:
            await press(pilot, "down")
            await _beside(pilot)
            pane = pilot.app.screen.query_one(ItemPane)
            for pause in ("_HELD_S", "_PAUSE_S", "_REST_S"):  # they end when this test says so
                monkeypatch.setattr(item_pane, pause, 3_600)
            before = pane.border_title
            drawn.clear()
            services.told.clear()
            await pilot.press("down")
            after_the_key = pane.border_title, list(drawn)
            pane._load()
            assert (after_the_key, drawn) == ((before, []), [("Drink 001", False)])
            assert "Shake with ice." in seen(pilot)
            assert [call for call, _ in services.told] == [], "it was read before the key"
            pane._load_rest()
            await _beside(pilot)
            assert "Gin Sour" in seen(pilot)
        assert drawn == [("Drink 001", False), ("Drink 001", True)]

    async def test_shows_the_first_key_at_once_and_waits_for_keys_that_are_held(
        self, open_app, monkeypatch
    ):
        async with open_app(WIDE, mode="browse") as pilot:
            await press(pilot, "down")
            await _beside(pilot)
            monkeypatch.setattr(item_pane, "_PAUSE_S", 3_600)
            pane = pilot.app.screen.query_one(ItemPane)
            pane._moved_at -= 3_600
            await pilot.press("down")
            await _beside(pilot)
            first = pane.border_title
            monkeypatch.setattr(item_pane, "_HELD_S", 3_600)
            await pilot.press("down", "down", "down")
            await _beside(pilot)
            assert (first, pane.border_title) == ("Drink 001", "Drink 001")

    async def test_shows_an_item_of_before_without_a_read(self, open_app, services):
        async with open_app(WIDE, mode="browse") as pilot:
            await press(pilot, "down")
            for key in ("down", "up"):
                await pilot.press(key)
                await _beside(pilot)
            services.item_facts = services.item = None  # whoever calls them fails
            await pilot.press("down")
            await pilot.pause(0.06)
            assert pilot.app.screen.query_one(ItemPane).found.is_complete
            assert "Gin Sour" in seen(pilot)

    async def test_says_what_you_think_of_those_like_it(self, open_app, services):
        services.feedback.said = (line("gin-sour", Event.DISLIKED),)
        async with open_app(WIDE, mode="browse", user="anna") as pilot:
            await press(pilot, "down")
            await _beside(pilot)
            assert "Gin Sour   you dislike it   gin" in seen(pilot)

    async def test_drops_what_comes_for_an_item_that_is_no_more_chosen(self, open_app, services):
        async with open_app(WIDE, mode="browse") as pilot:
            await press(pilot, "down", "down")
            await _beside(pilot)
            pane = pilot.app.screen.query_one(ItemPane)
            late = services.item("cocktails", "drink-000")
            pane.post_message(FactsLoaded("cocktails", pilot.app.user, (late,), pane._generation))
            await _beside(pilot)
            assert (pane.border_title, pane.found.key) == ("Drink 001", "drink-001")

    @pytest.fixture
    def disliked(self, services):
        """The item like all others is one that Anna dislikes, so far."""
        services.feedback.said = (line("gin-sour", Event.DISLIKED),)
        return services.feedback

    @staticmethod
    def like_it(pilot):
        """The line of the item that is like the chosen one."""
        return next(line for line in seen(pilot).splitlines() if "Gin Sour" in line)

    @pytest.mark.parametrize("signal", ["user_forgotten", "data_changed"])
    async def test_says_no_word_that_is_gone_from_the_store(self, open_app, disliked, signal):
        async with open_app(WIDE, mode="browse", user="anna") as pilot:
            await press(pilot, "down", "down", "up")
            await _beside(pilot)
            assert "you dislike it" in self.like_it(pilot)
            disliked.said = ()
            getattr(pilot.app, signal).publish("anna")
            await _beside(pilot)
            for key in ("down", "up"):
                assert "dislike" not in self.like_it(pilot)
                await press(pilot, key)
                await _beside(pilot)

    async def test_shows_no_word_of_before_somebody_else_was_here(
        self, open_app, disliked, monkeypatch
    ):
        async with open_app(WIDE, mode="browse", user="anna") as pilot:
            await press(pilot, "down")
            await _beside(pilot)
            pilot.app.user = "bert"
            disliked.said = ()
            await _beside(pilot)
            monkeypatch.setattr(item_pane, "_REST_S", 3_600)  # the facts alone are read
            pilot.app.user = "anna"
            await _beside(pilot)
            assert "dislike" not in seen(pilot)

    async def test_drops_an_answer_from_before_words_were_forgotten(
        self, open_app, services, disliked
    ):
        async with open_app(WIDE, mode="browse", user="anna") as pilot:
            await press(pilot, "down")
            await _beside(pilot)
            pane = pilot.app.screen.query_one(ItemPane)
            asked, old = pane._generation, services.item("cocktails", "drink-000", "anna")
            disliked.said = ()
            pilot.app.user_forgotten.publish("anna")
            await _beside(pilot)
            pane.post_message(FactsLoaded("cocktails", "anna", (old,), asked))
            await settled(pilot)
            assert "dislike" not in self.like_it(pilot)
            assert pane._kept.get("cocktails", "anna", "drink-000") == pane.found != old

    async def test_shows_no_old_words_where_they_cannot_be_read_again(
        self, open_app, services, disliked, monkeypatch
    ):
        def busy(*asked):
            raise UsageError("The store is busy.", "Try again.")

        async with open_app(WIDE, mode="browse", user="anna") as pilot:
            await press(pilot, "down")
            await _beside(pilot)
            monkeypatch.setattr(services, "item", busy)
            pilot.app.user_forgotten.publish("anna")
            await _beside(pilot)
            assert "Gin Sour" not in seen(pilot)
            assert "The store is busy. Try again." in seen(pilot)

    async def test_says_why_where_an_item_is_gone(self, open_app, services, monkeypatch):
        def gone(*asked):
            raise UsageError("There is no drink of that name any more.", "Ask again.")

        async with open_app(WIDE, mode="browse") as pilot:
            monkeypatch.setattr(services, "item_facts", lambda *_: ())
            monkeypatch.setattr(services, "item", gone)
            pilot.app.screen.query_one(ItemPane)._kept.clear()
            await press(pilot, "down", "down")
            await _beside(pilot)
            assert "There is no drink of that name any more." in seen(pilot)

    async def test_tells_its_name_where_the_store_lets_wait(self, open_app, services, monkeypatch):
        known = services.item_facts
        lets_go = threading.Event()

        def waited_for(*asked):
            lets_go.wait(20)
            return known(*asked)

        async with open_app(WIDE, mode="browse") as pilot:
            pane = pilot.app.screen.query_one(ItemPane)
            await press(pilot, "down")
            await _beside(pilot)
            monkeypatch.setattr(services, "item_facts", waited_for)
            pane._kept.clear()
            await pilot.press("down")
            for _ in range(200):
                await pilot.pause(0.05)
                if pane.border_title == "Drink 001":
                    break
            assert (pane.border_title, pane.found) == ("Drink 001", None)
            assert "Shake with ice." not in seen(pilot)
            lets_go.set()
            await _beside(pilot)
            assert pane.found is not None

    async def test_stands_above_the_facts_at_80_by_24(self, open_app, local_services):
        async with open_app(NARROW, local_services, mode="browse", user="anna") as pilot:
            await press(pilot, "down", "l")
            await _beside(pilot)
            first, told = seen(pilot).splitlines()[6], seen(pilot)
            name = pilot.app.screen.query_one(ItemPane).border_title
        listing, pane = told.split("╭─ ")[-2:]
        assert "like it" in first
        assert len([line for line in listing.splitlines() if line.strip()]) >= 5
        assert pane.startswith(str(name))
        assert "you like it" in pane
        assert "Glass " in pane
        assert "3 cl " in pane

    async def test_tells_an_item_in_lines_of_their_own_where_there_are_enough(self, open_app):
        async with open_app(NARROW, mode="browse") as pilot:
            await press(pilot, "down")
            await _beside(pilot)
            assert "Recipe  3 cl Gin" in seen(pilot)
            await pilot.resize_terminal(80, 60)
            await _beside(pilot)
            assert re.search(r"Recipe +│\n│ +3 cl  Gin", seen(pilot))
            await pilot.resize_terminal(80, 18)
            await _beside(pilot)
            assert not pilot.app.screen.query_one(ItemPane).display

    async def test_keeps_the_facts_in_sight_of_an_item_with_a_picture(self, open_app, services):
        services.picture = ((("#ff0000", "#00ff00"),) * 20,) * 9
        async with open_app(NARROW, mode="browse") as pilot:
            await press(pilot, "down")
            await _beside(pilot)
            assert "3 cl Gin" in seen(pilot)
            assert "Enter: all about it" in seen(pilot)

    @pytest.mark.parametrize("size", [NARROW, (100, 30), WIDE, HUGE])
    async def test_parts_its_width_so_that_nothing_leaves_the_list(self, open_app, services, size):
        services.catalogue.said = {"drink-001": line("drink-001", Event.DISLIKED).verdict}
        kinds = ("ingredient", "glass", "category", "garnish")
        services.catalogue.kinds = {"cocktails": kinds}
        async with open_app(size, mode="browse", user="anna") as pilot:
            await _beside(pilot)
            listing = pilot.app.screen.query_one(PagedTable)
            assert listing.virtual_size.width <= listing.scrollable_content_region.width
            assert "dislike it" in seen(pilot)
            assert all(column.width >= 10 for column in listing.ordered_columns)

    async def test_says_by_a_sign_that_a_cell_is_cut(self, open_app, services):
        services.catalogue.kinds = {"cocktails": ("ingredient", "glass")}
        async with open_app((50, 24), mode="browse") as pilot:
            await _beside(pilot)
            assert "gin, lime jui…" in seen(pilot)

    async def test_says_in_its_list_what_one_rated(self, open_app, services):
        services.catalogue.said = {"drink-002": line("drink-002", Event.LIKED).verdict}
        async with open_app(WIDE, mode="browse", user="anna") as pilot:
            assert "like it" in seen(pilot)


class TestHistory:
    async def test_stands_above_the_chosen_item_at_80_by_24(self, open_app, services):
        services.feedback.said = (line("gimlet", Event.LIKED),)
        async with open_app(NARROW, mode="history", user="anna") as pilot:
            await _beside(pilot)
            pane = seen(pilot).split("╭─ ")[-1]
        assert pane.startswith("Gimlet")
        assert "you like it" in pane
        assert "3 cl Gin" in pane
