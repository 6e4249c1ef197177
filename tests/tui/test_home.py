"""The first room: a list with reasons, questions to begin with, what came in last."""

import msgspec
from textual.widgets import OptionList

from localrec.data.rows import Event
from localrec_tui.screens.ask import AskScreen
from localrec_tui.screens.home import HomeScreen
from localrec_tui.screens.item import ItemScreen
from localrec_tui.widgets.home_list import HomeList
from localrec_tui.widgets.prompt import Prompt

from .conftest import NARROW, WIDE, press, seen, settled, write


def given(services, call):
    return [given for name, given in services.told if name == call]


def plant_two_domains(services):
    """Drinks and films; the drinks' list comes first. Returns the domains that are asked for."""
    [drinks] = services.domains()
    films = msgspec.structs.replace(drinks, name="films", plural="films", has_shelf=False)
    services.domains = lambda: (drinks, films)
    plain, asked = services.recommend, []

    def recommend(user, domain, k, request):
        asked.append(domain)
        found = plain(user, domain, k, request)
        return msgspec.structs.replace(found, domain=domain or drinks.name)

    services.recommend = recommend
    return asked


class TestHome:
    async def test_is_where_the_app_begins(self, open_app):
        async with open_app(WIDE, mode="") as pilot:
            assert isinstance(pilot.app.screen, HomeScreen)
            told = seen(pilot)
        assert "F2 says who sits here" in told
        assert "a smoky drink without whiskey" in told
        assert "2026-11-20  drinks  3 rows (the bundled drinks)" in told

    async def test_lists_what_the_person_may_like_and_why(self, open_app):
        async with open_app(WIDE, mode="", user="anna") as pilot:
            await settled(pilot)
            told = seen(pilot)
        assert "For anna" in told
        assert "Bramble has gin." in told
        assert "from 4 items of your history" in told

    async def test_has_its_cursor_on_the_first_item_when_it_is_reached(self, open_app):
        async with open_app(WIDE, mode="", user="anna") as pilot:
            await settled(pilot)
            pilot.app.screen.query_one(HomeList).focus()
            await settled(pilot)
            assert pilot.app.screen.query_one(HomeList).highlighted == 0
            await press(pilot, "enter")
            assert isinstance(pilot.app.screen, ItemScreen)

    async def test_names_nobody_who_is_not_here_any_more(self, open_app):
        async with open_app(WIDE, mode="", user="anna") as pilot:
            await settled(pilot)
            assert "For anna" in seen(pilot)
            pilot.app.user = None
            await settled(pilot)
            told = seen(pilot)
        assert "For anna" not in told
        assert "of your history" not in told

    async def test_counts_one_item_as_one(self, open_app, services):
        of_many = services.recommend

        def of_one(*asked):
            return msgspec.structs.replace(of_many(*asked), history=1)

        services.recommend = of_one
        async with open_app(WIDE, mode="", user="anna") as pilot:
            await settled(pilot)
            assert "from 1 item of your history" in seen(pilot)

    async def test_asks_what_is_typed(self, open_app, services):
        async with open_app(WIDE, mode="") as pilot:
            await write(pilot, "gin please")
            await press(pilot, "enter")
            await settled(pilot)
            assert isinstance(pilot.app.screen, AskScreen)
            assert "Gimlet has gin." in seen(pilot)
        assert [one.text for one in given(services, "ask")] == ["gin please"]

    async def test_leads_a_choice_back_to_the_line_where_letters_are_no_verdicts(
        self, open_app, services
    ):
        async with open_app(WIDE, mode="", user="anna") as pilot:
            await settled(pilot)
            pilot.app.screen.query_one(HomeList).focus()
            await press(pilot, "f5", "enter")
            await settled(pilot)
            await write(pilot, "lovely drinks")
            assert pilot.app.screen.query_one(Prompt).value == "lovely drinks"
        assert services.words == []

    async def test_leads_a_new_person_back_to_the_line(self, open_app, services):
        async with open_app(WIDE, mode="", user="anna") as pilot:
            await settled(pilot)
            pilot.app.screen.query_one(HomeList).focus()
            await press(pilot, "f2")
            await write(pilot, "bert")
            await press(pilot, "enter")
            await write(pilot, "dls")
            assert pilot.app.user == "bert"
            assert pilot.app.screen.query_one(Prompt).value == "dls"
        assert services.words == []

    async def test_shows_the_list_of_each_domain_and_tells_the_keys(self, open_app, services):
        asked = plant_two_domains(services)
        async with open_app(NARROW, mode="", user="anna") as pilot:
            await settled(pilot)
            assert "For anna: drinks" in seen(pilot)
            assert "← → films" in seen(pilot)
            await press(pilot, "down", "right")
            assert "For anna: films" in seen(pilot)
            assert "← → drinks" in seen(pilot)
            assert "About: films" in seen(pilot)
            await press(pilot, "left")
            assert "For anna: drinks" in seen(pilot)
            assert isinstance(pilot.app.focused, HomeList)
        assert asked == [None, "films", "cocktails"]

    async def test_leads_on_from_a_domain_all_of_which_is_known(self, open_app, services):
        plant_two_domains(services)
        plain = services.recommend

        def recommend(user, domain, k, request):
            found = plain(user, domain, k, request)
            if found.domain == "films":
                return found
            told = "You have met every drink. Bring in a catalogue: localrec import --help"
            return msgspec.structs.replace(found, items=(), message=told)

        services.recommend = recommend
        async with open_app(NARROW, mode="", user="anna") as pilot:
            await settled(pilot)
            told = seen(pilot)
            assert "You know all the drinks that are here. Data, room 6, brings in more" in told
            assert "localrec import" not in told
            assert "↓ leads to your list" in told
            await press(pilot, "down", "right")
            assert "Bramble has gin." in seen(pilot)
            assert "For anna: films" in seen(pilot)

    async def test_tells_no_way_to_other_domains_where_there_are_none(self, open_app):
        async with open_app(WIDE, mode="", user="anna") as pilot:
            await settled(pilot)
            await press(pilot, "down", "right")
            assert "← →" not in seen(pilot)
            assert "For anna ─" in seen(pilot)

    async def test_asks_an_example_in_three_keys(self, open_app, services):
        async with open_app(WIDE, mode="") as pilot:
            pilot.app.screen.query_one("#try", OptionList).focus()
            await press(pilot, "down", "enter")
            await settled(pilot)
        assert [one.text for one in given(services, "ask")] == ["a smoky drink without whiskey"]

    async def test_keeps_the_last_questions(self, open_app):
        async with open_app(WIDE) as pilot:
            await write(pilot, "gin please")
            await press(pilot, "enter")
            pilot.app.switch_mode("home")
            await settled(pilot)
            assert "gin please" in seen(pilot)
            await press(pilot, "up")
            assert pilot.app.screen.query_one(Prompt).value == "gin please"

    async def test_takes_a_word_about_an_item_and_lists_anew(self, open_app, services):
        async with open_app(WIDE, mode="", user="anna") as pilot:
            await settled(pilot)
            await press(pilot, "down", "down", "l")
            await settled(pilot)
            assert pilot.app.screen.query_one(HomeList).has_focus
        assert [(one.item, one.event) for one in services.words] == [("bramble", Event.LIKED)]
        assert len(given(services, "recommend")) == 2

    async def test_opens_an_item(self, open_app):
        async with open_app(WIDE, mode="", user="anna") as pilot:
            await settled(pilot)
            await press(pilot, "down", "down", "enter")
            await settled(pilot)
            assert isinstance(pilot.app.screen, ItemScreen)

    async def test_stores_nothing_while_a_question_is_typed(self, open_app, services):
        async with open_app(WIDE, mode="", user="anna") as pilot:
            await write(pilot, "old snl duds")
        assert services.words == []
