"""Browse: page after page, searched while one types; the graph and the shelf."""

import contextlib

import pytest
from textual.widgets import Input, OptionList

from localrec.data.rows import Event
from localrec.foundation.errors import BusyError
from localrec_tui.screens.browse import BrowseScreen
from localrec_tui.screens.catalogue_view import PageLoaded, SimilarItemsLoaded
from localrec_tui.screens.first_run import FirstRunScreen
from localrec_tui.screens.graph_browser import GraphBrowserScreen
from localrec_tui.screens.item import ItemScreen
from localrec_tui.screens.shelf import ShelfScreen
from localrec_tui.services.app_services import AppServices
from localrec_tui.services.catalogue import CataloguePage, PageTurn
from localrec_tui.services.records import DomainSummary, Verdict
from localrec_tui.widgets.choice_field import ChoiceField
from localrec_tui.widgets.paged_table import PAGE_ROWS, PagedTable
from localrec_tui.widgets.shelf_makes import ShelfMakes

from .conftest import NARROW, WIDE, press, seen, settled, write
from .fake_catalogue import COUNT, item, shelf_item
from .fake_people import line


@pytest.fixture
def quick(monkeypatch):
    """Nobody waits for a pause in typing."""
    monkeypatch.setattr("localrec_tui.screens.browse._IDLE_S", 0.001)


@pytest.fixture
def browse(open_app, quick):
    """Opens the app in the Browse room, in its list."""

    @contextlib.asynccontextmanager
    async def opened(size=NARROW, **more):
        async with open_app(size, **more) as pilot:
            pilot.app.switch_mode("browse")
            await settled(pilot)
            await press(pilot, "down")
            yield pilot

    return opened


@contextlib.asynccontextmanager
async def at_the_line(open_app, size=NARROW):
    """The app in the Browse room as one comes there."""
    async with open_app(size) as pilot:
        pilot.app.user = "anna"
        pilot.app.switch_mode("browse")
        await settled(pilot)
        yield pilot


async def search(pilot, text):
    pilot.app.screen.query_one("#search", Input).value = text
    for _ in range(3):  # the page, a pause, and what means the same
        await pilot.pause(0.01)
        await settled(pilot)


def shown(pilot):
    return [line.name for line in pilot.app.screen.query_one(PagedTable).lines]


def given(services, call):
    return [given for name, given in [*services.told, *services.catalogue.told] if name == call]


class TestFocus:
    async def test_is_in_the_line_where_letters_store_nothing(self, open_app, services):
        async with at_the_line(open_app) as pilot:
            await write(pilot, "gin old snuggle R O")
            assert pilot.app.screen.query_one("#search", Input).value == "gin old snuggle R O"
            assert isinstance(pilot.app.screen, BrowseScreen)
        assert services.words == []

    async def test_elsewhere_than_in_the_list_makes_no_letter_an_opinion(self, open_app, services):
        async with at_the_line(open_app) as pilot:
            for pick in pilot.app.screen.query(ChoiceField):
                pick.focus()
                await press(pilot, "l", "d", "s", "n", "L", "u", "g", "o", "r")
                assert isinstance(pilot.app.screen, BrowseScreen)
        assert services.words == []
        assert given(services, "undo") == []

    async def test_tells_where_letters_are_keys(self, open_app):
        async with at_the_line(open_app) as pilot:
            assert "↓ leads to the list, where letters are keys" in seen(pilot)
            assert "l Like" not in seen(pilot)
            await press(pilot, "down")
            assert "l Like" in seen(pilot)

    async def test_goes_from_the_line_to_the_best_hit(self, open_app):
        async with at_the_line(open_app) as pilot:
            await search(pilot, "gin 10")
            await press(pilot, "down")
            listing = pilot.app.screen.query_one(PagedTable)
            assert listing.has_focus
            assert listing.current.name == "Drink 010"


class TestDomain:
    async def test_is_switched_to_one_with_other_columns(self, open_app, services):
        films = DomainSummary(name="movies", plural="films", items=COUNT, examples=())
        first = services.domains()
        services.domains = lambda: (*first, films)
        services.catalogue.kinds = {"movies": ("genre",)}
        async with at_the_line(open_app) as pilot:
            await press(pilot, "down", "end", "f5", "down", "enter")
            told = seen(pilot)
            assert "Genre" in told
            assert "Glass" not in told
            assert f"1 to {PAGE_ROWS} of {COUNT} films." in told
            await press(pilot, "f5", "up", "enter")
            assert "Glass" in seen(pilot)

    async def test_of_films_has_no_shelf_and_leads_to_that_of_the_drinks(self, open_app, services):
        first = services.domains()
        films = DomainSummary(name="movies", plural="films", items=COUNT)
        services.domains = lambda: (films, *first)
        async with at_the_line(open_app) as pilot:
            await press(pilot, "f4")
            assert isinstance(pilot.app.screen, ShelfScreen)
            assert pilot.app.screen._domain == "cocktails"

    async def test_without_anything_for_a_shelf_says_so(self, open_app, services):
        services.domains = lambda: (DomainSummary(name="movies", plural="films", items=COUNT),)
        async with at_the_line(open_app) as pilot:
            await press(pilot, "f4")
            assert "Nothing here is made of what one keeps on a shelf." in seen(pilot)


class TestPages:
    @pytest.mark.parametrize("size", [NARROW, WIDE])
    async def test_begin_with_names_and_main_attributes(self, browse, size):
        async with browse(size) as pilot:
            told = seen(pilot)
        for words in ("Drink 000", "gin, lime", "Ingredient", "coupe", f"of {COUNT} drinks."):
            assert words in told

    async def test_follow_the_cursor_to_the_end_and_back(self, browse):
        async with browse(WIDE) as pilot:
            listing = pilot.app.screen.query_one(PagedTable)
            there = [item(number).name for number in range(COUNT)]
            for key, end in (("pagedown", there[-1]), ("pageup", there[0])):
                reached = {*shown(pilot)}
                while listing.current.name != end:
                    before = listing.current.name
                    await press(pilot, key)
                    assert listing.current.name != before
                    assert len(listing.lines) <= 3 * PAGE_ROWS
                    assert shown(pilot) == there[listing.first : listing.first + len(shown(pilot))]
                    reached |= {*shown(pilot)}
                assert reached == {*there}
            assert f"1 to {3 * PAGE_ROWS} of {COUNT}" in seen(pilot)

    async def test_are_skipped_to_either_end(self, browse, services):
        async with browse() as pilot:
            await press(pilot, "end")
            assert pilot.app.screen.query_one(PagedTable).current.name == f"Drink {COUNT - 1}"
            assert "441 to 500 of 500" in seen(pilot)
            await press(pilot, "home")
            assert pilot.app.screen.query_one(PagedTable).current.name == "Drink 000"
        turns = [turn for _, turn in given(services, "page")]
        assert PageTurn(last=True) in turns

    async def test_are_turned_round(self, browse):
        async with browse() as pilot:
            await press(pilot, "r")
            assert shown(pilot)[0] == "Drink 499"
            assert "name, reversed" in seen(pilot)

    async def test_go_by_another_order(self, browse, services):
        async with browse() as pilot:
            await press(pilot, "o", "end", "enter")
        view, _ = given(services, "page")[-1]
        assert view.order == "strength"

    async def test_are_seen_as_the_person_who_sits_here(self, browse, services):
        async with browse() as pilot:
            pilot.app.user = "anna"
            await settled(pilot)
        view, _ = given(services, "page")[-1]
        assert view.user == "anna"

    async def test_of_an_empty_workspace_say_what_to_do(self, browse, services):
        services.domains = lambda: ()
        async with browse() as pilot:
            assert "Press 1 and Enter" in seen(pilot)
            assert isinstance(pilot.app.screen, BrowseScreen)

    async def test_of_an_empty_workspace_take_every_key_and_lead_to_the_drinks(
        self, open_app, tmp_path
    ):
        own = tmp_path / "own"
        async with open_app(over=AppServices(own), folder=own) as pilot:
            await press(pilot, "3")
            assert "Nothing is here yet. Press 1 and Enter" in seen(pilot)
            await write(pilot, "gin")
            await press(
                pilot, "f4", "escape", "f5", "enter", "end", "down", "o", "r", "l", "escape"
            )
            assert isinstance(pilot.app.screen, BrowseScreen)
            assert pilot.app.screen.query_one("#search", Input).value == ""
            assert "Nothing is here yet. Press 1 and Enter" in seen(pilot)
            await press(pilot, "1")
            assert isinstance(pilot.app.screen, FirstRunScreen)
        assert not (own / "store.duckdb").exists()


class TestSearch:
    async def test_leaves_what_has_the_words(self, browse):
        async with browse() as pilot:
            await search(pilot, "gin 10")
            assert shown(pilot)[:3] == ["Drink 010", "Drink 100", "Drink 102"]

    async def test_is_typed_after_a_slash(self, browse):
        async with browse() as pilot:
            await press(pilot, "slash")
            await write(pilot, "499")
            await pilot.pause(0.05)
            await settled(pilot)
            assert shown(pilot)[0] == "Drink 499"
            await press(pilot, "down")
            assert isinstance(pilot.app.focused, PagedTable)

    async def test_reads_no_word_in_a_slash_typed_out_of_habit(self, open_app):
        async with at_the_line(open_app) as pilot:
            await write(pilot, "/499")
            await settled(pilot)
            assert shown(pilot)[0] == "Drink 499"

    async def test_puts_what_means_the_same_behind(self, browse):
        async with browse() as pilot:
            await search(pilot, "499")
            assert shown(pilot) == ["Drink 499", "Drink 007"]
            assert "≈ Drink 007" in seen(pilot)

    async def test_by_meaning_needs_more_than_two_letters(self, browse, services):
        async with browse() as pilot:
            await search(pilot, "49")
        assert given(services, "alike") == []

    async def test_that_comes_too_late_is_dropped(self, browse):
        async with browse() as pilot:
            await search(pilot, "499")
            screen = pilot.app.screen
            number = screen._number
            await search(pilot, "498")
            screen.post_message(
                PageLoaded(number, PageTurn(), CataloguePage(rows=(item(3),), total=1))
            )
            screen.post_message(SimilarItemsLoaded(number, (item(3),)))
            await settled(pilot)
            assert shown(pilot) == ["Drink 498", "Drink 007"]

    async def test_asks_one_thing_at_a_time_and_then_only_the_newest(self, browse, services):
        async with browse() as pilot:
            services.catalogue.told.clear()
            services.catalogue.goes_on.clear()
            for typed in ("4", "49", "498", "499"):
                pilot.app.screen.query_one("#search", Input).value = typed
                await pilot.pause()
            assert [view.typed for view, _ in given(services, "page")] == ["4"]
            services.catalogue.goes_on.set()
            await settled(pilot)
            assert [view.typed for view, _ in given(services, "page")] == ["4", "499"]
            assert shown(pilot)[0] == "Drink 499"

    async def test_goes_on_after_one_that_failed(self, browse, services):
        async with browse() as pilot:
            services.catalogue.trouble = BusyError("Process 7 has it.", "Try again.")
            await search(pilot, "49")
            assert "Process 7 has it. Try again." in seen(pilot)
            await search(pilot, "498")
            assert shown(pilot)[0] == "Drink 498"

    async def test_is_made_ready_where_somebody_goes_to_the_line(self, browse, services):
        async with browse() as pilot:
            services.catalogue.told.clear()
            await press(pilot, "slash")
        [view] = given(services, "prepare")
        assert view.domain == "cocktails"

    async def test_is_made_ready_on_arrival_in_the_line(self, open_app, services):
        async with at_the_line(open_app):
            views = given(services, "prepare")
        assert {view.domain for view in views} == {"cocktails"}

    async def test_of_what_nobody_has_says_so_and_escape_lets_go(self, browse, services):
        services.catalogue.means = ()
        async with browse() as pilot:
            await search(pilot, "zorg")
            assert "No drinks have that in their names." in seen(pilot)
            await press(pilot, "escape")  # from the list to the line
            await press(pilot, "escape")
            await search(pilot, "")
            assert len(shown(pilot)) == PAGE_ROWS

    async def test_reads_no_markup(self, browse):
        async with browse() as pilot:
            await search(pilot, "[bold]x[/")
            assert "[bold]x[/" in seen(pilot)


class TestItem:
    async def test_opens_with_all_that_is_stored(self, browse, services):
        async with browse(WIDE) as pilot:
            await press(pilot, "down", "enter")
            assert isinstance(pilot.app.screen, ItemScreen)
            told = seen(pilot)
        assert "Drink 001" in told
        assert "Shake with ice." in told
        assert "Why: its way in the graph" not in told

    async def test_takes_feedback_and_shows_it(self, browse, services):
        async with browse(WIDE) as pilot:
            pilot.app.user = "anna"
            await settled(pilot)
            await press(pilot, "down", "l")
            assert "you like it" in seen(pilot)
            await press(pilot, "u")
            assert "you like it" not in seen(pilot).replace("U takes", "")
        assert given_words(services) == []

    async def test_takes_feedback_with_a_reason(self, browse, services):
        async with browse() as pilot:
            pilot.app.user = "anna"
            await settled(pilot)
            await press(pilot, "D")
            await write(pilot, "too sour")
            await press(pilot, "enter")
        [word] = services.words
        assert (word.item, word.event, word.reason) == ("drink-000", Event.DISLIKED, "too sour")


class TestWords:
    @pytest.fixture
    def liked(self, services):
        services.catalogue.said = {"drink-000": Verdict(event=Event.LIKED)}
        return services.catalogue

    @staticmethod
    def of(pilot, key):
        lines = pilot.app.screen.query_one(PagedTable).lines
        return next(line.cells[-1] for line in lines if line.key == key)

    @pytest.mark.parametrize("signal", ["user_forgotten", "data_changed"])
    async def test_that_are_gone_from_the_store_leave_the_list(self, browse, liked, signal):
        async with browse(WIDE, user="anna") as pilot:
            assert self.of(pilot, "drink-000") == "like it"
            liked.said = {}
            getattr(pilot.app, signal).publish("anna")
            await settled(pilot)
            assert self.of(pilot, "drink-000") == ""

    async def test_that_were_taken_back_elsewhere_leave_with_the_next_page(self, browse, liked):
        async with browse(WIDE, user="anna") as pilot:
            liked.said = {}
            await press(pilot, "r", "r")
            assert self.of(pilot, "drink-000") == ""

    async def test_that_are_given_while_a_page_is_read_stay(self, browse, liked):
        async with browse(WIDE, user="anna") as pilot:
            liked.goes_on.clear()
            pilot.app.screen._begin()
            await pilot.pause()
            await pilot.press("s")
            for _ in range(100):
                await pilot.pause(0.02)
                if self.of(pilot, "drink-000") != "like it":
                    break
            said = self.of(pilot, "drink-000")
            liked.goes_on.set()
            await settled(pilot)
            assert self.of(pilot, "drink-000") == said != "like it"


def given_words(services):
    return [word.item for word in services.words]


class TestWalk:
    async def test_goes_from_node_to_node_and_back(self, browse):
        async with browse() as pilot:
            await press(pilot, "g")
            assert isinstance(pilot.app.screen, GraphBrowserScreen)
            assert "─ has ─▶ gin  3 cl" in seen(pilot)
            await press(pilot, "enter")
            assert "Drink 000 › gin" in seen(pilot)
            assert "250 drinks with gin, of which 200 are shown." in seen(pilot)
            await press(pilot, "enter")
            assert "◀─ is a kind of ─ gin" in seen(pilot)
            await press(pilot, "backspace", "down", "down", "enter")
            assert "Drink 000 › gin › Drink 002" in seen(pilot)
            await press(pilot, "backspace", "backspace", "backspace")
            assert isinstance(pilot.app.screen, BrowseScreen)

    async def test_says_what_you_think_of_the_items_on_the_way(self, browse, services):
        services.catalogue.said = {"drink-002": Verdict(event=Event.LIKED)}
        async with browse() as pilot:
            await press(pilot, "g", "enter")
            assert "has it  Drink 002  you like it" in seen(pilot)
            await press(pilot, "down", "down", "enter")
            assert "gin › Drink 002  you like it" in seen(pilot)

    async def test_leads_to_a_list_of_what_has_an_attribute(self, browse):
        async with browse() as pilot:
            await press(pilot, "g", "b")
            assert isinstance(pilot.app.screen, GraphBrowserScreen)  # an item has no items
            await press(pilot, "enter", "b")
            assert shown(pilot)[:2] == ["Drink 000", "Drink 002"]
            assert "of 250 drinks with gin." in seen(pilot)
            await press(pilot, "escape", "escape")
            assert len({*shown(pilot)} & {"Drink 001"}) == 1

    async def test_says_why_it_cannot_go_on(self, browse, services):
        async with browse() as pilot:
            await press(pilot, "g")
            services.catalogue.trouble = BusyError("Process 7 has it.", "Try again.")
            await press(pilot, "enter")
            assert "Process 7 has it. Try again." in seen(pilot)
            await press(pilot, "enter")
            assert "Drink 000 › gin" in seen(pilot)


class TestShelf:
    @pytest.fixture
    def shelf(self, browse):
        @contextlib.asynccontextmanager
        async def opened():
            async with browse() as pilot:
                pilot.app.user = "anna"
                await settled(pilot)
                await press(pilot, "f4")
                assert isinstance(pilot.app.screen, ShelfScreen)
                yield pilot

        return opened

    async def test_that_is_empty_says_what_to_do(self, shelf):
        async with shelf() as pilot:
            assert "The shelf is empty: type what you have." in seen(pilot)

    async def test_takes_what_is_typed(self, shelf, services):
        async with shelf() as pilot:
            await write(pilot, "gin, vodka")
            await press(pilot, "enter")
            assert "Put there: gin, vodka. 2 on the shelf." in seen(pilot)
        assert [one.name for one in services.catalogue.things] == ["gin", "vodka"]

    async def test_offers_names_while_one_types(self, shelf, services):
        async with shelf() as pilot:
            await write(pilot, "vodka, gin")
            assert [str(one.prompt) for one in pilot.app.screen.query_one(OptionList).options] == [
                "+ gin",
                "+ ginger ale",
            ]
            await press(pilot, "down", "down", "enter")
        assert [one.name for one in services.catalogue.things] == ["vodka", "ginger ale"]

    async def test_lets_go_and_takes_back(self, shelf, services):
        async with shelf() as pilot:
            await write(pilot, "gin")
            await press(pilot, "enter", "down", "delete")
            assert services.catalogue.things == ()
            await press(pilot, "ctrl+z")
            assert [one.name for one in services.catalogue.things] == ["gin"]
            await press(pilot, "ctrl+z")
            assert services.catalogue.things == ()

    async def test_refuses_a_name_that_nobody_knows(self, shelf, services):
        async with shelf() as pilot:
            await write(pilot, "zorg")
            await press(pilot, "enter")
            assert "No ingredient here is called “zorg”. Nearest: gin." in seen(pilot)
            assert pilot.app.screen.query_one(Input).value == "zorg"

    async def test_lists_what_it_makes_and_what_lacks_one_thing_to_be_opened(self, shelf, services):
        services.catalogue.makes = (shelf_item("Gimlet"),)
        services.catalogue.lacks = (shelf_item("Southside", "mint"),)
        async with shelf() as pilot:
            assert "You can make 1 now" in seen(pilot)
            assert "1 lack one thing" in seen(pilot)
            pilot.app.screen.query_one(ShelfMakes).focus()
            await press(pilot, "down", "enter")
            assert isinstance(pilot.app.screen, ItemScreen)
            assert "Gimlet" in seen(pilot)
            await press(pilot, "escape", "down", "enter")
            assert "Southside" in seen(pilot)

    async def test_opens_a_drink_by_a_click(self, shelf, services):
        services.catalogue.makes = (shelf_item("Gimlet"),)
        async with shelf() as pilot:
            await pilot.click("#makes", offset=(5, 2))
            await settled(pilot)
            assert isinstance(pilot.app.screen, ItemScreen)

    async def test_takes_feedback_on_what_it_makes_and_shows_it(self, shelf, services):
        services.catalogue.makes = (shelf_item("Gimlet"), shelf_item("Gin Sour"))
        services.feedback.said = (line("gin sour", Event.RATED, stars=4.0),)
        async with shelf() as pilot:
            makes = pilot.app.screen.query_one(ShelfMakes)
            assert "Gin Sour   you gave 4 of 5" in seen(pilot)
            makes.focus()
            await press(pilot, "down", "l")
            assert given_words(services) == ["gimlet"]
            assert "Gimlet   you like it" in seen(pilot)
            assert makes.current.item.key == "gimlet", "the cursor stays"
            await press(pilot, "u")
            assert "Gimlet   you like it" not in seen(pilot)

    async def test_asks_first_whose_it_is(self, browse):
        async with browse() as pilot:
            await press(pilot, "f4", "down", "enter")
            assert "What anna has at hand" in seen(pilot)
