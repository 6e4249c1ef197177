"""The Memory room: reading, editing, pinning, forgetting, and working jobs off, by keys alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.widgets import Input, OptionList, TabbedContent, TextArea

from localrec.data.rows import Event
from localrec.foundation.errors import BusyError
from localrec.graph.store import Store
from localrec_tui.screens.forget import ForgetDialog
from localrec_tui.screens.memory import MemoryScreen
from localrec_tui.screens.text_editor import TextEditorDialog
from localrec_tui.services.records import NewFeedback
from localrec_tui.widgets.memory_panels import word_changes
from localrec_tui.widgets.prompt import Prompt

from .conftest import NARROW, WIDE, press, seen, settled, write
from .fake_memory import FakeMemoryService


@pytest.fixture
def memory(services) -> FakeMemoryService:
    """What the planted backend remembers."""
    return services.memory


async def enter(pilot, user="anna", page="memory"):
    """Go to the room, as a person, to one of its pages."""
    pilot.app.user = user
    pilot.app.switch_mode("memory")
    await settled(pilot)
    assert isinstance(pilot.app.screen, MemoryScreen)
    pilot.app.screen.query_one(TabbedContent).active = page
    await settled(pilot)


class TestMemory:
    @pytest.mark.parametrize("size", [NARROW, WIDE])
    async def test_tells_words_points_and_whose_data_is_in_it(self, open_app, size):
        async with open_app(size, mode="memory", user="anna") as pilot:
            told = seen(pilot)
        assert "Version 2, counted, 2026-11-01 12:00" in told
        assert "Likes gin and things that are bitter." in told
        assert "▕█████     ▏ 0.50  likes it bitter" in told
        assert "Negroni" in told
        assert "1 person: bert" in told

    async def test_of_nobody_says_whom_to_choose(self, open_app):
        async with open_app() as pilot:
            await enter(pilot, user=None)
            assert "F2 chooses whose memory is shown" in seen(pilot)

    async def test_of_somebody_new_says_where_it_begins(self, open_app):
        async with open_app() as pilot:
            await enter(pilot, user="carl")
            assert "carl did nothing here yet" in seen(pilot)

    async def test_that_is_empty_says_how_it_fills(self, open_app, memory):
        memory.versions = ()
        async with open_app(mode="memory", user="anna") as pilot:
            assert "Nothing is remembered of anna yet" in seen(pilot)
            assert "B counts what an import brought" in seen(pilot)

    async def test_follows_the_person_who_is_chosen(self, open_app):
        async with open_app() as pilot:
            await enter(pilot, user=None)
            await press(pilot, "f2", "down", "enter")
            assert pilot.app.user == "anna"
            assert "things that are bitter" in seen(pilot)

    async def test_of_another_domain_can_be_chosen(self, open_app, memory):
        memory.domains = ("cocktails", "books")
        async with open_app(mode="memory", user="anna") as pilot:
            await press(pilot, "f5", "down", "enter")
            assert "About: books" in seen(pilot)

    async def test_shows_markup_in_texts_as_it_is(self, open_app, memory):
        memory.edit("anna", "cocktails", "Likes [bold]gin[/] and [link=x]rum.")
        async with open_app(mode="memory", user="anna") as pilot:
            assert "Likes [bold]gin[/] and [link=x]rum." in seen(pilot)

    async def test_that_cannot_be_read_says_why(self, open_app, memory):
        memory.trouble = BusyError("The store is held by process 7.", "Wait for it.")
        async with open_app(mode="memory", user="anna") as pilot:
            assert "The store is held by process 7. Wait for it." in seen(pilot)


async def test_a_look_at_the_queue_that_comes_when_the_app_has_closed_does_nothing(open_app):
    async with open_app() as pilot:
        await enter(pilot)
        screen = pilot.app.screen
    assert not pilot.app.screen_stack
    screen._look()


class TestEditing:
    async def test_replaces_the_words_and_pins_them(self, open_app, memory):
        async with open_app(mode="memory", user="anna") as pilot:
            await press(pilot, "e")
            assert isinstance(pilot.app.screen, TextEditorDialog)
            assert pilot.app.screen.query_one(TextArea).text == memory.versions[0].text
            pilot.app.screen.query_one(TextArea).text = "Only rum."
            await press(pilot, "ctrl+s")
            told = seen(pilot)
        assert memory.told == [("edit", "anna", "cocktails", "Only rum.")]
        assert "Version 3, in your words, pinned" in told
        assert "Only rum." in told

    async def test_refuses_more_than_is_kept(self, open_app, memory):
        async with open_app(mode="memory", user="anna") as pilot:
            await press(pilot, "e")
            pilot.app.screen.query_one(TextArea).text = "x" * 1_203
            await press(pilot, "ctrl+s")
            assert "3 characters too many" in seen(pilot)
            await press(pilot, "escape")
        assert memory.told == []

    async def test_pinning_goes_there_and_back(self, open_app, memory):
        async with open_app(mode="memory", user="anna") as pilot:
            await press(pilot, "p")
            assert "counted, pinned" in seen(pilot)
            await press(pilot, "p")
            assert "counted, pinned" not in seen(pilot)
        assert [pinned for *_, pinned in memory.told] == [True, False]


class TestVersions:
    async def test_show_what_changed_in_signs(self, open_app):
        async with open_app() as pilot:
            await enter(pilot, page="versions")
            told = seen(pilot)
        assert "[-sweet.-] {+bitter.+}" in told
        assert "{+· likes it bitter (0.50)+}" in told

    async def test_the_first_one_is_told_whole(self, open_app):
        async with open_app() as pilot:
            await enter(pilot, page="versions")
            pilot.app.screen.query_one(OptionList).focus()
            await press(pilot, "down")
            told = seen(pilot)
        assert "The first version." in told
        assert "Likes gin and things that are sweet." in told


_TEXTS = st.lists(st.sampled_from(["gin", "rum", "is", "bitter.", "sweet."]), max_size=12).map(
    " ".join
)


@given(_TEXTS, _TEXTS)
def test_a_difference_holds_both_texts(before, after):
    found = list(word_changes(before, after))
    kept_out = " ".join(words for change, words in found if change != "in")
    kept_in = " ".join(words for change, words in found if change != "out")
    assert (kept_out, kept_in) == (before, after)


async def test_neighbours_are_told_with_what_joins_them(open_app):
    async with open_app() as pilot:
        await enter(pilot, page="near")
        told = seen(pilot)
    assert "bert" in told
    assert "0.80" in told


async def test_rules_are_shown_as_they_are_written(open_app):
    async with open_app() as pilot:
        await enter(pilot, page="rules")
        told = seen(pilot)
    assert "as shipped" in told
    assert 'rules "planted" for "cocktails"' in told


class TestForgetting:
    async def foreseen(self, pilot):
        await enter(pilot)
        await press(pilot, "x", "enter")
        assert isinstance(pilot.app.screen, ForgetDialog)

    async def test_shows_what_would_go_before_anything_goes(self, open_app, memory):
        async with open_app() as pilot:
            await self.foreseen(pilot)
            told = seen(pilot)
            await press(pilot, "escape")
        assert "2 remembered texts" in told
        assert memory.told == [("foresee", "anna", "", None)]
        assert memory.versions

    async def test_needs_the_very_name(self, open_app, memory):
        async with open_app() as pilot:
            await self.foreseen(pilot)
            await write(pilot, "ann")
            await press(pilot, "enter")
            assert "Type exactly anna" in seen(pilot)
        assert memory.versions

    async def test_ends_with_the_receipt_and_without_the_person(self, open_app, memory):
        async with open_app() as pilot:
            await self.foreseen(pilot)
            await write(pilot, "anna")
            await press(pilot, "enter")
            assert "No trace was found." in seen(pilot)
            await press(pilot, "escape")
            assert pilot.app.user is None
            assert "F2 chooses whose memory is shown" in seen(pilot)
        assert memory.told[-1] == ("forget", "anna", "", None)

    async def test_cannot_be_left_half_way(self, open_app, memory):
        memory.goes_on.clear()
        async with open_app() as pilot:
            await self.foreseen(pilot)
            pilot.app.screen.query_one(Input).value = "anna"
            await pilot.press("enter", "escape")
            assert isinstance(pilot.app.screen, ForgetDialog)
            assert "cannot be stopped" in seen(pilot)
            memory.goes_on.set()
            await settled(pilot)
            assert "No trace was found." in seen(pilot)

    async def test_of_some_days_keeps_the_person(self, open_app, memory):
        async with open_app(mode="memory", user="anna") as pilot:
            await press(pilot, "x", "down", "enter")
            await write(pilot, "2026-10-01")
            await press(pilot, "enter")
            await write(pilot, "anna")
            await press(pilot, "enter", "escape")
            assert pilot.app.user == "anna"
        assert memory.told[-1] == ("forget", "anna", "2026-10-01", None)

    async def test_that_fails_says_why_and_may_be_tried_again(self, open_app, memory):
        async with open_app() as pilot:
            await self.foreseen(pilot)
            memory.trouble = BusyError("Process 7 has the store.", "Wait.")
            await write(pilot, "anna")
            await press(pilot, "enter")
            assert "Process 7 has the store. Wait." in seen(pilot)
            await press(pilot, "escape")
            assert pilot.app.user == "anna"

    async def test_takes_what_was_asked_out_of_the_line_too(self, open_app, tmp_path):
        async with open_app() as pilot:
            await write(pilot, "a drink for anna")
            await press(pilot, "enter")
            (tmp_path / "asked.jsonl").unlink()  # as forgetting does with a line that names her
            await self.foreseen(pilot)
            await write(pilot, "anna")
            await press(pilot, "enter", "escape")
            pilot.app.switch_mode("ask")
            await settled(pilot)
            prompt = pilot.app.screen.query_one(Prompt)
            prompt.value = ""
            prompt.focus()
            await press(pilot, "up")
            assert prompt.value == ""
            assert "Gimlet" not in seen(pilot)


class TestJobs:
    async def test_are_counted_and_what_failed_says_why(self, open_app):
        async with open_app() as pilot:
            await enter(pilot, page="jobs")
            told = seen(pilot)
        assert "2 waiting, 0 running, 4 done, 1 failed" in told
        assert "The model wrote no sentence." in told

    async def test_are_worked_off_by_a_key(self, open_app, memory):
        async with open_app(mode="memory", user="anna") as pilot:
            await press(pilot, "w")
            told = seen(pilot)
        assert memory.waiting == 0
        assert "2 things people did worked in" in told
        assert "0 waiting" in told

    async def test_show_how_far_they_are_and_stop_at_escape(self, open_app, memory):
        memory.goes_on.clear()
        async with open_app(mode="memory", user="anna") as pilot:
            await pilot.press("w")
            while "1 of 2" not in seen(pilot):
                await pilot.pause(0.01)
            await press(pilot, "escape")
            told = " ".join(seen(pilot).split())
        assert memory.waiting == 2
        assert "still waiting: 1" in told

    async def test_can_be_held_and_let_go(self, open_app, memory):
        async with open_app() as pilot:
            await enter(pilot, page="jobs")
            await press(pilot, "h")
            assert memory.paused
            assert "They are on hold" in seen(pilot)
            await press(pilot, "h")
        assert not memory.paused

    async def test_that_failed_can_be_tried_again(self, open_app, memory):
        async with open_app() as pilot:
            await enter(pilot, page="jobs")
            await press(pilot, "r")
            assert "3 waiting, 0 running, 4 done, 0 failed" in seen(pilot)

    async def test_that_move_by_themselves_are_seen(self, open_app, memory):
        async with open_app() as pilot:
            await enter(pilot, page="jobs")
            memory.waiting = 9
            pilot.app.screen._look()
            await settled(pilot)
            assert "9 waiting" in seen(pilot)


class TestOverAWorkspace:
    """The real thing: five drinks, counted memories, no model."""

    @pytest.fixture
    def local(self, local_services):
        """Anna likes two drinks, bert three."""
        keys = ("negroni", "gimlet", "daiquiri")
        for user, count in (("anna", 2), ("bert", 3)):
            for key in keys[:count]:
                local_services.give_feedback(
                    NewFeedback(user=user, domain="cocktails", item=key, event=Event.LIKED)
                )
        return local_services

    async def test_work_makes_the_memory_that_is_shown(self, open_app, local, own_bar):
        async with open_app(WIDE, over=local, folder=own_bar, mode="memory", user="anna") as pilot:
            assert "Nothing is remembered of anna yet" in seen(pilot)
            await press(pilot, "w")
            assert "5 things people did worked in" in seen(pilot)
            await enter(pilot)
            told = seen(pilot)
        assert "Made from" in told
        assert "Gimlet" in told

    async def test_neighbours_are_those_who_like_the_same(self, open_app, local, own_bar):
        async with open_app(WIDE, over=local, folder=own_bar) as pilot:
            await enter(pilot, page="near")
            told = seen(pilot)
        assert "bert" in told
        assert "Daiquiri" in told

    async def test_strangers_have_numbers_instead_of_their_keys(self, open_app, local, own_bar):
        with Store.open_(own_bar / "store.duckdb") as store:
            store.execute("UPDATE interaction SET source = 'movielens'")
        async with open_app(WIDE, over=local, folder=own_bar) as pilot:
            await enter(pilot, page="near")
            assert "somebody with similar taste (1)" in seen(pilot)
            assert "bert" not in seen(pilot)
            await press(pilot, "w")
            await enter(pilot)
            assert "person: 1 with similar taste" in seen(pilot)

    async def test_forgetting_leaves_no_trace(self, open_app, local, own_bar):
        async with open_app(WIDE, over=local, folder=own_bar, mode="memory", user="anna") as pilot:
            await press(pilot, "x", "enter")
            assert "What would go:" in seen(pilot)
            await write(pilot, "anna")
            await press(pilot, "enter")
            assert "No trace was found." in seen(pilot)
        assert local.users() == ("bert",)
