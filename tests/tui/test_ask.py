"""Asking, mending how a question was read, and saying what one thinks: by keys alone."""

import msgspec
import pytest
from textual.events import Paste
from textual.widgets import DataTable, Input, OptionList

from localrec.data.query import ImageWord, QueryImage, TaskKind
from localrec.data.rows import Event
from localrec.foundation.errors import BusyError, UsageError
from localrec_tui.messages import AnswerReady
from localrec_tui.screens.ask import AskScreen
from localrec_tui.screens.item import ItemScreen
from localrec_tui.services.records import NewFeedback, QuestionRequest, RequestHandle
from localrec_tui.widgets.chips import ChipButton
from localrec_tui.widgets.choice_field import ChoiceField
from localrec_tui.widgets.picture_preview import PicturePreview
from localrec_tui.widgets.prompt import Prompt
from localrec_tui.widgets.results import ItemCard, Results

from .conftest import NARROW, WIDE, press, seen, settled, write
from .fake_services import INTENT


async def ask(pilot, question="a gin drink"):
    prompt = pilot.app.screen.query_one(Prompt)
    prompt.value = question
    prompt.focus()
    await press(pilot, "enter")


async def paste(pilot, text):
    """Paste a text as a terminal does; returns the line."""
    pilot.app.post_message(Paste(text))
    await settled(pilot)
    return pilot.app.screen.query_one(Prompt)


def notices(pilot):
    """What the app said in passing."""
    return [one.message for one in pilot.app._notifications]


def given(services, call):
    """What each call of a kind was given."""
    return [given for name, given in services.told if name == call]


class TestCompletion:
    async def test_of_a_name_stands_in_grey_and_the_arrow_takes_it(self, open_app):
        async with open_app(WIDE) as pilot:
            await write(pilot, "like a negr")
            prompt = pilot.app.screen.query_one(Prompt)
            assert "→ completes" in str(prompt.border_subtitle)
            assert "like a negroni" in seen(pilot)
            assert prompt.value == "like a negr"
            await press(pilot, "right")
            assert prompt.value == "like a negroni"
            assert "→ completes" not in str(prompt.border_subtitle)

    async def test_is_no_part_of_the_question_unless_it_is_taken(self, open_app, services):
        async with open_app(WIDE) as pilot:
            await write(pilot, "like a negr")
            await press(pilot, "enter")
        assert [one.text for one in given(services, "ask")] == ["like a negr"]

    async def test_reads_the_names_once_and_again_for_another_person(self, open_app, services):
        async with open_app(WIDE) as pilot:
            await write(pilot, "like a negr")
            assert len(given(services.catalogue, "name_completion")) == 1
            pilot.app.user = "anna"
            await write(pilot, "x")
        assert [user for _, user in given(services.catalogue, "name_completion")] == [None, "anna"]

    async def test_is_left_out_where_the_names_cannot_be_read(
        self, open_app, services, monkeypatch
    ):
        def busy(*_):
            raise BusyError("Another process writes here.", "Wait.")

        monkeypatch.setattr(services.catalogue, "name_completion", busy)
        async with open_app(WIDE) as pilot:
            await write(pilot, "like a negr")
            assert "negroni" not in seen(pilot)
            assert not notices(pilot)


class TestAnswer:
    @pytest.mark.parametrize("size", [NARROW, WIDE])
    async def test_has_names_reasons_and_what_is_missing(self, open_app, size):
        async with open_app(size) as pilot:
            await write(pilot, "a gin drink")
            await press(pilot, "enter")
            told = seen(pilot)
        for words in ("Gimlet has gin.", "Negroni", "Bramble", "campari"):
            assert words in told

    async def test_says_in_signs_and_words_which_wishes_hold(self, open_app):
        async with open_app() as pilot:
            await ask(pilot)
            told = seen(pilot)
        assert "✓ gin   ✗ coupe glass   have gin" in told
        assert "Negroni  not all you asked for" in told
        assert "Bramble  close, but misses something" in told

    async def test_says_plainly_what_was_let_go_and_misread(self, open_app):
        async with open_app() as pilot:
            await ask(pilot)
            told = seen(pilot)
        assert "Let go: coupe glass" in told
        assert "Read as: gni → gin" in told
        assert "Not known here: blorp" in told

    async def test_shows_items_before_their_reasons(self, open_app, services):
        services.goes_on.clear()
        async with open_app() as pilot:
            pilot.app.screen.query_one(Prompt).value = "a gin drink"
            await pilot.press("enter")
            while "Gimlet" not in seen(pilot):
                await pilot.pause(0.01)
            early = seen(pilot)
            services.goes_on.set()
            await settled(pilot)
            late = seen(pilot)
        assert "Gimlet has gin." not in early
        assert "Esc stops" in early
        assert "Gimlet has gin." in late

    async def test_is_stopped_by_escape_and_what_was_there_stays(self, open_app, services):
        async with open_app() as pilot:
            await ask(pilot)
            services.goes_on.clear()
            pilot.app.screen.query_one(Prompt).value = "something else"
            await pilot.press("enter")
            await press(pilot, "escape")
            told = seen(pilot)
        assert "Stopped after" in told
        assert "Gimlet has gin." in told

    async def test_to_an_older_question_is_dropped(self, open_app):
        async with open_app() as pilot:
            await ask(pilot, "the newer")
            screen = pilot.app.screen
            asked = QuestionRequest(text="the older")
            late = msgspec.structs.replace(screen._answered, question=asked)
            screen.post_message(AnswerReady(RequestHandle(), late))
            await settled(pilot)
            assert screen._answered.question.text == "the newer"

    async def test_that_is_not_waited_for_any_more_is_stopped(self, open_app, services):
        services.goes_on.clear()
        async with open_app() as pilot:
            prompt = pilot.app.screen.query_one(Prompt)
            prompt.value = "first"
            await pilot.press("enter")
            while not given(services, "ask"):
                await pilot.pause(0.01)
            first = pilot.app.screen._request
            prompt.value = "second"
            await press(pilot, "enter")
            assert first.stopped.is_set()
            assert pilot.app.screen._answered.question.text == "second"

    async def test_stays_with_its_item_when_the_window_grows(self, open_app):
        async with open_app(NARROW) as pilot:
            await ask(pilot)
            await press(pilot, "down", "down")
            assert isinstance(pilot.app.focused, ItemCard)
            await pilot.resize_terminal(*WIDE)
            await settled(pilot)
            results = pilot.app.screen.query_one(Results)
            assert isinstance(pilot.app.focused, DataTable)
            assert results.current.item.name == "Negroni"

    async def test_can_be_sorted_where_it_is_a_table(self, open_app):
        async with open_app(WIDE) as pilot:
            await ask(pilot)
            results = pilot.app.screen.query_one(Results)
            await press(pilot, "down", "o")
            assert [one.item.name for one in results.shown] == ["Gimlet", "Negroni", "Bramble"]
            await results.sort_by(4)  # missing: the close call stays last all the same
            assert [one.item.name for one in results.shown] == ["Gimlet", "Negroni", "Bramble"]
            results._shown.reverse()
            await results.sort_by(2)
            table = results.query_one(DataTable)
            assert str(table.get_cell_at((0, 1))) == "Gimlet"

    async def test_does_not_read_markup_into_names(self, open_app, services):
        async with open_app(WIDE) as pilot:
            results = pilot.app.screen.query_one(Results)
            item = services.ask.__globals__["drink"](1, "[bold red]x[/] [/]", 1.0)
            await results.show("cocktails", (item,))
            await settled(pilot)
            assert "[bold red]x[/] [/]" in seen(pilot)


class TestHistory:
    async def test_comes_back_by_arrow_also_in_the_next_run(self, open_app, tmp_path):
        async with open_app() as pilot:
            await ask(pilot, "first")
            await ask(pilot, "second")
        async with open_app() as pilot:
            prompt = pilot.app.screen.query_one(Prompt)
            await write(pilot, "dra")
            for key, there in (("up", "second"), ("up", "first"), ("up", "first")):
                await press(pilot, key)
                assert prompt.value == there
            for key, there in (("down", "second"), ("down", "dra")):
                await press(pilot, key)
                assert prompt.value == there
        assert (tmp_path / "asked.jsonl").stat().st_mode & 0o777 == 0o600


class TestLine:
    async def test_goes_on_from_the_answer_without_a_new_question(self, open_app, services):
        async with open_app() as pilot:
            await ask(pilot)
            await write(pilot, "but no egg")
            await press(pilot, "enter")
            assert "“but no egg” goes on from" in " ".join(seen(pilot).split())
        [corrected] = given(services, "ask_intent")
        assert (corrected.intent, corrected.more) == (INTENT, "no egg")

    async def test_is_asked_for_itself_with_a_key(self, open_app, services):
        async with open_app() as pilot:
            await ask(pilot)
            await write(pilot, "no egg")
            await press(pilot, "ctrl+n")
        assert given(services, "ask")[-1].text == "no egg"
        assert given(services, "ask_intent") == []

    async def test_leads_to_more_items(self, open_app, services):
        async with open_app() as pilot:
            await ask(pilot)
            await press(pilot, "down", "m")
        assert [one.k for one in given(services, "ask")] == [10, 20]

    async def test_leads_to_more_items_by_the_word_as_well(self, open_app, services):
        async with open_app() as pilot:
            await ask(pilot)
            for more in ("more", "More please."):
                await write(pilot, more)
                await press(pilot, "enter")
        assert [one.k for one in given(services, "ask")] == [10, 20, 30]
        assert len({one.text for one in given(services, "ask")}) == 1

    async def test_is_typed_over_by_the_second_question(self, open_app, services):
        async with open_app() as pilot:
            await write(pilot, "a gin drink")
            await press(pilot, "enter")
            await write(pilot, "rum")
            await press(pilot, "enter")
        assert [one.text for one in given(services, "ask")] == ["a gin drink", "rum"]

    async def test_is_gone_on_with_after_an_arrow(self, open_app, services):
        async with open_app() as pilot:
            await write(pilot, "gin")
            await press(pilot, "enter", "end")
            await write(pilot, " sour")
            await press(pilot, "enter")
        assert [one.text for one in given(services, "ask")] == ["gin", "gin sour"]

    async def test_takes_several_pasted_lines_as_one_and_tells(self, open_app):
        async with open_app() as pilot:
            prompt = await paste(pilot, "a drink\n\n  with gin\r\nand lime\n")
            assert prompt.value == "a drink with gin and lime"
            assert notices(pilot) == ["You pasted 3 lines: they stand here as one."]

    async def test_cuts_a_paste_that_is_too_long_and_tells(self, open_app):
        async with open_app() as pilot:
            await write(pilot, "abc")
            prompt = await paste(pilot, "x" * 2_010)
            assert prompt.value == "abc" + "x" * 1_997
            [said] = notices(pilot)
            assert said == "The line holds 2,000 characters: 13 of the paste are cut off."

    async def test_takes_a_short_paste_in_silence_and_over_what_is_selected(self, open_app):
        async with open_app() as pilot:
            await write(pilot, "abc")
            prompt = await paste(pilot, " gin\n")
            assert prompt.value == "abc gin"
            prompt.select_all()
            await paste(pilot, "rum")
            assert prompt.value == "rum"
            assert notices(pilot) == []

    async def test_takes_what_was_copied_in_the_app_the_same_way(self, open_app):
        async with open_app() as pilot:
            pilot.app.copy_to_clipboard("gin\nlime")
            await press(pilot, "ctrl+v")
            assert pilot.app.screen.query_one(Prompt).value == "gin lime"
            assert len(notices(pilot)) == 1


class TestWishes:
    async def test_are_one_tab_from_the_line(self, open_app, services):
        async with open_app() as pilot:
            await write(pilot, "a gin drink")
            await press(pilot, "enter", "tab", "enter")
            assert isinstance(pilot.app.screen, AskScreen)
        [corrected] = given(services, "ask_intent")
        assert corrected.intent.constraints == INTENT.constraints[1:]

    async def test_stand_below_the_line(self, open_app):
        async with open_app() as pilot:
            await ask(pilot)
            labels = [one.chip.label for one in pilot.app.screen.query(ChipButton)]
        assert labels == ["gin", "glass: coupe glass", "no cream", "have gin"]

    async def test_are_taken_out_by_key_without_the_model(self, open_app, services):
        async with open_app() as pilot:
            await ask(pilot)
            pilot.app.screen.query(ChipButton)[2].focus()
            await press(pilot, "enter")
            assert "no cream" not in seen(pilot)
            assert pilot.app.focused.chip.label == "have gin"
        [corrected] = given(services, "ask_intent")
        assert corrected.intent.constraints == (INTENT.constraints[0], INTENT.constraints[2])

    async def test_are_taken_out_by_click(self, open_app, services):
        async with open_app() as pilot:
            await ask(pilot)
            await pilot.click(pilot.app.screen.query(ChipButton)[0])
            await settled(pilot)
        [corrected] = given(services, "ask_intent")
        assert corrected.intent.constraints == INTENT.constraints[1:]

    async def test_are_added_in_words(self, open_app, services):
        async with open_app() as pilot:
            await ask(pilot)
            await press(pilot, "f4")
            await write(pilot, "no egg")
            await press(pilot, "enter")
        [corrected] = given(services, "ask_intent")
        assert (corrected.intent, corrected.more) == (INTENT, "no egg")

    async def test_that_nobody_knows_are_refused_in_words(self, open_app, services):
        async with open_app() as pilot:
            await ask(pilot)
            services.trouble = UsageError("“xyzzy” names nothing.", "Try another word for it.")
            await press(pilot, "f4", "x", "enter")
            told = seen(pilot)
        assert "“xyzzy” names nothing.\n  Try another word for it." in told
        assert "Gimlet has gin." in told


class TestTask:
    async def test_is_told_with_confidence_and_reason(self, open_app):
        async with open_app() as pilot:
            await ask(pilot)
            assert "by its ingredient  you named gin (95% sure)" in seen(pilot)

    async def test_is_corrected_by_key_and_holds_for_the_next_correction(self, open_app, services):
        async with open_app() as pilot:
            await ask(pilot)
            await press(pilot, "f3", "home", "enter")
            pilot.app.screen.query(ChipButton)[0].focus()
            await press(pilot, "enter")
            await ask(pilot, "a new question")
            pilot.app.screen.query(ChipButton)[0].focus()
            await press(pilot, "enter")
        tasks = [one.task for one in given(services, "ask_intent")]
        assert tasks == [TaskKind.C1, TaskKind.C1, None]

    async def test_is_corrected_by_click(self, open_app):
        async with open_app() as pilot:
            await ask(pilot)
            await pilot.click("#task")
            await settled(pilot)
            assert "by its glass" in seen(pilot)

    async def test_cannot_be_corrected_before_there_is_one(self, open_app):
        async with open_app() as pilot:
            await press(pilot, "f3")
            assert isinstance(pilot.app.screen, AskScreen)


class TestPerson:
    async def test_is_chosen_among_those_who_are_known(self, open_app, services):
        async with open_app() as pilot:
            await press(pilot, "f2", "down", "down", "enter")  # past nobody in particular
            assert pilot.app.user == "anna"
            await ask(pilot)
        assert given(services, "ask")[0].user == "anna"

    async def test_may_be_new(self, open_app):
        async with open_app() as pilot:
            await press(pilot, "f2")
            await write(pilot, "zoe")
            await press(pilot, "enter")
            assert "Person: zoe" in seen(pilot)

    async def test_is_looked_for_while_typing(self, open_app):
        async with open_app() as pilot:
            await press(pilot, "f2", "b", "e")
            options = pilot.app.screen.query_one(OptionList)
            assert [str(one.prompt) for one in options.options] == ["bert", "be  (new)"]

    @pytest.mark.parametrize(
        ("known", "typed", "chosen"),
        [
            (["anna", "bert"], "nn", "anna"),  # the only match
            (["ann", "anna"], "ann", "ann"),  # one of two, whose name it is
            (["Anna", "annabel"], "anna", "Anna"),
            (["bert"], "zoe", "zoe"),  # nobody is called so
        ],
    )
    async def test_is_who_the_typed_name_means(self, open_app, services, known, typed, chosen):
        services.users = lambda like="": tuple(
            key for key in known if like.casefold() in key.casefold()
        )
        async with open_app() as pilot:
            await press(pilot, "f2")
            await write(pilot, typed)
            await press(pilot, "enter")
            assert pilot.app.user == chosen

    @pytest.mark.parametrize(("presses", "chosen"), [(1, "anna"), (2, "hanna")])
    async def test_is_asked_for_where_nobody_s_name_is_spelt_quite_so(
        self, open_app, services, presses, chosen
    ):
        services.users = lambda like="": ("anna",) if like else ()  # as those spelt nearly so are
        async with open_app() as pilot:
            await press(pilot, "f2")
            await write(pilot, "hanna")
            await press(pilot, "enter")
            assert "Nobody is called so; is one of these meant?" in seen(pilot)
            await press(pilot, *(["down"] * (presses - 1)), "enter")
            assert pilot.app.user == chosen

    async def test_is_the_only_match_of_a_name_typed_in_a_hurry(self, open_app):
        async with open_app() as pilot:
            await press(pilot, "f2")
            await pilot.press("b", "e", "enter")
            await settled(pilot)
            assert pilot.app.user == "bert"

    async def test_is_asked_for_where_a_name_fits_several(self, open_app, services):
        services.known = ["anna", "hanna"]
        async with open_app() as pilot:
            await press(pilot, "f2")
            await write(pilot, "an")
            await press(pilot, "enter")
            assert "Several are called so" in seen(pilot)
            assert pilot.app.user is None
            await press(pilot, "end", "enter")
            assert pilot.app.user == "an"

    async def test_stays_for_the_next_run_readable_by_its_owner_alone(self, open_app, tmp_path):
        async with open_app() as pilot:
            await press(pilot, "f2", "down", "down", "enter")
        assert (tmp_path / "person.jsonl").stat().st_mode & 0o777 == 0o600
        async with open_app() as pilot:
            assert pilot.app.user == "anna"
            assert "Person: anna" in seen(pilot)
            await press(pilot, "f2", "down", "enter")  # nobody in particular
        async with open_app() as pilot:
            assert pilot.app.user is None

    @pytest.mark.parametrize("content", [b"", b"7\n", b'"anna"\n"bert"\n', b"\xff"])
    async def test_that_cannot_be_read_is_nobody(self, open_app, tmp_path, content):
        (tmp_path / "person.jsonl").write_bytes(content)
        async with open_app() as pilot:
            assert pilot.app.user is None

    async def test_gets_a_list_for_an_empty_line(self, open_app, services):
        async with open_app() as pilot:
            pilot.app.user = "anna"
            await press(pilot, "enter")
            assert "Bramble has gin." in seen(pilot)
            assert "A list for anna" in seen(pilot)
        assert given(services, "recommend") == ["anna"]

    async def test_is_needed_for_that(self, open_app, services):
        async with open_app() as pilot:
            await press(pilot, "enter")
            assert "choose a person with F2" in seen(pilot)


class TestChoices:
    async def test_of_the_domain_goes_with_the_question(self, open_app, services):
        async with open_app() as pilot:
            await press(pilot, "f5", "down", "enter")
            await ask(pilot)
        assert given(services, "ask")[0].domain == "cocktails"

    async def test_of_who_answers_goes_with_the_question(self, open_app, services):
        async with open_app() as pilot:
            await press(pilot, "f6", "down", "enter")
            await ask(pilot)
            await press(pilot, "f6", "down", "enter")
            await ask(pilot, "again")
            await press(pilot, "f6", "down", "enter")
            await ask(pilot, "with tools")
            await press(pilot, "f6", "end", "enter")
            await ask(pilot, "by an agent")
        asked = given(services, "ask")
        assert [(one.system, one.without_model) for one in asked] == [
            ("marc-model", False),
            ("marc", True),
            ("agenticrec-fused", False),
            ("agenticrec", False),
        ]

    async def test_of_who_answers_has_the_systems_of_other_packages(self, open_app, services):
        services.added_systems = ("rare",)
        async with open_app() as pilot:
            await press(pilot, "f6", "end", "enter")
            assert "F6 Answers: rare" in seen(pilot)
            await ask(pilot)
        [asked] = given(services, "ask")
        assert (asked.system, asked.without_model) == ("rare", False)

    async def test_are_all_seen_at_80_columns(self, open_app):
        async with open_app(NARROW) as pilot:
            await press(pilot, "f6", "end", "enter")
            shown = seen(pilot)
            for words in ("Person: nobody in particular", "About: drinks", "Picture: none"):
                assert words in shown
            assert "F6 Answers: an agent" in shown
            pilot.app.user = "a person whose name is longer than half of a narrow terminal"
            await settled(pilot)
            assert "About: drinks" in seen(pilot)


class TestStatus:
    async def test_is_told_whole_at_80_columns(self, open_app, services):
        stages = ("router", "slots", "retrieval", "reflector", "reranker", "writer")
        services.answered_by = {stage: f"the {stage}'s own rules" for stage in stages}
        async with open_app(NARROW) as pilot:
            await ask(pilot)
            assert "writer: the writer's own rules" in " ".join(seen(pilot).split())

    @pytest.mark.parametrize(
        ("read_by", "told"),
        [
            ({"understanding": "rules"}, "By rules and counts, no model."),
            (
                {"understanding": "rules", "roles": "the shipped network"},
                "By rules and counts, and the shipped network.",
            ),
            ({"understanding": "model"}, "By rules and counts, understanding: model."),
            (
                {
                    "router": "rules",
                    "router_failed": "It is not here.",
                    "writer_failed": "It is not here.",
                },
                "By rules and counts, no model. It is not here.",
            ),
        ],
    )
    async def test_tells_who_read_the_question(self, open_app, services, read_by, told):
        services.answered_by = read_by
        async with open_app(WIDE) as pilot:
            await ask(pilot)
            assert told in " ".join(seen(pilot).split())


class TestPicture:
    async def test_that_is_not_there_is_not_taken(self, open_app):
        async with open_app(WIDE) as pilot:
            await press(pilot, "f8")
            await write(pilot, "/nowhere/red.png")
            await press(pilot, "enter")
            assert "Picture: none" in seen(pilot)
            told = [one.message for one in pilot.app._notifications]
        assert "There is no file /nowhere/red.png." in told

    async def test_goes_with_questions_until_it_is_put_away(self, open_app, services, tmp_path):
        (tmp_path / "red.png").touch()
        async with open_app(WIDE) as pilot:
            await press(pilot, "f8")
            await write(pilot, f"{tmp_path}/red.png")
            await press(pilot, "enter")
            assert "Picture: red.png" in seen(pilot)
            await ask(pilot)
            await press(pilot, "f8", "enter")
            assert "Picture: none" in seen(pilot)
            await ask(pilot, "again")
        images = [one.image for one in given(services, "ask")]
        assert images == [str(tmp_path / "red.png"), None]

    async def test_leads_to_the_line_so_that_no_letter_is_a_verdict(self, open_app, services):
        async with open_app(WIDE) as pilot:
            pilot.app.user = "anna"
            await ask(pilot)
            pilot.app.screen.query_one(Results).take_focus()
            await press(pilot, "f8")
            await write(pilot, "~/red.png")
            await press(pilot, "enter")
            await write(pilot, "lovely drinks")
            await press(pilot, "enter")
        assert given(services, "ask")[-1].text == "lovely drinks"
        assert services.words == []

    async def test_is_told_as_it_was_seen(self, open_app, services):
        services.pictured = QueryImage(
            by="colours without a model",
            leans="look",
            colours=(ImageWord(word="red", confidence=0.9),),
            counted=("red",),
            notes=("Glasses are not told apart.",),
        )
        async with open_app(WIDE) as pilot:
            await ask(pilot)
            told = seen(pilot)
        assert "In the picture: red. Counted: red." in told
        assert "Glasses are not told apart." in told


class TestDetail:
    async def test_draws_the_way_in_the_graph_and_what_the_model_saw(self, open_app):
        async with open_app(WIDE) as pilot:
            await ask(pilot)
            await press(pilot, "down", "enter")
            assert isinstance(pilot.app.screen, ItemScreen)
            told = seen(pilot)
            await press(pilot, "escape")
            assert isinstance(pilot.app.screen, AskScreen)
        assert "└─ has ─▶ Gin  3 cl" in told
        assert "   └─ is a kind of ─▶ spirit" in told
        assert "Shake with ice." in told
        assert "planted-model as writer" in told
        assert "user: Gimlet has gin." in told

    async def test_shows_the_picture_of_an_item_that_has_one(self, open_app, services):
        services.picture = ((("#ff0000", "#00ff00"), ("#ff0000", "#00ff00")),)
        async with open_app(WIDE) as pilot:
            await ask(pilot)
            await press(pilot, "down", "enter")
            assert pilot.app.screen.query_one(PicturePreview).display
            assert "▀▀" in seen(pilot)

    async def test_shows_none_without_colours(self, open_app, services):
        services.picture = ((("#ff0000", "#00ff00"),),)
        async with open_app(WIDE) as pilot:
            pilot.app.no_color = True
            await ask(pilot)
            await press(pilot, "down", "enter")
            assert not pilot.app.screen.query_one(PicturePreview).display
            assert "▀" not in seen(pilot)

    async def test_says_when_no_model_was_asked(self, open_app, services):
        services.calls = ()
        async with open_app(WIDE) as pilot:
            await ask(pilot)
            await press(pilot, "down", "enter")
            assert "No model was asked." in seen(pilot)

    async def test_takes_feedback_too(self, open_app, services):
        async with open_app() as pilot:
            pilot.app.user = "anna"
            await ask(pilot)
            await press(pilot, "down", "enter", "d", "escape")
            assert "[you dislike it]" in seen(pilot)
        assert [(one.item, one.event) for one in services.words] == [("gimlet", Event.DISLIKED)]

    async def test_says_why_there_are_no_properties(self, open_app, services):
        async with open_app() as pilot:  # narrow: no pane beside the list asks before it
            await ask(pilot)
            services.trouble = BusyError("Process 7 has it.", "Try again.")
            await press(pilot, "down", "enter")
            assert "Process 7 has it. Try again." in seen(pilot)


class TestFeedback:
    @pytest.mark.parametrize(
        ("key", "event", "mark"),
        [
            ("l", Event.LIKED, "you like it"),
            ("d", Event.DISLIKED, "you dislike it"),
            ("s", Event.SEEN, "you know it"),
            ("n", Event.LATER, "not now"),
        ],
    )
    async def test_is_one_key_on_an_item(self, open_app, services, key, event, mark):
        async with open_app() as pilot:
            pilot.app.user = "anna"
            await ask(pilot)
            await press(pilot, "down", "down", key)
            assert f"[{mark}]" in seen(pilot)
        [word] = services.words
        assert (word.user, word.item, word.event, word.reason) == ("anna", "negroni", event, None)

    async def test_takes_a_reason_with_shift(self, open_app, services):
        async with open_app() as pilot:
            pilot.app.user = "anna"
            await ask(pilot)
            await press(pilot, "down", "D")
            await write(pilot, "too sour")
            await press(pilot, "enter")
        assert services.words[0].reason == "too sour"

    async def test_with_a_reason_is_left_by_escape(self, open_app, services):
        async with open_app() as pilot:
            pilot.app.user = "anna"
            await ask(pilot)
            await press(pilot, "down", "L", "escape")
        assert services.words == []

    async def test_asks_first_who_speaks(self, open_app, services):
        async with open_app() as pilot:
            await ask(pilot)
            await press(pilot, "down", "l")
            await write(pilot, "zoe")
            await press(pilot, "enter")
        assert [(one.user, one.event) for one in services.words] == [("zoe", Event.LIKED)]

    async def test_is_taken_back(self, open_app, services):
        async with open_app() as pilot:
            pilot.app.user = "anna"
            await ask(pilot)
            await press(pilot, "down", "l", "u")
            assert "[you like it]" not in seen(pilot)
            assert services.words == []
            await press(pilot, "u", "down", "enter")
            told = [one.message for one in pilot.app._notifications]
        assert "There is no word of anna to take back." in told

    async def test_that_is_taken_back_shows_the_word_before_it(self, open_app):
        async with open_app() as pilot:
            pilot.app.user = "anna"
            await ask(pilot)
            await press(pilot, "down", "l", "d", "u")
            assert "[you like it]" in seen(pilot)
            await press(pilot, "u")
            assert "[you" not in seen(pilot)

    async def test_of_stars_from_elsewhere_is_taken_back_too(self, open_app, services):
        async with open_app() as pilot:
            pilot.app.user = "anna"
            await ask(pilot)
            services.words.append(
                NewFeedback(user="anna", domain="cocktails", item="gimlet", event=Event.RATED)
            )
            await press(pilot, "down", "u", "enter")
            assert len(services.words) == 1  # what was said before stays unless it is chosen
            await press(pilot, "u", "down", "enter")
            told = [one.message for one in pilot.app._notifications]
        assert "Taken back: anna rates Gimlet." in told

    async def test_of_one_person_is_not_shown_to_another(self, open_app):
        async with open_app() as pilot:
            pilot.app.user = "anna"
            await ask(pilot)
            await press(pilot, "down", "l")
            assert "[you like it]" in seen(pilot)
            pilot.app.user = "bert"
            await settled(pilot)
            assert "[you like it]" not in seen(pilot)

    async def test_letters_in_the_line_are_only_letters(self, open_app, services):
        async with open_app() as pilot:
            pilot.app.user = "anna"
            await write(pilot, "old snl")
            assert pilot.app.screen.query_one(Input).value == "old snl"
        assert services.words == []

    async def test_works_on_a_row_of_the_table(self, open_app, services):
        async with open_app(WIDE) as pilot:
            pilot.app.user = "anna"
            await ask(pilot)
            await press(pilot, "down", "down", "l")
        assert services.words[0].item == "negroni"


class TestTrouble:
    async def test_is_a_sentence_with_its_remedy(self, open_app, services):
        async with open_app() as pilot:
            services.trouble = BusyError("Process 4711 holds the store.", "Try again later.")
            await ask(pilot)
            assert "Process 4711 holds the store.\n  Try again later." in seen(pilot)
            await ask(pilot)
            assert "Gimlet has gin." in seen(pilot)

    async def test_leaves_no_answer_to_an_older_question(self, open_app, services):
        async with open_app() as pilot:
            await ask(pilot)
            services.trouble = BusyError("Process 4711 holds the store.", "Try again later.")
            await ask(pilot, "another question")
            shown = seen(pilot)
            assert "Process 4711" in shown
            for old in ("Gimlet", "you named", "glass: coupe glass", "router: rules"):
                assert old not in shown
            await press(pilot, "f4")
            assert isinstance(pilot.app.screen, AskScreen)  # there is nothing to add a wish to

    async def test_of_our_own_making_does_not_end_the_app(self, open_app, services):
        async with open_app() as pilot:
            services.trouble = ZeroDivisionError("oh")
            await ask(pilot)
            assert "ZeroDivisionError: oh" in seen(pilot)
            assert any("Traceback" in line for line in pilot.app.logbook.lines)

    async def test_with_feedback_is_told_too(self, open_app, services):
        async with open_app() as pilot:
            pilot.app.user = "anna"
            await ask(pilot)
            services.trouble = BusyError("Process 4711 holds the store.", "Try again later.")
            await press(pilot, "down", "l")
            told = [one.message for one in pilot.app._notifications]
            assert "Process 4711 holds the store.\nTry again later." in told
            assert "[you like it]" not in seen(pilot)


async def test_every_choice_on_the_top_line_can_be_clicked(open_app):
    async with open_app(WIDE) as pilot:
        for pick in ("user", "domain", "image", "system"):
            await pilot.click(f"#{pick}")
            await settled(pilot)
            assert not isinstance(pilot.app.screen, AskScreen), pick
            await press(pilot, "escape")
        assert len(pilot.app.screen.query(ChoiceField)) == 6
